// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The control-flow graph of a function.
//
// Blocks are ranges of the statement list, in the order of the text.  A block starts at the first
// statement of the body, after an instruction that ends a block, and at a label.  Statements that
// are not instructions (declarations, scopes, .loc, further labels) belong to the block of the next
// instruction.  After the last instruction they belong to its block, unless one of them is a label.
// Unreachable code has blocks too.
//
// A block ends with one of the following, which decides its outgoing edges:
// - bra: Taken to its label
// - brx.idx: one Indirect edge to each distinct label of its list
// - ret, exit, trap: an edge to the virtual exit
// - a call that never returns (.noreturn, or the device runtime says so): NoReturn to the exit
// - an instruction that is not understood and names labels, directly or in lists: Unknown to each
//   of them, UnknownExit, and Fallthrough (docs/soundness/ A7.2)
// - a label that follows: Fallthrough
// A guarded instruction also has a Fallthrough edge.  Falling through after the last block is a
// Return.  A target that is not a label of the function becomes an edge of kind UnknownExit.  Other
// instructions that are not understood do not end their block; the block is marked instead
// (Block::mayExit).  Calls that return do not end their block either: the effect of the callee says
// whether a thread may exit in it.
//
// Cost: two passes, O(statements + labels in lists); 32 bytes a block beside the graph.
#pragma once

#include <iterator>
#include <span>
#include <vector>

#include "analysis/flow/flow_graph.h"
#include "ir/function.h"
#include "ir/statement.h"

namespace ptxopt::analysis {

struct Block {
  // Both are null for the virtual exit, for an empty body, and if a pass erased all statements.
  ir::Statement* first = nullptr;
  ir::Statement* last = nullptr;
  // The instruction that decides where control goes next; null if the block only falls through.
  ir::Instruction* terminator = nullptr;
  // The block contains an instruction that is not understood: the thread may end there.
  bool mayExit = false;
};

// The statements of type S in a block, for range-based loops.
template <class S>
class BlockRange {
 public:
  explicit BlockRange(const Block& block) : first_(block.first), last_(block.last) {}

  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = S;
    using difference_type = std::ptrdiff_t;
    using pointer = S*;
    using reference = S&;
    Iterator() = default;
    Iterator(ir::Statement* at, ir::Statement* last) : at_(at), last_(last) { skip(); }
    S& operator*() const { return static_cast<S&>(*at_); }
    S* operator->() const { return static_cast<S*>(at_); }
    Iterator& operator++() {
      advance();
      skip();
      return *this;
    }
    Iterator operator++(int) {
      Iterator old = *this;
      ++*this;
      return old;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    void advance() { at_ = at_ == last_ ? nullptr : at_->next; }
    void skip() {
      if constexpr (!std::is_same_v<S, ir::Statement>) {
        while (at_ != nullptr && at_->kind != S::kKind) advance();
      }
    }
    ir::Statement* at_ = nullptr;
    ir::Statement* last_ = nullptr;
  };
  Iterator begin() const { return Iterator(first_, last_); }
  Iterator end() const { return Iterator(); }

 private:
  ir::Statement* first_;
  ir::Statement* last_;
};

class Cfg : public FlowGraph {
 public:
  // Sets Instruction::block in the whole body.  A function without a body gets one empty block.
  explicit Cfg(ir::Function& function);

  ir::Function& function() const { return *function_; }
  // The virtual exit also has a Block, without statements.
  const Block& block(BlockId b) const { return blocks_[b]; }
  BlockRange<ir::Statement> statements(BlockId b) const {
    return BlockRange<ir::Statement>(blocks_[b]);
  }
  // In the order of the text.  The current instruction of the loop may be erased, see willErase().
  BlockRange<ir::Instruction> instructions(BlockId b) const {
    return BlockRange<ir::Instruction>(blocks_[b]);
  }
  // None if `label` is not a label of this function.
  BlockId blockOfLabel(ir::SymbolId label) const;

  // Keeps the ranges valid when a pass is about to erase an instruction that is not a terminator;
  // the graph does not change.  O(1).  Erasing a label or a terminator invalidates the Cfg.
  void willErase(const ir::Instruction& instruction);

 private:
  struct Parts {
    IdVector<BlockId, Block> blocks;
    std::vector<BlockId> blockOfLabel;  // by index of the function's local symbol
    std::vector<FlowEdge> edges;
  };
  Cfg(ir::Function& function, Parts parts);
  static Parts analyse(ir::Function& function);

  ir::Function* function_;
  IdVector<BlockId, Block> blocks_;
  std::vector<BlockId> blockOfLabel_;
};

// Visits the instructions of a block in the order of execution, or against it.
template <class Visitor>
void forEachInstruction(const Block& block, Direction direction, Visitor&& visit) {
  const bool isForward = direction == Direction::Forward;
  ir::Statement* const end = isForward ? block.last : block.first;
  for (ir::Statement* at = isForward ? block.first : block.last; at != nullptr;
       at = at == end ? nullptr : (isForward ? at->next : at->previous)) {
    if (auto* const instruction = at->as<ir::Instruction>()) visit(*instruction);
  }
}

}  // namespace ptxopt::analysis
