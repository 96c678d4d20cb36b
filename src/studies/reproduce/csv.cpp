#include "studies/reproduce/csv.h"

namespace supple::reproduce {

namespace {

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + '"';
}

}  // namespace

std::string csv_row(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += ',';
    line += quoted(cells[i]);
  }
  return line + '\n';
}

std::string csv_text(const Table& table) {
  std::string text = csv_row(table.columns);
  for (const auto& row : table.rows) text += csv_row(row);
  return text;
}

}  // namespace supple::reproduce
