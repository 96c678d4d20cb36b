#pragma once

#include <string>
#include <vector>

#include "studies/reproduce/context.h"
#include "studies/reproduce/finding.h"

namespace supple::reproduce {

/// One figure or table of a paper.
struct Experiment {
  std::string id;     ///< names its files and its place in the report: "figure_6"
  std::string title;  ///< "Figure 6: ..."
  /// Adds its claims to the finding first. May throw Error: what it has found so far is kept.
  void (*run)(Context& context, Finding& finding) = nullptr;
};

struct Paper {
  std::string name;  ///< on the command line
  std::string citation;
  std::vector<Experiment> experiments;
  bool published_meshes = false;  ///< whether Settings::meshes has some of it
};

/// What can be reproduced.
const std::vector<Paper>& papers();

/// Throws Error{invalid_input} for a name not known, with those that are.
const Paper& find_paper(const std::string& name);

/// The paper with these experiments alone, in the paper's order; all of them where none is named.
/// Throws Error{invalid_input} for one not known.
Paper select(const Paper& paper, const std::vector<std::string>& ids);

}  // namespace supple::reproduce
