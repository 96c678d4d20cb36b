#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "supple/scene.h"
#include "supple/simulation.h"

namespace supple {

/// A body whose motion is exported. Its vertices are a range of the scene's.
struct FrameBody {
  std::string name;
  int first_vertex = 0;
  int num_vertices = 0;
  std::vector<std::array<int, 3>> triangles;  ///< surface, indices from the body's first vertex
  std::vector<std::array<int, 4>> tets;       ///< indices from the body's first vertex
  std::vector<std::array<int, 2>> segments;   ///< of a body without surface: a strand's lines
};

/// A motion, frame by frame, as the exporters read it: from memory, from `positions.npy`, from
/// anywhere.
struct FrameSource {
  int num_frames = 0;
  double frame_step = 1.0 / 30;  ///< between frames, s; frame k is at k * frame_step
  int num_vertices = 0;          ///< of all bodies
  std::vector<FrameBody> bodies;

  /// Fills in the positions of a frame: [num_vertices * 3], m. Frames may be asked for in any
  /// order and more than once.
  std::function<void(int frame, std::span<double> positions)> read;

  /// What the elements of all bodies tell about the positions of a frame, in the order of the
  /// bodies; empty: not known, and left out. See Simulation::measure.
  std::function<ElementMeasures(int frame, std::span<const double> positions)> measure;

  /// Stresses of all tets, in the order of the bodies, by the multipliers of the solver in that
  /// frame, or nothing where they are not known of that frame; empty: of none, and left out. See
  /// Simulation::multiplier_stresses.
  std::function<std::vector<MultiplierStress>(int frame)> stresses;

  /// Forces of contacts on all vertices in that frame, N, or nothing where they are not known;
  /// empty: of none, and left out. See Simulation::copy_contact_forces.
  std::function<std::vector<Vec3>(int frame)> contact_forces;

  std::vector<double> rest;  ///< [num_vertices * 3], m, or empty: then frame 0 stands for it

  // Only pictures show these.
  std::vector<Collider> colliders;
  Vec3 gravity{0, -9.81, 0};  ///< up is the other way
};

/// A source with all that the scene tells. Left to fill in are num_frames, read and measure.
FrameSource frame_source(const Scene& scene);

/// Whether elements are others in each frame, with muscles that contract and rest shapes that grow
/// or flow, so that positions alone do not tell their measures.
bool elements_change(const Scene& scene);

/// Throws Error{invalid_input} for: no frames, a step that is not positive, no `read`, a body,
/// triangle, tet or segment out of range, a rest shape of another size.
void check(const FrameSource& source);

/// Reads frames of a checked source one at a time.
class FrameReader {
 public:
  explicit FrameReader(const FrameSource& source);

  /// Positions of a frame, valid until the next call. Throws Error{bad_file} for
  /// coordinates that are not finite or above 1e38 (most formats use single precision).
  std::span<const double> read(int frame);
  /// The rest shape, or frame 0 where it is not known; valid until the next call of either.
  std::span<const double> rest();

 private:
  const FrameSource& source_;
  std::vector<double> positions_;
};

/// The surface of a body, or its lines where it has none, with the vertices that it uses alone.
struct BodySurface {
  std::string name;                           ///< as given
  std::string identifier;                     ///< letters, digits and _, different for each body
  int body = 0;                               ///< in the source
  std::vector<int> vertices;                  ///< ascending, in the scene
  std::vector<std::array<int, 3>> triangles;  ///< into `vertices`
  std::vector<std::array<int, 2>> segments;  ///< into `vertices`; only where there are no triangles
};

/// Surfaces or lines of the bodies that have any. Throws Error{invalid_input} naming the format
/// `kind` where there are none at all.
std::vector<BodySurface> body_surfaces(const FrameSource& source, std::string_view kind);

/// A name for each of the names: letters, digits and _ of ASCII, not starting with a digit, not
/// empty, different from the others even where case does not count.
std::vector<std::string> identifiers(const std::vector<std::string>& names);

}  // namespace supple
