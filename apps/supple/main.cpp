#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <new>
#include <string>

#include "supple/command_line.h"
#include "supple/commands.h"
#include "supple/error.h"
#include "supple/say.h"
#include "supple/version.h"

namespace supple::cli {

namespace {

int report(const std::string& message, int code) {
  complain(message);
  return code;
}

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_input:
      return not_valid;
    case ErrorKind::bad_file:
      return bad_file;
    case ErrorKind::non_finite:
      return non_finite;
  }
  return not_valid;
}

int run(int argc, const char* const* argv) {
  CLI::App app("Real-time simulation of hyperelastic bodies.", "supple");
  app.set_version_flag("--version", std::string("supple ") + version());
  app.require_subcommand(1);
  app.footer("Example:\n  supple run scenes/twisting_bar.json -o out/bar --export mp4");
  Command command;
  const Command run_scene = add_run_command(app);
  const Command compare = add_compare_command(app);
  const Command view = add_view_command(app);
  const Command reproduce = add_reproduce_command(app);
  const Command bench = add_bench_command(app);
  const Command list = add_list_command(app);
  const Command schema = add_schema_command(app);
  app.get_subcommand("run")->callback([&] { command = run_scene; });
  app.get_subcommand("compare")->callback([&] { command = compare; });
  app.get_subcommand("view")->callback([&] { command = view; });
  app.get_subcommand("reproduce")->callback([&] { command = reproduce; });
  app.get_subcommand("bench")->callback([&] { command = bench; });
  app.get_subcommand("list")->callback([&] { command = list; });
  app.get_subcommand("schema")->callback([&] { command = schema; });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version
    return report(explain(app, error, argc, argv) + "\nsupple: try supple --help", not_valid);
  }
  try {
    const int code = command();
    if (code == success && output_failed()) {
      return report("standard output: cannot be written", bad_file);
    }
    return code;
  } catch (const Error& error) {
    return report(error.what(), exit_code(error.kind()));
  } catch (const std::bad_alloc&) {
    return report("there is not enough memory for this scene", not_valid);
  } catch (const std::exception& error) {
    return report(error.what(), bad_file);
  }
}

/// Opens standard streams that are closed at the start. Otherwise the next opened file would take
/// their place, and messages would be written to it.
void open_standard_streams() {
  int file = 0;
  do {
    file = ::open("/dev/null", O_RDWR);
  } while (file >= 0 && file <= STDERR_FILENO);
  if (file >= 0) ::close(file);
}

}  // namespace

}  // namespace supple::cli

int main(int argc, char** argv) {
  supple::cli::open_standard_streams();
  // A reader that goes away must not end a simulation, and a file that must not grow is an ordinary
  // error.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return supple::cli::run(argc, argv);
  } catch (...) {
    // Not even the message could be created.
    return supple::cli::bad_file;
  }
}
