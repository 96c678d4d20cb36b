#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/names.h"
#include "io/exports/exports.h"
#include "io/scene/scene_json.h"
#include "supple/commands.h"
#include "supple/error.h"
#include "supple/folders.h"
#include "supple/say.h"
#include "supple/simulation.h"

namespace supple::cli {

namespace {

using std::filesystem::path;

/// The mesh readers of supple/io.h.
std::vector<Description> list_readers() {
  return {{".mesh", "read: tets, MEDIT, ASCII"},
          {".msh", "read: tets, Gmsh 2.2 and 4.1, ASCII and binary"},
          {".node", "read: tets, TetGen, with its .ele beside it"},
          {".ele", "read: tets, TetGen, with its .node beside it"},
          {".vtk", "read: tets, VTK legacy"},
          {".vtu", "read: tets, VTK XML"},
          {".obj", "read: surfaces of cloth and colliders, and strands, Wavefront OBJ"},
          {".ply", "read: surfaces of cloth and colliders, and strands, PLY, ASCII and binary"},
          {".stl", "read: surfaces of cloth and colliders, STL, ASCII and binary"},
          {".off", "read: surfaces of cloth and colliders, OFF"}};
}

std::vector<Description> list_formats() {
  std::vector<Description> formats = list_readers();
  for (const Description& format : list_exports()) {
    formats.push_back({format.name, "--export: " + format.text});
  }
  return formats;
}

std::vector<Description> list_scene_files() {
  const path folder = scenes_folder();
  std::vector<Description> list;
  for (const SceneFile& scene : list_scenes(folder)) {
    list.push_back({(folder / scene.file.filename()).string(), scene.name});
  }
  return list;
}

std::vector<Description> list_all_materials() {
  std::vector<Description> list = list_materials();
  for (Description& material : list_membrane_materials()) list.push_back(std::move(material));
  for (Description& material : list_spring_materials()) list.push_back(std::move(material));
  for (Description& material : list_rigid_materials()) list.push_back(std::move(material));
  return list;
}

void print(const std::vector<Description>& list) {
  std::size_t width = 0;
  for (const Description& entry : list) width = std::max(width, entry.name.size());
  std::string text;
  for (const Description& entry : list) {
    text += fmt::format("{:{}}  {}\n", entry.name, width, entry.text);
  }
  say(text);
}

}  // namespace

Command add_list_command(CLI::App& app) {
  struct List {
    const char* name;
    const char* text;
    std::vector<Description> (*make)();
  };
  static const std::array<List, 8> lists{{
      {"materials", "hyperelastic models, membranes and springs", list_all_materials},
      {"bending", "how membranes resist bending", list_bending_models},
      {"fabrics", "measured fabrics for membranes", list_fabrics},
      {"solvers", "methods that solve a step", list_solvers},
      {"options", "keys of a scene's solver: default; values; solvers; what it is",
       list_solver_options},
      {"integrators", "definitions of a time step", list_integrators},
      {"scenes", "scenes that come with the program: file and name", list_scene_files},
      {"formats", "files that are read and written", list_formats},
  }};
  CLI::App* const command =
      app.add_subcommand("list", "Prints what is available, one line each, with parameters.");
  command->footer("Example:\n  supple list materials");
  const auto what = std::make_shared<std::string>();
  std::vector<std::string> names;
  std::string text = "What to list:";
  for (const List& list : lists) {
    names.emplace_back(list.name);
    text += fmt::format("\n{} ({})", list.name, list.text);
  }
  command->add_option("WHAT", *what, text)->required();
  return [what, names] {
    for (const List& list : lists) {
      if (*what == list.name) {
        print(list.make());
        return success;
      }
    }
    throw Error(ErrorKind::invalid_input, "list", unknown_name("list", *what, names));
  };
}

}  // namespace supple::cli
