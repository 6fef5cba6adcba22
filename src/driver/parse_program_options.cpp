// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/parse_program_options.h"

#include <iostream>

namespace ptxopt::driver {

std::optional<int> parseProgramOptions(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success& request) {
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    const std::string& name = app.get_name();
    std::cerr << name << ": " << error.what() << "\nTry '" << name
              << " --help' for more information.\n";
    return 1;
  }
}

}  // namespace ptxopt::driver
