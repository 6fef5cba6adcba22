// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/report.h"

#include <charconv>

#include "support/diagnostics.h"

namespace ptxopt::interp {

std::string_view spelling(FindingKind kind) {
  switch (kind) {
    case FindingKind::DataRace:
      return "data-race";
    case FindingKind::BarrierDivergence:
      return "barrier-divergence";
    case FindingKind::BarrierMismatch:
      return "barrier-mismatch";
    case FindingKind::Deadlock:
      return "deadlock";
    case FindingKind::OutOfBounds:
      return "out-of-bounds";
    case FindingKind::Misaligned:
      return "misaligned";
    case FindingKind::Uninitialised:
      return "uninitialised";
    case FindingKind::InactiveLane:
      return "inactive-lane";
    case FindingKind::StepLimit:
      return "step-limit";
    case FindingKind::Trap:
      return "trap";
    case FindingKind::AssertionFailed:
      return "assertion-failed";
    case FindingKind::FalseFact:
      return "false-fact";
    case FindingKind::Unsupported:
      return "unsupported";
  }
  return "";
}

std::optional<FindingKind> parseFindingKind(std::string_view text) {
  for (std::size_t k = 0; k < kFindingKinds; ++k) {
    const auto kind = static_cast<FindingKind>(k);
    if (spelling(kind) == text) return kind;
  }
  return std::nullopt;
}

bool isLimit(FindingKind kind) {
  return kind == FindingKind::StepLimit || kind == FindingKind::Unsupported;
}

bool isFault(FindingKind kind) {
  switch (kind) {
    case FindingKind::DataRace:
    case FindingKind::BarrierDivergence:
    case FindingKind::BarrierMismatch:
    case FindingKind::Uninitialised:
    case FindingKind::InactiveLane:
    case FindingKind::FalseFact:
      return false;
    default:
      return true;
  }
}

namespace {

std::string triple(const std::array<std::uint32_t, 3>& value) {
  return "(" + std::to_string(value[0]) + "," + std::to_string(value[1]) + "," +
         std::to_string(value[2]) + ")";
}

// The name in `.file 1 "kernel.cu"` for this number, empty if there is none.
std::string fileName(const ir::Module& module, std::uint32_t number) {
  for (const ir::Statement& statement : module.items()) {
    const auto* directive = statement.as<ir::Directive>();
    if (directive == nullptr || directive->which != ir::DirectiveKind::File) continue;
    const std::string_view text = directive->text;
    const std::size_t digit = text.find_first_of("0123456789");
    const std::size_t open = text.find('"');
    if (digit == std::string_view::npos || open == std::string_view::npos) continue;
    std::uint32_t found = 0;
    std::from_chars(text.data() + digit, text.data() + text.size(), found);
    if (found != number) continue;
    return std::string(text.substr(open + 1, text.find('"', open + 1) - open - 1));
  }
  return {};
}

std::string line(const ir::Module& module, const ir::Instruction* place, Severity severity,
                 std::string message, std::string_view suffix = {}) {
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.file = module.source().name();
  if (place != nullptr && place->source.valid()) {
    diagnostic.place = module.source().lineColumn(place->source.begin);
    const SourcePlace origin = sourcePlace(module, *place);
    if (origin.line != 0) message += " (" + origin.file + ":" + std::to_string(origin.line) + ")";
  }
  diagnostic.message = std::move(message);
  diagnostic.message += suffix;
  return ptxopt::format(diagnostic);
}

}  // namespace

std::string describe(const ThreadName& name) {
  return "thread " + triple(name.thread) + " of CTA " + triple(name.cta);
}

SourcePlace sourcePlace(const ir::Module& module, const ir::Instruction& instruction) {
  for (const ir::Statement* at = &instruction; at != nullptr; at = at->previous) {
    if (const auto* location = at->as<ir::Location>()) {
      return {fileName(module, location->file), location->line};
    }
  }
  return {};
}

std::string format(const ir::Module& module, const Finding& finding) {
  std::string text = line(module, finding.place, Severity::Warning, finding.message,
                          " [" + std::string(spelling(finding.kind)) + "]");
  if (finding.other != nullptr) {
    text += "\n" + line(module, finding.other, Severity::Note, finding.otherMessage);
  }
  return text;
}

}  // namespace ptxopt::interp
