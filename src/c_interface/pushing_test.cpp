#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "io/scene/scene_json.h"
#include "supple/simulation.h"
#include "supple/supple_c.h"

/// Queries, forces and settings from C: each gives the same results as the library.
namespace {

const std::string block = R"({"supple": 1, "time": {"step": 0.02}, "gravity": [0, -9.81, 0],
  "bodies": [{"mesh": {"box": {"size": [2, 1, 1], "cells": [4, 2, 2]}},
              "material": {"model": "stable_neo_hookean", "young": 1e5, "poisson": 0.3}}],
  "colliders": [{"plane": {"normal": [0, 1, 0], "offset": -0.52}}]})";

class Pushing : public testing::Test {
 protected:
  Pushing() {
    SuppleScene* scene =
        supple_scene_parse(block.data(), block.size(), "block", nullptr, nullptr, 0);
    plain.reset(supple_simulation_create(scene, 1));
    supple_scene_destroy(scene);
    cpp = std::make_unique<supple::Simulation>(supple::parse_scene(block, "block", {}).scene,
                                               supple::SimulationOptions{.threads = 1});
  }

  void expect_same_steps() {
    for (int frame = 0; frame < 3; ++frame) {
      ASSERT_EQ(supple_simulation_step(plain.get(), nullptr), supple_ok);
      cpp->step();
    }
    std::vector<double> x(3 * static_cast<std::size_t>(cpp->num_vertices())), y(x.size());
    ASSERT_EQ(supple_simulation_copy_positions(plain.get(), x.data(), x.size()), supple_ok);
    cpp->copy_positions(y);
    EXPECT_EQ(x, y);
  }

  struct Destroy {
    void operator()(SuppleSimulation* simulation) const { supple_simulation_destroy(simulation); }
  };
  std::unique_ptr<SuppleSimulation, Destroy> plain;
  std::unique_ptr<supple::Simulation> cpp;
};

void expect_same(const SuppleSurfaceHit& hit, const supple::SurfaceHit& expected) {
  EXPECT_EQ(hit.body, expected.body);
  EXPECT_EQ(hit.triangle, expected.triangle);
  EXPECT_EQ(hit.tet, expected.tet);
  EXPECT_EQ(hit.distance, expected.distance);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(hit.vertices[k], expected.vertices[k]);
    EXPECT_EQ(hit.weights[k], expected.weights[k]);
    EXPECT_EQ(hit.point[k], expected.point[k]);
    EXPECT_EQ(hit.normal[k], expected.normal[k]);
  }
}

TEST_F(Pushing, QueriesAnswerAsTheLibraryDoes) {
  const double above[3] = {0.3, 4, 0.2}, down[3] = {0, -2, 0}, up[3] = {0, 1, 0};
  SuppleSurfaceHit hit{.struct_size = sizeof hit};
  ASSERT_EQ(supple_simulation_raycast(plain.get(), above, down, INFINITY, &hit), supple_ok);
  expect_same(hit, *cpp->raycast({0.3, 4, 0.2}, {0, -2, 0}));
  EXPECT_NEAR(hit.distance, 3.5, 1e-12);
  ASSERT_EQ(supple_simulation_raycast(plain.get(), above, up, INFINITY, &hit), supple_ok);
  EXPECT_EQ(hit.body, -1);
  const double inside[3] = {0.1, 0.2, 0.1};
  ASSERT_EQ(supple_simulation_closest_point(plain.get(), inside, 1, &hit), supple_ok);
  expect_same(hit, *cpp->closest_point({0.1, 0.2, 0.1}, 1));
  EXPECT_LT(hit.distance, 0);
  ASSERT_EQ(supple_simulation_closest_point(plain.get(), above, 1, &hit), supple_ok);
  EXPECT_EQ(hit.body, -1);

  const double low[3] = {0.2, -9, -9}, high[3] = {9, 9, 9};
  std::array<int32_t, 100> found;
  std::size_t count = 7;
  ASSERT_EQ(supple_simulation_overlap_box(plain.get(), low, high, found.data(), 100, &count),
            supple_ok);
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(found[0], 0);
  ASSERT_EQ(supple_simulation_overlap_sphere(plain.get(), above, 1, nullptr, 0, &count), supple_ok);
  EXPECT_EQ(count, 0U);
  const std::vector<int> vertices = cpp->vertices_in(supple::Box{{0.2, -9, -9}, {9, 9, 9}});
  ASSERT_EQ(supple_simulation_vertices_in_box(plain.get(), low, high, found.data(), 100, &count),
            supple_ok);
  EXPECT_EQ(std::vector<int>(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count)),
            vertices);
  found[2] = -5;
  ASSERT_EQ(supple_simulation_vertices_in_sphere(plain.get(), inside, 9, found.data(), 2, &count),
            supple_ok);
  EXPECT_EQ(count, 45U) << "of all, though there is room for two";
  EXPECT_EQ(found[1], 1);
  EXPECT_EQ(found[2], -5);
}

TEST_F(Pushing, ForcesAndImpulsesPushAsTheLibrarysDo) {
  const double force[3] = {30, 200, -10}, velocity[3] = {0.1, 1, 0};
  const double above[3] = {0.3, 4, 0.2}, down[3] = {0, -1, 0};
  SuppleSurfaceHit hit{.struct_size = sizeof hit};
  ASSERT_EQ(supple_simulation_raycast(plain.get(), above, down, 9, &hit), supple_ok);
  const supple::SurfaceHit same = *cpp->raycast({0.3, 4, 0.2}, {0, -1, 0}, 9);
  const int32_t vertices[2] = {1, 7};
  const double each[6] = {1, 2, 3, 4, 5, 6};
  const std::vector<int> on{1, 7};
  const std::vector<supple::Vec3> amounts{{1, 2, 3}, {4, 5, 6}};
  ASSERT_EQ(supple_simulation_set_velocity(plain.get(), 0, velocity), supple_ok);
  cpp->set_velocity(0, {0.1, 1, 0});
  ASSERT_EQ(supple_simulation_add_force(plain.get(), 0, force), supple_ok);
  ASSERT_EQ(supple_simulation_clear_forces(plain.get()), supple_ok);
  ASSERT_EQ(supple_simulation_add_force_at(plain.get(), &hit, force), supple_ok);
  cpp->add_force(same, {30, 200, -10});
  ASSERT_EQ(supple_simulation_add_forces(plain.get(), vertices, each, 2), supple_ok);
  cpp->add_force(on, amounts);
  expect_same_steps();
  ASSERT_EQ(supple_simulation_add_force(plain.get(), 0, force), supple_ok);
  cpp->add_force(0, {30, 200, -10});
  ASSERT_EQ(supple_simulation_add_impulse(plain.get(), 0, force), supple_ok);
  cpp->add_impulse(0, {30, 200, -10});
  ASSERT_EQ(supple_simulation_add_impulse_at(plain.get(), &hit, force), supple_ok);
  cpp->add_impulse(same, {30, 200, -10});
  ASSERT_EQ(supple_simulation_add_impulses(plain.get(), vertices, each, 2), supple_ok);
  cpp->add_impulse(on, amounts);
  expect_same_steps();
}

TEST_F(Pushing, SettingsChangeAsTheLibrarysDo) {
  const double gravity[3] = {1, -5, 0};
  ASSERT_EQ(supple_simulation_set_gravity(plain.get(), gravity), supple_ok);
  ASSERT_EQ(supple_simulation_set_drag(plain.get(), 0.5), supple_ok);
  ASSERT_EQ(supple_simulation_set_friction(plain.get(), 0.4), supple_ok);
  ASSERT_EQ(supple_simulation_set_iterations(plain.get(), 4), supple_ok);
  ASSERT_EQ(supple_simulation_set_tolerance(plain.get(), 1e-4), supple_ok);
  ASSERT_EQ(supple_simulation_set_budget(plain.get(), 1e7), supple_ok);
  ASSERT_EQ(supple_simulation_set_line_search(plain.get(), "wolfe"), supple_ok);
  cpp->set_gravity({1, -5, 0});
  cpp->set_drag(0.5);
  cpp->set_friction(0.4);
  cpp->set_iterations(4);
  cpp->set_tolerance(1e-4);
  cpp->set_budget(1e7);
  supple::LineSearchSettings wolfe;
  wolfe.type = supple::LineSearchType::wolfe;
  cpp->set_line_search(wolfe);
  expect_same_steps();
}

TEST_F(Pushing, NullsAndWrongNumbersAreRefused) {
  const double up[3] = {0, 1, 0}, none[3] = {0, 0, 0}, odd[3] = {NAN, 0, 0};
  SuppleSurfaceHit hit{.struct_size = sizeof hit};
  hit.body = -1;
  std::size_t count = 0;
  int32_t far = 45;
  SuppleSimulation* const s = plain.get();
  for (const SuppleError error :
       {supple_simulation_raycast(nullptr, up, up, 1, &hit),
        supple_simulation_raycast(s, nullptr, up, 1, &hit),
        supple_simulation_raycast(s, up, up, 1, nullptr),
        supple_simulation_raycast(s, up, none, 1, &hit),
        supple_simulation_raycast(s, up, up, -1, &hit),
        supple_simulation_closest_point(s, odd, 1, &hit),
        supple_simulation_closest_point(s, nullptr, 1, &hit),
        supple_simulation_overlap_box(s, up, none, nullptr, 0, &count),
        supple_simulation_overlap_box(s, none, up, nullptr, 1, &count),
        supple_simulation_overlap_sphere(s, up, -1, nullptr, 0, &count),
        supple_simulation_vertices_in_box(s, none, up, nullptr, 0, nullptr),
        supple_simulation_vertices_in_sphere(s, nullptr, 1, nullptr, 0, &count),
        supple_simulation_add_force(s, 1, up),
        supple_simulation_add_force(s, 0, odd),
        supple_simulation_add_force_at(s, &hit, up),
        supple_simulation_add_force_at(s, nullptr, up),
        supple_simulation_add_forces(s, nullptr, up, 1),
        supple_simulation_add_forces(s, &far, up, 1),
        supple_simulation_clear_forces(nullptr),
        supple_simulation_add_impulse(s, -1, up),
        supple_simulation_add_impulse_at(s, &hit, up),
        supple_simulation_add_impulses(s, &far, nullptr, 1),
        supple_simulation_set_velocity(s, 0, odd),
        supple_simulation_set_gravity(s, nullptr),
        supple_simulation_set_drag(s, -1),
        supple_simulation_set_friction(s, NAN),
        supple_simulation_set_iterations(s, 0),
        supple_simulation_set_tolerance(s, -1),
        supple_simulation_set_budget(s, NAN),
        supple_simulation_set_line_search(s, "odd"),
        supple_simulation_set_line_search(s, nullptr)}) {
    EXPECT_EQ(error, supple_invalid_input);
  }
  expect_same_steps();
}

/// The distance to a half-space; user: whether it is broken and returns NaN instead.
double floor_distance(void* user, const double point[3], double gradient[3]) {
  gradient[0] = gradient[2] = 0;
  gradient[1] = 2;
  auto& is_broken = *static_cast<std::atomic<bool>*>(user);
  return is_broken ? std::nan("") : point[1] + 0.51;
}

/// St. Venant-Kirchhoff with the two moduli of the caller, which counts its calls.
struct OwnStvk {
  double mu, lambda;
  std::atomic<int> energies, stresses, hessians;
};
/// E = (F^T F - 1)/2 and S = 2 mu E + lambda tr E; returns Psi.
double own_stvk(const OwnStvk& material, const double* F, double (&S)[3][3]) {
  double E[3][3], trace = 0, norm2 = 0;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      E[i][k] = 0.5 * (F[i] * F[k] + F[3 + i] * F[3 + k] + F[6 + i] * F[6 + k] - (i == k));
      norm2 += E[i][k] * E[i][k];
    }
    trace += E[i][i];
  }
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      S[i][k] = 2 * material.mu * E[i][k] + (i == k ? material.lambda * trace : 0);
    }
  }
  return material.mu * norm2 + 0.5 * material.lambda * trace * trace;
}
double stvk_energy(void* user, const double F[9]) {
  auto& material = *static_cast<OwnStvk*>(user);
  ++material.energies;
  double S[3][3];
  return own_stvk(material, F, S);
}
void stvk_stress(void* user, const double F[9], double P[9]) {
  auto& material = *static_cast<OwnStvk*>(user);
  ++material.stresses;
  double S[3][3];
  own_stvk(material, F, S);
  for (int i = 0; i < 9; ++i) {
    P[i] = 0;
    for (int k = 0; k < 3; ++k) P[i] += F[i / 3 * 3 + k] * S[k][i % 3];
  }
}
void stvk_hessian(void* user, const double F[9], double H[81]) {
  auto& material = *static_cast<OwnStvk*>(user);
  ++material.hessians;
  double S[3][3];
  own_stvk(material, F, S);
  for (int j = 0; j < 9; ++j) {  // dF = e_r e_c^T
    const int r = j / 3, c = j % 3;
    double dS[3][3];
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 3; ++k) {
        const double dE = 0.5 * ((i == c ? F[3 * r + k] : 0) + (k == c ? F[3 * r + i] : 0));
        dS[i][k] = 2 * material.mu * dE + (i == k ? material.lambda * F[3 * r + c] : 0);
      }
    }
    for (int i = 0; i < 9; ++i) {
      double sum = i / 3 == r ? S[c][i % 3] : 0;
      for (int k = 0; k < 3; ++k) sum += F[i / 3 * 3 + k] * dS[k][i % 3];
      H[9 * i + j] = sum;
    }
  }
}

TEST(Materials, AnEnergyOfTheCallersOwnIsTheBuiltInOneThatItIs) {
  const std::string text = block;
  const SuppleOverride overrides[] = {
      {"/bodies/0/material", "{\"model\": \"stvk\", \"mu\": 4e4, \"lambda\": 6e4}"},
      {"/solver/method", "newton"}};
  const auto make = [&] {
    return supple_scene_parse(text.data(), text.size(), "block", nullptr, overrides, 2);
  };
  OwnStvk material{4e4, 6e4, 0, 0, 0};
  SuppleScene* scenes[3] = {make(), make(), make()};
  for (SuppleScene* scene : scenes) ASSERT_NE(scene, nullptr) << supple_last_error_message();
  EXPECT_EQ(supple_scene_set_energy(scenes[0], 0, stvk_energy, nullptr, nullptr, nullptr),
            supple_invalid_input);
  EXPECT_STREQ(supple_last_error_where(), "stress");
  EXPECT_EQ(supple_scene_set_energy(scenes[0], 1, stvk_energy, stvk_stress, nullptr, nullptr),
            supple_invalid_input);
  EXPECT_STREQ(supple_last_error_where(), "body");
  ASSERT_EQ(supple_scene_set_energy(scenes[1], 0, stvk_energy, stvk_stress, nullptr, &material),
            supple_ok);
  ASSERT_EQ(
      supple_scene_set_energy(scenes[2], 0, stvk_energy, stvk_stress, stvk_hessian, &material),
      supple_ok);
  std::vector<std::vector<double>> ends;
  for (SuppleScene* scene : scenes) {
    SuppleSimulation* simulation = supple_simulation_create(scene, 2);
    supple_scene_destroy(scene);
    ASSERT_NE(simulation, nullptr) << supple_last_error_message();
    for (int frame = 0; frame < 40; ++frame) {
      ASSERT_EQ(supple_simulation_step(simulation, nullptr), supple_ok);
    }
    SuppleCounts counts{.struct_size = sizeof counts};
    supple_simulation_counts(simulation, &counts);
    ends.emplace_back(3 * static_cast<std::size_t>(counts.vertices));
    supple_simulation_copy_positions(simulation, ends.back().data(), ends.back().size());
    supple_simulation_destroy(simulation);
  }
  EXPECT_GT(material.energies, 0);
  EXPECT_GT(material.stresses, 0);
  EXPECT_GT(material.hessians, 0);
  for (std::size_t i = 0; i < ends[0].size(); ++i) {
    // Newton's method converges to the tolerance of a step.
    EXPECT_NEAR(ends[1][i], ends[0][i], 1e-6);
    EXPECT_NEAR(ends[2][i], ends[0][i], 1e-6);
  }
  SuppleScene* wrong = make();
  material.lambda = -1e5;
  ASSERT_EQ(supple_scene_set_energy(wrong, 0, stvk_energy, stvk_stress, nullptr, &material),
            supple_ok);
  EXPECT_EQ(supple_simulation_create(wrong, 1), nullptr);
  EXPECT_STREQ(supple_last_error_where(), "/bodies/0/material");
  supple_scene_destroy(wrong);
}

TEST(Colliders, AFunctionHoldsABodyAndItsForcesAndEventsAreRead) {
  std::string text = block;
  text.replace(text.find("\"colliders\""), std::string::npos, "\"contact\": {}}");
  SuppleScene* scene = supple_scene_parse(text.data(), text.size(), "block", nullptr, nullptr, 0);
  ASSERT_NE(scene, nullptr);
  std::atomic<bool> is_broken = false;
  const auto add = [&](const char* name, SuppleDistance distance, double friction) {
    return supple_scene_add_distance(scene, name, distance, &is_broken, friction);
  };
  EXPECT_EQ(add("floor", nullptr, -1), supple_invalid_input);
  EXPECT_STREQ(supple_last_error_where(), "distance");
  EXPECT_EQ(add("floor", floor_distance, std::nan("")), supple_invalid_input);
  EXPECT_EQ(supple_scene_add_distance(nullptr, "a", floor_distance, nullptr, 0),
            supple_invalid_input);
  ASSERT_EQ(add("floor", floor_distance, 0.5), supple_ok);
  EXPECT_EQ(add("floor", floor_distance, 0.5), supple_invalid_input);
  EXPECT_STREQ(supple_last_error_where(), "name");
  SuppleSimulation* simulation = supple_simulation_create(scene, 1);
  supple_scene_destroy(scene);
  ASSERT_NE(simulation, nullptr);

  std::vector<SuppleContactEvent> all;
  for (int frame = 0; frame < 100; ++frame) {
    ASSERT_EQ(supple_simulation_step(simulation, nullptr), supple_ok);
    SuppleContactEvent events[4];
    std::size_t count = 0;
    ASSERT_EQ(supple_simulation_contact_events(simulation, events, 4, &count), supple_ok);
    all.insert(all.end(), events, events + std::min<std::size_t>(count, 4));
  }
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].body, 0);
  EXPECT_EQ(all[0].other_body, -1);
  EXPECT_EQ(all[0].collider, 0);
  EXPECT_EQ(all[0].begins, 1);

  SuppleColliderForce force{};
  std::size_t count = 0;
  ASSERT_EQ(supple_simulation_collider_forces(simulation, &force, 1, &count), supple_ok);
  EXPECT_EQ(count, 1U);
  // 2000 kg, nearly at rest.
  EXPECT_NEAR(force.force[1], -2000 * 9.81, 0.05 * 2000 * 9.81);
  EXPECT_EQ(force.center[1], 0);
  SuppleCounts counts{.struct_size = sizeof counts};
  ASSERT_EQ(supple_simulation_counts(simulation, &counts), supple_ok);
  std::vector<double> forces(3 * static_cast<std::size_t>(counts.vertices));
  ASSERT_EQ(supple_simulation_copy_contact_forces(simulation, forces.data(), forces.size()),
            supple_ok);
  double sum = 0;
  for (std::size_t i = 1; i < forces.size(); i += 3) sum += forces[i];
  EXPECT_NEAR(sum, -force.force[1], 1e-9 * sum);
  EXPECT_EQ(supple_simulation_copy_contact_forces(simulation, forces.data(), 3),
            supple_invalid_input);

  is_broken = true;
  EXPECT_EQ(supple_simulation_step(simulation, nullptr), supple_invalid_input);
  EXPECT_STREQ(supple_last_error_where(), "/colliders/0/distance");
  supple_simulation_destroy(simulation);
}

}  // namespace
