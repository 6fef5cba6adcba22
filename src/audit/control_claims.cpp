// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Claims about control flow: `never-taken` and `never-follows`; `together` and `uniform` for blocks
// that all threads of the CTA execute equally often, `all-execute` if none of them has ended
// before, and `warp-uniform`.
#include "analysis/addresses/address.h"
#include "analysis/threads/elected_leaders.h"
#include "analysis/threads/non_exited_threads.h"
#include "analysis/threads/warp_uniformity.h"
#include "analysis/values/feasible_edges.h"
#include "audit/families.h"

namespace ptxopt::audit {

namespace {

using analysis::BlockId;
using analysis::Uniformity;
using analysis::ValueId;
using ir::Instruction;

// Claims that values of uniform registers, defined in uniform blocks, are uniform.
template <class Kind>
void claimUniformValues(const Subject& subject, const analysis::TextPlaces& places,
                        const Uniformity& uniformity, std::string_view by) {
  const analysis::Ssa& ssa = places.ssa();
  for (const ValueId value : ssa.values()) {
    if (!ssa.isDefinition(value) || ssa.isCarry(value)) continue;
    if (!uniformity.isUniform(ssa.block(value)) || !uniformity.isUniform(ssa.reg(value))) continue;
    if (const std::optional<facts::Value> place = places.of(value)) {
      subject.claim(by, Kind{*place});
    }
  }
}

bool mayEndInCalls(const Subject& subject, const analysis::CallEffects& effects) {
  for (const ir::Statement& statement : subject.function().body()) {
    const auto* instruction = statement.as<Instruction>();
    if (instruction == nullptr) continue;
    const bool isKnown = instruction->desc->known();
    if (isKnown && instruction->desc->control != isa::Control::Call) continue;
    if (!isKnown || effects.ofCall(subject.function(), *instruction).mayEndThread) return true;
  }
  return false;
}

}  // namespace

void collectEdges(const Subject& subject, const analysis::TextPlaces& places) {
  constexpr std::string_view kBy = "feasible-edges";
  const analysis::Cfg& cfg = places.ssa().cfg();
  const analysis::FeasibleEdges feasible(places.ssa(), subject.get<analysis::ValueRanges>());
  for (EdgeId edge = 0; edge < cfg.edgeCount(); ++edge) {
    if (!cfg.isReachable(cfg.source(edge))) continue;
    const std::vector<facts::Edge> edges = places.edges(edge);
    if (!feasible.isEverTaken(edge)) {
      for (const facts::Edge& one : edges) subject.claim(kBy, facts::NeverTaken{one});
    }
    const BlockId through = cfg.target(edge);
    if (through == cfg.exit() || edges.empty()) continue;
    for (EdgeId next = cfg.firstOutEdge(through); next != cfg.endOutEdge(through); ++next) {
      if (feasible.mayFollow(edge, next)) continue;
      for (const facts::Edge& second : places.edges(next)) {
        for (const facts::Edge& first : edges) {
          subject.claim(kBy, facts::NeverFollows{first, second});
        }
      }
    }
  }
}

void collectUniform(const Subject& subject, const analysis::TextPlaces& places,
                    const Uniformity* uniformity) {
  constexpr std::string_view kBy = "uniformity";
  if (uniformity == nullptr) return;
  claimUniformValues<facts::Uniform>(subject, places, *uniformity, kBy);
  for (const BlockId block : places.ssa().cfg().blocks()) {
    const Instruction* first = places.firstOf(block);
    if (first == nullptr || !uniformity->isUniform(block)) continue;
    subject.claim(kBy, facts::Together{first->source.begin});
  }
}

void collectNonExitedThreads(const Subject& subject, const analysis::TextPlaces& places,
                             const analysis::CallEffects& effects) {
  if (!subject.function().isEntry()) return;
  const analysis::Cfg& cfg = places.ssa().cfg();
  const auto& liveness = subject.get<analysis::Liveness>();
  const analysis::NonExitedThreads whole(cfg, liveness, effects);
  for (const BlockId block : cfg.blocks()) {
    const Instruction* first = places.firstOf(block);
    if (first == nullptr || !cfg.isReachable(block) || !whole.allExecute(block)) continue;
    subject.claim("whole-warps", facts::AllExecute{first->source.begin});
  }
  // The same for the threads of a warp, which elections need (analysis/threads/elected_leaders.h).
  if (mayEndInCalls(subject, effects)) return;
  const auto& addresses = subject.get<analysis::Addresses>();
  IdVector<ValueId, analysis::FormId> forms(places.ssa().valueCount());
  for (const ValueId value : forms.ids()) forms[value] = addresses.formOf(value);
  const Uniformity::InstructionSet agree =
      uniformInWarps(places.ssa(), addresses.shape(), addresses.forms(), forms);
  if (agree.empty()) return;
  BitSet everywhere(cfg.vertexCount());
  for (const BlockId block : cfg.blocksAndExit()) everywhere.set(block);
  claimUniformValues<facts::WarpUniform>(
      subject, places, Uniformity(cfg, liveness, everywhere, agree), "warp-agreement");
}

}  // namespace ptxopt::audit
