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

/// Pairs of elements of a body that are to come apart: tets, triangles of a cloth or segments of a
/// strand, each first < second.
struct BodySeparation {
  int body = 0;
  std::vector<ElementPair> pairs;
};

/// A scene after elements of its bodies have come apart.
struct SeparatedScene {
  Scene scene;
  /// [num_bodies]: of each new vertex of a body, behind its others, the vertex that it is a copy
  /// of.
  std::vector<std::vector<int>> copies;
  /// [num_bodies]: of each spring of a body of which some elements came apart, the one before that
  /// it is a part of. Not known of a scene that was separated anew.
  std::vector<std::vector<int>> spring_parents;
  bool has_copies() const;
};

/// Calls work(elements) with the tets of a body or, where it has none, its triangles or segments.
template <class Body, class WithElements>
auto with_elements(Body& body, const WithElements& work) {
  return !body.mesh.tets.empty()   ? work(body.mesh.tets)
         : !body.triangles.empty() ? work(body.triangles)
                                   : work(body.segments);
}

/// What has come apart in the bodies of a simulation: Simulation::cut, separate and what tears. A
/// mesh follows from the whole one and from the pairs in their order: no pair is forgotten, as what
/// is still closed opens when its neighbours come apart.
class Separations {
 public:
  Separations() = default;
  /// Of bodies that are whole.
  explicit Separations(std::size_t num_bodies) : bodies_(num_bodies) {}

  /// All that came apart, in that order.
  const std::vector<Separation>& all() const { return all_; }

  /// Pairs of elements that hang together, ascending. `body` is that of the scene as it is now.
  const std::vector<ElementPair>& joined(int index, const Body& body);
  /// Pairs that do not any more, ascending.
  const std::vector<ElementPair>& apart(int index) const;

  /// Notes that pairs come apart after so many frames, at once. Throws Error{invalid_input} at
  /// "elements" for pairs that do not hang together in `now`.
  SeparatedScene separate(const Scene& now, std::span<const BodySeparation> pairs,
                          std::int64_t frame);

  /// Forgets all, makes the bodies of `now` whole, and separates anew. vertices: of each vertex of
  /// `now`, the one of the result that has its number, or that of which it is a copy. Throws
  /// Error{invalid_input} at "separated" for pairs that do not hang together.
  SeparatedScene replay(const Scene& now, const std::vector<Separation>& all,
                        std::vector<int>& vertices);

  /// The copies in each body of vertices of the whole one, in the order of the bodies.
  std::vector<std::vector<int>> copies() const;
  /// TornBodies::spring_shares.
  std::vector<std::vector<double>> spring_shares(const Scene& now) const;

  /// The pins that a body was given; they are those of the whole one.
  void pins_given(int index, const std::vector<Pin>& pins);

  /// Those of the bodies that stay: origin of each body, -1: it is added and whole.
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
  };
  struct OfBody {
    std::shared_ptr<const Whole> whole;  ///< null: it is
    std::vector<Pin> pins;               ///< as given, where it is not whole
    std::vector<int> copies;             ///< vertices of the whole body behind its own
    std::vector<int> spring_origins;     ///< of its springs those of the whole one, where it is not
    std::vector<ElementPair> apart, joined;
    bool has_joined = false;
  };
  /// What vertices and springs of a body come from: SeparatedScene.
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

/// Gives the corners of a point, vertices of the scene `before`, those of the first element that
/// has them all. False: none has, or the body is as it was.
bool follow_element(const Scene& before, const SeparatedScene& after, std::vector<int>& corners);

/// Whether a body of springs has any between the corners of an element that can stretch.
bool can_stretch(const Body& body);

/// Why elements of a body cannot come apart, in words; "": they can.
std::string why_inseparable(const Scene& scene, std::size_t body);

/// Whether anything in the scene tears bodies or cuts them by itself.
bool separates(const Scene& scene);

/// Throws Error{invalid_input} for bodies that are to tear or to be cut and cannot, for limits out
/// of their range, and for blades that are none.
void check_separations(const Scene& scene);

/// Whether a blade cuts a body, by its name.
bool cuts(const Blade& blade, const Body& body);

}  // namespace supple
