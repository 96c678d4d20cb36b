#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Drops a cube for `frames` frames with nothing but C. Gives the height of its lowest vertex at
/// the end; returns what the first call that failed returned.
int drop_in_plain_c(int frames, double* lowest);

#ifdef __cplusplus
}
#endif
