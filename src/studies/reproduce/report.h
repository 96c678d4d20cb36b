#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/run/machine.h"
#include "studies/reproduce/finding.h"

namespace supple::reproduce {

/// An experiment and what it found.
struct Section {
  std::string id;
  std::string title;
  Finding finding;
  double seconds = 0;
};

/// What the report says before the experiments.
struct ReportHead {
  std::string paper;
  std::string citation;
  bool quick = false;
  bool published_meshes = false;
  int threads = 1;
  Machine machine;
  double seconds = 0;
};

/// The report as one self-contained page: a summary of all claims with their verdicts, then one
/// experiment after another. It is well-formed XML, so that any XML parser can read it.
std::string report_html(const ReportHead& head, const std::vector<Section>& sections);

/// Text for a page: & < > " and ' as entities, control characters left out.
std::string escape(std::string_view text);

/// RFC 4648.
std::string base64(const std::vector<unsigned char>& bytes);

}  // namespace supple::reproduce
