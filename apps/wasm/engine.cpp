// The page's engine is just the C interface; this file exists because the linker needs one source.
#include "supple/supple_c.h"
