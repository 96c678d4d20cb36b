#include "supple/overrides.h"

#include "supple/error.h"

namespace supple::cli {

std::vector<Override> overrides_of(const std::vector<std::string>& settings) {
  std::vector<Override> overrides;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      throw Error(ErrorKind::invalid_input, "--set " + setting,
                  "expected PATH=VALUE, for example /solver/iterations=20");
    }
    overrides.push_back({setting.substr(0, equals), setting.substr(equals + 1)});
  }
  return overrides;
}

}  // namespace supple::cli
