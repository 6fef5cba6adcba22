// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What instructions, and calls with all that may run in them, do to memory that other threads of
// the CTA can reach: docs/soundness/ A2, as the barrier rules ask for it.
//
// An effect is a list of accesses and a set of marks.  An access has a domain and, where it is
// known, an object; with neither it may be anywhere.  Marks stand for everything that is no plain
// access.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/flow/call_graph.h"
#include "analysis/launch/assumptions.h"
#include "analysis/memory/address_objects.h"
#include "ir/statement.h"

namespace ptxopt::analysis {

// What an access does.  A strong read is a read as well (docs/soundness/ C4.3), and a strong
// write is a write.
enum AccessKind : std::uint8_t {
  kRead = 1u << 0,
  kWrite = 1u << 1,
  kStrongRead = 1u << 2,
  kStrongWrite = 1u << 3,
  // No access: T, of which it is known who executes it (docs/soundness/ C8(i).1).
  kSync = 1u << 4,
};
using AccessKinds = std::uint8_t;

enum EffectMark : std::uint8_t {
  kOpaqueSync = 1u << 0,       // T
  kCtaFence = 1u << 1,         // conflicts with fences only (A2.7)
  kPin = 1u << 2,              // C7.1
  kBarrierResource = 1u << 3,  // an operation on a CTA barrier that is not judged (A2.3); T as well
  kThreadEnd = 1u << 4,        // an arrival at partial barriers (F9)
  kPartingEnd = 1u << 5,       // threads may end here while others go on to a barrier (C1.3)
};
using EffectMarks = std::uint8_t;

// Which of two instructions of different threads a barrier between them could order.
enum class Ordered : std::uint8_t {
  Both,
  // Only what is above the barrier before it: the issue of an asynchronous copy, whose effects come
  // with its completion (A6.1, C4.5).
  AsLower,
};

struct MemoryAccess {
  AccessKinds kinds = 0;
  Domain domain = Domain::Any;
  const ir::Operand* address = nullptr;  // null: no single place (class A)
  Ordered ordered = Ordered::Both;
};

// Of one instruction.  What a call runs is left out: see CallEffects.
struct MemoryEffect {
  EffectMarks marks = 0;
  Ordered markOrder = Ordered::Both;
  std::uint8_t accessCount = 0;
  std::array<MemoryAccess, 2> accesses;
  // Class A: the accesses stand for those of the copies that it may complete.
  bool completesCopies = false;
  // The thread may wait for a value of the result (docs/soundness/ E.6.8).  Of shared memory that
  // is T where shared memory is external, and no mark says so; else kOpaqueSync is the only mark.
  enum class Poll : std::uint8_t { None, Shared, Other };
  Poll poll = Poll::None;

  std::span<const MemoryAccess> all() const& { return std::span(accesses).first(accessCount); }
  std::span<const MemoryAccess> all() const&& = delete;  // would outlive what it looks at
  bool none() const { return marks == 0 && accessCount == 0; }
};

// A strong read that gives its value to a register, so that a thread may wait for one
// (docs/soundness/ E.6.8, D1.15).  O(operands).
bool mayPoll(const ir::Instruction& instruction);

// CTA barriers have none: whoever asks knows which of them are judged.  O(operands).
// `assumptions`: invariant reads and traps may be none, timing no PIN (docs/soundness/ C10).
MemoryEffect memoryEffectOf(const ir::Instruction& instruction,
                            const Assumptions& assumptions = {});

// An access of a function to an object, for its callers.
struct ObjectAccess {
  AccessKinds kinds = 0;
  Place place;
  friend bool operator==(const ObjectAccess&, const ObjectAccess&) = default;
};

// What may happen in a call.
struct CallEffect {
  EffectMarks marks = 0;
  bool mayEndThread = false;      // other than by a trap (A1.11)
  bool sharedIsExternal = false;  // "external memory", and C3.6
  bool hasAsyncCopy = false;
  bool pollsShared = false;            // T where shared memory is external (MemoryEffect::Poll)
  bool readsExternalWeakly = false;    // a weak load of global or unknown memory (C2.6)
  std::vector<ObjectAccess> accesses;  // each kind of access to each place once
};

// Of all functions of a module, bottom-up over the call graph; the functions of a cycle share one
// effect.  Code that is not known has every effect.  O(statements + calls * distinct accesses).
class CallEffects {
 public:
  // In kernels of which this is assumed.  The graph must outlive the object.
  explicit CallEffects(const CallGraph& graph, const Assumptions& assumptions = {});

  // Of the body with all that it calls.
  const CallEffect& of(const ir::Function& function) const {
    return effects_[graph_->components().component[graph_->vertexOf(function)]];
  }
  const CallEffect& of(Vertex v) const { return effects_[graph_->components().component[v]]; }
  // Of what `call`, a call or an instruction that is not understood, may run.
  CallEffect ofCall(const ir::Function& caller, const ir::Instruction& call) const;

 private:
  const CallGraph* graph_;
  std::vector<CallEffect> effects_;  // by component
};

}  // namespace ptxopt::analysis
