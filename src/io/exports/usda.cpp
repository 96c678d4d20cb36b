#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "io/exports/atomic_file.h"
#include "io/exports/formats.h"
#include "render/colour.h"

namespace supple {

namespace {

using Text = fmt::memory_buffer;

template <class... Args>
void print(Text& text, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
}

void flush(Text& text, AtomicFile& file) {
  file.write(std::string_view(text.data(), text.size()));
  text.clear();
}

void print_header(Text& text, const FrameSource& source) {
  const Vec3& g = source.gravity;
  const bool z_up = g[2] * g[2] > g[0] * g[0] + g[1] * g[1];
  print(text,
        "#usda 1.0\n"
        "(\n"
        "    defaultPrim = \"supple\"\n"
        "    doc = \"Motion of elastic bodies, in metres and seconds.\"\n"
        "    endTimeCode = {}\n"
        "    framesPerSecond = {}\n"
        "    metersPerUnit = 1\n"
        "    startTimeCode = 0\n"
        "    timeCodesPerSecond = {}\n"
        "    upAxis = \"{}\"\n"
        ")\n\n"
        "def Xform \"supple\"\n"
        "{{\n",
        source.num_frames - 1, 1 / source.frame_step, 1 / source.frame_step, z_up ? "Z" : "Y");
}

void print_colour(Text& text, const BodySurface& surface) {
  const Colour c = body_colour(surface.body);
  print(text,
        "        color3f[] primvars:displayColor = [({}, {}, {})] (\n"
        "            interpolation = \"constant\"\n"
        "        )\n",
        static_cast<float>(c.r), static_cast<float>(c.g), static_cast<float>(c.b));
}

/// Prints lines of two points each, with a width that suits their length.
void print_curves(Text& text, const BodySurface& surface, std::span<const double> rest) {
  double mean = 0;
  for (std::size_t i = 0; i < surface.vertices.size(); i += 2) {
    const double* a = &rest[3 * static_cast<std::size_t>(surface.vertices[i])];
    const double* b = &rest[3 * static_cast<std::size_t>(surface.vertices[i + 1])];
    mean += std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  }
  const std::size_t num_lines = surface.vertices.size() / 2;
  mean /= static_cast<double>(num_lines);
  print(text, "    def BasisCurves \"{}\"\n    {{\n", surface.identifier);
  print_colour(text, surface);
  print(text,
        "        uniform token type = \"linear\"\n"
        "        float[] widths = [{}] (\n"
        "            interpolation = \"constant\"\n"
        "        )\n"
        "        int[] curveVertexCounts = [",
        static_cast<float>(0.2 * mean));
  for (std::size_t i = 0; i < surface.vertices.size(); i += 2) {
    print(text, "{}2", i > 0 ? ", " : "");
  }
  print(text, "]\n");
}

/// A curve has no indices, so each segment gets its own points.
void split_segments(BodySurface& surface) {
  if (!surface.triangles.empty()) return;
  std::vector<int> ends;
  for (const auto& segment : surface.segments) {
    for (const int v : segment) ends.push_back(surface.vertices[static_cast<std::size_t>(v)]);
  }
  surface.vertices = std::move(ends);
}

void print_topology(Text& text, const BodySurface& surface) {
  print(text,
        "    def Mesh \"{}\"\n"
        "    {{\n"
        "        uniform bool doubleSided = 1\n"
        "        uniform token orientation = \"rightHanded\"\n"
        "        uniform token subdivisionScheme = \"none\"\n",
        surface.identifier);
  print_colour(text, surface);
  print(text, "        int[] faceVertexCounts = [");
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) print(text, "{}3", t > 0 ? ", " : "");
  print(text, "]\n        int[] faceVertexIndices = [");
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const auto& v = surface.triangles[t];
    print(text, "{}{}, {}, {}", t > 0 ? ", " : "", v[0], v[1], v[2]);
  }
  print(text, "]\n");
}

using Float3 = std::array<float, 3>;

/// Prints the points of a frame and returns the corners of their box.
std::array<Float3, 2> print_points(Text& text, const BodySurface& surface,
                                   std::span<const double> positions) {
  constexpr float most = std::numeric_limits<float>::max();
  std::array<Float3, 2> extent{{{most, most, most}, {-most, -most, -most}}};
  for (std::size_t i = 0; i < surface.vertices.size(); ++i) {
    const double* x = &positions[3 * static_cast<std::size_t>(surface.vertices[i])];
    Float3 p{};
    for (std::size_t d = 0; d < 3; ++d) {
      p[d] = static_cast<float>(x[d]);
      extent[0][d] = std::min(extent[0][d], p[d]);
      extent[1][d] = std::max(extent[1][d], p[d]);
    }
    print(text, "{}({}, {}, {})", i > 0 ? ", " : "", p[0], p[1], p[2]);
  }
  return extent;
}

}  // namespace

void export_usda(const FrameSource& source, const std::filesystem::path& folder) {
  auto surfaces = body_surfaces(source, "usda");
  for (BodySurface& surface : surfaces) split_segments(surface);
  AtomicFile file(folder / "animation.usda");
  FrameReader reader(source);
  Text text;
  print_header(text, source);
  for (const BodySurface& surface : surfaces) {
    if (&surface != &surfaces.front()) print(text, "\n");
    if (surface.triangles.empty()) {
      print_curves(text, surface, reader.rest());
    } else {
      print_topology(text, surface);
    }
    print(text, "        point3f[] points.timeSamples = {{\n");
    std::vector<std::array<Float3, 2>> extents;
    for (int frame = 0; frame < source.num_frames; ++frame) {
      print(text, "            {}: [", frame);
      extents.push_back(print_points(text, surface, reader.read(frame)));
      print(text, "],\n");
      flush(text, file);
    }
    print(text, "        }}\n        float3[] extent.timeSamples = {{\n");
    for (std::size_t frame = 0; frame < extents.size(); ++frame) {
      const auto& [low, high] = extents[frame];
      print(text, "            {}: [({}, {}, {}), ({}, {}, {})],\n", frame, low[0], low[1], low[2],
            high[0], high[1], high[2]);
    }
    print(text, "        }}\n    }}\n");
  }
  print(text, "}}\n");
  flush(text, file);
  file.commit();
}

}  // namespace supple
