// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an instruction, or a call with everything that may run in it, does to memory that other
// threads of the CTA can reach: docs/soundness/ A2, for the barrier rules.
//
// An effect is a list of accesses and a set of marks.  An access has a domain and, if known, an
// object; otherwise it may be anywhere in the domain.  Marks describe everything that is not a
// plain access.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/flow/call_graph.h"
#include "analysis/launch/assumptions.h"
#include "analysis/memory/address_objects.h"
#include "ir/effect.h"
#include "ir/statement.h"

namespace ptxopt::analysis {

// A strong read is also a read (docs/soundness/ C4.3), and a strong write also a write.
enum AccessKind : std::uint16_t {
  kRead = 1u << 0,
  kWrite = 1u << 1,
  kStrongRead = 1u << 2,
  kStrongWrite = 1u << 3,
  // Not an access: a T whose executing threads are known (docs/soundness/ C8(i).1).
  kSync = 1u << 4,
  // Operations on an mbarrier, one for each class of docs/soundness/ G4.2.  They are neither reads
  // nor writes: the table there says what they conflict with.
  kMbarrierWait = 1u << 5,
  kMbarrierArrive = 1u << 6,
  kMbarrierArriveExpect = 1u << 7,
  kMbarrierExpect = 1u << 8,
  kMbarrierCopy = 1u << 9,
  // A read or write by an asynchronous operation: of matrices and boxes whose bytes are not known
  // in full, but among which is no mbarrier (docs/soundness/ G1).
  kAsync = 1u << 10,
  // Of tensor memory (docs/soundness/ G7): the lanes of the own warp alone; an allocation, or with
  // neither a read nor a write a permit to allocate that is given up; and the two fences.
  kTensorLanes = 1u << 11,
  kTensorAllocation = 1u << 12,
  kTensorBefore = 1u << 13,
  kTensorAfter = 1u << 14,
  // With kSync: one that spares shared memory.
  kOuter = 1u << 15,
};
using AccessKinds = std::uint16_t;
inline constexpr AccessKinds kTensorKinds =
    kTensorLanes | kTensorAllocation | kTensorBefore | kTensorAfter;
inline constexpr AccessKinds kMbarrierKinds =
    kMbarrierWait | kMbarrierArrive | kMbarrierArriveExpect | kMbarrierExpect | kMbarrierCopy;

enum EffectMark : std::uint8_t {
  kOpaqueSync = 1u << 0,       // T
  kCtaFence = 1u << 1,         // conflicts with fences only (A2.7)
  kPin = 1u << 2,              // C7.1
  kBarrierResource = 1u << 3,  // an operation on a CTA barrier that is not analysed (A2.3); also T
  kThreadEnd = 1u << 4,        // an arrival at partial barriers (F9)
  kPartingEnd = 1u << 5,       // threads may end here while others continue to a barrier (C1.3)
  kOuterSync = 1u << 6,        // T that conflicts with no access to memory of the own CTA (C4.4)
};
using EffectMarks = std::uint8_t;
inline constexpr EffectMarks kAnySync = kOpaqueSync | kOuterSync;

// On which sides of a barrier the barrier orders this effect with effects on the other side.
enum class Ordered : std::uint8_t {
  Both,
  // Only below a barrier: the issue of an asynchronous copy.  Above one it orders nothing, because
  // the effects of the copy come with its completion (A6.1, C4.5).
  AsLower,
  // Only above a barrier: where an asynchronous operation is seen to be complete.
  AsUpper,
};

struct MemoryAccess {
  AccessKinds kinds = 0;
  Domain domain = Domain::Any;
  const ir::Operand* address = nullptr;  // null: no single address (class A)
  Ordered ordered = Ordered::Both;
};

// The effect of one instruction, without the code that a call runs: see CallEffects.
struct MemoryEffect {
  EffectMarks marks = 0;
  Ordered markOrder = Ordered::Both;
  std::uint8_t accessCount = 0;
  std::array<MemoryAccess, 2> accesses;
  // T: it accesses shared memory by `accesses` alone, so that its mark is kOuterSync where no other
  // CTA reaches shared memory.
  bool sparesShared = false;
  // Class A: the accesses are those of the copies that the instruction may complete.
  bool completesCopies = false;
  // The thread may wait until the result has a certain value (docs/soundness/ E.6.8).  A poll of
  // shared memory is T if shared memory is external, and has no mark; any other poll has
  // kOpaqueSync as its only mark.
  enum class Poll : std::uint8_t { None, Shared, Other };
  Poll poll = Poll::None;

  std::span<const MemoryAccess> all() const& { return std::span(accesses).first(accessCount); }
  std::span<const MemoryAccess> all() const&& = delete;  // the span would outlive the array
  bool none() const { return marks == 0 && accessCount == 0; }
};

// A strong read into a register: a thread may wait until it reads a certain value (docs/soundness/
// E.6.8, D1.15).  O(operands).
bool mayPoll(const ir::Instruction& instruction);

// cp.async, or what may be one: an unknown form of `cp`, or an unknown opcode (docs/soundness/
// C5.1).
bool mayBeAsyncCopy(const ir::Instruction& instruction);

// False for most instructions: for these, memoryEffectOf() is empty under all assumptions, and they
// neither poll nor copy.  O(operands), or O(1) for instructions that access memory.
inline bool mayHaveMemoryEffect(const ir::Instruction& instruction) {
  return !ir::isUnordered(ir::effectOf(instruction));
}

// A CTA barrier has no effect here: only the caller knows which barriers it analyses.  With
// `assumptions`, invariant reads and traps may have no effect, and timing no PIN (docs/soundness/
// C10).  O(operands).
MemoryEffect memoryEffectOf(const ir::Instruction& instruction,
                            const Assumptions& assumptions = {});

// Its launches may have clusters of several CTAs, or an attribute or a directive that is not
// understood says something of them (docs/soundness/ C3.6).  O(attributes).
bool mayHaveClusters(const ir::Function& function);

// An access of a function to an object, as its callers see it.
struct ObjectAccess {
  AccessKinds kinds = 0;
  Place place;
  friend bool operator==(const ObjectAccess&, const ObjectAccess&) = default;
};

// What may happen during a call.
struct CallEffect {
  EffectMarks marks = 0;
  bool mayEndThread = false;      // other than by a trap (A1.11)
  bool sharedIsExternal = false;  // "external memory", and C3.6
  bool hasAsyncCopy = false;
  bool pollsShared = false;            // T where shared memory is external (MemoryEffect::Poll)
  bool readsExternalWeakly = false;    // a weak load of global or unknown memory (C2.6)
  std::vector<ObjectAccess> accesses;  // each kind of access to each place once
};

// The effects of all functions of a module, bottom-up over the call graph.  The functions of a
// cycle share one effect.  Unknown code has every effect.  O(statements + calls * distinct
// accesses).
class CallEffects {
 public:
  // `assumptions` hold for all kernels.  The graph must outlive the object.
  explicit CallEffects(const CallGraph& graph, const Assumptions& assumptions = {});

  // The effect of the body, including all that it calls.
  const CallEffect& of(const ir::Function& function) const {
    return effects_[graph_->components().component[graph_->vertexOf(function)]];
  }
  const CallEffect& of(Vertex v) const { return effects_[graph_->components().component[v]]; }
  // The effect of the code that `call` may run; `call` may be an instruction that is not
  // understood.
  CallEffect ofCall(const ir::Function& caller, const ir::Instruction& call) const;

 private:
  const CallGraph* graph_;
  std::vector<CallEffect> effects_;  // by component
};

}  // namespace ptxopt::analysis
