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
  std::vector<std::array<int, 2>> segments;   ///< lines of a strand, if there is no surface
};

/// A motion, frame by frame, as the exporters read it: from memory, from `positions.npy` or from
/// anywhere else.
struct FrameSource {
  int num_frames = 0;
  double frame_step = 1.0 / 30;  ///< between frames, s; frame k is at k * frame_step
  int num_vertices = 0;          ///< of all bodies
  std::vector<FrameBody> bodies;

  /// Fills in the positions of a frame: [num_vertices * 3], m. Frames can be asked for in any order
  /// and more than once.
  std::function<void(int frame, std::span<double> positions)> read;

  /// The measures of the elements of all bodies at the positions of a frame, in the order of the
  /// bodies. Empty: not known, and left out. See Simulation::measure.
  std::function<ElementMeasures(int frame, std::span<const double> positions)> measure;

  /// Stresses of all tets, in the order of the bodies, from the multipliers of the solver in that
  /// frame; nothing if they are not known for that frame. Empty: never known, and left out. See
  /// Simulation::multiplier_stresses.
  std::function<std::vector<MultiplierStress>(int frame)> stresses;

  /// Forces of contacts on all vertices in that frame, N; nothing if they are not known. Empty:
  /// never known, and left out. See Simulation::copy_contact_forces.
  std::function<std::vector<Vec3>(int frame)> contact_forces;

  std::vector<double> rest;  ///< [num_vertices * 3], m; if empty, frame 0 replaces it

  // Only pictures show these.
  std::vector<Collider> colliders;
  Vec3 gravity{0, -9.81, 0};  ///< up is the opposite direction
};

/// A source with everything that the scene defines. num_frames, read and measure remain to be set.
FrameSource frame_source(const Scene& scene);

/// Do elements change from frame to frame, because muscles contract or rest shapes grow or flow?
/// Then positions alone do not determine their measures.
bool elements_change(const Scene& scene);

/// Throws Error{invalid_input} if there are no frames, the step is not positive, there is no
/// `read`, a body, triangle, tet or segment is out of range, or the rest shape has another size.
void check(const FrameSource& source);

/// Reads frames of a checked source one at a time.
class FrameReader {
 public:
  explicit FrameReader(const FrameSource& source);

  /// Positions of a frame, valid until the next call. Throws Error{bad_file} for
  /// coordinates that are not finite or above 1e38 (most formats use single precision).
  std::span<const double> read(int frame);
  /// The rest shape, or frame 0 if it is not known; valid until the next call of read or rest.
  std::span<const double> rest();

 private:
  const FrameSource& source_;
  std::vector<double> positions_;
};

/// The surface of a body, or its lines if it has none, with only the vertices that it uses.
struct BodySurface {
  std::string name;                           ///< as given
  std::string identifier;                     ///< letters, digits and _, different for each body
  int body = 0;                               ///< index in the source
  std::vector<int> vertices;                  ///< ascending, in the scene
  std::vector<std::array<int, 3>> triangles;  ///< into `vertices`
  std::vector<std::array<int, 2>> segments;   ///< into `vertices`; only if there are no triangles
};

/// Surfaces or lines of the bodies that have any. Throws Error{invalid_input} naming the format
/// `kind` if no body has any.
std::vector<BodySurface> body_surfaces(const FrameSource& source, std::string_view kind);

/// An identifier for each of the names: ASCII letters, digits and _, not empty, not starting with a
/// digit, and different from the others even if case is ignored.
std::vector<std::string> identifiers(const std::vector<std::string>& names);

}  // namespace supple
