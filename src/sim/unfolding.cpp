#include "sim/unfolding.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "base/index.h"
#include "base/refuse.h"

namespace supple {

namespace {

constexpr double right_way_out = 0.2;
constexpr int tangled_part = 10;  ///< one in this many tets
constexpr int turn = 30;
constexpr int wait = 20, longer_wait = 4;
/// The wait stops growing after this many attempts.
constexpr int most_waits = 8;
constexpr int most_frames = 300, most_frames_unless_inverted = 60;

/// Whether a body has a material other than these.
bool has_others(const Body& body, std::initializer_list<std::string_view> materials) {
  const auto is_other = [&](const MaterialSettings& own) {
    return std::find(materials.begin(), materials.end(), own.model) == materials.end();
  };
  return is_other(body.material) || std::any_of(body.layers.begin(), body.layers.end(), is_other) ||
         std::any_of(body.regions.begin(), body.regions.end(),
                     [&](const MaterialRegion& region) { return is_other(region.material); });
}

/// J of a tet.
double volume_ratio(const Model& model, std::size_t tet, const VectorField& x) {
  const auto edge = [&](std::size_t corner, int k) {
    return x[at(model.tets[tet][corner])][k] - x[at(model.tets[tet][0])][k];
  };
  double six_volumes = 0;
  for (int k = 0; k < 3; ++k) {
    const int l = (k + 1) % 3, m = (k + 2) % 3;
    six_volumes += edge(1, k) * (edge(2, l) * edge(3, m) - edge(2, m) * edge(3, l));
  }
  return six_volumes / (6 * model.elastic_volume(tet));
}

}  // namespace

bool Unfolding::is_idle() const {
  for (std::size_t b = 0; b < is_now_.size(); ++b) {
    if (!is_idle(b)) return false;
  }
  return true;
}

bool Unfolding::has_unfolded() const {
  return std::any_of(memory_.begin(), memory_.end(), [](int number) { return number != 0; });
}

int Unfolding::count() const {
  return static_cast<int>(std::count(is_now_.begin(), is_now_.end(), 1));
}

/// While it is under way, `arap` and the body's own material take turns.
char Unfolding::is_unfolded(std::size_t body) {
  return frames(body) < 0 && (-frames(body) - 1) / turn % 2 == 0 ? 1 : 0;
}

bool Unfolding::is_due(std::size_t body, const Body& settings, bool is_tangled) {
  // The other materials have no rest shape, or are already arap.
  if (frames(body) == 0 || !has_others(settings, {"arap", "strain_limit", "volume"})) return false;
  int least = wait;
  for (int i = 0; i < std::min(attempts(body), most_waits); ++i) least *= longer_wait;
  return frames(body) >= least || (is_tangled && has_others(settings, {"corotated"}));
}

bool Unfolding::begin_frame(const Scene& scene, const Model& model, const VectorField& x) {
  bool any_other = false;
  std::size_t tet = 0;
  for (std::size_t b = 0; b < is_now_.size(); ++b) {
    const std::size_t last = tet + scene.bodies[b].mesh.tets.size();
    const auto num_tets = static_cast<int>(last - tet);
    int num_inverted = 0, num_low = 0;
    for (; tet < last; ++tet) {
      const double J = volume_ratio(model, tet, x);
      if (J <= 0) ++num_inverted;
      if (J <= right_way_out) ++num_low;
    }
    if (frames(b) < 0) {
      --frames(b);
      const int most = num_inverted > 0 ? most_frames : most_frames_unless_inverted;
      if (num_low == 0 || frames(b) <= -most) frames(b) = 0;
    } else {
      frames(b) = num_inverted > 0 ? std::min(frames(b) + 1, 1 << 30) : 0;
      if (is_due(b, scene.bodies[b], is_start_ && tangled_part * num_inverted >= num_tets)) {
        frames(b) = -1;
        ++attempts(b);
      }
    }
    const char before = std::exchange(is_now_[b], is_unfolded(b));
    any_other = any_other || before != is_now_[b];
  }
  is_start_ = false;
  return any_other;
}

void Unfolding::set_memory(const std::vector<int>& memory) {
  if (!memory.empty() && memory.size() != memory_.size()) {
    refuse("unfolding", "expected two numbers for each of " + std::to_string(is_now_.size()) +
                            " bodies, or none; there are " + std::to_string(memory.size()));
  }
  for (std::size_t b = 0; 2 * b < memory.size(); ++b) {
    require(memory[2 * b] >= -most_frames && memory[2 * b + 1] >= 0, "unfolding",
            "expected at least -" + std::to_string(most_frames) + " frames and 0 times of body " +
                std::to_string(b));
  }
  std::fill(memory_.begin(), memory_.end(), 0);
  is_start_ = memory.empty();
  std::copy(memory.begin(), memory.end(), memory_.begin());
  for (std::size_t b = 0; b < is_now_.size(); ++b) is_now_[b] = is_unfolded(b);
}

}  // namespace supple
