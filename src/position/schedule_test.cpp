#include "position/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "base/index.h"
#include "supple/error.h"
#include "supple/mesh.h"

namespace supple {
namespace {

using Tets = std::vector<std::array<int, 4>>;

/// What is wrong with a schedule, "" if nothing is.
std::string fault(const Schedule& s, const Tets& tets, int num_vertices) {
  if (s.task_start.empty() || s.phase_start.empty()) return "no starts";
  if (s.tet_of_lane.size() != at(s.num_batches() * s.width)) return "lanes are missing";
  if (s.phase_start.back() != s.num_tasks()) return "tasks in no phase";
  std::vector<int> seen(tets.size(), 0);
  std::vector<int> batch_at(at(num_vertices), -1), task_at(at(num_vertices), -1);
  for (int phase = 0; phase < s.num_phases(); ++phase) {
    if (s.phase_start[at(phase)] >= s.phase_start[at(phase) + 1]) return "an empty phase";
    std::fill(task_at.begin(), task_at.end(), -1);
    for (int task = s.phase_start[at(phase)]; task < s.phase_start[at(phase) + 1]; ++task) {
      if (s.task_start[at(task)] >= s.task_start[at(task) + 1]) return "an empty task";
      for (int lane = s.task_start[at(task)] * s.width; lane < s.task_start[at(task) + 1] * s.width;
           ++lane) {
        const int tet = s.tet_of_lane[at(lane)];
        if (tet < 0) continue;
        if (tet >= static_cast<int>(tets.size())) return "a tet that does not exist";
        ++seen[at(tet)];
        for (int v : tets[at(tet)]) {
          if (!s.serial && batch_at[at(v)] == lane / s.width) return "lanes share a vertex";
          if (task_at[at(v)] >= 0 && task_at[at(v)] != task) return "tasks share a vertex";
          batch_at[at(v)] = lane / s.width;
          task_at[at(v)] = task;
        }
      }
    }
  }
  if (!std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; })) return "not once each";
  return "";
}

struct Mesh {
  const char* name;
  Tets tets;
  int num_vertices;
};

Mesh named(const char* name, const TetMesh& mesh) {
  return {name, mesh.tets, static_cast<int>(mesh.vertices.size())};
}

/// Two meshes as two bodies.
Mesh joined(const char* name, const Mesh& a, const Mesh& b) {
  Mesh both{name, a.tets, a.num_vertices + b.num_vertices};
  for (std::array<int, 4> tet : b.tets) {
    for (int& v : tet) v += a.num_vertices;
    both.tets.push_back(tet);
  }
  return both;
}

/// Vertices and tets in a random order: nothing must depend on a good one.
Mesh shuffled(const char* name, Mesh mesh) {
  std::mt19937 random(3);
  std::vector<int> number(at(mesh.num_vertices));
  std::iota(number.begin(), number.end(), 0);
  std::shuffle(number.begin(), number.end(), random);
  for (auto& tet : mesh.tets) {
    for (int& v : tet) v = number[at(v)];
  }
  std::shuffle(mesh.tets.begin(), mesh.tets.end(), random);
  mesh.name = name;
  return mesh;
}

/// Tets that share `hub_size` vertices (one or two) and nothing else.
Mesh fan(const char* name, int num_tets, int hub_size) {
  Mesh mesh{name, {}, hub_size};
  for (int t = 0; t < num_tets; ++t) {
    std::array<int, 4> tet{0, 1, 0, 0};
    for (int c = hub_size; c < 4; ++c) tet[at(c)] = mesh.num_vertices++;
    mesh.tets.push_back(tet);
  }
  return mesh;
}

/// Tets between arbitrary vertices: not a mesh, but nothing must fail.
Mesh random_tets(const char* name, int num_tets, int num_vertices) {
  std::mt19937 random(5);
  Mesh mesh{name, {}, num_vertices};
  while (static_cast<int>(mesh.tets.size()) < num_tets) {
    std::array<int, 4> tet{};
    for (int& v : tet) v = static_cast<int>(random() % static_cast<unsigned>(num_vertices));
    std::array<int, 4> sorted = tet;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) == sorted.end()) mesh.tets.push_back(tet);
  }
  return mesh;
}

Mesh box10k() {
  return named("box", generate(BoxGenerator{.size = {2, 1, 1}, .cells = {20, 10, 10}}));
}
Mesh ball25k() { return named("ball", generate(SphereGenerator{.cells = 16})); }

std::vector<Mesh> meshes() {
  std::vector<Mesh> all{
      {"nothing", {}, 5},
      {"one tet, unused vertices", {{7, 3, 1, 4}}, 9},
      named("small box", generate(BoxGenerator{.cells = {3, 4, 5}, .tets_per_cell = 6})),
      box10k(),
      ball25k(),
      named("torus", generate(TorusGenerator{.segments = 64, .cells = 8})),
      fan("fan around a vertex", 5000, 1),
      fan("fan around an edge", 5000, 2),
      random_tets("few vertices", 6000, 30),
      random_tets("some vertices", 6000, 1000),
      random_tets("many vertices", 6000, 40000),
  };
  all.push_back(joined("two bodies", all[3], all[2]));
  all.push_back(joined("ball and fan", ball25k(), all[6]));
  all.push_back(shuffled("shuffled ball", ball25k()));
  return all;
}

TEST(Schedule, EveryTetComesOnceAndWhatIsDoneTogetherSharesNoVertex) {
  for (const Mesh& mesh : meshes()) {
    for (const XpbdOrder order : {XpbdOrder::parts, XpbdOrder::colours, XpbdOrder::natural}) {
      for (int width : {1, 8, 16}) {
        const Schedule s = make_schedule(mesh.tets, mesh.num_vertices, order, width);
        EXPECT_EQ(s.width, width);
        EXPECT_EQ(fault(s, mesh.tets, mesh.num_vertices), "")
            << mesh.name << " " << order << " " << width;
        const std::vector<int> sizes = s.phase_sizes();
        EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), 0),
                  static_cast<int>(mesh.tets.size()));
      }
    }
  }
}

TEST(Schedule, TheCheckFindsBrokenSchedules) {
  const Mesh mesh = box10k();
  const Schedule good = make_schedule(mesh.tets, mesh.num_vertices, XpbdOrder::parts, 8);
  ASSERT_EQ(fault(good, mesh.tets, mesh.num_vertices), "");
  Schedule bad = good;
  bad.tet_of_lane[0] = -1;
  EXPECT_EQ(fault(bad, mesh.tets, mesh.num_vertices), "not once each");
  // Tets of a cell share vertices, so the first two are put into the first two lanes.
  bad = good;
  std::swap(bad.tet_of_lane[0], *std::ranges::find(bad.tet_of_lane, 0));
  std::swap(bad.tet_of_lane[1], *std::ranges::find(bad.tet_of_lane, 1));
  EXPECT_EQ(fault(bad, mesh.tets, mesh.num_vertices), "lanes share a vertex");
  // All phases at once.
  bad = good;
  ASSERT_GE(good.num_phases(), 2);
  bad.phase_start = {0, good.num_tasks()};
  EXPECT_EQ(fault(bad, mesh.tets, mesh.num_vertices), "tasks share a vertex");
  // In natural order neighbours are side by side, which is fine as long as it is serial.
  bad = make_schedule(mesh.tets, mesh.num_vertices, XpbdOrder::natural, 8);
  bad.serial = false;
  EXPECT_EQ(fault(bad, mesh.tets, mesh.num_vertices), "lanes share a vertex");
}

TEST(Schedule, PartsAreFewPhasesOfTasksOfSimilarSize) {
  for (const Mesh& mesh : {box10k(), ball25k(), shuffled("shuffled ball", ball25k())}) {
    const Schedule s = make_schedule(mesh.tets, mesh.num_vertices, XpbdOrder::parts, 8);
    // Each level leaves the tets between its parts: a fifth to a half, at 2,000 tets a part.
    EXPECT_GE(s.num_phases(), 2) << mesh.name;
    EXPECT_LE(s.num_phases(), 4) << mesh.name;
    EXPECT_GE(s.phase_sizes()[0], static_cast<int>(mesh.tets.size()) / 2) << mesh.name;
    int largest = 0;
    for (int t = 0; t < s.phase_start[1]; ++t) {
      largest = std::max(largest, s.task_start[at(t) + 1] - s.task_start[at(t)]);
    }
    EXPECT_GE(s.phase_start[1], 4) << mesh.name;
    // A cut can move away from the middle by 6 percent of the weight, and parts at the surface keep
    // more of their tets than parts inside.
    EXPECT_LE(largest * s.phase_start[1], 2 * s.task_start[at(s.phase_start[1])]) << mesh.name;
  }
}

TEST(Schedule, ASmallBodyIsOneTask) {
  const TetMesh mesh = generate(BoxGenerator{.cells = {7, 7, 7}});  // 1,715 tets
  const Schedule s =
      make_schedule(mesh.tets, static_cast<int>(mesh.vertices.size()), XpbdOrder::parts, 8);
  EXPECT_EQ(s.num_phases(), 1);
  EXPECT_EQ(s.num_tasks(), 1);
}

TEST(Schedule, BodiesAreKeptApart) {
  // Eight bodies of 1,715 tets: the cuts fall between them, and nothing lies across.
  Mesh mesh = named("box", generate(BoxGenerator{.cells = {7, 7, 7}}));
  for (int i = 0; i < 3; ++i) mesh = joined("boxes", mesh, mesh);
  const Schedule s = make_schedule(mesh.tets, mesh.num_vertices, XpbdOrder::parts, 8);
  EXPECT_EQ(s.num_phases(), 1);
  EXPECT_EQ(s.num_tasks(), 8);
}

TEST(Schedule, LanesAreFilled) {
  // Measured shares are 0.97 to 0.998. The empty lanes are in the last batches of each task, where
  // the remaining tets touch each other. There are more of them if tasks are small and lanes many.
  for (const Mesh& mesh : {box10k(), ball25k(), shuffled("shuffled ball", ball25k()),
                           named("torus", generate(TorusGenerator{.segments = 64, .cells = 8}))}) {
    for (const XpbdOrder order : {XpbdOrder::parts, XpbdOrder::colours}) {
      EXPECT_GT(make_schedule(mesh.tets, mesh.num_vertices, order, 8).filled(), 0.97)
          << mesh.name << " " << order;
      EXPECT_GT(make_schedule(mesh.tets, mesh.num_vertices, order, 16).filled(), 0.94)
          << mesh.name << " " << order;
    }
  }
}

TEST(Schedule, TetsAroundAHubArePackedWithOthers) {
  // No two tets of a fan can be done together.
  const Mesh alone = fan("fan", 5000, 1);
  for (const XpbdOrder order : {XpbdOrder::parts, XpbdOrder::colours}) {
    const Schedule s = make_schedule(alone.tets, alone.num_vertices, order, 8);
    EXPECT_EQ(s.num_batches(), 5000) << order;
    EXPECT_EQ(s.num_tasks(), 1) << order;
  }
  // Eight fans of 200 have as many colours as one: 200, of eight tets each. They are packed across
  // colours, into no more batches than that.
  Mesh fans = fan("fan", 200, 1);
  for (int i = 0; i < 3; ++i) fans = joined("fans", fans, fans);
  for (const XpbdOrder order : {XpbdOrder::parts, XpbdOrder::colours}) {
    const Schedule s = make_schedule(fans.tets, fans.num_vertices, order, 8);
    EXPECT_LE(s.num_phases(), 1 + 64) << order;
    EXPECT_GT(s.filled(), 0.9) << order;
  }
  // A fan of 200 tets and 1,400 others that touch nothing: 200 full batches, whatever comes first.
  Mesh mixed = fan("fan", 200, 1);
  for (int i = 0; i < 1400; ++i) mixed = joined("mixed", mixed, fan("tet", 1, 1));
  EXPECT_EQ(make_schedule(mixed.tets, mixed.num_vertices, XpbdOrder::parts, 8).num_batches(), 200);
  // A fan in a body that is cut: its batches take other tets too. With as many batches as tets in
  // the fan, 29,576 tets would fill 0.74 of the lanes; with 5,000 of them alone in their batches,
  // 0.46.
  const Mesh both = joined("ball and fan", ball25k(), alone);
  for (const XpbdOrder order : {XpbdOrder::parts, XpbdOrder::colours}) {
    const Schedule s = make_schedule(both.tets, both.num_vertices, order, 8);
    EXPECT_GT(s.filled(), 0.7) << order;
  }
}

TEST(Schedule, ALatticeHasEightColoursOfCells) {
  for (int tets_per_cell : {5, 6}) {
    TetMesh box = generate(BoxGenerator{.cells = {6, 5, 4}, .tets_per_cell = tets_per_cell});
    const int num_vertices = static_cast<int>(box.vertices.size());
    const Schedule s = make_schedule(box.tets, num_vertices, XpbdOrder::cells, 8);
    EXPECT_EQ(fault(s, box.tets, num_vertices), "");
    // Cells are even or odd along each direction: 3 3 x 3 2 x 2 2.
    std::vector<int> sizes = s.phase_sizes();
    std::ranges::sort(sizes);
    const int few = 3 * 2 * 2 * tets_per_cell;
    const int many = 3 * 3 * 2 * tets_per_cell;
    EXPECT_EQ(sizes, (std::vector<int>{few, few, few, few, many, many, many, many}));
    // A lane works through a cell.
    for (int k = 0; k < tets_per_cell; ++k) {
      EXPECT_EQ(s.tet_of_lane[at(8 * k)], s.tet_of_lane[0] + k);
    }
  }
}

TEST(Schedule, SeveralLatticesAreOne) {
  const Mesh five = box10k();
  const Mesh six = named("six", generate(BoxGenerator{.cells = {5, 3, 2}, .tets_per_cell = 6}));
  const Mesh ball = named("ball", generate(SphereGenerator{.cells = 6}));
  const Mesh all = joined("all", joined("two", five, six), joined("two", ball, five));
  for (int width : {8, 16}) {
    const Schedule s = make_schedule(all.tets, all.num_vertices, XpbdOrder::cells, width);
    EXPECT_EQ(fault(s, all.tets, all.num_vertices), "");
    EXPECT_EQ(s.num_phases(), 8);
    // Besides the last group of each colour, one group mixes cells of five and of six.
    EXPECT_GT(s.filled(), 0.95);
  }
}

std::string message_of(const Mesh& mesh, XpbdOrder order) {
  try {
    make_schedule(mesh.tets, mesh.num_vertices, order, 8);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    EXPECT_EQ(error.where(), "/solver/order");
    return error.message();
  }
  return "";
}

TEST(Schedule, CellsAreForLatticesAlone) {
  EXPECT_NE(message_of(shuffled("shuffled", ball25k()), XpbdOrder::cells).find("use 8 vertices"),
            std::string::npos);
  EXPECT_NE(message_of(fan("fan", 10, 1), XpbdOrder::cells).find("tet 0"), std::string::npos);
  // Nine cells around one vertex.
  Mesh mesh = named("cell", generate(BoxGenerator{.cells = {1, 1, 1}}));
  const Mesh cell = mesh;
  for (int i = 0; i < 8; ++i) mesh = joined("star", mesh, cell);
  for (auto& tet : mesh.tets) {
    for (int& v : tet) v = v % cell.num_vertices == 0 ? 0 : v;
  }
  EXPECT_NE(message_of(mesh, XpbdOrder::cells).find("eight colours"), std::string::npos);
  EXPECT_NE(message_of(mesh, XpbdOrder::cells).find("tets 40 to 44"), std::string::npos);
}

TEST(Schedule, NaturalKeepsTheOrderOfTheTets) {
  const Mesh mesh = shuffled("shuffled", box10k());
  const Schedule s = make_schedule(mesh.tets, mesh.num_vertices, XpbdOrder::natural, 16);
  EXPECT_TRUE(s.serial);
  EXPECT_EQ(s.num_phases(), 1);
  EXPECT_EQ(s.num_tasks(), 1);
  for (int t = 0; t < static_cast<int>(mesh.tets.size()); ++t) EXPECT_EQ(s.tet_of_lane[at(t)], t);
}

TEST(Schedule, TheSameMeshGivesTheSameSchedule) {
  const Mesh mesh = shuffled("shuffled", ball25k());
  for (const XpbdOrder order : {XpbdOrder::parts, XpbdOrder::colours}) {
    const Schedule a = make_schedule(mesh.tets, mesh.num_vertices, order, 8);
    const Schedule b = make_schedule(mesh.tets, mesh.num_vertices, order, 8);
    EXPECT_EQ(a.tet_of_lane, b.tet_of_lane);
    EXPECT_EQ(a.task_start, b.task_start);
    EXPECT_EQ(a.phase_start, b.phase_start);
  }
}

TEST(Schedule, ColoursAreOfSimilarSize) {
  const Mesh mesh = ball25k();
  std::vector<int> valence(at(mesh.num_vertices), 0);
  for (const auto& tet : mesh.tets) {
    for (int v : tet) ++valence[at(v)];
  }
  const Schedule s = make_schedule(mesh.tets, mesh.num_vertices, XpbdOrder::colours, 8);
  const std::vector<int> sizes = s.phase_sizes();
  // There are at least as many colours as tets around one vertex. A greedy colouring has less than
  // twice as many.
  const int least = *std::ranges::max_element(valence);
  EXPECT_GE(s.num_phases(), least);
  EXPECT_LT(s.num_phases(), 2 * least);
  EXPECT_LE(*std::ranges::max_element(sizes), 2 * *std::ranges::min_element(sizes));
}

}  // namespace
}  // namespace supple
