#include <fmt/format.h>

#include <array>

#include "base/refuse.h"
#include "potentials/sheet_model.h"
#include "supple/scene.h"
#include "supple/simulation.h"

namespace supple {

namespace {

/// Stiffness of stretch as measured, N/m: with e = F^T F - I, the stress along the first direction
/// is c11 e_11 + c12 e_22, along the second c12 e_11 + c22 e_22, and the shear stress is c33 e_12.
struct Stretching {
  double c11, c12, c22, c33;
};

/// A row of the database.
struct Measured {
  double density;                  ///< kg/m^2
  Stretching at_rest;              ///< in the limit of no strain
  Stretching first, bias, second;  ///< at a strain of 1/6 along the first direction, at 45 degrees
                                   ///< to it, and along the second
  std::array<double, 3> bending;   ///< of a flat sheet along these directions, N m
};

/// [Wang, O'Brien & Ramamoorthi 2011, "Data-driven elastic models for cloth": the database of the
/// paper, as the files of the simulator ARCSim give it], in the order of `Fabric` after `custom`.
constexpr std::array<Measured, 10> database{{
    {0.276,
     {42.871021, -0.234556, 65.166023, 83.175644},
     {52.422512, 7.219094, 245.337158, -31.129513},
     {91.209549, 4.940307, 109.746452, 27.609430},
     {105.649139, 0.416488, 254.593491, 3.472504},
     {46.237591e-6, 30.015930e-6, 32.243889e-6}},
    {0.228,
     {151.503906, 106.028160, 244.830673, 30.250183},
     {164.124344, 33.689709, 268.195221, 30.074625},
     {209.604172, 175.223465, 220.198120, 129.643188},
     {96.805817, 54.626881, 359.792633, 30.340616},
     {117.070122e-6, 87.509773e-6, 59.774277e-6}},
    {0.128,
     {2002.08618, 0.345588, 2027.48559, 19.189022},
     {2107.22753, 36.371597, 2171.73339, 16.904713},
     {2107.73291, 28.389059, 2132.72607, 101.462021},
     {2107.30786, 61.216290, 2150.47680, 37.668823},
     {51.713814e-6, 40.659470e-6, 31.282822e-6}},
    {0.224,
     {12.486332, -19.875324, 3.272434, 17.616289},
     {32.172089, 56.012760, 283.466370, -2.438436},
     {77.093796, 2.958664, 91.251160, 6.107700},
     {92.343170, 117.527084, 243.264908, 47.338436},
     {59.469658e-6, 40.072277e-6, 45.625023e-6}},
    {0.284,
     {31.146198, -12.802702, 44.028667, 31.896357},
     {78.707756, 26.754574, 268.680725, 27.743423},
     {113.367035, 54.802021, 175.126572, 44.657330},
     {143.933365, 49.654823, 191.777588, 39.491055},
     {36.348366e-6, 33.013252e-6, 37.157593e-6}},
    {0.187,
     {16.593832, -14.695990, 34.477123, 36.860302},
     {46.364765, 53.694656, 261.013855, -29.691301},
     {123.989220, 105.181770, 365.966217, 44.217571},
     {127.443810, 85.848587, 405.872833, 32.238411},
     {23.191698e-6, 24.749964e-6, 14.267624e-6}},
    {0.324,
     {205.352005, 10.234077, 1013.88629, 53.387184},
     {232.027634, 40.646339, 1052.84289, 64.980499},
     {225.951050, 62.095657, 1059.59741, 83.992020},
     {225.767487, 40.917892, 1051.55712, 71.810631},
     {64.196457e-6, 73.384567e-6, 96.951576e-6}},
    {0.204,
     {47.971176, 6.834521, 104.615456, 60.773663},
     {40.369045, 23.092957, 169.666290, -24.681890},
     {51.393467, -32.966949, 79.881721, 35.973194},
     {68.621185, 40.131950, 124.468513, 36.199604},
     {60.237942e-6, 58.803211e-6, 51.018833e-6}},
    {0.113,
     {43.067627, 54.373299, 171.424835, 14.314700},
     {75.151695, 82.195221, 236.163773, -7.230383},
     {107.244377, 124.801788, 364.583557, 41.386868},
     {227.028687, -21.865427, 404.867188, 62.636021},
     {14.293814e-6, 21.951700e-6, 20.345654e-6}},
    {0.220,
     {2016.55456, 9.170511, 2034.97644, 104.759674},
     {2109.51684, 38.604588, 2173.93969, 19.129177},
     {2110.33349, 30.987429, 2135.07910, 121.482445},
     {2109.52612, 63.424015, 2152.73852, 39.885654},
     {125.409805e-6, 107.997696e-6, 125.409805e-6}},
}};

/// The strain that a fabric's constants are taken at. The measurements are interpolated linearly.
constexpr double strain = 0.05;
constexpr double share = 6 * strain;

constexpr double between(double at_rest, double stretched) {
  return (1 - share) * at_rest + share * stretched;
}

}  // namespace

FabricProperties fabric_properties(Fabric fabric) {
  const auto index = static_cast<std::size_t>(fabric);
  require(index >= 1 && index <= database.size(), "fabric",
          "expected a measured fabric: custom has no properties of its own");
  const Measured& m = database[index - 1];
  // Psi t = C_1/2 E_11^2 + ... with E = e/2: C_1 t = 2 c11, and G t = c33.
  // The database does not say which direction is the warp; the second is the stiffer one in each.
  const double weft = 2 * between(m.at_rest.c11, m.first.c11);
  const double warp = 2 * between(m.at_rest.c22, m.second.c22);
  const double both = 2 * between(m.at_rest.c12, 0.5 * (m.first.c12 + m.second.c12));
  FabricProperties properties;
  properties.density = m.density;
  properties.warp = warp - both * both / weft;
  properties.weft = weft - both * both / warp;
  properties.shear = between(m.at_rest.c33, m.bias.c33);
  properties.poisson = both / weft;
  // The mean over all directions. The measured stiffness k gives a hinge of length l between
  // triangles of the areas A_1 and A_2 the moment k l^2 theta/(4 (A_1 + A_2)), where that of the
  // rigidity D is D l^2 theta/(A_1 + A_2) (docs/materials.md, dihedral bending).
  properties.bending = (m.bending[0] + 2 * m.bending[1] + m.bending[2]) / 4 / 4;
  return properties;
}

void set_fabric(Body& body, Fabric fabric, double thickness) {
  const FabricProperties properties = fabric_properties(fabric);
  require(thickness > 0, "thickness", "expected a number above 0 m");
  MaterialSettings& material = body.material;
  material.model = OrthotropicSheetModel::name;
  material.warp = properties.warp / thickness;
  material.weft = properties.weft / thickness;
  material.shear = properties.shear / thickness;
  material.poisson = properties.poisson;
  MembraneSettings membrane = body.membrane.value_or(MembraneSettings{});
  membrane.thickness = thickness;
  membrane.bending = properties.bending;
  body.membrane = membrane;
  body.density = properties.density;
}

std::vector<Description> list_fabrics() {
  std::vector<Description> list = choices(Fabric{}).entries;
  list.erase(list.begin());  // custom
  for (Description& entry : list) {
    const FabricProperties p = fabric_properties(from_string<Fabric>(entry.name));
    entry.text += fmt::format(
        "; {} kg/m^2, warp {:.4g} N/m, weft {:.4g} N/m, shear {:.3g} N/m, poisson {:.2f}, "
        "bending {:.2g} N m",
        p.density, p.warp, p.weft, p.shear, p.poisson, p.bending);
  }
  return list;
}

}  // namespace supple
