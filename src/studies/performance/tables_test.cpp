#include "studies/performance/tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "studies/performance/pictures.h"

namespace supple::bench {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Results results() {
  Results all;
  all.machine = {"Some, Processor", 2, 4, "g++ 12", "Release", "-O3 -g"};
  all.threads = 2;
  SceneResult scene;
  scene.name = "hippo";
  scene.mesh = "published";
  scene.material = "corotated";
  scene.vertices = 2387;
  scene.elements = 8406;
  scene.frames = 100;
  scene.yardstick = 76;
  scene.yardstick_frames = 20;
  scene.unconverged = 1;
  scene.memory = {8.406e6, nan};
  Timing timing;
  timing.frame = 3.8;
  timing.to_fine = std::numeric_limits<double>::infinity();
  scene.timings = {timing, timing};
  scene.timings[1].threads = 2;
  scene.timings[1].frame = 1.9;
  scene.timings[0].ratio = 20;
  scene.timings[1].ratio = 40;
  all.scenes = {scene};
  GrowthResult body;
  body.material = "neo_hookean";
  body.tets = 1000;
  body.frame = 2;
  body.memory = {5e5, 1e6};
  all.growth = {body};
  return all;
}

/// Number of cells in a line of CSV without quotes.
std::size_t num_cells(const std::string& line) {
  return static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1;
}

TEST(BenchCsv, HasARowAThreadCountWithMachineAndFlags) {
  std::istringstream lines(bench_csv(results()));
  std::string header, one, two, more;
  ASSERT_TRUE(std::getline(lines, header) && std::getline(lines, one) && std::getline(lines, two));
  EXPECT_FALSE(std::getline(lines, more));
  EXPECT_EQ(header.rfind("scene,mesh,material,vertices,elements,threads,frames,ms,", 0), 0U);
  EXPECT_NE(header.find(",compiler,build,flags"), std::string::npos);
  EXPECT_EQ(one.rfind("hippo,published,corotated,2387,8406,1,100,3.8,", 0), 0U) << one;
  EXPECT_EQ(two.rfind("hippo,published,corotated,2387,8406,2,100,1.9,0,20,76,40,", 0), 0U) << two;
  EXPECT_NE(one.find(",inf,"), std::string::npos) << "a time that was not reached";
  EXPECT_NE(one.find(",1000,,"), std::string::npos) << "bytes an element, and an unknown peak";
  // The processor's name has a comma, which is quoted.
  EXPECT_EQ(num_cells(one), num_cells(header) + 1);
  EXPECT_NE(one.find("\"Some, Processor\""), std::string::npos);
}

TEST(GrowthCsv, HasWhatGrows) {
  const std::string text = growth_csv(results());
  EXPECT_EQ(text.rfind("material,tets,vertices,threads,frames,ms,ms_99,setup_ms,bytes_per_tet,", 0),
            0U);
  EXPECT_NE(text.find("\nneo_hookean,1000,0,1,0,2,0,0,500,1000,"), std::string::npos) << text;
}

TEST(PerformancePage, HasTheTablesAndWhatAStarMeans) {
  const std::string page = performance_page(results());
  EXPECT_NE(page.find("| 1 | hippo (published) | corotated | 8,406 |"), std::string::npos) << page;
  EXPECT_NE(page.find("20.0x"), std::string::npos) << page;
  EXPECT_NE(page.find("40.0x"), std::string::npos);
  EXPECT_NE(page.find("hippo (published) *"), std::string::npos);
  EXPECT_NE(page.find("> 100 its"), std::string::npos);
  EXPECT_NE(page.find("### Growth"), std::string::npos);
  Results fewer = results();
  fewer.growth.clear();
  EXPECT_EQ(performance_page(fewer).find("### Growth"), std::string::npos);
}

TEST(Tables, EveryRowIsAsLongAsItsHeader) {
  Results all = results();
  for (const int threads : {2, 1}) {
    all.threads = threads;
    if (threads == 1) all.scenes[0].timings.pop_back();
    for (const Table& table :
         {frame_table(all), error_table(all), stage_table(all), growth_table(all)}) {
      ASSERT_FALSE(table.rows.empty());
      for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
    }
  }
}

TEST(Tables, ColumnsAlign) {
  const Table table{
      .caption = "", .columns = {"name", "ms"}, .rows = {{"a", "12.5"}, {"long", "3"}}};
  EXPECT_EQ(columns(table, 1), "name    ms\na     12.5\nlong     3\n");
  EXPECT_EQ(markdown(table, 1), "| name | ms |\n|---|---:|\n| a | 12.5 |\n| long | 3 |\n");
}

TEST(Pictures, AGroupASceneAndALineAMaterial) {
  const plot::Figure frames = frame_figure(results());
  ASSERT_EQ(frames.charts.size(), 2U);
  EXPECT_EQ(frames.charts[0].series.size(), 3U);
  EXPECT_EQ(frames.charts[1].series.size(), 2U);
  EXPECT_EQ(frames.charts[1].series[1].y, std::vector<double>{40});
  EXPECT_NE(plot::svg_text(frames).find("<svg"), std::string::npos);
  EXPECT_NE(plot::svg_text(growth_figure(results())).find("<svg"), std::string::npos);
}

}  // namespace
}  // namespace supple::bench
