// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which variable an address points into, as far as it takes no arithmetic to tell:
// docs/soundness/ C3.2 to C3.4.
//
// For each register, over all of its definitions: it holds a number that no symbol is part of, or
// an address that has exactly one symbol with coefficient +1 as a linear form, or anything else. An
// address of the second kind stays in its object (C3.3); what is loaded from memory, computed by
// instructions that are no linear forms, or joined from two objects has none.
//
// Cost: a few sweeps over the operands; one more for each definition that stands after its use in
// the text, up to a limit after which nothing is claimed.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ir/function.h"

namespace ptxopt::analysis {

// Where an access may be.  Shared and global memory are disjoint; Any is a generic address.
enum class Domain : std::uint8_t { Shared, Global, Any };

// A variable, or all of dynamic shared memory (C3.3.8), or nothing known (null).
struct Place {
  Domain domain = Domain::Any;
  const ir::Variable* object = nullptr;
  // Memory of the executing thread, or memory that nobody writes: in no conflict.
  bool isHarmless = false;
  friend bool operator==(const Place&, const Place&) = default;
};

class AddressObjects {
 public:
  // `flatShared`: addresses may leave their .shared object, so that none is known (C3.3.10).
  explicit AddressObjects(const ir::Function& function, bool flatShared = false);

  // Of what `address` (an Address operand) of an access to `space` points to.
  Place placeOf(const ir::Operand& address, Domain domain) const;

 private:
  // 0: no definition seen, 1: a number, 2: anything, 3 + k: objects_[k].
  using Value = std::uint32_t;
  static constexpr Value kUndefined = 0;
  static constexpr Value kNumber = 1;
  static constexpr Value kAnything = 2;
  static constexpr Value kFirstObject = 3;

  static Value join(Value a, Value b);
  void intern(ir::SymbolId symbol);
  Value valueOf(ir::SymbolId symbol) const;
  Value valueOf(const ir::Operand& operand) const;
  Value resultOf(const ir::Instruction& instruction) const;
  bool isSharedOffset(Value value) const;
  const ir::Variable* objectOf(Value value) const {
    return value < kFirstObject ? nullptr : objects_[value - kFirstObject];
  }

  const ir::Function* function_;
  bool flatShared_;
  std::vector<const ir::Variable*> objects_;
  std::unordered_map<const ir::Variable*, Value> numbers_;
  std::vector<Value> values_;  // by register
};

}  // namespace ptxopt::analysis
