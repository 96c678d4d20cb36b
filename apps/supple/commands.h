#pragma once

#include <CLI/CLI.hpp>

/// The commands of the program `supple`. Each add_ function adds its command to the command line
/// and returns a function that runs it after parsing and gives the exit code. That function can
/// throw supple::Error.
namespace supple::cli {

/// Exit codes of the program.
inline constexpr int success = 0;
inline constexpr int not_valid = 2;   ///< a wrong command line, or a scene that is not valid
inline constexpr int bad_file = 3;    ///< a file that cannot be read or written
inline constexpr int non_finite = 4;  ///< the simulation produced a non-finite state
/// 128 plus the signal (130 or 143): SIGINT or SIGTERM ended a run, whose files are complete.
inline constexpr int interrupted = 128;

using Command = std::function<int()>;

Command add_run_command(CLI::App& app);
Command add_compare_command(CLI::App& app);
Command add_view_command(CLI::App& app);
Command add_reproduce_command(CLI::App& app);
Command add_bench_command(CLI::App& app);
Command add_list_command(CLI::App& app);
Command add_schema_command(CLI::App& app);

}  // namespace supple::cli
