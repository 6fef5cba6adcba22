// Where memory instructions go: state space, objects, byte range, and the address as a linear form.
//
// Addresses are followed from the SSA values backwards: constants, symbols, parameters of the
// entry, special registers and induction variables, through integer arithmetic that is exact in its
// ring (linear_form.h); whatever else there is becomes a leaf.  docs/soundness.md C3.3 says which
// of these forms stay in their object:
//   - an address with exactly one symbol, with coefficient +1, belongs to the object of that symbol
//     (C3.3.2, under the in-bounds assumption C3.3); `cvta` only changes the window (C3.2);
//   - where it goes through a phi, a selp or a guard, it belongs to the union (C3.3.9);
//   - bit operations keep it if they change only bits below the alignment and the size (C3.3.5);
//   - else the object is not known, and the space is what the instruction names (C3.3.6).
//
// Cost: near-linear in the values that addresses are made of; other values are not looked at.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/interval.h"
#include "analysis/launch_shape.h"
#include "analysis/linear_form.h"
#include "analysis/loops.h"
#include "analysis/manager.h"
#include "analysis/ssa.h"
#include "analysis/value_range.h"

namespace ptxopt::analysis {

// State spaces as a set.  A generic access may go to several.
class Spaces {
 public:
  constexpr Spaces() = default;
  constexpr Spaces(isa::Space space) : bits_(1u << static_cast<unsigned>(space)) {}
  // What a generic address can point to.
  static constexpr Spaces generic() {
    return Spaces(isa::Space::Shared) | isa::Space::SharedCluster | isa::Space::Global |
           isa::Space::Local | isa::Space::Const | isa::Space::Param;
  }

  constexpr bool contains(isa::Space space) const { return (bits_ & Spaces(space).bits_) != 0; }
  constexpr bool isOnly(isa::Space space) const { return bits_ == Spaces(space).bits_; }
  constexpr bool intersects(Spaces other) const { return (bits_ & other.bits_) != 0; }
  constexpr bool isEmpty() const { return bits_ == 0; }
  friend constexpr Spaces operator|(Spaces a, Spaces b) {
    Spaces both;
    both.bits_ = a.bits_ | b.bits_;
    return both;
  }
  friend constexpr bool operator==(Spaces, Spaces) = default;

 private:
  std::uint32_t bits_ = 0;
};

// What an address points into.
struct MemoryBase {
  enum class Kind : std::uint8_t {
    Unknown,        // anything in `spaces`
    Variable,       // `variable`
    DynamicShared,  // shared memory behind the static objects: all unsized .extern (C3.3.8)
    Parameter,      // what the pointer in the entry parameter `variable` points to (C3.4)
  };
  Kind kind = Kind::Unknown;
  Spaces spaces;
  const ir::Variable* variable = nullptr;
  friend bool operator==(const MemoryBase&, const MemoryBase&) = default;
};

class Addresses;

// One thread and the only one: what guards say about who gets to an access (C8(i)).
struct Leader {
  enum class Kind : std::uint8_t {
    None,   // several threads, for all that is known
    Fixed,  // the thread `id`
    Equal,  // the thread whose id is the one that solves `form` == 0
  };
  Kind kind = Kind::None;
  std::array<std::uint32_t, 3> id = {};
  FormId form = kNone;
};

// What one address operand of one instruction touches, over all of its executions.
struct Access {
  const Addresses* origin = nullptr;  // whose forms and leaves these are
  const ir::Instruction* instruction = nullptr;
  const ir::Operand* operand = nullptr;
  Spaces spaces;
  // Never empty.  More than one: the address is a union.
  std::vector<MemoryBase> bases;
  std::uint64_t size = 0;     // bytes from the address on; 0: not known
  bool isCollective = false;  // one thread's address is another thread's access (C8.1)
  FormId address = kNone;     // of the whole address
  // The bytes that it touches, relative to the only base; no bounds where they are not known.  The
  // last one is included.
  Interval bytes;
  Leader leader;
  // What guards say about the special registers and iterations of the form: leaf and interval.
  std::vector<std::pair<LeafId, Interval>> restrictions;
};

class Addresses {
 public:
  // All of them must outlive the object.  `runsOnce`: a thread runs the function at most once.
  Addresses(const Ssa& ssa, const ValueRanges& ranges, const Loops& loops, LaunchShape shape,
            bool runsOnce);
  // For an entry by its own directives; a .func may run any number of times.
  Addresses(const Ssa& ssa, const ValueRanges& ranges, const Loops& loops);

  const Ssa& ssa() const { return *ssa_; }
  const LinearForms& forms() const { return forms_; }
  const LaunchShape& shape() const { return shape_; }

  // What the address operands of an instruction touch, in the order of the text, be it read or
  // written; what goes to a constant bank or a tensor map is not among them.  Empty in code that is
  // not reached.
  std::span<const Access> of(const ir::Instruction& instruction) const;
  std::span<const Access> all() const { return accesses_; }

  // The form of a value of 16, 32 or 64 bits that some address depends on; kNone for any other.
  FormId formOf(ValueId value) const { return formOfValue_[value]; }

 private:
  class Evaluator;

  const Ssa* ssa_;
  LaunchShape shape_;
  LinearForms forms_;
  std::vector<FormId> formOfValue_;
  std::vector<Access> accesses_;
  std::vector<std::uint32_t> firstAccess_;  // by instruction, and one more
};

template <>
struct InputsOf<Addresses> {
  using type = Inputs<Ssa, ValueRanges, Loops>;
};

}  // namespace ptxopt::analysis
