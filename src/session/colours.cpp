#include <algorithm>
#include <cmath>

#include "session/command_list.h"
#include "session/session_state.h"

namespace supple {

namespace {

struct Colour {
  const char* name;
  const char* unit;
  const char* text;
};

constexpr Colour colours[] = {
    {"none", "", "no colours"},
    {"stretch", "", "the largest principal stretch; of springs their length over that at rest"},
    {"J", "", "the ratio of volumes, det F"},
    {"von_mises", "Pa", "the von Mises stress"},
    {"error", "m", "the distance to where the step ends when it is solved to convergence"},
};

const Colour& find(const std::string& name) {
  for (const Colour& colour : colours) {
    if (name == colour.name) return colour;
  }
  return colours[0];
}

/// Means over the elements around each vertex. Vertices without elements get `lonely`.
class VertexMeans {
 public:
  explicit VertexMeans(std::size_t count) : sums_(count, 0), counts_(count, 0) {}
  void add(std::size_t vertex, double value) {
    sums_[vertex] += value;
    ++counts_[vertex];
  }
  std::vector<float> take(double lonely) const {
    std::vector<float> means(sums_.size());
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      means[i] = static_cast<float>(counts_[i] > 0 ? sums_[i] / counts_[i] : lonely);
    }
    return means;
  }

 private:
  std::vector<double> sums_;
  std::vector<int> counts_;
};

double distance(const std::vector<double>& x, std::size_t a, std::size_t b) {
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double d = x[3 * a + k] - x[3 * b + k];
    sum += d * d;
  }
  return std::sqrt(sum);
}

void add_springs(const Scene& scene, const std::vector<double>& x, VertexMeans& means) {
  std::size_t first = 0;
  for (const Body& body : scene.bodies) {
    for (const Spring& spring : body.springs) {
      if (!(spring.rest_length > 0)) continue;
      const std::size_t a = first + static_cast<std::size_t>(spring.a);
      const std::size_t b = first + static_cast<std::size_t>(spring.b);
      const double stretch = distance(x, a, b) / spring.rest_length;
      means.add(a, stretch);
      means.add(b, stretch);
    }
    first += body.mesh.vertices.size();
  }
}

/// Scalar products of the two edges a and b of a triangle from its first corner: aa, ab, bb.
std::array<double, 3> metric(const std::vector<double>& x, const std::array<std::size_t, 3>& t) {
  std::array<double, 3> g{0, 0, 0};
  for (std::size_t k = 0; k < 3; ++k) {
    const double a = x[3 * t[1] + k] - x[3 * t[0] + k], b = x[3 * t[2] + k] - x[3 * t[0] + k];
    g[0] += a * a;
    g[1] += a * b;
    g[2] += b * b;
  }
  return g;
}

/// The square of a triangle's largest stretch is the largest eigenvalue of R^-1 G, where R is its
/// metric at rest and G its current metric.
void add_membranes(const Scene& scene, const std::vector<double>& x, VertexMeans& means) {
  std::size_t first = 0;
  for (const Body& body : scene.bodies) {
    std::vector<double> rest;
    for (const Vec3& v : body.mesh.vertices) rest.insert(rest.end(), v.begin(), v.end());
    for (std::size_t i = 0; i < body.triangles.size() && body.membrane; ++i) {
      std::array<std::size_t, 3> own{}, now{};
      for (std::size_t c = 0; c < 3; ++c) {
        own[c] = static_cast<std::size_t>(body.triangles[i][c]);
        now[c] = first + own[c];
      }
      const auto r = metric(rest, own), g = metric(x, now);
      const double det = r[0] * r[2] - r[1] * r[1];
      const double mean = (r[2] * g[0] - 2 * r[1] * g[1] + r[0] * g[2]) / (2 * det);
      const double product = (g[0] * g[2] - g[1] * g[1]) / det;
      const double stretch = std::sqrt(mean + std::sqrt(std::max(0.0, mean * mean - product)));
      for (const std::size_t vertex : now) means.add(vertex, stretch);
    }
    first += body.mesh.vertices.size();
  }
}

std::vector<float> measured_colours(const SessionState& s, const std::string& name) {
  const auto count = static_cast<std::size_t>(s.simulation->num_vertices());
  std::vector<double> x(3 * count);
  s.simulation->copy_positions(x);
  VertexMeans means(count);
  const Scene& scene = s.simulation->scene();
  if (s.simulation->num_tets() > 0) {
    const ElementMeasures measures = s.simulation->measure(x);
    std::size_t first = 0, tet = 0;
    for (const Body& body : scene.bodies) {
      for (const auto& corners : body.mesh.tets) {
        const double value = name == "stretch" ? measures.stretches[tet][0]
                             : name == "J"     ? measures.determinant[tet]
                                               : measures.von_mises[tet];
        for (const int corner : corners) means.add(first + static_cast<std::size_t>(corner), value);
        ++tet;
      }
      first += body.mesh.vertices.size();
    }
  }
  if (name == "stretch") {
    add_springs(scene, x, means);
    add_membranes(scene, x, means);
  }
  return means.take(name == "von_mises" ? 0 : 1);
}

/// The range over which the page spreads its colours. It grows at once and shrinks slowly, so that
/// colours do not flicker. For ratios it extends to both sides of 1.
void update_range(SessionState& s, bool anew) {
  const bool ratio = s.show.colour == "stretch" || s.show.colour == "J";
  double low = ratio ? 0.95 : 0, high = ratio ? 1.05 : 1e-9;
  for (const float value : s.colours) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, static_cast<double>(value));
    high = std::max(high, static_cast<double>(value));
  }
  constexpr double shrinking = 0.02;  // of the difference, per frame
  s.colour_low = anew || low < s.colour_low ? low : s.colour_low + shrinking * (low - s.colour_low);
  s.colour_high =
      anew || high > s.colour_high ? high : s.colour_high + shrinking * (high - s.colour_high);
}

}  // namespace

std::vector<std::string> colour_names() {
  std::vector<std::string> names;
  for (const Colour& colour : colours) names.emplace_back(colour.name);
  return names;
}

ordered_json colour_list() {
  ordered_json list = ordered_json::array();
  for (const Colour& colour : colours) {
    list.push_back({{"name", colour.name}, {"unit", colour.unit}, {"text", colour.text}});
  }
  return list;
}

ordered_json colour_json(SessionState& s) {
  if (s.show.colour == "none") {
    s.colours.clear();
    return nullptr;
  }
  s.colours = s.show.colour == "error" ? error_colours(s) : measured_colours(s, s.show.colour);
  update_range(s, s.colour_is_new);
  s.colour_is_new = false;
  return {{"name", s.show.colour},
          {"unit", find(s.show.colour).unit},
          {"low", s.colour_low},
          {"high", s.colour_high}};
}

}  // namespace supple
