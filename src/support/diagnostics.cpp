// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/diagnostics.h"

#include <utility>

namespace ptxopt {

namespace {
const char* word(Severity severity) {
  switch (severity) {
    case Severity::Note:
      return "note";
    case Severity::Warning:
      return "warning";
    case Severity::Error:
      break;
  }
  return "error";
}
}  // namespace

std::string format(const Diagnostic& diagnostic) {
  std::string text = diagnostic.file;
  if (diagnostic.place.line != 0) {
    text +=
        ':' + std::to_string(diagnostic.place.line) + ':' + std::to_string(diagnostic.place.column);
  }
  return text + ": " + word(diagnostic.severity) + ": " + diagnostic.message;
}

void Diagnostics::report(Severity severity, const SourceText& source, Offset offset,
                         std::string message) {
  all_.push_back({severity, source.name(), source.lineColumn(offset), std::move(message)});
  if (severity == Severity::Error) ++errors_;
}

void Diagnostics::report(Severity severity, std::string file, std::string message) {
  all_.push_back({severity, std::move(file), {}, std::move(message)});
  if (severity == Severity::Error) ++errors_;
}

}  // namespace ptxopt
