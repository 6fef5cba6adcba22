// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a function does with the addresses of variables: all accesses to each variable, and whether
// an address escapes.
//
// An address is followed from the operands that name the variable through `mov`, `add`, `sub`, the
// addend of `mad`, `cvta`, and `cvt` between offsets of 32 and 64 bits in shared memory.  All
// definitions of a register count together, so that order and guards do not matter.  The address
// escapes if a register holds it on some paths and something else on others; if it is compared,
// stored, passed, or used by any other instruction; or if an access is not a plain load, store or
// atomic operation, either in the space of the variable or at a generic address that `cvta` made
// (docs/soundness/ C3.3, D5.14, D5.15).
//
// Cost: one pass over the operands.  For a function that names variables, a few more, one of them
// to list what computes addresses from registers, and work for each use of a register that holds an
// address, at most four times.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "ir/function.h"

namespace ptxopt::analysis {

// One load, store or atomic operation of a variable.
struct VariableAccess {
  ir::Instruction* instruction = nullptr;
  ir::Operand* address = nullptr;
  std::optional<std::int64_t> offset;  // in bytes from the start of the variable; none: unknown
  std::uint32_t bytes = 0;
  bool reads() const { return !isStore; }  // an atomic operation reads even if it has no result
  bool writes() const { return !isLoad; }
  bool isLoad = false;   // ld, ldu
  bool isStore = false;  // st
  // Neither volatile nor strong: no other thread needs to observe the access.
  bool isWeak = false;
  bool isGeneric = false;  // the instruction names no space, but the address is known
};

struct VariableUses {
  const ir::Variable* variable = nullptr;
  std::vector<VariableAccess> accesses;
  // The instructions that compute addresses of this variable, used only by `accesses`.  If nothing
  // escapes, these and `accesses` are all instructions that name the variable.
  std::vector<ir::Instruction*> computations;
  // Null, or the first reason why the variable may be used in ways that `accesses` do not list.
  const char* escape = nullptr;
};

class ObjectUses {
 public:
  explicit ObjectUses(ir::Function& function);

  // Variables in .global, .const, .shared and .local, in the order in which the body first names
  // them.
  std::span<const VariableUses> all() const { return uses_; }
  const VariableUses* of(const ir::Variable& variable) const;

  // The functions that the body names: in calls, addresses, lists of targets, initialisers.
  std::span<const ir::Function* const> functions() const { return functions_; }
  // Some instruction accesses .shared at an address without a known variable: it may be any
  // variable.
  bool hasUnknownShared() const { return hasUnknownShared_; }
  // The function reads the special registers that hold the size of shared memory.
  bool readsSharedSize() const { return readsSharedSize_; }
  // The function reads tid.y, so it expects blocks with more than one row.
  bool readsRow() const { return readsRow_; }
  // The function accesses shared memory in tiles, and may rely on the alignment of these tiles.
  bool usesTiles() const { return usesTiles_; }

 private:
  class Builder;
  std::vector<VariableUses> uses_;
  std::unordered_map<const ir::Variable*, std::size_t> index_;
  std::vector<const ir::Function*> functions_;
  bool hasUnknownShared_ = false;
  bool readsSharedSize_ = false;
  bool readsRow_ = false;
  bool usesTiles_ = false;
};

}  // namespace ptxopt::analysis
