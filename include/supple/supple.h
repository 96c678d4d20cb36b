#pragma once

// The whole public interface: load, build, step, read.

#include "supple/attachment.h"    // IWYU pragma: export
#include "supple/body_handle.h"   // IWYU pragma: export
#include "supple/choices.h"       // IWYU pragma: export
#include "supple/compare.h"       // IWYU pragma: export
#include "supple/error.h"         // IWYU pragma: export
#include "supple/io.h"            // IWYU pragma: export
#include "supple/mat3.h"          // IWYU pragma: export
#include "supple/mesh.h"          // IWYU pragma: export
#include "supple/own_energy.h"    // IWYU pragma: export
#include "supple/own_material.h"  // IWYU pragma: export
#include "supple/own_number.h"    // IWYU pragma: export
#include "supple/pose.h"          // IWYU pragma: export
#include "supple/scene.h"         // IWYU pragma: export
#include "supple/simd.h"          // IWYU pragma: export
#include "supple/simulation.h"    // IWYU pragma: export
#include "supple/state_bytes.h"   // IWYU pragma: export
#include "supple/surface_hit.h"   // IWYU pragma: export
#include "supple/task_system.h"   // IWYU pragma: export
#include "supple/version.h"       // IWYU pragma: export
#include "supple/warnings.h"      // IWYU pragma: export
