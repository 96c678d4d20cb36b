#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "supple/scene.h"

namespace supple {

/// Pressure in volumes enclosed by closed surfaces of bodies. For a surface whose triangles have
/// the corners a, b, c, counter-clockwise seen from outside, and for any point as origin,
///   V = sum a.(b x c)/6,  dV/da = sum (b - a) x (c - a)/6,
///   d2V/da db = -[c - d]_x/6   for an edge from a to b whose triangles end in c and d,
/// where [v]_x is the matrix of v x. The energies E = phi(V) are
///   -p (V - V0)                              for a given overpressure p,
///   -p V0 log(V/V0) + ambient (V - V0)       for gas of the absolute pressure p at V0,
///   -p (V - V0) + kappa/2 (V - V0)^2         for a volume that stays (model/multipliers.h): its
///                                            content pushes with the multiplier p,
/// with log continued below V = V0/10 as in materials/extended_log.h, so that surfaces turned
/// inside out open again.
class PressureSet {
 public:
  /// Triangles of one closed surface.
  struct Chamber {
    int first_face = 0, num_faces = 0;
    int first_edge = 0, num_edges = 0;
    double rest_volume = 0;  ///< V0, m^3, > 0
    int filling = 0;
    double stiffness = 0;   ///< kappa of a volume that stays, Pa/m^3; otherwise 0
    double multiplier = 0;  ///< its p, Pa
    bool is_exact() const { return stiffness > 0; }
  };
  /// An edge from a to b with the far corners of its triangles: (a, b, c) and (b, a, d).
  struct Edge {
    int a, b, c, d;
  };
  /// What the volumes of a body contain.
  struct Filling {
    TimedNumber pressure;  ///< p, Pa
    bool is_gas = false;
    double ambient = 0;  ///< Pa
  };

  bool empty() const { return chambers.empty(); }
  /// Whether any pressure depends on its volume.
  bool has_stiffening() const;

  /// Adds the volumes of a body's surface. triangles: vertices of the model, where those of the
  /// body begin at first_vertex; each connected part must be closed. cavities: uses the parts that
  /// are inside out, the surface of a body of tets around its hollows; otherwise uses the other
  /// parts (for a cloth all, turned if they are inside out). Closed cracks between tets enclose
  /// nothing and are left out. Throws Error{invalid_input} at or
  /// below `where`, the JSON pointer of the settings.
  void add(const PressureSettings& settings, const std::vector<std::array<int, 3>>& triangles,
           const std::vector<Vec3>& rest, int first_vertex, bool is_cloth,
           const std::string& where);

  /// Adds volumes that stay, for now with a stiffness of 1 Pa/m^3: one for each connected part of a
  /// body's tets, without hollows, or if there are no tets, one for what each part of a cloth
  /// encloses. Arguments and errors are those of `add`; tets: vertices of the model.
  void keep_volumes(const std::vector<std::array<int, 3>>& triangles,
                    std::span<const std::array<int, 4>> tets, const std::vector<Vec3>& rest,
                    int first_vertex, const std::string& where);

  /// Calls move(vertex) for each place that holds a vertex, then indexes the vertices.
  template <class Move>
  void renumber(const Move& move, int num_vertices) {
    for (auto& face : faces) {
      for (int& vertex : face) move(vertex);
    }
    for (Edge& edge : edges) {
      for (int* vertex : {&edge.a, &edge.b, &edge.c, &edge.d}) move(*vertex);
    }
    index_vertices(num_vertices);
  }
  void index_vertices(int num_vertices);

  std::vector<Chamber> chambers;
  std::vector<Filling> fillings;
  std::vector<std::array<int, 3>> faces;
  std::vector<int> chamber_of_face;
  std::vector<Edge> edges;
  /// Vertices on the surfaces, ascending, with the faces around each: [num], [num + 1], and
  /// 3 * face + corner.
  std::vector<int> vertices, start, corners;

 private:
  /// Which parts of a surface become chambers.
  enum class Parts { all, outward, inward };
  void add_chambers(const std::vector<std::array<int, 3>>& triangles,
                    std::span<const std::array<int, 4>> tets, Parts wanted,
                    const std::vector<Vec3>& rest, int first_vertex, const std::string& where);
};

}  // namespace supple
