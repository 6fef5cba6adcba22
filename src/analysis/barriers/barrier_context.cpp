// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/barriers/barrier_context.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "analysis/barriers/broadcast_loads.h"
#include "analysis/threads/non_exited_threads.h"
#include "support/limits.h"

namespace ptxopt::analysis {

using ir::Instruction;

namespace {

// The assumptions that change what a call may do.
constexpr Assumption kAboutEffects[] = {Assumption::NcInvariant, Assumption::RelaxTrap,
                                        Assumption::RelaxTiming};

bool hasCountOfWholeBlock(const Cfg& cfg, const Assumptions& assumptions,
                          const ValueRanges* ranges) {
  for (const BlockId b : cfg.blocks()) {
    for (const Instruction& instruction : cfg.instructions(b)) {
      const auto barrier = ctaBarrierWith(cfg.isReachable(b) ? ranges : nullptr, instruction);
      if (barrier && countsWholeBlock(cfg.function(), assumptions, *barrier)) return true;
    }
  }
  return false;
}

Participation participationOf(std::span<const BarrierBody> bodies, const BarrierFacts& facts,
                              const Uniformity::InstructionSet& broadcasts = {}) {
  std::vector<std::optional<NonExitedThreads>> nonExitedThreads(bodies.size());
  std::vector<Participation::Body> members;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const BarrierBody& body = bodies[k];
    Participation::Body& member = members.emplace_back();
    member = {body.cfg, body.liveness, body.assumptions};
    if (body.addresses != nullptr) member.ranges = &body.addresses->ranges();
    if (hasCountOfWholeBlock(*body.cfg, body.assumptions, member.ranges)) {
      member.nonExitedThreads =
          &nonExitedThreads[k].emplace(*body.cfg, *body.liveness, facts.effects(body.assumptions));
    }
  }
  return Participation(members, facts.uses, *facts.graph, facts.withKnownCallers, broadcasts);
}

bool isAnyNumberInRegister(const Participation& participation) {
  return std::ranges::any_of(participation.barriers(), [](const Participation::Member& member) {
    return !member.barrier.id || (member.barrier.hasCount && !member.barrier.count);
  });
}

// Values decide that not all threads take part in some barrier.
bool isAnyNotUniform(const Participation& participation) {
  return std::ranges::any_of(participation.barriers(), [](const Participation::Member& member) {
    return member.standing == Standing::NotUniform;
  });
}

}  // namespace

void BarrierFacts::addEffects(const Assumptions& assumptions) {
  std::vector<Assumptions> sets(1);
  sets[0].flatShared = assumptions.flatShared;
  for (const Assumption one : kAboutEffects) {
    if (!assumptions.has(one)) continue;
    for (std::size_t k = 0, count = sets.size(); k < count; ++k) {
      sets.push_back(sets[k]);
      sets.back().add(one);
    }
  }
  for (const Assumptions& set : sets) {
    const auto isThis = [&](const auto& known) { return known.first == set; };
    if (std::ranges::any_of(effects_, isThis)) continue;
    effects_.emplace_back(set, CallEffects(*graph, set));
  }
}

const CallEffects& BarrierFacts::effects(const Assumptions& assumptions) const {
  Assumptions relevant;
  relevant.flatShared = assumptions.flatShared;
  for (const Assumption one : kAboutEffects) {
    if (assumptions.has(one)) relevant.add(one);
  }
  for (const auto& [known, effects] : effects_) {
    if (known == relevant) return effects;
  }
  throw std::logic_error("effects of calls under assumptions that nobody announced");
}

BarrierContext::BarrierContext(std::span<const BarrierBody> bodies, const BarrierFacts& of,
                               const std::function<Bodies()>& withAddresses)
    : facts(&of), participation(participationOf(bodies, of)) {
  objects.reserve(bodies.size());
  for (const BarrierBody& body : bodies) {
    bodyOf[&body.cfg->function()] = static_cast<std::uint32_t>(objects.size());
    objects.emplace_back(body.cfg->function(), body.assumptions.flatShared);
  }
  if (withAddresses && isAnyNumberInRegister(participation)) {
    participation = participationOf(fine(bodies, withAddresses), of);
  }
  if (isAnyNotUniform(participation)) findBroadcasts(bodies, withAddresses);
}

std::span<const BarrierBody> BarrierContext::fine(std::span<const BarrierBody> bodies,
                                                  const MakeBodies& withAddresses) {
  if (!withAddresses) return bodies;
  if (fine_.empty()) fine_ = withAddresses();
  return fine_;
}

// C1.2.11: an optimistic fixpoint.  It is assumed of all loads that nothing writes while threads
// load, until the barriers in which all threads then take part do not confirm it.
void BarrierContext::findBroadcasts(std::span<const BarrierBody> bodies,
                                    const MakeBodies& withAddresses) {
  Uniformity::InstructionSet loads = BroadcastLoads::possible(bodies, *this);
  Participation without = participation;
  const std::span<const BarrierBody> known = fine_.empty() ? bodies : fine_;
  for (std::size_t round = 0; !loads.empty(); ++round) {
    participation = participationOf(known, *facts, loads);
    if (participation.countCandidates() == without.countCandidates()) break;
    if (exceeds(round, Limit::BroadcastRounds)) break;
    const auto refuted = BroadcastLoads(fine(bodies, withAddresses), *this, loads).refuted();
    if (refuted.empty()) return;
    for (const Instruction* load : refuted) loads.erase(load);
  }
  participation = std::move(without);
}

std::uint32_t BarrierContext::calleeOf(const ir::Function& caller,
                                       const Instruction& instruction) const {
  const bool isCall = instruction.desc->known() && instruction.desc->control == isa::Control::Call;
  if (!isCall || objects.size() == 1) return kNone;
  const std::vector<Vertex> targets = facts->graph->targets(caller, instruction);
  if (targets.size() != 1 || !facts->withKnownCallers.test(targets[0])) return kNone;
  const auto found = bodyOf.find(facts->graph->function(targets[0]));
  return found == bodyOf.end() ? kNone : found->second;
}

}  // namespace ptxopt::analysis
