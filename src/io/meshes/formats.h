#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "supple/mesh.h"

/// The mesh formats, parsed from memory: what `read_tet_mesh` and `read_triangle_mesh` do once they
/// have the bytes of a file. `name` is used in errors.
///
/// All of them throw Error{bad_file} at "name:LINE" (text) or "name: byte N" (binary) for bytes
/// that are not in the format, end early or continue after its end, for a number that is not finite
/// or outside the range of a double, a count that does not match, an index out of range, and a tet
/// that `normalise` would refuse. They throw nothing else except std::bad_alloc, and allocate in
/// proportion to the number of bytes (VTU, which may be compressed: up to 100 times as much).
namespace supple {

/// MEDIT, ASCII, versions 1 to 4. Keywords can come in any order. Everything except vertices and
/// tets is skipped.
TetMesh parse_medit(std::string_view bytes, const std::string& name);

/// Gmsh 2 (2.0 to 2.2) and 4.1, ASCII and binary in either byte order. Node tags need not be
/// dense. Elements other than four-node tets are skipped; $ElementData of one component becomes a
/// field.
TetMesh parse_gmsh(std::string_view bytes, const std::string& name);

/// TetGen's pair of files, numbered from 0 or 1. Of ten-node tets only the corners are read.
/// Attributes of the tets become the fields "attribute_1", "attribute_2", ...
TetMesh parse_tetgen(std::string_view node_bytes, const std::string& node_name,
                     std::string_view ele_bytes, const std::string& ele_name);

/// VTK legacy unstructured grid, ASCII and binary, with cells as one list (versions up to 4) or as
/// offsets and connectivity (version 5). Cells other than linear tets are skipped. Scalars of the
/// cells become fields.
TetMesh parse_vtk(std::string_view bytes, const std::string& name);

/// VTK XML unstructured grid: ASCII, base64 or raw data, inline or appended, plain or compressed
/// by zlib; several pieces are joined. Cells and fields as in `parse_vtk`.
TetMesh parse_vtu(std::string_view bytes, const std::string& name);

/// Wavefront OBJ: vertices and faces, also with negative indices. Statements that do not affect the
/// shape are skipped.
TriangleMesh parse_obj(std::string_view bytes, const std::string& name);

/// PLY, ASCII and binary in either byte order: x, y, z of the vertices and the corners of the
/// faces; other properties and elements are skipped.
TriangleMesh parse_ply(std::string_view bytes, const std::string& name);

/// Strands from the lines ("l") of an OBJ, or from the edges ("vertex1", "vertex2") of a PLY. Faces
/// are skipped. Segments keep the order of the file; there may be none. Segments without length and
/// repeated segments are also refused.
SpringMesh parse_obj_lines(std::string_view bytes, const std::string& name);
SpringMesh parse_ply_lines(std::string_view bytes, const std::string& name);

/// STL, ASCII and binary. Equal vertices are merged, in the order of their first occurrence.
TriangleMesh parse_stl(std::string_view bytes, const std::string& name);

/// OFF, ASCII. Normals, colours and texture coordinates are skipped.
TriangleMesh parse_off(std::string_view bytes, const std::string& name);

/// Does the name have the ending of a format of tetrahedral meshes, or of surfaces?
bool has_tet_format(const std::filesystem::path& file);
bool has_surface_format(const std::filesystem::path& file);

/// The bytes of the file with this name. Throws Error{bad_file} if there is none.
using FileBytes = std::function<std::string(const std::filesystem::path& file)>;

/// `read_tet_mesh`, `read_triangle_mesh` and `read_strands` for files that are not on a disk.
TetMesh read_tet_mesh(const std::filesystem::path& file, const FileBytes& bytes);
TriangleMesh read_triangle_mesh(const std::filesystem::path& file, const FileBytes& bytes);
SpringMesh read_strands(const std::filesystem::path& file, const FileBytes& bytes);

/// Strands as `read_strands` reads them, or where a file has no lines the triangles of its surface.
SpringMesh read_strands_or_surface(const std::filesystem::path& file);
SpringMesh read_strands_or_surface(const std::filesystem::path& file, const FileBytes& bytes);

}  // namespace supple
