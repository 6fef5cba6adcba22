// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run says on standard error: diagnostics, log lines and a progress bar.
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

// Whether text for this file descriptor is to be coloured.  Auto: where it is a terminal that
// understands colours, and NO_COLOR is not set.
bool wantsColor(ColorMode mode, int descriptor);

// "file:1:2: error: message" and a newline.
std::string render(const Diagnostic& diagnostic, bool color);

// One thread at a time.
class Console {
 public:
  Console(ColorMode mode, int verbosity);
  ~Console();

  bool color() const { return color_; }
  // Whether diagnostics of this severity are wanted at this verbosity.
  bool wants(Severity severity) const;
  // Raw text; the progress bar makes room for it.
  void print(std::string_view text);
  // Made on the first call: most runs have nothing to log, and should not pay for it.
  spdlog::logger& log();

  // Draws `done` of `total` from the first second on, if standard error is a terminal.
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
