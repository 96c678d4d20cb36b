#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mesh/separation.h"
#include "supple/scene.h"
#include "supple/simulation.h"

namespace supple {

/// TimeSettings::separate_after at most.
inline constexpr int most_separate_after = 1000;

/// Pairs of elements of a body that come apart: tets, triangles of a cloth or segments of a strand,
/// each pair with first < second.
struct BodySeparation {
  int body = 0;
  std::vector<ElementPair> pairs;
};

/// Adds pairs of a body to those that were found.
void add_pairs(const BodySeparation& more, std::vector<BodySeparation>& found);

/// A scene after elements of its bodies have come apart.
struct SeparatedScene {
  Scene scene;
  /// [num_bodies]: for each new vertex of a body, which stand behind its other vertices, the vertex
  /// that it copies.
  std::vector<std::vector<int>> copies;
  /// [num_bodies]: for each spring of a body in which elements came apart, the earlier spring that
  /// it is a part of. Not known for a scene that was separated anew.
  std::vector<std::vector<int>> spring_parents;
  bool has_copies() const;
  /// Pins that the scene before gave to a body, so that they hold the copies too.
  std::vector<Pin> shared_pins(int body, std::vector<Pin> pins,
                               std::span<const Collider> colliders) const;
};

/// Calls work(elements) with the tets of a body or, if it has none, its triangles or segments.
template <class Body, class WithElements>
auto with_elements(Body& body, const WithElements& work) {
  return !body.mesh.tets.empty()   ? work(body.mesh.tets)
         : !body.triangles.empty() ? work(body.triangles)
                                   : work(body.segments);
}

/// What has come apart in the bodies of a simulation: by Simulation::cut, by separate and by
/// tearing. A mesh follows from the whole mesh and from the pairs in their order. No pair is
/// forgotten, because elements that still hang together open when their neighbours come apart.
class Separations {
 public:
  Separations() = default;
  /// All bodies are whole.
  explicit Separations(std::size_t num_bodies) : bodies_(num_bodies) {}

  /// All pairs that came apart, in that order.
  const std::vector<Separation>& all() const { return all_; }

  /// Pairs of elements that hang together, ascending. `body` is the body of the current scene.
  const std::vector<ElementPair>& joined(int index, const Body& body);
  /// Pairs that have come apart, ascending.
  const std::vector<ElementPair>& apart(int index) const;

  /// Throws Error{invalid_input} at "elements" for pairs that do not hang together in `now`.
  void require_joined(const BodySeparation& some, const Scene& now);

  /// Notes that pairs come apart at the same time, after this number of frames. Throws
  /// Error{invalid_input} at "elements" for pairs that do not hang together in `now`.
  SeparatedScene separate(const Scene& now, std::span<const BodySeparation> pairs,
                          std::int64_t frame);

  /// Forgets everything, makes the bodies of `now` whole, and separates anew. vertices: for each
  /// vertex of `now`, the vertex of the result with the same number or, for a copy, the vertex that
  /// it copies. Throws Error{invalid_input} at "separated" for pairs that do not hang together.
  SeparatedScene replay(const Scene& now, const std::vector<Separation>& all,
                        std::vector<int>& vertices);

  /// For each body, the vertices of the whole body that its added vertices copy.
  std::vector<std::vector<int>> copies() const;
  /// TornBodies::spring_shares.
  std::vector<std::vector<double>> spring_shares(const Scene& now) const;

  /// The pins that a body was given; stored as pins of the whole body.
  void pins_given(int index, const std::vector<Pin>& pins);

  /// The separations of the bodies that stay. origin: of each body, -1: it is added and whole.
  Separations of_bodies(std::span<const int> origin) const;

 private:
  struct Whole {
    int num_vertices = 0;
    std::vector<std::array<int, 4>> tets;
    std::vector<std::array<int, 3>> triangles;
    std::vector<std::array<int, 2>> segments;
    std::vector<Spring> springs;
    std::vector<int> rod_copies;  ///< RodSettings::copies
    std::vector<Fold> folds;
    std::optional<PressureSettings> pressure;
    BodyVolume volume = BodyVolume::free;
  };
  struct OfBody {
    std::shared_ptr<const Whole> whole;  ///< null: the body is whole
    std::vector<Pin> pins;               ///< as given, if the body is not whole
    std::vector<int> copies;             ///< vertices of the whole body that the added ones copy
    std::vector<int> spring_origins;     ///< for each spring, that of the whole body, if it is not
                                         ///< whole
    std::vector<ElementPair> apart, joined;
    bool has_joined = false;
  };
  /// The origins of a body's vertices and springs: SeparatedScene.
  struct Sources {
    std::vector<int> copies, spring_parents;
  };
  Sources separate_body(Scene& scene, const BodySeparation& some);
  static std::vector<int> separate_springs_of(Body& body, OfBody& own,
                                              const std::vector<int>& copies);
  OfBody make_whole(Body& body, const OfBody& own) const;
  void note(const BodySeparation& some, std::int64_t frame, int event);

  std::vector<OfBody> bodies_;
  std::vector<Separation> all_;
};

/// Replaces the corners of a point, vertices of the scene `before`, by those of the first element
/// that has all of them. Returns false if none has, or if the body is unchanged.
bool follow_element(const Scene& before, const SeparatedScene& after, std::vector<int>& corners);

/// Whether any spring between two corners of an element of the body can stretch.
bool can_stretch(const Body& body);

/// Why elements of a body cannot come apart, in words; "": they can.
std::string why_inseparable(const Scene& scene, std::size_t body);

/// Whether anything in the scene tears or cuts bodies on its own.
bool separates(const Scene& scene);

/// Throws Error{invalid_input} for bodies that are to tear or be cut and cannot, for limits out of
/// their range, and for invalid blades.
void check_separations(const Scene& scene);

/// Whether a blade cuts a body, judged by its name.
bool cuts(const Blade& blade, const Body& body);

}  // namespace supple
