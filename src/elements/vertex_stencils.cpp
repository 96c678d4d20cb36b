#include "elements/vertex_stencils.h"

#include <algorithm>
#include <numeric>

namespace supple {

namespace {

/// The place of an element in the model, and one of its corners.
struct Corner {
  int batch;
  int lane;
  int corner;
};

/// The corners of one range at each vertex, in the order of the batches.
struct Incidence {
  std::vector<int> start;  ///< [num_vertices + 1]
  std::vector<Corner> corners;

  int count(int vertex) const {
    const auto v = static_cast<std::size_t>(vertex);
    return start[v + 1] - start[v];
  }
  const Corner& at(int vertex, int i) const {
    return corners[static_cast<std::size_t>(start[static_cast<std::size_t>(vertex)] + i)];
  }
};

Incidence incidence_of(const Model& model, const ElementRange& range) {
  Incidence incidence;
  incidence.start.assign(static_cast<std::size_t>(model.num_vertices) + 1, 0);
  const auto visit = [&](const auto& work) {
    for (int b = range.first_batch; b < range.first_batch + range.num_batches; ++b) {
      const ElementBatch& batch = model.batches()[static_cast<std::size_t>(b)];
      for (int lane = 0; lane < lanes; ++lane) {
        const std::size_t place =
            static_cast<std::size_t>(b) * lanes + static_cast<std::size_t>(lane);
        if (model.tet_of_lane[place] < 0) continue;
        for (int c = 0; c < 4; ++c) work(batch.vertex[c][lane], Corner{b, lane, c});
      }
    }
  };
  visit(
      [&](int vertex, const Corner&) { ++incidence.start[static_cast<std::size_t>(vertex) + 1]; });
  std::partial_sum(incidence.start.begin(), incidence.start.end(), incidence.start.begin());
  incidence.corners.resize(static_cast<std::size_t>(incidence.start.back()));
  std::vector<int> next(incidence.start.begin(), incidence.start.end() - 1);
  visit([&](int vertex, const Corner& corner) {
    int& place = next[static_cast<std::size_t>(vertex)];
    incidence.corners[static_cast<std::size_t>(place++)] = corner;
  });
  return incidence;
}

/// Writes the rest shape of a pair.
void fill_shape(const Model& model, const Corner& from, int lane, bool empty, StencilBatch& batch) {
  const ElementBatch& source = model.batches()[static_cast<std::size_t>(from.batch)];
  double gradient[4][3];
  for (int k = 0; k < 3; ++k) {
    gradient[0][k] = 0;
    for (int a = 1; a < 4; ++a) {
      gradient[a][k] = source.inverse_rest[3 * (a - 1) + k][from.lane];
      gradient[0][k] -= gradient[a][k];
    }
  }
  // F = sum_a x_a (x) grad N_a does not depend on the order of the corners.
  for (int i = 0; i < 4; ++i) {
    const int a = (from.corner + i) % 4;
    batch.vertex[i][lane] = source.vertex[a][from.lane];
    for (int k = 0; k < 3 && i > 0; ++k) {
      batch.inverse_rest[3 * (i - 1) + k][lane] = gradient[a][k];
    }
  }
  batch.volume[lane] = empty ? 0 : source.volume[from.lane];
}

/// Writes a pair into the last batch of `pairs`.
void fill_lane(const Model& model, const ElementRange& range, const Corner& from, int lane,
               bool empty, StencilRange& pairs) {
  fill_shape(model, from, lane, empty, pairs.batches.back());
  pairs.source.push_back((from.batch - range.first_batch) * lanes + from.lane);
}

/// Copies `count` numbers of each pair from those of its element.
void copy_values(const StencilRange& pairs, const std::vector<double>& values, std::size_t count,
                 std::vector<double>& out) {
  out.resize(pairs.source.size() * count);
  for (std::size_t i = 0; i < pairs.source.size() && count > 0; ++i) {
    const auto from = static_cast<std::size_t>(pairs.source[i]);
    const double* in = &values[from / lanes * count * lanes + from % lanes];
    double* to = &out[i / lanes * count * lanes + i % lanes];
    for (std::size_t p = 0; p < count; ++p) to[p * lanes] = in[p * lanes];
  }
}

/// Appends the pairs of a group in one range, if it has any there.
void append_segment(const Model& model, int r, const Incidence& incidence, VertexGroup& group,
                    VertexStencils& out) {
  int richest = 0;
  for (int lane = 1; lane < lanes; ++lane) {
    if (incidence.count(group.vertex[lane]) > incidence.count(group.vertex[richest])) {
      richest = lane;
    }
  }
  const int most = incidence.count(group.vertex[richest]);
  if (most == 0) return;
  const ElementRange& range = model.ranges[static_cast<std::size_t>(r)];
  StencilRange& pairs = out.ranges[static_cast<std::size_t>(r)];
  out.segments.push_back({r, static_cast<int>(pairs.batches.size()), most});
  ++group.num_segments;
  for (int i = 0; i < most; ++i) {
    pairs.batches.emplace_back();
    for (int lane = 0; lane < lanes; ++lane) {
      const bool empty = lane >= group.num_vertices || i >= incidence.count(group.vertex[lane]);
      const int vertex = group.vertex[empty ? richest : lane];
      fill_lane(model, range, incidence.at(vertex, i), lane, empty, pairs);
    }
  }
}

}  // namespace

VertexStencils::VertexStencils(const Model& model, const Colouring& colouring)
    : ranges(model.ranges.size()) {
  std::vector<Incidence> incidence;
  incidence.reserve(model.ranges.size());
  for (const ElementRange& range : model.ranges) incidence.push_back(incidence_of(model, range));
  const auto richer = [&](int a, int b) {
    for (const Incidence& of_range : incidence) {
      if (of_range.count(a) != of_range.count(b)) return of_range.count(a) > of_range.count(b);
    }
    return false;
  };
  std::vector<int> vertices;
  colour_start.push_back(0);
  for (int c = 0; c < colouring.num_colours(); ++c) {
    const auto i = static_cast<std::size_t>(c);
    vertices.assign(colouring.vertices.begin() + colouring.start[i],
                    colouring.vertices.begin() + colouring.start[i + 1]);
    std::stable_sort(vertices.begin(), vertices.end(), richer);
    for (std::size_t first = 0; first < vertices.size(); first += lanes) {
      VertexGroup group;
      group.num_vertices = static_cast<int>(std::min<std::size_t>(lanes, vertices.size() - first));
      for (int lane = 0; lane < lanes; ++lane) {
        const int place = lane < group.num_vertices ? lane : 0;
        group.vertex[lane] = vertices[first + static_cast<std::size_t>(place)];
      }
      group.first_segment = static_cast<int>(segments.size());
      for (std::size_t r = 0; r < ranges.size(); ++r) {
        append_segment(model, static_cast<int>(r), incidence[r], group, *this);
      }
      groups.push_back(group);
    }
    colour_start.push_back(static_cast<int>(groups.size()));
  }
  copy_materials(model);
}

void VertexStencils::copy_materials(const Model& model) {
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    const ElementRange& range = model.ranges[r];
    if (range.parameter_stride == 0) {
      ranges[r].parameters = range.parameters;
    } else {
      copy_values(ranges[r], range.parameters, static_cast<std::size_t>(range.num_parameters),
                  ranges[r].parameters);
    }
    copy_values(ranges[r], range.fibers, static_cast<std::size_t>(range.num_fibers) * 4,
                ranges[r].fibers);
    if (!range.viscosity.empty()) copy_values(ranges[r], range.viscosity, 1, ranges[r].viscosity);
  }
}

void VertexStencils::copy_rest_shapes(const Model& model) {
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    const ElementRange& range = model.ranges[r];
    if (!range.changes_rest) continue;
    for (std::size_t i = 0; i < ranges[r].source.size(); ++i) {
      const int lane = static_cast<int>(i % lanes);
      StencilBatch& pair = ranges[r].batches[i / lanes];
      Corner from{range.first_batch + ranges[r].source[i] / lanes, ranges[r].source[i] % lanes, 0};
      const ElementBatch& source = model.batches()[static_cast<std::size_t>(from.batch)];
      while (source.vertex[from.corner][from.lane] != pair.vertex[0][lane]) ++from.corner;
      fill_shape(model, from, lane, pair.volume[lane] == 0, pair);
    }
  }
}

}  // namespace supple
