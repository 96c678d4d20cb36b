#include "model/element_layout.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "base/index.h"
#include "math/mat3.h"

namespace supple {

namespace {

/// Moves the lowest 21 bits of a number three places apart, so that two others can be interleaved.
std::uint64_t spread(std::uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffff;
  x = (x | x << 16) & 0x1f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  x = (x | x << 2) & 0x1249249249249249;
  return x;
}

/// Body of each tet.
std::vector<int> bodies_of_tets(const Model& model) {
  std::vector<int> bodies;
  bodies.reserve(model.tets.size());
  int body = 0;
  for (const auto& tet : model.tets) {
    while (tet[0] >= model.body_vertices[at(body) + 1]) ++body;
    bodies.push_back(body);
  }
  return bodies;
}

/// Place of each tet's centroid on the Morton curve through the box of its body's vertices.
std::vector<std::uint64_t> morton_codes(const Model& model, const std::vector<int>& body_of_tet) {
  std::vector<std::uint64_t> codes;
  codes.reserve(model.tets.size());
  int body = -1;
  Box box;
  double scale = 0;
  for (std::size_t t = 0; t < model.tets.size(); ++t) {
    if (body != body_of_tet[t]) {
      body = body_of_tet[t];
      const Vec3* const rest = model.rest.data();
      box = bounding_box(
          {rest + model.body_vertices[at(body)], rest + model.body_vertices[at(body) + 1]});
      double extent = 0;
      for (std::size_t k = 0; k < 3; ++k) extent = std::max(extent, box.max[k] - box.min[k]);
      scale = extent > 0 ? 2097151.0 / extent : 0;
    }
    std::uint64_t code = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      double center = 0;
      for (int vertex : model.tets[t]) center += 0.25 * model.rest[at(vertex)][k];
      const double cell = std::clamp((center - box.min[k]) * scale, 0.0, 2097151.0);
      code |= spread(static_cast<std::uint64_t>(cell)) << k;
    }
    codes.push_back(code);
  }
  return codes;
}

/// name: an entry of tet_of_lane.
void fill_lane(const Model& model, const ElementBlock& block, int name, int lane,
               ElementBatch& batch) {
  const bool is_empty = name < 0;
  const std::size_t t = at(is_empty ? ~name : name);
  const bool changes = !is_empty && model.ranges[at(block.range)].changes_rest;
  const std::array<Vec3, 4> gradient =
      changes ? model.elastic_gradients(t) : model.shape_gradients(t);
  for (std::size_t c = 0; c < 4; ++c) {
    batch.vertex[c][lane] = model.tets[t][c];
    batch.slot[c][lane] = model.slot_in(block, model.tets[t][c]);
    for (std::size_t k = 0; k < 3 && c > 0; ++k) {
      batch.inverse_rest[3 * (c - 1) + k][lane] = gradient[c][k];
    }
  }
  batch.volume[lane] = is_empty ? 0 : changes ? model.elastic_volume(t) : model.volume[t];
}

/// Cuts a range into blocks: the first batch of each and the end, [num_blocks + 1]. The blocks are
/// nearly equal in size, and an even number if there is more than one. With full blocks and a small
/// rest, a second thread would get less than its half.
std::vector<int> cuts_of(int num_batches) {
  int count = (num_batches + batches_per_block - 1) / batches_per_block;
  if (count > 1) count += count % 2;
  std::vector<int> cuts;
  for (int k = 0; k <= count; ++k) {
    cuts.push_back(static_cast<int>(std::int64_t{num_batches} * k / count));
  }
  return cuts;
}

/// Appends the batches of one range, whose elements are already in order. Within a block,
/// neighbouring tets are in the same lane of successive batches, not side by side. The eight tets
/// of a batch then share few vertices, and their forces do not wait for each other in the slots.
void append_range(std::span<const ElementSource* const> elements, ElementRange range,
                  const BodyFibers* fibers, const Model& model, ElementLayout& layout) {
  range.first_batch = static_cast<int>(layout.num_batches());
  const int count = static_cast<int>(elements.size());
  range.num_batches = (count + lanes - 1) / lanes;
  const auto parameters = static_cast<std::size_t>(range.num_parameters);
  const bool is_uniform = std::all_of(elements.begin(), elements.end(), [&](const auto* element) {
    return element->parameters == elements.front()->parameters;
  });
  range.parameter_stride = is_uniform ? 0 : lanes * range.num_parameters;
  range.parameters.resize((is_uniform ? 1 : at(range.num_batches)) * lanes * parameters);
  const auto num_fibers = static_cast<std::size_t>(range.num_fibers);
  range.fibers.resize(static_cast<std::size_t>(range.num_batches) * num_fibers * 4 * lanes);
  const std::vector<int> cuts = cuts_of(range.num_batches);
  std::size_t block = 0;
  for (int b = 0; b < range.num_batches; ++b) {
    if (b == cuts[block + 1]) ++block;
    const int block_start = cuts[block], block_batches = cuts[block + 1] - block_start;
    const auto base = static_cast<std::size_t>(b) * lanes;
    double* const parameter = range.parameters.data() + at(b) * at(range.parameter_stride);
    for (int lane = 0; lane < lanes; ++lane) {
      const int index = block_start * lanes + lane * block_batches + (b - block_start);
      const bool empty = index >= count;
      const ElementSource& source = *elements[static_cast<std::size_t>(std::min(index, count - 1))];
      layout.tet_of_lane.push_back(empty ? ~source.tet : source.tet);
      const auto l = static_cast<std::size_t>(lane);
      for (std::size_t p = 0; p < parameters; ++p) {
        parameter[p * lanes + l] = source.parameters[p];
      }
      for (std::size_t k = 0; k < num_fibers; ++k) {
        const std::vector<std::array<double, 4>>& family = fibers->families[k];
        const auto& fiber = family[family.size() == 1 ? 0 : at(source.tet - fibers->first_tet)];
        for (std::size_t p = 0; p < 4; ++p) {
          range.fibers[(base * num_fibers + k * lanes) * 4 + p * lanes + l] = fiber[p];
        }
      }
    }
  }
  if (!model.activation.empty()) range.resting_fibers = range.fibers;
  layout.ranges.push_back(std::move(range));
}

/// Cuts the ranges into blocks and numbers each block's vertices by slots.
void cut_blocks(const Model& model, ElementLayout& layout) {
  const auto num_vertices = static_cast<std::size_t>(model.num_vertices);
  std::vector<char> is_touched(num_vertices, 0);
  std::vector<int> touched;
  std::vector<int> vertex_of_slot;
  for (std::size_t r = 0; r < layout.ranges.size(); ++r) {
    const ElementRange& range = layout.ranges[r];
    const std::vector<int> cuts = cuts_of(range.num_batches);
    for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
      ElementBlock block;
      block.range = static_cast<int>(r);
      block.first_batch = range.first_batch + cuts[k];
      block.num_batches = cuts[k + 1] - cuts[k];
      block.first_slot = static_cast<int>(vertex_of_slot.size());
      touched.clear();
      for (int lane = block.first_batch * lanes;
           lane < (block.first_batch + block.num_batches) * lanes; ++lane) {
        const int name = layout.tet_of_lane[at(lane)];
        for (const int vertex : model.tets[at(name < 0 ? ~name : name)]) {
          if (is_touched[at(vertex)] != 0) continue;
          is_touched[at(vertex)] = 1;
          touched.push_back(vertex);
        }
      }
      block.num_slots = static_cast<int>(touched.size());
      for (int vertex : touched) {
        vertex_of_slot.push_back(vertex);
        is_touched[at(vertex)] = 0;
      }
      layout.blocks.push_back(block);
    }
  }
  layout.num_slots = static_cast<int>(vertex_of_slot.size());

  layout.slot_start.assign(num_vertices + 1, 0);
  for (int vertex : vertex_of_slot) ++layout.slot_start[static_cast<std::size_t>(vertex) + 1];
  std::partial_sum(layout.slot_start.begin(), layout.slot_start.end(), layout.slot_start.begin());
  layout.slot_list.resize(vertex_of_slot.size());
  std::vector<int> next(layout.slot_start.begin(), layout.slot_start.end() - 1);
  for (std::size_t slot = 0; slot < vertex_of_slot.size(); ++slot) {
    int& place = next[static_cast<std::size_t>(vertex_of_slot[slot])];
    layout.slot_list[static_cast<std::size_t>(place++)] = static_cast<int>(slot);
  }
}

}  // namespace

std::array<Vec3, 4> shape_gradients(const std::array<Vec3, 4>& corners) {
  Mat3<double> Dm;
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r) {
      Dm(r, c) = corners[static_cast<std::size_t>(c) + 1][static_cast<std::size_t>(r)] -
                 corners[0][static_cast<std::size_t>(r)];
    }
  }
  const Mat3<double> inverse_Dm = inverse(Dm);
  std::array<Vec3, 4> gradient{};
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t k = 0; k < 3; ++k) {
      const double g = inverse_Dm(static_cast<int>(a), static_cast<int>(k));
      gradient[a + 1][k] = g;
      gradient[0][k] -= g;
    }
  }
  return gradient;
}

TetNumbers::TetNumbers(std::vector<double> numbers) : size_(numbers.size()) {
  const bool is_uniform = std::all_of(numbers.begin(), numbers.end(),
                                      [&](double number) { return number == numbers.front(); });
  if (is_uniform && size_ > 0) numbers = std::vector<double>(1, numbers.front());
  stride_ = is_uniform ? 0 : 1;
  kept_ = std::make_shared<const std::vector<double>>(std::move(numbers));
}

std::vector<double> TetNumbers::all() const {
  return stride_ == 0 && size_ > 0 ? std::vector<double>(size_, kept_->front()) : *kept_;
}

bool TetNumbers::operator==(const TetNumbers& other) const {
  return size_ == other.size_ && (size_ == 0 || *kept_ == *other.kept_);
}

std::array<Vec3, 4> Model::shape_gradients(std::size_t tet) const {
  std::array<Vec3, 4> corners;
  for (std::size_t c = 0; c < 4; ++c) corners[c] = rest[at(tets[tet][c])];
  return supple::shape_gradients(corners);
}

std::array<Vec3, 4> Model::elastic_gradients(std::size_t tet, std::array<Vec3, 4> gradients) const {
  if (inverse_change.empty()) return gradients;
  const Mat3<double>& m = inverse_change[tet];
  for (Vec3& own : gradients) {
    const Vec3 b = own;
    for (int k = 0; k < 3; ++k) own[at(k)] = b[0] * m(0, k) + b[1] * m(1, k) + b[2] * m(2, k);
  }
  return gradients;
}

std::vector<std::array<Vec3, 4>> Model::all_shape_gradients() const {
  std::vector<std::array<Vec3, 4>> gradients;
  gradients.reserve(tets.size());
  for (std::size_t t = 0; t < tets.size(); ++t) gradients.push_back(shape_gradients(t));
  return gradients;
}

const std::vector<ElementBatch>& Model::batches() const {
  return derived_batches.get([this] { return make_batches(0, num_batches()); });
}

std::vector<ElementBatch> Model::make_batches(std::size_t first, std::size_t count) const {
  std::vector<ElementBatch> made(count);
  for (const ElementBlock& block : blocks) {
    const std::size_t begin = std::max(at(block.first_batch), first),
                      end = std::min(at(block.first_batch + block.num_batches), first + count);
    for (std::size_t b = begin; b < end; ++b) {
      for (int lane = 0; lane < lanes; ++lane) {
        fill_lane(*this, block, tet_of_lane[b * lanes + at(lane)], lane, made[b - first]);
      }
    }
  }
  return made;
}

ElementLayout lay_out_elements(const std::vector<ElementSource>& sources,
                               const std::vector<MaterialModel>& materials,
                               const std::vector<BodyFibers>& fibers, const Model& model) {
  ElementLayout layout;
  const std::vector<int> body_of_tet = bodies_of_tets(model);
  const std::vector<std::uint64_t> codes = morton_codes(model, body_of_tet);
  const auto place_of = [&](const ElementSource* element) {
    return std::tuple(body_of_tet[at(element->tet)], element->layer, element->model,
                      element->fibers, element->changes_rest);
  };
  std::vector<const ElementSource*> elements;
  elements.reserve(sources.size());
  for (const ElementSource& source : sources) elements.push_back(&source);
  std::sort(elements.begin(), elements.end(), [&](const auto* a, const auto* b) {
    return std::tuple(place_of(a), codes[at(a->tet)], a->tet) <
           std::tuple(place_of(b), codes[at(b->tet)], b->tet);
  });
  for (auto first = elements.begin(); first != elements.end();) {
    const ElementSource& source = **first;
    const auto last = std::find_if(first, elements.end(), [&](const ElementSource* other) {
      return place_of(other) != place_of(&source);
    });
    ElementRange range;
    range.material = materials[at(source.model)];
    range.body = body_of_tet[at(source.tet)];
    range.layer = source.layer;
    const BodyFibers* const of_body = source.fibers < 0 ? nullptr : &fibers[at(source.fibers)];
    if (of_body != nullptr) {
      range.num_fibers = static_cast<int>(of_body->families.size());
      range.first_fiber = of_body->first_fiber;
      for (const auto& curve : of_body->curves) range.curves.push_back(curve.get());
      range.curve_stiffness = of_body->curve_stiffness;
    }
    range.changes_rest = source.changes_rest;
    range.num_parameters =
        std::visit([](const auto& material) { return material.num_parameters; }, range.material);
    const std::span<const ElementSource* const> all = elements;
    append_range(all.subspan(at(first - elements.begin()), at(last - first)), std::move(range),
                 of_body, model, layout);
    first = last;
  }
  for (const BodyFibers& body : fibers) {
    for (const auto& curve : body.curves) {
      if (curve) layout.fiber_curves.push_back(curve);
    }
  }
  cut_blocks(model, layout);
  return layout;
}

bool same_places(const ElementLayout& a, const ElementLayout& b) {
  const auto same_range = [](const ElementRange& x, const ElementRange& y) {
    return x.body == y.body && x.layer == y.layer && x.num_fibers == y.num_fibers &&
           x.changes_rest == y.changes_rest && x.num_batches == y.num_batches;
  };
  return a.tet_of_lane == b.tet_of_lane &&
         std::equal(a.ranges.begin(), a.ranges.end(), b.ranges.begin(), b.ranges.end(), same_range);
}

}  // namespace supple
