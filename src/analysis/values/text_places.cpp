// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/values/text_places.h"

namespace ptxopt::analysis {

using ir::Instruction;

TextPlaces::TextPlaces(const Ssa& ssa) : ssa_(ssa), read_(ssa.valueCount()) {
  findReadValues();
}

void TextPlaces::findReadValues() {
  std::vector<ValueId> work;
  const auto add = [&](ValueId value) {
    if (value != ValueId::None && read_.set(value)) work.push_back(value);
  };
  for (std::uint32_t n = 0; n < ssa_.instructions().count(); ++n) {
    const Instruction& instruction = ssa_.instructions()[n];
    if (ssa_.cfg().isReachable(instruction.block)) ssa_.forEachUse(instruction, add);
  }
  for (const ValueId value : ssa_.values()) {
    // There is a phi only if some instruction reads its register.
    if (ssa_.isPhi(value)) add(value);
  }
  while (!work.empty()) {
    const ValueId value = work.back();
    work.pop_back();
    if (ssa_.isPhi(value)) {
      for (const ValueId operand : ssa_.phiOperands(value)) add(operand);
    } else {
      add(ssa_.old(value));
    }
  }
}

std::optional<facts::Value> TextPlaces::of(ValueId value) const {
  if (ssa_.isCarry(value)) return std::nullopt;
  if (ssa_.isDefinition(value)) {
    if (ssa_.old(value) != ValueId::None && !read_.test(value)) return std::nullopt;
    if (!isOfInput(ssa_.instruction(value))) return std::nullopt;
    return facts::Value{ssa_.instruction(value).source.begin, facts::Moment::After,
                        ssa_.reg(value)};
  }
  const Instruction* first = firstOf(ssa_.block(value));
  if (first == nullptr || !isOfInput(*first)) return std::nullopt;
  // A value at the entry has a place only if no edge leads back to the entry.
  const Cfg& cfg = ssa_.cfg();
  if (!ssa_.isPhi(value) && !cfg.inEdges(cfg.entry()).empty()) return std::nullopt;
  return before(*first, ssa_.reg(value));
}

Point TextPlaces::pointOf(ValueId value) const {
  if (ssa_.isDefinition(value)) return ssa_.instructions().of(ssa_.instruction(value));
  const Instruction* first = firstOf(ssa_.block(value));
  return first == nullptr ? 0 : ssa_.instructions().of(*first);
}

facts::Value TextPlaces::before(const Instruction& instruction, ir::RegisterId reg) {
  return {instruction.source.begin, facts::Moment::Before, reg};
}

bool TextPlaces::isKnownAt(ValueId value, Point point) const {
  const BlockId block = ssa_.block(value);
  const BlockId at = ssa_.instructions()[point].block;
  if (block != at) return ssa_.dominators().dominates(block, at);
  return !ssa_.isDefinition(value) || pointOf(value) < point;
}

const Instruction* TextPlaces::firstOf(BlockId block) const {
  for (const Instruction& instruction : ssa_.cfg().instructions(block)) return &instruction;
  return nullptr;
}

std::vector<facts::Edge> TextPlaces::edges(EdgeId edge) const {
  const Cfg& cfg = ssa_.cfg();
  const BlockId source = cfg.source(edge);
  const Instruction* last = nullptr;
  for (const Instruction& instruction : cfg.instructions(source)) last = &instruction;
  if (last == nullptr) return {};
  const Offset at = last->source.begin;
  switch (cfg.kind(edge)) {
    case EdgeKind::Fallthrough:
      return {{at, facts::Edge::kThrough}};
    case EdgeKind::Taken:
      return {{at, 0}};
    case EdgeKind::Indirect: {
      std::vector<facts::Edge> found;
      const ir::Function& function = cfg.function();
      for (const ir::Operand& operand : last->operands()) {
        if (operand.symbol() == ir::SymbolId::None) continue;
        const ir::Symbol& symbol = function.symbolAt(operand.symbol());
        if (symbol.kind != ir::SymbolKind::TargetList) continue;
        for (std::uint32_t k = 0; k < symbol.targets->targets.size(); ++k) {
          if (cfg.blockOfLabel(symbol.targets->targets[k]) == cfg.target(edge)) {
            found.push_back({at, k});
          }
        }
      }
      return found;
    }
    default:
      return {};
  }
}

}  // namespace ptxopt::analysis
