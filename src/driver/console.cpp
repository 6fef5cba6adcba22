// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/console.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "driver/files.h"

namespace ptxopt::driver {

namespace {

constexpr std::string_view kClearLine = "\r\033[K";

const char* colorOf(Severity severity) {
  switch (severity) {
    case Severity::Note:
      return "\033[1;36m";
    case Severity::Warning:
      return "\033[1;35m";
    case Severity::Error:
      break;
  }
  return "\033[1;31m";
}

}  // namespace

bool wantsColor(ColorMode mode, int descriptor) {
  if (mode != ColorMode::Auto) return mode == ColorMode::Always;
  const char* const terminal = std::getenv("TERM");
  const char* const noColor = std::getenv("NO_COLOR");
  if (noColor != nullptr && *noColor != '\0') return false;
  return ::isatty(descriptor) != 0 && terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
}

std::string render(const Diagnostic& diagnostic, bool color) {
  std::string line = format(diagnostic) + '\n';
  if (!color) return line;
  // format() ends in "severity: message".
  const std::size_t message = line.size() - 1 - diagnostic.message.size();
  const std::size_t severity = line.rfind(' ', message - 2) + 1;
  line.insert(message - 1, "\033[m");
  line.insert(severity, colorOf(diagnostic.severity));
  return line;
}

Console::Console(ColorMode mode, int verbosity)
    : color_(wantsColor(mode, STDERR_FILENO)),
      verbosity_(verbosity),
      isTerminal_(::isatty(STDERR_FILENO) != 0) {}

Console::~Console() {
  endProgress();
}

bool Console::wants(Severity severity) const {
  switch (severity) {
    case Severity::Note:
      return verbosity_ > 0;
    case Severity::Warning:
      return verbosity_ >= 0;
    case Severity::Error:
      break;
  }
  return true;
}

void Console::print(std::string_view text) {
  if (text.empty()) return;
  endProgress();
  try {
    writeFile("/dev/stderr", text);
  } catch (const FileError&) {
    // There is no way to report this.
  }
}

spdlog::logger& Console::log() {
  if (log_ == nullptr) {
    auto sink = std::make_shared<spdlog::sinks::ansicolor_stderr_sink_st>(
        color_ ? spdlog::color_mode::always : spdlog::color_mode::never);
    log_ = std::make_shared<spdlog::logger>("ptxopt", std::move(sink));
    log_->set_pattern("ptxopt: %^%l%$: %v");
    log_->set_level(verbosity_ < 0    ? spdlog::level::err
                    : verbosity_ == 0 ? spdlog::level::warn
                                      : spdlog::level::info);
  }
  endProgress();
  return *log_;
}

void Console::progress(std::size_t done, std::size_t total, std::string_view what) {
  constexpr auto kPatience = std::chrono::seconds(1);
  constexpr auto kInterval = std::chrono::milliseconds(100);
  const Clock::time_point now = Clock::now();
  const bool isWanted = isTerminal_ && verbosity_ >= 0;
  if (!isWanted || now - start_ < kPatience || now - drawn_ < kInterval) return;
  drawn_ = now;

  winsize window = {};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
  const std::size_t width = known ? window.ws_col : 80;
  constexpr std::size_t kBar = 24;
  const std::size_t filled = done * kBar / std::max<std::size_t>(total, 1);
  std::string line = '[' + std::string(filled, '=') + std::string(kBar - filled, ' ') + "] " +
                     std::to_string(done) + '/' + std::to_string(total) + ' ';
  line += what;
  if (line.size() >= width) line.resize(width - 1);
  writeFile("/dev/stderr", std::string(kClearLine) + line);
  barIsDrawn_ = true;
}

void Console::endProgress() {
  if (!barIsDrawn_) return;
  barIsDrawn_ = false;
  print(kClearLine);
}

}  // namespace ptxopt::driver
