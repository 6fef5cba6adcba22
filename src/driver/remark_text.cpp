// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/remark_text.h"

#include <fmt/format.h>

#include <string_view>

namespace ptxopt::driver {

namespace {

using passes::BarrierOutcome;

std::string headline(const passes::Remark& remark, std::string_view what) {
  const SourceText& text = remark.function->module().source();
  return fmt::format("{} synch: [{}:{}] in function {}", what, text.name(),
                     text.lineColumn(remark.place.begin).line, remark.function->nameText());
}

std::string outcomeText(const passes::Remark& remark) {
  switch (remark.barrier->outcome) {
    case BarrierOutcome::Kept:
      return headline(remark, "Kept") + ": " + remark.barrier->reason;
    case BarrierOutcome::Removed:
      return headline(remark, "Removed dead");
    case BarrierOutcome::Guarded:
      return headline(remark, "Guarded") + ": a launch of one row leaves it out";
    case BarrierOutcome::Weakened:
      return headline(remark, "Weakened") + ": it orders nothing between two warps";
  }
  return {};
}

}  // namespace

std::string countText(const std::optional<std::size_t>& count) {
  return count ? std::to_string(*count) : "many";
}

std::string messageOf(const passes::Remark& remark) {
  if (!remark.barrier) return remark.message;
  const passes::BarrierVerdict& verdict = *remark.barrier;
  std::string text = outcomeText(remark);
  if (verdict.counts) {
    const auto& [above, below] = *verdict.counts;
    text += fmt::format("\nRead above: {}, Write above: {}, Read below: {}, Write below: {}",
                        countText(above.reads), countText(above.writes), countText(below.reads),
                        countText(below.writes));
  }
  if (!verdict.example.empty()) text += '\n' + verdict.example;
  text += verdict.notes;
  if (!remark.assumptions.empty()) {
    text += fmt::format("\nassuming {}", fmt::join(remark.assumptions, ", "));
  }
  return text;
}

}  // namespace ptxopt::driver
