#include "io/meshes/line_assembly.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "base/index.h"
#include "supple/error.h"

namespace supple {

namespace {

/// Springs from each vertex to the next but one, in the order of the vertices between them.
std::vector<std::array<int, 2>> bending_of(const SpringMesh& mesh) {
  struct Ends {
    int count = 0;
    int other[2] = {};
  };
  std::vector<Ends> ends(mesh.vertices.size());
  for (const auto& [a, b] : mesh.segments) {
    for (const auto& [own, other] : {std::pair(a, b), std::pair(b, a)}) {
      Ends& list = ends[at(own)];
      if (list.count < 2) list.other[list.count] = other;
      ++list.count;
    }
  }
  std::vector<std::array<int, 2>> bending;
  for (const Ends& list : ends) {
    if (list.count == 2) bending.push_back({list.other[0], list.other[1]});
  }
  // In a loop of three these springs are the sides, and in a loop of four each occurs twice.
  std::vector<std::array<int, 2>> known = mesh.segments;
  const auto sorted = [](std::array<int, 2> pair) {
    if (pair[0] > pair[1]) std::swap(pair[0], pair[1]);
    return pair;
  };
  for (auto& pair : known) pair = sorted(pair);
  std::sort(known.begin(), known.end());
  std::vector<std::array<int, 2>> all;
  for (const auto& pair : bending) all.push_back(sorted(pair));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  bending.clear();
  std::set_difference(all.begin(), all.end(), known.begin(), known.end(),
                      std::back_inserter(bending));
  return bending;
}

}  // namespace

SpringMesh LineAssembly::finish(const Source& source) {
  if (vertices.size() > at(std::numeric_limits<int>::max())) {
    source.fail("the strands have more vertices than can be numbered");
  }
  if (segments_.size() > max_generated_springs / 2) {
    source.fail("there are " + std::to_string(segments_.size()) + " segments: expected at most " +
                std::to_string(max_generated_springs / 2));
  }
  SpringMesh mesh;
  mesh.vertices = std::move(vertices);
  const auto num_vertices = static_cast<std::int64_t>(mesh.vertices.size());
  std::vector<std::pair<std::array<int, 2>, std::size_t>> known;
  for (const Segment& segment : segments_) {
    std::array<int, 2> ends{};
    const std::int64_t named[2] = {segment.a, segment.b};
    for (std::size_t e = 0; e < 2; ++e) {
      // Compared before the subtraction, because the number is whatever the file says.
      if (named[e] < first_vertex_ || named[e] - first_vertex_ >= num_vertices) {
        source.fail(segment.offset,
                    "a line names vertex " + std::to_string(named[e]) +
                        (num_vertices == 0
                             ? ", but there are no vertices"
                             : ": vertices are numbered " + std::to_string(first_vertex_) + " to " +
                                   std::to_string(first_vertex_ + num_vertices - 1)));
      }
      ends[e] = static_cast<int>(named[e] - first_vertex_);
    }
    const std::string both = std::to_string(segment.a) + " and " + std::to_string(segment.b);
    if (mesh.vertices[at(ends[0])] == mesh.vertices[at(ends[1])]) {
      source.fail(segment.offset, "a segment between vertices " + both + " has no length");
    }
    mesh.segments.push_back(ends);
    if (ends[0] > ends[1]) std::swap(ends[0], ends[1]);
    known.emplace_back(ends, segment.offset);
  }
  std::sort(known.begin(), known.end());
  const auto twice = std::adjacent_find(
      known.begin(), known.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice != known.end()) {
    source.fail(std::next(twice)->second,
                "the segment between vertices " + std::to_string(twice->first[0] + first_vertex_) +
                    " and " + std::to_string(twice->first[1] + first_vertex_) +
                    " is there already");
  }
  mesh.structural = mesh.segments;
  mesh.bending = bending_of(mesh);
  return mesh;
}

SpringMesh with_segments(SpringMesh strands, const std::string& name) {
  if (strands.segments.empty()) {
    throw Error(ErrorKind::bad_file, name, "there are no lines: expected at least one");
  }
  return strands;
}

}  // namespace supple
