#include "elements/plastic_flow.h"

#include <algorithm>
#include <numeric>

#include "base/index.h"
#include "materials/plastic_flow.h"
#include "materials/visit.h"
#include "model/rest_changes.h"

namespace supple {

namespace {

/// Size of one piece of work for a thread.
constexpr int tets_a_piece = 256;
constexpr int batches_a_piece = 16;

/// gradients: Model::elastic_gradients.
Mat3<double> elastic_gradient(const Model& model, std::size_t tet,
                              const std::array<Vec3, 4>& gradients, const VectorField& x) {
  Mat3<double> F = Mat3<double>::zero();
  const PaddedVector& origin = x[at(model.tets[tet][0])];
  for (std::size_t c = 1; c < 4; ++c) {
    const PaddedVector& corner = x[at(model.tets[tet][c])];
    const Vec3& b = gradients[c];
    for (int i = 0; i < 9; ++i) F(i / 3, i % 3) += (corner[i / 3] - origin[i / 3]) * b[at(i % 3)];
  }
  return F;
}

/// Tets that may flow. Their decompositions are computed eight at a time.
struct Candidates {
  std::size_t tet[lanes] = {};
  int count = 0;
  alignas(64) double F[9][lanes];

  void add(std::size_t t, const Mat3<double>& F_e) {
    tet[count] = t;
    // Empty lanes repeat the first.
    for (int lane = count; lane < (count == 0 ? lanes : count + 1); ++lane) {
      for (int i = 0; i < 9; ++i) F[i][lane] = F_e(i / 3, i % 3);
    }
    ++count;
  }

  /// Calls work(tet, its decomposition) for each candidate and removes them all.
  template <class Work>
  void take(const Work& work) {
    if (count == 0) return;
    Mat3<Batch8> all;
    for (int i = 0; i < 9; ++i) all(i / 3, i % 3) = Batch8::load(F[i]);
    const Svd<Batch8> parts = svd(all);
    for (int lane = 0; lane < count; ++lane) {
      Svd<double> own;
      for (int i = 0; i < 9; ++i) {
        own.U(i / 3, i % 3) = parts.U(i / 3, i % 3)[lane];
        own.V(i / 3, i % 3) = parts.V(i / 3, i % 3)[lane];
      }
      for (int i = 0; i < 3; ++i) own.s[i] = parts.s[i][lane];
      work(tet[lane], own);
    }
    count = 0;
  }
};

}  // namespace

void PlasticFlow::make_room(const Model& model) {
  if (model.plasticity.empty()) return;
  elastic_.resize(model.tets.size());
  if (shape_gradient_.empty()) shape_gradient_ = model.all_shape_gradients();
  taken_.resize(model.num_batches());
  any_.resize((model.tets.size() + tets_a_piece - 1) / tets_a_piece);
}

bool PlasticFlow::find_flow(Model& model, const VectorField& x, double h,
                            std::vector<PlasticStrain>& plastic, Threads& threads) {
  threads.parallel_for(static_cast<int>(any_.size()), [&](int piece) {
    const std::size_t first = at(piece) * tets_a_piece,
                      last = std::min(first + tets_a_piece, model.tets.size());
    char any = 0;
    Candidates candidates;
    const auto flow_one = [&](std::size_t t, const Svd<double>& parts) {
      const PlasticitySettings& rule = model.plasticity[at(model.plasticity_of_tet[t])];
      elastic_[t].flows = flow(rule, parts, h, plastic[t]);
      if (!elastic_[t].flows) return;
      any = 1;
      change_rest(model, t, plastic[t].F);
      elastic_[t].after =
          elastic_gradient(model, t, model.elastic_gradients(t, shape_gradient_[t]), x);
    };
    for (std::size_t t = first; t < last; ++t) {
      Elastic& own = elastic_[t];
      own.flows = false;
      if (t >= model.plasticity_of_tet.size() || model.plasticity_of_tet[t] < 0) continue;
      own.before = elastic_gradient(model, t, model.elastic_gradients(t, shape_gradient_[t]), x);
      const PlasticitySettings& rule = model.plasticity[at(model.plasticity_of_tet[t])];
      if (detail::is_surely_elastic(own.before, elastic_limit(rule, plastic[t]))) continue;
      candidates.add(t, own.before);
      if (candidates.count == lanes) candidates.take(flow_one);
    }
    candidates.take(flow_one);
    any_[at(piece)] = any;
  });
  return std::find(any_.begin(), any_.end(), 1) != any_.end();
}

/// Writes the rest shapes of a batch. Returns the energy that its tets have lost, J.
double PlasticFlow::write_batch(Model& model, const ElementRange& range, int batch) const {
  double taken = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    const std::size_t place = at(range.first_batch + batch) * lanes + at(lane);
    if (model.tet_of_lane[place] < 0) continue;
    const std::size_t tet = at(model.tet_of_lane[place]);
    const Elastic& own = elastic_[tet];
    if (!own.flows) continue;
    write_lane(model, tet, place);
    double parameters[4] = {};
    for (int p = 0; p < range.num_parameters; ++p) {
      parameters[p] = range.parameter(at(batch * lanes + lane), p);
    }
    visit_model(range.material, [&](const auto& family) {
      const auto material = family.template at<double>(parameters);
      taken += model.elastic_volume(tet) *
               (material.energy_density(own.before) - material.energy_density(own.after));
    });
  }
  return taken;
}

std::optional<double> PlasticFlow::advance(Model& model, const VectorField& x, double h,
                                           std::vector<PlasticStrain>& plastic, Threads& threads) {
  if (model.plasticity.empty() || !find_flow(model, x, h, plastic, threads)) return std::nullopt;
  std::fill(taken_.begin(), taken_.end(), 0.0);
  for (const ElementRange& range : model.ranges) {
    if (!range.changes_rest) continue;
    threads.parallel_for(
        (range.num_batches + batches_a_piece - 1) / batches_a_piece, [&](int piece) {
          const int last = std::min((piece + 1) * batches_a_piece, range.num_batches);
          for (int b = piece * batches_a_piece; b < last; ++b) {
            taken_[at(range.first_batch + b)] = write_batch(model, range, b);
          }
        });
  }
  return std::accumulate(taken_.begin(), taken_.end(), 0.0);
}

}  // namespace supple
