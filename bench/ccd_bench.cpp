// Continuous collision detection on queries with known answers.
//   build/release/bin/supple_ccd_bench FILE.csv[.gz] ...
// prints a line for each file: name, queries, misses, false alarms, and microseconds per query (the
// median of repeated passes). The format is described in src/contact/test_ccd_queries.h; the file's
// name says whether it holds edge-edge or vertex-face queries. It is a miss if a query meets and
// the answer is "apart", unless exact arithmetic confirms the proof that the features stay apart
// with their coordinates rounded to doubles. Exit code 1: there is a miss; 2: no file was given; 3:
// a file cannot be read or does not have the format. Writes no file.

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "contact/test_ccd_queries.h"
#include "contact/test_exact_ccd.h"
#include "supple/error.h"

namespace {

using namespace supple;

constexpr int success = 0, missed = 1, no_file = 2, bad_file = 3;

/// Time of one pass over all queries, us: the median of passes that take 0.02 s together, at least
/// five.
double microseconds(CcdKind kind, const std::vector<CcdQuery>& queries) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> passes;
  double total = 0;
  int meetings = 0;
  while (passes.size() < 5 || (total < 2e4 && passes.size() < 10000)) {
    const Clock::time_point start = Clock::now();
    for (const CcdQuery& query : queries) meetings += detect(kind, query).meets ? 1 : 0;
    passes.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    total += passes.back();
  }
  // Never true, but the compiler cannot know that, so it cannot leave the passes out.
  if (meetings < 0) fmt::print("\n");
  std::nth_element(passes.begin(), passes.begin() + static_cast<long>(passes.size() / 2),
                   passes.end());
  return passes[passes.size() / 2];
}

/// True if there was no miss.
bool run(const std::string& path) {
  const CcdKind kind = ccd_kind(path);
  const std::vector<CcdQuery> queries = read_ccd_queries(path);
  int misses = 0, false_alarms = 0;
  for (const CcdQuery& query : queries) {
    const bool meets = detect(kind, query).meets;
    if (meets && !query.meets) ++false_alarms;
    if (!meets && query.meets && !rounding_explains(kind, query)) ++misses;
  }
  fmt::print("{} {} {} {} {:.3f}\n", std::filesystem::path(path).filename().string(),
             queries.size(), misses, false_alarms,
             microseconds(kind, queries) / static_cast<double>(queries.size()));
  std::fflush(stdout);
  return misses == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr,
               "usage: supple_ccd_bench FILE.csv[.gz] ...\n"
               "prints for each file: name queries misses false_alarms microseconds_a_query\n"
               "edge-edge or vertex-face by the file's name: 'ee' or 'edge-edge', 'vf' or "
               "'vertex-face'\n");
    return no_file;
  }
  int code = success;
  try {
    for (int i = 1; i < argc; ++i) {
      if (!run(argv[i])) code = missed;
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "supple_ccd_bench: {}\n", error.what());
    return bad_file;
  }
  return code;
}
