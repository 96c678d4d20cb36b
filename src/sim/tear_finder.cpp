#include "sim/tear_finder.h"

#include <algorithm>
#include <cmath>

#include "base/index.h"
#include "math/symmetric.h"
#include "math/vec3.h"
#include "sim/measures.h"

namespace supple {

using namespace vec3;

namespace {

constexpr int chunk_size = 256;

template <class Work>
void for_each(std::size_t count, Threads& threads, const Work& work) {
  const int num_chunks = (static_cast<int>(count) + chunk_size - 1) / chunk_size;
  threads.parallel_for(num_chunks, [&](int chunk) {
    const std::size_t first = at(chunk) * chunk_size;
    for (std::size_t i = first; i < std::min(first + chunk_size, count); ++i) work(i);
  });
}

Vec3 row(const Mat3<double>& m, int i) { return {m(i, 0), m(i, 1), m(i, 2)}; }

/// Unit eigenvector of a symmetric matrix for its largest eigenvalue: perpendicular to the rows of
/// A - s I. If that matrix is zero or its rows have only one direction, one of several.
Vec3 first_eigenvector(const Mat3<double>& A, double s) {
  Mat3<double> B = A;
  for (int i = 0; i < 3; ++i) B(i, i) -= s;
  Vec3 best{0, 0, 0}, longest{0, 0, 0};
  for (int i = 0; i < 3; ++i) {
    const Vec3 own = row(B, i), across = cross(own, row(B, (i + 1) % 3));
    if (dot(across, across) > dot(best, best)) best = across;
    if (dot(own, own) > dot(longest, longest)) longest = own;
  }
  const double scale = dot(longest, longest);
  if (dot(best, best) > 1e-20 * scale * scale) return direction(best, {1, 0, 0});
  const Vec3 axis = std::abs(longest[0]) > std::abs(longest[1]) ? Vec3{0, 1, 0} : Vec3{1, 0, 0};
  return scale > 0 ? direction(cross(longest, axis), {1, 0, 0}) : Vec3{1, 0, 0};
}

/// Whether no eigenvalue exceeds a limit, judged by sums over rows [Gershgorin].
bool is_below(const Mat3<double>& A, double limit) {
  for (int i = 0; i < 3; ++i) {
    if (std::abs(A(i, 0)) + std::abs(A(i, 1)) + std::abs(A(i, 2)) > limit) return false;
  }
  return true;
}

}  // namespace

TearFinder::TearFinder(const Scene& scene, const Model& model,
                       std::span<const std::vector<double>> spring_shares) {
  std::size_t first_tet = 0, first_spring = 0, most = 0;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b];
    const std::size_t tets = body.mesh.tets.size();
    if (body.tearing) {
      Limits own{static_cast<int>(b), *body.tearing, Limits::Kind::tets, first_tet, tets};
      if (body.membrane) {
        own.kind = Limits::Kind::sheet;
        own.first = sheets_.size();
        own.count = body.triangles.size();
        sheets_.resize(own.first + own.count);
      } else if (tets == 0) {
        own.kind = Limits::Kind::springs;
        own.first = nets_.size();
        add_net(body, static_cast<int>(first_spring),
                spring_shares.empty() ? std::span<const double>() : spring_shares[b]);
        own.count = nets_.size() - own.first;
      }
      most = std::max(most, own.count);
      needs_stress_ = needs_stress_ || body.tearing->stress;
      bodies_.push_back(own);
    }
    first_tet += tets;
    first_spring += body.springs.size();
  }
  loads_.resize(most);
  const auto is_solid = [](const Limits& limits) { return limits.kind == Limits::Kind::tets; };
  if (needs_stress_ || std::any_of(bodies_.begin(), bodies_.end(), is_solid)) {
    shape_gradient_ = model.all_shape_gradients();
  }
  if (needs_stress_) {
    gradients_.resize(at(model.num_tets));
    stresses_.resize(gradients_.size());
  }
  // Triangles of the model's membranes are in another order.
  std::size_t face = 0;
  for (std::size_t b = 0, next = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b];
    const bool is_asked = next < bodies_.size() && bodies_[next].body == static_cast<int>(b);
    for (std::size_t t = 0; t < body.triangles.size(); ++t, ++face) {
      if (!is_asked || bodies_[next].kind != Limits::Kind::sheet) continue;
      Sheet& sheet = sheets_[bodies_[next].first + t];
      sheet.vertex = model.cloth_faces[face];
      const Vec3& o = model.rest[at(sheet.vertex[0])];
      const Vec3 u = model.rest[at(sheet.vertex[1])] - o, v = model.rest[at(sheet.vertex[2])] - o;
      // Axes along u and across it: Dm = [|u| u.v/|u|; 0 h].
      const double length = norm(u), along = dot(u, v) / length;
      const double height = norm(cross(u, v)) / length;
      sheet.D = {{{1 / length, -along / (length * height)}, {0, 1 / height}}};
      sheet.area = 0.5 * length * height;
    }
    if (is_asked) ++next;
  }
}

void TearFinder::add_net(const Body& body, int first_spring, std::span<const double> shares) {
  const std::vector<Vec3>& rest = body.mesh.vertices;
  const std::size_t first = nets_.size();
  for (const auto& [i, j, k] : body.triangles) {
    const Vec3& o = rest[at(i)];
    nets_.push_back({.measure = 0.5 * norm(cross(rest[at(j)] - o, rest[at(k)] - o))});
  }
  for (const auto& [i, j] : body.segments) {
    nets_.push_back({.measure = norm(rest[at(j)] - rest[at(i)])});
  }
  with_elements(body, [&](const auto& elements) {
    std::vector<std::vector<int>> around(rest.size());
    for (std::size_t e = 0; e < elements.size(); ++e) {
      for (const int vertex : elements[e]) around[at(vertex)].push_back(static_cast<int>(e));
    }
    const auto for_each_inside = [&](const auto& visit) {
      for (std::size_t s = 0; s < body.springs.size(); ++s) {
        const Spring& spring = body.springs[s];
        for (const int e : around[at(spring.a)]) {
          const auto& corners = elements[at(e)];
          if (std::find(corners.begin(), corners.end(), spring.b) == corners.end()) continue;
          visit(nets_[first + at(e)], s);
        }
      }
    };
    for_each_inside([](Net& net, std::size_t) { ++net.last; });
    std::size_t next = net_springs_.size();
    for (std::size_t e = first; e < nets_.size(); ++e) {
      next += nets_[e].last;
      nets_[e].first = nets_[e].last = next - nets_[e].last;
    }
    net_springs_.resize(next);
    for_each_inside([&](Net& net, std::size_t s) {
      const Spring& spring = body.springs[s];
      net_springs_[net.last++] = {.spring = first_spring + static_cast<int>(s),
                                  .share = shares.empty() ? 1 : shares[s],
                                  .exact = spring.inextensible ? spring.rest_length : NAN};
    });
    return 0;
  });
}

double TearFinder::measure(const Limits& limits, std::size_t element, const Model& model) const {
  const std::size_t e = limits.first + element;
  switch (limits.kind) {
    case Limits::Kind::sheet:
      return sheets_[e].area;
    case Limits::Kind::springs:
      return nets_[e].measure;
    case Limits::Kind::tets:
      break;
  }
  return model.volume[e];
}

TearFinder::Load TearFinder::load_of_net(const Net& net, const TearingSettings& tearing,
                                         const Model& model, const VectorField& x) const {
  Load own;
  for (std::size_t i = net.first; i < net.last; ++i) {
    const auto& [s, share, exact] = net_springs_[i];
    const SpringSet::Spring& spring = model.springs.springs[at(s)];
    const PaddedVector &a = x[at(spring.a)], &b = x[at(spring.b)];
    const Vec3 d{a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    const double length = norm(d);
    const bool stretches = std::isnan(exact);
    double load = 0;
    if (tearing.stretch && stretches) load = length / (*tearing.stretch * spring.rest_length);
    if (tearing.force) {
      const double more = (stretches ? length : exact) - spring.rest_length;
      load = std::max(load, spring.stiffness * more / (*tearing.force * share));
    }
    if (!(load > 1) || !std::isfinite(load) || load <= own.load) continue;
    own = {.load = load, .direction = (1 / length) * d};
  }
  return own;
}

Mat3<double> TearFinder::gradient_of_tet(const Model& model, std::size_t tet,
                                         const VectorField& x) const {
  Mat3<double> F = Mat3<double>::zero();
  const std::array<Vec3, 4> gradients = model.elastic_gradients(tet, shape_gradient_[tet]);
  for (std::size_t c = 0; c < 4; ++c) {
    const PaddedVector& corner = x[at(model.tets[tet][c])];
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) F(i, j) += corner[i] * gradients[c][at(j)];
    }
  }
  return F;
}

void TearFinder::find_stresses(const Model& model, const VectorField& x, Threads& threads) {
  for_each(gradients_.size(), threads,
           [&](std::size_t t) { gradients_[t] = gradient_of_tet(model, t, x); });
  element_stresses(model, gradients_, stresses_);
}

TearFinder::Load TearFinder::load_of(const Limits& limits, std::size_t element, const Model& model,
                                     const VectorField& x, bool with_direction) const {
  if (limits.kind == Limits::Kind::springs) {
    return load_of_net(nets_[limits.first + element], limits.tearing, model, x);
  }
  Load own;
  const auto consider = [&](const Mat3<double>& A, double limit, bool is_squared) {
    if (is_below(A, limit)) return;
    const double largest = symmetric_eigenvalues(A)[0];
    if (!(largest > limit)) return;
    const double load = is_squared ? std::sqrt(largest / limit) : largest / limit;
    if (!std::isfinite(load) || load <= own.load) return;
    own.load = load;
    if (with_direction) own.direction = first_eigenvector(A, largest);
  };
  Mat3<double> F = Mat3<double>::zero();
  if (limits.kind == Limits::Kind::sheet) {
    const Sheet& sheet = sheets_[limits.first + element];
    const PaddedVector& o = x[at(sheet.vertex[0])];
    for (int i = 0; i < 3; ++i) {
      const double u = x[at(sheet.vertex[1])][i] - o[i], v = x[at(sheet.vertex[2])][i] - o[i];
      for (int j = 0; j < 2; ++j) F(i, j) = u * sheet.D[0][at(j)] + v * sheet.D[1][at(j)];
    }
  } else {
    F = gradient_of_tet(model, limits.first + element, x);
  }
  if (limits.tearing.stretch) {
    consider(times_transpose(F, F), *limits.tearing.stretch * *limits.tearing.stretch, true);
  }
  if (limits.tearing.stress) {
    const double J = determinant(F);
    if (J > 0) {
      Mat3<double> cauchy = times_transpose(stresses_[limits.first + element], F);
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) cauchy(i, j) /= J;
      }
      consider(cauchy, *limits.tearing.stress, false);
    }
  }
  return own;
}

bool TearFinder::find_loads(const Limits& limits, const Model& model, const VectorField& x,
                            Threads& threads) {
  for_each(limits.count, threads,
           [&](std::size_t e) { loads_[e] = load_of(limits, e, model, x, false).load; });
  return std::any_of(loads_.begin(), loads_.begin() + static_cast<std::ptrdiff_t>(limits.count),
                     [](double load) { return load > 0; });
}

void TearFinder::choose(const Limits& limits, const Scene& scene, const Model& model,
                        const Numbering& numbering, const VectorField& x,
                        const std::vector<ElementPair>& apart,
                        std::vector<BodySeparation>& found) const {
  const Body& body = scene.bodies[at(limits.body)];
  const int first_vertex = model.body_vertices[at(limits.body)];
  const std::size_t num_vertices = body.mesh.vertices.size();
  struct OfVertex {
    double volume = 0, rank = 0;
    Mat3<double> A = Mat3<double>::zero();
    bool is_overloaded = false;
    Vec3 direction{};
  };
  std::vector<OfVertex> vertices(num_vertices);
  const auto place = [&](int vertex) {
    const PaddedVector& p = x[at(numbering.to_model(first_vertex + vertex))];
    return Vec3{p[0], p[1], p[2]};
  };
  const auto choose_among = [&](const auto& elements) {
    for (std::size_t e = 0; e < elements.size(); ++e) {
      const double volume = measure(limits, e, model);
      for (const int vertex : elements[e]) vertices[at(vertex)].volume += volume;
      if (!(loads_[e] > 0)) continue;
      const Load own = load_of(limits, e, model, x, true);
      for (const int vertex : elements[e]) {
        OfVertex& of = vertices[at(vertex)];
        of.is_overloaded = true;
        for (int i = 0; i < 3; ++i) {
          for (int j = 0; j < 3; ++j) {
            of.A(i, j) += volume * own.load * own.direction[at(i)] * own.direction[at(j)];
          }
        }
      }
    }
    std::vector<int> order;
    for (std::size_t v = 0; v < num_vertices; ++v) {
      OfVertex& of = vertices[v];
      if (!of.is_overloaded) continue;
      const double largest = symmetric_eigenvalues(of.A)[0];
      of.rank = largest / of.volume;
      of.direction = first_eigenvector(of.A, largest);
      order.push_back(static_cast<int>(v));
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return vertices[at(a)].rank > vertices[at(b)].rank; });
    std::vector<std::vector<int>> around(num_vertices);
    for (std::size_t e = 0; e < elements.size(); ++e) {
      for (const int vertex : elements[e]) {
        if (vertices[at(vertex)].is_overloaded) around[at(vertex)].push_back(static_cast<int>(e));
      }
    }
    std::vector<char> is_used(num_vertices, 0);
    BodySeparation own{limits.body, {}};
    int left = limits.tearing.per_frame;
    for (const int vertex : order) {
      if (left == 0) break;
      if (is_used[at(vertex)] != 0) continue;
      const std::vector<int>& near = around[at(vertex)];
      std::vector<char> is_behind;
      for (const int e : near) {
        Vec3 centre{0, 0, 0};
        for (const int corner : elements[at(e)]) centre = centre + place(corner);
        centre = (1.0 / static_cast<double>(elements[at(e)].size())) * centre;
        is_behind.push_back(dot(centre - place(vertex), vertices[at(vertex)].direction) < 0 ? 1
                                                                                            : 0);
      }
      bool tears = false;
      for (std::size_t i = 0; i < near.size(); ++i) {
        for (std::size_t j = i + 1; j < near.size(); ++j) {
          const auto &a = elements[at(near[i])], &b = elements[at(near[j])];
          if (is_behind[i] == is_behind[j]) continue;
          if (common_corners(a, b).size() + 1 != a.size()) continue;
          const ElementPair pair(near[i], near[j]);
          if (std::binary_search(apart.begin(), apart.end(), pair)) continue;
          own.pairs.push_back(pair);
          tears = true;
        }
      }
      if (!tears) continue;
      --left;
      for (const int e : near) {
        for (const int corner : elements[at(e)]) is_used[at(corner)] = 1;
      }
    }
    std::sort(own.pairs.begin(), own.pairs.end());
    own.pairs.erase(std::unique(own.pairs.begin(), own.pairs.end()), own.pairs.end());
    if (!own.pairs.empty()) found.push_back(std::move(own));
    return 0;
  };
  with_elements(body, choose_among);
}

}  // namespace supple
