#include "passes/barrier_remarks.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/module.h"

namespace ptxopt::passes {

using analysis::AccessClasses;
using analysis::BarrierRegions;
using analysis::Direction;
using ir::Instruction;

namespace {

// Instructions around a barrier that are looked at to explain it.
constexpr std::size_t kMostExplained = 5'000;

std::string_view kindText(analysis::AccessKinds kinds) {
  const bool reads = (kinds & analysis::kRead) != 0;
  const bool writes = (kinds & analysis::kWrite) != 0;
  if (reads && writes) return "read and write";
  if (writes) return "write";
  return (kinds & analysis::kStrongRead) != 0 ? "strong read" : "read";
}

std::string_view markText(analysis::EffectMarks marks) {
  if ((marks & analysis::kBarrierResource) != 0) return "partial or divergent barrier";
  if ((marks & analysis::kOpaqueSync) != 0) return "synchronisation";
  if ((marks & analysis::kCtaFence) != 0) return "fence";
  return "end of threads";
}

}  // namespace

void BarrierRemarks::addFunction(const ir::Function& function) {
  module_ = &function.module();
  Body& body = bodies_.emplace_back(Body{&function, {}});
  for (const ir::Statement& statement : function.body()) {
    if (const auto* location = statement.as<ir::Location>()) body.locations.push_back(location);
  }
}

std::uint32_t BarrierRemarks::lineOf(const Instruction& instruction) const {
  return module_->source().lineColumn(instruction.source.begin).line;
}

std::string BarrierRemarks::placeOf(const Instruction& instruction) const {
  return fmt::format("{}:{}", module_->source().name(), lineOf(instruction));
}

const ir::Location* BarrierRemarks::sourceOf(const Instruction& instruction) const {
  const auto at = instruction.source.begin;
  for (const Body& body : bodies_) {
    const SourceRange range = body.function->bodySource;
    if (at < range.begin || at >= range.end) continue;
    const auto behind = std::upper_bound(
        body.locations.begin(), body.locations.end(), at,
        [](auto offset, const ir::Location* location) { return offset < location->source.begin; });
    return behind == body.locations.begin() ? nullptr : *(behind - 1);
  }
  return nullptr;
}

Remark BarrierRemarks::at(std::string_view pass, const ir::Function& function,
                          const Instruction& instruction) const {
  Remark remark;
  remark.pass = pass;
  remark.function = &function;
  remark.place = instruction.source;
  remark.source = sourceOf(instruction);
  return remark;
}

std::string BarrierRemarks::removed(const ir::Function& function,
                                    const Instruction& barrier) const {
  return fmt::format("Removed dead synch: [{}] in function {}", placeOf(barrier),
                     function.nameText());
}

std::string BarrierRemarks::guarded(const ir::Function& function,
                                    const Instruction& barrier) const {
  return fmt::format("Guarded synch: [{}] in function {}: a launch of one row leaves it out",
                     placeOf(barrier), function.nameText());
}

std::string BarrierRemarks::weakened(const ir::Function& function,
                                     const Instruction& barrier) const {
  return fmt::format("Weakened synch: [{}] in function {}: it orders nothing between two warps",
                     placeOf(barrier), function.nameText());
}

std::string BarrierRemarks::kept(const ir::Function& function, const Instruction& barrier,
                                 const std::string& reason) const {
  return fmt::format("Kept synch: [{}] in function {}: {}", placeOf(barrier), function.nameText(),
                     reason);
}

std::string BarrierRemarks::counts(const BarrierRegions& regions, BarrierRegions::Node barrier,
                                   Remark& remark) const {
  const auto above = regions.count(barrier, Direction::Backward, kMostExplained);
  const auto below = regions.count(barrier, Direction::Forward, kMostExplained);
  const auto text = [](const auto& counts, auto member) {
    return counts ? std::to_string((*counts).*member) : std::string("many");
  };
  using Counts = BarrierRegions::Counts;
  remark.details.insert(remark.details.end(), {{"read_above", text(above, &Counts::reads)},
                                               {"write_above", text(above, &Counts::writes)},
                                               {"read_below", text(below, &Counts::reads)},
                                               {"write_below", text(below, &Counts::writes)}});
  return fmt::format("\nRead above: {}, Write above: {}, Read below: {}, Write below: {}",
                     text(above, &Counts::reads), text(above, &Counts::writes),
                     text(below, &Counts::reads), text(below, &Counts::writes));
}

std::string BarrierRemarks::textOf(const Instruction& instruction) const {
  std::string text = fmt::format("line {}", lineOf(instruction));
  if (const ir::Location* source = sourceOf(instruction)) {
    text += fmt::format(" (source line {})", source->line);
  }
  return fmt::format("{}: {}", text, statementOf(instruction));
}

std::string_view BarrierRemarks::statementOf(const Instruction& instruction) const {
  const SourceRange range = instruction.source;
  if (!range.valid()) return {};
  return module_->source().text().substr(range.begin, range.end - range.begin);
}

std::string BarrierRemarks::describe(const BarrierRegions::Event* event, std::string_view what,
                                     std::string_view prefix, Remark& remark,
                                     std::string_view where) const {
  if (event == nullptr || event->instruction == nullptr) return std::string(what);
  const Instruction& instruction = *event->instruction;
  const auto detail = [&](std::string_view name, std::string value) {
    remark.details.emplace_back(fmt::format("{}{}", prefix, name), std::move(value));
  };
  detail("", std::string(what));
  detail("_ptx", placeOf(instruction));
  if (const ir::Location* source = sourceOf(instruction)) {
    detail("_source_line", std::to_string(source->line));
  }
  detail("_text", std::string(statementOf(instruction)));
  return fmt::format("{}{} at {}", what, where, textOf(instruction));
}

std::string BarrierRemarks::pin(const BarrierRegions& regions, BarrierRegions::Node barrier,
                                Remark& remark) const {
  for (const Direction side : {Direction::Backward, Direction::Forward}) {
    const auto* event =
        regions.findEvent(barrier, side, std::nullopt, analysis::kPin, kMostExplained);
    if (event == nullptr) continue;
    return "code next to it depends on when it runs\n" + describe(event, "pin", "pin", remark);
  }
  return "code next to it depends on when it runs";
}

std::string BarrierRemarks::conflict(const BarrierRegions& regions, const AccessClasses& classes,
                                     BarrierRegions::Node barrier,
                                     const AccessClasses::Conflict& conflict,
                                     Remark& remark) const {
  const auto describeSide = [&](Direction side, std::optional<analysis::AccessSet::Key> key,
                                analysis::EffectMarks marks, std::string_view name) {
    const auto* event = regions.findEvent(barrier, side, key, marks, kMostExplained);
    const std::string_view what = key                ? kindText(classes.of(*key).kinds)
                                  : event != nullptr ? markText(event->marks)
                                                     : markText(marks);
    const analysis::Access* access = key ? classes.accessOf(classes.of(*key)) : nullptr;
    if (access == nullptr || access->address == analysis::kNone) {
      return describe(event, what, name, remark);
    }
    std::string address = access->origin->text(access->address);
    std::string text = describe(event, what, name, remark, fmt::format(" [{}]", address));
    remark.details.emplace_back(fmt::format("{}_address", name), std::move(address));
    return text;
  };
  const std::string above =
      describeSide(Direction::Backward, conflict.above, conflict.aboveMarks, "above");
  const std::string below =
      describeSide(Direction::Forward, conflict.below, conflict.belowMarks, "below");
  return fmt::format("it orders two accesses\nabove: {}\nbelow: {}", above, below);
}

}  // namespace ptxopt::passes
