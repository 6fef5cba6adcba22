// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/barriers/barrier_graph.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>

#include "analysis/barriers/stores_of_all.h"
#include "analysis/values/feasible_edges.h"
#include "ir/module.h"
#include "support/bit_set.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using Node = BarrierRegions::Node;

bool anySharedIsExternal(std::span<const BarrierBody> bodies, const BarrierFacts& facts) {
  return std::any_of(bodies.begin(), bodies.end(), [&](const BarrierBody& body) {
    return facts.effects(body.assumptions).of(body.cfg->function()).sharedIsExternal;
  });
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

bool hasCountOfWholeBlock(const Cfg& cfg) {
  for (BlockId b = 0; b < cfg.blockCount(); ++b) {
    for (const Instruction& instruction : cfg.instructions(b)) {
      const auto barrier = ir::ctaBarrier(instruction);
      if (barrier && countsWholeBlock(cfg.function(), *barrier)) return true;
    }
  }
  return false;
}

Participation participationOf(std::span<const BarrierBody> bodies, const BarrierFacts& facts) {
  std::vector<std::optional<NonExitedThreads>> nonExitedThreads(bodies.size());
  std::vector<Participation::Body> members;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const BarrierBody& body = bodies[k];
    Participation::Body& member = members.emplace_back();
    member = {body.cfg, body.liveness, body.assumptions};
    if (hasCountOfWholeBlock(*body.cfg)) {
      member.nonExitedThreads =
          &nonExitedThreads[k].emplace(*body.cfg, *body.liveness, facts.effects(body.assumptions));
    }
  }
  return Participation(members, facts.uses, *facts.graph, facts.withKnownCallers);
}

}  // namespace

const CallEffects& BarrierFacts::effects(const Assumptions& assumptions) const {
  Assumptions relevant;
  relevant.flatShared = assumptions.flatShared;
  for (const Assumption one :
       {Assumption::NcInvariant, Assumption::RelaxTrap, Assumption::RelaxTiming}) {
    if (assumptions.has(one)) relevant.add(one);
  }
  const std::lock_guard lock(mutex_);
  for (const auto& [known, effects] : effects_) {
    if (known == relevant) return effects;
  }
  return effects_.emplace_back(relevant, CallEffects(*graph, relevant)).second;
}

BarrierContext::BarrierContext(std::span<const BarrierBody> bodies, const BarrierFacts& of)
    : facts(&of), participation(participationOf(bodies, of)) {
  objects.reserve(bodies.size());
  for (const BarrierBody& body : bodies) {
    objects.emplace_back(body.cfg->function(), body.assumptions.flatShared);
  }
}

class BarrierGraph::Builder {
 public:
  Builder(BarrierGraph& graph, std::span<const BarrierBody> bodies, const BarrierContext& context,
          Precision precision)
      : graph_(graph),
        regions_(graph.regions_),
        bodies_(bodies),
        facts_(*context.facts),
        context_(context),
        knowsObjects_(precision != Precision::Flags),
        ends_(bodies.size()),
        separators_(bodies.size()),
        storesOfAll_(bodies.size()),
        depths_(bodies.size()),
        readRegisters_(bodies.size()),
        endsInside_(bodies.size()) {
    for (std::uint32_t k = 0; k < bodies.size(); ++k) {
      bodyOf_[&bodies[k].cfg->function()] = k;
    }
    for (const Participation::Member& member : context_.participation.barriers()) {
      members_[member.instruction] = static_cast<std::uint32_t>(graph.barriers_.size());
      graph.barriers_.push_back(
          {member.instruction, member.barrier, member.standing, member.body, 0, kNone});
    }
    findStoresOfAll();
    findCopies();
    std::size_t nodes = 2 * bodies.size() + 1 + 2 * graph.barriers_.size();
    for (const BarrierBody& body : bodies) nodes += body.cfg->blockCount();
    regions_.reserve(nodes);
    for (Ends& ends : ends_) {
      ends.entry = regions_.addPiece();
      ends.exit = regions_.addPiece();
    }
    threadEnd_ = regions_.addPiece();
    addThreadEnd(kThreadEnd);
    for (std::uint32_t k = 0; k < bodies.size(); ++k) addBody(k);
    connectThreadEnds();
  }

 private:
  struct Ends {
    Node entry = kNone;
    Node exit = kNone;  // where it returns
  };
  // A thread may leave the code that leads to barriers after `from`: into a tail, from which none
  // is met, or because it ends.
  struct Leaving {
    Node from = kNone;
    Node tail = kNone;
  };
  // The ends of the threads that leave one component.
  struct Arrival {
    Node node = kNone;
    std::vector<Node> from;
    std::vector<Node> tails;
  };

  const CallEffects& effectsOf(std::uint32_t body) const {
    return facts_.effects(bodies_[body].assumptions);
  }

  // ---- accesses ---------------------------------------------------------------------------------

  // docs/soundness/ C8.2
  void findStoresOfAll() {
    for (std::uint32_t k = 0; k < bodies_.size(); ++k) {
      const Cfg& cfg = *bodies_[k].cfg;
      const Uniformity* uniformity = context_.participation.uniformity(k);
      const bool isAsked = bodies_[k].assumptions.has(Assumption::Drf) &&
                           bodies_[k].addresses != nullptr && uniformity != nullptr;
      if (!isAsked || !cfg.function().isEntry()) continue;
      for (const Participation::Member& member : context_.participation.barriers()) {
        if (member.body == k && member.standing == Standing::Candidate) {
          separators_[k].insert(member.instruction);
        }
      }
      bool mayPart = false;
      for (BlockId b = 0; b < cfg.blockCount(); ++b) {
        mayPart |= uniformity->leadsToBarrier(b) && maySplit(k, b);
        for (const Instruction& instruction : cfg.instructions(b)) {
          const isa::InstructionDesc& desc = *instruction.desc;
          mayPart |= !desc.known() || desc.control == isa::Control::Call;
        }
      }
      storesOfAll_[k].emplace(cfg, *uniformity, separators_[k], mayPart);
    }
  }

  Place placeOf(std::uint32_t body, const MemoryAccess& access) const {
    if (access.address == nullptr || !knowsObjects_) return {access.domain};
    return context_.objects[body].placeOf(*access.address, access.domain);
  }

  // By any instruction of the function.  O(instructions) the first time that a body is asked.
  bool isResultRead(std::uint32_t body, const Instruction& instruction) {
    const ir::Function& function = bodies_[body].cfg->function();
    std::optional<BitSet>& read = readRegisters_[body];
    if (!read) {
      read.emplace(function.registerCount());
      const auto add = [&](ir::RegisterId r) { read->set(static_cast<std::size_t>(r)); };
      for (const ir::RegisterRange& range : function.registers()) {
        for (std::uint32_t k = 0; range.isParameter && k < range.count; ++k) {
          read->set(range.first + k);
        }
      }
      for (const ir::Statement& statement : function.body()) {
        const auto* reader = statement.as<Instruction>();
        if (reader == nullptr) continue;
        if (reader->guard) add(reader->guard.predicate());
        ir::forEachRegister(*reader, [&](const ir::Operand& operand) {
          if (operand.reads) add(operand.reg());
        });
      }
    }
    bool isRead = false;
    ir::forEachRegister(instruction, [&](const ir::Operand& operand) {
      isRead |= operand.writes && read->test(static_cast<std::size_t>(operand.reg()));
    });
    return isRead;
  }

  // What the waits of class A complete: everything that is copied asynchronously (C5.1).
  void findCopies() {
    bool isComplete = true;
    for (std::uint32_t k = 0; k < bodies_.size(); ++k) {
      const Cfg& cfg = *bodies_[k].cfg;
      for (BlockId b = 0; b < cfg.blockCount(); ++b) {
        for (const Instruction& instruction : cfg.instructions(b)) {
          if (instruction.desc->effect == isa::Effect::AsyncCopy) {
            const MemoryEffect effect = memoryEffectOf(instruction, bodies_[k].assumptions);
            for (const MemoryAccess& access : effect.all()) {
              addCopy({access.kinds, placeOf(k, access)});
            }
          } else if (mayBeAsyncCopy(instruction)) {
            isComplete = false;
          } else if (mayCall(instruction) && calleeOf(k, instruction) == kNone) {
            isComplete &= !effectsOf(k).ofCall(cfg.function(), instruction).hasAsyncCopy;
          }
        }
      }
    }
    if (!isComplete) {
      copies_ = {{kWrite, {Domain::Shared}}, {kRead, {Domain::Global}}};
    }
  }
  void addCopy(const ObjectAccess& access) {
    if (std::find(copies_.begin(), copies_.end(), access) == copies_.end()) {
      copies_.push_back(access);
    }
  }

  // Null for what has no single place, and for copies: they happen at any time between their issue
  // and their wait, and their issue is no access of the thread (C5.1).
  const Access* affineAccess(std::uint32_t body, const Instruction& instruction,
                             const MemoryAccess& access) const {
    const Addresses* addresses = bodies_[body].addresses;
    if (addresses == nullptr || access.address == nullptr || access.ordered != Ordered::Both) {
      return nullptr;
    }
    for (const Access& known : addresses->of(instruction)) {
      if (known.operand == access.address) return &known;
    }
    return nullptr;
  }

  void addAccess(std::uint32_t body, const Instruction& instruction, AccessKinds kinds,
                 const Place& place, Ordered ordered, const Access* access = nullptr) {
    const StoreOfAll storeOfAll = access != nullptr && storesOfAll_[body]
                                      ? storesOfAll_[body]->of(instruction)
                                      : StoreOfAll::No;
    const auto key = graph_.classes_.keyOf(kinds, place, access, storeOfAll);
    if (!key) return;
    BarrierRegions::Event event;
    event.instruction = &instruction;
    event.function = &bodies_[body].cfg->function();
    event.key = key;
    event.ordered = ordered;
    event.reads = (kinds & kRead) != 0;
    event.writes = (kinds & kWrite) != 0;
    regions_.addEvent(event);
  }
  void addMarks(std::uint32_t body, const Instruction& instruction, EffectMarks marks,
                Ordered ordered) {
    if (marks == 0) return;
    BarrierRegions::Event event;
    event.instruction = &instruction;
    event.function = &bodies_[body].cfg->function();
    event.marks = marks;
    event.ordered = ordered;
    // T may read and write anything.
    event.reads = event.writes = (marks & kOpaqueSync) != 0;
    regions_.addEvent(event);
  }

  // T that is known to be that of one thread.
  bool addSync(std::uint32_t body, const Instruction& instruction, Ordered ordered) {
    const Addresses* addresses = bodies_[body].addresses;
    const Access* executor = addresses == nullptr ? nullptr : addresses->executorOf(instruction);
    const auto key = executor == nullptr ? std::nullopt : graph_.classes_.keyOfSync(*executor);
    if (!key) return false;
    BarrierRegions::Event event;
    event.instruction = &instruction;
    event.function = &bodies_[body].cfg->function();
    event.key = key;
    event.ordered = ordered;
    event.reads = event.writes = true;
    regions_.addEvent(event);
    return true;
  }

  // ---- code -------------------------------------------------------------------------------------

  // What is not understood calls the functions that it names (docs/soundness/ A7.2).
  static bool mayCall(const Instruction& instruction) {
    return instruction.desc->control == isa::Control::Call || !instruction.desc->known();
  }

  std::uint32_t calleeOf(std::uint32_t body, const Instruction& instruction) const {
    const bool isCall =
        instruction.desc->known() && instruction.desc->control == isa::Control::Call;
    if (!isCall || bodies_.size() == 1) return kNone;
    const std::vector<Vertex> targets =
        facts_.graph->targets(bodies_[body].cfg->function(), instruction);
    if (targets.size() != 1 || !facts_.withKnownCallers.test(targets[0])) return kNone;
    const auto found = bodyOf_.find(facts_.graph->function(targets[0]));
    return found == bodyOf_.end() ? kNone : found->second;
  }

  Node nextPiece(Node after) {
    const Node piece = regions_.addPiece();
    regions_.addEdge(after, piece);
    return piece;
  }

  // Returns the piece in which the code goes on.
  Node addInstruction(std::uint32_t body, Node at, Instruction& instruction) {
    const BarrierBody& of = bodies_[body];
    if (const auto found = members_.find(&instruction); found != members_.end()) {
      Barrier& barrier = graph_.barriers_[found->second];
      const BlockId block = instruction.block;
      barrier.depth = depths_[body] + of.loops->depthOf(block);
      if (barrier.standing == Standing::Candidate || barrier.standing == Standing::Guarded) {
        barrier.node = regions_.addBarrier(barrier.standing == Standing::Candidate);
        regions_.addEdge(at, barrier.node);
        return nextPiece(barrier.node);
      }
      addMarks(body, instruction, kBarrierResource | kOpaqueSync, Ordered::Both);
      return at;
    }

    const MemoryEffect effect = memoryEffectOf(instruction, of.assumptions);
    EffectMarks marks = effect.marks;
    if (effect.poll != MemoryEffect::Poll::None) {
      const bool isOutside = effect.poll == MemoryEffect::Poll::Other || graph_.sharedIsExternal();
      marks = 0;
      if (isOutside && isResultRead(body, instruction)) marks = kOpaqueSync;
    }
    if (marks != kOpaqueSync || !addSync(body, instruction, effect.markOrder)) {
      addMarks(body, instruction, marks, effect.markOrder);
    }
    if (effect.completesCopies) {
      for (const ObjectAccess& copy : copies_) {
        addAccess(body, instruction, copy.kinds, copy.place, Ordered::Both);
      }
    } else {
      for (const MemoryAccess& access : effect.all()) {
        addAccess(body, instruction, access.kinds, placeOf(body, access), access.ordered,
                  affineAccess(body, instruction, access));
      }
    }
    if (!instruction.desc->known()) endInside(body, at);
    if (!mayCall(instruction)) return at;

    if (const std::uint32_t callee = calleeOf(body, instruction); callee != kNone) {
      graph_.calls_.push_back({body, callee, instruction.block});
      depths_[callee] =
          std::max(depths_[callee], depths_[body] + of.loops->depthOf(instruction.block));
      if (effectsOf(callee).of(bodies_[callee].cfg->function()).mayEndThread) {
        endsInside_[body] = true;
      }
      regions_.addEdge(at, ends_[callee].entry);
      const Node after = nextPiece(ends_[callee].exit);
      if (instruction.guard) {
        regions_.addEdge(at, after);
        splits_.push_back(at);  // who calls may end there
      }
      return after;
    }
    const CallEffect called = effectsOf(body).ofCall(of.cfg->function(), instruction);
    EffectMarks calledMarks = called.marks;
    if (called.pollsShared && graph_.sharedIsExternal()) calledMarks |= kOpaqueSync;
    addMarks(body, instruction, calledMarks, Ordered::Both);
    for (const ObjectAccess& access : called.accesses) {
      addAccess(body, instruction, access.kinds, access.place, Ordered::Both);
    }
    if (called.mayEndThread) endInside(body, at);
    return at;
  }

  // The thread may end in this piece, where the control-flow graph knows nothing of it, and others
  // go on.
  void endInside(std::uint32_t body, Node piece) {
    endsInside_[body] = true;
    mayEndIn_.push_back(piece);
    leaving_.push_back({piece, kNone});
    splits_.push_back(piece);
  }

  void addBody(std::uint32_t k) {
    const Cfg& cfg = *bodies_[k].cfg;
    std::vector<Node> first(cfg.blockCount(), kNone);
    std::vector<Node> last(cfg.blockCount(), kNone);
    const Uniformity* uniformity = context_.participation.uniformity(k);
    const auto isTail = [&](BlockId b) {
      return uniformity == nullptr || !uniformity->leadsToBarrier(b);
    };
    isInTail_.resize(regions_.nodeCount());
    for (BlockId b = 0; b < cfg.blockCount(); ++b) {
      if (!cfg.isReachable(b)) continue;
      Node at = first[b] = regions_.addPiece();
      for (Instruction& instruction : cfg.instructions(b)) {
        at = addInstruction(k, at, instruction);
      }
      last[b] = at;
      isInTail_.resize(regions_.nodeCount(), isTail(b));
    }
    regions_.addEdge(ends_[k].entry, first[cfg.entry()]);
    const bool isEntry = cfg.function().isEntry();
    std::optional<FeasibleEdges> feasible;
    if (const Addresses* addresses = bodies_[k].addresses; addresses != nullptr) {
      feasible.emplace(addresses->ssa(), addresses->ranges());
    }
    const auto addJump = [&](BlockId b, BlockId target) {
      regions_.addEdge(last[b], first[target]);
      if (!isTail(b) && isTail(target)) leaving_.push_back({last[b], first[target]});
    };
    for (BlockId b = 0; b < cfg.blockCount(); ++b) {
      if (last[b] == kNone) continue;
      for (EdgeId e = cfg.firstOutEdge(b); e != cfg.firstOutEdge(b + 1); ++e) {
        const BlockId target = cfg.target(e);
        if (target != cfg.exit()) {
          if (feasible && !feasible->isEverTaken(e)) continue;
          const bool isEmpty =
              first[target] == last[target] && regions_.events(first[target]).empty();
          std::optional<BlockId> next;
          if (feasible && isEmpty) next = onlyNext(cfg, *feasible, e);
          addJump(b, next.value_or(target));
          continue;
        }
        const EdgeKind kind = cfg.kind(e);
        const bool returns = kind == EdgeKind::Return || kind == EdgeKind::UnknownExit;
        if (returns && !isEntry) regions_.addEdge(last[b], ends_[k].exit);
        if ((returns && isEntry) || kind == EdgeKind::Exit || kind == EdgeKind::UnknownExit) {
          mayEndIn_.push_back(last[b]);
          leaving_.push_back({last[b], kNone});
        }
      }
      if (maySplit(k, b)) splits_.push_back(last[b]);
    }
  }

  // The block to which control goes on from the target of `edge`, if from there it can go to others
  // as well, but not when it has come by this edge.
  static std::optional<BlockId> onlyNext(const Cfg& cfg, const FeasibleEdges& feasible,
                                         EdgeId edge) {
    const BlockId through = cfg.target(edge);
    std::optional<BlockId> next;
    std::size_t count = 0;
    for (EdgeId e = cfg.firstOutEdge(through); e != cfg.firstOutEdge(through + 1); ++e) {
      ++count;
      if (!feasible.mayFollow(edge, e)) continue;
      if (next || cfg.target(e) == cfg.exit()) return std::nullopt;
      next = cfg.target(e);
    }
    return count > 1 ? next : std::nullopt;
  }

  // ---- ends of threads (C1.3) -------------------------------------------------------------------

  // Threads may part at the end of this block, and some of them end before they meet again.
  bool maySplit(std::uint32_t k, BlockId b) const {
    const Cfg& cfg = *bodies_[k].cfg;
    const auto next = cfg.successors(b);
    if (next.size() < 2) return false;
    const Uniformity* uniformity = context_.participation.uniformity(k);
    const Instruction* decision = cfg.block(b).terminator;
    if (uniformity == nullptr || decision == nullptr || !decision->desc->known()) return true;
    bool varies = decision->guard && !uniformity->isUniform(decision->guard.predicate());
    ir::forEachRegister(*decision, [&](const ir::Operand& operand) {
      varies |= operand.reads && !uniformity->isUniform(operand.reg());
    });
    if (!varies) return false;
    // Where nothing but the ends of the graph ends a thread, all of them come to the
    // post-dominator; and in one epoch, if a barrier follows there.  If none does, some may be done
    // with it, and gone, before others have met the barriers before it.
    const BlockId join = bodies_[k].postDominators->parent(b);
    return join == cfg.exit() || !uniformity->leadsToBarrier(join) || endsInside_[k];
  }

  void connectThreadEnds() {
    std::sort(mayEndIn_.begin(), mayEndIn_.end());
    mayEndIn_.erase(std::unique(mayEndIn_.begin(), mayEndIn_.end()), mayEndIn_.end());
    const std::vector<Node> ends = mayEndIn_;
    for (const Node n : ends) regions_.addEdge(n, threadEnd_);
    if (splits_.empty() || ends.empty()) return;

    const Node count = regions_.nodeCount();
    const auto isSeparator = [&](Node n) { return regions_.separates(n); };
    // Where both an end and a barrier can still be met.
    const BitSet leadsToEnd = reach(ends, Direction::Backward);
    std::vector<Node> beforeBarriers;
    for (const Barrier& barrier : graph_.barriers_) {
      if (barrier.node == kNone) continue;
      for (const Node p : regions_.predecessors(barrier.node)) beforeBarriers.push_back(p);
    }
    const BitSet leadsToBarrier = reach(beforeBarriers, Direction::Backward);
    std::vector<Node> parting;
    for (const Node n : splits_) {
      if (leadsToEnd.test(n) && leadsToBarrier.test(n)) parting.push_back(n);
    }
    const BitSet parted = reach(parting, Direction::Forward);

    // Components of the code without a barrier, as disjoint sets.  Tails would join them all.
    std::vector<Node> component(count);
    std::iota(component.begin(), component.end(), 0);
    const auto find = [&](Node n) {
      while (component[n] != n) n = component[n] = component[component[n]];
      return n;
    };
    const auto isInComponent = [&](Node n) {
      return !isSeparator(n) && n != threadEnd_ && !isInTail_[n];
    };
    for (Node n = 0; n < count; ++n) {
      if (!isInComponent(n)) continue;
      for (const Node next : regions_.successors(n)) {
        if (isInComponent(next)) component[find(n)] = find(next);
      }
    }
    std::vector<Arrival> arrivals;
    std::unordered_map<Node, std::size_t> arrivalOf;  // by component
    for (const Leaving& leaving : leaving_) {
      if (isInTail_[leaving.from] || !parted.test(leaving.from)) continue;
      if (leaving.tail != kNone && !leadsToEnd.test(leaving.tail)) continue;
      const auto [at, isNew] = arrivalOf.try_emplace(find(leaving.from), arrivals.size());
      if (isNew) arrivals.emplace_back();
      arrivals[at->second].from.push_back(leaving.from);
      if (leaving.tail != kNone) arrivals[at->second].tails.push_back(leaving.tail);
    }
    for (Arrival& arrival : arrivals) addArrival(arrival);
    for (const Barrier& barrier : graph_.barriers_) {
      if (barrier.node == kNone) continue;
      const Node p =
          regions_.predecessors(barrier.node).front();  // the piece above; the others are arrivals
      const auto found = arrivalOf.find(find(p));
      if (parted.test(p) && found != arrivalOf.end()) {
        regions_.addEdge(arrivals[found->second].node, barrier.node);
      }
    }
  }

  // Code after which there is no barrier is reached from many components.  What a thread does there
  // before it ends is part of its arrival in the component that it left; what others do there after
  // they met the barriers of that component is not.
  void addArrival(Arrival& arrival) {
    arrival.node = regions_.addPiece();
    addThreadEnd(kThreadEnd | kPartingEnd);
    std::sort(arrival.tails.begin(), arrival.tails.end());
    arrival.tails.erase(std::unique(arrival.tails.begin(), arrival.tails.end()),
                        arrival.tails.end());
    for (const Node tail : arrival.tails) {
      for (const BarrierRegions::Event& event : eventsOfTail(tail)) regions_.addEvent(event);
    }
    for (const Node from : arrival.from) regions_.addEdge(from, arrival.node);
  }

  // One of each kind.
  const std::vector<BarrierRegions::Event>& eventsOfTail(Node tail) {
    const auto [found, isNew] = tails_.try_emplace(tail);
    std::vector<BarrierRegions::Event>& events = found->second;
    if (!isNew) return events;
    std::set<std::pair<AccessSet::Key, Ordered>> keys;
    std::array<EffectMarks, 2> marks{};  // by order
    reach({tail}, Direction::Forward).forEach([&](std::size_t n) {
      for (BarrierRegions::Event event : regions_.events(static_cast<Node>(n))) {
        EffectMarks& known = marks[static_cast<std::size_t>(event.ordered)];
        const bool isNews = event.key ? keys.emplace(*event.key, event.ordered).second
                                      : (event.marks & ~known) != 0;
        known |= event.marks;
        event.isRepeated = true;
        if (isNews) events.push_back(event);
      }
    });
    return events;
  }

  void addThreadEnd(EffectMarks marks) {
    BarrierRegions::Event event;
    event.marks = marks;
    regions_.addEvent(event);
  }

  // Nodes that are reached from `from` without crossing a barrier that separates.
  BitSet reach(const std::vector<Node>& from, Direction direction) const {
    BitSet seen(regions_.nodeCount());
    std::vector<Node> work;
    const auto visit = [&](Node n) {
      if (!regions_.separates(n) && seen.set(n)) work.push_back(n);
    };
    for (const Node n : from) visit(n);
    while (!work.empty()) {
      const Node n = work.back();
      work.pop_back();
      const auto next =
          direction == Direction::Forward ? regions_.successors(n) : regions_.predecessors(n);
      for (const Node m : next) visit(m);
    }
    return seen;
  }

  BarrierGraph& graph_;
  BarrierRegions& regions_;
  std::span<const BarrierBody> bodies_;
  const BarrierFacts& facts_;
  const BarrierContext& context_;
  bool knowsObjects_;
  std::unordered_map<const Instruction*, std::uint32_t> members_;
  std::unordered_map<const ir::Function*, std::uint32_t> bodyOf_;
  std::vector<ObjectAccess> copies_;
  std::vector<Ends> ends_;
  // By body, where races are assumed away.
  std::vector<StoresOfAll::InstructionSet> separators_;
  std::vector<std::optional<StoresOfAll>> storesOfAll_;
  std::vector<std::uint32_t> depths_;                 // of loops around calls, by body
  std::vector<std::optional<BitSet>> readRegisters_;  // by body; none: not asked yet
  std::vector<bool> endsInside_;  // by body: threads end other than where the graph says so
  Node threadEnd_ = kNone;
  std::vector<Node> mayEndIn_;
  std::vector<Leaving> leaving_;
  std::vector<Node> splits_;
  std::vector<bool> isInTail_;  // by node, as far as there are bodies
  std::unordered_map<Node, std::vector<BarrierRegions::Event>> tails_;
};

BarrierGraph::BarrierGraph(std::span<const BarrierBody> bodies, const BarrierContext& context,
                           Precision precision, AccessLimits limits)
    : sharedIsExternal_(anySharedIsExternal(bodies, *context.facts)),
      classes_(precision, sharedIsExternal_, aliasAssumptions(bodies), limits),
      regions_(classes_) {
  Builder(*this, bodies, context, precision);
}

}  // namespace ptxopt::analysis
