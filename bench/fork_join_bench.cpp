// What a parallel region costs: Threads::parallel_for with pieces of known length, regions back to
// back and with gaps between them, alone and while other programs compete for the cores. Prints
// tables and writes no file:
//   build/release/bin/supple_fork_join_bench [threads]

#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

#include "base/parallel_for.h"
#include "base/stopwatch.h"

namespace {

using supple::Stopwatch;
using supple::Threads;

/// Steps of a dependent chain: they take the same time on any core and read no memory.
std::uint64_t chain(std::uint64_t value, int steps) {
  for (int i = 0; i < steps; ++i) value = value * 6364136223846793005u + 1442695040888963407u;
  return value;
}

double steps_per_microsecond() {
  constexpr int steps = 1000000;
  double shortest = 1e30;
  volatile std::uint64_t sink = 1;
  for (int i = 0; i < 20; ++i) {
    const Stopwatch watch;
    sink = chain(sink, steps);
    shortest = std::min(shortest, watch.milliseconds());
  }
  return steps / (1000 * shortest);
}

/// Two threads answer each other: the time for a number to reach the other core and come back. On a
/// virtual machine this shows where its host has put the two.
void round_trip() {
  constexpr int rounds = 100000;
  alignas(64) std::atomic<int> said{0};
  std::thread other([&] {
    for (int i = 0; i < rounds; ++i) {
      while (said.load(std::memory_order_acquire) != 2 * i + 1) {
      }
      said.store(2 * i + 2, std::memory_order_release);
    }
  });
  const Stopwatch watch;
  for (int i = 0; i < rounds; ++i) {
    said.store(2 * i + 1, std::memory_order_release);
    while (said.load(std::memory_order_acquire) != 2 * i + 2) {
    }
  }
  const double nanoseconds = 1e6 * watch.milliseconds() / rounds;
  other.join();
  fmt::print("from one core to another and back: {:.0f} ns\n\n", nanoseconds);
}

/// A region of `count` pieces, all equally long.
class Region {
 public:
  Region(int count, double microseconds)
      : steps_(static_cast<int>(microseconds * rate())),
        results_(static_cast<std::size_t>(count)) {}

  void run(Threads& threads) {
    threads.parallel_for(static_cast<int>(results_.size()), [&](int i) {
      Line& line = results_[static_cast<std::size_t>(i)];
      line.value = chain(line.value, steps_);
    });
  }

 private:
  struct alignas(64) Line {
    std::uint64_t value = 1;
  };
  static double rate() {
    static const double found = steps_per_microsecond();
    return found;
  }
  int steps_;
  std::vector<Line> results_;
};

struct Times {
  double shortest, median, late, longest;  ///< us; late: 99th percentile
};

Times times_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values.front(), values[values.size() / 2], values[values.size() * 99 / 100],
          values.back()};
}

double cpu_milliseconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& t) {
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

/// What the caller computes alone between regions.
void compute_for(double microseconds) {
  const Stopwatch watch;
  while (1000 * watch.milliseconds() < microseconds) {
  }
}

template <class Gap>
std::vector<double> measure(Region& region, Threads& threads, int repeats, const Gap& gap) {
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(repeats));
  for (int i = 0; i < repeats / 10 + 2; ++i) region.run(threads);
  for (int i = 0; i < repeats; ++i) {
    gap();
    const Stopwatch watch;
    region.run(threads);
    times.push_back(1000 * watch.milliseconds());
  }
  return times;
}

void back_to_back(Threads& one, Threads& several) {
  fmt::print("one region after the other, us a region (medians)\n{:>8}{:>12}{:>12}{:>12}{:>10}\n",
             "pieces", "us a piece", "1 thread", fmt::format("{} threads", several.count()),
             "gain");
  for (const double length : {0.0, 1.0, 5.0, 20.0, 100.0}) {
    for (const int count : {2, 3, 8, 64}) {
      Region region(count, length);
      const int repeats = std::clamp(static_cast<int>(100000 / (1 + length * count)), 100, 20000);
      const Times alone = times_of(measure(region, one, repeats, [] {}));
      const Times shared = times_of(measure(region, several, repeats, [] {}));
      fmt::print("{:>8}{:>12}{:>12.2f}{:>12.2f}{:>9.2f}x\n", count, length, alone.median,
                 shared.median, alone.median / shared.median);
    }
  }
}

/// Regions of 8 pieces of 5 us.
void with_gaps(Threads& several) {
  fmt::print(
      "\n8 pieces of 5 us after a gap, us a region; the caller computes in the gap or sleeps; "
      "cores: processor time over wall\n{:>10}{:>10}{:>10}{:>10}{:>10}{:>8}\n",
      "gap, us", "", "shortest", "median", "99 %", "cores");
  Region region(8, 5);
  for (const bool sleeps : {false, true}) {
    for (const int gap : {10, 100, 1000, 16000}) {
      const int repeats = std::clamp(1000000 / (gap + 50), 60, 5000);
      const double cpu = cpu_milliseconds();
      const Stopwatch watch;
      const Times times = times_of(measure(region, several, repeats, [&] {
        if (sleeps) {
          std::this_thread::sleep_for(std::chrono::microseconds(gap));
        } else {
          compute_for(gap);
        }
      }));
      fmt::print("{:>10}{:>10}{:>10.1f}{:>10.1f}{:>10.1f}{:>8.2f}\n", gap,
                 sleeps ? "sleeps" : "computes", times.shortest, times.median, times.late,
                 (cpu_milliseconds() - cpu) / watch.milliseconds());
    }
  }
}

/// Other programs, each of which wants a core.
class Rivals {
 public:
  explicit Rivals(int count) {
    for (int i = 0; i < count; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        volatile std::uint64_t value = 1;
        while (true) value = chain(value, 1000);
      }
      if (child > 0) children_.push_back(child);
    }
  }
  ~Rivals() {
    for (const pid_t child : children_) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
  }
  Rivals(const Rivals&) = delete;
  Rivals& operator=(const Rivals&) = delete;

 private:
  std::vector<pid_t> children_;
};

/// 100 regions stand for a frame: 8 pieces of 2 us each, with 3 us of the caller alone between
/// them.
void beside_rivals(Threads& one, Threads& several) {
  fmt::print(
      "\n100 regions of 8 pieces of 2 us, 3 us between them, beside programs that want a core "
      "each, ms\n{:>8}{:>9}{:>10}{:>10}{:>10}{:>10}{:>10}\n",
      "rivals", "threads", "shortest", "median", "mean", "99 %", "longest");
  Region region(8, 2);
  for (const int count : {0, 1, 2}) {
    const Rivals rivals(count);
    for (Threads* threads : {&one, &several}) {
      std::vector<double> frames;
      double all = 0;
      for (int frame = 0; frame < 300; ++frame) {
        const Stopwatch watch;
        for (int i = 0; i < 100; ++i) {
          region.run(*threads);
          compute_for(3);
        }
        frames.push_back(watch.milliseconds());
        all += frames.back();
      }
      const Times times = times_of(frames);
      fmt::print("{:>8}{:>9}{:>10.2f}{:>10.2f}{:>10.2f}{:>10.2f}{:>10.2f}\n", count,
                 threads->count(), times.shortest, times.median, all / 300, times.late,
                 times.longest);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Threads one(1), several(argc > 1 ? std::clamp(std::atoi(argv[1]), 2, 1024) : 2);
  round_trip();
  back_to_back(one, several);
  with_gaps(several);
  beside_rivals(one, several);
  return 0;
}
