// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/barriers/barrier_graph.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "analysis/barriers/barrier_events.h"
#include "analysis/barriers/thread_ends.h"
#include "analysis/values/feasible_edges.h"
#include "ir/module.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using Node = BarrierRegions::Node;

bool anySharedIsExternal(std::span<const BarrierBody> bodies, const BarrierFacts& facts) {
  return std::any_of(bodies.begin(), bodies.end(), [&](const BarrierBody& body) {
    return facts.effects(body.assumptions).of(body.cfg->function()).sharedIsExternal;
  });
}

// docs/soundness/ G.  None where the kernel has no asynchronous operation, or one that the model
// does not cover.
std::optional<AsyncModel> asyncModel(std::span<const BarrierBody> bodies,
                                     const BarrierContext& context) {
  if (bodies.size() != 1 || !anySharedIsExternal(bodies, *context.facts)) return std::nullopt;
  AsyncModel::InstructionSet separators;
  for (const Participation::Member& member : context.participation.barriers()) {
    if (member.standing == Standing::Candidate) separators.insert(member.instruction);
  }
  const BarrierBody& body = bodies[0];
  AsyncModel model(*body.cfg, *body.liveness, *body.loops, context.objects[0], body.addresses,
                   body.assumptions, separators);
  return model.isInternal() ? std::optional(std::move(model)) : std::nullopt;
}

// Pairs of accesses may be of two functions: what holds for all.
AliasAssumptions aliasAssumptions(std::span<const BarrierBody> bodies) {
  AliasAssumptions result;
  const auto isOfAll = [&](Assumption assumption) {
    return std::ranges::all_of(
        bodies, [&](const BarrierBody& body) { return body.assumptions.has(assumption); });
  };
  result.noaliasParams = isOfAll(Assumption::NoaliasParams);
  result.noaliasVariables = isOfAll(Assumption::NoaliasVariables);
  result.flatShared = std::ranges::any_of(
      bodies, [](const BarrierBody& body) { return body.assumptions.flatShared; });
  return result;
}

}  // namespace

class BarrierGraph::Builder {
 public:
  Builder(BarrierGraph& graph, std::span<const BarrierBody> bodies, const BarrierContext& context,
          Precision precision)
      : graph_(graph),
        regions_(graph.regions_),
        bodies_(bodies),
        context_(context),
        events_(regions_, graph.classes_, graph.sharedIsExternal_, bodies, context, precision,
                graph.isForRaces_, graph.async_ ? &*graph.async_ : nullptr, graph.completed_),
        threadEnds_(regions_),
        ends_(bodies.size()),
        depths_(bodies.size()),
        endsInside_(bodies.size()) {
    for (const Participation::Member& member : context_.participation.barriers()) {
      members_[member.instruction] = static_cast<std::uint32_t>(graph.barriers_.size());
      graph.barriers_.push_back(
          {member.instruction, member.barrier, member.standing, member.body, 0, kNone});
    }
    std::size_t nodes = 2 * bodies.size() + 1 + 2 * graph.barriers_.size();
    for (const BarrierBody& body : bodies) nodes += body.cfg->blockCount();
    regions_.reserve(nodes);
    for (Ends& ends : ends_) {
      ends.entry = regions_.addPiece();
      ends.exit = regions_.addPiece();
    }
    threadEnds_.addEndPiece();
    for (std::uint32_t k = 0; k < bodies.size(); ++k) addBody(k);
    std::vector<Node> judged;
    for (const Barrier& barrier : graph_.barriers_) {
      if (barrier.node != kNone) judged.push_back(barrier.node);
    }
    threadEnds_.connect(judged);
  }

 private:
  struct Ends {
    Node entry = kNone;
    Node exit = kNone;  // where it returns
  };
  // The pieces in which a block begins and ends; none if it is not reachable.
  struct BlockPieces {
    Node first = kNone;
    Node last = kNone;
  };

  const CallEffects& effectsOf(std::uint32_t body) const {
    return context_.facts->effects(bodies_[body].assumptions);
  }
  const ir::Function& functionOf(std::uint32_t body) const { return bodies_[body].cfg->function(); }

  // ---- instructions -----------------------------------------------------------------------------

  Node nextPiece(Node after) {
    const Node piece = regions_.addPiece();
    regions_.addEdge(after, piece);
    return piece;
  }

  // Returns the piece in which the code goes on.
  Node addInstruction(std::uint32_t body, Node at, const Instruction& instruction) {
    if (const auto found = members_.find(&instruction); found != members_.end()) {
      return addBarrier(body, at, graph_.barriers_[found->second]);
    }
    if (graph_.isForRaces_ && instruction.desc->effect == isa::Effect::WarpBarrier) {
      const Node node = nextPiece(at);
      graph_.warpBarriers_.push_back(node);
      return nextPiece(node);
    }
    events_.add(body, instruction);
    if (!instruction.desc->known()) endInside(body, at);
    if (!mayCall(instruction)) return at;
    const std::uint32_t callee = context_.calleeOf(functionOf(body), instruction);
    if (callee != kNone) return addCall(body, at, instruction, callee);
    const CallEffect called = effectsOf(body).ofCall(functionOf(body), instruction);
    events_.addCall(body, instruction, called);
    if (called.mayEndThread) endInside(body, at);
    return at;
  }

  Node addBarrier(std::uint32_t body, Node at, Barrier& barrier) {
    barrier.depth = depths_[body] + bodies_[body].loops->depthOf(barrier.instruction->block);
    if (isCandidate(barrier.standing)) {
      barrier.node = regions_.addBarrier(barrier.standing == Standing::Candidate);
      regions_.addEdge(at, barrier.node);
      return nextPiece(barrier.node);
    }
    events_.addMarks(body, *barrier.instruction, kBarrierResource | kOpaqueSync, Ordered::Both);
    return at;
  }

  Node addCall(std::uint32_t body, Node at, const Instruction& call, std::uint32_t callee) {
    graph_.calls_.push_back({body, callee, call.block});
    depths_[callee] =
        std::max(depths_[callee], depths_[body] + bodies_[body].loops->depthOf(call.block));
    if (effectsOf(callee).of(functionOf(callee)).mayEndThread) endsInside_[body] = true;
    regions_.addEdge(at, ends_[callee].entry);
    const Node after = nextPiece(ends_[callee].exit);
    if (call.guard) {
      regions_.addEdge(at, after);
      threadEnds_.addParting(at);  // who calls may end there
    }
    return after;
  }

  // The thread may end in this piece, where the control-flow graph knows nothing of it, and others
  // go on.
  void endInside(std::uint32_t body, Node piece) {
    endsInside_[body] = true;
    threadsEndIn_.insert(piece);
    threadEnds_.addEnd(piece);
    threadEnds_.addParting(piece);
  }

  // ---- blocks -----------------------------------------------------------------------------------

  void addBody(std::uint32_t k) {
    const BarrierBody& body = bodies_[k];
    const Cfg& cfg = *body.cfg;
    const Uniformity* uniformity = context_.participation.uniformity(k);
    const auto isTail = [&](BlockId b) {
      return uniformity == nullptr || !uniformity->leadsToBarrier(b);
    };
    IdVector<BlockId, BlockPieces> pieces(cfg.blockCount());
    threadEnds_.noteTail(false);
    for (const BlockId b : cfg.blocks()) {
      if (!cfg.isReachable(b)) continue;
      Node at = pieces[b].first = regions_.addPiece();
      for (const Instruction& instruction : cfg.instructions(b)) {
        at = addInstruction(k, at, instruction);
      }
      pieces[b].last = at;
      threadEnds_.noteTail(isTail(b));
    }
    regions_.addEdge(ends_[k].entry, pieces[cfg.entry()].first);
    if (cfg.function().isEntry()) graph_.beginnings_.push_back(ends_[k].entry);
    std::optional<FeasibleEdges> feasible;
    if (body.addresses != nullptr) {
      feasible.emplace(body.addresses->ssa(), body.addresses->ranges());
    }
    for (const BlockId b : cfg.blocks()) {
      const Node last = pieces[b].last;
      if (last == kNone) continue;
      for (EdgeId e = cfg.firstOutEdge(b); e != cfg.endOutEdge(b); ++e) {
        if (cfg.target(e) == cfg.exit()) {
          addExit(k, last, cfg.kind(e));
          continue;
        }
        if (feasible && !feasible->isEverTaken(e)) continue;
        const BlockId target = targetOf(cfg, e, pieces[cfg.target(e)], feasible);
        regions_.addEdge(last, pieces[target].first);
        if (!isTail(b) && isTail(target)) {
          threadEnds_.addWayIntoTail(last, pieces[target].first);
        }
      }
      if (threadsMayPart(body, uniformity, b, endsInside_[k])) threadEnds_.addParting(last);
    }
  }

  void addExit(std::uint32_t k, Node last, EdgeKind kind) {
    const bool isEntry = functionOf(k).isEntry();
    const bool returns = kind == EdgeKind::Return || kind == EdgeKind::UnknownExit;
    if (returns && !isEntry) regions_.addEdge(last, ends_[k].exit);
    if ((returns && isEntry) || kind == EdgeKind::Exit || kind == EdgeKind::UnknownExit) {
      threadEnds_.addEnd(last);
    }
  }

  // The block to which control goes by the edge; beyond one in which nothing happens, if only one
  // way leads on for those who came by this edge.
  BlockId targetOf(const Cfg& cfg, EdgeId e, const BlockPieces& pieces,
                   const std::optional<FeasibleEdges>& feasible) const {
    const BlockId target = cfg.target(e);
    const bool isEmpty = pieces.first == pieces.last && regions_.events(pieces.first).empty() &&
                         !threadsEndIn_.contains(pieces.first);
    if (!feasible || !isEmpty) return target;
    return onlyNext(cfg, *feasible, e).value_or(target);
  }

  // The block to which control goes on from the target of `edge`, if from there it can go to others
  // as well, but not when it has come by this edge.
  static std::optional<BlockId> onlyNext(const Cfg& cfg, const FeasibleEdges& feasible,
                                         EdgeId edge) {
    const BlockId through = cfg.target(edge);
    std::optional<BlockId> next;
    std::size_t count = 0;
    for (EdgeId e = cfg.firstOutEdge(through); e != cfg.endOutEdge(through); ++e) {
      ++count;
      if (!feasible.mayFollow(edge, e)) continue;
      if (next || cfg.target(e) == cfg.exit()) return std::nullopt;
      next = cfg.target(e);
    }
    return count > 1 ? next : std::nullopt;
  }

  BarrierGraph& graph_;
  BarrierRegions& regions_;
  std::span<const BarrierBody> bodies_;
  const BarrierContext& context_;
  BarrierEvents events_;
  ThreadEnds threadEnds_;
  std::unordered_map<const Instruction*, std::uint32_t> members_;
  std::vector<Ends> ends_;
  std::vector<std::uint32_t> depths_;  // of loops around calls, by body
  std::vector<bool> endsInside_;       // by body: threads end other than where the graph says so
  std::unordered_set<Node> threadsEndIn_;  // pieces in which they do
};

BarrierGraph::BarrierGraph(std::span<const BarrierBody> bodies, const BarrierContext& context,
                           Precision precision, AccessLimits limits, bool isForRaces)
    : async_(isForRaces || precision == Precision::Flags ? std::nullopt
                                                         : asyncModel(bodies, context)),
      sharedIsExternal_(!async_ && anySharedIsExternal(bodies, *context.facts)),
      classes_(precision, sharedIsExternal_, aliasAssumptions(bodies), limits,
               async_ ? async_->protocol() : AsyncProtocol{}),
      regions_(classes_),
      isForRaces_(isForRaces) {
  Builder(*this, bodies, context, precision);
}

}  // namespace ptxopt::analysis
