// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ptxopt-ptxas did during a build: PTXOPT_LOG, and the table that sums it up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptxopt::ptxas {

// Of one text.
struct CodeCounts {
  std::uint64_t kernels = 0;
  std::uint64_t barriers = 0;  // of CTAs
  std::uint64_t instructions = 0;
  friend bool operator==(const CodeCounts&, const CodeCounts&) = default;
};

// One line of the log.
struct LogEntry {
  enum class Outcome : std::uint8_t {
    Optimized,
    Unchanged,
    Fallback,   // the text was assembled as it was: something went wrong
    LeftAlone,  // an option of ptxas, or PTXOPT_REPORT_ONLY, asks for that
  };
  Outcome outcome = Outcome::Unchanged;
  std::string input;
  std::string source;  // the first file that the text names; may be empty
  std::string reason;  // of Fallback and LeftAlone
  std::optional<CodeCounts> before;
  std::optional<CodeCounts> after;
  std::vector<std::string> kernels;  // their symbols, of a text that could be read
  double seconds = 0;                // that ptxopt took, wall clock
};

// Adds a line of JSON for each entry, with the time, `ptxas` and `flags`, at once: entries of many
// processes stay whole.  Throws std::system_error.
void appendToLog(const std::string& path, const std::vector<LogEntry>& entries,
                 const std::string& ptxas, const std::string& flags);

// A message for a build of which ptxopt-ptxas got no text, and what may be the cause.
inline constexpr const char* kNothingCame =
    "no compiler has called ptxopt-ptxas. Was everything up to date, or taken from a cache "
    "(ccache: see CCACHE_NAMESPACE in docs/drop-in.md)? Does CMakeLists.txt set CMAKE_CUDA_FLAGS, "
    "which hides -DCMAKE_CUDA_FLAGS? `ptxopt-ptxas --doctor` says more";

// The table of a log.  Lines that are no entries are counted and named.  O(size).
std::string summaryOf(std::string_view log);

// The name of the first .file of a text of PTX; empty where there is none.  O(size).
std::string sourceOf(std::string_view text);

}  // namespace ptxopt::ptxas
