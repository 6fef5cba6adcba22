// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The output of a run to standard error: diagnostics, log lines and a progress bar.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "driver/options.h"
#include "support/diagnostics.h"

namespace spdlog {
class logger;
}

namespace ptxopt::driver {

// Whether text for this file descriptor should be coloured.  Auto: if it is a terminal that
// supports colours, and NO_COLOR is not set.
bool wantsColor(ColorMode mode, int descriptor);

// "file:1:2: error: message" and a newline.
std::string render(const Diagnostic& diagnostic, bool color);

// Not thread-safe.
class Console {
 public:
  Console(ColorMode mode, int verbosity);
  ~Console();

  bool color() const { return color_; }
  // Whether diagnostics of this severity are shown at this verbosity.
  bool wants(Severity severity) const;
  // Prints raw text, moving the progress bar out of the way.
  void print(std::string_view text);
  // Created on the first call: most runs log nothing, and should not pay for it.
  spdlog::logger& log();

  // Draws `done` of `total`, starting after one second, if standard error is a terminal.
  void progress(std::size_t done, std::size_t total, std::string_view what);
  void endProgress();

 private:
  using Clock = std::chrono::steady_clock;

  bool color_;
  int verbosity_;
  bool isTerminal_;
  bool barIsDrawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_ = start_;
  std::shared_ptr<spdlog::logger> log_;
};

}  // namespace ptxopt::driver
