// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which CTA barriers of a kernel, or of kernels and the functions that they share, all of its
// threads provably take part in.
//
// docs/soundness/ C1: a barrier may be judged only if all threads that have not ended execute the
// same sequence of barriers, and if nothing that may use the same barrier resource spoils that
// (C1.4, taint).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/flow/call_graph.h"
#include "analysis/flow/cfg.h"
#include "analysis/threads/non_exited_threads.h"
#include "analysis/threads/uniformity.h"
#include "ir/barrier.h"
#include "support/bit_set.h"

namespace ptxopt::analysis {

// Barrier ids as a set.
using BarrierIds = std::uint32_t;
inline constexpr BarrierIds kAllBarrierIds = ~BarrierIds{0};
// Of an id in a register, or one that does not exist: any.
BarrierIds barrierIds(const ir::CtaBarrier& barrier);

// The thread count is that of the block as the function says it, of an entry.  The barrier is full
// where all threads of the block execute it (docs/soundness/ A2.1).
bool countsWholeBlock(const ir::Function& function, const ir::CtaBarrier& barrier);

// What a function holds, and what may run in a call of it.
struct BarrierUse {
  BarrierIds ids = 0;     // of every CTA barrier
  bool mayBeAny = false;  // code that is not known, or an instruction of A7.2
  bool hasPartial = false;
  bool hasPin = false;
  void merge(const BarrierUse& other);
  bool any() const { return ids != 0 || mayBeAny; }
};

// Over the whole module, before passes change anything.  O(statements).
class BarrierUses {
 public:
  // The graph must outlive the object.
  BarrierUses(const ir::Module& module, const CallGraph& graph);

  // Of the body alone.
  const BarrierUse& own(const ir::Function& function) const {
    return own_[graph_->vertexOf(function)];
  }
  // Of everything that a call of `function` may run, its own body included.
  const BarrierUse& withCallees(const ir::Function& function) const {
    return total(graph_->vertexOf(function));
  }
  // Of what `call` may run.  O(operands).
  BarrierUse ofCall(const ir::Function& caller, const ir::Instruction& call) const;

 private:
  const BarrierUse& total(Vertex v) const { return total_[graph_->components().component[v]]; }

  const CallGraph* graph_;
  std::vector<BarrierUse> own_;    // by vertex
  std::vector<BarrierUse> total_;  // by component
};

enum class Standing : std::uint8_t {
  Candidate,   // full, unguarded, all threads take part, and nothing taints its id
  Guarded,     // the same, under a uniform guard: all threads take part, or none
  Partial,     // a count of others than all threads, an id in a register, or .arrive
  NotUniform,  // under control or a guard that may differ between threads, and not trusted (C10.1)
  Tainted,     // full and uniform, but an instruction that is not may use its id
};

// The functions with barriers whose callers are all known, down from the entries: only such
// barriers can be judged (C1.6).  Functions that call themselves are none.  By vertex of the call
// graph.
BitSet functionsWithKnownCallers(const BarrierUses& uses, const CallGraph& graph);
// Those of them that have a body, with all that call them and have one: what some kernel shares
// with another stands in one group, callers first.  A function alone is no group.
std::vector<std::vector<const ir::Function*>> functionsThatShareBarriers(
    const CallGraph& graph, const BitSet& withKnownCallers);

// Of the barriers of one entry; or of entries and the functions with barriers that they share.
class Participation {
 public:
  // Barriers of callees are not judged: they taint their ids.
  Participation(const Cfg& cfg, const Liveness& liveness, const BarrierUses& uses);

  struct Body {
    const Cfg* cfg;
    const Liveness* liveness;
    Assumptions assumptions = {};
    // Where a count of all threads of the block makes a full barrier (A2.1).  None: nowhere.
    const NonExitedThreads* nonExitedThreads = nullptr;
  };
  // All of the functions in `withKnownCallers` that are called here stand among `bodies`, and all
  // that call one of these: a caller before its callees.
  Participation(std::span<const Body> bodies, const BarrierUses& uses, const CallGraph& graph,
                const BitSet& withKnownCallers);

  struct Member {
    ir::Instruction* instruction = nullptr;
    ir::CtaBarrier barrier;
    Standing standing = Standing::Partial;
    std::uint32_t body = 0;
  };
  // Body by body, in the order of the text.
  const std::vector<Member>& barriers() const { return barriers_; }
  // All threads take part in some.
  bool hasCandidates() const;
  // All threads of the CTA come to each call of the body equally often; true of an entry.
  bool isEnteredByAll(std::uint32_t body) const { return isEnteredByAll_[body]; }
  // None of a body without anything that is or may be a barrier.
  const Uniformity* uniformity(std::uint32_t body) const {
    return uniformity_[body] ? &*uniformity_[body] : nullptr;
  }

 private:
  Participation(std::span<const Body> bodies, const BarrierUses& uses, const CallGraph* graph,
                const BitSet* withKnownCallers);

  std::vector<Member> barriers_;
  std::vector<std::optional<Uniformity>> uniformity_;  // by body
  std::vector<bool> isEnteredByAll_;                   // the same
};

}  // namespace ptxopt::analysis
