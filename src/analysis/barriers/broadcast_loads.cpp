// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/barriers/broadcast_loads.h"

#include <algorithm>
#include <iterator>

#include "ir/function.h"

namespace ptxopt::analysis {

using ir::Instruction;

namespace {

constexpr std::uint64_t kMostEntries = 5'000'000;  // of sets, as for a usual judgement

// It may write .shared memory, and is no event with a class that says where.
bool writesUnseen(const Instruction& instruction, const BarrierBody& body,
                  const BarrierContext& context) {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (!desc.known()) return true;
  const ir::Function& function = body.cfg->function();
  if (desc.control == isa::Control::Call) {
    if (context.calleeOf(function, instruction) != kNone) return false;
    const CallEffect called =
        context.facts->effects(body.assumptions).ofCall(function, instruction);
    return called.hasAsyncCopy || (called.marks & (kOpaqueSync | kBarrierResource)) != 0;
  }
  if (!desc.is(isa::kMemoryWrite) || desc.space == isa::Space::Global) return false;
  const MemoryEffect effect = memoryEffectOf(instruction, body.assumptions);
  return (effect.marks & kOpaqueSync) != 0 && effect.accessCount == 0;
}

// Everything that may write .shared memory is an access that is understood, by threads of the CTA.
bool isSharedUnderstood(std::span<const BarrierBody> bodies, const BarrierContext& context) {
  return std::ranges::all_of(bodies, [&](const BarrierBody& body) {
    const CallEffects& effects = context.facts->effects(body.assumptions);
    if (effects.of(body.cfg->function()).sharedIsExternal) return false;
    return std::ranges::all_of(body.cfg->blocks(), [&](BlockId b) {
      return std::ranges::none_of(body.cfg->instructions(b), [&](const Instruction& instruction) {
        return writesUnseen(instruction, body, context);
      });
    });
  });
}

bool isAsynchronous(const Instruction& instruction) {
  return instruction.desc->effect == isa::Effect::AsyncCopy ||
         instruction.desc->effect == isa::Effect::AsyncWait;
}

}  // namespace

BroadcastLoads::InstructionSet BroadcastLoads::possible(std::span<const BarrierBody> bodies,
                                                        const BarrierContext& context) {
  const bool isUnderstood = isSharedUnderstood(bodies, context);
  InstructionSet loads;
  for (const BarrierBody& body : bodies) {
    if (!body.cfg->function().isEntry()) continue;
    const bool hasNoRaces = body.assumptions.has(Assumption::Drf);
    for (const BlockId b : body.cfg->blocks()) {
      for (const Instruction& instruction : body.cfg->instructions(b)) {
        const isa::InstructionDesc& desc = *instruction.desc;
        const bool isShared = desc.space == isa::Space::Shared;
        const bool isPossible = desc.isLoad() && desc.effect == isa::Effect::Weak &&
                                !desc.is(isa::kCollective) &&
                                ((isShared && (isUnderstood || hasNoRaces)) ||
                                 (desc.space == isa::Space::Global && hasNoRaces));
        if (isPossible) loads.insert(&instruction);
      }
    }
  }
  return loads;
}

BroadcastLoads::BroadcastLoads(std::span<const BarrierBody> bodies, const BarrierContext& context,
                               const InstructionSet& loads)
    : bodies_(bodies),
      context_(context),
      loads_(loads),
      storesOfAll_(bodies.size()),
      separators_(bodies.size()),
      nonExited_(bodies.size()) {
  for (std::uint32_t k = 0; k < bodies.size(); ++k) bodyOf_[&bodies[k].cfg->function()] = k;
  for (const Participation::Member& member : context.participation.barriers()) {
    if (member.standing != Standing::Candidate) continue;
    separators_[member.body].insert(member.instruction);
  }
}

std::vector<const Instruction*> BroadcastLoads::refuted() {
  claim();
  std::vector<const Instruction*> refuted;
  if (isSeen_.empty()) return refuted;
  if (isSharedUnderstood(bodies_, context_)) {
    graph_.emplace(bodies_, context_, Precision::Affine);
    graph_->regions().solve(kMostEntries);
    collect();
    findWrites();
    for (const Node begin : epochBegins()) lookBelow(begin);
  }
  for (Load& load : claimed_) {
    followDisputes(load);
    if (!load.isRefuted && graph_->regions().isWithinLimit()) continue;
    refuted.insert(refuted.end(), load.instructions.begin(), load.instructions.end());
  }
  for (const auto& [load, isSeen] : isSeen_) {
    if (!isSeen) refuted.push_back(load);
  }
  return refuted;
}

// ---- claims ------------------------------------------------------------------------------------

// The load and its address are uniform, so that its value is taken for uniform too.
bool BroadcastLoads::isClaimed(std::uint32_t body, const Instruction& load) const {
  const Uniformity* uniformity = context_.participation.uniformity(body);
  if (uniformity == nullptr || !uniformity->isUniform(load.block)) return false;
  bool isUniform = !load.guard || uniformity->isUniform(load.guard.predicate());
  ir::forEachRegister(load, [&](const ir::Operand& operand) {
    isUniform &= !operand.reads || uniformity->isUniform(operand.reg());
  });
  return isUniform;
}

// C1.2.12
bool BroadcastLoads::isFreeOfRaces(std::uint32_t body, const Instruction& load) {
  if (!bodies_[body].assumptions.has(Assumption::Drf)) return false;
  std::optional<StoresOfAll>& order = storesOfAll_[body];
  if (!order) {
    order.emplace(*bodies_[body].cfg, *context_.participation.uniformity(body), separators_[body],
                  true);
  }
  return order->isUnordered(load);
}

void BroadcastLoads::claim() {
  for (std::uint32_t k = 0; k < bodies_.size(); ++k) {
    for (const BlockId b : bodies_[k].cfg->blocks()) {
      for (const Instruction& instruction : bodies_[k].cfg->instructions(b)) {
        if (!loads_.contains(&instruction) || !isClaimed(k, instruction)) continue;
        claims_.insert(&instruction);
        if (!isFreeOfRaces(k, instruction)) isSeen_.emplace(&instruction, false);
      }
    }
  }
}

// ---- loads and writes --------------------------------------------------------------------------

void BroadcastLoads::collect() {
  const BarrierRegions& regions = graph_->regions();
  for (Node n = 0; n < regions.nodeCount(); ++n) {
    for (const BarrierRegions::Event& event : regions.events(n)) {
      if (event.instruction != nullptr && event.key) add(bodyOf_.at(event.function), n, event);
    }
  }
}

void BroadcastLoads::add(std::uint32_t body, Node piece, const BarrierRegions::Event& event) {
  const auto seen = isSeen_.find(event.instruction);
  if (seen != isSeen_.end() && event.instruction->desc->space == isa::Space::Shared) {
    auto at = std::ranges::find(claimed_, *event.key, &Load::key);
    if (at == claimed_.end()) at = claimed_.insert(at, {*event.key, {}, {}, {}, {}, false});
    if (!seen->second) at->instructions.push_back(event.instruction);
    at->pieces.push_back(piece);
    seen->second = true;
  }
  if (!event.writes) return;
  const auto number = numberStoredBy(body, *event.instruction);
  auto at = std::ranges::find(writes_, *event.key, &Write::key);
  if (at == writes_.end()) at = writes_.insert(at, {*event.key, false, number});
  at->isCopy |= isAsynchronous(*event.instruction);
  if (at->number != number) at->number = std::nullopt;
}

void BroadcastLoads::findWrites() {
  const AccessClasses& classes = graph_->classes();
  for (Load& load : claimed_) {
    for (const Write& write : writes_) {
      if (!classes.mayConflict(classes.of(write.key), classes.of(load.key))) continue;
      load.writes.push_back(write.key);
      // It may write at any time from its issue until it is waited for (C5.2).
      load.isRefuted |= write.isCopy;
    }
  }
}

// None: not known, or it is no plain store of one element.
std::optional<std::uint64_t> BroadcastLoads::numberStoredBy(std::uint32_t body,
                                                            const Instruction& store) const {
  const isa::InstructionDesc& desc = *store.desc;
  const Addresses* const addresses = bodies_[body].addresses;
  const ir::Operand* const value = store.operand(1);
  const bool isPlain = desc.isStore() && desc.effect == isa::Effect::Weak &&
                       desc.vectorWidth == 1 && value != nullptr && !value->isGroup();
  if (!isPlain || addresses == nullptr) return std::nullopt;
  const std::span<const Access> accesses = addresses->of(store);
  if (accesses.size() != 1 || accesses[0].size == 0 || accesses[0].size > 8) return std::nullopt;
  const ValueRange range = addresses->ranges().ofOperand(store, *value, 8 * accesses[0].size);
  return range.isConstant() ? std::optional(range.lowest) : std::nullopt;
}

// ---- epochs ------------------------------------------------------------------------------------

// The pieces in which they begin.
std::vector<BroadcastLoads::Node> BroadcastLoads::epochBegins() const {
  const BarrierRegions& regions = graph_->regions();
  std::vector<Node> begins = graph_->beginnings();
  for (const BarrierGraph::Barrier& barrier : graph_->barriers()) {
    if (barrier.node == kNone || !regions.separates(barrier.node)) continue;
    for (const Node next : regions.successors(barrier.node)) begins.push_back(next);
  }
  return begins;
}

void BroadcastLoads::lookBelow(Node begin) {
  const AccessSet& epoch = graph_->regions().belowBeginOf(begin);
  for (Load& load : claimed_) {
    std::vector<Key> here;
    std::ranges::copy_if(load.writes, std::back_inserter(here),
                         [&](Key write) { return epoch.contains(write); });
    if (here.empty()) continue;
    load.isRefuted |= epoch.contains(load.key);
    // A thread that ends before the next barrier may write while others are in later epochs.
    load.isRefuted |= (epoch.marks() & kPartingEnd) != 0;
    bool isDispute = false;
    for (std::size_t k = 0; k < here.size() && !load.isRefuted; ++k) {
      for (std::size_t n = 0; n <= k; ++n) isDispute |= mayRace(here[n], here[k]);
    }
    if (isDispute) load.disputes.push_back(begin);
  }
}

// Two threads may write the same byte in one epoch, such that the model lets each reader see
// another one of the two values.
bool BroadcastLoads::mayRace(Key one, Key other) const {
  const AccessClasses& classes = graph_->classes();
  const AccessClass& a = classes.of(one);
  const AccessClass& b = classes.of(other);
  if (!classes.mayConflict(a, b)) return false;
  const bool hasNoRaces = std::ranges::all_of(
      bodies_, [](const BarrierBody& body) { return body.assumptions.has(Assumption::Drf); });
  if (hasNoRaces) return false;
  const Access* const first = classes.accessOf(a);
  const Access* const second = classes.accessOf(b);
  // Accesses of one size are aligned to it, so those that overlap are of the same bytes.
  if (first == nullptr || second == nullptr || first->size == 0 || first->size != second->size) {
    return true;
  }
  // Morally strong writes are in coherence order.
  if ((a.kinds & b.kinds & kStrongWrite) != 0) return false;
  const auto numberOf = [&](Key key) {
    return std::ranges::find(writes_, key, &Write::key)->number;
  };
  return !numberOf(one) || numberOf(one) != numberOf(other);
}

// ---- races before the load ---------------------------------------------------------------------

// A race leaves open what the bytes hold, until a later epoch in which one store surely writes all
// of them.
void BroadcastLoads::followDisputes(Load& load) {
  const BarrierRegions& regions = graph_->regions();
  std::vector<Node> work;
  BitSet seen(regions.nodeCount());
  // `isRace`: from the beginning of the epoch of the race, in which nothing settles it.
  const auto walk = [&](bool isRace) {
    std::vector<Node> begins;
    while (!work.empty() && !load.isRefuted) {
      const Node n = work.back();
      work.pop_back();
      if (!seen.set(n)) continue;
      if (regions.separates(n)) {
        for (const Node next : regions.successors(n)) begins.push_back(next);
        continue;
      }
      if (!isRace && settles(n, load)) continue;
      load.isRefuted |= std::ranges::find(load.pieces, n) != load.pieces.end();
      for (const Node next : regions.successors(n)) work.push_back(next);
    }
    return begins;
  };
  work = load.disputes;
  std::vector<Node> begins = walk(true);
  seen = BitSet(regions.nodeCount());
  while (!begins.empty() && !load.isRefuted) {
    work = std::move(begins);
    begins = walk(false);
  }
}

// Whenever threads come through the piece, one of them writes all bytes of the load in it.
bool BroadcastLoads::settles(Node piece, const Load& load) {
  const AccessClasses& classes = graph_->classes();
  const Access* const wanted = classes.accessOf(classes.of(load.key));
  const auto isOneAddress = [](const Access* access) {
    return access != nullptr && access->bases.size() == 1 && access->bytes.isBounded() &&
           access->size != 0 &&
           access->bytes.highest - access->bytes.lowest + 1 == std::int64_t{access->size};
  };
  if (!isOneAddress(wanted)) return false;
  return std::ranges::any_of(
      graph_->regions().events(piece), [&](const BarrierRegions::Event& event) {
        if (!event.writes || !event.key || event.instruction == nullptr) return false;
        const Access* const written = classes.accessOf(classes.of(*event.key));
        return isOneAddress(written) && written->bases[0] == wanted->bases[0] &&
               written->bytes.lowest <= wanted->bytes.lowest &&
               written->bytes.highest >= wanted->bytes.highest &&
               isSurelyExecuted(bodyOf_.at(event.function), *event.instruction);
      });
}

// A plain store that some thread executes whenever all threads come to its block.
bool BroadcastLoads::isSurelyExecuted(std::uint32_t body, const Instruction& store) {
  const BarrierBody& of = bodies_[body];
  if (!store.desc->isStore() || store.desc->effect != isa::Effect::Weak) return false;
  if (!of.cfg->function().isEntry()) return false;
  std::optional<NonExitedThreads>& nonExited = nonExited_[body];
  if (!nonExited) {
    nonExited.emplace(*of.cfg, *of.liveness, context_.facts->effects(of.assumptions), claims_);
  }
  if (!nonExited->allExecute(store.block)) return false;
  if (!store.guard) return true;
  // By the thread with this number, where the guard is tid == 0.
  const Ssa& ssa = of.addresses->ssa();
  const ValueId guard = ssa.guard(store);
  if (store.guard.negated() || guard == ValueId::None || !ssa.isDefinition(guard)) return false;
  const Instruction& setp = ssa.instruction(guard);
  const bool isComparison = comparisonOf(*setp.desc) == Comparison::Equal && !setp.guard &&
                            !setp.desc->has(".and") && !setp.desc->has(".or") &&
                            !setp.desc->has(".xor") && ssa.operand(guard) == setp.operand(0);
  if (!isComparison || setp.operand(2) == nullptr) return false;
  const ir::Operand& left = *setp.operand(1);
  if (left.kind != ir::OperandKind::Register || left.negated) return false;
  const FormId form = of.addresses->formOf(ssa.use(setp, left));
  if (form == FormId::None) return false;
  const LinearForms& forms = of.addresses->forms();
  const LinearForm sum = forms.form(form);
  if (sum.bits != isa::bitWidth(setp.desc->type)) return false;
  if (sum.constant != 0 || sum.terms.size() != 1 || sum.terms[0].coefficient != 1) return false;
  const auto special = specialOf(forms.leaf(sum.terms[0].leaf).key);
  const ValueRange number = of.addresses->ranges().ofOperand(setp, *setp.operand(2), sum.bits);
  return special && special->which == SpecialName::Which::Tid && number.isConstant() &&
         number.lowest == 0;
}

}  // namespace ptxopt::analysis
