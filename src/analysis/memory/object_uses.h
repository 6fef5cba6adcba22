// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a function does with the addresses of variables: the accesses of each, and whether an
// address gets away.
//
// An address is followed from the operands that name the variable through `mov`, `add`, `sub`, the
// addend of `mad`, `cvta`, and `cvt` between offsets of 32 and 64 bits in shared memory, over all
// definitions of each register together, so that order and guards do not matter.  It gets away
// where a register holds it or something else, depending on the path; where it is compared, stored,
// passed, or used by any other instruction; and where an access is not a plain load, store or
// atomic operation of the space of the variable, or of a generic address that `cvta` made
// (docs/soundness/ C3.3, D5.14, D5.15).
//
// Cost: one pass over the operands; for a function that names variables, one more to list the
// definitions and uses of registers, and then work for each use of a register that holds an
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
  std::optional<std::int64_t> offset;  // in bytes from the start of the variable; none: run-time
  std::uint32_t bytes = 0;
  bool reads() const { return !isStore; }  // an atomic operation reads, also one without a result
  bool writes() const { return !isLoad; }
  bool isLoad = false;   // ld, ldu
  bool isStore = false;  // st
  // Neither volatile nor strong: no other thread is to see that it takes place.
  bool isWeak = false;
  bool isGeneric = false;  // the instruction names no space, but the address is known
};

struct VariableUses {
  const ir::Variable* variable = nullptr;
  std::vector<VariableAccess> accesses;
  // What computes addresses of this variable, for no other use than `accesses`.  Together with them
  // all that names the variable, if nothing escapes.
  std::vector<ir::Instruction*> computations;
  // Null, or the first reason why more may happen to the variable than `accesses` say.
  const char* escape = nullptr;
};

class ObjectUses {
 public:
  explicit ObjectUses(ir::Function& function);

  // Of .global, .const, .shared and .local, in the order in which they are first named.
  std::span<const VariableUses> all() const { return uses_; }
  const VariableUses* of(const ir::Variable& variable) const;

  // Functions that the body names: calls, addresses, lists of targets, initialisers.
  std::span<const ir::Function* const> functions() const { return functions_; }
  // An instruction accesses .shared at an address in which no variable was found: it may be any.
  bool hasUnknownShared() const { return hasUnknownShared_; }
  // It asks the hardware how much shared memory there is.
  bool readsSharedSize() const { return readsSharedSize_; }
  // It looks at the second extent of the thread id: more than one row is expected.
  bool readsRow() const { return readsRow_; }
  // It has instructions that access shared memory in tiles, whose alignment they may rely on.
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
