#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Drops a cube for `frames` frames using nothing but C. Gives the height of its lowest vertex at
/// the end. Returns the error of the first call that failed.
int drop_in_plain_c(int frames, double* lowest);

#ifdef __cplusplus
}
#endif
