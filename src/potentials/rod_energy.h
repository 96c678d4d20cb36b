#pragma once

#include <span>
#include <vector>

#include "base/body_pieces.h"
#include "math/mat3.h"
#include "math/vector_field.h"
#include "potentials/rods.h"

namespace supple {

/// Energy of all rods and its gradient, at positions x and with the frames of the set at the
/// beginning of the step [Bergou et al. 2008].
///
/// The material frame of segment j is its frame at the beginning of the step, transported from the
/// tangent at that time to the tangent at x, and turned about it by an angle theta_j. If a pin
/// clamps the segment, its rest frame, moved by the pin, takes the place of the former frame, and
/// theta_j = 0. The other angles are those of least energy, because twist spreads much faster along
/// a rod than bending. With the parts P, Q of the bending along the transported frame,
///   E(theta) = -sum_j (P_j cos theta_j + Q_j sin theta_j)
///              + sum_i C_i/2 (a_i + theta_{i+1} - theta_i - m_i)^2 + const,
/// whose tridiagonal Hessian is factorised for Newton's method. So E is a function of x and of the
/// frames before, and as dE/dtheta = 0, its gradient is that at fixed theta. A straight rod needs
/// one iteration, and is then twisted evenly.
///
/// Damping of a body resists the change of bending and twist in a step, as the material of its rods
/// sees it:
///   D = sum_i tau/a [B/(2 L) (|D - R_0 K_0n|^2 + |D - R_1 K_1n|^2)/2 + C/(2 L) (m - m_n)^2],
/// where the D on the right is that of rods.h, K_jn is R_j^T D and m_n the twist, both at the start
/// of the step. The energy D has the form of E with
/// another rest shape. Therefore E + D is, up to a constant, E with 1 + tau/a times the stiffness
/// and the weighted mean of both rest shapes. A rigid motion costs nothing. The angles minimise
/// E + D: twist then relaxes over time, and between steps it is given by the frames.
///
/// Each strand is one piece of work, so no sum depends on the number of threads.
class RodEnergy {
 public:
  /// damping: tau of each body, s; empty: no damping.
  explicit RodEnergy(const RodSet& set, std::span<const double> damping = {});

  /// From now on `evaluate` works only on these bodies, ascending. Allocates nothing.
  void select(std::span<const int> bodies) { pieces_.select(bodies); }

  /// Puts the clamps where pins have moved them at a time, s. Allocates nothing.
  void set_time(const PinSet& pins, double time);

  /// Starts a step at x_start, where the frames are, with 1/a and with one over the length of the
  /// whole step, 1/s. Allocates nothing.
  void begin_step(const VectorField& x_start, double inverse_a, double inverse_step);

  /// Returns to the state between two steps, as before the first one: the twist of damped rods
  /// stays as the frames have it.
  void end_step();

  /// Whether clamps have turned since the frames were taken.
  bool has_turned() const { return has_turned_; }

  /// Energy at x, J: E, without D.
  double evaluate(const VectorField& x, Threads& threads);

  /// Energy of one body in the last `evaluate`, J.
  double energy_of(int body) const;

  /// D in the last `evaluate`, J.
  double damping_energy() const;
  /// The same of one body.
  double damping_energy_of(int body) const;

  /// Adds d(E + D)/dx from the last `evaluate`, N.
  void add_gradient(VectorField& gradient) const;

  /// Writes the frames of the selected bodies at x, where the next step begins. Allocates nothing.
  void advance(const VectorField& x, Threads& threads, std::vector<RodFrame>& frames);

  /// Calls add(vertex, other, block) for the 3x3 blocks of sum J^T J at x, N/m, row-major. J is the
  /// derivative, at fixed theta, of the terms that E + D squares. The sum is positive
  /// semi-definite, and exact for a rod without strain. Each pair is visited once.
  template <class Add>
  void visit_hessian(const VectorField& x, Threads& threads, const Add& add) {
    if (set_->empty()) return;
    evaluate(x, threads);
    for (const int chain : pieces_.selected()) {
      const RodSet::Chain& own = set_->chains[at(chain)];
      for (int j = own.first_joint; j < own.first_joint + own.num_joints; ++j) {
        const JointHessian hessian = joint_hessian(j);
        for (int r = 0; r < 3; ++r) {
          for (int c = 0; c <= r; ++c) {
            add(hessian.vertex[r], hessian.vertex[c], hessian.block[r][c]);
          }
        }
      }
    }
  }

 private:
  /// The state of a segment at x.
  struct Place {
    Vector3<double> edge{};
    RodFrame frame{};                ///< transported, then turned by theta
    Vector3<double> before_tangent;  ///< from where it was transported
    double inverse_length = 0;       ///< 1/|e|, 1/m; 0 for an edge without length
    double cosine = 0, sine = 0;     ///< P and Q, J
    double theta = 0;                ///< rad
    double moment = 0;               ///< dE/dtheta, J
    Vector3<double> force{};         ///< dE/de, N
  };
  /// What Newton's method for the angles uses for a segment.
  struct Row {
    double diagonal = 0, next = 0;  ///< of the matrix, J; next: with the following segment
    double factor = 0, pivot = 0;
    double border = 0;  ///< solution for the column of the last segment of a closed strand
    double step = 0;
  };
  struct JointHessian {
    int vertex[3];
    double block[3][3][9];
  };
  /// How a strand is damped.
  struct Damper {
    double tau = 0;        ///< s; 0: no damping
    double rate = 0;       ///< tau/a
    double energy = 0;     ///< D, J
    bool is_held = false;  ///< its twist stays as it is
  };
  /// Curvature and twist at the start of the step.
  struct Start {
    Vector3<double> curvature[2];
    double twist;
  };
  void set_rates(double inverse_time);
  void find_start(const RodSet::Chain& chain, const VectorField& x);
  double energy_of_strain(int joint, const Vector3<double> (&rest)[2], double rest_twist) const;
  void evaluate_chain(int number, const VectorField& x);
  void place(int segment, const RodFrame& before, const VectorField& x);
  double twist_near(int joint, double expected) const;
  void find_twist(int joint);
  void add_bending(int joint);
  void settle(const RodSet::Chain& chain);
  double energy_of_angles(const RodSet::Chain& chain, double part) const;
  void find_moments(const RodSet::Chain& chain);
  bool factorise(const RodSet::Chain& chain, bool is_mended);
  void solve(const RodSet::Chain& chain);
  double finish_joint(int joint);
  void finish_segment(int segment);
  JointHessian joint_hessian(int joint) const;
  Vector3<double> curvature(int joint) const;
  Vector3<double> rest_of(int joint, int end) const;
  bool is_free(int segment) const { return set_->clamp[at(segment)] < 0; }

  const RodSet* set_;
  std::vector<RodSet::Joint> joints_;  ///< those of the set, or those of E + D
  std::vector<Damper> dampers_;        ///< [num_chains]
  std::vector<Start> starts_;          ///< [num_joints], for damped strands
  double inverse_step_ = 0;            ///< 1/s
  BodyPieces pieces_;
  std::vector<RodFrame> clamps_;      ///< [num_segments], of clamped ones
  std::vector<double> clamp_turn_;    ///< [num_segments], about the tangent since the frames were
                                      ///< taken, rad
  std::vector<Place> places_;         ///< [num_segments]
  std::vector<Row> rows_;             ///< [num_segments]
  std::vector<double> twist_;         ///< [num_joints], m of the transported frames, rad
  std::vector<double> chain_energy_;  ///< [num_chains], J
  bool has_turned_ = false;
};

}  // namespace supple
