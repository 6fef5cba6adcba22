// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/barriers/divergence_cause.h"

#include <queue>
#include <span>
#include <unordered_map>
#include <vector>

#include "analysis/flow/control_dependence.h"
#include "analysis/flow/dominators.h"
#include "ir/effect.h"
#include "ir/function.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using ir::RegisterId;

// The graph that uniformity.h uses for control dependence, as far as it can be reconstructed.
FlowGraph prunedGraph(const Cfg& cfg, const Uniformity& uniformity) {
  BitSet removed(cfg.edgeCount());
  for (EdgeId e = 0; e < cfg.edgeCount(); ++e) {
    const BlockId target = cfg.target(e);
    const bool isReturn = target == cfg.exit() && !cfg.function().isEntry();
    if (!isReturn && (target == cfg.exit() || !uniformity.leadsToBarrier(target))) removed.set(e);
  }
  return cfg.without(removed);
}

using Definitions = std::unordered_map<RegisterId, std::vector<const Instruction*>>;

Definitions definitionsOf(const Cfg& cfg) {
  Definitions definitions;
  for (const BlockId b : cfg.blocks()) {
    if (!cfg.isReachable(b)) continue;
    for (const Instruction& instruction : cfg.instructions(b)) {
      ir::forEachRegister(instruction, [&](const ir::Operand& operand) {
        if (operand.writes) definitions[operand.reg()].push_back(&instruction);
      });
    }
  }
  return definitions;
}

}  // namespace

struct DivergenceCauses::Facts {
  Facts(const Cfg& of, const Uniformity& known)
      : cfg(of),
        uniformity(known),
        pruned(prunedGraph(of, known)),
        postDominators(pruned),
        dependence(pruned, postDominators),
        definitions(definitionsOf(of)) {}

  const Cfg& cfg;
  const Uniformity& uniformity;
  const FlowGraph pruned;
  const PostDominators postDominators;
  const ControlDependence dependence;
  const Definitions definitions;
};

namespace {

template <class Facts>
class CauseSearch {
 public:
  using Kind = DivergenceCause::Kind;

  explicit CauseSearch(const Facts& facts)
      : facts_(facts),
        cfg_(facts.cfg),
        uniformity_(facts.uniformity),
        seenBlocks_(cfg_.vertexCount()),
        seenRegisters_(cfg_.function().registerCount()) {}

  std::optional<DivergenceCause> run(const Instruction& instruction) {
    const bool isGuarded =
        instruction.guard && !uniformity_.isUniform(instruction.guard.predicate());
    if (isGuarded) {
      found_.branch = &instruction;
      addRegister(instruction.guard.predicate());
    } else if (uniformity_.isUniform(instruction.block) || !findBranch(instruction.block)) {
      return std::nullopt;
    }
    findSource();
    return found_;
  }

 private:
  // Breadth first, in order to find the nearest branch.
  bool findBranch(BlockId block) {
    std::queue<BlockId> queue;
    const auto reach = [&](BlockId b) {
      if (seenBlocks_.set(b)) queue.push(b);
    };
    reach(block);
    for (; !queue.empty(); queue.pop()) {
      for (const EdgeId e : facts_.dependence.controllers(queue.front())) {
        const BlockId decides = facts_.pruned.source(e);
        const Instruction* branch = cfg_.block(decides).terminator;
        if (branch != nullptr && isVarying(*branch)) {
          if (found_.branch == nullptr) found_.branch = branch;
          addReads(*branch);
          if (!branch->desc->known()) source(*branch, Kind::Unknown);
          return true;
        }
        reach(decides);
      }
    }
    return false;
  }

  bool isVarying(const Instruction& branch) const {
    bool varies = !branch.desc->known();
    forEachRead(branch, [&](RegisterId reg) { varies |= !uniformity_.isUniform(reg); });
    return varies;
  }

  template <class Visitor>
  static void forEachRead(const Instruction& instruction, Visitor&& visit) {
    if (instruction.guard) visit(instruction.guard.predicate());
    ir::forEachRegister(instruction, [&](const ir::Operand& operand) {
      if (operand.reads) visit(operand.reg());
    });
  }

  void addReads(const Instruction& instruction) {
    forEachRead(instruction, [&](RegisterId reg) { addRegister(reg); });
  }
  void addRegister(RegisterId reg) {
    if (uniformity_.isUniform(reg) || !seenRegisters_.set(static_cast<std::uint32_t>(reg))) return;
    registers_.push_back(reg);
  }

  void source(const Instruction& instruction, Kind kind) {
    if (found_.source != nullptr) return;
    found_.source = &instruction;
    found_.kind = kind;
  }

  void findSource() {
    for (std::size_t at = 0; at < registers_.size() && found_.source == nullptr; ++at) {
      const std::span<const Instruction* const> all = definitions(registers_[at]);
      for (const Instruction* definition : all) {
        if (found_.source == nullptr) visit(*definition);
      }
      if (all.empty() && found_.source == nullptr) return undefined(registers_[at]);
    }
    // All values are uniform: so the difference is whether a definition is executed.
    if (found_.source == nullptr && !registers_.empty()) undefined(registers_.back());
  }

  void undefined(RegisterId reg) {
    found_.kind = Kind::Undefined;
    found_.reg = reg;
  }

  void visit(const Instruction& definition) {
    const isa::InstructionDesc& desc = *definition.desc;
    for (const ir::Operand& operand : definition.operands()) {
      if (!isVaryingSpecial(operand)) continue;
      if (found_.source == nullptr) found_.special = &operand;
      return source(definition, Kind::Special);
    }
    const isa::Effect effect = ir::effectOf(definition);
    if (!desc.known()) return source(definition, Kind::Unknown);
    if (desc.control == isa::Control::Call) return source(definition, Kind::Call);
    const bool isImmutable =
        effect == isa::Effect::ImmutableRead ||
        (desc.isLoad() && desc.space == isa::Space::Param && cfg_.function().isEntry());
    const bool isParameter = desc.space == isa::Space::Param ||
                             desc.space == isa::Space::ParamFunc ||
                             desc.space == isa::Space::ParamEntry;
    if (!isImmutable && desc.isLoad() && isParameter) {
      return source(definition, Kind::Parameter);
    }
    if (!isImmutable && (desc.is(isa::kMemoryRead) || desc.is(isa::kMemoryWrite))) {
      return source(definition, desc.is(isa::kMemoryWrite) ? Kind::Atomic : Kind::Load);
    }
    if (desc.is(isa::kConvergent)) return source(definition, Kind::Exchange);
    if (!isImmutable && (!desc.is(isa::kPure) || desc.readsCarry)) {
      return source(definition, Kind::Unknown);
    }
    for (const ir::Operand& operand : definition.operands()) {
      if (operand.symbol() == ir::SymbolId::None) continue;
      const ir::Symbol& symbol = cfg_.function().symbolAt(operand.symbol());
      const bool isLocal =
          symbol.kind == ir::SymbolKind::Variable && symbol.variable->space == isa::Space::Local;
      if (isLocal) return source(definition, Kind::Local);
    }
    addReads(definition);
    // The threads may differ in which of its definitions they execute.
    if (!uniformity_.isUniform(definition.block)) findBranch(definition.block);
  }

  static bool isVaryingSpecial(const ir::Operand& operand) {
    return operand.kind == ir::OperandKind::SpecialRegister &&
           (operand.immediate == ir::kUnknownSpecialRegister ||
            isa::specialRegisters()[static_cast<std::size_t>(operand.immediate)].variation !=
                isa::Variation::Uniform);
  }

  std::span<const Instruction* const> definitions(RegisterId reg) const {
    const auto found = facts_.definitions.find(reg);
    if (found == facts_.definitions.end()) return {};
    return found->second;
  }

  const Facts& facts_;
  const Cfg& cfg_;
  const Uniformity& uniformity_;
  BitSet seenBlocks_;
  BitSet seenRegisters_;
  std::vector<RegisterId> registers_;
  DivergenceCause found_;
};

}  // namespace

DivergenceCauses::DivergenceCauses(const Cfg& cfg, const Uniformity& uniformity)
    : facts_(std::make_unique<const Facts>(cfg, uniformity)) {}

DivergenceCauses::~DivergenceCauses() = default;

std::optional<DivergenceCause> DivergenceCauses::of(const ir::Instruction& instruction) const {
  return CauseSearch(*facts_).run(instruction);
}

}  // namespace ptxopt::analysis
