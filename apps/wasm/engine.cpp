// The page's engine is the C interface as it is: the linker wants a source to begin with.
#include "supple/supple_c.h"
