// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/values/ssa.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

// The dominance frontiers of all blocks, or none if they are too large.
class Frontiers {
 public:
  Frontiers(const Cfg& cfg, const Dominators& dominators) {
    const std::size_t limit =
        most(Limit::FrontierShare) * (std::size_t{cfg.vertexCount()} + cfg.edgeCount()) + 1024;
    offsets_.assign(cfg.vertexCount() + std::size_t{1}, 0);
    IdVector<BlockId, BlockId> lastJoin(cfg.vertexCount(), BlockId::None);
    std::size_t size = 0;
    fits_ = forEachEntry(cfg, dominators, lastJoin, [&](BlockId block, BlockId) {
      ++offsets_[indexOf(block) + 1];
      return ++size <= limit;
    });
    if (!fits_) {
      noteMet(Limit::FrontierShare);
      return;
    }
    for (std::size_t b = 1; b < offsets_.size(); ++b) offsets_[b] += offsets_[b - 1];
    blocks_.resize(size);
    std::vector<std::size_t> next(offsets_.begin(), offsets_.end() - 1);
    std::ranges::fill(lastJoin, BlockId::None);
    forEachEntry(cfg, dominators, lastJoin, [&](BlockId block, BlockId join) {
      blocks_[next[indexOf(block)]++] = join;
      return true;
    });
  }

  bool fit() const { return fits_; }
  std::span<const BlockId> of(BlockId block) const {
    const std::size_t first = offsets_[indexOf(block)];
    return std::span(blocks_).subspan(first, offsets_[indexOf(block) + 1] - first);
  }

 private:
  // Calls visit(block, member of its frontier), each pair once, until it returns false.
  template <class Visitor>
  static bool forEachEntry(const Cfg& cfg, const Dominators& dominators,
                           IdVector<BlockId, BlockId>& lastJoin, Visitor&& visit) {
    for (const BlockId join : dominators.preorder()) {
      // The start of the function counts as one more predecessor of the entry.
      const IdSpan<BlockId> predecessors = cfg.predecessors(join);
      if (predecessors.size() < (join == cfg.entry() ? 1u : 2u)) continue;
      const BlockId stop = dominators.parent(join);
      for (BlockId at : predecessors) {
        if (!dominators.contains(at)) continue;
        while (at != stop && std::exchange(lastJoin[at], join) != join) {
          if (!visit(at, join)) return false;
          at = dominators.parent(at);
        }
      }
    }
    return true;
  }

  bool fits_ = true;
  std::vector<std::size_t> offsets_;
  std::vector<BlockId> blocks_;
};

// The blocks at whose start the carry flag is live.
BitSet carryLiveIn(const Cfg& cfg) {
  BitSet live(cfg.vertexCount());
  BitSet defines(cfg.vertexCount());
  std::vector<BlockId> work;
  for (const BlockId b : cfg.blocks()) {
    for (const ir::Instruction& instruction : cfg.instructions(b)) {
      if (usesCarry(instruction)) {
        if (live.set(b)) work.push_back(b);
        break;
      }
      if (definesCarry(instruction) && !instruction.guard) {
        defines.set(b);
        break;
      }
    }
  }
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    for (const BlockId p : cfg.predecessors(b)) {
      if (!defines.test(p) && live.set(p)) work.push_back(p);
    }
  }
  return live;
}

}  // namespace

class Ssa::Builder {
 public:
  Builder(Ssa& ssa, const Liveness& liveness)
      : ssa_(ssa),
        cfg_(*ssa.cfg_),
        dominators_(*ssa.dominators_),
        liveness_(liveness),
        carry_(cfg_.function().registerCount()) {}

  void run() {
    layOutSlots();
    placePhis();
    rename();
  }

 private:
  using Variable = std::uint32_t;  // a register, or carry_
  struct Defined {
    const ir::Operand* operand = nullptr;  // null for the carry flag
    std::uint32_t slot = 0;
    bool isPartial = false;
  };

  ir::RegisterId registerOf(Variable variable) const {
    return variable == carry_ ? ir::RegisterId::None : ir::RegisterId{variable};
  }
  Variable variableOf(const ir::Operand* operand) const {
    return operand == nullptr ? carry_ : static_cast<Variable>(operand->reg());
  }
  bool isLiveIn(BlockId block, Variable variable) const {
    return variable == carry_ ? carryLiveIn_.test(block)
                              : liveness_.isLiveIn(block, ir::RegisterId{variable});
  }

  void layOutSlots() {
    const std::uint32_t count = ssa_.numbers_.count();
    ssa_.firstSlot_.reserve(count + std::size_t{1});
    std::uint32_t size = 0;
    bool isCarryUsed = false;
    for (std::uint32_t n = 0; n < count; ++n) {
      const ir::Instruction& instruction = ssa_.numbers_[n];
      ssa_.firstSlot_.push_back(size);
      size += slotCount(instruction);
      isCarryUsed |= usesCarry(instruction);
    }
    ssa_.firstSlot_.push_back(size);
    carryLiveIn_ = isCarryUsed ? carryLiveIn(cfg_) : BitSet(cfg_.vertexCount());
    ssa_.slots_.assign(size, ValueId::None);
    ssa_.definitions_.resize(count);
  }

  // ---- phis -----------------------------------------------------------------------------------

  // Only variables that are live at the border of some block can have phis: these registers, and
  // after them the carry flag.
  std::uint32_t crossingCount() const {
    return static_cast<std::uint32_t>(liveness_.crossing().size()) + 1;
  }
  Variable crossing(std::uint32_t number) const {
    return number + 1 == crossingCount() ? carry_
                                         : static_cast<Variable>(liveness_.crossing()[number]);
  }

  // The number of each such variable with each block that defines it, in the order of the text.
  std::vector<std::pair<std::uint32_t, BlockId>> definingBlocks() const {
    std::vector<std::pair<std::uint32_t, BlockId>> all;
    std::vector<BlockId> lastBlock(crossingCount(), BlockId::None);
    for (const BlockId b : cfg_.blocks()) {
      if (!dominators_.contains(b)) continue;
      const auto add = [&](std::uint32_t number) {
        if (number == kNone || std::exchange(lastBlock[number], b) == b) return;
        all.emplace_back(number, b);
      };
      const auto [first, end] = ssa_.numbers_.of(b);
      for (std::uint32_t n = first; n < end; ++n) {
        const ir::Instruction& instruction = ssa_.numbers_[n];
        for (const ir::Operand& operand : instruction.operands()) {
          if (!operand.writes || operand.reg() == ir::RegisterId::None) continue;
          add(liveness_.crossingNumber(operand.reg()));
        }
        if (definesCarry(instruction)) add(crossingCount() - 1);
      }
    }
    return all;
  }

  void placePhis() {
    const std::vector<std::pair<std::uint32_t, BlockId>> definitions = definingBlocks();
    std::vector<std::uint32_t> offsets(crossingCount() + std::size_t{1});
    for (const auto& [number, b] : definitions) ++offsets[number + 1];
    for (std::size_t k = 1; k < offsets.size(); ++k) offsets[k] += offsets[k - 1];
    std::vector<BlockId> blocks(definitions.size());
    std::vector<std::uint32_t> next(offsets.begin(), offsets.end() - 1);
    for (const auto& [number, b] : definitions) blocks[next[number]++] = b;

    const Frontiers frontiers(cfg_, dominators_);
    IdVector<BlockId, Variable> lastPhi(cfg_.vertexCount(), kNone);
    std::vector<std::pair<BlockId, Variable>> placed;
    std::vector<BlockId> work;
    for (std::uint32_t number = 0; number < crossingCount(); ++number) {
      const Variable variable = crossing(number);
      const auto defining =
          std::span(blocks).subspan(offsets[number], offsets[number + 1] - offsets[number]);
      // The definition of a single block reaches all uses, unless a path from the entry avoids it.
      if (defining.empty() || (defining.size() == 1 && !isLiveIn(cfg_.entry(), variable))) continue;
      if (!frontiers.fit()) {
        for (const BlockId b : iteratedFrontier(defining)) {
          if (isLiveIn(b, variable)) placed.emplace_back(b, variable);
        }
        continue;
      }
      work.assign(defining.begin(), defining.end());
      while (!work.empty()) {
        const BlockId at = work.back();
        work.pop_back();
        for (const BlockId join : frontiers.of(at)) {
          if (lastPhi[join] == variable || !isLiveIn(join, variable)) continue;
          lastPhi[join] = variable;
          placed.emplace_back(join, variable);
          work.push_back(join);
        }
      }
    }
    listByBlock(placed);
  }

  std::vector<BlockId> iteratedFrontier(std::span<const BlockId> defining) const {
    return DominanceFrontiers(cfg_, dominators_).iterated(defining);
  }

  void listByBlock(std::span<const std::pair<BlockId, Variable>> placed) {
    phiOffsets_.assign(cfg_.vertexCount() + std::size_t{1}, 0);
    for (const auto& [block, variable] : placed) ++phiOffsets_[indexOf(block) + 1];
    for (std::size_t b = 1; b < phiOffsets_.size(); ++b) phiOffsets_[b] += phiOffsets_[b - 1];
    phiVariables_.resize(placed.size());
    std::vector<std::size_t> next(phiOffsets_.begin(), phiOffsets_.end() - 1);
    for (const auto& [block, variable] : placed) phiVariables_[next[indexOf(block)]++] = variable;
  }

  std::span<const Variable> phiVariables(BlockId block) const {
    const std::size_t first = phiOffsets_[indexOf(block)];
    return std::span(phiVariables_).subspan(first, phiOffsets_[indexOf(block) + 1] - first);
  }

  // ---- renaming -------------------------------------------------------------------------------

  void rename() {
    current_.assign(carry_ + std::size_t{1}, ValueId::None);
    // Most instructions define one value.
    ssa_.values_.reserve(ssa_.numbers_.count() + phiVariables_.size());
    undo_.reserve(ssa_.numbers_.count() + phiVariables_.size());
    layOutPhiOperands();
    ssa_.phisOfBlock_.resize(cfg_.vertexCount());
    struct Frame {
      BlockId block;
      std::size_t undoMark;
    };
    std::vector<Frame> stack;
    for (const BlockId b : dominators_.preorder()) {
      while (!stack.empty() && dominators_.depth(stack.back().block) >= dominators_.depth(b)) {
        undoTo(stack.back().undoMark);
        stack.pop_back();
      }
      stack.push_back({b, undo_.size()});
      definePhis(b);
      const auto [first, end] = ssa_.numbers_.of(b);
      for (std::uint32_t n = first; n < end; ++n) visit(n);
      fillSuccessors(b);
    }
  }

  // The operands of the phis of a block are adjacent, phi by phi.
  void layOutPhiOperands() {
    std::size_t size = 0;
    operandOffsets_.reserve(cfg_.vertexCount());
    edgePositions_.resize(cfg_.edgeCount());
    for (const BlockId b : cfg_.blocksAndExit()) {
      operandOffsets_.push_back(size);
      size += phiVariables(b).size() * operandsOfPhi(b);
      std::uint32_t position = 0;
      for (const EdgeId edge : cfg_.inEdges(b)) edgePositions_[edge] = position++;
    }
    ssa_.phiOperands_.assign(size, ValueId::None);
  }
  std::size_t operandsOfPhi(BlockId block) const {
    return cfg_.inEdges(block).size() + std::size_t{block == cfg_.entry()};
  }

  ValueId add(const Value& value) { return ssa_.values_.push_back(value); }
  // The values that were added since there were `count`.
  IdRange<ValueId> addedSince(std::uint32_t count) const {
    return {ValueId{count}, ValueId{ssa_.valueCount()}};
  }

  ValueId read(Variable variable) {
    if (current_[variable] == ValueId::None) {
      // This is never undone: it is the value at every point that no definition reaches.
      current_[variable] =
          add({registerOf(variable), indexOf(cfg_.entry()), kNone, 0, Kind::Entry});
    }
    return current_[variable];
  }
  void write(Variable variable, ValueId value) {
    undo_.emplace_back(variable, current_[variable]);
    current_[variable] = value;
  }
  void undoTo(std::size_t mark) {
    while (undo_.size() > mark) {
      current_[undo_.back().first] = undo_.back().second;
      undo_.pop_back();
    }
  }

  void definePhis(BlockId block) {
    const std::span<const Variable> variables = phiVariables(block);
    const std::size_t width = operandsOfPhi(block);
    std::size_t first = operandOffsets_[block];
    if (block == cfg_.entry()) {
      for (std::size_t k = 0; k < variables.size(); ++k) {
        ssa_.phiOperands_[first + (k + 1) * width - 1] = read(variables[k]);
      }
    }
    const std::uint32_t count = ssa_.valueCount();
    for (const Variable variable : variables) {
      write(variable, add({registerOf(variable), indexOf(block), static_cast<std::uint32_t>(first),
                           0, Kind::Phi}));
      first += width;
    }
    ssa_.phisOfBlock_[block] = addedSince(count);
  }

  void visit(std::uint32_t number) {
    const ir::Instruction& instruction = ssa_.numbers_[number];
    ValueId* const slots = ssa_.slots_.data() + ssa_.firstSlot_[number];
    bool isGuard = static_cast<bool>(instruction.guard);
    // Definitions come after all uses.
    definitions_.clear();
    forEachSlot(instruction, [&](Access access, const ir::Operand* operand, std::uint32_t slot) {
      if (access == Access::Definition) {
        definitions_.push_back({operand, slot, isPartial(instruction, operand)});
      } else {
        slots[slot] = read(isGuard ? static_cast<Variable>(instruction.guard.predicate())
                                   : variableOf(operand));
      }
      isGuard = false;
    });
    // Values that remain in part get their numbers before those that are defined here, so that
    // these are one range.
    for (const Defined& defined : definitions_) {
      if (defined.isPartial) read(variableOf(defined.operand));
    }
    const std::uint32_t count = ssa_.valueCount();
    for (const Defined& defined : definitions_) {
      slots[defined.slot] = define(instruction, number, defined);
    }
    ssa_.definitions_[number] = addedSince(count);
  }

  static bool isPartial(const ir::Instruction& instruction, const ir::Operand* operand) {
    return operand != nullptr ? ir::isPartial(instruction, *operand)
                              : instruction.guard || !instruction.desc->known();
  }

  ValueId define(const ir::Instruction& instruction, std::uint32_t number, const Defined& defined) {
    const Variable variable = variableOf(defined.operand);
    Value value{registerOf(variable), number, kNone, kCarryOperand, Kind::Definition};
    if (defined.isPartial) value.extra = indexOf(read(variable));
    if (defined.operand != nullptr) {
      value.operand = static_cast<std::uint16_t>(defined.operand - instruction.operands().data());
    }
    const ValueId added = add(value);
    write(variable, added);
    return added;
  }

  void fillSuccessors(BlockId block) {
    for (EdgeId e = cfg_.firstOutEdge(block); e != cfg_.endOutEdge(block); ++e) {
      const BlockId target = cfg_.target(e);
      const std::size_t width = operandsOfPhi(target);
      std::size_t at = operandOffsets_[target] + edgePositions_[e];
      for (const Variable variable : phiVariables(target)) {
        ssa_.phiOperands_[at] = read(variable);
        at += width;
      }
    }
  }

  Ssa& ssa_;
  const Cfg& cfg_;
  const Dominators& dominators_;
  const Liveness& liveness_;
  const Variable carry_;
  BitSet carryLiveIn_;

  std::vector<std::size_t> phiOffsets_;  // by block, into phiVariables_
  std::vector<Variable> phiVariables_;
  IdVector<BlockId, std::size_t> operandOffsets_;  // into phiOperands_
  std::vector<std::uint32_t> edgePositions_;       // by edge: its index among the in-edges
  std::vector<ValueId> current_;                   // by variable
  std::vector<std::pair<Variable, ValueId>> undo_;
  std::vector<Defined> definitions_;  // of the instruction that is visited
};

Ssa::Ssa(const Cfg& cfg, const Liveness& liveness, const Dominators& dominators)
    : cfg_(&cfg), dominators_(&dominators), numbers_(cfg) {
  Builder(*this, liveness).run();
}

BlockId Ssa::block(ValueId value) const {
  return isDefinition(value) ? instruction(value).block : BlockId{values_[value].where};
}

const ir::Operand* Ssa::operand(ValueId value) const {
  const std::uint16_t index = values_[value].operand;
  return isCarry(value) ? nullptr : &instruction(value).operands()[index];
}

std::span<const ValueId> Ssa::phiOperands(ValueId value) const {
  assert(isPhi(value));
  const BlockId at{values_[value].where};
  const std::size_t count = cfg_->inEdges(at).size() + std::size_t{at == cfg_->entry()};
  return std::span(phiOperands_).subspan(values_[value].extra, count);
}

ValueId Ssa::guard(const ir::Instruction& instruction) const {
  assert(instruction.guard);
  return *slotsOf(instruction);
}

ValueId Ssa::carryUse(const ir::Instruction& instruction) const {
  assert(usesCarry(instruction));
  const ValueId* const end = slotsOf(instruction) + (firstSlot_[numbers_.of(instruction) + 1] -
                                                     firstSlot_[numbers_.of(instruction)]);
  return definesCarry(instruction) ? end[-2] : end[-1];
}

ValueId Ssa::carryDefinition(const ir::Instruction& instruction) const {
  assert(definesCarry(instruction));
  return slots_[firstSlot_[numbers_.of(instruction) + 1] - 1];
}

}  // namespace ptxopt::analysis
