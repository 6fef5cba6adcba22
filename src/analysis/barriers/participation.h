// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which CTA barriers provably have all threads taking part, in one kernel, or in kernels and the
// functions that they share.
//
// docs/soundness/ C1: a barrier may be a candidate only if all threads that have not ended execute
// the same sequence of barriers, and if no other instruction that may use its barrier resource
// breaks this property (C1.4, taint).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/flow/call_graph.h"
#include "analysis/flow/cfg.h"
#include "analysis/threads/non_exited_threads.h"
#include "analysis/threads/uniformity.h"
#include "analysis/values/value_range.h"
#include "ir/barrier.h"
#include "support/bit_set.h"

namespace ptxopt::analysis {

// A set of barrier ids.
using BarrierIds = std::uint32_t;
inline constexpr BarrierIds kAllBarrierIds = ~BarrierIds{0};
// ir::ctaBarrier(), with what is known of the numbers in registers (docs/soundness/ C1.4.2).
// `ranges` may be null.
std::optional<ir::CtaBarrier> ctaBarrierWith(const ValueRanges* ranges,
                                             const ir::Instruction& instruction);

// The thread count equals the size of the block with which the entry is launched.  The barrier is
// full if all threads of the block execute it (docs/soundness/ A2.1, C10.5).
bool countsWholeBlock(const ir::Function& entry, const Assumptions& assumptions,
                      const ir::CtaBarrier& barrier);

// The barriers in a function, or in everything that a call of it may run.
struct BarrierUse {
  BarrierIds ids = 0;     // of every CTA barrier
  bool mayBeAny = false;  // there is unknown code, or an instruction of A7.2
  bool hasPartial = false;
  bool hasPin = false;
  void merge(const BarrierUse& other);
  bool any() const { return ids != 0 || mayBeAny; }
};

// Computed over the whole module, before passes change anything.  O(statements).
class BarrierUses {
 public:
  // The graph must outlive the object.
  BarrierUses(const ir::Module& module, const CallGraph& graph);

  // For the body alone.
  const BarrierUse& own(const ir::Function& function) const {
    return own_[graph_->vertexOf(function)];
  }
  // For everything that a call of `function` may run, including its own body.
  const BarrierUse& withCallees(const ir::Function& function) const {
    return total(graph_->vertexOf(function));
  }
  // For the code that `call` may run.  O(operands).
  BarrierUse ofCall(const ir::Function& caller, const ir::Instruction& call) const;

 private:
  const BarrierUse& total(Vertex v) const { return total_[graph_->components().component[v]]; }

  const CallGraph* graph_;
  std::vector<BarrierUse> own_;    // by vertex
  std::vector<BarrierUse> total_;  // by component
};

enum class Standing : std::uint8_t {
  Candidate,  // full, unguarded, all threads take part, and nothing taints its id
  Guarded,    // the same, under a uniform guard: all threads take part, or none
  Partial,    // the count is not that of all threads, the id is in a register, or the barrier is an
              // .arrive
  NotUniform,  // it depends on a branch or guard that may differ between threads, and is not
               // trusted (C10.1)
  Tainted,     // full and uniform, but an instruction that is not a candidate may use its id
};
// docs/soundness/ A2.1: a guarded barrier is a candidate too, but does not separate.
constexpr bool isCandidate(Standing standing) {
  return standing == Standing::Candidate || standing == Standing::Guarded;
}

// The functions with barriers whose callers are all known, starting at the entries.  Only barriers
// in these functions can be candidates (C1.6).  Recursive functions are left out.  By vertex of the
// call graph.
BitSet functionsWithKnownCallers(const BarrierUses& uses, const CallGraph& graph);
// The functions in `withKnownCallers` that have a body, together with all their callers that have
// one.  Functions that kernels share are in one group, callers first.  A single function is not a
// group.
std::vector<std::vector<const ir::Function*>> functionsThatShareBarriers(
    const CallGraph& graph, const BitSet& withKnownCallers);

// For the barriers of one entry, or of entries and the functions with barriers that they share.
class Participation {
 public:
  // Barriers of callees are not candidates: they taint their ids.
  Participation(const Cfg& cfg, const Liveness& liveness, const BarrierUses& uses);

  struct Body {
    const Cfg* cfg;
    const Liveness* liveness;
    Assumptions assumptions = {};
    // Used to recognise barriers whose count is that of all threads as full (A2.1).  None: never.
    const NonExitedThreads* nonExitedThreads = nullptr;
    const ValueRanges* ranges = nullptr;  // of ctaBarrierWith()
  };
  // `bodies` must contain all functions of `withKnownCallers` that one of them calls, and all
  // callers of these functions; a caller comes before its callees.  `broadcasts` has the same
  // meaning as in Uniformity.
  Participation(std::span<const Body> bodies, const BarrierUses& uses, const CallGraph& graph,
                const BitSet& withKnownCallers, const Uniformity::InstructionSet& broadcasts = {});

  struct Member {
    ir::Instruction* instruction = nullptr;
    ir::CtaBarrier barrier;
    Standing standing = Standing::Partial;
    std::uint32_t body = 0;
  };
  // For one body after the other, in the order of the text.
  const std::vector<Member>& barriers() const { return barriers_; }
  // There is a barrier in which all threads take part.
  bool hasCandidates() const { return countCandidates() != 0; }
  std::size_t countCandidates() const;
  // All threads of the CTA execute each call of the body equally often; true for an entry.
  bool isEnteredByAll(std::uint32_t body) const { return isEnteredByAll_[body]; }
  // None for a body without an instruction that is or may execute a barrier.
  const Uniformity* uniformity(std::uint32_t body) const {
    return uniformity_[body] ? &*uniformity_[body] : nullptr;
  }

 private:
  class Builder;

  Participation(std::span<const Body> bodies, const BarrierUses& uses, const CallGraph* graph,
                const BitSet* withKnownCallers, const Uniformity::InstructionSet& broadcasts);

  std::vector<Member> barriers_;
  std::vector<std::optional<Uniformity>> uniformity_;  // by body
  std::vector<bool> isEnteredByAll_;                   // by body
};

}  // namespace ptxopt::analysis
