// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/barriers/polling.h"

#include <algorithm>

#include "ir/effect.h"
#include "support/bit_set.h"
#include "support/limits.h"

namespace ptxopt::analysis {

using ir::Instruction;
using isa::Effect;

PollingLoops::PollingLoops(const Cfg& cfg, const Loops& loops, const CallEffects& effects,
                           bool sharedIsExternal)
    : cfg_(&cfg),
      loops_(&loops),
      effects_(&effects),
      sharedIsExternal_(sharedIsExternal),
      holders_(loops.count()),
      hoistable_(loops.count(), Search{}) {
  if (loops.count() == 0) return;
  const BitSet nothing(cfg.function().registerCount());
  for (const BlockId b : cfg.blocks()) {
    const LoopId l = loops.loopOf(b);
    if (l == LoopId::None) continue;
    for (const Instruction& i : cfg.instructions(b)) {
      holders_[l] += std::uint32_t{isAnchor(i)};
      if (mayHoist(i, nothing)) hoistable_[l].reset();
    }
  }
  // A loop comes before its inner loops.
  for (std::uint32_t k = loops.count(); k-- > 0;) {
    const LoopId l{k};
    const LoopId parent = loops.parent(l);
    if (parent == LoopId::None) continue;
    holders_[parent] += std::uint32_t{holders_[l] > 0};
    if (!hoistable_[l]) hoistable_[parent].reset();
  }
}

bool PollingLoops::isAnchor(const Instruction& instruction) const {
  switch (instruction.desc->effect) {
    case Effect::Strong:
    case Effect::CtaFence:
    case Effect::WarpBarrier:
    case Effect::Sync:
    case Effect::Unknown:
      return true;
    case Effect::CtaBarrier:
      return !instruction.guard;  // there may be launches that do not execute it
    default:
      return false;
  }
}

// The enclosing loops whose only anchors are the ones to be removed.
template <class Predicate>
bool PollingLoops::allEmptied(BlockId block, std::uint32_t going, Predicate&& predicate) const {
  LoopId l = loops_->loopOf(block);
  for (; l != LoopId::None && holders_[l] == going; l = loops_->parent(l)) {
    if (!predicate(l)) return false;
  }
  return true;
}

bool PollingLoops::canLoseAnchor(BlockId block) const {
  return allEmptied(block, 1, [&](LoopId l) { return !holdsHoistableLoad(l); });
}

std::optional<PollingLoops::Obstacle> PollingLoops::obstacle(BlockId block) const {
  std::optional<Obstacle> found;
  const LoopId innermost = loops_->loopOf(block);
  if (innermost == LoopId::None) return found;
  allEmptied(block, holders_[innermost] == 0 ? 0 : 1, [&](LoopId l) {
    if (holdsHoistableLoad(l)) found = Obstacle{l, hoistableLoad(l).load};
    return !found;
  });
  return found;
}

bool PollingLoops::isSafeWithout(BlockId block) const {
  return allEmptied(block, 0, [&](LoopId l) { return !holdsHoistableLoad(l); });
}

bool PollingLoops::loseAnchor(BlockId block) {
  const LoopId innermost = loops_->loopOf(block);
  LoopId l = innermost;
  while (l != LoopId::None && --holders_[l] == 0) l = loops_->parent(l);
  return innermost != LoopId::None && holders_[innermost] == 0;
}

bool PollingLoops::mayHoist(const Instruction& instruction, const BitSet& varies) const {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (desc.known() && desc.control == isa::Control::Call) {
    // The call may be inlined; nothing is known about the addresses of its loads here.
    const CallEffect effect = effects_->ofCall(cfg_->function(), instruction);
    return effect.readsExternalWeakly || (sharedIsExternal_ && !effect.accesses.empty());
  }
  if (desc.effect != Effect::Weak || !desc.is(isa::kMemoryRead)) return false;
  if (desc.space == isa::Space::Shared && !sharedIsExternal_) return false;
  return std::none_of(instruction.operands().begin(), instruction.operands().end(),
                      [&](const ir::Operand& operand) {
                        return operand.kind == ir::OperandKind::Address &&
                               operand.reg() != ir::RegisterId::None &&
                               varies.test(static_cast<std::size_t>(operand.reg()));
                      });
}

// A register varies in the loop if a definition there depends on one that varies, on itself over
// the back edge, on memory, or on an operation that is not a pure function of its operands.
const PollingLoops::Search& PollingLoops::hoistableLoad(LoopId loop) const {
  std::optional<Search>& known = hoistable_[loop];
  if (known) return *known;
  searched_ += loops_->members(loop).size();  // blocks of inner loops count for each search
  if (exceeds(searched_, Limit::PollBlocks)) return known.emplace(Search{true, nullptr});
  BitSet varies(cfg_->function().registerCount());
  std::vector<std::uint32_t> openDefinitions(varies.size());
  std::vector<const Instruction*> open;
  const auto forEachInstruction = [&](auto&& visit) {
    for (const BlockId b : loops_->members(loop)) {
      for (const Instruction& i : cfg_->instructions(b)) visit(i);
    }
  };
  const auto forEachResult = [](const Instruction& i, auto&& visit) {
    ir::forEachRegister(i, [&](const ir::Operand& operand) {
      if (operand.writes) visit(static_cast<std::size_t>(operand.reg()));
    });
  };
  forEachInstruction([&](const Instruction& i) {
    const isa::InstructionDesc& desc = *i.desc;
    const bool isConstantLoad =
        desc.effect == Effect::ImmutableRead || (desc.isLoad() && desc.effect == Effect::Private);
    if ((desc.known() && desc.is(isa::kPure)) || isConstantLoad) open.push_back(&i);
    forEachResult(i, [&](std::size_t r) {
      varies.set(r);
      ++openDefinitions[r];
    });
  });
  const auto depends = [&](const Instruction& i) {
    bool found = i.guard && varies.test(static_cast<std::size_t>(i.guard.predicate()));
    ir::forEachRegister(i, [&](const ir::Operand& operand) {
      found |= operand.reads && varies.test(static_cast<std::size_t>(operand.reg()));
    });
    return found;
  };
  // Optimistically every register defined here varies until it is shown to be invariant.  Those
  // that remain are defined in a cycle, or by impure operations, or so far against the order of the
  // text that nothing is claimed.
  std::size_t before = open.size() + 1;
  for (std::size_t sweep = 0; open.size() != before; ++sweep) {
    if (reaches(sweep, Limit::PollSweeps)) break;
    before = open.size();
    std::size_t left = 0;
    for (const Instruction* i : open) {
      if (depends(*i)) {
        open[left++] = i;
      } else {
        forEachResult(*i, [&](std::size_t r) {
          if (--openDefinitions[r] == 0) varies.reset(r);
        });
      }
    }
    open.resize(left);
  }
  if (open.size() != before) {
    return known.emplace(Search{true, nullptr});
  }

  Search& found = known.emplace();
  forEachInstruction([&](const Instruction& i) {
    if (!found.isFound && mayHoist(i, varies)) found = {true, &i};
  });
  return found;
}

}  // namespace ptxopt::analysis
