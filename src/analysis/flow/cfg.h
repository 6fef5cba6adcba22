// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The control-flow graph of a function.
//
// Blocks are ranges of the statement list, in the order of the text.  A block starts at the first
// statement of the body, after an instruction that ends a block, and at a label; statements that
// are no instructions (declarations, scopes, .loc, further labels) stand in the block of the next
// instruction, those after the last instruction in its block unless a label is among them.  Code
// that no path reaches has blocks too.
//
// What ends a block, and the edges that leave it:
// - bra: Taken to its label
// - brx.idx: Indirect to each label of its list, once
// - ret, exit, trap: to the virtual exit
// - a call that does not come back (.noreturn, or so the device runtime says): NoReturn to the exit
// - an instruction that is not understood and names labels, itself or in lists: Unknown to each of
//   them, UnknownExit, and Fallthrough (docs/soundness/ A7.2)
// - a label that follows: Fallthrough
// All of them have a Fallthrough edge as well if they are under a guard.  After the last block,
// falling through is a Return.  A target that is not a label of the function is an edge of kind
// UnknownExit.  Other instructions that are not understood do not end their block; it is marked
// instead (Block::mayExit).  Neither do calls that come back: whether the callee exits is a matter
// of its summary.
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
  // Both null for the virtual exit, for an empty body, and where a pass took out all there was.
  ir::Statement* first = nullptr;
  ir::Statement* last = nullptr;
  // The instruction that decides where control goes next; null where it just goes on.
  ir::Instruction* terminator = nullptr;
  // It holds an instruction that is not understood: the thread may end there.
  bool mayExit = false;
};

// The statements of a block that are of type S, for range-based loops.
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
  // The virtual exit has one as well, without statements.
  const Block& block(BlockId b) const { return blocks_[b]; }
  BlockRange<ir::Statement> statements(BlockId b) const {
    return BlockRange<ir::Statement>(blocks_[b]);
  }
  // In the order of the text.  The instruction that the loop is at may be erased, see willErase().
  BlockRange<ir::Instruction> instructions(BlockId b) const {
    return BlockRange<ir::Instruction>(blocks_[b]);
  }
  // kNone for what is not a label of this function.
  BlockId blockOfLabel(ir::SymbolId label) const;

  // Keeps the ranges right when a pass is about to erase an instruction that is no terminator; the
  // graph stays as it is.  O(1).  Erasing a label or a terminator invalidates the Cfg.
  void willErase(const ir::Instruction& instruction);

 private:
  struct Parts {
    std::vector<Block> blocks;
    std::vector<BlockId> blockOfLabel;  // by index of the function's local symbol
    std::vector<FlowEdge> edges;
  };
  Cfg(ir::Function& function, Parts parts);
  static Parts analyse(ir::Function& function);

  ir::Function* function_;
  std::vector<Block> blocks_;
  std::vector<BlockId> blockOfLabel_;
};

}  // namespace ptxopt::analysis
