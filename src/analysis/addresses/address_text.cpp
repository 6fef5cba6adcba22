// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forms and leaves as text, for remarks and tests.
#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/addresses/address.h"
#include "ir/module.h"

namespace ptxopt::analysis {

namespace {

constexpr unsigned kMostNesting = 2;  // of operations in a text

}  // namespace

std::string Addresses::text(FormId id) const {
  return text(id, 0);
}

std::string Addresses::leafText(LeafId id) const {
  return leafText(id, 0);
}

std::string Addresses::leafText(LeafId id, unsigned nesting) const {
  const Leaf& leaf = forms_.leaf(id);
  const ir::Function& function = ssa_->cfg().function();
  const auto symbolName = [&] {
    const ir::Symbol& symbol = function.symbolAt(ir::SymbolId{leaf.key.id});
    return std::string(function.module().text(symbol.name));
  };
  switch (leaf.key.kind) {
    case LeafKind::Symbol:
      return symbolName();
    case LeafKind::Parameter:
      return "[" + symbolName() +
             (leaf.key.offset == 0 ? "" : "+" + std::to_string(leaf.key.offset)) + "]";
    case LeafKind::GenericBase:
      return "generic" +
             std::string(isa::spelling(isa::Space{static_cast<std::uint8_t>(leaf.key.id)}));
    case LeafKind::Special: {
      const SpecialName special = *specialOf(leaf.key);
      const isa::SpecialRegister& row = isa::specialRegisters()[special.index];
      const std::string name(row.name.substr(1));
      return row.isVector ? name + '.' + "xyzw"[special.component] : name;
    }
    case LeafKind::Iteration:
      return "round" + std::to_string(leaf.key.id);
    case LeafKind::Product: {
      std::string product;
      for (const LeafId factor : forms_.factors(leaf)) {
        product += (product.empty() ? "" : "*") + leafText(factor, nesting);
      }
      return product;
    }
    case LeafKind::ZeroExtended:
      return "zext(" + text(leaf.key.extended(), nesting + 1) + ")";
    case LeafKind::SignExtended:
      return "sext(" + text(leaf.key.extended(), nesting + 1) + ")";
    case LeafKind::Operation: {
      if (nesting >= kMostNesting) return "f" + std::to_string(leaf.key.id);
      const LinearForms::Operation operation = forms_.operation(leaf);
      std::string sources;
      for (const FormId source : operation.sources) {
        sources += (sources.empty() ? "" : ",") + text(source, nesting + 1);
      }
      const std::string_view mnemonic = operation.desc->mnemonic;
      return std::string(mnemonic.substr(0, mnemonic.rfind('.'))) + '(' + sources + ')';
    }
    case LeafKind::Value: {
      const ir::RegisterId reg = ssa_->reg(ValueId{leaf.key.id});
      return reg == ir::RegisterId::None ? "carry" : function.registerName(reg);
    }
  }
  return {};
}

std::string Addresses::text(FormId id, unsigned nesting) const {
  if (id == FormId::None) return "?";
  const LinearForm form = forms_.form(id);
  std::string text;
  for (const Term& term : form.terms) {
    const std::int64_t coefficient = signedResidue(term.coefficient, form.bits);
    if (coefficient < 0) {
      text += '-';
    } else if (!text.empty()) {
      text += '+';
    }
    const std::uint64_t size = coefficient < 0
                                   ? std::uint64_t{0} - static_cast<std::uint64_t>(coefficient)
                                   : static_cast<std::uint64_t>(coefficient);
    if (size != 1) text += std::to_string(size) + '*';
    text += leafText(term.leaf, nesting);
  }
  const std::int64_t constant = signedResidue(form.constant, form.bits);
  if (constant != 0 || text.empty()) {
    if (constant >= 0 && !text.empty()) text += '+';
    text += std::to_string(constant);
  }
  return text;
}

}  // namespace ptxopt::analysis
