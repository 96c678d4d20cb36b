#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "io/exports/npy.h"
#include "program.h"

namespace supple::test {
namespace {

TEST(Scenes, EachRunsAndMoves) {
  std::vector<std::filesystem::path> scenes;
  for (const auto& entry : std::filesystem::directory_iterator(SUPPLE_SOURCE_DIR "/scenes")) {
    if (entry.path().extension() == ".json") scenes.push_back(entry.path());
  }
  ASSERT_GE(scenes.size(), 6U);
  const Workplace place;
  for (const std::filesystem::path& scene : scenes) {
    const std::string name = scene.stem().string();
    const Outcome outcome = run(place.path(), {"run", scene.string(), "-o", name, "--frames", "2"});
    ASSERT_EQ(outcome.code, 0) << name << ": " << outcome.err;
    const NpyReader positions(place / name / "positions.npy");
    ASSERT_EQ(positions.num_frames(), 3);
    std::vector<double> first(3 * static_cast<std::size_t>(positions.num_vertices()));
    std::vector<double> last = first;
    positions.read_frame(0, first);
    positions.read_frame(2, last);
    EXPECT_NE(first, last) << name;
  }
}

TEST(Scenes, EachHasAPictureForTheGalleryAndEachPictureAScene) {
  const std::filesystem::path folder = SUPPLE_SOURCE_DIR "/scenes";
  const auto names = [](const std::filesystem::path& of, const std::string& ending) {
    std::vector<std::string> stems;
    for (const auto& entry : std::filesystem::directory_iterator(of)) {
      if (entry.path().extension() == ending) stems.push_back(entry.path().stem().string());
    }
    std::sort(stems.begin(), stems.end());
    return stems;
  };
  const std::vector<std::string> scenes = names(folder, ".json");
  ASSERT_GE(scenes.size(), 6U);
  EXPECT_EQ(scenes, names(folder / "pictures", ".png")) << "scripts/pictures makes them";
}

/// Distance of the farthest vertex from the origin in the last frame, m.
double farthest(const std::filesystem::path& folder) {
  const NpyReader reader(folder / "positions.npy");
  std::vector<double> positions(3 * static_cast<std::size_t>(reader.num_vertices()));
  reader.read_frame(reader.num_frames() - 1, positions);
  double largest = 0;
  for (std::size_t i = 0; i < positions.size(); i += 3) {
    largest = std::max(largest, std::hypot(positions[i], positions[i + 1], positions[i + 2]));
  }
  return largest;
}

TEST(Scenes, TheExplosionIsWhatTheLineSearchPrevents) {
  const Workplace place;
  const std::string scene = SUPPLE_SOURCE_DIR "/scenes/explosion.json";
  const auto run_with = [&](const std::string& search) {
    return run(place.path(),
               {"run", scene, "-o", search, "--set", "/solver/line_search/type=" + search});
  };
  // A ball of one metre, jerked by 0.4 m [Liu et al. 2017, Fig. 2].
  for (const std::string search : {"backtracking", "wolfe", "exact"}) {
    const Outcome outcome = run_with(search);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_LT(farthest(place / search), 2) << search;
  }
  // Rounding decides whether it just grows very large or becomes non-finite.
  const Outcome outcome = run_with("none");
  if (outcome.code == 0) {
    EXPECT_GT(farthest(place / "none"), 1000);
  } else {
    EXPECT_EQ(outcome.code, 4) << outcome.err;
  }
}

}  // namespace
}  // namespace supple::test
