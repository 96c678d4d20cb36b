#pragma once

namespace supple {

/// How often the test program has called operator new so far.
long num_allocations();

}  // namespace supple
