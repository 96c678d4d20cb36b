#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "descent/objective.h"

namespace supple {

/// Nonlinear elimination of the vertices of crushed tets [Lanzkron, Rose & Wilkes 1996; Cai & Keyes
/// 2002].
///
/// A few tiny or flat tets that a step begins with far from rest have forces that outweigh those of
/// the whole body, and no step along the direction of one matrix for all suits both. Their vertices
/// w are solved for apart, the others u standing still:
///   G(u) = min_w g(u, w),  grad G(u) = dg/du at the minimum, where dg/dw = 0.
/// Wherever g is evaluated, w goes to its minimum first. With dg/dw = 0 the two loops of L-BFGS
/// around A are those of G around the Schur complement of A, and the part of w in a direction is
/// where its minimum is looked for next.
///
/// Crushed is a tet of Psi > `crushed` k_j. The free vertices of such tets are joined to a patch
/// where they share a tet, so that patches see nothing of each other; the most crushed tets come
/// first, and those that would make a patch too large are left out. A patch is solved by Newton's
/// method with a dense matrix, negative eigenvalues of an element counting with their absolute
/// value, and backtracking: its energy falls. Where more than a few tets are crushed there are no
/// patches, and in a step they take no more time than thirty evaluations of g. The bits do not
/// depend on the number of threads.
///
/// What is not held keeps its momentum: parts without pins are shifted back by what the patches
/// move their centre of mass.
///
/// Only models of tets without fibers, layers, growth, plastic flow, damping or energies of the
/// program's own, with neither springs, membranes, rods, pressures nor bonds beside them, and
/// without contacts have patches.
class CrushedPatches {
 public:
  /// Of the energy densities over k_j. A spring of stiffness k_j has this when stretched by two.
  static constexpr double crushed = 2;
  /// Vertices of a patch.
  static constexpr int most_vertices = 32;

  /// A step begins: there are none.
  void begin_step() {
    count_ = 0;
    has_looked_ = false;
  }

  /// Once in a step: finds the tets that are crushed at z. Whether there are patches now. Allocates
  /// where there are more than ever before; without memory there are none.
  bool find(const Objective& objective, const VectorField& z) noexcept;

  /// Moves the vertices of the patches to the minimum of g, the others standing where they are but
  /// for the shift.
  void solve(const Objective& objective, VectorField& z);

  int count() const { return static_cast<int>(count_); }
  /// Of one patch.
  const std::vector<int>& vertices(int patch) const {
    return patches_[static_cast<std::size_t>(patch)].vertices;
  }

 private:
  struct Tet {
    int tet;
    int range;
    std::size_t lane;               ///< of the range: batch * lanes + lane
    int place[4];                   ///< of its corners in the patch, -1: none
    std::array<Vec3, 4> gradients;  ///< Model::shape_gradients
  };
  struct Patch {
    std::vector<int> vertices;  ///< ascending
    std::vector<Tet> tets;      ///< of the vertices, ascending
    std::size_t part = 0;
    int iterations_left = 0;  ///< of Newton's method in this step
    // Work.
    std::vector<double> before;    ///< [3 vertices], where they stood, m
    std::vector<double> start;     ///< [3 vertices], m
    std::vector<double> gradient;  ///< N
    std::vector<double> size;      ///< of the gradient's terms, N
    std::vector<double> step;      ///< m
    std::vector<double> matrix;    ///< [3 vertices]^2, lower triangle, column after column, N/m
  };
  /// Connected by tets.
  struct Part {
    double mass = 0;       ///< kg
    bool is_held = false;  ///< by pins
    Vec3 shift{0, 0, 0};   ///< m
  };
  struct Crushed {
    double density;  ///< over k_j
    int tet;
  };

  void list_places(const Model& model);
  void find_parts(const Model& model);
  bool find_crushed(const Model& model, const VectorField& z, Threads& threads);
  void join(const Model& model);
  void make_patches(const Model& model);
  static double energy(const Objective& objective, const Patch& patch, const VectorField& z);
  static void differentiate(const Objective& objective, const VectorField& z, bool with_matrix,
                            Patch& patch);
  static void minimise(const Objective& objective, VectorField& z, Patch& patch);
  void shift_back(const Objective& objective, VectorField& z);

  bool has_looked_ = false;
  std::size_t count_ = 0;
  std::vector<Patch> patches_;  ///< the first `count_`
  // Of a look.
  std::vector<std::vector<Crushed>> of_piece_;
  std::vector<Crushed> found_;
  std::vector<int> lane_of_tet_;    ///< [num_tets]
  std::vector<int> tet_start_;      ///< [num_vertices + 1], into tet_list_
  std::vector<int> tet_list_;       ///< tets of each vertex, ascending
  std::vector<char> is_free_;       ///< [num_vertices]: no pin holds it
  std::vector<int> patch_of_;       ///< [num_vertices], union-find; -1: in none
  std::vector<int> size_;           ///< [num_vertices], of the patch whose root it is
  std::vector<int> patch_number_;   ///< [num_vertices], of roots
  std::vector<int> part_of_;        ///< [num_vertices], the root of its part
  std::vector<int> added_, roots_;  ///< of one tet
  std::vector<int> tets_;           ///< of one patch
  std::vector<Part> parts_;         ///< [num_vertices], of roots
};

}  // namespace supple
