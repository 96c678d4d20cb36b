#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "studies/reproduce/context.h"
#include "supple/scene.h"

namespace supple::bench {

/// A scene of the benchmark.
struct Entry {
  std::string name;      ///< as --only expects it
  std::string material;  ///< as the tables show it
  bool published;        ///< whether its mesh is among the published ones
  std::string paper;     ///< ms of ten iterations in Liu et al. 2017, Table 1; empty if not there
  int frames;            ///< to be timed, unless the caller gives a number
  std::function<Scene(const reproduce::Context&, reproduce::Origin)> make;
};

/// The scenes of Table 1 of Liu et al. 2017 and larger bodies, the smallest first. All are solved
/// with ten iterations of L-BFGS(5) around M/h^2 + L, in steps of 1/30 s.
const std::vector<Entry>& entries();

/// The name of the study of growing bodies, which is not a scene.
inline constexpr const char* growth_name = "growth";

/// A bar of 4 m x 1 m x 1 m with `cells` of six tets each; both ends turn by 60 degrees per second
/// in opposite senses. E = 1e5 Pa, Poisson's ratio 0.4 (polynomial: 20 times its mu), no gravity.
Scene turned_bar(const std::string& material, const std::array<int, 3>& cells);

/// The same with 9,996 tets.
Scene turned_bar(const std::string& material);

}  // namespace supple::bench
