// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why a barrier is kept although no two accesses need it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "analysis/barriers/barrier_graph.h"
#include "analysis/barriers/divergence_cause.h"
#include "analysis/barriers/polling.h"
#include "passes/barriers/barrier_remarks.h"

namespace ptxopt::passes {

class KeptReasons {
 public:
  using Barrier = analysis::BarrierGraph::Barrier;

  // All arguments must outlive the object.
  KeptReasons(std::span<const analysis::BarrierBody> bodies, const analysis::BarrierFacts& facts,
              const analysis::BarrierGraph& graph, const BarrierRemarks& remarks)
      : bodies_(bodies), facts_(facts), graph_(graph), remarks_(remarks), causes_(bodies.size()) {}
  ~KeptReasons();

  // For a barrier without a node: not all threads take part, or it is not proved that they do.
  KeptReason notACandidate(const Barrier& barrier);
  // For a barrier whose result is used.
  KeptReason result(const Barrier& barrier) const;
  // For a barrier whose removal would let a load be hoisted out of a polling loop; `loops` by body.
  KeptReason polling(
      const Barrier& barrier,
      const std::function<const analysis::PollingLoops&(std::uint32_t)>& loops) const;

 private:
  KeptReason::TakesPart partial(const Barrier& barrier) const;
  const KeptReason& tainted(const Barrier& barrier);
  std::optional<KeptReason::SharedId> sharedId(analysis::BarrierIds ids) const;
  std::optional<KeptReason::SharedId> sharedId(analysis::BarrierIds ids,
                                               const ir::Function& function,
                                               const ir::Instruction& instruction) const;
  // Why not all threads provably execute an instruction of a body; none if they do.
  std::optional<KeptReason::Divergence> divergence(std::uint32_t body,
                                                   const ir::Instruction& instruction,
                                                   unsigned nesting);
  KeptReason::Divergence describe(const analysis::DivergenceCause& cause,
                                  const ir::Function& function,
                                  const ir::Instruction& instruction) const;
  const analysis::Participation& participation();
  const ir::Function& functionOf(std::uint32_t body) const { return bodies_[body].cfg->function(); }

  std::span<const analysis::BarrierBody> bodies_;
  const analysis::BarrierFacts& facts_;
  const analysis::BarrierGraph& graph_;
  const BarrierRemarks& remarks_;
  // Computed on demand; causes_ by body.
  std::unique_ptr<analysis::Participation> participation_;
  std::vector<std::unique_ptr<analysis::DivergenceCauses>> causes_;
  std::map<analysis::BarrierIds, KeptReason> taints_;
};

// Why the barriers of a function are not tested: not all of its callers are known (C1.6).
UnknownCallers unknownCallers(const ir::Function& function, const analysis::BarrierFacts& facts);

}  // namespace ptxopt::passes
