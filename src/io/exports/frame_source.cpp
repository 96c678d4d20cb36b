#include "io/exports/frame_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/refuse.h"
#include "supple/error.h"

namespace supple {

namespace {

/// Single precision, which most formats use, ends at 3.4e38; differences must fit as well.
constexpr double largest_coordinate = 1e38;

template <std::size_t N>
void check_indices(const std::vector<std::array<int, N>>& elements, int num_vertices,
                   const std::string& where, const char* what) {
  for (std::size_t e = 0; e < elements.size(); ++e) {
    for (const int v : elements[e]) {
      if (v < 0 || v >= num_vertices) {
        refuse(where, fmt::format("{} {} has the vertex {}; expected 0 to {}", what, e, v,
                                  num_vertices - 1));
      }
    }
  }
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

/// Triangles of a cloth, or the surface faces of the tets.
std::vector<std::array<int, 3>> surface_of(const Body& body) {
  return body.triangles.empty() ? surface_triangles(body.mesh) : body.triangles;
}

/// The lines shown for a body without surface: its segments, or its springs.
std::vector<std::array<int, 2>> lines_of(const Body& body) {
  std::vector<std::array<int, 2>> lines;
  if (!body.triangles.empty() || !body.mesh.tets.empty()) return lines;
  lines = body.segments;
  for (std::size_t s = 0; s < body.springs.size() && body.segments.empty(); ++s) {
    lines.push_back({body.springs[s].a, body.springs[s].b});
  }
  return lines;
}

}  // namespace

FrameSource frame_source(const Scene& scene) {
  FrameSource source;
  source.frame_step = scene.time.step;
  source.colliders = scene.colliders;
  source.gravity = scene.gravity;
  for (const Body& body : scene.bodies) {
    const auto count = static_cast<int>(body.mesh.vertices.size());
    source.bodies.push_back(
        {body.name, source.num_vertices, count, surface_of(body), body.mesh.tets, lines_of(body)});
    for (const Vec3& x : body.mesh.vertices) {
      source.rest.insert(source.rest.end(), x.begin(), x.end());
    }
    source.num_vertices += count;
  }
  return source;
}

void check(const FrameSource& source) {
  const std::string where = "export";
  if (source.num_frames < 1) refuse(where, "there are no frames");
  if (!(source.frame_step > 0) || !std::isfinite(source.frame_step)) {
    refuse(where, fmt::format("{} s between frames; expected more than 0", source.frame_step));
  }
  if (!source.read) refuse(where, "there is no way to read frames");
  if (source.num_vertices < 0) refuse(where, "fewer than no vertices");
  if (!source.rest.empty() &&
      source.rest.size() != 3 * static_cast<std::size_t>(source.num_vertices)) {
    refuse(where, fmt::format("{} rest coordinates for {} vertices", source.rest.size(),
                              source.num_vertices));
  }
  for (std::size_t b = 0; b < source.bodies.size(); ++b) {
    const FrameBody& body = source.bodies[b];
    const std::string body_where = fmt::format("export: body {}", b);
    if (body.first_vertex < 0 || body.num_vertices < 0 ||
        body.num_vertices > source.num_vertices - body.first_vertex) {
      refuse(body_where, fmt::format("{} vertices from {} on; there are {}", body.num_vertices,
                                     body.first_vertex, source.num_vertices));
    }
    check_indices(body.triangles, body.num_vertices, body_where, "triangle");
    check_indices(body.tets, body.num_vertices, body_where, "tet");
    check_indices(body.segments, body.num_vertices, body_where, "segment");
  }
}

FrameReader::FrameReader(const FrameSource& source)
    : source_(source), positions_(3 * static_cast<std::size_t>(source.num_vertices)) {}

std::span<const double> FrameReader::read(int frame) {
  source_.read(frame, positions_);
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    if (!(std::abs(positions_[i]) <= largest_coordinate)) {
      throw Error(ErrorKind::bad_file, fmt::format("frame {}", frame),
                  fmt::format("vertex {} has the coordinate {}; expected at most {} in magnitude",
                              i / 3, positions_[i], largest_coordinate));
    }
  }
  return positions_;
}

std::span<const double> FrameReader::rest() {
  if (source_.rest.empty()) return read(0);
  return source_.rest;
}

std::vector<BodySurface> body_surfaces(const FrameSource& source, std::string_view kind) {
  std::vector<std::string> names;
  for (const FrameBody& body : source.bodies) names.push_back(body.name);
  const std::vector<std::string> ids = identifiers(names);
  std::vector<BodySurface> surfaces;
  for (std::size_t b = 0; b < source.bodies.size(); ++b) {
    const FrameBody& body = source.bodies[b];
    BodySurface surface{body.name, ids[b], static_cast<int>(b), {}, body.triangles, {}};
    if (body.triangles.empty()) surface.segments = body.segments;
    std::vector<int> place(static_cast<std::size_t>(body.num_vertices), -1);
    const auto mark = [&](const auto& elements) {
      for (const auto& element : elements) {
        for (const int v : element) place[static_cast<std::size_t>(v)] = 0;
      }
    };
    mark(surface.triangles);
    mark(surface.segments);
    for (int v = 0; v < body.num_vertices; ++v) {
      int& p = place[static_cast<std::size_t>(v)];
      if (p < 0) continue;
      p = static_cast<int>(surface.vertices.size());
      surface.vertices.push_back(body.first_vertex + v);
    }
    if (surface.vertices.empty()) continue;
    const auto renumber = [&](auto& elements) {
      for (auto& element : elements) {
        for (int& v : element) v = place[static_cast<std::size_t>(v)];
      }
    };
    renumber(surface.triangles);
    renumber(surface.segments);
    surfaces.push_back(std::move(surface));
  }
  if (surfaces.empty()) refuse("export: " + std::string(kind), "no body has a surface or lines");
  return surfaces;
}

std::vector<std::string> identifiers(const std::vector<std::string>& names) {
  constexpr std::size_t longest = 100;  // file names have a limit of 255 bytes
  std::set<std::string> taken;
  std::vector<std::string> result;
  for (const std::string& name : names) {
    std::string id;
    for (const char c : name.substr(0, longest)) id += is_letter(c) || is_digit(c) ? c : '_';
    if (id.empty()) id = "body";
    if (is_digit(id.front())) id.insert(id.begin(), '_');
    std::string candidate = id;
    for (int n = 2; !taken.insert(lower_case(candidate)).second; ++n) {
      candidate = fmt::format("{}_{}", id, n);
    }
    result.push_back(candidate);
  }
  return result;
}

bool elements_change(const Scene& scene) {
  return std::any_of(scene.bodies.begin(), scene.bodies.end(), [](const Body& body) {
    const auto flows = [](const auto& part) { return part.material.plasticity.has_value(); };
    return flows(body) || std::any_of(body.regions.begin(), body.regions.end(), flows) ||
           !body.growth.empty() ||
           std::any_of(body.fibers.begin(), body.fibers.end(), [](const FiberSettings& fiber) {
             return !fiber.activation.keyframes.empty();
           });
  });
}

}  // namespace supple
