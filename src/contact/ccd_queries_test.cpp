// Continuous collision detection on a million queries that meet by construction or stay apart by
// construction, and on foreign queries if these are available; also the reader of foreign queries.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "contact/ccd.h"
#include "contact/test_ccd_queries.h"
#include "contact/test_exact_ccd.h"
#include "supple/error.h"

namespace supple {
namespace {

// Sanitizers take ten times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int num_generated = 100'000;
#else
constexpr int num_generated = 1'000'000;
#endif

/// A query of integers below 2^50, and when it meets.
struct Generated {
  CcdKind kind;
  CcdQuery query;
  double time;  ///< a time at which it meets, if it does
};

class Generator {
 public:
  explicit Generator(unsigned seed) : engine_(seed) {}

  int below(int count) { return static_cast<int>(engine_() % static_cast<unsigned>(count)); }

  /// A query that meets at a time j/64 with weights i/32: everything is exact in integers. Half of
  /// the queries are special: features at rest, at one point or in one line, contacts at corners
  /// and ends, times 0 and 1.
  Generated meeting() {
    const CcdKind kind = below(2) == 0 ? CcdKind::vertex_face : CcdKind::edge_edge;
    const int range = below(3) == 0 ? 3 : 1 << (2 + below(20));
    std::array<Vec3, 4> x;
    if (kind == CcdKind::vertex_face) {
      const int a = weight(32), b = weight(32 - a);
      for (std::size_t i = 1; i < 4; ++i) x[i] = point(range);
      if (below(16) == 0) x[2] = x[1];
      if (below(16) == 0) x[3] = sum(2, x[2], -1, x[1]);
      x[0] = sum(1.0 / 32, sum(a, x[1], b, x[2]), (32 - a - b) / 32.0, x[3]);
    } else {
      // Both edges pass through one point at i/32 of their lengths.
      const Vec3 contact = point(range), first = point(range);
      const Vec3 second = below(8) == 0 ? sum(below(7) - 3, first, 0, first) : point(range);
      const int a = weight(32), b = weight(32);
      x[0] = sum(1, contact, -a / 32.0, first);
      x[1] = sum(1, contact, (32 - a) / 32.0, first);
      x[2] = sum(1, contact, -b / 32.0, second);
      x[3] = sum(1, contact, (32 - b) / 32.0, second);
    }
    const int j = below(4) == 0 ? 64 * below(2) : below(65);
    const int style = below(8);
    const Vec3 shared = point(range);
    Generated g{kind, {}, j / 64.0};
    g.query.meets = true;
    for (std::size_t i = 0; i < 4; ++i) {
      Vec3 v{0, 0, 0};                                       // style 0: at rest
      if (style == 1) v = shared;                            // all move alike
      if (style == 2 && i == 0) v = shared;                  // one corner moves
      if (style == 3) v = sum(1, x[i], -1, x[(i + 1) % 4]);  // along its own edges
      if (style > 3) v = point(range);
      g.query.before[i] = sum(1, x[i], -j / 32.0, v);
      g.query.after[i] = sum(1, x[i], (64 - j) / 32.0, v);
    }
    return g;
  }

  /// A query that stays apart by at least 1/|n| >= 1/130 on lattices of up to 2^20: all corners of
  /// one feature remain on the side n . x >= 1 of an integer direction, and all corners of the
  /// other one at n . x <= 0.
  Generated apart() {
    Generated g{below(2) == 0 ? CcdKind::vertex_face : CcdKind::edge_edge, {}, 0};
    const std::size_t split = g.kind == CcdKind::vertex_face ? 1 : 2;
    const int range = 1 << (2 + below(18));
    Vec3 n{0, 0, 0};
    n[static_cast<std::size_t>(below(3))] = 1;
    if (below(4) != 0) n = {below(101) - 50.0, below(101) - 50.0, 1};
    for (auto* points : {&g.query.before, &g.query.after}) {
      for (std::size_t i = 0; i < 4; ++i) {
        const Vec3 p = point(range);
        // Moved along the axis on which n is 1 to where n . x is as wanted.
        const double height = n[0] * p[0] + n[1] * p[1] + n[2] * p[2];
        const double wanted = i < split ? 1 + below(range) : -below(range);
        (*points)[i] = p;
        for (std::size_t c = 3; c-- > 0;) {
          if (n[c] != 1) continue;
          (*points)[i][c] += wanted - height;
          break;
        }
      }
    }
    g.query.meets = false;
    return g;
  }

  /// Moves and scales the query, so exactly that nothing changes.
  void place(Generated& g) {
    static constexpr int exponents[] = {0, 0, 0, 0, 30, -30, 300, -300, 498, -498, 960, -1010};
    const int exponent = exponents[below(12)];
    Vec3 offset{0, 0, 0};
    if (below(3) == 0) offset = point(1 << 29);
    for (auto* points : {&g.query.before, &g.query.after}) {
      for (Vec3& x : *points) {
        for (std::size_t c = 0; c < 3; ++c) x[c] = std::ldexp(x[c] + offset[c], exponent);
      }
    }
  }

  Vec3 point(int range) {
    // Multiples of 32, so that the weights give integers.
    const auto coordinate = [&] { return 32.0 * (below(2 * range + 1) - range); };
    const double a = coordinate(), b = coordinate(), c = coordinate();
    return {a, b, c};
  }

 private:
  int weight(int most) {
    switch (below(4)) {
      case 0:
        return 0;
      case 1:
        return most;
      default:
        return below(most + 1);
    }
  }
  static Vec3 sum(double a, const Vec3& x, double b, const Vec3& y) {
    return {a * x[0] + b * y[0], a * x[1] + b * y[1], a * x[2] + b * y[2]};
  }

  std::mt19937 engine_;
};

TEST(CcdQueries, OfAMillionThatMeetNoneIsMissedAndNoTimeIsLate) {
  Generator generator(21);
  int misses = 0, late = 0;
  for (int i = 0; i < num_generated; ++i) {
    Generated g = generator.meeting();
    generator.place(g);
    const CcdAnswer answer = detect(g.kind, g.query);
    if (!answer.meets) ++misses;
    if (answer.time > g.time) ++late;
  }
  EXPECT_EQ(misses, 0);
  EXPECT_EQ(late, 0);
}

TEST(CcdQueries, WithASeparationNoneIsMissedEither) {
  // The first feature is moved away from the second by an integer vector of known length, so they
  // come as close as that, or closer.
  static constexpr double away[][4] = {{1, 0, 0, 1}, {0, 0, -1, 1}, {2, 3, 6, 7}, {-4, 4, 7, 9}};
  Generator generator(22);
  int misses = 0, late = 0;
  for (int i = 0; i < num_generated / 4; ++i) {
    Generated g = generator.meeting();
    const double* const v = away[generator.below(4)];
    const double length = std::ldexp(1, generator.below(20));
    const std::size_t split = g.kind == CcdKind::vertex_face ? 1 : 2;
    for (auto* points : {&g.query.before, &g.query.after}) {
      for (std::size_t k = 0; k < split; ++k) {
        for (std::size_t c = 0; c < 3; ++c) (*points)[k][c] += length * v[c];
      }
    }
    const CcdAnswer answer = detect(g.kind, g.query, {.separation = length * v[3]});
    if (!answer.meets) ++misses;
    if (answer.time > g.time) ++late;
  }
  EXPECT_EQ(misses, 0);
  EXPECT_EQ(late, 0);
}

TEST(CcdQueries, InEveryRoundingModeTheAnswersHold) {
  Generator generator(25);
  int misses = 0, late = 0, unproved = 0;
  for (int i = 0; i < num_generated / 10; ++i) {
    const Generated g = i % 8 == 0 ? generator.apart() : generator.meeting();
    CcdProof proof;
    static constexpr int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    std::fesetround(modes[i % 3]);
    const CcdAnswer answer = detect(g.kind, g.query, {}, &proof);
    std::fesetround(FE_TONEAREST);
    if (g.query.meets && !answer.meets) ++misses;
    if (g.query.meets && answer.time > g.time) ++late;
    if (i % 40 < 2 && answer.time > 0 && !ExactCheck(g.kind, g.query).holds(proof, answer.time)) {
      ++unproved;
    }
  }
  EXPECT_EQ(misses, 0);
  EXPECT_EQ(late, 0);
  EXPECT_EQ(unproved, 0);
}

TEST(CcdQueries, OfAQuarterMillionThatStayApartFewAreFalseAlarms) {
  Generator generator(23);
  int alarms = 0;
  for (int i = 0; i < num_generated / 4; ++i) {
    Generated g = generator.apart();
    generator.place(g);
    if (detect(g.kind, g.query).meets) ++alarms;
  }
  // One in a hundred thousand: the gap is at least 1e-8 of the size, far more than rounding.
  EXPECT_LE(alarms, num_generated / 4 / 100'000);
}

TEST(CcdQueries, WhatIsMovedByARoundingFromATouchIsAnsweredApartOnlyIfItIs) {
  // Every coordinate of a meeting moves by up to two units in its last place. Now only exact
  // arithmetic can say whether the proof of an answer holds.
  Generator generator(24);
  int apart = 0, unproved = 0;
  for (int i = 0; i < num_generated / 100; ++i) {
    Generated g = generator.meeting();
    for (auto* points : {&g.query.before, &g.query.after}) {
      for (Vec3& x : *points) {
        for (double& c : x) {
          for (int n = generator.below(3); n > 0; --n) {
            c = std::nextafter(c, generator.below(2) == 0 ? 1e300 : -1e300);
          }
        }
      }
    }
    CcdProof proof;
    const CcdAnswer answer = detect(g.kind, g.query, {}, &proof);
    if (!answer.meets) ++apart;
    if (answer.time > 0 && !ExactCheck(g.kind, g.query).holds(proof, answer.time)) {
      ++unproved;
    }
  }
  EXPECT_GT(apart, num_generated / 20'000);
  EXPECT_EQ(unproved, 0);
}

/// $SUPPLE_CCD_QUERIES, or otherwise a folder beside the repository.
std::filesystem::path foreign_folder() {
  const char* const folder = std::getenv("SUPPLE_CCD_QUERIES");
  if (folder != nullptr) return folder;
  return std::filesystem::path(SUPPLE_SOURCE_DIR).parent_path() / "shared" / "ccd";
}

TEST(CcdQueries, OfTheForeignOnesNoneIsMissed) {
  const std::filesystem::path folder = foreign_folder();
  std::vector<std::string> files;
  if (std::filesystem::is_directory(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(".csv") || name.ends_with(".csv.gz")) {
        files.push_back(entry.path().string());
      }
    }
  }
  if (files.empty()) {
    GTEST_SKIP() << "no queries (*.csv, *.csv.gz) in " << folder
                 << "; SUPPLE_CCD_QUERIES may name another folder";
  }
  std::size_t count = 0, alarms = 0;
  for (const std::string& file : files) {
    const CcdKind kind = ccd_kind(file);
    std::size_t number = 0;
    for (const CcdQuery& query : read_ccd_queries(file)) {
      CcdProof proof;
      const CcdAnswer answer = detect(kind, query, {}, &proof);
      if (answer.time > 0) {
        EXPECT_TRUE(ExactCheck(kind, query).holds(proof, answer.time))
            << file << ": query " << number;
      }
      EXPECT_TRUE(answer.meets || !query.meets || rounding_explains(kind, query))
          << file << ": query " << number;
      if (answer.meets && !query.meets) ++alarms;
      ++number;
    }
    count += number;
  }
  // Made by hand to be hard: one in a hundred passes at a gap as small as rounding errors.
  EXPECT_LE(alarms, count / 50);
}

/// A file in the test's own folder, which is removed with the object.
class QueryFile {
 public:
  QueryFile(const std::string& name, const std::string& text)
      : path_((std::filesystem::temp_directory_path() /
               ("supple_ccd_" + std::to_string(std::random_device{}()) + "_" + name))
                  .string()) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~QueryFile() { std::remove(path_.c_str()); }
  QueryFile(const QueryFile&) = delete;
  QueryFile& operator=(const QueryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string packed(const std::string& text) {
  QueryFile file("packed.gz", "");
  gzFile out = gzopen(file.path().c_str(), "wb");
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
  std::ifstream in(file.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The message without the file's path, or what was read instead of an error.
std::string error_of(const std::string& name, const std::string& text) {
  const QueryFile file(name, text);
  try {
    return "no error, queries: " + std::to_string(read_ccd_queries(file.path()).size());
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_file);
    const std::string what = error.what();
    EXPECT_EQ(what.rfind(file.path(), 0), 0u) << what;
    return what.substr(std::min(what.size(), file.path().size()));
  }
}

std::string rows(int count, const std::string& row = "1,2,-3,4,5,1,1\n") {
  std::string text;
  for (int i = 0; i < count; ++i) text += row;
  return text;
}

TEST(CcdReader, ReadsPlainAndPackedFilesAlike) {
  for (const std::string& text : {rows(16), packed(rows(16)), rows(15) + "1,2,-3,4,5,1,1",
                                  rows(16, " 2, 4,+3,-4 ,10,2,1\r\n")}) {
    const QueryFile file("ee.csv", text);
    const std::vector<CcdQuery> queries = read_ccd_queries(file.path());
    ASSERT_EQ(queries.size(), 2u);
    EXPECT_TRUE(queries[1].meets);
    EXPECT_EQ(queries[0].before[0], (Vec3{0.5, -0.75, 5}));
    EXPECT_EQ(queries[1].after[3], (Vec3{0.5, -0.75, 5}));
  }
}

TEST(CcdReader, ErrorsNameTheFileTheLineAndWhatIsWrong) {
  EXPECT_EQ(error_of("ee.csv", ""), ": holds no query");
  EXPECT_EQ(error_of("ee.csv.gz", packed("")), ": holds no query");
  EXPECT_EQ(error_of("ee.csv", rows(12)), ":12: 12 rows; expected a multiple of 8, eight a query");
  EXPECT_EQ(error_of("ee.csv", rows(3) + "1,2,3,4,5,6\n" + rows(4)),
            ":4: 6 columns; expected 7: x, y and z as fractions, and the truth");
  EXPECT_EQ(error_of("ee.csv", rows(3) + "\n" + rows(4)),
            ":4: 1 columns; expected 7: x, y and z as fractions, and the truth");
  EXPECT_EQ(error_of("ee.csv", rows(9) + rows(7, "1,2,3,0,5,6,1\n")),
            ":10: 3/0: the denominator is zero");
  EXPECT_EQ(error_of("ee.csv", rows(8, "1,2,x,4,5,6,1\n")), ":1: 'x' is not an integer");
  EXPECT_EQ(error_of("ee.csv", rows(8, "1,2,,4,5,6,1\n")), ":1: '' is not an integer");
  EXPECT_EQ(error_of("ee.csv", rows(8, "1,2,0.5,4,5,6,1\n")), ":1: '0.5' is not an integer");
  EXPECT_EQ(error_of("ee.csv", rows(8, "1,2,3,4,5,6,2\n")),
            ":1: the truth is '2'; expected 0 or 1");
  EXPECT_EQ(error_of("ee.csv", rows(7) + "1,2,3,4,5,6,0\n"),
            ":8: the truth differs within a query");
  EXPECT_EQ(error_of("ee.csv", rows(8, "1" + std::string(400, '0') + ",1,3,4,5,6,1\n")),
            ":1: a fraction exceeds the largest double, 1.7976931348623157e+308");
  EXPECT_EQ(error_of("ee.csv", rows(8, std::string(2001, '1') + ",1,3,4,5,6,1\n")),
            ":1: an integer of 2001 digits; at most 2000 are read");
  EXPECT_EQ(error_of("ee.csv", std::string(100000, '1')), ": a line is longer than any query's");
}

TEST(CcdReader, FilesThatAreMissingOrCutOffAreRefused) {
  std::string text;
  for (int i = 0; i < 800; ++i) {
    text += std::to_string(7919 * i % 10007) + ",1,3,4,5,6,1\n";
  }
  const std::string whole = packed(text);
  EXPECT_EQ(error_of("vf.csv.gz", whole), "no error, queries: 100");
  for (const std::size_t size : {whole.size() - 1, whole.size() - 9, whole.size() / 2, 11ul}) {
    EXPECT_NE(error_of("vf.csv.gz", whole.substr(0, size)).find(": cannot be read: "),
              std::string::npos)
        << size;
  }
  std::string broken = whole;
  broken[whole.size() / 2] = static_cast<char>(broken[whole.size() / 2] ^ 0x55);
  EXPECT_EQ(error_of("vf.csv.gz", broken).find("no error"), std::string::npos);
  EXPECT_THROW(read_ccd_queries("/nowhere/ee.csv"), Error);
  EXPECT_THROW(read_ccd_queries(std::filesystem::temp_directory_path().string()), Error);
}

TEST(CcdReader, TheNameSaysTheKindOfQuery) {
  for (const char* name : {"ee.csv", "a/vf/326ee.csv.gz", "x-edge-edge-data_0_1.csv", "A_EE_1.csv",
                           "wedge-edge-edge.csv"}) {
    EXPECT_EQ(ccd_kind(name), CcdKind::edge_edge) << name;
  }
  for (const char* name : {"vf.csv", "12vf.csv.gz", "free-wheel-vertex-face.csv", "ee/data-vf"}) {
    EXPECT_EQ(ccd_kind(name), CcdKind::vertex_face) << name;
  }
  for (const char* name : {"wheel.csv", "data.csv", "ee/data.csv", "ee-vf.csv", ""}) {
    EXPECT_THROW(ccd_kind(name), Error) << name;
  }
}

TEST(CcdReader, ATouchThatRoundingOpensIsNoMissButAWrongAnswerIs) {
  // A vertex at rest below a corner of a face, at the same height or a little lower.
  const auto query_of = [](const std::string& vertex, const std::string& corner) {
    std::string text;
    for (int i = 0; i < 2; ++i) {
      text += "0,1,0,1," + vertex + ",1\n0,1,0,1," + corner + ",1\n9,1,0,1,1,1,1\n0,1,9,1,1,1,1\n";
    }
    const QueryFile file("vf.csv", text);
    return read_ccd_queries(file.path()).at(0);
  };
  // 0.5 + 1e-40 rounds to 0.5.
  const std::string half = "5" + std::string(39, '0') + "1,1" + std::string(41, '0');
  EXPECT_TRUE(query_of(half, "1,2").rounded);
  EXPECT_FALSE(query_of("1,2", "1,2").rounded);
  EXPECT_TRUE(detect(CcdKind::vertex_face, query_of(half, "1,2")).meets);
  // One rounding apart, and far apart; the file says of both that they meet.
  CcdQuery query = query_of(half, "1,2");
  query.before[0][2] = query.after[0][2] = 0.5 - 0x1p-53;
  EXPECT_FALSE(detect(CcdKind::vertex_face, query).meets);
  EXPECT_TRUE(rounding_explains(CcdKind::vertex_face, query));
  query.before[0][2] = query.after[0][2] = 0.4999;
  EXPECT_FALSE(rounding_explains(CcdKind::vertex_face, query));
  query = query_of("4999,10000", "1,2");
  EXPECT_FALSE(rounding_explains(CcdKind::vertex_face, query));
  query = query_of("1,4", "1,2");
  EXPECT_FALSE(rounding_explains(CcdKind::vertex_face, query));
}

TEST(CcdReader, FractionsRoundToTheNearestDouble) {
  const auto nearest = [](const std::string& a, const std::string& b) {
    return nearest_double(a, b, "").value;
  };
  EXPECT_EQ(nearest("1", "3"), 1.0 / 3);
  EXPECT_EQ(nearest("-1", "3"), -1.0 / 3);
  EXPECT_EQ(nearest("1", "-10"), -0.1);
  EXPECT_EQ(nearest("-0", "7"), 0);
  EXPECT_EQ(nearest("000012", "0004"), 3);
  // Half-way rounds to the even one, and anything beyond half-way rounds up.
  EXPECT_EQ(nearest("9007199254740993", "1"), 9007199254740992.0);
  EXPECT_EQ(nearest("9007199254740995", "1"), 9007199254740996.0);
  EXPECT_EQ(nearest("9007199254740993000000000000000000000001", "1000000000000000000000000"),
            9007199254740994.0);
  EXPECT_EQ(nearest("18014398509481983", "2"), 9007199254740992.0);
  EXPECT_TRUE(nearest_double("-3", "1024", "").exact);
  EXPECT_FALSE(nearest_double("1", "3", "").exact);
  EXPECT_FALSE(nearest_double("9007199254740993", "1", "").exact);
  const std::string googol = "1" + std::string(100, '0');
  EXPECT_EQ(nearest(googol, "1"), 1e100);
  EXPECT_EQ(nearest("1", googol), 1e-100);
  EXPECT_EQ(nearest(googol + "1", googol + "0"), 1);
  // Denormal numbers: the smallest, half of it, and a little more than half.
  EXPECT_EQ(nearest("5", "1" + std::string(324, '0')), 5e-324);
  EXPECT_EQ(nearest("24703", "1" + std::string(328, '0')), 0);
  EXPECT_EQ(nearest("24704", "1" + std::string(328, '0')), 5e-324);
  EXPECT_EQ(nearest("1", "1" + std::string(600, '0')), 0);
  // Compares with the C library, which rounds decimal numbers correctly.
  std::mt19937_64 random(31);
  for (int i = 0; i < 2000; ++i) {
    const std::string digits = std::to_string(random() >> random() % 60);
    const std::size_t power = random() % 310;
    const std::string ten = "1" + std::string(power, '0');
    EXPECT_EQ(nearest(digits, ten),
              std::strtod((digits + "e-" + std::to_string(power)).c_str(), nullptr));
    if (power < 280) {
      EXPECT_EQ(nearest(digits + std::string(power, '0'), "1"),
                std::strtod((digits + "e" + std::to_string(power)).c_str(), nullptr));
    }
  }
}

}  // namespace
}  // namespace supple
