#include "studies/reproduce/motion_record.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <span>

#include "io/exports/frame_source.h"
#include "io/exports/pictures.h"
#include "render/contact_sheet.h"
#include "render/png_file.h"
#include "render/scene_view.h"

namespace supple::reproduce {

namespace {

double diagonal(std::span<const double> positions) {
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    double low = positions[k], high = positions[k];
    for (std::size_t i = k; i < positions.size(); i += 3) {
      low = std::min(low, positions[i]);
      high = std::max(high, positions[i]);
    }
    sum += (high - low) * (high - low);
  }
  return std::sqrt(sum);
}

/// Six times the signed volume of the tet whose corners have these coordinates.
double signed_volume(const std::vector<double>& x, const std::array<int, 4>& tet, int first) {
  double e[3][3];
  const auto start = [&](std::size_t corner) {
    return 3 * static_cast<std::size_t>(first + tet[corner]);
  };
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) e[i][k] = x[start(i + 1) + k] - x[start(0) + k];
  }
  return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
         e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
         e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

}  // namespace

std::vector<double> rest_positions(const Scene& scene) {
  std::vector<double> positions;
  for (const Body& body : scene.bodies) {
    for (const Vec3& x : body.mesh.vertices) positions.insert(positions.end(), x.begin(), x.end());
  }
  return positions;
}

double extent(const Scene& scene, const std::vector<double>& positions) {
  return diagonal(positions) / diagonal(rest_positions(scene));
}

double MotionRecord::median_milliseconds() const {
  std::vector<double> times;
  for (const StepReport& report : reports) times.push_back(report.total_milliseconds);
  return median(times);
}

double MotionRecord::largest_extent() const {
  return *std::max_element(extents.begin(), extents.end());
}

int count_inverted(const Scene& scene, const std::vector<double>& positions) {
  const std::vector<double> rest = rest_positions(scene);
  int first = 0, count = 0;
  for (const Body& body : scene.bodies) {
    for (const auto& tet : body.mesh.tets) {
      // The sign of det F is that of the product.
      if (signed_volume(positions, tet, first) * signed_volume(rest, tet, first) < 0) ++count;
    }
    first += static_cast<int>(body.mesh.vertices.size());
  }
  return count;
}

double volume_ratio(const Scene& scene, const std::vector<double>& positions) {
  const std::vector<double> rest = rest_positions(scene);
  double volume = 0, rest_volume = 0;
  int first = 0;
  for (const Body& body : scene.bodies) {
    for (const auto& tet : body.mesh.tets) {
      const double at_rest = signed_volume(rest, tet, first);
      volume += at_rest > 0 ? signed_volume(positions, tet, first)
                            : -signed_volume(positions, tet, first);
      rest_volume += std::abs(at_rest);
    }
    first += static_cast<int>(body.mesh.vertices.size());
  }
  return volume / rest_volume;
}

MotionRecord record_motion(const Context& context, const Scene& scene, int frames,
                           const std::string& what) {
  context.working(what);
  MotionRecord record;
  record.scene = scene;
  Simulation simulation(scene, {.threads = context.settings().threads});
  const double rest = diagonal(rest_positions(scene));
  const auto take = [&] {
    record.positions.push_back(simulation.state().positions);
    record.energies.push_back(simulation.energies());
    record.extents.push_back(diagonal(record.positions.back()) / rest);
    record.inverted_tets.push_back(count_inverted(scene, record.positions.back()));
  };
  take();
  for (int frame = 1; frame <= frames; ++frame) {
    const StepReport report = simulation.step();
    simulation.check_step();
    if (report.status == StepStatus::non_finite) {
      record.non_finite_frame = frame;
      break;
    }
    record.reports.push_back(report);
    take();
    if (frame % 10 == 0) context.working(fmt::format("{}, frame {} of {}", what, frame, frames));
  }
  return record;
}

Figure motion_figure(const Context& context, const std::string& caption,
                     const std::vector<const MotionRecord*>& records,
                     const std::vector<std::string>& labels, const std::vector<int>& frames) {
  constexpr int width = 300, height = 225;
  const MotionRecord& first = *records.front();
  FrameSource source = frame_source(first.scene);
  source.num_frames = static_cast<int>(first.positions.size());
  source.read = [&](int frame, std::span<double> out) {
    const auto& x = first.positions[static_cast<std::size_t>(frame)];
    std::copy(x.begin(), x.end(), out.begin());
  };
  check(source);
  Threads threads(context.settings().threads);
  const SceneView view(viewed_scene(source), threads);
  std::vector<Image> pictures;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (const int frame : frames) {
      const auto last = static_cast<int>(records[i]->positions.size()) - 1;
      const int there = std::min(frame, last);
      context.working(fmt::format("picture of {}, frame {}", labels[i], there));
      pictures.push_back(view.draw(records[i]->positions[static_cast<std::size_t>(there)],
                                   there * first.scene.time.step, width, height));
      const bool ended = there < frame && records[i]->non_finite_frame.has_value();
      texts.push_back(
          fmt::format("{}, frame {}{}", labels[i], there, ended ? ", the last finite one" : ""));
    }
  }
  const Image sheet = contact_sheet(pictures, texts, static_cast<int>(frames.size()));
  return {.caption = caption, .svg = "", .png = png_bytes(sheet), .width = sheet.width};
}

double distance_from_rest(const Scene& scene, const std::vector<double>& positions) {
  const std::vector<double> rest = rest_positions(scene);
  using Points = Eigen::Map<const Eigen::Matrix3Xd>;
  const auto count = static_cast<Eigen::Index>(rest.size() / 3);
  const Points X(rest.data(), 3, count), x(positions.data(), 3, count);
  const Eigen::Vector3d X_mean = X.rowwise().mean(), x_mean = x.rowwise().mean();
  const Eigen::Matrix3Xd A = X.colwise() - X_mean, B = x.colwise() - x_mean;
  const Eigen::Matrix3d covariance = B * A.transpose();
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(covariance,
                                              Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Matrix3d sign = Eigen::Matrix3d::Identity();
  if ((svd.matrixU() * svd.matrixV().transpose()).determinant() < 0) sign(2, 2) = -1;
  const Eigen::Matrix3d R = svd.matrixU() * sign * svd.matrixV().transpose();
  const double rms = std::sqrt((B - R * A).squaredNorm() / static_cast<double>(count));
  return rms / diagonal(rest);
}

}  // namespace supple::reproduce
