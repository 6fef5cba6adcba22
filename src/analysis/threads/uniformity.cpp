// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/threads/uniformity.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/flow/dominators.h"
#include "analysis/flow/uniform_shuffles.h"
#include "analysis/launch/launch_shape.h"
#include "analysis/launch/special_name.h"
#include "ir/effect.h"
#include "ir/function.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using ir::Operand;
using ir::RegisterId;

// ---- single instructions -----------------------------------------------------------------------

// Which instructions give all threads the same result if their sources are uniform.
class PureInstructions {
 public:
  PureInstructions(const Cfg& cfg, const Assumptions& assumptions,
                   const Uniformity::InstructionSet& broadcasts)
      : function_(cfg.function()),
        assumptions_(assumptions),
        broadcasts_(broadcasts),
        shuffles_(uniformShuffles(cfg)),
        shape_(LaunchShape::of(function_, assumptions)) {}

  // The results are the same in all threads if the source registers are.
  bool preserveUniformity(const Instruction& instruction) const {
    const isa::InstructionDesc& desc = *instruction.desc;
    const bool isPure = desc.known() && desc.is(isa::kPure) && !desc.is(isa::kConvergent) &&
                        !desc.readsCarry && ir::effectOf(instruction) == isa::Effect::Neutral;
    if (!isPure && !isUniformLoad(instruction) && !isUniformShuffle(instruction)) return false;
    const std::span<const Operand> operands = instruction.operands();
    return std::all_of(operands.begin(), operands.end(),
                       [&](const Operand& o) { return isUniformSource(o); });
  }

 private:
  bool isUniformSource(const Operand& operand) const {
    if (operand.kind == ir::OperandKind::SpecialRegister) {
      if (operand.immediate == ir::kUnknownSpecialRegister) return false;
      return isa::specialRegisters()[static_cast<std::size_t>(operand.immediate)].variation ==
                 isa::Variation::Uniform ||
             isZero(operand);
    }
    if (operand.symbol() == ir::SymbolId::None) return true;
    // Every thread has its own .local memory; its address may differ between threads.
    const ir::Symbol& symbol = function_.symbolAt(operand.symbol());
    return symbol.kind != ir::SymbolKind::Unresolved &&
           !(symbol.kind == ir::SymbolKind::Variable &&
             symbol.variable->space == isa::Space::Local);
  }

  // A component of %tid in a block that has but one thread in this dimension (C1.2.2).
  bool isZero(const Operand& operand) const {
    const auto name = specialName(function_, operand);
    return name && name->which == SpecialName::Which::Tid && name->component < shape_.most.size() &&
           shape_.most[name->component] == 1;
  }

  // A load that gives every thread the same value if the address is the same (C1.2.2, C1.2.11).
  bool isUniformLoad(const Instruction& instruction) const {
    const isa::InstructionDesc& desc = *instruction.desc;
    if (!desc.isLoad()) return false;
    if (!broadcasts_.empty() && broadcasts_.contains(&instruction)) return true;
    if (desc.effect == isa::Effect::ImmutableRead) return true;
    if (desc.effect == isa::Effect::InvariantRead) {
      return assumptions_.has(Assumption::NcInvariant);
    }
    // A .param that is not known to be one of the entry may belong to a call.
    const Operand* address = instruction.operand(1);
    return desc.space == isa::Space::Param && address != nullptr &&
           address->kind == ir::OperandKind::Address && address->base == ir::AddressBase::Symbol &&
           function_.isEntry() &&
           function_.symbolAt(address->symbol()).kind == ir::SymbolKind::Parameter;
  }

  // docs/soundness/ C1.2.13
  bool isUniformShuffle(const Instruction& instruction) const {
    return std::ranges::find(shuffles_, &instruction) != shuffles_.end();
  }

  const ir::Function& function_;
  const Assumptions& assumptions_;
  const Uniformity::InstructionSet& broadcasts_;
  const std::vector<const Instruction*> shuffles_;
  const LaunchShape shape_;
};

// ---- uses of registers -------------------------------------------------------------------------

// Lists of instructions by the register that they read, in one array.
class Uses {
 public:
  explicit Uses(std::uint32_t registers) : first_(registers, kNone) {}

  void add(RegisterId id, const Instruction& user) {
    std::uint32_t& first = first_[static_cast<std::uint32_t>(id)];
    uses_.push_back({&user, first});
    first = static_cast<std::uint32_t>(uses_.size() - 1);
  }
  template <class Visitor>
  void forEach(std::uint32_t r, Visitor&& visit) const {
    for (std::uint32_t k = first_[r]; k != kNone; k = uses_[k].next) visit(*uses_[k].user);
  }

 private:
  struct Use {
    const Instruction* user = nullptr;
    std::uint32_t next = kNone;
  };

  std::vector<std::uint32_t> first_;  // by register
  std::vector<Use> uses_;
};

// ---- the fixpoint ------------------------------------------------------------------------------

BitSet edgesToBarrierFreeBlocks(const Cfg& cfg, const BitSet& meetsBarrier,
                                BitSet& leadsToBarrier) {
  const auto goesOnInCaller = [&](EdgeId e) {
    return meetsBarrier.test(cfg.exit()) && cfg.target(e) == cfg.exit() &&
           (cfg.kind(e) == EdgeKind::Return || cfg.kind(e) == EdgeKind::UnknownExit);
  };
  std::vector<BlockId> work;
  for (const BlockId b : cfg.blocks()) {
    if (meetsBarrier.test(b) && leadsToBarrier.set(b)) work.push_back(b);
  }
  for (const EdgeId e : cfg.inEdges(cfg.exit())) {
    if (goesOnInCaller(e) && leadsToBarrier.set(cfg.source(e))) work.push_back(cfg.source(e));
  }
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    for (const BlockId p : cfg.predecessors(b)) {
      if (leadsToBarrier.set(p)) work.push_back(p);
    }
  }
  BitSet removed(cfg.edgeCount());
  for (EdgeId e = 0; e < cfg.edgeCount(); ++e) {
    if (!leadsToBarrier.test(cfg.target(e)) && !goesOnInCaller(e)) removed.set(e);
  }
  return removed;
}

class Solver {
 public:
  // `removed`: the edges to blocks from which no barrier can be reached.
  Solver(const Cfg& cfg, const Liveness& liveness, const BitSet& removed,
         const BitSet& leadsToBarrier, const Uniformity::InstructionSet& agree,
         const Assumptions& assumptions, const Uniformity::InstructionSet& broadcasts,
         BitSet& varying)
      : cfg_(cfg),
        liveness_(liveness),
        removed_(removed),
        agree_(agree),
        pure_(cfg, assumptions, broadcasts),
        varying_(varying),
        varyingBlocks_(cfg.vertexCount()),
        live_(cfg.vertexCount()),
        uses_(cfg.function().registerCount()) {
    for (const BlockId b : cfg.blocks()) {
      if (leadsToBarrier.test(b) && cfg.isReachable(b)) live_.set(b);
    }
  }

  // Returns the blocks that are live and not varying.
  BitSet run() {
    seed();
    while (!registerWork_.empty() || !blockWork_.empty()) {
      if (!blockWork_.empty()) {
        const BlockId b = blockWork_.back();
        blockWork_.pop_back();
        for (const Instruction& i : cfg_.instructions(b)) markResults(i);
        // Necessary even if the block has only one successor: in an endless loop, the virtual exit
        // edge prevents that successor from post-dominating the block.
        markDependents(b);
        continue;
      }
      const std::uint32_t r = registerWork_.back();
      registerWork_.pop_back();
      uses_.forEach(r, [this](const Instruction& user) {
        markResults(user);
        if (&user == cfg_.block(user.block).terminator) markDecision(user.block);
      });
    }
    BitSet uniform = live_;
    uniform.subtract(varyingBlocks_);
    return uniform;
  }

 private:
  template <class Visitor>
  void forEachInstruction(Visitor&& visit) {
    live_.forEach([&](std::size_t b) {
      for (Instruction& i : cfg_.instructions(static_cast<BlockId>(b))) visit(i);
    });
  }

  // Marks what varies because of instructions above it.  Uses are listed only for instructions
  // whose results may still change.
  void seed() {
    registerWork_.reserve(varying_.size());
    // A register may hold anything if it is read before an unconditional definition
    // (docs/soundness/ F2).
    for (const RegisterId r : liveness_.liveIn(cfg_.entry())) mark(static_cast<std::uint32_t>(r));
    BitSet defined(varying_.size());
    forEachInstruction([&](const Instruction& i) {
      const bool agrees = !agree_.empty() && agree_.contains(&i);
      const bool isTerminator = &i == cfg_.block(i.block).terminator;
      bool hasResult = false;
      for (const Operand& operand : i.operands()) {
        if (!operand.writes) continue;
        hasResult = true;
        defined.set(operand.id);
      }
      const bool mayVary =
          hasResult && !readsVarying(i, agrees) && (agrees || pure_.preserveUniformity(i));
      if (!mayVary) markResults(i);
      if (mayVary || isTerminator) addUses(i, agrees);
      // The target of a terminator that is not understood varies (docs/soundness/ A7.2).
      if (!i.desc->known() && isTerminator) markDecision(i.block);
    });
    // So may one that nothing defines.
    for (std::uint32_t r = 0; r < defined.size(); ++r) {
      if (!defined.test(r)) mark(r);
    }
  }

  // The guard counts even if all threads that execute the instruction agree: docs/soundness/
  // C1.2.4.
  template <class Visitor>
  static void forEachSource(const Instruction& i, bool agrees, Visitor&& visit) {
    if (i.guard) visit(i.guard.predicate());
    if (agrees) return;
    ir::forEachRegister(i, [&](const Operand& operand) {
      if (operand.reads) visit(operand.reg());
    });
  }
  bool readsVarying(const Instruction& i, bool agrees) const {
    bool found = false;
    forEachSource(i, agrees,
                  [&](RegisterId r) { found |= varying_.test(static_cast<std::uint32_t>(r)); });
    return found;
  }
  void addUses(const Instruction& i, bool agrees) {
    forEachSource(i, agrees, [&](RegisterId r) { uses_.add(r, i); });
  }

  void mark(std::uint32_t r) {
    if (varying_.set(r)) registerWork_.push_back(r);
  }

  void markResults(const Instruction& instruction) {
    for (const Operand& operand : instruction.operands()) {
      if (operand.writes) mark(operand.id);
    }
  }

  // Records that the branch at the end of b varies.
  void markDecision(BlockId b) {
    if (decides(b)) markDependents(b);
  }

  // Marks every block that is control dependent on b: the blocks on the paths from a successor of b
  // up to its immediate post-dominator.
  void markDependents(BlockId b) {
    if (!pruned_) prune();
    const FlowGraph& graph = pruned_->graph;
    const PostDominators& postDominators = pruned_->postDominators;
    const BlockId join = postDominators.parent(b);
    for (EdgeId e = graph.firstOutEdge(b); e != graph.endOutEdge(b); ++e) {
      if (graph.kind(e) == EdgeKind::Endless) continue;
      BlockId at = nextUnmarked(graph.target(e));
      while (postDominators.depth(at) > postDominators.depth(join)) {
        varyingBlocks_.set(at);
        blockWork_.push_back(at);
        unmarked_[at] = postDominators.parent(at);
        at = nextUnmarked(at);
      }
    }
  }

  // Only once a decision varies: in most kernels none does on the way to a barrier.
  void prune() {
    pruned_.emplace(cfg_.without(removed_));
    unmarked_.resize(cfg_.vertexCount());
    for (const BlockId b : unmarked_.ids()) unmarked_[b] = b;
  }

  // The block has more than one successor, not counting virtual edges.
  bool decides(BlockId b) const {
    BlockId first = BlockId::None;
    for (EdgeId e = cfg_.firstOutEdge(b); e != cfg_.endOutEdge(b); ++e) {
      if (removed_.test(e) || cfg_.kind(e) == EdgeKind::Endless) continue;
      if (first == BlockId::None) first = cfg_.target(e);
      if (cfg_.target(e) != first) return true;
    }
    return false;
  }

  // The nearest post-dominator of b, b included, that is not marked: union-find with path halving.
  BlockId nextUnmarked(BlockId b) {
    while (unmarked_[b] != b) {
      unmarked_[b] = unmarked_[unmarked_[b]];
      b = unmarked_[b];
    }
    return b;
  }

  // The graph without the removed edges.
  struct Pruned {
    explicit Pruned(FlowGraph of) : graph(std::move(of)), postDominators(graph) {}
    FlowGraph graph;
    PostDominators postDominators;
  };

  const Cfg& cfg_;
  const Liveness& liveness_;
  const BitSet& removed_;
  const Uniformity::InstructionSet& agree_;
  const PureInstructions pure_;
  BitSet& varying_;
  BitSet varyingBlocks_;
  BitSet live_;                   // reachable, and leads to a barrier
  std::optional<Pruned> pruned_;  // none: not needed yet; then unmarked_ is not needed either
  IdVector<BlockId, BlockId> unmarked_;
  Uses uses_;
  std::vector<std::uint32_t> registerWork_;
  std::vector<BlockId> blockWork_;
};

}  // namespace

Uniformity::Uniformity(const Cfg& cfg, const Liveness& liveness, const BitSet& meetsBarrier,
                       const InstructionSet& agree, const Assumptions& assumptions,
                       const InstructionSet& broadcasts)
    : varying_(cfg.function().registerCount()),
      uniformBlocks_(cfg.vertexCount()),
      leadsToBarrier_(cfg.vertexCount()) {
  const BitSet removed = edgesToBarrierFreeBlocks(cfg, meetsBarrier, leadsToBarrier_);
  uniformBlocks_ =
      Solver(cfg, liveness, removed, leadsToBarrier_, agree, assumptions, broadcasts, varying_)
          .run();
}

}  // namespace ptxopt::analysis
