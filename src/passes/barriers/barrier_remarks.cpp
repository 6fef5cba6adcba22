// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/barriers/barrier_remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "analysis/barriers/barrier_events.h"
#include "analysis/barriers/conflict_witness.h"
#include "analysis/flow/loop_rounds.h"
#include "ir/module.h"
#include "passes/barriers/conflict_text.h"
#include "support/limits.h"

namespace ptxopt::passes {

using analysis::AccessClasses;
using analysis::BarrierRegions;
using ir::Instruction;

namespace {

// For the search of an example (WitnessQuestion::work).
constexpr std::uint64_t kWorkOfFirstPair = most(Limit::ExampleWork);
constexpr std::uint64_t kWorkOfPair = kWorkOfFirstPair / 4;

BarrierEvent::Kind kindOf(analysis::AccessKinds kinds) {
  using Kind = BarrierEvent::Kind;
  const bool reads = (kinds & analysis::kRead) != 0;
  const bool writes = (kinds & analysis::kWrite) != 0;
  if (reads && writes) return Kind::ReadAndWrite;
  if (writes) return Kind::Write;
  return (kinds & analysis::kStrongRead) != 0 ? Kind::StrongRead : Kind::Read;
}

// Whoever comes to the one instruction has come from the other, by dominators, or will come to it,
// by post-dominators.
bool follows(const Instruction& upper, const Instruction& lower,
             const analysis::DominatorTree& tree) {
  if (upper.block == lower.block) return upper.source.begin < lower.source.begin;
  return tree.direction() == Direction::Forward ? tree.dominates(upper.block, lower.block)
                                                : tree.dominates(lower.block, upper.block);
}

// What an instruction, or the end of threads, is to a barrier that it is no access for.
BarrierEvent::Kind kindOf(analysis::EffectMarks marks, const Instruction* instruction) {
  using Kind = BarrierEvent::Kind;
  if ((marks & analysis::kBarrierResource) != 0) return Kind::PartialBarrier;
  if ((marks & analysis::kAnySync) != 0) {
    if (instruction == nullptr) return Kind::Synchronization;
    if (!instruction->desc->known()) return Kind::UnknownInstruction;
    if (instruction->desc->control == isa::Control::Call) return Kind::CallThatSynchronizes;
    if (instruction->desc->effect == isa::Effect::Strong) return Kind::AccessThatWaits;
    return instruction->desc->is(isa::kFence) ? Kind::FenceBeyondCta : Kind::Synchronization;
  }
  if ((marks & analysis::kCtaFence) != 0) return Kind::Fence;
  return Kind::EndOfThreads;
}

}  // namespace

void BarrierRemarks::addFunction(const ir::Function& function) {
  module_ = &function.module();
  functions_.push_back(&function);
}

void BarrierRemarks::setGraph(std::span<const analysis::BarrierBody> barrierBodies,
                              const analysis::BarrierGraph& graph) {
  barrierBodies_ = barrierBodies;
  graph_ = &graph;
  for (const analysis::BarrierGraph::Barrier& barrier : graph.barriers()) {
    if (barrier.node == kNone) continue;
    nodeOf_.emplace(barrier.instruction, barrier.node);
    barrierOf_.emplace(barrier.node, barrier.instruction);
  }
}

std::uint32_t BarrierRemarks::lineOf(const Instruction& instruction) const {
  return module_->source().lineColumn(instruction.source.begin).line;
}

std::optional<ir::SourcePlace> BarrierRemarks::sourceOf(const Instruction& instruction) const {
  if (!lines_) lines_.emplace(*module_, functions_);
  return lines_->written(instruction.source.begin);
}

Remark BarrierRemarks::at(std::string_view pass, const ir::Function& function,
                          const Instruction& instruction) {
  Remark remark;
  remark.pass = pass;
  remark.kind = RemarkKind::Missed;
  remark.function = &function;
  remark.place = instruction.source;
  remark.barrier = verdictOn(instruction);
  return remark;
}

std::pair<AccessCounts, AccessCounts> BarrierRemarks::counts(const BarrierRegions& regions,
                                                             BarrierRegions::Node barrier) const {
  const auto on = [&](Direction side) {
    const auto counted = regions.count(barrier, side);
    return counted ? AccessCounts{counted->reads, counted->writes} : AccessCounts{};
  };
  return {on(Direction::Backward), on(Direction::Forward)};
}

std::string BarrierRemarks::textOfPlace(const Instruction& instruction) const {
  std::string text = fmt::format("line {}", lineOf(instruction));
  if (const auto source = sourceOf(instruction)) {
    text += fmt::format(" ({})", ir::shortText(*source));
  }
  return text;
}

NamedInstruction BarrierRemarks::named(const Instruction& instruction) const {
  return {instruction.source, sourceOf(instruction)};
}

BarrierEvent BarrierRemarks::eventAt(const BarrierRegions::Event* event,
                                     BarrierEvent::Kind kind) const {
  BarrierEvent result;
  result.kind = kind;
  const bool isKnown = event != nullptr && event->instruction != nullptr;
  if (isKnown) result.instruction = named(*event->instruction);
  return result;
}

std::optional<BarrierEvent> BarrierRemarks::pin(const BarrierRegions& regions,
                                                BarrierRegions::Node barrier) const {
  for (const Direction side : {Direction::Backward, Direction::Forward}) {
    const auto* event = regions.findEvent(barrier, side, std::nullopt, analysis::kPin);
    if (event == nullptr) continue;
    const bool isCall =
        event->instruction != nullptr && event->instruction->desc->control == isa::Control::Call;
    return eventAt(event, isCall ? BarrierEvent::Kind::CallThatTimes : BarrierEvent::Kind::Timing);
  }
  return std::nullopt;
}

std::optional<ConflictExample> BarrierRemarks::example(const Region& region, const Side& sideAbove,
                                                       const Side& sideBelow) const {
  const analysis::Access& above = *sideAbove.access;
  const analysis::Access& below = *sideBelow.access;
  const auto body =
      std::find_if(barrierBodies_.begin(), barrierBodies_.end(),
                   [&](const analysis::BarrierBody& of) { return of.addresses == above.origin; });
  if (body == barrierBodies_.end() || above.origin != below.origin) return std::nullopt;

  const Instruction& barrier = *barrierOf_.at(region.barrier);
  const auto separates = [&](const Instruction& instruction) {
    // What a call may meet is not followed here.
    if (instruction.desc->control == isa::Control::Call && barrierBodies_.size() > 1) return true;
    const auto found = nodeOf_.find(&instruction);
    return found != nodeOf_.end() && graph_->regions().separates(found->second);
  };
  const SourceRange range = body->cfg->function().bodySource;
  const bool isOneFunction =
      barrier.source.begin >= range.begin && barrier.source.begin < range.end;
  std::map<analysis::LoopId, std::optional<analysis::LoopRounds>> rounds;
  analysis::WitnessQuestion question;
  question.first = &above;
  question.second = &below;
  question.isOneRow = region.rowsOnly;
  question.areWarpsDifferent = region.relation == analysis::Relation::TwoWarps;
  question.postDominators = body->postDominators;
  question.loops = body->loops;
  question.separatesRounds = [&](analysis::LoopId loop) {
    for (const analysis::BlockId block : body->loops->members(loop)) {
      for (const Instruction& instruction : body->cfg->instructions(block)) {
        if (&instruction == &barrier || separates(instruction)) return true;
      }
    }
    return false;
  };
  question.work = std::min(work_, region.work);
  question.mayMeetInRounds = [&](analysis::LoopId loop, std::int64_t a, std::int64_t b) {
    if (!isOneFunction) return false;
    const auto [at, isNew] = rounds.try_emplace(loop);
    if (isNew) {
      at->second = analysis::roundsBetween(*body->cfg, *body->loops, loop, *above.instruction,
                                           barrier, *below.instruction, separates);
    }
    return at->second && at->second->allow(a, b);
  };
  std::uint64_t spent = 0;
  auto witness = analysis::findWitness(question, &spent);
  work_ -= std::min(work_, spent);
  if (!witness) return std::nullopt;
  // Round a loop it depends on the loop whether the second one follows.
  if (!isOneFunction ||
      !follows(barrier, *below.instruction, body->addresses->ssa().dominators()) ||
      !follows(*above.instruction, barrier, *body->postDominators)) {
    witness->isCertain = false;
  }
  const std::function<std::string(const Instruction&)> line = [&](const Instruction& instruction) {
    return textOfPlace(instruction);
  };
  return ConflictText(*witness, above, below, {sideAbove.verb, sideBelow.verb}, *body->loops, line)
      .example();
}

BarrierRemarks::Side BarrierRemarks::sideOf(const Region& region, Direction direction,
                                            std::optional<analysis::AccessSet::Key> key,
                                            analysis::EffectMarks marks) const {
  Side side;
  const auto* event = region.regions.findEvent(region.barrier, direction, key, marks);
  if (event == nullptr && direction == Direction::Forward) {
    event = region.regions.findEventEverBelow(region.barrier, key, marks);
    side.isBelowOtherBarriers = event != nullptr;
  }
  const Instruction* instruction = event == nullptr ? nullptr : event->instruction;
  const bool isSync = key && (region.classes.of(*key).kinds & analysis::kSync) != 0;
  if (!key || isSync) {
    analysis::EffectMarks known = event != nullptr ? event->marks : marks;
    if (isSync) known = analysis::kOpaqueSync;
    side.event = eventAt(event, kindOf(known, instruction));
    return side;
  }
  const analysis::AccessClass& of = region.classes.of(*key);
  side.verb = verbOf(of.kinds);
  if (event != nullptr && event->key == key) {
    side.access = analysis::accessOfEvent(*event, region.classes, barrierBodies_);
  }
  side.event = eventAt(event, kindOf(of.kinds));
  side.event.isCompletion =
      instruction != nullptr && instruction->desc->effect == isa::Effect::AsyncWait;
  if (instruction != nullptr && instruction->desc->control != isa::Control::Call) {
    const isa::Space space = instruction->desc->space;
    if (space != isa::Space::None) side.event.space = isa::spelling(space);
  }
  if (side.access != nullptr && side.access->address != analysis::FormId::None) {
    side.event.address = side.access->origin->text(side.access->address);
  }
  return side;
}

BarrierConflict BarrierRemarks::describe(const Region& region,
                                         const AccessClasses::Conflict& conflict) const {
  Side above = sideOf(region, Direction::Backward, conflict.above, conflict.aboveMarks);
  Side below = sideOf(region, Direction::Forward, conflict.below, conflict.belowMarks);
  BarrierConflict result;
  result.isBelowOtherBarriers = below.isBelowOtherBarriers;
  result.areAccesses = above.access != nullptr && below.access != nullptr;
  if (result.areAccesses && graph_ != nullptr) result.example = example(region, above, below);
  if (result.areAccesses && !result.example) {
    result.mayAlias = parametersThatMayAlias(*above.access, *below.access);
  }
  result.isLimitMet = region.classes.isLimitMet() && conflict.above && conflict.below;
  result.above = std::move(above.event);
  result.below = std::move(below.event);
  return result;
}

BarrierConflict BarrierRemarks::conflict(const BarrierRegions& regions,
                                         const AccessClasses& classes, BarrierRegions::Node barrier,
                                         const AccessClasses::Conflict& conflict,
                                         analysis::Relation relation) const {
  Region region{regions, classes, barrier, relation, false, kWorkOfFirstPair};
  BarrierConflict first = describe(region, conflict);
  const bool areAccesses = conflict.above && conflict.below && !first.above.address.empty();
  if (!areAccesses || (first.example && first.example->isInRow)) return first;
  // An example in a block of one row says more than one that takes several.
  region.rowsOnly = true;
  region.work = kWorkOfPair;
  if (auto other = pairWithExample(region)) return *other;
  region.rowsOnly = false;
  if (first.example) return first;
  return pairWithExample(region).value_or(std::move(first));
}

std::optional<BarrierConflict> BarrierRemarks::pairWithExample(const Region& region) const {
  std::optional<BarrierConflict> result;
  std::size_t tried = 0;
  region.regions.anyConflict(region.barrier, region.relation,
                             [&](const AccessClasses::Conflict& other) {
                               BarrierConflict next = describe(region, other);
                               if (next.example) result = std::move(next);
                               return result.has_value() || reaches(++tried, Limit::ExamplePairs);
                             });
  return result;
}

}  // namespace ptxopt::passes
