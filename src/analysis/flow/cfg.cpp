// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/flow/cfg.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "analysis/flow/callee.h"

namespace ptxopt::analysis {

namespace {

using ir::Function;
using ir::Instruction;
using ir::Label;
using ir::Operand;
using ir::Statement;
using ir::Symbol;
using ir::SymbolId;
using ir::SymbolKind;
using isa::Control;

// Calls visit(label) for each label that `symbol` names, directly or as an entry of a list; with
// SymbolId::None for an entry that is not a label.
template <class Visitor>
void forEachLabel(const Function& function, SymbolId symbol, Visitor&& visit) {
  const auto visitOne = [&](SymbolId id) {
    visit(function.symbolAt(id).kind == SymbolKind::Label ? id : SymbolId::None);
  };
  const Symbol& entry = function.symbolAt(symbol);
  if (entry.kind != SymbolKind::TargetList) {
    visitOne(symbol);
  } else if (!entry.targets->areCalls) {
    for (const SymbolId target : entry.targets->targets) visitOne(target);
  }
}

bool namesLabel(const Function& function, const Instruction& instruction) {
  bool found = false;
  for (const Operand& operand : instruction.operands()) {
    if (operand.symbol() == SymbolId::None) continue;
    forEachLabel(function, operand.symbol(),
                 [&](SymbolId label) { found = found || label != SymbolId::None; });
  }
  return found;
}

bool endsBlock(const Function& function, const Instruction& instruction) {
  if (!instruction.desc->known()) return namesLabel(function, instruction);
  switch (instruction.desc->control) {
    case Control::None:
      return false;
    case Control::Call:
      return neverReturns(function, instruction);
    default:
      return true;
  }
}

std::uint32_t localIndex(SymbolId id) {
  return static_cast<std::uint32_t>(id) & ~Function::kLocalBit;
}
bool isLocal(SymbolId id) {
  return id != SymbolId::None && (static_cast<std::uint32_t>(id) & Function::kLocalBit) != 0;
}

class EdgeBuilder {
 public:
  EdgeBuilder(const Function& function, const std::vector<BlockId>& blockOfLabel, BlockId exit,
              std::vector<FlowEdge>& edges)
      : function_(function),
        blockOfLabel_(blockOfLabel),
        exit_(exit),
        edges_(edges),
        lastSource_(indexOf(exit) + std::size_t{1}, BlockId::None) {}

  // `next` is the block after `block` in the text, or None.
  void addSuccessors(BlockId block, const Instruction* terminator, BlockId next) {
    block_ = block;
    bool fallsThrough = terminator == nullptr || static_cast<bool>(terminator->guard);
    if (terminator != nullptr && !terminator->desc->known()) {
      addTargets(*terminator, EdgeKind::Unknown);
      addExit(EdgeKind::UnknownExit);
      fallsThrough = true;
    } else if (terminator != nullptr) {
      addKnown(*terminator);
    }
    if (!fallsThrough) return;
    if (next == BlockId::None) {
      addExit(EdgeKind::Return);
    } else {
      edges_.push_back({block_, next, EdgeKind::Fallthrough});
    }
  }

 private:
  void addKnown(const Instruction& terminator) {
    switch (terminator.desc->control) {
      case Control::Branch:
        return addTargets(terminator, EdgeKind::Taken);
      case Control::IndirectBranch:
        return addTargets(terminator, EdgeKind::Indirect);
      case Control::Return:
        return addExit(EdgeKind::Return);
      case Control::Exit:
        return addExit(EdgeKind::Exit);
      case Control::Trap:
        return addExit(EdgeKind::Trap);
      case Control::Call:
        return addExit(EdgeKind::NoReturn);
      case Control::None:
        break;
    }
    assert(false && "not a terminator");
  }

  void addExit(EdgeKind kind) { edges_.push_back({block_, exit_, kind}); }

  // One edge for each distinct target.  All targets that are not understood share one edge to the
  // exit.
  void addTargets(const Instruction& instruction, EdgeKind kind) {
    const bool isKnown = kind != EdgeKind::Unknown;
    bool isMissing = false;
    bool hasTarget = false;
    for (const Operand& operand : instruction.operands()) {
      if (operand.symbol() == SymbolId::None) continue;
      forEachLabel(function_, operand.symbol(), [&](SymbolId label) {
        const BlockId target = isLocal(label) ? blockOfLabel_[localIndex(label)] : BlockId::None;
        hasTarget = true;
        if (target == BlockId::None) {
          isMissing = true;
        } else if (std::exchange(lastSource_[target], block_) != block_) {
          edges_.push_back({block_, target, kind});
        }
      });
    }
    if (isKnown && (isMissing || !hasTarget)) addExit(EdgeKind::UnknownExit);
  }

  const Function& function_;
  const std::vector<BlockId>& blockOfLabel_;
  BlockId exit_;
  std::vector<FlowEdge>& edges_;
  BlockId block_ = BlockId::None;
  IdVector<BlockId, BlockId> lastSource_;  // by target: the block that last got an edge to it
};

}  // namespace

Cfg::Parts Cfg::analyse(ir::Function& function) {
  Parts parts;
  parts.blockOfLabel.assign(function.localSymbols().size(), BlockId::None);
  IdVector<BlockId, Block>& blocks = parts.blocks;
  BlockId last = blocks.push_back({});
  // Whether the last block has an instruction; if so, a label starts a new block.
  bool hasInstruction = false;
  bool hasLabel = false;

  const auto startBlock = [&](Statement& first) {
    last = blocks.push_back({.first = &first});
    hasInstruction = false;
    hasLabel = false;
  };

  for (Statement& statement : function.body()) {
    const bool isLabel = statement.kind == ir::StatementKind::Label;
    if (blocks[last].terminator != nullptr || (isLabel && hasInstruction)) startBlock(statement);
    Block& block = blocks[last];
    if (block.first == nullptr) block.first = &statement;
    block.last = &statement;

    if (const Label* label = statement.as<Label>()) {
      hasLabel = true;
      if (isLocal(label->symbol)) parts.blockOfLabel[localIndex(label->symbol)] = last;
    } else if (Instruction* instruction = statement.as<Instruction>()) {
      hasInstruction = true;
      instruction->block = last;
      if (!instruction->desc->known()) block.mayExit = true;
      if (endsBlock(function, *instruction)) block.terminator = instruction;
    }
  }
  if (blocks.size() > 1 && !hasInstruction && !hasLabel) {
    // Closing braces and the like after the last instruction.
    blocks[BlockId{indexOf(last) - 1}].last = blocks[last].last;
    blocks.pop_back();
  }

  const BlockId exit = blocks.push_back({});
  EdgeBuilder builder(function, parts.blockOfLabel, exit, parts.edges);
  for (const BlockId b : IdRange(BlockId{0}, exit)) {
    const BlockId next{indexOf(b) + 1};
    builder.addSuccessors(b, blocks[b].terminator, next == exit ? BlockId::None : next);
  }
  return parts;
}

Cfg::Cfg(ir::Function& function) : Cfg(function, analyse(function)) {}

Cfg::Cfg(ir::Function& function, Parts parts)
    : FlowGraph(parts.blocks.size() - 1, std::move(parts.edges)),
      function_(&function),
      blocks_(std::move(parts.blocks)),
      blockOfLabel_(std::move(parts.blockOfLabel)) {}

BlockId Cfg::blockOfLabel(ir::SymbolId label) const {
  // A label that a pass made since then has no block yet.
  const bool isKnown = isLocal(label) && localIndex(label) < blockOfLabel_.size();
  return isKnown ? blockOfLabel_[localIndex(label)] : BlockId::None;
}

void Cfg::willErase(const ir::Instruction& instruction) {
  Block& block = blocks_[instruction.block];
  assert(block.terminator != &instruction);
  if (block.first == &instruction && block.last == &instruction) {
    block.first = block.last = nullptr;
  } else if (block.first == &instruction) {
    block.first = instruction.next;
  } else if (block.last == &instruction) {
    block.last = instruction.previous;
  }
}

}  // namespace ptxopt::analysis
