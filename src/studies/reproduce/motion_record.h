#pragma once

#include <optional>
#include <string>
#include <vector>

#include "studies/reproduce/context.h"
#include "studies/reproduce/finding.h"
#include "supple/simulation.h"

namespace supple::reproduce {

/// A simulated scene, frame by frame.
struct MotionRecord {
  Scene scene;
  std::vector<std::vector<double>> positions;  ///< [frames + 1][num_vertices * 3], m
  std::vector<StepReport> reports;             ///< [frames]
  std::vector<Energies> energies;              ///< [frames + 1], J
  std::vector<double> extents;                 ///< [frames + 1], see `extent`
  std::vector<int> inverted_tets;              ///< [frames + 1]
  std::optional<int> non_finite_frame;         ///< where it ended early

  double median_milliseconds() const;  ///< of the frames
  double largest_extent() const;
};

/// Simulates with the scene's own solver. A frame that is not finite ends the record.
MotionRecord record_motion(const Context& context, const Scene& scene, int frames,
                           const std::string& what);

/// Diagonal of the box of all positions over that of the rest shape: 1 at rest.
double extent(const Scene& scene, const std::vector<double>& positions);

/// Tets with det F < 0.
int count_inverted(const Scene& scene, const std::vector<double>& positions);

/// Volume of the tets over that of the rest shape; inverted tets count negative.
double volume_ratio(const Scene& scene, const std::vector<double>& positions);

/// One row of pictures per record, at the given frames, all from one viewpoint: the one that shows
/// the first record's whole motion. `labels`: one per record.
Figure motion_figure(const Context& context, const std::string& caption,
                     const std::vector<const MotionRecord*>& records,
                     const std::vector<std::string>& labels, const std::vector<int>& frames);

/// rms over the vertices of the distance to the rest shape after the best rigid motion [Kabsch
/// 1976], over the diagonal of the rest shape's box.
double distance_from_rest(const Scene& scene, const std::vector<double>& positions);

/// Rest positions of all bodies, in scene order, [num_vertices * 3], m.
std::vector<double> rest_positions(const Scene& scene);

}  // namespace supple::reproduce
