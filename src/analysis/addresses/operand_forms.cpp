// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/operand_forms.h"

#include <optional>

namespace ptxopt::analysis {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;

namespace {

// Shared memory of a CTA is far smaller.
constexpr std::int64_t kSharedWindow = std::int64_t{1} << 24;

bool isSymbolic(isa::Space space) {
  return space == isa::Space::Shared || space == isa::Space::Global || space == isa::Space::Const ||
         space == isa::Space::Local || space == isa::Space::Param;
}

}  // namespace

FormId formOfSymbol(const ir::Function& function, const Operand& operand, unsigned bits,
                    bool runsOnce, LinearForms& forms) {
  const ir::Symbol& symbol = function.symbolAt(operand.symbol());
  if (symbol.kind != ir::SymbolKind::Variable && symbol.kind != ir::SymbolKind::Parameter) {
    return FormId::None;
  }
  const isa::Space space = symbol.variable->space;
  if (!isSymbolic(space)) return FormId::None;
  Leaf leaf;
  leaf.key = {LeafKind::Symbol, 64, static_cast<std::uint32_t>(operand.symbol()), 0};
  // Every thread has its own .local; its address need not be the same number everywhere.
  const bool isLocal = space == isa::Space::Local;
  leaf.stable = !isLocal || runsOnce;
  leaf.uniform = !isLocal && symbol.kind == ir::SymbolKind::Variable;
  leaf.interval.lowest = 0;
  if (space == isa::Space::Shared) leaf.interval.highest = kSharedWindow - 1;
  Term term{forms.intern(leaf), 1};
  return forms.make(bits, static_cast<std::uint64_t>(operand.immediate), std::span(&term, 1));
}

FormId OperandForms::of(const Instruction& instruction, const Operand& operand, unsigned bits) {
  switch (operand.kind) {
    case OperandKind::Register: {
      if (operand.component != 0 || operand.negated) return FormId::None;
      const ValueId v = ssa_.use(instruction, operand);
      const FormId form = v == ValueId::None ? FormId::None : formOfValue_[v];
      if (form == FormId::None || forms_.form(form).bits < bits) return FormId::None;
      return forms_.truncate(form, bits);
    }
    case OperandKind::Integer:
      return forms_.constant(static_cast<std::uint64_t>(operand.immediate), bits);
    case OperandKind::Symbol:
      return formOfSymbol(ssa_.cfg().function(), operand, bits, runsOnce_, forms_);
    case OperandKind::SpecialRegister:
      return ofSpecial(operand, bits);
    default:
      return FormId::None;
  }
}

FormId OperandForms::ofSpecial(const Operand& operand, unsigned bits) {
  const std::optional<SpecialName> name = specialName(ssa_.cfg().function(), operand);
  if (!name) return FormId::None;
  const isa::SpecialRegister& row = isa::specialRegisters()[name->index];
  if (row.variation == isa::Variation::Volatile) return FormId::None;
  const auto rowBits = static_cast<unsigned>(isa::bitWidth(row.type));
  if (rowBits == 0) return FormId::None;
  const ValueRange range = ranges_.ofSpecial(*name, rowBits);
  if (range.isConstant()) return forms_.constant(range.lowest, bits);
  Leaf leaf;
  leaf.key = LeafKey::of(*name, static_cast<std::uint8_t>(rowBits));
  leaf.stable = true;
  leaf.uniform = row.variation == isa::Variation::Uniform;
  leaf.interval = range.asUnsigned();
  return forms_.ofLeaf(forms_.intern(leaf), bits);
}

}  // namespace ptxopt::analysis
