#include <cstring>
#include <random>

#include "descent/contact_kernels.h"
#include "elements/corner_kernels.h"
#include "elements/hessian_kernels.h"
#include "materials/test_support.h"
#include "vectors/vector_kernels.h"

/// Compares every level of vectors with the first, bit for bit.
namespace supple {
namespace {

constexpr int num_vertices = 40;
constexpr int num_batches = 4;
constexpr std::size_t all_lanes = std::size_t{num_batches} * lanes;

std::vector<SimdLevel> wider_levels() {
  std::vector<SimdLevel> levels = usable_simd_levels();
  levels.erase(levels.begin());
  return levels;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}
template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

const CubicSpline curve = CubicSpline::monotone({{0.5, -3}, {1, 0}, {1.5, 1}, {2, 9}}, 1);
const CubicSpline* const curves[] = {nullptr, &curve};

/// Batches whose tets are stretched, squeezed flat and inverted. Vertices and slots recur in
/// several lanes and corners.
struct Elements {
  MaterialModel material;
  std::vector<ElementBatch> batches{num_batches};
  std::vector<FacePairBatch> packed{num_batches / 2};
  std::vector<int> vertex_of_slot;
  std::vector<StencilBatch> pairs{num_batches};
  std::vector<double> parameters, fibers;
  VectorField x{num_vertices};
  VectorField slots{num_vertices};
  PairWork around{};

  Elements(const MaterialModel& model, const std::vector<double>& example, unsigned seed)
      : material(model) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::uniform_int_distribution<int> any(0, num_vertices - 1);
    for (PaddedVector& p : x) {
      for (int k = 0; k < 3; ++k) p[k] = uniform(generator);
    }
    for (std::size_t b = 0; b < batches.size(); ++b) {
      ElementBatch& batch = batches[b];
      for (int lane = 0; lane < lanes; ++lane) {
        for (int corner = 0; corner < 4; ++corner) {
          batch.vertex[corner][lane] = any(generator);
          batch.slot[corner][lane] = any(generator);
        }
        for (int i = 0; i < 9; ++i) {
          batch.inverse_rest[i][lane] = (i % 4 == 0 ? 1 : 0) + 0.5 * uniform(generator);
        }
        FacePairBatch& pair = packed[b / 2];
        const auto side = b % 2;
        for (int i = 0; i < 3; ++i) {
          pair.face[i][lane] = 0.5 + 0.4 * uniform(generator);
          pair.apex[side][i][lane] = 0.5 + 0.4 * uniform(generator);
        }
        // The same vertex twice: a tet without volume.
        if (lane == 3) batch.vertex[2][lane] = batch.vertex[1][lane];
        batch.volume[lane] = lane == 7 ? 0 : 1 + uniform(generator);
        pair.volume[side][lane] = batch.volume[lane];
        for (int corner = 0; corner < 4; ++corner) {
          pair.slot[side == 0 || corner < 3 ? corner : 4][lane] = {
              static_cast<std::uint16_t>(4 * batch.vertex[corner][lane])};
        }
      }
      std::memcpy(pairs[b].vertex, batch.vertex, sizeof(batch.vertex));
      std::memcpy(pairs[b].inverse_rest, batch.inverse_rest, sizeof(batch.inverse_rest));
      std::memcpy(pairs[b].volume, batch.volume, sizeof(batch.volume));
      for (const double value : example) {
        for (int lane = 0; lane < lanes; ++lane) {
          parameters.push_back(value * (1 + 0.01 * uniform(generator)));
        }
      }
      // Two families, one of which has a curve.
      for (int i = 0; i < 8 * lanes; ++i) fibers.push_back(i / lanes % 4 < 3 ? 0.577 : 100.0);
    }
    for (int v = 0; v < num_vertices; ++v) vertex_of_slot.push_back((7 * v) % num_vertices);
    parameters.push_back(0);  // so that there is a place to point at
    for (auto& row : around.own) {
      for (double& value : row) value = uniform(generator);
    }
  }

  FiberBatches families(bool has_fiber) const {
    return has_fiber ? FiberBatches{fibers.data(), curves, 2} : FiberBatches{};
  }
  int parameter_stride() const { return static_cast<int>((parameters.size() - 1) / num_batches); }
  ElementWork work(bool has_fiber) {
    return {&material,         batches.data(),     num_batches,
            parameters.data(), parameter_stride(), families(has_fiber),
            x.data(),          slots.data(),       num_vertices};
  }
  /// Pairs of tets of the same kind in the form that the local step reads. Vertices are the slots.
  PackedWork packed_work(bool has_fiber) {
    return {.material = &material,
            .pairs = packed.data(),
            .num_pairs = num_batches / 2,
            .parameters = parameters.data(),
            .parameter_stride = parameter_stride(),
            .fibers = families(has_fiber),
            .x = x.data(),
            .vertex_of_slot = vertex_of_slot.data(),
            .slots = slots.data(),
            .num_slots = num_vertices};
  }
  PairWork pair_work(bool has_fiber) {
    PairWork work = around;
    work.material = &material;
    work.batches = pairs.data();
    work.num_batches = num_batches;
    work.parameters = parameters.data();
    work.parameter_stride = parameter_stride();
    work.fibers = families(has_fiber);
    work.x = x.data();
    return work;
  }
};

template <class Model>
class SimdLevels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (wider_levels().empty()) GTEST_SKIP() << "this processor or build has one level";
  }
  testing::Example<Model> example_;
  Elements elements_{example_.model, example_.parameters, 5};
};
TYPED_TEST_SUITE(SimdLevels, testing::AllModels, testing::ModelNames);

TYPED_TEST(SimdLevels, GiveTheSameBitsInEnergyForcesAndProjection) {
  const ElementKernels& first = element_kernels(SimdLevel::baseline);
  for (const bool has_fiber : {false, true}) {
    const ElementWork work = this->elements_.work(has_fiber);
    const PackedWork packed = this->elements_.packed_work(has_fiber);
    const BlockSums sums = first.energy_and_forces(packed);
    const double energy = sums.energy;
    const VectorField forces = this->elements_.slots;
    EXPECT_TRUE(std::isfinite(energy));
    EXPECT_NE(energy, 0);
    EXPECT_GT(sums.num_inverted, 0);
    first.project(work);
    const VectorField projected = this->elements_.slots;
    for (const SimdLevel level : wider_levels()) {
      const ElementKernels& kernels = element_kernels(level);
      const std::string name = simd_level_name(level);
      const BlockSums others = kernels.energy_and_forces(packed);
      EXPECT_TRUE(same_bits(others.energy, energy)) << name;
      EXPECT_EQ(others.num_inverted, sums.num_inverted) << name;
      EXPECT_TRUE(same_bits(this->elements_.slots, forces)) << name;
      kernels.project(work);
      EXPECT_TRUE(same_bits(this->elements_.slots, projected)) << name;
    }
  }
}

TYPED_TEST(SimdLevels, GiveTheSameBitsInSecondDerivatives) {
  constexpr int num_sums = num_vertices + static_cast<int>(all_lanes) * num_edges;
  std::vector<std::int32_t> edges(all_lanes * num_edges);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto place = static_cast<std::int32_t>(num_vertices + i);
    edges[i] = i % 3 == 0 ? ~place : place;
  }
  for (const bool has_fiber : {false, true}) {
    const ElementWork work = this->elements_.work(has_fiber);
    for (const auto mode : {NegativeEigenvalues::keep, NegativeEigenvalues::clamp}) {
      std::vector<double> sums(std::size_t{num_sums} * entries_per_sum), others = sums;
      HessianWork hessian{work.material,         work.batches, num_batches, work.parameters,
                          work.parameter_stride, work.fibers,  work.x,      mode,
                          edges.data(),          sums.data(),  num_sums};
      hessian_kernels(SimdLevel::baseline).add_elements(hessian);
      hessian.sums = others.data();
      for (const SimdLevel level : wider_levels()) {
        hessian_kernels(level).add_elements(hessian);
        EXPECT_TRUE(same_bits(others, sums)) << simd_level_name(level);
      }
    }
    corner_kernels(SimdLevel::baseline).hessian_diagonal(work);
    const VectorField diagonal = this->elements_.slots;
    for (const SimdLevel level : wider_levels()) {
      corner_kernels(level).hessian_diagonal(work);
      EXPECT_TRUE(same_bits(this->elements_.slots, diagonal)) << simd_level_name(level);
    }
  }
}

TYPED_TEST(SimdLevels, GiveTheSameBitsAroundAVertex) {
  const CornerKernels& first = corner_kernels(SimdLevel::baseline);
  for (const bool has_fiber : {false, true}) {
    const PairWork work = this->elements_.pair_work(has_fiber);
    PairSums sums{};
    first.add_pairs(work, sums);
    double energy[lanes] = {}, d[3][lanes], floor[lanes];
    first.add_energy(work, energy);
    for (double& value : floor) value = 1e-3;
    first.solve_absolute(sums.hessian, sums.gradient, floor, d);
    for (const SimdLevel level : wider_levels()) {
      const CornerKernels& kernels = corner_kernels(level);
      PairSums other_sums{};
      kernels.add_pairs(work, other_sums);
      EXPECT_TRUE(same_bits(other_sums, sums)) << simd_level_name(level);
      double other_energy[lanes] = {}, other_d[3][lanes];
      kernels.add_energy(work, other_energy);
      EXPECT_TRUE(same_bits(other_energy, energy)) << simd_level_name(level);
      kernels.solve_absolute(sums.hessian, sums.gradient, floor, other_d);
      EXPECT_TRUE(same_bits(other_d, d)) << simd_level_name(level);
    }
  }
}

TEST(SimdLevels, GiveTheSameBitsInDamping) {
  if (wider_levels().empty()) GTEST_SKIP() << "this processor or build has one level";
  Elements elements(NeoHookeanModel{}, {1, 1}, 6);
  const Elements before(NeoHookeanModel{}, {1, 1}, 7);
  const std::vector<double> viscosity(all_lanes, 2.0);
  const std::vector<std::int32_t> vertex(lanes, 1);
  const StepStart start{before.x.data(), 3};
  const auto results = [&](SimdLevel level) {
    std::vector<double> list;
    const auto keep = [&](const double* values, std::size_t count) {
      list.insert(list.end(), values, values + count);
    };
    const auto keep_slots = [&] { keep(elements.slots[0].v, 4 * elements.slots.size()); };
    for (PaddedVector& slot : elements.slots) slot = PaddedVector{};
    list.push_back(element_kernels(level).add_damping({.batches = elements.batches.data(),
                                                       .num_batches = num_batches,
                                                       .viscosity = viscosity.data(),
                                                       .start = start,
                                                       .x = elements.x.data(),
                                                       .slots = elements.slots.data()}));
    keep_slots();
    ElementWork work = elements.work(false);
    work.viscosity = viscosity.data();
    work.start = start;
    corner_kernels(level).hessian_diagonal(work);
    keep_slots();
    constexpr int num_sums = num_vertices + static_cast<int>(all_lanes) * num_edges;
    std::vector<std::int32_t> edges(all_lanes * num_edges);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      edges[i] = static_cast<std::int32_t>(num_vertices + i);
    }
    std::vector<double> sums(std::size_t{num_sums} * entries_per_sum);
    hessian_kernels(level).add_elements({.material = work.material,
                                         .batches = work.batches,
                                         .num_batches = num_batches,
                                         .parameters = work.parameters,
                                         .parameter_stride = work.parameter_stride,
                                         .fibers = nullptr,
                                         .x = work.x,
                                         .mode = NegativeEigenvalues::clamp,
                                         .edges = edges.data(),
                                         .sums = sums.data(),
                                         .num_sums = num_sums,
                                         .viscosity = viscosity.data(),
                                         .start = start});
    keep(sums.data(), sums.size());
    PairWork pairs = elements.pair_work(false);
    pairs.vertex = vertex.data();
    pairs.viscosity = viscosity.data();
    pairs.start = start;
    PairSums of_pairs{};
    corner_kernels(level).add_pairs(pairs, of_pairs);
    keep(&of_pairs.hessian[0][0], std::size_t{9} * lanes);
    keep(&of_pairs.gradient[0][0], std::size_t{3} * lanes);
    double energy[lanes] = {};
    corner_kernels(level).add_energy(pairs, energy);
    keep(energy, lanes);
    return list;
  };
  const std::vector<double> first = results(SimdLevel::baseline);
  for (const double value : first) ASSERT_TRUE(std::isfinite(value));
  for (const SimdLevel level : wider_levels()) {
    EXPECT_TRUE(same_bits(results(level), first)) << simd_level_name(level);
  }
}

TEST(SimdLevels, CountTheSameInvertedTetsAndDecomposeAlike) {
  if (wider_levels().empty()) GTEST_SKIP() << "this processor or build has one level";
  Elements elements(NeoHookeanModel{}, {1, 1}, 6);
  const auto* batches = elements.batches.data();
  const int inverted =
      element_kernels(SimdLevel::baseline).count_inverted(batches, num_batches, elements.x.data());
  EXPECT_GT(inverted, 0);
  LaneFrames frames{};
  corner_kernels(SimdLevel::baseline).decompose(batches[0].inverse_rest, frames);
  for (const SimdLevel level : wider_levels()) {
    EXPECT_EQ(element_kernels(level).count_inverted(batches, num_batches, elements.x.data()),
              inverted);
    LaneFrames others{};
    corner_kernels(level).decompose(batches[0].inverse_rest, others);
    EXPECT_TRUE(same_bits(others, frames)) << simd_level_name(level);
  }
}

/// The results of all passes over fields, of sizes that are and are not multiples of the widths.
std::vector<double> passes(const VectorKernels& kernels) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> results;
  for (const int vertices : {1, 2, 3, 4, 5, 67, 201}) {
    const int count = 4 * vertices;
    const auto size = static_cast<std::size_t>(count);
    std::vector<std::vector<double>> f(6, std::vector<double>(size));
    for (auto& field : f) {
      for (double& value : field) value = uniform(generator);
    }
    std::vector<double> a(size), b(size), ahead(size);
    const auto keep = [&](const std::vector<double>& values) {
      results.insert(results.end(), values.begin(), values.end());
    };
    results.push_back(kernels.dot(f[0].data(), f[1].data(), count));
    a = f[2];
    kernels.add(0.3, f[0].data(), count, a.data());
    keep(a);
    kernels.step(f[0].data(), -0.7, f[1].data(), count, a.data());
    keep(a);
    kernels.difference(f[0].data(), f[1].data(), count, a.data());
    keep(a);
    double sums[3];
    kernels.new_pair(f[0].data(), f[1].data(), f[2].data(), f[3].data(), count, a.data(), b.data(),
                     sums);
    keep(a), keep(b), results.insert(results.end(), sums, sums + 3);
    // Five of seven fields, in another order.
    std::vector<double> fields;
    for (int i = 0; i < 7; ++i) fields.insert(fields.end(), f[0].begin(), f[0].end());
    for (std::size_t i = 0; i < fields.size(); ++i) fields[i] += 0.01 * static_cast<double>(i % 13);
    const std::vector<float> floats(fields.begin(), fields.end());
    const int which[5] = {2, 6, 0, 5, 3};
    const double factor[5] = {0.3, -1.2, 0.7, 2.1, -0.4}, shift[4] = {0.1, 0.2, 0.3, 0};
    double five[5];
    const KeptFields<double> doubles_kept{fields.data(), size, which, 5};
    kernels.of_doubles.multiply(doubles_kept, f[2].data(), count, five);
    results.insert(results.end(), five, five + 5);
    a = f[5];
    kernels.of_doubles.combine(doubles_kept, factor, 0.8, shift, count,
                               {a.data(), b.data(), f[4].data(), ahead.data()});
    keep(a), keep(b), keep(ahead);
    kernels.of_doubles.multiply_change(doubles_kept, f[2].data(), f[3].data(), count, five);
    results.insert(results.end(), five, five + 5);
    const KeptFields<float> floats_kept{floats.data(), size, which, 5};
    kernels.of_floats.multiply_change(floats_kept, f[2].data(), f[3].data(), count, five);
    results.insert(results.end(), five, five + 5);
    kernels.of_floats.multiply(floats_kept, f[2].data(), count, five);
    results.insert(results.end(), five, five + 5);
    a = f[5];
    kernels.of_floats.combine(floats_kept, factor, 0.8, shift, count,
                              {a.data(), nullptr, nullptr, nullptr});
    keep(a);
    VectorField x(static_cast<std::size_t>(vertices));
    for (PaddedVector& p : x) {
      for (int k = 0; k < 4; ++k) p[k] = uniform(generator);
    }
    double four[4];
    for (const bool weighted : {false, true}) {
      kernels.sum(x.data(), weighted ? f[0].data() : nullptr, vertices, four);
      results.insert(results.end(), four, four + 4);
    }
    results.push_back(kernels.largest(x.data(), vertices));
    std::vector<float> rounded(size);
    kernels.round(x.data(), f[0].data(), vertices, rounded.data(), four);
    results.insert(results.end(), rounded.begin(), rounded.end());
    results.insert(results.end(), four, four + 4);
    kernels.subtract_weighted(x.data(), f[0].data(), four, vertices, a.data());
    keep(a);
    kernels.negate_shifted(four, vertices, x.data());
    for (const PaddedVector& p : x) results.insert(results.end(), p.v, p.v + 4);
  }
  return results;
}

TEST(VectorKernels, SumAndShiftVertices) {
  const VectorKernels& kernels = vector_kernels(simd_level_in_use());
  for (const int vertices : {1, 2, 5, 8, 11}) {
    VectorField x(static_cast<std::size_t>(vertices)), shifted(x.size());
    std::vector<double> weight;
    double plain[4] = {}, weighted[4] = {};
    for (int v = 0; v < vertices; ++v) {
      weight.push_back(1 + v % 3);
      for (int k = 0; k < 4; ++k) {
        const double value = x[static_cast<std::size_t>(v)][k] = 10 * v + k;  // sums are exact
        plain[k] += value;
        weighted[k] += weight.back() * value;
      }
    }
    double sums[4];
    kernels.sum(x.data(), nullptr, vertices, sums);
    for (int k = 0; k < 4; ++k) EXPECT_EQ(sums[k], plain[k]) << vertices;
    kernels.sum(x.data(), weight.data(), vertices, sums);
    for (int k = 0; k < 4; ++k) EXPECT_EQ(sums[k], weighted[k]) << vertices;
    const double by[4] = {1, -2, 3, 0.5};
    kernels.subtract_weighted(x.data(), weight.data(), by, vertices, shifted[0].v);
    VectorField negative = x;
    kernels.negate_shifted(by, vertices, negative.data());
    for (std::size_t v = 0; v < x.size(); ++v) {
      for (int k = 0; k < 4; ++k) {
        EXPECT_EQ(shifted[v][k], x[v][k] - weight[v] * by[k]);
        EXPECT_EQ(negative[v][k], -(x[v][k] + by[k]));
      }
    }
  }
}

TEST(SimdLevels, GiveTheSameBitsInPassesOverFields) {
  if (wider_levels().empty()) GTEST_SKIP() << "this processor or build has one level";
  const std::vector<double> expected = passes(vector_kernels(SimdLevel::baseline));
  for (const SimdLevel level : wider_levels()) {
    EXPECT_TRUE(same_bits(passes(vector_kernels(level)), expected)) << simd_level_name(level);
  }
}

TEST(SimdLevels, GiveTheSameBitsInLoopsOverContacts) {
  if (wider_levels().empty()) GTEST_SKIP() << "this processor or build has one level";
  constexpr int most = 75;
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::vector<double> directions, between;
  std::vector<float> x, y;
  std::vector<int> point;
  for (int i = 0; i < most; ++i) {
    x.push_back(static_cast<float>(normal(random)));
    y.push_back(static_cast<float>(normal(random)));
    between.push_back(normal(random));
    point.push_back((7 * i) % most);
    for (int k = 0; k < 3; ++k) directions.push_back(normal(random));
  }
  const double direction[3] = {0.2, -0.7, 0.4};
  const auto results = [&](SimdLevel level) {
    const ContactKernels& kernels = contact_kernels(level);
    std::vector<float> all;
    for (const int count : {1, 15, 16, 33, most}) {
      std::vector<float> row(static_cast<std::size_t>(count)), sum = y;
      kernels.fill_row(direction, directions.data(), between.data(), point.data(), count,
                       row.data());
      kernels.add(0.3F, x.data(), count, sum.data());
      all.insert(all.end(), row.begin(), row.end());
      all.insert(all.end(), sum.begin(), sum.end());
      all.push_back(kernels.dot(x.data(), y.data(), count));
    }
    return all;
  };
  const std::vector<float> expected = results(SimdLevel::baseline);
  for (const SimdLevel level : wider_levels()) {
    EXPECT_TRUE(same_bits(results(level), expected)) << simd_level_name(level);
  }
}

TEST(SimdLevels, GiveTheSameBitsInTheGradientOfTheObjective) {
  if (wider_levels().empty()) GTEST_SKIP() << "this processor or build has one level";
  Elements elements(NeoHookeanModel{}, {1, 1}, 8);
  element_kernels(SimdLevel::baseline).energy_and_forces(elements.packed_work(false));
  std::vector<double> mass(num_vertices, 0.3);
  std::vector<int> start{0}, list, springs{0}, incident;
  for (int v = 0; v < num_vertices; ++v) {
    for (int k = 0; k <= v % 4; ++k) list.push_back((7 * v + k) % num_vertices);
    for (int k = 0; k < v % 3; ++k) incident.push_back((5 * v + k) % (2 * num_vertices));
    start.push_back(static_cast<int>(list.size()));
    springs.push_back(static_cast<int>(incident.size()));
  }
  VectorField y = elements.x;
  for (PaddedVector& p : y) p[1] -= 0.1;
  const GradientWork work{
      mass.data(),      900,         {0, -9.81, 0},         elements.x.data(), y.data(),
      start.data(),     list.data(), elements.slots.data(), springs.data(),    incident.data(),
      elements.x.data()};
  const auto both = [&](SimdLevel level) {
    VectorField gradient(num_vertices);
    const VectorKernels& kernels = vector_kernels(level);
    const double energy = kernels.inertia(work, 0, num_vertices, gradient.data());
    gradient.push_back({{energy, kernels.inertia(work, 0, num_vertices, nullptr), 0, 0}});
    return gradient;
  };
  const VectorField expected = both(SimdLevel::baseline);
  for (const SimdLevel level : wider_levels()) {
    EXPECT_TRUE(same_bits(both(level), expected)) << simd_level_name(level);
  }
}

}  // namespace
}  // namespace supple
