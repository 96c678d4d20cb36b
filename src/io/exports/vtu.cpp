#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string>

#include "io/exports/atomic_file.h"
#include "io/exports/formats.h"
#include "io/exports/frame_files.h"
#include "supple/error.h"

namespace supple {

namespace {

constexpr std::uint8_t vtk_line = 3, vtk_triangle = 5, vtk_tetra = 10;

/// The part that does not change from frame to frame.
struct Topology {
  std::vector<std::int32_t> vertex;        ///< number of each vertex
  std::vector<std::int32_t> connectivity;  ///< corners of the cells
  std::vector<std::int32_t> offsets;       ///< end of each cell in `connectivity`
  std::vector<std::uint8_t> types;
  std::vector<std::int32_t> body;
  std::size_t num_tets = 0;

  /// Tets; for a body without tets its triangles, or its lines.
  explicit Topology(const FrameSource& source) {
    for (int v = 0; v < source.num_vertices; ++v) vertex.push_back(v);
    for (std::size_t b = 0; b < source.bodies.size(); ++b) {
      const FrameBody& from = source.bodies[b];
      add(b, from.first_vertex, from.tets, vtk_tetra);
      num_tets += from.tets.size();
      if (!from.tets.empty()) continue;
      add(b, from.first_vertex, from.triangles, vtk_triangle);
      if (from.triangles.empty()) add(b, from.first_vertex, from.segments, vtk_line);
    }
  }
  std::size_t num_cells() const { return types.size(); }

 private:
  template <std::size_t count>
  void add(std::size_t number, int first_vertex, const std::vector<std::array<int, count>>& cells,
           std::uint8_t type) {
    for (const auto& cell : cells) {
      for (const int v : cell) connectivity.push_back(first_vertex + v);
      offsets.push_back(static_cast<std::int32_t>(connectivity.size()));
      types.push_back(type);
      body.push_back(static_cast<std::int32_t>(number));
    }
  }
};

/// Writes the XML part of a file with raw data at its end: arrays are announced first and written
/// later, each preceded by its size.
class Writer {
 public:
  /// component_names: ComponentName0="xx" and so on, or nothing.
  template <class T>
  std::string array(const char* name, std::span<const T> values, int components = 1,
                    const char* component_names = "") {
    std::string text = fmt::format(
        "        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"{} "
        "format=\"appended\" offset=\"{}\"/>\n",
        type_name(T{}), name, components, component_names, offset_);
    blocks_.push_back(std::as_bytes(values));
    offset_ += sizeof(std::uint64_t) + values.size_bytes();
    return text;
  }
  void append_to(AtomicFile& file) const {
    for (const auto& block : blocks_) {
      file.write_value(static_cast<std::uint64_t>(block.size()));
      file.write(block);
    }
  }

 private:
  static const char* type_name(double) { return "Float64"; }
  static const char* type_name(std::int32_t) { return "Int32"; }
  static const char* type_name(std::uint8_t) { return "UInt8"; }

  std::size_t offset_ = 0;
  std::vector<std::span<const std::byte>> blocks_;
};

void check_count(std::size_t n, std::size_t expected, const char* what,
                 const char* things = "tets") {
  if (n == expected) return;
  throw Error(ErrorKind::invalid_input, "export: vtu",
              fmt::format("{} {} for {} {}", n, what, expected, things));
}

void check(const ElementMeasures& measures, std::size_t num_tets) {
  for (const std::size_t n :
       {measures.determinant.size(), measures.von_mises.size(), measures.stretches.size()}) {
    check_count(n, num_tets, "measures");
  }
  if (!measures.plastic_strain.empty()) {
    check_count(measures.plastic_strain.size(), num_tets, "plastic strains");
  }
}

/// Stresses per cell, as they are written.
struct CellStresses {
  std::vector<double> hydrostatic;  ///< [num_cells], Pa
  std::vector<double> deviatoric;   ///< [num_cells * 6], Pa
};

/// One entry per cell: NaN for cells that are not tets, and for all cells if there are no stresses.
CellStresses spread(const std::vector<MultiplierStress>& of_tets, const Topology& topology) {
  const std::size_t n = topology.num_cells();
  const double none = std::numeric_limits<double>::quiet_NaN();
  CellStresses result{std::vector<double>(n, none), std::vector<double>(6 * n, none)};
  if (of_tets.empty()) return result;
  check_count(of_tets.size(), topology.num_tets, "stresses");
  std::size_t tet = 0;
  for (std::size_t cell = 0; cell < n; ++cell) {
    if (topology.types[cell] != vtk_tetra) continue;
    result.hydrostatic[cell] = of_tets[tet].hydrostatic;
    for (std::size_t k = 0; k < 6; ++k) {
      result.deviatoric[6 * cell + k] = of_tets[tet].deviatoric[k];
    }
    ++tet;
  }
  return result;
}

/// One entry per cell: NaN for cells that are not tets, which viewers show separately.
ElementMeasures spread(const ElementMeasures& of_tets, const Topology& topology) {
  const std::size_t n = topology.num_cells();
  const double none = std::numeric_limits<double>::quiet_NaN();
  ElementMeasures result{std::vector<double>(n, none), std::vector<double>(n, none),
                         std::vector<Vec3>(n, Vec3{none, none, none}),
                         std::vector<double>(of_tets.plastic_strain.empty() ? 0 : n, none)};
  std::size_t tet = 0;
  for (std::size_t cell = 0; cell < n; ++cell) {
    if (topology.types[cell] != vtk_tetra) continue;
    result.determinant[cell] = of_tets.determinant[tet];
    result.von_mises[cell] = of_tets.von_mises[tet];
    result.stretches[cell] = of_tets.stretches[tet];
    if (!result.plastic_strain.empty()) result.plastic_strain[cell] = of_tets.plastic_strain[tet];
    ++tet;
  }
  return result;
}

void write_frame(const std::filesystem::path& path, const Topology& topology,
                 std::span<const double> positions, const ElementMeasures* measures,
                 const CellStresses* stresses, const std::vector<Vec3>* forces, double time) {
  Writer writer;
  std::string cells = writer.array<std::int32_t>("body", topology.body);
  if (measures != nullptr) {
    const double* stretches = measures->stretches.empty() ? nullptr : &measures->stretches[0][0];
    cells += writer.array<double>("J", measures->determinant);
    cells += writer.array<double>("von_mises", measures->von_mises);
    cells += writer.array<double>("principal_stretches", {stretches, 3 * topology.num_cells()}, 3);
    if (!measures->plastic_strain.empty()) {
      cells += writer.array<double>("plastic_strain", measures->plastic_strain);
    }
  }
  if (stresses != nullptr) {
    cells += writer.array<double>("hydrostatic_stress", stresses->hydrostatic);
    cells +=
        writer.array<double>("deviatoric_stress", stresses->deviatoric, 6,
                             " ComponentName0=\"xx\" ComponentName1=\"yy\" ComponentName2=\"zz\" "
                             "ComponentName3=\"xy\" ComponentName4=\"yz\" ComponentName5=\"zx\"");
  }
  std::string points = writer.array<std::int32_t>("vertex", topology.vertex);
  if (forces != nullptr) {
    const double* first = forces->empty() ? nullptr : (*forces)[0].data();
    points += writer.array<double>("contact_force", {first, 3 * forces->size()}, 3);
  }
  std::string text = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n"
      "  <UnstructuredGrid>\n"
      "    <FieldData>\n"
      "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
      "format=\"ascii\">{}</DataArray>\n"
      "    </FieldData>\n"
      "    <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
      time, topology.vertex.size(), topology.num_cells());
  text += "      <PointData>\n" + points + "      </PointData>\n      <CellData>\n" + cells +
          "      </CellData>\n      <Points>\n" + writer.array<double>("Points", positions, 3) +
          "      </Points>\n      <Cells>\n" +
          writer.array<std::int32_t>("connectivity", topology.connectivity) +
          writer.array<std::int32_t>("offsets", topology.offsets) +
          writer.array<std::uint8_t>("types", topology.types) +
          "      </Cells>\n    </Piece>\n  </UnstructuredGrid>\n"
          "  <AppendedData encoding=\"raw\">\n_";
  AtomicFile file(path);
  file.write(text);
  writer.append_to(file);
  file.write("\n  </AppendedData>\n</VTKFile>\n");
  file.commit();
}

}  // namespace

void export_vtu(const FrameSource& source, const std::filesystem::path& folder) {
  const Topology topology(source);
  if (topology.num_cells() == 0) {
    throw Error(ErrorKind::invalid_input, "export: vtu", "no body has tets, triangles or lines");
  }
  const FrameFiles files(folder / "vtu", "vtu", source.num_frames);
  FrameReader reader(source);
  std::string collection =
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
      "  <Collection>\n";
  for (int frame = 0; frame < source.num_frames; ++frame) {
    const auto positions = reader.read(frame);
    const double time = frame * source.frame_step;
    ElementMeasures measures;
    const bool measured = source.measure && topology.num_tets > 0;
    if (measured) {
      measures = source.measure(frame, positions);
      check(measures, topology.num_tets);
      measures = spread(measures, topology);
    }
    CellStresses stresses;
    const bool stressed = source.stresses && topology.num_tets > 0;
    if (stressed) stresses = spread(source.stresses(frame), topology);
    std::vector<Vec3> forces;
    if (source.contact_forces) {
      forces = source.contact_forces(frame);
      const double none = std::numeric_limits<double>::quiet_NaN();
      if (forces.empty()) forces.assign(topology.vertex.size(), Vec3{none, none, none});
      check_count(forces.size(), topology.vertex.size(), "forces", "vertices");
    }
    write_frame(files.path(frame), topology, positions, measured ? &measures : nullptr,
                stressed ? &stresses : nullptr, source.contact_forces ? &forces : nullptr, time);
    collection += fmt::format("    <DataSet timestep=\"{}\" part=\"0\" file=\"vtu/{}\"/>\n", time,
                              files.name(frame));
  }
  collection += "  </Collection>\n</VTKFile>\n";
  write_file(folder / "animation.pvd", collection);
  files.remove_others();
}

}  // namespace supple
