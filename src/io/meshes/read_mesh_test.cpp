#include <gtest/gtest.h>

#include <map>

#include "io/meshes/formats.h"
#include "supple/error.h"

namespace supple {
namespace {

using Files = std::map<std::string, std::string>;

FileBytes bytes_of(const Files& files) {
  return [&files](const std::filesystem::path& file) {
    const auto found = files.find(file.string());
    if (found == files.end()) throw Error(ErrorKind::bad_file, file.string(), "not there");
    return found->second;
  };
}

TEST(ReadMesh, EitherFileOfATetgenPairAsksForBothWhereverTheyLie) {
  const Files files = {{"in/tet.node", "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n"},
                       {"in/tet.ele", "1 4 0\n0 0 1 2 3\n"}};
  for (const char* name : {"in/tet.node", "in/tet.ele"}) {
    const TetMesh mesh = read_tet_mesh(name, bytes_of(files));
    ASSERT_EQ(mesh.vertices.size(), 4u) << name;
    ASSERT_EQ(mesh.tets.size(), 1u) << name;
    EXPECT_EQ(mesh.vertices[3][2], 1.0) << name;
  }
}

TEST(ReadMesh, AFileThatIsNotThereIsTheErrorOfItsSource) {
  const Files files = {{"tet.node", "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n"}};
  try {
    read_tet_mesh("tet.node", bytes_of(files));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_file);
    EXPECT_EQ(error.where(), "tet.ele");
    EXPECT_EQ(error.message(), "not there");
  }
}

TEST(ReadMesh, TheEndingSaysWhatAFileHolds) {
  for (const char* name : {"a.mesh", "a.MSH", "a.node", "a.ele", "a.vtk", "b/a.vtu"}) {
    EXPECT_TRUE(has_tet_format(name)) << name;
    EXPECT_FALSE(has_surface_format(name)) << name;
  }
  for (const char* name : {"a.obj", "a.ply", "a.STL", "b/a.off"}) {
    EXPECT_FALSE(has_tet_format(name)) << name;
    EXPECT_TRUE(has_surface_format(name)) << name;
    const Files files = {{name, ""}};
    EXPECT_THROW(read_tet_mesh(name, bytes_of(files)), Error) << name;
  }
  for (const char* name : {"", "mesh", "a.json", ".mesh", "a.mesh.txt"}) {
    EXPECT_FALSE(has_tet_format(name) || has_surface_format(name)) << name;
  }
}

}  // namespace
}  // namespace supple
