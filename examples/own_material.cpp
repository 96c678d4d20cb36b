// Materials that a program defines itself. Two rods are pulled: one is Gent's rubber, whose chains
// are almost at their limit, the other one a tissue with a family of fibers. Only their energies
// are written down. Stresses and Hessians come from automatic differentiation, and both materials
// run in the vectorised loops of the library.
#include <supple/supple.h>

#include <cstdio>

// Psi = -mu m/2 log(1 - (I1 - 3 - 2 log J)/m) + k/2 (J - 1)^2 [Gent 1996]. Pa.
struct Gent {
  double mu, limit, bulk;

  template <class T>
  T energy_density(const supple::Mat3<T>& F) const {
    const T J = determinant(F);
    const T stretch = squared_norm(F) - 3.0 - 2.0 * log(J);
    return -0.5 * mu * limit * log(1.0 - stretch / limit) + 0.5 * bulk * (J - 1.0) * (J - 1.0);
  }
};

// A soft matrix with fibers along d, which stiffen exponentially and resist only tension
// [Holzapfel, Gasser & Ogden 2000]. Pa.
struct Tissue {
  double mu, bulk, fibers, growth;
  supple::Vec3 d;  // at rest, unit length

  template <class T>
  T energy_density(const supple::Mat3<T>& F) const {
    const T J = determinant(F);
    const supple::Vector3<T> f = F * supple::Vector3<T>{{d[0], d[1], d[2]}};
    const T strain = max(dot(f, f) - 1.0, 0.0);
    return 0.5 * mu * (squared_norm(F) - 3.0) - mu * log(J) + 0.5 * bulk * (J - 1.0) * (J - 1.0) +
           0.5 * fibers / growth * expm1(growth * strain * strain);
  }
};

// A rod along x, held at one end and pulled at the other at 20 cm a second.
supple::Body rod(const char* name, double z, const supple::MaterialSettings& material) {
  supple::Body body{.name = name,
                    .mesh = supple::generate(supple::BoxGenerator{
                        .size = {0.4, 0.1, 0.1}, .cells = {12, 3, 3}, .center = {0.2, 0, z}})};
  body.material = material;
  body.pins = {{.box = {{-1, -1, -9}, {1e-6, 1, 9}}},
               {.box = {{0.4 - 1e-6, -1, -9}, {1, 1, 9}}, .stiffness = 300}};
  body.pins[1].motion.velocity = {0.2, 0, 0};
  return body;
}

int main() {
  supple::Scene scene;
  scene.gravity = {0, 0, 0};
  scene.damping.stiffness = 0.01;
  scene.bodies = {rod("rubber", 0, supple::own_material(Gent{2e4, 1.0, 1e5})),
                  rod("tissue", 0.3, supple::own_material(Tissue{5e3, 3e4, 1e5, 2.0, {1, 0, 0}}))};
  supple::Simulation simulation(scene);
  const auto stretch = [&](int body) { return simulation.body_bounds(body).max[0] / 0.4; };
  std::puts("  time   rubber   tissue   (stretch)");
  for (int frame = 1; frame <= 240; ++frame) {
    const supple::StepReport report = simulation.step();
    if (report.status == supple::StepStatus::failed) simulation.check_step();
    if (frame % 24 == 0) {
      std::printf("%4.1f s   %6.3f   %6.3f\n", simulation.time(), stretch(0), stretch(1));
    }
  }
  std::puts("pulled");

  // An invalid energy is refused with the reason.
  try {
    scene.bodies[0].material = supple::own_material(Gent{-2e4, 1.0, 1e5});
    supple::Simulation refused(scene);
  } catch (const supple::Error& error) {
    std::printf("refused: %s\n", error.what());
  }
  return 0;
}
