#include <gtest/gtest.h>

#include <algorithm>

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

}  // namespace
}  // namespace supple::test
