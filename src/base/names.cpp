#include "base/names.h"

#include <algorithm>

#include "base/refuse.h"

namespace supple {

namespace {

/// Optimal string alignment distance.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t longest_name = 200;  // bounds the work on hostile input
  if (name.size() > longest_name) return "";
  std::string best;
  std::size_t best_distance = name.size() + longest_name;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    const std::size_t allowed =
        std::max<std::size_t>(2, std::max(name.size(), candidate.size()) / 3);
    // At least one letter in common: any two short names are within two edits of each other.
    const bool alike = distance < std::max(name.size(), candidate.size());
    if (alike && distance <= allowed && distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::vector<std::string> names_of(const std::vector<Description>& list) {
  std::vector<std::string> names;
  names.reserve(list.size());
  for (const Description& entry : list) names.push_back(entry.name);
  return names;
}

void require_index(const ChoiceList& list, std::size_t index, const std::string& where) {
  if (index < list.entries.size()) return;
  std::string known;
  for (const Description& entry : list.entries) known += (known.empty() ? "" : ", ") + entry.name;
  refuse(where, "there is no such " + list.what + "; expected " + known);
}

std::string unknown_name(std::string_view what, std::string_view name,
                         const std::vector<std::string>& known) {
  std::string text =
      "there is no " + std::string(what) + " '" + std::string(name.substr(0, 80)) + "'";
  const std::string nearest = nearest_name(name, known);
  text += nearest.empty() ? "." : "; did you mean '" + nearest + "'?";
  return text + " Known: " + joined(known);
}

}  // namespace supple
