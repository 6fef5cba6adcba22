// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/races/race_search.h"

#include <algorithm>
#include <utility>

#include "analysis/barriers/barrier_events.h"
#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

// More than the passes have, since each pair of accesses is compared.
constexpr AccessLimits kLimits = {
    .addresses = 1024, .work = 200'000'000, .workOnThreads = 50'000'000};

// Of a loop around one of the two accesses alone, the first rounds are near an access above the
// loop, and the last ones near an access below it.
bool isLoopBeforeOther(const Loops& loops, const Race::Side& inner, const Race::Side& other) {
  for (LoopId loop = loops.loopOf(inner.instruction->block); loop != LoopId::None;
       loop = loops.parent(loop)) {
    if (loops.contains(loop, other.instruction->block)) return false;
    if (other.instruction->block > loops.header(loop)) return true;
  }
  return false;
}

}  // namespace

RaceSearch::RaceSearch(std::span<const BarrierBody> bodies, const BarrierContext& context)
    : bodies_(bodies),
      context_(context),
      graph_(bodies, context, Precision::Affine, kLimits, true),
      work_(most(Limit::RaceWork)) {
  for (const BarrierGraph::Barrier& barrier : graph_.barriers()) {
    const bool separates = barrier.node != kNone && graph_.regions().separates(barrier.node);
    if (separates) separators_.push_back(barrier.instruction);
  }
  std::ranges::sort(separators_);
  const EpochPairs pairs(graph_);
  isLimitMet_ = pairs.isLimitMet();
  for (const EpochPairs::Pair& pair : pairs.pairs()) {
    Race race{sideOf(*pair.first), sideOf(*pair.second), pair.areWarpsDifferent,
              pair.mayBeOrdered,   std::nullopt,         false};
    findWitness(race, pair);
    races_.push_back(std::move(race));
  }
}

Race::Side RaceSearch::sideOf(const BarrierRegions::Event& event) const {
  const AccessClass& of = graph_.classes().of(*event.key);
  return {event.function, event.instruction, accessOfEvent(event, graph_.classes(), bodies_),
          of.kinds};
}

bool RaceSearch::divides(std::uint32_t body, const ir::Instruction& instruction) const {
  if (std::ranges::binary_search(separators_, &instruction)) return true;
  // What a call may meet is not followed here.
  return bodies_.size() > 1 && mayCall(instruction) &&
         context_.calleeOf(bodies_[body].cfg->function(), instruction) != kNone;
}

EpochRounds& RaceSearch::roundsOf(std::uint32_t body) {
  const auto known = rounds_.find(body);
  if (known != rounds_.end()) return known->second;
  return rounds_
      .try_emplace(
          body, *bodies_[body].cfg, *bodies_[body].loops,
          [this, body](const ir::Instruction& instruction) { return divides(body, instruction); })
      .first->second;
}

void RaceSearch::findWitness(Race& race, const EpochPairs::Pair& pair) {
  const Access* const one = race.first.access;
  const Access* const other = race.second.access;
  if (one == nullptr || other == nullptr || one->origin != other->origin) return;
  const auto at = std::ranges::find_if(
      bodies_, [&](const BarrierBody& body) { return body.addresses == one->origin; });
  if (at == bodies_.end()) return;
  const WitnessKey key{*pair.first->key, *pair.second->key, race.first.instruction->block,
                       race.second.instruction->block, race.areWarpsDifferent};
  const auto [known, isNew] = witnesses_.try_emplace(key);
  if (isNew && work_ != 0) known->second = search(race, *at);
  isLimitMet_ |= work_ == 0;
  race.witness = known->second.witness;
  race.isInFreeRounds = known->second.isInFreeRounds;
}

RaceSearch::Found RaceSearch::search(const Race& race, const BarrierBody& body) {
  EpochRounds& rounds = roundsOf(static_cast<std::uint32_t>(&body - bodies_.data()));
  const Access* one = race.first.access;
  const Access* other = race.second.access;
  const bool isSwapped = isLoopBeforeOther(*body.loops, race.second, race.first);
  if (isSwapped) std::swap(one, other);
  WitnessQuestion question;
  question.first = one;
  question.second = other;
  question.areWarpsDifferent = race.areWarpsDifferent;
  question.postDominators = body.postDominators;
  question.loops = body.loops;
  question.separatesRounds = [&](LoopId loop) { return rounds.dividesRounds(loop); };
  question.mayMeetInRounds = [&](LoopId loop, std::int64_t a, std::int64_t b) {
    return rounds.mayMeet(loop, *one->instruction, a, *other->instruction, b);
  };
  question.work = std::min<std::uint64_t>(work_, 2 * most(Limit::ExampleWork));
  std::uint64_t spent = 0;
  Found found{analysis::findWitness(question, &spent), false};
  work_ -= std::min(work_, spent);
  if (!found.witness) return found;
  if (isSwapped) std::swap(found.witness->first, found.witness->second);
  for (ConflictWitness::Choice& choice : found.witness->choices) {
    if (isSwapped) {
      std::swap(choice.first, choice.second);
      for (auto& variable : choice.variables) std::swap(variable.first, variable.second);
    }
    found.isInFreeRounds |= choice.loop != LoopId::None && !rounds.dividesRounds(choice.loop);
  }
  return found;
}

}  // namespace ptxopt::analysis
