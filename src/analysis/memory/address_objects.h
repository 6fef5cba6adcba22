// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which variable an address points into, found without arithmetic: docs/soundness/ C3.2 to C3.4.
//
// For each register, over all its definitions together: it holds a number without any symbol in it,
// or an address whose linear form has exactly one symbol, with coefficient +1, or anything else.
// An address of the second kind stays within its object (C3.3).  Values that are loaded from
// memory, computed by instructions without a linear form, or joined from two objects have no known
// object.
//
// Cost: a few sweeps over the operands; one more for each definition that comes after its use in
// the text, up to a limit.  Beyond the limit no object is known.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ir/function.h"

namespace ptxopt::analysis {

// The memory that an access may touch.  Shared, global and tensor memory are disjoint; Any is a
// generic address, in shared or global memory.
enum class Domain : std::uint8_t { Shared, Global, Tensor, Any };

// An object: a variable, or all of dynamic shared memory (C3.3.8).  Null means that it is unknown.
struct Place {
  Domain domain = Domain::Any;
  const ir::Variable* object = nullptr;
  // Memory of the executing thread, or memory that nobody writes: in no conflict.
  bool isHarmless = false;
  friend bool operator==(const Place&, const Place&) = default;
};

class AddressObjects {
 public:
  // `flatShared`: addresses may leave their .shared object, so no object is known (C3.3.10).
  explicit AddressObjects(const ir::Function& function, bool flatShared = false);

  // The object that `address` (an Address operand) points to, for an access to `domain`.
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
