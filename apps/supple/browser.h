#pragma once

#include <string>

namespace supple::cli {

/// Asks the desktop, if there is one, to open an address. Does not wait and does not report
/// failure.
void open_browser(const std::string& url);

}  // namespace supple::cli
