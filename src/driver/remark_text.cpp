// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/remark_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <vector>

#include "driver/barrier_text.h"
#include "driver/content_text.h"
#include "support/demangle.h"

namespace ptxopt::driver {

namespace {

using passes::BarrierOutcome;

std::string headline(const passes::Remark& remark, std::string_view what) {
  const SourceText& text = remark.function->module().source();
  return fmt::format("{} synch: [{}:{}] in function {}", what, text.name(),
                     text.lineColumn(remark.place.begin).line, remark.function->nameText());
}

// Which launches skip a barrier with a guard.
std::string launchText(const passes::BarrierRule& rule) {
  std::string text = "a launch";
  if (rule.kind == passes::BarrierRule::Kind::OneRow) text += " of one row";
  if (rule.kind == passes::BarrierRule::Kind::LargestBlock) text += " of the block in .maxntid";
  if (!rule.takesFarPointers) return text;
  return text + " with pointers far enough apart";
}

std::string conflictText(const ir::Module& module, const passes::BarrierConflict& conflict) {
  std::string text = fmt::format("above: {}\nbelow: {}", eventText(module, conflict.above),
                                 eventText(module, conflict.below));
  if (conflict.isBelowOtherBarriers) {
    text += "\nthreads may end after this barrier: no later one orders what they did above it";
  }
  if (conflict.isLimitMet) {
    text +=
        "\nnot all addresses of the kernel were compared: the limit on that work is reached "
        "(max-classes or max-work)";
  }
  if (conflict.areAccesses && !conflict.example && conflict.mayAlias.empty()) {
    text += "\nwhich threads meet there, if any do, is not known";
  }
  return text;
}

std::string outcomeText(const passes::Remark& remark) {
  switch (remark.barrier->outcome) {
    case BarrierOutcome::Kept:
      return fmt::format("{}: {}{}", headline(remark, "Kept"),
                         remark.barrier->conflict ? "it orders two accesses\n" : "",
                         whyKept(remark));
    case BarrierOutcome::Removed:
      return headline(remark, "Removed dead");
    case BarrierOutcome::Guarded:
      return fmt::format("{}: {} leaves it out", headline(remark, "Guarded"),
                         launchText(*remark.barrier->rule));
    case BarrierOutcome::Weakened:
      return headline(remark, "Weakened") + ": it orders nothing between two warps";
  }
  return {};
}

// Whether a file of this name is C++ or CUDA C++.
bool isCxx(std::string_view file) {
  const std::size_t dot = file.rfind('.');
  if (dot == std::string_view::npos) return false;
  constexpr std::array kEndings = {"cu", "cuh", "c",   "cc",  "cpp", "cxx",
                                   "h",  "hh",  "hpp", "hxx", "inl", "inc"};
  return std::ranges::find(kEndings, file.substr(dot + 1)) != kEndings.end();
}

// The barrier as the user knows it: `bar.sync 0` is __syncthreads() in C++, and itself elsewhere.
std::string barrierName(const passes::Remark& remark, const ir::SourceLines& lines) {
  std::string name = oneLine(remark.function->module().source().slice(remark.place));
  const std::vector<ir::SourcePlace> chain =
      remark.source != nullptr ? lines.chain(*remark.source) : std::vector<ir::SourcePlace>();
  if (chain.empty()) return name;
  if (remark.barrier->isSyncthreads && isCxx(chain.back().file)) name = "__syncthreads()";
  // The function that the written line calls, if the barrier is not on that line itself.
  const ir::SourcePlace written = *lines.written(*remark.source);
  const ir::SourcePlace* callee = nullptr;
  for (const ir::SourcePlace& place : chain) {
    const bool isWritten =
        place.file == written.file && place.line == written.line && place.column == written.column;
    if (isWritten) break;
    callee = &place;
  }
  if (callee == nullptr || callee->function.empty()) return name;
  return fmt::format("{} in {}()", name, functionName(callee->function));
}

}  // namespace

std::string oneLine(std::string_view text) {
  std::string result;
  bool isBlank = false;
  for (const char c : text) {
    const bool isEnd = c == '\n';
    if (isEnd && !result.empty() && result.back() != ':' && result.back() != ';') result += ';';
    if (isEnd || std::isspace(static_cast<unsigned char>(c)) != 0) {
      isBlank = !result.empty();
      continue;
    }
    if (isBlank) result += ' ';
    isBlank = false;
    result += c;
  }
  if (result.ends_with(';')) result.pop_back();
  return result;
}

std::string changeText(const passes::Remark& remark, const ir::SourceLines& lines) {
  if (!remark.barrier) return contentText(remark);
  return fmt::format("{} {}", barrierName(remark, lines), whatItOrders(remark));
}

std::string whatItOrders(const passes::Remark& remark) {
  const passes::BarrierVerdict& verdict = *remark.barrier;
  std::string text;
  switch (verdict.outcome) {
    case BarrierOutcome::Guarded:
      text = "is not needed in " + launchText(*verdict.rule);
      break;
    case BarrierOutcome::Weakened:
      text = "is needed only within each warp: bar.warp.sync is enough";
      break;
    default:
      if (verdict.rule && verdict.rule->kind == passes::BarrierRule::Kind::NotReached) {
        return "is not reached in any launch that --launch describes";
      }
      text = "orders nothing";
      if (verdict.rule && verdict.rule->kind != passes::BarrierRule::Kind::NoConflict) {
        text += fmt::format(": {}", passes::spelling(*verdict.rule));
      }
  }
  std::string given;
  for (const std::string& assumption : remark.assumptions) given += " --" + assumption;
  return given.empty() ? text : text + ", given" + given;
}

std::string countText(const std::optional<std::size_t>& count) {
  return count ? std::to_string(*count) : "many";
}

std::string whyKept(const passes::Remark& remark) {
  const passes::BarrierVerdict& verdict = *remark.barrier;
  const ir::Module& module = remark.function->module();
  if (verdict.conflict) return conflictText(module, *verdict.conflict);
  std::string text = verdict.reason ? reasonText(module, *verdict.reason) : "";
  if (verdict.pin) text += '\n' + eventText(module, *verdict.pin);
  return text;
}

std::string bytesText(const passes::ConflictExample::Side& side) {
  return fmt::format("{}[{}..{})", side.base, side.begin, side.end);
}

std::string sideText(const passes::ConflictExample::Side& side, std::string_view bytes) {
  return fmt::format("{}thread {} {} {} at {}", side.isOfWarp ? "the warp of " : "", side.thread,
                     side.verb, bytes, side.place);
}

std::string exampleText(const passes::ConflictExample& example) {
  std::string text = example.isCertain ? "" : "they may meet: ";
  if (!example.given.empty()) text += example.given + ", ";
  const std::string above = bytesText(example.above);
  const std::string below = bytesText(example.below);
  return text + sideText(example.above, above) + ", " +
         sideText(example.below, below == above ? "it" : below);
}

std::string exampleText(const passes::BarrierVerdict& verdict) {
  if (!verdict.conflict) return {};
  return verdict.conflict->example ? exampleText(*verdict.conflict->example)
                                   : verdict.conflict->mayAlias;
}

std::string messageOf(const passes::Remark& remark) {
  if (!remark.barrier) return contentText(remark);
  const passes::BarrierVerdict& verdict = *remark.barrier;
  std::string text = outcomeText(remark);
  if (verdict.counts) {
    const auto& [above, below] = *verdict.counts;
    text += fmt::format("\nRead above: {}, Write above: {}, Read below: {}, Write below: {}",
                        countText(above.reads), countText(above.writes), countText(below.reads),
                        countText(below.writes));
  }
  if (const std::string example = exampleText(verdict); !example.empty()) text += '\n' + example;
  text += notesText(verdict);
  if (!remark.assumptions.empty()) {
    text += fmt::format("\nassuming {}", fmt::join(remark.assumptions, ", "));
  }
  return text;
}

}  // namespace ptxopt::driver
