#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "descent/objective.h"

namespace supple {

/// Nonlinear elimination of the vertices of crushed tets [Lanzkron, Rose & Wilkes 1996; Cai & Keyes
/// 2002].
///
/// When a step begins with a few tiny or flat tets far from rest, their forces outweigh those of
/// the whole body, and no step along the direction of one matrix suits both. The vertices w of
/// these tets are therefore solved for separately, with the others u standing still:
///   G(u) = min_w g(u, w),  grad G(u) = dg/du at the minimum, where dg/dw = 0.
/// Wherever g is evaluated, w goes to its minimum first. With dg/dw = 0, the two loops of L-BFGS
/// around A are those for G around the Schur complement of A. The part of a direction that belongs
/// to w says where the next search for its minimum starts.
///
/// A tet is crushed if Psi > `crushed` k_j. The free vertices of such tets are joined to one patch
/// if they share a tet, so that patches see nothing of each other. The most crushed tets come
/// first; those that would make a patch too large are left out. Newton's method solves a patch,
/// with a dense matrix in which negative eigenvalues of an element count with their absolute value,
/// and with backtracking, so that its energy falls. If more than a few tets are crushed, there are
/// no patches. In a step, patches take no more time than thirty evaluations of g. The bits do not
/// depend on the number of threads.
///
/// What is not held keeps its momentum: a part without pins is shifted back by as much as the
/// patches move its centre of mass.
///
/// Only models of tets alone have patches: without springs, membranes, rods, pressures and bonds,
/// without fibers, layers, growth, plastic flow, damping and energies of the program's own, and
/// without contacts.
class CrushedPatches {
 public:
  /// Energy density over k_j above which a tet is crushed. A spring of stiffness k_j has this when
  /// stretched by two.
  static constexpr double crushed = 2;
  /// Most vertices of a patch.
  static constexpr int most_vertices = 32;

  /// A step begins, without patches.
  void begin_step() {
    count_ = 0;
    has_looked_ = false;
  }

  /// Finds the tets that are crushed at z and makes patches, once in a step. Returns whether it has
  /// made any. Allocates if there are more than ever before; without memory there are none.
  bool find(const Objective& objective, const VectorField& z) noexcept;

  /// Moves the vertices of the patches to the minimum of g. The others stay where they are, but for
  /// the shift.
  void solve(const Objective& objective, VectorField& z);

  int count() const { return static_cast<int>(count_); }
  /// Vertices of one patch, ascending.
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
    std::vector<Tet> tets;      ///< tets with any of these vertices, ascending
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
  /// Vertices that tets connect.
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
  // Work of `find`.
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
