// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where memory instructions go: state space, objects, byte range, and the address as a linear form.
//
// Addresses are followed from the SSA values backwards: constants, symbols, parameters of the
// entry, special registers and induction variables, through integer arithmetic that is exact in its
// ring (linear_form.h); whatever else there is becomes a leaf.  docs/soundness/ C3.3 says which
// of these forms stay in their object:
//   - an address with exactly one symbol, with coefficient +1, belongs to the object of that symbol
//     (C3.3.2, under the in-bounds assumption C3.3); `cvta` only changes the window (C3.2);
//   - where it goes through a phi, a selp or a guard, it belongs to the union (C3.3.9);
//   - bit operations keep it if they change only bits below the alignment and the size (C3.3.5);
//   - else the object is not known, and the space is what the instruction names (C3.3.6).
//
// Cost: near-linear in the values that addresses and branches are made of; other values are not
// looked at.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/flow/loops.h"
#include "analysis/flow/manager.h"
#include "analysis/launch/launch_shape.h"
#include "analysis/memory/memory_base.h"
#include "analysis/values/linear_form.h"
#include "analysis/values/ssa.h"
#include "analysis/values/value_range.h"
#include "support/interval.h"
#include "support/limits.h"
#include "support/short_list.h"

namespace ptxopt::analysis {

class Addresses;

// What one address operand of one instruction touches, over all executions.
struct Access {
  const Addresses* origin = nullptr;  // whose forms and leaves these are
  const ir::Instruction* instruction = nullptr;
  const ir::Operand* operand = nullptr;
  Spaces spaces;              // of all bases together
  MemoryBases bases;          // never empty; more than one: the address is a union
  std::uint32_t size = 0;     // bytes from the address on; 0: not known
  bool isCollective = false;  // one thread's address is another thread's access (C8.1)
  // In which window the address is a number; None: as a generic address, or a global one.
  isa::Space window = isa::Space::None;
  FormId address = FormId::None;
  // The bytes that it touches, the last one included, relative to its only base; no bounds where
  // they are not known.
  Interval bytes;
  // What %tid.x, .y, .z are where it is executed.
  std::array<Interval, 3> thread;
  // What branches and its guard say about other leaves of its address where it is executed.
  std::vector<std::pair<LeafId, Interval>> restrictions;
  // Forms that are 0 where it is executed, and that depend on the thread (C8(i)).
  ShortList<FormId, most(Limit::AccessZeros)> zeros;
  // None but the leader of an elect.sync with this mask executes it, in each warp that gets there
  // (C8(i).2); 0: not known.
  std::uint32_t electionMask = 0;
  // Other comparisons that hold where it is executed, in a block of known shape: of functions of
  // the thread id and of the rounds that are part of the address (C8(v)).
  struct Test {
    Comparison comparison = Comparison::Equal;
    std::uint8_t bits = 0;
    FormId left = FormId::None;
    FormId right = FormId::None;
    friend bool operator==(const Test&, const Test&) = default;
  };
  ShortList<Test, most(Limit::AccessTests)> tests;
  // The same with one address of their own: it is one of these each time.  None where there is but
  // one, or too many.
  std::vector<Access> variants;
};

class Addresses {
 public:
  // All of them must outlive the object.  `runsOnce`: a thread runs the function once at most.
  Addresses(const Ssa& ssa, const ValueRanges& ranges, const Loops& loops, bool runsOnce);
  // An entry runs once, a .func any number of times.
  Addresses(const Ssa& ssa, const ValueRanges& ranges, const Loops& loops);

  const Ssa& ssa() const { return *ssa_; }
  const ValueRanges& ranges() const { return *ranges_; }
  const LaunchShape& shape() const { return shape_; }
  const LinearForms& forms() const { return forms_; }

  // What the address operands of an instruction touch, in the order of the text, whether it reads
  // or writes there; of [symbol], [register] and their offsets, but not of kernel and call
  // parameters, nor of tensor coordinates.  Empty in code that is not reached, and for an
  // instruction that is not understood.
  std::span<const Access> of(const ir::Instruction& instruction) const;
  std::span<const Access> all() const { return accesses_; }
  // Who executes a synchronising instruction (T), or a wait for groups of copies: an Access with no
  // bases and no address.  Null where nothing says that it is one thread.
  const Access* executorOf(const ir::Instruction& instruction) const;

  // The form of an integer value on which some address or branch depends; None for any other.
  FormId formOf(ValueId value) const { return formOfValue_[value]; }
  // "A+4*tid.x+16", for remarks and tests.
  std::string text(FormId form) const;
  // "A", "tid.x", "%r5", "and(tid.x,31)"
  std::string leafText(LeafId leaf) const;

 private:
  std::string text(FormId form, unsigned nesting) const;
  std::string leafText(LeafId leaf, unsigned nesting) const;
  class AccessBuilder;

  const Ssa* ssa_;
  const ValueRanges* ranges_;
  LaunchShape shape_;
  LinearForms forms_;
  IdVector<ValueId, FormId> formOfValue_;
  std::vector<Access> accesses_;
  std::vector<std::uint32_t> firstAccess_;               // by instruction, and one more
  std::unordered_map<std::uint32_t, Access> executors_;  // by instruction
};

template <>
struct InputsOf<Addresses> {
  using type = Inputs<Ssa, ValueRanges, Loops>;
};

}  // namespace ptxopt::analysis
