// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ssa/value_registers.h"

#include <algorithm>
#include <utility>

#include "passes/ssa/register_copy.h"
#include "passes/ssa/value_liveness.h"
#include "support/limits.h"

namespace ptxopt::passes {

using analysis::BlockId;
using analysis::Ssa;
using analysis::ValueId;
using ir::RegisterId;

namespace {

// All registers that a pass may rename, or some of them.
class Chosen {
 public:
  explicit Chosen(const SsaRewrite& rewrite)
      : rewrite_(rewrite), registers_(rewrite.function().registerCount()) {}

  void addAll() {
    for (const RegisterId id : IdRange<RegisterId>(rewrite_.function().registerCount())) add(id);
  }
  void add(RegisterId id) {
    if (!rewrite_.isPinned(id)) registers_.set(id);
  }
  // The values that live in these registers, or write over them.
  BitSet values(const BitSet& needed) const {
    const Ssa& ssa = rewrite_.ssa();
    BitSet chosen(ssa.valueCount());
    for (const ValueId value : ssa.values()) {
      if (ssa.isCarry(value) || !registers_.test(ssa.reg(value))) continue;
      const bool writes = ssa.isDefinition(value) && !rewrite_.isErased(ssa.instruction(value));
      if (writes || needed.test(value)) chosen.set(value);
    }
    return chosen;
  }

 private:
  const SsaRewrite& rewrite_;
  BitSet registers_;
};

}  // namespace

// One walk over the chosen values.
class ValueRegisters::Assignment {
 public:
  Assignment(ValueRegisters& result, const BitSet& chosen, const ValueLiveness& liveness)
      : result_(result),
        rewrite_(*result.rewrite_),
        ssa_(rewrite_.ssa()),
        chosen_(chosen),
        liveness_(liveness),
        wanted_(ssa_.valueCount(), RegisterId::None),
        content_(ssa_.valueCount(), ValueId::None),
        holders_(result.firstNew_) {}

  void want(ValueId value, RegisterId wanted) { wanted_[value] = wanted; }

  void run() {
    // An Entry value is numbered where it is first read, so it does not come first by its number.
    chosen_.forEach<ValueId>([&](ValueId value) {
      if (ssa_.kind(value) == Ssa::Kind::Entry) take(value, ssa_.reg(value));
    });
    chosen_.forEach<ValueId>([&](ValueId value) {
      if (ssa_.kind(value) != Ssa::Kind::Entry) take(value, registerFor(value));
    });
  }

 private:
  void take(ValueId value, RegisterId id) {
    result_.registers_[value] = id;
    holders_.resize(std::max<std::size_t>(holders_.size(), indexOf(id) + std::size_t{1}));
    holders_[id].push_back(value);
  }

  RegisterId registerFor(ValueId value) {
    const RegisterId home = ssa_.reg(value);
    const ValueId old = ssa_.old(value);
    if (old != ValueId::None && result_.isNeeded(value) && !isUndefined(rewrite_.resolve(old))) {
      // Elsewhere it needs a copy before the instruction, which must not overwrite the sources of
      // the instruction.
      const RegisterId same = result_.of(rewrite_.resolve(old));
      return isFree(same, value) ? same : result_.add(home);
    }
    const RegisterId wanted = wanted_[value];
    if (wanted != RegisterId::None && isFree(wanted, value)) return wanted;
    return isFree(home, value) ? home : result_.add(home);
  }

  bool isUndefined(ValueId value) const { return ssa_.kind(value) == Ssa::Kind::Entry; }

  bool isFree(RegisterId id, ValueId value) {
    if (indexOf(id) >= holders_.size()) return true;
    std::vector<ValueId>& holders = holders_[id];
    const BlockId block = ssa_.block(value);
    while (!holders.empty() && !ssa_.dominators().dominates(ssa_.block(holders.back()), block)) {
      holders.pop_back();
    }
    for (std::size_t k = holders.size(); k-- > 0;) {
      if (isLiveAt(holders[k], value) && contentOf(holders[k]) != contentOf(value)) return false;
      if (k > 0 && contentOf(holders[k - 1]) != contentOf(holders[k])) break;
    }
    return true;
  }

  // `holder` is live at the definition of `value`.
  bool isLiveAt(ValueId holder, ValueId value) const {
    const BlockId block = ssa_.block(value);
    if (!ssa_.isDefinition(value)) return liveness_.isLiveAtStart(holder, block);
    const ir::Instruction& instruction = ssa_.instruction(value);
    // Two results of one instruction never share a register.
    if (ssa_.isDefinition(holder) && &ssa_.instruction(holder) == &instruction) return true;
    return liveness_.isLiveAfter(holder, block, ssa_.instructions().of(instruction));
  }

  // The value that `value` is a copy of, or itself.
  ValueId contentOf(ValueId value) {
    ValueId at = value;
    while (content_[at] == ValueId::None) {
      const ValueId source = sourceOfCopy(at);
      if (source == ValueId::None) {
        content_[at] = at;
      } else {
        at = source;
      }
    }
    const ValueId content = content_[at];
    for (at = value; content_[at] == ValueId::None; at = sourceOfCopy(at)) content_[at] = content;
    return content;
  }
  ValueId sourceOfCopy(ValueId value) const {
    if (!ssa_.isDefinition(value)) return ValueId::None;
    const ir::Instruction& instruction = ssa_.instruction(value);
    const SsaRewrite::Edit edit = rewrite_.editOf(instruction);
    if (edit.kind == SsaRewrite::Edit::Kind::Copy) {
      return instruction.guard ? ValueId::None : edit.source;
    }
    if (edit.kind != SsaRewrite::Edit::Kind::None) return ValueId::None;
    if (!isWholeCopy(rewrite_.function(), instruction)) return ValueId::None;
    return rewrite_.resolve(ssa_.use(instruction, instruction.operands()[1]));
  }

  ValueRegisters& result_;
  const SsaRewrite& rewrite_;
  const Ssa& ssa_;
  const BitSet& chosen_;
  const ValueLiveness& liveness_;
  IdVector<ValueId, RegisterId> wanted_;
  IdVector<ValueId, ValueId> content_;
  IdVector<RegisterId, std::vector<ValueId>> holders_;  // a chain in the dominator tree
};

ValueRegisters::ValueRegisters(const SsaRewrite& rewrite, Coalescing coalescing, bool acrossBlocks)
    : rewrite_(&rewrite),
      needed_(neededValues(rewrite)),
      firstNew_(rewrite.function().registerCount()) {
  const Ssa& ssa = rewrite.ssa();
  registers_.reserve(ssa.valueCount());
  for (const ValueId value : ssa.values()) registers_.push_back(ssa.reg(value));

  Chosen chosen(rewrite);
  if (coalescing == Coalescing::None) {
    chosen.addAll();
    separate(chosen.values(needed_));
    return;
  }
  if (!rewrite.isChanged()) return;

  // Values that are read in new places, and phis and partial definitions that read other values.
  std::vector<std::pair<ValueId, ValueId>> operandsOfPhis;  // value, phi
  BitSet atHome(ssa.valueCount());                          // a phi takes it from its own register
  for (const ValueId value : ssa.values()) {
    if (rewrite.isReplaced(value)) chosen.add(ssa.reg(rewrite.resolve(value)));
    if (!needed_.test(value) || ssa.isCarry(value)) continue;
    if (ssa.isPhi(value)) {
      for (const ValueId operand : ssa.phiOperands(value)) {
        if (operand == ValueId::None) continue;
        if (!rewrite.isReplaced(operand)) {
          atHome.set(operand);
          continue;
        }
        chosen.add(ssa.reg(value));
        operandsOfPhis.emplace_back(rewrite.resolve(operand), value);
      }
    } else if (ssa.old(value) != ValueId::None && rewrite.isReplaced(ssa.old(value))) {
      chosen.add(ssa.reg(value));
    }
    if (!ssa.isDefinition(value)) continue;
    const SsaRewrite::Edit edit = rewrite.editOf(ssa.instruction(value));
    if (edit.kind == SsaRewrite::Edit::Kind::Copy) chosen.add(ssa.reg(edit.source));
  }

  // Beyond this limit, which no real code approaches, values are kept apart without an analysis.
  constexpr std::size_t kLeast = std::size_t{1} << 20;
  const BitSet values = chosen.values(needed_);
  const std::size_t limit = kLeast + most(Limit::LiveBlocks) * ssa.valueCount();
  const ValueLiveness liveness(rewrite, needed_, values, limit);
  if (!liveness.isComplete()) {
    noteMet(Limit::LiveBlocks);
    separate(values);
    return;
  }
  Assignment assignment(*this, values, liveness);
  if (coalescing == Coalescing::All) {
    for (const auto& [value, phi] : operandsOfPhis) {
      if (!ssa.isDefinition(value) || atHome.test(value)) continue;
      const RegisterId home = ssa.reg(phi);
      const ir::Function& function = rewrite.function();
      if (function.rangeOf(home).type != function.rangeOf(ssa.reg(value)).type) continue;
      // The definition of the value may be above the declaration of the other register.
      if (!rewrite.isDeclaredAhead(home)) continue;
      const auto& predecessors = ssa.cfg().predecessors(ssa.block(phi));
      const bool isNear = std::find(predecessors.begin(), predecessors.end(), ssa.block(value)) !=
                          predecessors.end();
      if (acrossBlocks || isNear) assignment.want(value, home);
    }
  }
  assignment.run();
}

ir::RegisterId ValueRegisters::add(RegisterId like) {
  models_.push_back(like);
  return RegisterId{firstNew_ + static_cast<std::uint32_t>(models_.size() - 1)};
}

// Gives each value a register of its own; the first value in a register keeps it.
void ValueRegisters::separate(const BitSet& chosen) {
  const Ssa& ssa = rewrite_->ssa();
  BitSet taken(firstNew_);
  chosen.forEach<ValueId>([&](ValueId value) {
    if (ssa.kind(value) == Ssa::Kind::Entry) taken.set(ssa.reg(value));
  });
  chosen.forEach<ValueId>([&](ValueId value) {
    if (ssa.kind(value) == Ssa::Kind::Entry) return;
    const RegisterId home = ssa.reg(value);
    const bool keeps = rewrite_->isDeclaredAhead(home) && taken.set(home);
    registers_[value] = keeps ? home : add(home);
  });
}

}  // namespace ptxopt::passes
