#include "potentials/pins.h"

#include "math/motion.h"

namespace supple {

void PinSet::targets(double time, std::vector<Vec3>& out) const {
  int current = -1;
  Pose pose;
  for (std::size_t i = 0; i < pins.size(); ++i) {
    // Pins of one motion stand together, so the pose is evaluated once each.
    if (pins[i].motion != current) {
      current = pins[i].motion;
      pose = evaluate(motions[static_cast<std::size_t>(current)], time);
    }
    out[i] = pose.apply(pins[i].rest);
  }
}

double PinSet::add(const VectorField& x, const std::vector<Vec3>& target,
                   VectorField& gradient) const {
  double energy = 0;
  for (std::size_t i = 0; i < pins.size(); ++i) {
    const auto vertex = static_cast<std::size_t>(pins[i].vertex);
    const double k = pins[i].stiffness;
    for (int c = 0; c < 3; ++c) {
      const double d = x[vertex][c] - target[i][static_cast<std::size_t>(c)];
      energy += 0.5 * k * d * d;
      gradient[vertex][c] += k * d;
    }
  }
  return energy;
}

}  // namespace supple
