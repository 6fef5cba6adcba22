// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the work on the barriers of a kernel, or of kernels and the functions that they share,
// stands on: facts about the module, the bodies, and who takes part in which barrier.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/addresses/address.h"
#include "analysis/barriers/participation.h"
#include "analysis/flow/cfg.h"
#include "analysis/flow/dominators.h"
#include "analysis/flow/liveness.h"
#include "analysis/flow/loops.h"
#include "analysis/memory/address_objects.h"
#include "analysis/memory/memory_effects.h"

namespace ptxopt::analysis {

// Facts about the whole module that the work on one kernel needs.  They look into all functions, so
// they are made, addEffects() included, before passes change any.  Then several threads may read
// them.
struct BarrierFacts {
  // The graph must outlive the object.
  BarrierFacts(const ir::Module& module, const CallGraph& calls)
      : graph(&calls),
        uses(module, calls),
        withKnownCallers(functionsWithKnownCallers(uses, calls)) {}

  // Makes the effects of calls in a kernel with these assumptions, or with some of them.
  void addEffects(const Assumptions& assumptions);
  // In a kernel with these assumptions, for which addEffects() must have been called.
  const CallEffects& effects(const Assumptions& assumptions) const;

  const CallGraph* graph;
  BarrierUses uses;
  BitSet withKnownCallers;  // of docs/soundness/ C1.6, by vertex

 private:
  std::deque<std::pair<Assumptions, CallEffects>> effects_;
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
  using Bodies = std::vector<BarrierBody>;

  // Bodies as Participation wants them.  `facts` must outlive the object.  `withAddresses` makes
  // the same bodies with addresses; it is called only if these may show that all threads take part
  // in more barriers (C1.2.11, C1.4.2).  Without it, `bodies` are used as they are.
  BarrierContext(std::span<const BarrierBody> bodies, const BarrierFacts& facts,
                 const std::function<Bodies()>& withAddresses = {});

  // The body that the instruction of `caller` calls; kNone if it is not one of these bodies, or not
  // always the same.
  std::uint32_t calleeOf(const ir::Function& caller, const ir::Instruction& instruction) const;

  const BarrierFacts* facts;
  Participation participation;
  std::vector<AddressObjects> objects;  // by body
  std::unordered_map<const ir::Function*, std::uint32_t> bodyOf;

 private:
  using MakeBodies = std::function<Bodies()>;

  std::span<const BarrierBody> fine(std::span<const BarrierBody> bodies,
                                    const MakeBodies& withAddresses);
  void findBroadcasts(std::span<const BarrierBody> bodies, const MakeBodies& withAddresses);

  Bodies fine_;  // what withAddresses() has made
};

}  // namespace ptxopt::analysis
