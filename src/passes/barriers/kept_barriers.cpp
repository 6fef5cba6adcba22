// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/barriers/kept_barriers.h"

#include <algorithm>
#include <charconv>

#include "ir/comments.h"
#include "ir/directives.h"

namespace ptxopt::passes {

namespace {

// docs/soundness/ A7.5
bool isBelowPragma(const ir::Instruction& barrier) {
  for (const ir::Statement* above = barrier.previous; above != nullptr; above = above->previous) {
    if (const auto* pragma = above->as<ir::Pragma>()) {
      if (!ir::isAboutOthers(*pragma)) return true;
    } else if (!ir::isTransparent(*above)) {
      return false;
    }
  }
  return false;
}

}  // namespace

std::optional<KeptBarriers> KeptBarriers::parse(std::string_view text, std::string& error) {
  KeptBarriers kept;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(';'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const std::size_t colon = part.find(':');
    Entry entry = {std::string(part.substr(0, colon)), std::nullopt};
    if (colon != std::string_view::npos) {
      const std::string_view number = part.substr(colon + 1);
      std::uint32_t line = 0;
      const auto [end, problem] =
          std::from_chars(number.data(), number.data() + number.size(), line);
      if (problem != std::errc() || end != number.data() + number.size()) {
        error = "keep: '" + std::string(number) + "' is no line";
        return std::nullopt;
      }
      entry.line = line;
    }
    kept.entries_.push_back(std::move(entry));
  }
  return kept;
}

std::optional<KeptReason::Why> KeptBarriers::whyKept(const ir::Function& function,
                                                     const ir::Instruction& barrier) const {
  if (!barrier.source.valid()) return std::nullopt;
  const SourceText& source = function.module().source();
  if (ir::hasComment(function, barrier, "ptxopt: keep")) return KeptReason::Why::Comment;
  for (const Entry& entry : entries_) {
    if (entry.function != function.nameText()) continue;
    if (!entry.line || *entry.line == source.lineColumn(barrier.source.begin).line) {
      return KeptReason::Why::CommandLine;
    }
  }
  if (isBelowPragma(barrier)) return KeptReason::Why::Pragma;
  return std::nullopt;
}

}  // namespace ptxopt::passes
