#pragma once

#include <string>
#include <vector>

#include "studies/reproduce/finding.h"

namespace supple::reproduce {

/// A line of comma-separated values; cells with a comma, a quote or a line break are quoted (RFC
/// 4180).
std::string csv_row(const std::vector<std::string>& cells);

/// The table with the names of its columns.
std::string csv_text(const Table& table);

}  // namespace supple::reproduce
