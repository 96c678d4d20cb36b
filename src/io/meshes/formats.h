#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "supple/mesh.h"

/// The mesh formats from memory: what `read_tet_mesh` and `read_triangle_mesh` do once they have
/// the bytes of a file. `name` stands in errors.
///
/// All of them throw Error{bad_file} at "name:LINE" (text) or "name: byte N" (binary) for what is
/// not the format, ends early or goes on after its end, for a number that is not finite or not in
/// the range of a double, a count that does not match, an index out of range, and a tet that
/// `normalise` would refuse. They never throw anything else but std::bad_alloc, and allocate in
/// proportion to the bytes they are given (VTU, which may be compressed: up to 100 times as much).
namespace supple {

/// MEDIT, ASCII, versions 1 to 4. Keywords in any order; what is neither a vertex nor a tet is
/// skipped.
TetMesh parse_medit(std::string_view bytes, const std::string& name);

/// Gmsh 2 (2.0 to 2.2) and 4.1, ASCII and binary in either byte order. Node tags need not be
/// dense. Elements other than four-node tets are skipped; $ElementData of one component becomes a
/// field.
TetMesh parse_gmsh(std::string_view bytes, const std::string& name);

/// TetGen's pair of files, numbered from 0 or 1. Of ten-node tets the corners are read. Attributes
/// of the tets become the fields "attribute_1", "attribute_2", ...
TetMesh parse_tetgen(std::string_view node_bytes, const std::string& node_name,
                     std::string_view ele_bytes, const std::string& ele_name);

/// VTK legacy unstructured grid, ASCII and binary, with cells as one list (versions up to 4) or as
/// offsets and connectivity (version 5). Cells other than linear tets are skipped; scalars of the
/// cells become fields.
TetMesh parse_vtk(std::string_view bytes, const std::string& name);

/// VTK XML unstructured grid: ASCII, base64 or raw data, inline or appended, plain or compressed
/// by zlib; several pieces are joined. Cells and fields as in `parse_vtk`.
TetMesh parse_vtu(std::string_view bytes, const std::string& name);

/// Wavefront OBJ: vertices and faces, negative indices too; what has no bearing on the shape is
/// skipped.
TriangleMesh parse_obj(std::string_view bytes, const std::string& name);

/// PLY, ASCII and binary in either byte order: x, y, z of the vertices and the corners of the
/// faces; other properties and elements are skipped.
TriangleMesh parse_ply(std::string_view bytes, const std::string& name);

/// Strands of an OBJ, from its lines ("l"), and of a PLY, from its edges ("vertex1", "vertex2");
/// faces are skipped. Segments stand in the order of the file. Refused as well are segments without
/// length, those that are there twice, and a file without any.
SpringMesh parse_obj_lines(std::string_view bytes, const std::string& name);
SpringMesh parse_ply_lines(std::string_view bytes, const std::string& name);

/// STL, ASCII and binary. Equal vertices are joined, in the order of their first occurrence.
TriangleMesh parse_stl(std::string_view bytes, const std::string& name);

/// OFF, ASCII, also with normals, colours or texture coordinates, which are skipped.
TriangleMesh parse_off(std::string_view bytes, const std::string& name);

/// Whether the ending of a name is that of a format of tetrahedral meshes, or of surfaces.
bool has_tet_format(const std::filesystem::path& file);
bool has_surface_format(const std::filesystem::path& file);

/// The bytes of the file of that name. Throws Error{bad_file} where there is none.
using FileBytes = std::function<std::string(const std::filesystem::path& file)>;

/// `read_tet_mesh`, `read_triangle_mesh` and `read_strands` of files that lie elsewhere than on a
/// disk.
TetMesh read_tet_mesh(const std::filesystem::path& file, const FileBytes& bytes);
TriangleMesh read_triangle_mesh(const std::filesystem::path& file, const FileBytes& bytes);
SpringMesh read_strands(const std::filesystem::path& file, const FileBytes& bytes);

}  // namespace supple
