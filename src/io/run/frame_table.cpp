#include "io/run/frame_table.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <span>
#include <string_view>
#include <utility>

#include "io/exports/atomic_file.h"
#include "supple/error.h"

namespace supple {

namespace {

constexpr std::string_view head =
    "frame,time,iterations,evaluations,objective,gradient_norm,kinetic_energy,elastic_energy,"
    "milliseconds,pin_energy,gravity_energy,contact_energy,deepest_penetration,inverted,contacts,"
    "unconverged,friction_work,plastic_work,pressure_energy\n";

int open_part(const std::filesystem::path& path, int flags) {
  const std::filesystem::path part = part_name(path);
  const int file = ::open(part.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
  if (file < 0) throw_system_error(path, "written", errno);
  return file;
}

/// The header and the rows of frames 1 to num_rows.
std::string kept_rows(const std::filesystem::path& path, std::int64_t num_rows) {
  const auto fail = [&](const std::string& message) {
    throw Error(ErrorKind::bad_file, path.string(), message);
  };
  std::ifstream stream(path, std::ios::binary);
  if (!stream) fail("cannot be read; the run that is resumed left it beside its checkpoint");
  std::string rows, line;
  for (std::int64_t row = 0; row <= num_rows; ++row) {
    if (!std::getline(stream, line) || stream.eof()) {
      fail(fmt::format("ends before the row of frame {}", row));
    }
    line += '\n';
    if (row == 0 ? line != head : !line.starts_with(fmt::format("{},", row))) {
      fail(row == 0 ? "is not the table of a run" : fmt::format("has no row of frame {}", row));
    }
    rows += line;
  }
  return rows;
}

void write_text(int file, std::string_view text, const std::filesystem::path& path) {
  write_all(file, std::as_bytes(std::span(text)), path);
}

}  // namespace

FrameTable::FrameTable(std::filesystem::path path, int file)
    : path_(std::move(path)), file_(file) {}

FrameTable::FrameTable(const std::filesystem::path& path)
    : FrameTable(path, open_part(path, O_TRUNC)) {
  write_text(file_, head, path_);
}

FrameTable FrameTable::resume(const std::filesystem::path& path, std::int64_t num_rows) {
  const std::filesystem::path part = part_name(path);
  const bool has_part = std::filesystem::exists(part);
  const std::string rows = kept_rows(has_part ? part : path, num_rows);
  FrameTable table(path, open_part(path, 0));
  // A part already has these bytes, so nothing is lost before it is cut.
  if (!has_part) write_text(table.file_, rows, path);
  const auto size = static_cast<off_t>(rows.size());
  if (::ftruncate(table.file_, size) != 0 || ::lseek(table.file_, size, SEEK_SET) < 0) {
    throw_system_error(path, "cut to the checkpoint's frame", errno);
  }
  return table;
}

FrameTable::FrameTable(FrameTable&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

FrameTable::~FrameTable() {
  if (file_ >= 0) ::close(file_);
}

void FrameTable::append(std::int64_t frame, double time, const StepReport& report,
                        const Energies& energies) {
  write_text(
      file_,
      fmt::format("{},{},{},{},{},{},{},{},{:.3f},{},{},{},{},{},{},{},{},{},{}\n", frame, time,
                  report.iterations, report.evaluations, report.objective, report.gradient_norm,
                  energies.kinetic, energies.elastic, report.total_milliseconds, energies.pins,
                  energies.gravity, report.contact_energy, report.deepest_penetration,
                  report.inverted_tets, report.contacts, report.unconverged, report.friction_work,
                  report.plastic_work, energies.pressure),
      path_);
}

void FrameTable::sync() { sync_file(file_, path_); }

void FrameTable::finish() {
  sync();
  rename_part(path_);
  ::close(std::exchange(file_, -1));
}

}  // namespace supple
