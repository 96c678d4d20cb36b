#include "io/run/run_scene.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "io/exports/atomic_file.h"
#include "io/exports/exports.h"
#include "io/exports/npy.h"
#include "io/exports/pictures.h"
#include "io/run/checkpoint.h"
#include "io/run/frame_table.h"
#include "io/run/frame_values.h"
#include "io/run/run_report.h"
#include "io/run/torn_positions.h"
#include "render/png_file.h"
#include "sim/separations.h"
#include "sim/stepper.h"
#include "supple/error.h"

namespace supple {

namespace {

using std::filesystem::path;

/// Builds the simulation. If its errors name JSON pointers, the scene's file is put before them.
Simulation make_simulation(const Scene& scene, const RunOptions& options) {
  try {
    return Simulation(scene, {.threads = options.threads});
  } catch (const Error& error) {
    if (!error.where().starts_with('/')) throw;
    // If the model refuses a mesh that was read without errors, the scene is at fault.
    throw Error(ErrorKind::invalid_input, options.scene_file + ": " + error.where(),
                error.message());
  }
}

/// Restores the state of the checkpoint, if there is one.
void restore(Simulation& simulation, const LoadedScene& loaded, const RunOptions& options,
             std::uint64_t fingerprint) {
  if (options.resume.empty()) return;
  const SimulationState state = read_checkpoint(options.resume, fingerprint);
  if (state.frame > loaded.scene.time.frames) {
    throw Error(ErrorKind::invalid_input, options.resume.string(),
                "is of frame " + std::to_string(state.frame) + ", after the last one, " +
                    std::to_string(loaded.scene.time.frames));
  }
  try {
    simulation.set_state(state);
  } catch (const Error& error) {
    throw Error(ErrorKind::bad_file, options.resume.string(), error.what());
  }
}

/// Makes the folder of the output. Unless `keep` is called, whatever a failed run leaves is
/// removed: the parts, which are of no use without a checkpoint, and folders that are new and
/// empty.
class OutputFolder {
 public:
  explicit OutputFolder(const path& folder) : folder_(folder) {
    std::error_code code;
    const auto status = std::filesystem::status(folder, code);
    if (std::filesystem::exists(status) && !std::filesystem::is_directory(status)) {
      throw Error(ErrorKind::bad_file, folder.string(), "is not a folder: the output needs one");
    }
    for (path above = folder; !above.empty() && !std::filesystem::exists(above, code);
         above = above.parent_path()) {
      made_.push_back(above);
    }
    make_folder(folder);
  }
  ~OutputFolder() {
    if (keep_) return;
    std::error_code ignored;
    for (const char* name : {"positions.npy", "frames.csv"}) {
      std::filesystem::remove(part_name(folder_ / name), ignored);
    }
    std::filesystem::remove(folder_ / "positions.npy.torn", ignored);
    for (const path& made : made_) std::filesystem::remove(made, ignored);
  }
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  void keep() { keep_ = true; }

 private:
  path folder_;
  std::vector<path> made_;  ///< innermost first
  bool keep_ = false;
};

/// positions.npy and frames.csv while they grow, and the checkpoints that depend on them.
class FrameFilesOfRun {
 public:
  /// whole: the scene at the start.
  FrameFilesOfRun(const Scene& whole, const Simulation& simulation, const RunOptions& options,
                  std::uint64_t fingerprint)
      : whole_(whole),
        options_(options),
        fingerprint_(fingerprint),
        table_(make_table(simulation, options)) {
    make_positions(simulation);
    if (options.resume.empty()) add_positions(simulation);
  }

  void add(const Simulation& simulation, const StepReport& report, const Energies& energies) {
    add_positions(simulation);
    table_.append(simulation.frame(), simulation.time(), report, energies);
  }

  /// After this, the run can be resumed from here, whatever happens.
  void checkpoint(const Simulation& simulation) {
    if (torn_) torn_->sync();
    if (positions_) positions_->sync();
    table_.sync();
    write_checkpoint(options_.folder / "checkpoint.bin", fingerprint_, simulation.state());
  }

  /// keeps_parts: a checkpoint depends on them.
  void finish(const Simulation& simulation, bool keeps_parts) {
    if (torn_) torn_->finish({whole_, simulation.state().separated}, keeps_parts);
    if (positions_) positions_->finish();
    table_.finish();
  }

 private:
  void make_positions(const Simulation& simulation) {
    const path file = options_.folder / "positions.npy";
    const bool is_resumed = !options_.resume.empty();
    if (separates(whole_) && is_resumed) {
      torn_.emplace(file, VertexGrowth(whole_, simulation.state().separated), simulation.frame());
    } else if (separates(whole_)) {
      torn_.emplace(file);
    } else if (is_resumed) {
      positions_.emplace(
          NpyWriter::resume(file, simulation.num_vertices(), simulation.frame() + 1));
    } else {
      positions_.emplace(file, simulation.num_vertices());
    }
  }
  static FrameTable make_table(const Simulation& simulation, const RunOptions& options) {
    const path file = options.folder / "frames.csv";
    if (options.resume.empty()) return FrameTable(file);
    return FrameTable::resume(file, simulation.frame());
  }
  void add_positions(const Simulation& simulation) {
    values_.resize(3 * static_cast<std::size_t>(simulation.num_vertices()));
    simulation.copy_positions(values_);
    if (torn_) torn_->append(values_);
    if (positions_) positions_->append(values_);
  }

  const Scene& whole_;
  const RunOptions& options_;
  std::uint64_t fingerprint_;
  std::optional<NpyWriter> positions_;
  std::optional<TornPositions> torn_;  ///< if bodies come apart
  FrameTable table_;
  std::vector<double> values_;
};

bool stopped(const RunOptions& options) { return options.stop && options.stop(); }

/// The measures of a tet.
struct TetMeasures {
  double determinant, von_mises;
  Vec3 stretches;
  double plastic_strain;
};

/// Values that only a running simulation knows, kept for the exports that show them.
class ToldValues {
 public:
  ToldValues(const Simulation& simulation, const path& folder, const RunStart& start) {
    if (!simulation.constraint_groups().empty()) {
      stresses_.emplace(folder / "stresses.part", start.first_frame,
                        static_cast<std::size_t>(start.num_tets));
    }
    const Scene& scene = simulation.scene();
    num_tets_ = static_cast<std::size_t>(start.num_tets);
    if (elements_change(scene) && num_tets_ > 0) {
      measures_.emplace(folder / "measures.part", start.first_frame - 1, num_tets_);
      append_measures(simulation);
    }
    const ContactSettings& contact = scene.contact;
    const bool touches =
        !scene.colliders.empty() || contact.self || (contact.bodies && scene.bodies.size() > 1);
    // Forces on vertices are left out if bodies can come apart.
    if (!touches || separates(scene)) return;
    forces_.emplace(folder / "forces.part", start.first_frame,
                    static_cast<std::size_t>(simulation.num_vertices()));
    force_.resize(static_cast<std::size_t>(simulation.num_vertices()));
  }

  /// Appends the values of the last frame.
  void append(const Simulation& simulation) {
    if (stresses_) stresses_->append(simulation.multiplier_stresses());
    append_measures(simulation);
    if (!forces_) return;
    simulation.copy_contact_forces({force_[0].data(), 3 * force_.size()});
    forces_->append(force_);
  }

  void add_to(FrameSource& source) const {
    if (measures_) {
      source.measure = [this](int frame, std::span<const double>) { return measures_of(frame); };
    }
    if (stresses_ && stresses_->has_any()) {
      source.stresses = [this](int frame) { return stresses_->read(frame); };
    }
    if (forces_ && forces_->has_any()) {
      source.contact_forces = [this](int frame) { return forces_->read(frame); };
    }
  }

 private:
  void append_measures(const Simulation& simulation) {
    if (!measures_) return;
    std::vector<double> x(3 * static_cast<std::size_t>(simulation.num_vertices()));
    simulation.copy_positions(x);
    const ElementMeasures all = simulation.measure(x);
    flows_ = !all.plastic_strain.empty();
    std::vector<TetMeasures> of_tets;
    for (std::size_t t = 0; t < num_tets_; ++t) {
      of_tets.push_back({all.determinant[t], all.von_mises[t], all.stretches[t],
                         flows_ ? all.plastic_strain[t] : 0});
    }
    measures_->append(of_tets);
  }

  /// NaN for frames before the run was resumed.
  ElementMeasures measures_of(int frame) const {
    const double none = std::numeric_limits<double>::quiet_NaN();
    std::vector<TetMeasures> of_tets = measures_->read(frame);
    if (of_tets.empty()) of_tets.assign(num_tets_, {none, none, {none, none, none}, none});
    ElementMeasures all;
    for (const TetMeasures& tet : of_tets) {
      all.determinant.push_back(tet.determinant);
      all.von_mises.push_back(tet.von_mises);
      all.stretches.push_back(tet.stretches);
      if (flows_) all.plastic_strain.push_back(tet.plastic_strain);
    }
    return all;
  }

  std::size_t num_tets_ = 0;
  std::optional<FrameValues<TetMeasures>> measures_;
  bool flows_ = false;
  std::optional<FrameValues<MultiplierStress>> stresses_;
  std::optional<FrameValues<Vec3>> forces_;
  std::vector<Vec3> force_;  ///< of the last frame, N
};

/// Null if no export shows such values.
std::unique_ptr<ToldValues> make_told_values(const Simulation& simulation,
                                             const RunOptions& options, const RunStart& start) {
  const bool shown =
      std::find(options.exports.begin(), options.exports.end(), "vtu") != options.exports.end();
  if (!shown) return nullptr;
  return std::make_unique<ToldValues>(simulation, options.folder, start);
}

/// Steps until the last frame, until a frame is not finite, or until the run is stopped.
void simulate(Simulation& simulation, const RunOptions& options, const RunObserver& observer,
              FrameFilesOfRun& files, ToldValues* told, OutputFolder& folder, HonestyProbe& probe,
              RunResult& result) {
  const Stopwatch watch;
  RunWatch run_watch(simulation.scene());
  while (result.frames < result.start.last_frame) {
    if (stopped(options)) {
      result.interrupted = true;
      files.checkpoint(simulation);
      break;
    }
    const int frame = result.frames + 1;
    probe.before_frame(simulation, frame);
    const StepReport report = simulation.step();
    simulation.check_step();
    if (report.status == StepStatus::non_finite) {
      result.non_finite_frame = frame;
      break;
    }
    result.totals.add(frame, report);
    const Energies energies = simulation.energies();
    run_watch.add(frame, report, energies);
    files.add(simulation, report, energies);
    if (told != nullptr) told->append(simulation);
    result.frames = frame;
    if (options.checkpoint_every > 0 && frame % options.checkpoint_every == 0) {
      files.checkpoint(simulation);
      folder.keep();
    }
    if (observer.frame_done) observer.frame_done(frame, report);
  }
  result.warnings = run_watch.warnings();
  result.unbalanced_share = run_watch.unbalanced_share();
  result.wall_seconds = watch.milliseconds() / 1000;
}

/// Measures what the solver's budget did to the material. A frame that ended the run is not
/// measured.
void measure_honesty(const LoadedScene& loaded, const RunOptions& options,
                     const RunObserver& observer, const HonestyProbe& probe, RunResult& result) {
  if (options.honesty_frames == 0 || result.interrupted) return;
  for (std::size_t i = 0; i < probe.size(); ++i) {
    const int frame = probe.frames()[i];
    if (frame > result.frames || stopped(options)) break;
    if (observer.writing) observer.writing("honesty.csv, frame " + std::to_string(frame));
    result.honesty.push_back(probe.measure(loaded.scene, i, options.threads));
  }
  write_file(options.folder / "honesty.csv", honesty_csv(result.honesty));
}

FrameSource source_of(const Simulation& simulation, const NpyReader& reader,
                      const ToldValues* told) {
  FrameSource source = frame_source(simulation.scene());
  source.num_frames = static_cast<int>(reader.num_frames());
  source.read = [&reader](int frame, std::span<double> positions) {
    reader.read_frame(frame, positions);
  };
  source.measure = [&simulation](int, std::span<const double> positions) {
    return simulation.measure(positions);
  };
  if (told != nullptr) told->add_to(source);
  return source;
}

/// Entries of a folder with their times of change. Those that are new or have changed are the
/// output. The time of a folder changes when files appear in it.
using Listing = std::vector<std::pair<path, std::filesystem::file_time_type>>;
Listing list_folder(const path& folder) {
  Listing listing;
  std::error_code code;
  for (auto entry = std::filesystem::directory_iterator(folder, code);
       !code && entry != std::filesystem::directory_iterator(); entry.increment(code)) {
    std::error_code failed;
    const auto time = entry->last_write_time(failed);
    if (!failed) listing.emplace_back(entry->path(), time);
  }
  std::sort(listing.begin(), listing.end());
  return listing;
}

std::uintmax_t bytes_of(const path& entry) {
  std::error_code failed;
  if (!std::filesystem::is_directory(entry, failed)) {
    const std::uintmax_t size = std::filesystem::file_size(entry, failed);
    return failed ? 0 : size;
  }
  std::uintmax_t sum = 0;
  for (const auto& below : list_folder(entry)) {
    if (std::filesystem::is_regular_file(below.first, failed)) sum += bytes_of(below.first);
  }
  return sum;
}

void note_written(const path& folder, const Listing& before, RunResult& result) {
  for (const auto& entry : list_folder(folder)) {
    if (std::binary_search(before.begin(), before.end(), entry)) continue;
    std::error_code failed;
    const bool is_folder = std::filesystem::is_directory(entry.first, failed);
    result.files.push_back(entry.first.filename().string() + (is_folder ? "/" : ""));
    result.bytes += bytes_of(entry.first);
  }
}

/// Makes one output, or says why a run that was stopped or ended non-finite lacks it.
template <class Make>
void write_output(const std::string& name, const RunOptions& options, const RunObserver& observer,
                  RunResult& result, const Make& make) {
  if (result.interrupted || stopped(options)) {
    result.interrupted = true;
    result.left_out.push_back(name + ": the run was interrupted");
    return;
  }
  if (observer.writing) observer.writing(name);
  try {
    make();
  } catch (const Error& error) {
    // Ctrl-C in a terminal also ends the program that encodes a film.
    result.interrupted = result.interrupted || stopped(options);
    if (!result.non_finite_frame && !result.interrupted) throw;
    result.left_out.push_back(name + ": " + error.what());
  }
}

void write_outputs(const Simulation& simulation, const ToldValues* told, const LoadedScene& loaded,
                   const RunOptions& options, const RunObserver& observer, RunResult& result) {
  write_file(options.folder / "run.json", run_report(loaded, options, result));
  const NpyReader reader(options.folder / "positions.npy");
  const FrameSource source = source_of(simulation, reader, told);
  if (options.preview) {
    write_output("preview.png", options, observer, result, [&] {
      write_png(options.folder / "preview.png", preview(source, options.threads));
    });
  }
  for (const std::string& kind : options.exports) {
    write_output(kind, options, observer, result, [&] {
      export_frames(kind, source, options.folder, {.threads = options.threads});
    });
  }
}

}  // namespace

RunResult run_scene(const LoadedScene& loaded, const RunOptions& options,
                    const RunObserver& observer) {
  for (const std::string& kind : options.exports) check_export(kind, "--export");
  if (options.honesty_frames > 0 && is_explicit(loaded.scene.time.integrator)) {
    throw Error(ErrorKind::invalid_input, "--honesty",
                std::string(to_string(loaded.scene.time.integrator)) +
                    " solves nothing: no budget makes the body stiffer");
  }
  if (options.honesty_frames > 0 && separates(loaded.scene)) {
    throw Error(ErrorKind::invalid_input, "--honesty",
                "needs bodies that keep their mesh, but some of this scene tear or are cut");
  }
  const std::uint64_t fingerprint = scene_fingerprint(loaded);
  Simulation simulation = make_simulation(loaded.scene, options);
  restore(simulation, loaded, options, fingerprint);

  RunResult result;
  result.frames = static_cast<int>(simulation.frame());
  result.start = {simulation.num_vertices(), simulation.num_tets(), simulation.num_threads(),
                  result.frames + 1, loaded.scene.time.frames};
  HonestyProbe probe(result.start.first_frame, result.start.last_frame, options.honesty_frames);
  OutputFolder folder(options.folder);
  // Parts that belong to a checkpoint stay, so that the run can be resumed again.
  if (!options.resume.empty()) folder.keep();
  result.groups = simulation.constraint_groups();
  const std::unique_ptr<ToldValues> told = make_told_values(simulation, options, result.start);
  const Listing before = list_folder(options.folder);
  {
    FrameFilesOfRun files(loaded.scene, simulation, options, fingerprint);
    if (observer.started) observer.started(result.start);
    simulate(simulation, options, observer, files, told.get(), folder, probe, result);
    // An older report or picture must not remain beside new positions.
    std::error_code ignored;
    for (const char* name : {"run.json", "preview.png", "honesty.csv"}) {
      std::filesystem::remove(options.folder / name, ignored);
    }
    files.finish(simulation,
                 options.checkpoint_every > 0 || result.interrupted || !options.resume.empty());
  }
  folder.keep();
  measure_honesty(loaded, options, observer, probe, result);
  write_outputs(simulation, told.get(), loaded, options, observer, result);
  // A run that was stopped before its last frame already has its checkpoint.
  if (result.interrupted && result.frames == result.start.last_frame) {
    write_checkpoint(options.folder / "checkpoint.bin", fingerprint, simulation.state());
  }
  note_written(options.folder, before, result);
  return result;
}

}  // namespace supple
