// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors and warnings about an input, with their positions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/source.h"

namespace ptxopt {

enum class Severity : std::uint8_t { Note, Warning, Error };

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string file;
  LineColumn place;  // line 0: the diagnostic is about the file as a whole
  std::string message;
};

// "file:line:column: error: message", without a newline.
std::string format(const Diagnostic& diagnostic);

// Collects the diagnostics of one input.  Not thread-safe: use one for each input.
class Diagnostics {
 public:
  void report(Severity severity, const SourceText& source, Offset offset, std::string message);
  void report(Severity severity, std::string file, std::string message);

  const std::vector<Diagnostic>& all() const { return all_; }
  bool hasErrors() const { return errors_ != 0; }
  std::size_t errorCount() const { return errors_; }

 private:
  std::vector<Diagnostic> all_;
  std::size_t errors_ = 0;
};

}  // namespace ptxopt
