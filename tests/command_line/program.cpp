#include "program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

namespace supple::test {

const char* const falling_block = R"({
  "supple": 1,
  "name": "falling block",
  "time": { "frames": 20 },
  "bodies": [ { "mesh": { "box": { "cells": [2, 3, 3], "center": [0, 0.6, 0] } },
                "material": { "model": "neo_hookean", "young": 1e5, "poisson": 0.4 } } ],
  "colliders": [ { "plane": {} } ]
})";

namespace {

const char* const program = SUPPLE_BINARY_DIR "/bin/supple";

/// What the child does after fork. Never returns.
[[noreturn]] void become(const std::filesystem::path& folder, std::vector<std::string> words,
                         int out, int err) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  if (::chdir(folder.c_str()) == 0 && ::dup2(out, STDOUT_FILENO) >= 0 &&
      ::dup2(err, STDERR_FILENO) >= 0) {
    ::execv(argv[0], argv.data());
  }
  ::_exit(126);
}

pid_t spawn(const std::filesystem::path& folder, const std::vector<std::string>& words, int out,
            int err) {
  const pid_t process = ::fork();
  if (process == 0) become(folder, words, out, err);
  return process;
}

std::vector<std::string> with_program(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

int wait_for(pid_t process) {
  int status = 0;
  if (::waitpid(process, &status, 0) < 0) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int open_new(const std::filesystem::path& file) {
  return ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

Outcome run_words(const std::filesystem::path& folder, const std::vector<std::string>& words) {
  // Beside the folder, not in it, because tests check what the program leaves there.
  const std::string base = folder.string();
  const int out = open_new(base + ".out"), err = open_new(base + ".err");
  Outcome outcome;
  outcome.code = wait_for(spawn(folder, words, out, err));
  ::close(out);
  ::close(err);
  outcome.out = bytes_of(base + ".out");
  outcome.err = bytes_of(base + ".err");
  std::filesystem::remove(base + ".out");
  std::filesystem::remove(base + ".err");
  return outcome;
}

}  // namespace

Outcome run(const std::filesystem::path& folder, const std::vector<std::string>& arguments) {
  return run_words(folder, with_program(arguments));
}

Outcome run_after(const std::string& shell, const std::filesystem::path& folder,
                  const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"/bin/sh", "-c", shell + "; exec \"$@\"", "sh"};
  for (const std::string& word : with_program(arguments)) words.push_back(word);
  return run_words(folder, words);
}

Outcome run_on_terminal(const std::filesystem::path& folder,
                        const std::vector<std::string>& arguments, int columns) {
  int reader = -1, terminal = -1;
  const winsize size{24, static_cast<unsigned short>(columns), 0, 0};
  if (::openpty(&reader, &terminal, nullptr, nullptr, &size) != 0) return {};
  const pid_t process = spawn(folder, with_program(arguments), terminal, terminal);
  ::close(terminal);
  Outcome outcome;
  std::array<char, 4096> bytes{};
  // Reading fails once the last writer is gone.
  for (ssize_t n = 0; (n = ::read(reader, bytes.data(), bytes.size())) > 0;) {
    outcome.out.append(bytes.data(), static_cast<std::size_t>(n));
  }
  ::close(reader);
  outcome.code = wait_for(process);
  return outcome;
}

pid_t start(const std::filesystem::path& folder, const std::vector<std::string>& arguments) {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  const pid_t process = spawn(folder, with_program(arguments), nowhere, nowhere);
  ::close(nowhere);
  return process;
}

pid_t start_writing(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
                    const std::filesystem::path& output) {
  const int file = open_new(output);
  const pid_t process = spawn(folder, with_program(arguments), file, file);
  ::close(file);
  return process;
}

int end_by(pid_t process, int signal) {
  ::kill(process, signal);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  int status = 0;
  while (::waitpid(process, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      kill_hard(process);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void kill_hard(pid_t process) {
  ::kill(process, SIGKILL);
  wait_for(process);
}

Workplace::Workplace() {
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  path_ = std::filesystem::temp_directory_path() /
          ("supple_" + std::string(info->test_suite_name()) + "_" + info->name() + "_" +
           std::to_string(::getpid()));
  std::filesystem::remove_all(path_);
  std::filesystem::create_directories(path_);
}

Workplace::~Workplace() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void Workplace::write(const std::string& name, const std::string& text) const {
  std::ofstream(path_ / name, std::ios::binary) << text;
}

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  EXPECT_TRUE(stream.is_open()) << file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string table_without_times(const std::filesystem::path& file) {
  std::istringstream table(bytes_of(file));
  std::string kept, line;
  while (std::getline(table, line)) {
    std::size_t begin = 0;
    for (int cell = 0; cell < 8; ++cell) begin = line.find(',', begin) + 1;
    kept += line.erase(begin, line.find(',', begin) + 1 - begin) + "\n";
  }
  return kept;
}

}  // namespace supple::test
