#pragma once

#include <string>

namespace supple::cli {

/// Asks the desktop to open an address, where there is a desktop. Neither waits nor says whether
/// that worked.
void open_browser(const std::string& url);

}  // namespace supple::cli
