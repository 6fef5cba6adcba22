// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The barriers of a kernel, or of kernels and the functions that they share, with all that lies
// between them: the question that docs/soundness/ C asks, set up for BarrierRegions.
//
// Pieces follow the control flow through calls to functions whose barriers are judged (C1.6, C2.4);
// of any other call the effect stands in the piece of its caller (barrier_events.h).  Ends of
// threads lead to the barriers at which they count as arrivals (thread_ends.h).
//
// Cost: near O(statements + edges), and what its parts cost.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/async/async_model.h"
#include "analysis/barriers/barrier_context.h"
#include "analysis/barriers/barrier_events.h"
#include "analysis/barriers/barrier_regions.h"

namespace ptxopt::analysis {

class BarrierGraph {
 public:
  using Node = BarrierRegions::Node;

  struct Barrier {
    ir::Instruction* instruction = nullptr;
    ir::CtaBarrier barrier;
    Standing standing = Standing::Partial;
    std::uint32_t body = 0;
    std::uint32_t depth = 0;  // loops around it, those around calls of its function included
    Node node = kNone;        // none if it is no candidate and no separator
  };

  // Of the bodies of the context; both must outlive the object.  `isForRaces`: bar.warp.sync has a
  // node, which nothing separates, and cp.async writes where it stands, and not where it is waited
  // for.
  BarrierGraph(std::span<const BarrierBody> bodies, const BarrierContext& context,
               Precision precision, AccessLimits limits = {}, bool isForRaces = false);
  BarrierGraph(const BarrierGraph&) = delete;
  BarrierGraph& operator=(const BarrierGraph&) = delete;

  const std::vector<Barrier>& barriers() const { return barriers_; }
  BarrierRegions& regions() { return regions_; }
  const BarrierRegions& regions() const { return regions_; }
  const AccessClasses& classes() const { return classes_; }
  bool sharedIsExternal() const { return sharedIsExternal_; }
  // Functions of the group that `body` calls, with the block of each call.
  struct Call {
    std::uint32_t caller = 0;
    std::uint32_t callee = 0;
    BlockId block = BlockId::None;
  };
  const std::vector<Call>& calls() const { return calls_; }
  // The pieces in which kernels begin.
  const std::vector<Node>& beginnings() const { return beginnings_; }
  // The nodes of bar.warp.sync.
  const std::vector<Node>& warpBarriers() const { return warpBarriers_; }

 private:
  class Builder;

  std::optional<AsyncModel> async_;  // none: asynchronous operations are T
  bool sharedIsExternal_;
  CompletedCopies completed_;
  AccessClasses classes_;
  BarrierRegions regions_;
  std::vector<Barrier> barriers_;
  std::vector<Call> calls_;
  std::vector<Node> beginnings_;
  bool isForRaces_;
  std::vector<Node> warpBarriers_;
};

}  // namespace ptxopt::analysis
