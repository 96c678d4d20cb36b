#include "session/material_sample.h"

#include <variant>
#include <vector>

#include "materials/material.h"
#include "math/mat3.h"

namespace supple {

Vec3 principal_stress(const MaterialSettings& material, const Vec3& stretches) {
  std::vector<double> parameters;
  for (const Parameter* parameter : material_parameters(material)) {
    parameters.push_back((*parameter)[0]);
  }
  const MaterialModel model = make_material(material, "material");
  const auto F = Mat3<double>::diagonal(stretches[0], stretches[1], stretches[2]);
  return std::visit(
      [&](const auto& m) -> Vec3 {
        const Mat3<double> P = m.template at<double>(parameters.data()).stress(F);
        return {P(0, 0), P(1, 1), P(2, 2)};
      },
      model);
}

}  // namespace supple
