#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

/// Runs the built program, for tests that see it from outside.
namespace supple::test {

struct Outcome {
  int code = -1;  ///< exit code; 128 + signal if one ended it
  std::string out;
  std::string err;
};

/// Runs `supple` with these arguments in a folder and waits for it.
Outcome run(const std::filesystem::path& folder, const std::vector<std::string>& arguments);
/// The same with standard output on a terminal with `columns` columns.
Outcome run_on_terminal(const std::filesystem::path& folder,
                        const std::vector<std::string>& arguments, int columns);
/// The same in a shell that first sets limits: "ulimit -f 1".
Outcome run_after(const std::string& shell, const std::filesystem::path& folder,
                  const std::vector<std::string>& arguments);
/// Starts it and returns at once.
pid_t start(const std::filesystem::path& folder, const std::vector<std::string>& arguments);
/// The same, with its output in a file.
pid_t start_writing(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
                    const std::filesystem::path& output);
/// Sends a signal and returns the exit code; -1 if it does not end in 20 s and is killed.
int end_by(pid_t process, int signal);
/// Kills the program with a signal that cannot be caught, and waits.
void kill_hard(pid_t process);

/// An empty folder for the running test, removed at the end.
class Workplace {
 public:
  Workplace();
  ~Workplace();
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  void write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

std::string bytes_of(const std::filesystem::path& file);
/// frames.csv without its ninth column, the time that each frame took.
std::string table_without_times(const std::filesystem::path& file);

/// A block of 90 tets that falls on a plane, 20 frames.
extern const char* const falling_block;

}  // namespace supple::test
