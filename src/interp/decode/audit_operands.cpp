// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What claims name, as slots of the frame: numbers, linear forms, the bases of addresses.
#include <algorithm>

#include "interp/decode/audit_emitter.h"
#include "interp/decode/bind.h"
#include "interp/decode/specials.h"

namespace ptxopt::interp {

AuditNumber AuditEmitter::numberOf(const facts::Value& value) {
  const ir::RegisterRange& range = decoder_->function_->rangeOf(value.reg);
  const bool isWhole = value.component == 0 && range.vectorWidth > 1;
  if (isWhole || range.type == isa::Type::B128)
    throw Decoder::Problem{"a register of several numbers"};
  AuditNumber number;
  number.slot = decoder_->registerSlot(value.reg, value.component);
  number.bits = static_cast<std::uint8_t>(decoder_->registerWidth(value.reg));
  return number;
}

AuditNumber AuditEmitter::rememberedOf(const facts::Value& value) {
  numberOf(value);  // there is one
  return remembered_.at(std::make_tuple(value.at, value.moment,
                                        static_cast<std::uint32_t>(value.reg), value.component));
}

AuditForm AuditEmitter::formOf(const facts::Form& form) {
  AuditForm result;
  result.bits = form.bits;
  result.constant = form.constant;
  for (const facts::Term& term : form.terms) {
    result.terms.push_back(termOf(term.leaf));
    result.terms.back().coefficient = term.coefficient;
  }
  return result;
}

AuditForm::Term AuditEmitter::termOf(const facts::Leaf& leaf) {
  using Kind = facts::Leaf::Kind;
  AuditForm::Term term;
  switch (leaf.kind) {
    case Kind::Value:
      term.number = rememberedOf(leaf.value);
      break;
    case Kind::Special: {
      const isa::SpecialRegister& row = isa::specialRegisters()[leaf.special];
      std::string name(row.name);
      if (row.isVector) name += "." + std::string(1, "xyzw"[leaf.component]);
      const auto special = findSpecial(name);
      if (!special || name.ends_with('>')) throw Decoder::Problem{"a special register"};
      term.number.slot =
          decoder_->dynamicSlot(FrameValue::Kind::Special, static_cast<std::uint64_t>(*special));
      break;
    }
    case Kind::Parameter: {
      const ir::Variable* variable = decoder_->function_->symbolAt(leaf.symbol).variable;
      term.kind = AuditForm::Term::Kind::Parameter;
      term.number.bits = leaf.bits;
      const auto& all = decoder_->program_->parameters();
      const auto found = std::find_if(all.begin(), all.end(), [&](const EntryParameter& parameter) {
        return parameter.variable == variable;
      });
      if (found == all.end()) throw Decoder::Problem{"a parameter of another function"};
      term.offset = found->offset + leaf.offset;
      break;
    }
    case Kind::Symbol:
      term.number.slot = decoder_->symbolSlot(leaf.symbol, 0);
      break;
    case Kind::Window:
      term.number.slot =
          decoder_->constant(windowOf(leaf.space, decoder_->program_->image().windows()));
      break;
    case Kind::Rounds:
      term.number.slot = roundsOf(leaf).count;
      break;
    case Kind::Product:
      term.kind = AuditForm::Term::Kind::Product;
      break;
    case Kind::ZeroExtended:
      term.kind = AuditForm::Term::Kind::ZeroExtended;
      break;
    case Kind::SignExtended:
      term.kind = AuditForm::Term::Kind::SignExtended;
      break;
  }
  for (const facts::Form& factor : leaf.factors) term.factors.push_back(formOf(factor));
  return term;
}

AuditBase AuditEmitter::baseOf(const facts::Base& base) {
  AuditBase result;
  result.base = &base;
  switch (base.kind) {
    case facts::Base::Kind::Unknown:
      break;
    case facts::Base::Kind::Variable: {
      const ir::Variable& variable = *decoder_->function_->symbolAt(base.symbol).variable;
      result.slot = decoder_->symbolSlot(base.symbol, 0);
      result.size = variable.size * std::max(variable.count, 1u);
      result.space = variable.space;
      break;
    }
    case facts::Base::Kind::DynamicShared:
      result.slot = decoder_->dynamicSlot(FrameValue::Kind::SharedAddress,
                                          kSharedBase + decoder_->program_->dynamicSharedOffset());
      result.size = ~std::uint64_t{0};
      result.space = isa::Space::Shared;
      break;
    case facts::Base::Kind::Parameter: {
      facts::Leaf leaf;
      leaf.kind = facts::Leaf::Kind::Parameter;
      leaf.symbol = base.symbol;
      leaf.offset = base.offset;
      result.offset = termOf(leaf).offset;
      break;
    }
  }
  return result;
}

}  // namespace ptxopt::interp
