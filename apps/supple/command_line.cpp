#include "supple/command_line.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/names.h"

namespace supple::cli {

namespace {

/// "--export" of "--export=usda".
std::string option_name(std::string_view word) {
  return std::string(word.substr(0, word.find('=')));
}

std::vector<std::string> names_of_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

bool among(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string explain(const CLI::App& app, const CLI::ParseError& error, int argc,
                    const char* const* argv) {
  const std::vector<std::string> commands = names_of_commands(app);
  const CLI::App* command = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (command == &app && among(word, commands)) {
      command = app.get_subcommand(word);
    } else if (word == "--") {
      break;
    } else if (word.size() > 2 && word.starts_with("--")) {
      const std::vector<std::string> known = names_of_options(*command);
      if (!among(option_name(word), known)) return unknown_name("option", option_name(word), known);
    } else if (command == &app && !word.starts_with("-")) {
      return unknown_name("command", word, commands);
    }
  }
  if (command != &app) return error.what();
  std::string list;
  for (const std::string& name : commands) list += (list.empty() ? "" : " or ") + name;
  return "no command given; expected " + list;
}

CLI::Validator filled(const std::string& what) {
  return {[what](const std::string& word) {
            return word.empty() ? "is empty; expected " + what : std::string();
          },
          ""};
}

}  // namespace supple::cli
