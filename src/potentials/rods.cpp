#include "potentials/rods.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "base/index.h"
#include "base/names.h"
#include "base/refuse.h"

namespace supple {

namespace {

Vector3<double> way(const Vec3& from, const Vec3& to) {
  return {{to[0] - from[0], to[1] - from[1], to[2] - from[2]}};
}

/// A unit vector across the unit vector t, along the axis that is most perpendicular to it.
Vector3<double> any_across(const Vector3<double>& t) {
  int least = 0;
  for (int k = 1; k < 3; ++k) {
    if (std::abs(t[k]) < std::abs(t[least])) least = k;
  }
  Vector3<double> axis{{0, 0, 0}};
  axis[least] = 1;
  return unit_across(t, axis);
}

void check(const Body& body, const std::string& where) {
  const RodSettings& rod = *body.rod;
  const std::string place = where + "/rod";
  const auto positive = [&](double value, const char* name) {
    require(std::isfinite(value) && value > 0, place + "/" + name,
            "expected a stiffness above 0 N m^2");
  };
  positive(rod.bending, "bending");
  positive(rod.twist, "twist");
  require_choice(rod.rest_shape, place + "/rest_shape");
  require(std::isfinite(rod.rest_twist) && std::abs(rod.rest_twist) <= 1e9, place + "/rest_twist",
          "expected a finite number of degrees, at most 1e9");
  require(body.mesh.tets.empty() && body.triangles.empty(), where + "/mesh",
          "a rod has segments alone, no tets and no triangles");
  require(!body.segments.empty(), where + "/segments", "a rod needs at least one segment");
  require(rod.copies.size() <= body.mesh.vertices.size(), place + "/copies",
          "expected at most one for each vertex");
  for (const int origin : rod.copies) {
    require(origin >= 0 && at(origin) < body.mesh.vertices.size() - rod.copies.size(),
            place + "/copies", "expected vertices that are no copies");
  }
}

/// Maps the segments of a rod that has come apart to those of the whole rod, and back.
class Copies {
 public:
  explicit Copies(const Body& body) : body_(body) {
    if (body.rod->copies.empty()) return;
    for (const auto& [a, b] : body.segments) {
      ends_[{origin(a), origin(b)}] = {a, b};
      ends_[{origin(b), origin(a)}] = {b, a};
    }
  }

  int origin(int vertex) const {
    const std::vector<int>& copies = body_.rod->copies;
    const std::size_t whole = body_.mesh.vertices.size() - copies.size();
    return at(vertex) < whole ? vertex : copies[at(vertex) - whole];
  }

  std::vector<std::array<int, 2>> whole_segments() const {
    std::vector<std::array<int, 2>> segments = body_.segments;
    for (auto& segment : segments) segment = {origin(segment[0]), origin(segment[1])};
    return segments;
  }

  bool empty() const { return ends_.empty(); }
  /// The ends of a segment of the whole rod.
  const std::pair<int, int>& ends(int a, int b) const { return ends_.at({a, b}); }

 private:
  const Body& body_;
  std::map<std::pair<int, int>, std::pair<int, int>> ends_;
};

/// Which segments follow each other at the vertices of a body: finds the order of strands.
class Strands {
 public:
  Strands(std::vector<std::array<int, 2>> segments, std::size_t num_vertices,
          const std::string& where)
      : segments_(std::move(segments)), neighbours_(num_vertices), is_done_(num_vertices, 0) {
    for (std::size_t s = 0; s < segments_.size(); ++s) {
      const auto [a, b] = segments_[s];
      for (const auto& [own, other] : {std::pair(a, b), std::pair(b, a)}) {
        std::vector<int>& list = neighbours_[at(own)];
        const std::string place = where + "/segments/" + std::to_string(s);
        require(list.size() < 2, place,
                "vertex " + std::to_string(own) + " has a third segment: a rod has no branches");
        require(std::find(list.begin(), list.end(), other) == list.end(), place,
                "is there twice: its vertices " + std::to_string(a) + " and " + std::to_string(b) +
                    " are joined already");
        list.push_back(other);
      }
    }
  }

  /// Calls visit(vertices) for each strand; a closed one ends with the vertex that it begins with.
  /// Open strands begin at the end that a segment names first.
  template <class Visit>
  void each(const Visit& visit) {
    for (const auto& segment : segments_) {
      for (const int end : segment) {
        if (is_done_[at(end)] == 0 && neighbours_[at(end)].size() == 1) visit(follow(end, -1));
      }
    }
    for (const auto& [a, b] : segments_) {
      if (is_done_[at(a)] == 0) visit(follow(a, b));
    }
  }

 private:
  /// The vertices from `first` on, going to `second` first if that is given.
  std::vector<int> follow(int first, int second) {
    std::vector<int> vertices{first};
    is_done_[at(first)] = 1;
    int last = first, next = second >= 0 ? second : neighbours_[at(first)].front();
    while (is_done_[at(next)] == 0) {
      vertices.push_back(next);
      is_done_[at(next)] = 1;
      const std::vector<int>& list = neighbours_[at(next)];
      if (list.size() == 1) return vertices;
      const int after = list[0] == last ? list[1] : list[0];
      last = next;
      next = after;
    }
    vertices.push_back(next);
    return vertices;
  }

  std::vector<std::array<int, 2>> segments_;
  std::vector<std::vector<int>> neighbours_;
  std::vector<char> is_done_;
};

/// Checks that each segment is held by a spring between its ends.
void check_springs(const Body& body, const std::string& where) {
  const auto key = [](int a, int b) { return std::pair(std::min(a, b), std::max(a, b)); };
  std::vector<std::pair<int, int>> held;
  for (const Spring& spring : body.springs) held.push_back(key(spring.a, spring.b));
  std::sort(held.begin(), held.end());
  for (std::size_t s = 0; s < body.segments.size(); ++s) {
    const auto [a, b] = body.segments[s];
    require(std::binary_search(held.begin(), held.end(), key(a, b)),
            where + "/segments/" + std::to_string(s),
            "has no spring that resists its stretch: expected those of make_springs");
  }
}

}  // namespace

double length_of(const Vector3<double>& v) { return std::sqrt(dot(v, v)); }

Vector3<double> unit_across(const Vector3<double>& t, const Vector3<double>& v) {
  const Vector3<double> across = v - dot(v, t) * t;
  return (1 / length_of(across)) * across;
}

Vector3<double> transported(const Vector3<double>& from, const Vector3<double>& to,
                            const Vector3<double>& v) {
  const double c = dot(from, to);
  // v - (v.to)/(1 + c) (from + to), for v across `from`.
  if (1 + c > 1e-12) return v - (dot(v, to) / (1 + c)) * (from + to);
  return v - dot(v, to) * to;
}

double angle_about(const Vector3<double>& t, const Vector3<double>& a, const Vector3<double>& b) {
  return std::atan2(dot(cross(a, b), t), dot(a, b));
}

void RodSet::add(const Body& body, const std::string& where, int first_vertex,
                 const std::vector<Vec3>& rest) {
  if (first_chain.empty()) first_chain.push_back(0);
  if (body.rod) {
    check(body, where);
    check_springs(body, where);
    const Copies copies(body);
    const std::vector<std::array<int, 2>> whole = copies.whole_segments();
    for (std::size_t s = 0; s < whole.size(); ++s) {
      const auto [a, b] = whole[s];
      require(length_of(way(body.mesh.vertices[at(a)], body.mesh.vertices[at(b)])) > 0,
              where + "/segments/" + std::to_string(s), "has no length");
    }
    Strands(whole, body.mesh.vertices.size(), where).each([&](std::vector<int> vertices) {
      for (int& vertex : vertices) vertex += first_vertex;
      add_chain(vertices, *body.rod, rest);
      if (copies.empty()) return;
      for (int s = 0; s < chains.back().num_segments; ++s) {
        Segment& own = segments[at(chains.back().first_segment + s)];
        const auto [a, b] = copies.ends(own.a - first_vertex, own.b - first_vertex);
        own.a = a + first_vertex;
        own.b = b + first_vertex;
      }
      part_last_chain();
    });
  }
  first_chain.push_back(static_cast<int>(chains.size()));
}

void RodSet::add_chain(const std::vector<int>& vertices, const RodSettings& settings,
                       const std::vector<Vec3>& rest) {
  const bool is_closed = vertices.front() == vertices.back();
  const int count = static_cast<int>(vertices.size()) - 1;
  const Chain chain{.first_segment = static_cast<int>(segments.size()),
                    .num_segments = count,
                    .first_joint = static_cast<int>(joints.size()),
                    .num_joints = is_closed ? count : count - 1};
  double length = 0;
  for (int s = 0; s < count; ++s) {
    const Vector3<double> edge = way(rest[at(vertices[at(s)])], rest[at(vertices[at(s + 1)])]);
    segments.push_back({vertices[at(s)], vertices[at(s + 1)], length_of(edge)});
    length += (is_closed || (s > 0 && s + 1 < count) ? 1 : 0.5) * length_of(edge);
  }
  // From the middle of the first segment to the middle of the last.
  const double twist_per_length = settings.rest_twist * std::numbers::pi / 180 / length;
  const auto length_of_joint = [&](const Joint& joint) {
    return 0.5 * (segments[at(joint.before)].length + segments[at(joint.after)].length);
  };
  const auto turn = [&](RodFrame& frame, const RodFrame& before, double angle) {
    const Vector3<double> d = transported(before.tangent, frame.tangent, before.director);
    frame.director =
        unit_across(frame.tangent, std::cos(angle) * d + std::sin(angle) * cross(frame.tangent, d));
  };
  for (int s = 0; s < count; ++s) {
    const Segment& segment = segments[at(chain.first_segment + s)];
    RodFrame frame{.tangent = (1 / segment.length) * way(rest[at(segment.a)], rest[at(segment.b)])};
    if (s == 0) {
      frame.director = any_across(frame.tangent);
    } else {
      // The ends of a closed strand meet, whatever twist it has at rest.
      const double own = 0.5 * (segment.length + segments[at(chain.first_segment + s - 1)].length);
      frame.twist = is_closed ? 0 : twist_per_length * own;
      turn(frame, rest_frames.back(), frame.twist);
    }
    rest_frames.push_back(frame);
  }
  for (int j = 0; j < chain.num_joints; ++j) {
    Joint joint{.before = chain.first_segment + j,
                .after = chain.first_segment + (j + 1) % count,
                .bending = 0,
                .twist = 0,
                .rest = {},
                .rest_twist = 0};
    const RodFrame& before = rest_frames[at(joint.before)];
    RodFrame& after = rest_frames[at(joint.after)];
    const double own = length_of_joint(joint);
    joint.bending = settings.bending / own;
    joint.twist = settings.twist / own;
    joint.rest[0] = joint.rest[1] = {{0, 0, 0}};
    if (settings.rest_shape == RodRestShape::mesh) {
      const Vector3<double> change = after.tangent - before.tangent;
      joint.rest[0] = parts_along(before, change);
      joint.rest[1] = parts_along(after, change);
    }
    if (is_closed) {
      after.twist =
          angle_about(after.tangent, transported(before.tangent, after.tangent, before.director),
                      after.director);
      joint.rest_twist = after.twist + twist_per_length * own;
    } else {
      joint.rest_twist = after.twist;
    }
    joints.push_back(joint);
  }
  chains.push_back(chain);
  frames = rest_frames;
  clamp.assign(segments.size(), -1);
}

/// Wherever consecutive segments do not share a vertex, ends one chain and begins another.
void RodSet::part_last_chain() {
  Chain whole = chains.back();
  const auto is_joined = [&](const Joint& joint) {
    return segments[at(joint.before)].b == segments[at(joint.after)].a;
  };
  const auto first_joint = joints.begin() + whole.first_joint;
  const auto gone = std::find_if_not(first_joint, joints.end(), is_joined);
  if (gone == joints.end()) return;
  if (whole.is_closed()) {
    const std::ptrdiff_t shift = gone - first_joint + 1;
    const auto begin_behind = [&](auto& list, int first) {
      std::rotate(list.begin() + first, list.begin() + first + shift, list.end());
    };
    begin_behind(segments, whole.first_segment);
    begin_behind(rest_frames, whole.first_segment);
    begin_behind(joints, whole.first_joint);
  }
  const std::vector<Joint> all(joints.begin() + whole.first_joint, joints.end());
  joints.resize(at(whole.first_joint));
  chains.back() = {whole.first_segment, 1, whole.first_joint, 0};
  rest_frames[at(whole.first_segment)].twist = 0;
  for (int s = 1; s < whole.num_segments; ++s) {
    const int own = whole.first_segment + s;
    Joint joint = all[at(s - 1)];
    joint.before = own - 1;
    joint.after = own;
    if (is_joined(joint)) {
      joints.push_back(joint);
      ++chains.back().num_segments;
      ++chains.back().num_joints;
    } else {
      rest_frames[at(own)].twist = 0;
      chains.push_back({own, 1, static_cast<int>(joints.size()), 0});
    }
  }
  frames = rest_frames;
}

void RodSet::index_vertices(int num_vertices) {
  edges.clear();
  bending_diagonal.clear();
  if (empty()) return;
  bending_diagonal.resize(at(num_vertices), 0.0);
  for (const Joint& joint : joints) {
    const Segment &before = segments[at(joint.before)], &after = segments[at(joint.after)];
    const std::int32_t vertex[3] = {before.a, before.b, after.b};
    const double weight[3] = {1 / before.length, -1 / before.length - 1 / after.length,
                              1 / after.length};
    for (int i = 0; i < 3; ++i) {
      bending_diagonal[at(vertex[i])] += joint.bending * weight[i] * weight[i];
      for (int j = 0; j < i; ++j) {
        edges.push_back({vertex[i], vertex[j], -joint.bending * weight[i] * weight[j]});
      }
    }
  }
}

void RodSet::find_clamps(const PinSet& pins) {
  if (empty()) return;
  std::vector<std::pair<int, int>> held;  // (vertex, pin of the scene)
  for (const PinnedVertex& pin : pins.pins) {
    if (pin.motion >= 0) held.emplace_back(pin.vertex, pins.clamps[at(pin.motion)]);
  }
  std::sort(held.begin(), held.end());
  for (std::size_t s = 0; s < segments.size(); ++s) {
    clamp[s] = -1;
    for (auto own = std::lower_bound(held.begin(), held.end(), std::pair(segments[s].a, -1));
         own != held.end() && own->first == segments[s].a && clamp[s] < 0; ++own) {
      if (std::binary_search(held.begin(), held.end(), std::pair(segments[s].b, own->second))) {
        clamp[s] = own->second;
      }
    }
  }
}

}  // namespace supple
