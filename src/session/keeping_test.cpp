#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "session/test_session.h"
#include "session/voxels.h"

namespace supple {
namespace {

using nlohmann::ordered_json;
using test::Page;

std::string file_of(const std::string& packet, std::size_t index) {
  const Packet read(std::as_bytes(std::span(packet)));
  return std::string(read.bytes("file_" + std::to_string(index)));
}

TEST(Recording, IsExportedAsFiles) {
  Page page("block");
  page.tell(R"({"do": "pause"})");
  EXPECT_FALSE(page.ask(std::string(R"({"do": "export", "format": "obj"})"))["ok"]);
  page.tell(R"({"do": "record", "on": true})");
  page.step(3);
  EXPECT_EQ(page.status["recording"], 4);
  page.tell(R"({"do": "record", "on": false})");
  page.step(1);
  EXPECT_TRUE(page.status["recording"].is_null());
  const ordered_json obj = page.tell(R"({"do": "export", "format": "obj"})");
  ASSERT_EQ(obj["files"].size(), 4U);
  EXPECT_EQ(obj["files"][3]["name"], "obj/frame_0003.obj");
  EXPECT_NE(file_of(page.reply_packet, 0).find("v -1 "), std::string::npos);
  const ordered_json vtu = page.tell(R"({"do": "export", "format": "vtu"})");
  EXPECT_EQ(vtu["files"].size(), 5U);
  EXPECT_NE(file_of(page.reply_packet, 1).find("von_mises"), std::string::npos);
  EXPECT_FALSE(page.ask(std::string(R"({"do": "export", "format": "objj"})"))["ok"]);
}

TEST(Recording, EndsWithItsScene) {
  Page page("block");
  page.tell(R"({"do": "pause"})");
  page.tell(R"({"do": "record", "on": true})");
  page.step(2);
  page.tell(R"({"do": "open", "scene": "free"})");
  page.step(2);
  EXPECT_TRUE(page.status["recording"].is_null());
  EXPECT_EQ(page.notes.back()["level"], "info");
  EXPECT_EQ(page.tell(R"({"do": "export", "format": "ply"})")["files"].size(), 3U);
}

/// The reply to `save`, as the packet that `load` takes.
PacketWriter loadable(const std::string& saved) {
  const Packet read(std::as_bytes(std::span(saved)));
  PacketWriter writer(read.header());
  for (const char* key : {"is", "re", "ok"}) writer.header().erase(key);
  writer.header()["do"] = "load";
  for (const char* name : {"scene", "origin"}) writer.add(name, read.bytes(name));
  for (std::size_t i = 0; i < read.header()["files"].size(); ++i) {
    const std::string name = "file_" + std::to_string(i);
    writer.add(name, read.bytes(name));
  }
  for (const char* name : {"pin_vertices", "pin_targets", "positions", "velocities",
                           "previous_positions", "previous_velocities", "accelerations", "plastic",
                           "rods", "weights", "rested", "unfolding", "multipliers"}) {
    writer.add(name, std::span<const double>(read.numbers(name)));
  }
  return writer;
}

TEST(Keeping, AStateGoesOnWithTheSameBits) {
  Page page("block");
  page.tell(R"({"do": "pause"})");
  page.tell(R"({"do": "show", "vertices": "all"})");
  page.tell(R"({"do": "set", "values": {"/time/integrator": "bdf2", "/gravity/0": 1}})");
  page.tell(R"({"do": "pin", "vertices": [3, 11]})");
  page.tell(R"({"do": "unpin", "vertices": [0]})");
  page.tell(R"({"do": "handle", "body": 0, "pin": 1, "translate": [0, 0.1, 0], "degrees": 10})");
  page.tell(R"({"do": "collider", "index": 0, "translate": [0, 1, 0]})");
  page.step(20);
  page.tell(R"({"do": "save"})");
  const std::string saved = page.reply_packet;
  page.step(20);
  const auto expected = page.positions();
  const ordered_json changed = page.scene["changed"];

  Page other("free");
  other.tell(R"({"do": "pause"})");
  other.tell(R"({"do": "show", "vertices": "all"})");
  const ordered_json reply = other.ask_packet(loadable(saved));
  ASSERT_TRUE(reply["ok"].get<bool>()) << reply;
  other.advance(other.now);
  EXPECT_EQ(other.scene["source"], "block");
  EXPECT_EQ(other.scene["changed"], changed);
  EXPECT_EQ(other.frame_header()["frame"], 20);
  EXPECT_EQ(other.frame_header()["pins"][0]["count"], 2);
  other.step(20);
  EXPECT_EQ(other.positions(), expected);
  other.tell(R"({"do": "reset"})");
  other.advance(other.now);
  EXPECT_EQ(other.frame_header()["frame"], 0);
}

/// A body that has flowed keeps its bent rest shape, not only its positions.
TEST(Keeping, AStateHoldsWhatHasFlowed) {
  Page page("block");
  page.tell(R"({"do": "pause"})");
  page.tell(R"({"do": "show", "vertices": "all"})");
  page.tell(R"({"do": "set", "values": {"/bodies/0/material/plasticity": {"yield": 1e-3}}})");
  page.step(20);
  page.tell(R"({"do": "save"})");
  const std::string saved = page.reply_packet;
  const std::vector<double> flowed = Packet(std::as_bytes(std::span(saved))).numbers("plastic");
  ASSERT_GE(flowed.size(), 10U);
  double strain = 0;
  for (std::size_t i = 9; i < flowed.size(); i += 10) strain += flowed[i];
  EXPECT_GT(strain, 0);
  Page other("free");
  other.tell(R"({"do": "pause"})");
  const ordered_json reply = other.ask_packet(loadable(saved));
  ASSERT_TRUE(reply["ok"].get<bool>()) << reply;
  other.tell(R"({"do": "save"})");
  EXPECT_EQ(Packet(std::as_bytes(std::span(other.reply_packet))).numbers("plastic"), flowed);
}

/// How long bodies have rested, and what the convergence probe will check next, are kept too.
TEST(Keeping, AStateHoldsWhatOnlyLaterFramesShow) {
  Page page("free");
  page.tell(R"({"do": "pause"})");
  page.tell(R"({"do": "show", "vertices": "all"})");
  page.tell(R"({"do": "set", "values": {"/time/sleep_after": 0.5}})");
  page.step(20);
  page.tell(R"({"do": "save"})");
  const std::string saved = page.reply_packet;
  const Packet first(std::as_bytes(std::span(saved)));
  ASSERT_FALSE(first.numbers("rested").empty());
  ASSERT_GT(first.header()["next_look"], 0);
  Page other("block");
  other.tell(R"({"do": "pause"})");
  const ordered_json reply = other.ask_packet(loadable(saved));
  ASSERT_TRUE(reply["ok"].get<bool>()) << reply;
  other.tell(R"({"do": "save"})");
  const Packet second(std::as_bytes(std::span(other.reply_packet)));
  EXPECT_EQ(second.numbers("rested"), first.numbers("rested"));
  for (const char* key : {"unconverged", "next_look", "look_interval", "weights_spent"}) {
    EXPECT_EQ(second.header()[key], first.header()[key]) << key;
  }
}

TEST(Keeping, ADamagedStateChangesNothing) {
  Page page("block");
  page.tell(R"({"do": "pause"})");
  page.tell(R"({"do": "pin", "vertices": [3, 11]})");
  page.step(2);
  page.tell(R"({"do": "save"})");
  const std::string saved = page.reply_packet;
  const auto before = page.positions();
  const auto refused = [&](const auto& damage) {
    PacketWriter packet = loadable(saved);
    damage(packet.header());
    const ordered_json reply = page.ask_packet(packet);
    return !reply["ok"].template get<bool>();
  };
  EXPECT_TRUE(refused([](ordered_json& h) { h["state"] = 2; }));
  EXPECT_TRUE(refused([](ordered_json& h) { h["frame"] = -1; }));
  EXPECT_TRUE(refused([](ordered_json& h) { h["pins"] = 3; }));
  EXPECT_TRUE(refused([](ordered_json& h) { h["pins"][0]["by_hand"][0]["count"] = 3; }));
  EXPECT_TRUE(refused([](ordered_json& h) { h["pins"][0]["by_hand"][0]["stiffness"] = 0; }));
  EXPECT_TRUE(refused([](ordered_json& h) { h["more"] = 1; }));
  EXPECT_TRUE(refused([](ordered_json& h) { h["files"] = {{{"name", "x.mesh"}}}; }));
  EXPECT_FALSE(page.ask(std::string(R"({"do": "load"})"))["ok"]);
  page.advance(page.now);
  EXPECT_EQ(page.positions(), before);
  EXPECT_TRUE(!refused([](ordered_json&) {}));  // undamaged
}

PacketWriter dropped(const std::vector<std::pair<std::string, std::string>>& files) {
  PacketWriter packet;
  packet.header()["do"] = "open";
  packet.header()["files"] = ordered_json::array();
  for (std::size_t i = 0; i < files.size(); ++i) {
    packet.header()["files"].push_back({{"name", files[i].first}});
    packet.add("file_" + std::to_string(i), files[i].second);
  }
  return packet;
}

const char* const tet =
    "MeshVersionFormatted 1\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
    "Tetrahedra\n1\n1 2 3 4 0\nEnd\n";

std::string cube() {
  std::string obj;
  for (int c = 0; c < 8; ++c) {
    obj += "v " + std::to_string(c & 1) + " " + std::to_string((c >> 1) & 1) + " " +
           std::to_string((c >> 2) & 1) + "\n";
  }
  return obj + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
}

TEST(Drops, AMeshAloneBecomesABodyOverTheGround) {
  Page page("block");
  const ordered_json reply = page.ask_packet(dropped({{"C:\\meshes\\one tet.mesh", tet}}));
  ASSERT_TRUE(reply["ok"].get<bool>()) << reply;
  page.advance(1);
  EXPECT_EQ(page.scene["source"], "one tet.mesh");
  EXPECT_EQ(page.scene["settings"]["bodies"][0]["mesh"]["file"], "one tet.mesh");
  EXPECT_EQ(page.scene["settings"]["colliders"].size(), 1U);
  EXPECT_EQ(test::integers_of(page.topology, "tets").size(), 4U);
  // The state of a dropped scene carries its files.
  page.tell(R"({"do": "save"})");
  const std::string saved = page.reply_packet;
  Page other("free");
  const ordered_json loaded = other.ask_packet(loadable(saved));
  EXPECT_TRUE(loaded["ok"].get<bool>()) << loaded;
}

TEST(Drops, ASceneComesWithItsMeshes) {
  Page page("block");
  const std::string scene = R"({"supple": 1, "bodies": [{"mesh": {"file": "meshes/a.mesh"},
      "material": {"model": "arap", "mu": 1e4}}],
      "colliders": [{"mesh": {"file": "cube.obj"}, "transform": {"translate": [0, -3, 0]}}]})";
  const ordered_json reply =
      page.ask_packet(dropped({{"scene.json", scene}, {"a.mesh", tet}, {"cube.obj", cube()}}));
  ASSERT_TRUE(reply["ok"].get<bool>()) << reply;
  page.advance(1);
  EXPECT_EQ(test::floats_of(page.topology, "collider_0_vertices").size(), 24U);
  EXPECT_EQ(page.frame_header()["colliders"][0]["type"], "mesh");
  const auto refused = [&](const auto& files) {
    return !page.ask_packet(dropped(files))["ok"].template get<bool>();
  };
  using Files = std::vector<std::pair<std::string, std::string>>;
  EXPECT_TRUE(refused(Files{{"scene.json", scene}}));
  EXPECT_TRUE(refused(Files{{"scene.json", "{"}}));
  EXPECT_TRUE(refused(Files{{"a.mesh", tet}, {"b.mesh", tet}}));
  EXPECT_TRUE(refused(Files{{"a.mesh", tet}, {"x/a.mesh", tet}}));
  EXPECT_TRUE(refused(Files{{"a.mesh", "nonsense"}}));
  EXPECT_TRUE(refused(Files{{"a.txt", "nonsense"}}));
  EXPECT_TRUE(refused(Files{{"..", "nonsense"}}));
  EXPECT_TRUE(refused(Files{}));
  page.advance(2);
  EXPECT_EQ(page.scene["source"], "scene.json");
}

TEST(Drops, ASurfaceBecomesABodyOfCubes) {
  Page page("block");
  const ordered_json reply = page.ask_packet(dropped({{"cube.obj", cube()}}));
  ASSERT_TRUE(reply["ok"].get<bool>()) << reply;
  page.advance(1);
  // 24 cells along each side, five tets each.
  EXPECT_EQ(test::integers_of(page.topology, "tets").size(), 4U * 5 * 24 * 24 * 24);
}

TEST(Voxels, ABallHasItsVolume) {
  TriangleMesh ball;
  const int n = 24;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j < 2 * n; ++j) {
      const double u = M_PI * i / n, v = M_PI * j / n;
      ball.vertices.push_back({std::sin(u) * std::cos(v), std::cos(u), std::sin(u) * std::sin(v)});
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < 2 * n; ++j) {
      const int a = 2 * n * i + j, b = 2 * n * i + (j + 1) % (2 * n);
      ball.triangles.push_back({a, b, b + 2 * n});
      ball.triangles.push_back({a, b + 2 * n, a + 2 * n});
    }
  }
  const TetMesh body = voxel_body(ball, 20, "ball");
  double volume = 0;
  for (const double v : tet_volumes(body)) volume += v;
  // Cubes whose centre is inside: the error is about the cubes at the surface, as a share of all
  // cubes.
  EXPECT_NEAR(volume, 4 * M_PI / 3, 0.06);
  // Faces match: the surface is closed, every edge has as many faces one way as the other.
  std::map<std::pair<int, int>, int> edges;
  for (const auto& t : surface_triangles(body)) {
    for (std::size_t c = 0; c < 3; ++c) {
      const int a = t[c], b = t[(c + 1) % 3];
      edges[{std::min(a, b), std::max(a, b)}] += a < b ? 1 : -1;
    }
  }
  for (const auto& edge : edges) EXPECT_EQ(edge.second, 0);
  EXPECT_THROW(voxel_body(TriangleMesh{}, 8, "nothing"), std::exception);
  EXPECT_THROW(voxel_body(TriangleMesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}}, 8, "flat"),
               std::exception);
}

}  // namespace
}  // namespace supple
