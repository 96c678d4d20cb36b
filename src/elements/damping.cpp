#include "elements/damping.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/index.h"
#include "elements/element_energy.h"

namespace supple {

namespace {

/// Size of one piece of work for a thread: some 10 us.
constexpr int springs_a_piece = 512;
constexpr int triangles_a_piece = 64;

int chunks_of(int count, int size) { return (count + size - 1) / size; }

}  // namespace

SpringSet::Spring damper(const Model& model, const SpringSet::Spring& spring,
                         const StepStart& start) {
  const PaddedVector &a = start.x[spring.a], &b = start.x[spring.b];
  double square = 0;
  for (int k = 0; k < 3; ++k) square += (a[k] - b[k]) * (a[k] - b[k]);
  return {spring.a, spring.b, spring.stiffness * model.damping_of(spring.a, start.inverse_a),
          std::sqrt(square)};
}

SpringSet::Spring with_damper(const Model& model, const SpringSet::Spring& spring,
                              const StepStart& start) {
  const SpringSet::Spring own = damper(model, spring, start);
  const double stiffness = spring.stiffness + own.stiffness;
  return {spring.a, spring.b, stiffness,
          (spring.stiffness * spring.rest_length + own.stiffness * own.rest_length) / stiffness};
}

SheetDamping::SheetDamping(const Model& model, int lane, const StepStart& start)
    : damping_{1, Mat3<double>::zero()} {
  const MembraneBatch& batch = model.membranes.batches[supple::at(lane / sheet_lanes)];
  const int l = lane % sheet_lanes;
  for (int c = 0; c < 3; ++c) vertex_[c] = batch.vertex[c][l];
  const double rate = batch.volume[l] * model.damping_of(vertex_[0], start.inverse_a);
  for (int k = 0; k < 2; ++k) {
    const double root = std::sqrt(rate * batch.stiffness[k][l]);
    gradient_[1][k] = root * batch.inverse_rest[k][l];
    gradient_[2][k] = root * batch.inverse_rest[2 + k][l];
    gradient_[0][k] = -(gradient_[1][k] + gradient_[2][k]);
  }
  for (Vector3<double>& gradient : gradient_) gradient[2] = 0;
  damping_.before = at(corners_of(start.x));
}

SheetDamping::Corners SheetDamping::corners_of(const PaddedVector* x) const {
  return {{x[vertex_[0]].v, x[vertex_[1]].v, x[vertex_[2]].v}};
}

Mat3<double> SheetDamping::at(const Corners& corners) const {
  Mat3<double> F = Mat3<double>::zero();
  for (int r = 0; r < 3; ++r) {
    for (int a = 1; a < 3; ++a) {
      const double edge = corners.x[a][r] - corners.x[0][r];
      for (int c = 0; c < 2; ++c) F(r, c) += edge * gradient_[a][c];
    }
  }
  return F;
}

double SheetDamping::energy_and_forces(const double* const (&x)[3],
                                       Vector3<double> (&forces)[2]) const {
  Mat3<double> P;
  const double energy = damping_.energy_and_stress(at({{x[0], x[1], x[2]}}), P);
  for (int a = 0; a < 2; ++a) forces[a] = P * gradient_[a + 1];
  return energy;
}

double SheetDamping::energy_at_corner(const double* const (&x)[3], int corner, double* gradient,
                                      double* hessian) const {
  const Mat3<double> F = at({{x[0], x[1], x[2]}});
  if (gradient == nullptr) return damping_.energy_density(F);
  Mat3<double> P;
  const double energy = damping_.energy_and_stress(F, P);
  const Vector3<double> force = P * gradient_[corner];
  const Mat3<double> K = block(damping_.positive_hessian(F), corner, corner);
  for (int k = 0; k < 3; ++k) gradient[k] += force[k];
  for (int i = 0; i < 9; ++i) hessian[i] += K(i / 3, i % 3);
  return energy;
}

Damping::Damping(const Model& model)
    : model_(&model),
      kernels_(&element_kernels(simd_level_in_use())),
      blocks_(blocks_of_bodies(model)),
      springs_(cut_into_pieces(
          model.springs.first_of_bodies(model.body_vertices), [](int) { return springs_a_piece; },
          spring_chunks_)),
      block_energy_(model.blocks.size()),
      spring_energy_(spring_chunks_.size()),
      membrane_energy_(at(chunks_of(model.membranes.num_lanes(), triangles_a_piece))) {}

void Damping::elements_changed() {
  blocks_ = blocks_of_bodies(*model_);
  block_energy_.resize(model_->blocks.size());
}

double Damping::add(const VectorField& z, const StepStart& start, Threads& threads,
                    VectorField& slots, SpringEnergy& spring_energy, VectorField& membrane_slots) {
  return add_elements(z, start, threads, slots) + add_springs(z, start, threads, spring_energy) +
         add_membranes(z, start, threads, membrane_slots);
}

double Damping::add_elements(const VectorField& z, const StepStart& start, Threads& threads,
                             VectorField& slots) {
  const Model& model = *model_;
  blocks_.parallel_for(threads, [&](int b) {
    const ElementBlock& block = model.blocks[at(b)];
    const ElementRange& range = model.ranges[at(block.range)];
    const double* const viscosity = viscosity_of(range, at(block.first_batch - range.first_batch));
    block_energy_[at(b)] =
        viscosity == nullptr
            ? 0
            : kernels_->add_damping({.batches = &model.batches()[at(block.first_batch)],
                                     .num_batches = block.num_batches,
                                     .viscosity = viscosity,
                                     .start = start,
                                     .x = z.data(),
                                     .slots = slots.data() + block.first_slot});
  });
  return blocks_.sum(block_energy_);
}

double Damping::add_springs(const VectorField& z, const StepStart& start, Threads& threads,
                            SpringEnergy& energy) {
  const SpringSet& set = model_->springs;
  springs_.parallel_for(threads, [&](int chunk) {
    double sum = 0;
    for (int s = spring_chunks_[at(chunk)].first; s < spring_chunks_[at(chunk)].last; ++s) {
      const SpringSet::Spring damping = damper(*model_, set.springs[at(s)], start);
      double force[3];
      sum += energy_and_force(damping, set.rest_direction[at(s)], z[at(damping.a)].v,
                              z[at(damping.b)].v, force);
      for (int k = 0; k < 3; ++k) energy.force(at(s))[k] += force[k];
    }
    spring_energy_[at(chunk)] = sum;
  });
  return springs_.sum(spring_energy_);
}

double Damping::add_membranes(const VectorField& z, const StepStart& start, Threads& threads,
                              VectorField& slots) {
  const MembraneSet& set = model_->membranes;
  const int count = set.num_lanes();
  threads.parallel_for(chunks_of(count, triangles_a_piece), [&](int chunk) {
    double sum = 0;
    for (int lane = chunk * triangles_a_piece;
         lane < std::min((chunk + 1) * triangles_a_piece, count); ++lane) {
      if (!set.is_triangle(lane)) continue;
      const double* const x[3] = {z[at(set.vertex(lane, 0))].v, z[at(set.vertex(lane, 1))].v,
                                  z[at(set.vertex(lane, 2))].v};
      Vector3<double> forces[2];
      sum += SheetDamping(*model_, lane, start).energy_and_forces(x, forces);
      for (int a = 0; a < 2; ++a) {
        for (int k = 0; k < 3; ++k) slots[at(2 * lane + a)][k] += forces[a][k];
      }
    }
    membrane_energy_[at(chunk)] = sum;
  });
  return std::accumulate(membrane_energy_.begin(), membrane_energy_.end(), 0.0);
}

}  // namespace supple
