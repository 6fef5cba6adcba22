// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The barriers of a kernel, or of kernels and the functions that they share, with all that lies
// between them: the question that docs/soundness/ C asks, set up for BarrierRegions.
//
// Pieces follow the control flow through calls to functions whose barriers are judged (C1.6, C2.4);
// of any other call the effect stands in the piece of its caller.  Ends of threads lead to the
// barriers at which they count as arrivals (C1.3):  a thread and one that goes on part at a varying
// branch, so only ends and barriers are connected that both can be reached from such a branch
// without a barrier in between and lie in the same component of the code without barriers.  What a
// thread does in a tail, code after which there is no barrier, belongs to its end.
//
// Cost: near O(statements + edges), and what its parts cost; a tail counts once for each block that
// leads into it.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "analysis/barriers/barrier_regions.h"
#include "analysis/barriers/participation.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/dominators.h"
#include "analysis/flow/liveness.h"
#include "analysis/flow/loops.h"
#include "analysis/memory/memory_effects.h"

namespace ptxopt::analysis {

// Facts about the whole module that the work on one kernel needs.  Made before passes change
// anything; reading it from several threads is safe.
struct BarrierFacts {
  // The graph must outlive the object.
  BarrierFacts(const ir::Module& module, const CallGraph& calls)
      : graph(&calls),
        uses(module, calls),
        withKnownCallers(functionsWithKnownCallers(uses, calls)) {}

  // In a kernel of which this is assumed.  Made when first asked for.
  const CallEffects& effects(const Assumptions& assumptions) const;

  const CallGraph* graph;
  BarrierUses uses;
  BitSet withKnownCallers;  // of docs/soundness/ C1.6, by vertex

 private:
  mutable std::mutex mutex_;
  mutable std::deque<std::pair<Assumptions, CallEffects>> effects_;
};

struct BarrierBody {
  const Cfg* cfg = nullptr;
  const Liveness* liveness = nullptr;
  const PostDominators* postDominators = nullptr;
  const Loops* loops = nullptr;
  const Addresses* addresses = nullptr;  // for Precision::Affine; must outlive the graph
  Assumptions assumptions = {};
};

// What graphs of the same bodies have in common, whatever the precision.
struct BarrierContext {
  // Bodies as Participation wants them.  `facts` must outlive the object.
  BarrierContext(std::span<const BarrierBody> bodies, const BarrierFacts& facts);

  const BarrierFacts* facts;
  Participation participation;
  std::vector<AddressObjects> objects;  // by body
};

class BarrierGraph {
 public:
  using Node = BarrierRegions::Node;

  struct Barrier {
    ir::Instruction* instruction = nullptr;
    ir::CtaBarrier barrier;
    Standing standing = Standing::Partial;
    std::uint32_t body = 0;
    std::uint32_t depth = 0;  // loops around it, those around calls of its function included
    Node node = kNone;        // none for what is not judged
  };

  // Of the bodies of the ground; both must outlive the object.
  BarrierGraph(std::span<const BarrierBody> bodies, const BarrierContext& context,
               Precision precision, AccessLimits limits = {});
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
    BlockId block = 0;
  };
  const std::vector<Call>& calls() const { return calls_; }

 private:
  class Builder;

  bool sharedIsExternal_;
  AccessClasses classes_;
  BarrierRegions regions_;
  std::vector<Barrier> barriers_;
  std::vector<Call> calls_;
};

}  // namespace ptxopt::analysis
