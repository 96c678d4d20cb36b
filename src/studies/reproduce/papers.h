#pragma once

#include <string>
#include <vector>

#include "studies/reproduce/context.h"
#include "studies/reproduce/finding.h"

namespace supple::reproduce {

/// One figure or table of a paper.
struct Experiment {
  std::string id;     ///< identifies its files and its section in the report: "figure_6"
  std::string title;  ///< "Figure 6: ..."
  /// Adds its claims to the finding first. Can throw Error; what it has found so far is kept.
  void (*run)(Context& context, Finding& finding) = nullptr;
};

struct Paper {
  std::string name;  ///< on the command line
  std::string citation;
  std::vector<Experiment> experiments;
  bool published_meshes = false;  ///< whether Settings::meshes can contain meshes of it
};

/// The papers that can be reproduced.
const std::vector<Paper>& papers();

/// Throws Error{invalid_input} for an unknown name; the message lists the known ones.
const Paper& find_paper(const std::string& name);

/// The paper with only these experiments, in the paper's order; all of them if none is named.
/// Throws Error{invalid_input} for an unknown one.
Paper select(const Paper& paper, const std::vector<std::string>& ids);

}  // namespace supple::reproduce
