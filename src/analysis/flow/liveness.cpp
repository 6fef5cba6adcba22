// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/liveness.h"

#include <algorithm>

#include "analysis/flow/register_effects.h"

namespace ptxopt::analysis {

namespace {

using ir::RegisterId;

// The registers in which a .func returns its results.
std::vector<std::uint32_t> resultRegisters(const ir::Function& function) {
  std::vector<std::uint32_t> found;
  for (const ir::Variable* result : function.results) {
    if (result->space != isa::Space::Reg) continue;
    for (const ir::RegisterRange& range : function.registers()) {
      if (range.isParameter && range.name == result->name) found.push_back(range.first);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Renumbers the elements of every list, and drops those without a number.
void renumber(BlockLists& lists, std::span<const std::uint32_t> numbers) {
  std::size_t kept = 0;
  std::size_t begin = 0;
  for (std::size_t block = 1; block < lists.offsets.size(); ++block) {
    const std::size_t end = lists.offsets[block];
    for (std::size_t k = begin; k < end; ++k) {
      const std::uint32_t number = numbers[lists.elements[k]];
      if (number != kNone) lists.elements[kept++] = number;
    }
    lists.offsets[block] = kept;
    begin = end;
  }
  lists.elements.resize(kept);
  lists.elements.shrink_to_fit();
}

// Collects what each block exposes and kills, by register.
class BlockEffects {
 public:
  BlockEffects(const Cfg& cfg, Liveness::Kill kill)
      : kill_(kill),
        exposedIn_(cfg.function().registerCount(), BlockId::None),
        killedIn_(cfg.function().registerCount(), BlockId::None) {
    exposed.offsets.reserve(cfg.vertexCount() + std::size_t{1});
    killed.offsets.reserve(cfg.vertexCount() + std::size_t{1});
    for (const BlockId block : cfg.blocksAndExit()) {
      block_ = block;
      for (const ir::Instruction& instruction : cfg.instructions(block)) visit(instruction);
      exposed.endBlock();
      killed.endBlock();
    }
  }

  BlockLists exposed;
  BlockLists killed;

 private:
  void visit(const ir::Instruction& instruction) {
    const bool anyKills = kill_ == Liveness::Kill::AnyDefinition;
    const auto visitUse = [&](RegisterId id) { use(id); };
    if (anyKills) {
      forEachCertainUse(instruction, visitUse);
    } else {
      forEachUse(instruction, visitUse);
    }
    forEachDefinition(instruction, [&](RegisterId id, bool isPartial) {
      if (isPartial && !anyKills) return;
      if (std::exchange(killedIn_[id], block_) != block_) {
        killed.elements.push_back(indexOf(id));
      }
    });
  }
  void use(RegisterId id) {
    if (killedIn_[id] == block_) return;
    if (std::exchange(exposedIn_[id], block_) != block_) {
      exposed.elements.push_back(indexOf(id));
    }
  }

  Liveness::Kill kill_;
  BlockId block_ = BlockId::None;
  IdVector<RegisterId, BlockId> exposedIn_;  // the last block that exposed it
  IdVector<RegisterId, BlockId> killedIn_;
};

}  // namespace

void BlockLists::sortEach() {
  for (std::size_t block = 0; block + 1 < offsets.size(); ++block) {
    std::ranges::sort(
        std::span(elements).subspan(offsets[block], offsets[block + 1] - offsets[block]));
  }
}

Liveness::AnySolution Liveness::solve(Kill kill) {
  BlockEffects effects(*cfg_, kill);
  std::vector<std::uint32_t> liveAtExit = resultRegisters(cfg_->function());

  numbers_.assign(cfg_->function().registerCount(), kNone);
  for (const std::uint32_t id : effects.exposed.elements) numbers_[id] = 0;
  for (const std::uint32_t id : liveAtExit) numbers_[id] = 0;
  for (std::uint32_t id = 0; id < numbers_.size(); ++id) {
    if (numbers_[id] == kNone) continue;
    numbers_[id] = static_cast<std::uint32_t>(registers_.size());
    registers_.push_back(RegisterId{id});
  }
  renumber(effects.exposed, numbers_);
  renumber(effects.killed, numbers_);
  for (std::uint32_t& id : liveAtExit) id = numbers_[id];

  const auto solveWith = [&]<class Set>(Set none) {
    return AnySolution(Solution<Set>(
        *cfg_, LivenessProblem<Set>{std::move(none), std::move(liveAtExit),
                                    std::move(effects.exposed), std::move(effects.killed)}));
  };
  if (denseFits(cfg_->vertexCount(), registers_.size()))
    return solveWith(BitSet(registers_.size()));
  effects.exposed.sortEach();
  effects.killed.sortEach();
  pool_ = std::make_unique<SharedSetPool>(registers_.size());
  return solveWith(SharedSet(*pool_));
}

Liveness::Liveness(const Cfg& cfg, Kill kill) : cfg_(&cfg), solution_(solve(kill)) {}

bool Liveness::isLiveIn(BlockId block, RegisterId id) const {
  const std::uint32_t number = numbers_[indexOf(id)];
  if (number == kNone) return false;
  return std::visit([&](const auto& solution) { return solution.after(block).test(number); },
                    solution_);
}

bool Liveness::isLiveOut(BlockId block, RegisterId id) const {
  return std::ranges::any_of(cfg_->successors(block),
                             [&](BlockId next) { return isLiveIn(next, id); });
}

std::vector<RegisterId> Liveness::liveIn(BlockId block) const {
  std::vector<RegisterId> all;
  const auto add = [&](std::size_t number) { all.push_back(registers_[number]); };
  std::visit([&](const auto& solution) { solution.after(block).forEach(add); }, solution_);
  return all;
}

std::vector<RegisterId> Liveness::liveOut(BlockId block) const {
  std::vector<RegisterId> all;
  const auto add = [&](std::size_t number) { all.push_back(registers_[number]); };
  std::visit([&](const auto& solution) { solution.before(block).forEach(add); }, solution_);
  return all;
}

void LivenessCursor::startAtEnd(BlockId block) {
  live_.clear();
  for (const RegisterId id : liveness_->liveOut(block)) live_.set(indexOf(id));
}

void LivenessCursor::stepOver(const ir::Instruction& instruction) {
  forEachDefinition(instruction, [&](RegisterId id, bool isPartial) {
    if (!isPartial) live_.reset(indexOf(id));
  });
  forEachUse(instruction, [&](RegisterId id) { live_.set(indexOf(id)); });
}

}  // namespace ptxopt::analysis
