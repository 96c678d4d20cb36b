#pragma once

#include "contact/collider.h"

namespace supple {

/// Finds where the straight path from `from` to `to` enters a collider, by steps of the distance to
/// it [Hart 1996, sphere tracing]. `here` is the surface nearest to `from`, which is outside; it is
/// replaced by that of the entry. False: the path does not enter.
bool find_entry(const ColliderObject& collider, const Vec3& from, const Vec3& to,
                SurfacePoint& here);

}  // namespace supple
