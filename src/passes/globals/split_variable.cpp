// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/globals/split_variable.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace ptxopt::passes {

namespace {

std::vector<Field> fieldsOf(const ModuleObject& object) {
  std::vector<Field> ranges;
  for (const ModuleObject::Use& use : object.uses) {
    for (const analysis::VariableAccess& access : use.uses->accesses) {
      const auto begin = static_cast<std::uint64_t>(*access.offset);
      ranges.push_back({begin, begin + access.bytes});
    }
  }
  std::sort(ranges.begin(), ranges.end(), [](Field a, Field b) { return a.begin < b.begin; });
  std::vector<Field> fields;
  for (const Field& range : ranges) {
    if (!fields.empty() && range.begin < fields.back().end) {
      fields.back().end = std::max(fields.back().end, range.end);
    } else {
      fields.push_back(range);
    }
  }
  return fields;
}

// The part of the initialiser for a field; bytes after its end are zero.
const ir::Initializer* makeInitializer(const ir::Initializer& whole, const Field& field,
                                       Arena& arena) {
  const auto clamp = [&](std::uint64_t at) {
    return static_cast<std::size_t>(std::min<std::uint64_t>(at, whole.bytes.size()));
  };
  std::vector<ir::Relocation> relocations;
  for (ir::Relocation relocation : whole.relocations) {
    if (relocation.offset < field.begin || relocation.offset >= field.end) continue;
    relocation.offset -= field.begin;
    relocations.push_back(relocation);
  }
  ir::Initializer part;
  part.bytes = whole.bytes.subspan(clamp(field.begin), clamp(field.end) - clamp(field.begin));
  part.relocations = arena.copy(std::span<const ir::Relocation>(relocations));
  if (part.bytes.empty()) return nullptr;
  return arena.create<ir::Initializer>(0, part);
}

// The type of the declaration of a field: that of the elements of the variable if the field
// consists of whole elements, else .b8.  None if the field contains part of an address.
isa::Type fieldType(const ir::Variable& variable, const Field& field) {
  const auto width = static_cast<std::uint64_t>(isa::bitWidth(variable.type)) / 8;
  const bool isPlain = variable.type == isa::Type::F32 || variable.type == isa::Type::F64 ||
                       (!isa::isFloat(variable.type) && width != 0 && width <= 8);
  if (isPlain && field.begin % width == 0 && field.end % width == 0) return variable.type;
  const auto holds = [&](const ir::Relocation& relocation) {
    return relocation.offset < field.end && relocation.offset + relocation.size > field.begin;
  };
  const bool holdsAddress = variable.initializer != nullptr &&
                            std::any_of(variable.initializer->relocations.begin(),
                                        variable.initializer->relocations.end(), holds);
  return holdsAddress ? isa::Type::None : isa::Type::B8;
}

// A hint about caches, which only global memory has: .L1::evict_last, .L2::cache_hint, .L2::128B.
bool isCacheHint(std::string_view qualifier) {
  return qualifier.starts_with(".L1::") || qualifier.starts_with(".L2::");
}

// The qualifiers of the generic access allow it to name `space`.  The instruction table cannot
// answer this: a row lists qualifiers and spaces, but not which of them go together.  Strong
// accesses to local memory are generic only (`.volatile.local` came with PTX 9.1).
bool mayName(const isa::InstructionDesc& generic, isa::Space space) {
  if (space == isa::Space::Global) return true;
  if (std::ranges::any_of(generic.qualifiers, isCacheHint)) return false;
  const bool isWeak =
      generic.semantics == isa::Semantics::None || generic.semantics == isa::Semantics::Weak;
  return isWeak || space == isa::Space::Shared;
}

// The InstructionDesc of `generic`, a generic access, with `space` added; null if the version and
// the target of the module have none.
const isa::InstructionDesc* descInSpace(const isa::InstructionDesc& generic, isa::Space space,
                                        ir::Module& module) {
  if (!mayName(generic, space)) return nullptr;
  // Semantics and scope come before the space, everything else after it.
  constexpr std::string_view kInFront[] = {".weak",    ".volatile", ".relaxed", ".acquire",
                                           ".release", ".acq_rel",  ".cta",     ".cluster",
                                           ".gpu",     ".sys"};
  std::string mnemonic(isa::spelling(generic.opcode));
  bool isNamed = false;
  for (const std::string_view qualifier : generic.qualifiers) {
    if (!isNamed && std::ranges::find(kInFront, qualifier) == std::end(kInFront)) {
      mnemonic += isa::spelling(space);
      isNamed = true;
    }
    mnemonic += qualifier;
  }
  const isa::InstructionDesc& desc = module.instructionTable().get(mnemonic, generic.shape);
  const bool isAccepted = desc.known() && module.version >= desc.row->version &&
                          isa::satisfies(module.target, desc.row->target);
  return isAccepted ? &desc : nullptr;
}

// Makes a variable `name` for `field` of `variable`, in `arena`.
ir::Variable* makeField(const ir::Variable& variable, const Field& field, NameId name,
                        Arena& arena) {
  ir::Variable made = variable;
  made.name = name;
  made.symbol = ir::SymbolId::None;
  made.linkage = ir::Linkage::None;  // another module may have a field of this name
  made.type = fieldType(variable, field);
  made.vectorWidth = 1;
  const std::uint64_t alignment = alignmentOf(variable);
  const std::uint64_t lowest = field.begin & (~field.begin + 1);  // its lowest bit that is 1
  made.alignment =
      static_cast<std::uint32_t>(field.begin == 0 ? alignment : std::min(alignment, lowest));
  made.size = field.end - field.begin;
  const auto count = static_cast<std::int64_t>(
      made.size / (static_cast<std::uint64_t>(isa::bitWidth(made.type)) / 8));
  made.dimensions = {};
  if (count > 1) made.dimensions = arena.copy(std::span<const std::int64_t>(&count, 1));
  made.initializer = nullptr;
  if (variable.initializer != nullptr) {
    made.initializer = makeInitializer(*variable.initializer, field, arena);
  }
  return arena.create<ir::Variable>(0, made);
}

// After `position`; returns the new declaration.
ir::Statement* declare(const ModuleObject& object, ir::Variable* variable, ir::Statement* position,
                       ir::Module& module) {
  auto* declaration = module.arena().create<ir::VariableDeclaration>(0);
  declaration->kind = ir::StatementKind::VariableDeclaration;
  declaration->variables = module.arena().copy(std::span<ir::Variable* const>(&variable, 1));
  ir::Symbol symbol{.name = variable->name, .kind = ir::SymbolKind::Variable};
  symbol.variable = variable;
  if (object.scope != nullptr) {
    variable->symbol = object.scope->addSymbol(symbol);
    object.scope->insertAfter(position, declaration);
  } else {
    variable->symbol = module.addSymbol(symbol);
    module.insertAfter(position, declaration);
  }
  return declaration;
}

// Makes the access go to the field that contains it.
void redirect(const analysis::VariableAccess& access, const FieldPlan& plan,
              const std::vector<ir::Variable*>& made, isa::Space space, ir::Function& function) {
  const auto offset = static_cast<std::uint64_t>(*access.offset);
  const auto field = std::ranges::upper_bound(plan.fields, offset, {}, &Field::end);
  const auto k = static_cast<std::size_t>(field - plan.fields.begin());
  *access.address =
      ir::Operand::ofAddress(made[k]->symbol, static_cast<std::int64_t>(offset - field->begin));
  if (access.isGeneric) {
    ir::Instruction& instruction = *access.instruction;
    instruction.desc = descInSpace(*instruction.desc, space, function.module());
  }
  function.markChanged(access.instruction);
}

}  // namespace

namespace {

// The accesses can name the variable, and so its fields: it is of the module, or it is declared
// above all code, or they name it already.
bool isVisibleAtAccesses(const ModuleObject& object) {
  if (object.scope == nullptr) return true;
  const ir::Statement* at = object.declaration;
  while (at != nullptr && at->kind != ir::StatementKind::Instruction &&
         at->kind != ir::StatementKind::ScopeBegin) {
    at = at->previous;
  }
  return at == nullptr || object.allAccesses([&](const analysis::VariableAccess& access) {
    return std::ranges::any_of(access.instruction->operands(), [&](const ir::Operand& operand) {
      return operand.kind == ir::OperandKind::Address && operand.base == ir::AddressBase::Symbol &&
             operand.symbol() == object.variable->symbol;
    });
  });
}

}  // namespace

FieldPlan planFields(const ModuleObject& object, std::size_t maxFields) {
  const ir::Variable& variable = *object.variable;
  const bool isConstant =
      object.allAccesses([](const analysis::VariableAccess& a) { return a.offset.has_value(); });
  if (!isConstant || variable.size == 0) return {};
  const bool isInside = object.allAccesses([&](const analysis::VariableAccess& a) {
    return *a.offset >= 0 && a.bytes != 0 && a.bytes <= variable.size &&
           static_cast<std::uint64_t>(*a.offset) <= variable.size - a.bytes;
  });
  if (!isInside) return {{}, "an access leaves it"};

  if (!isVisibleAtAccesses(object)) return {{}, "an access is outside of its scope"};

  FieldPlan plan;
  plan.fields = fieldsOf(object);
  const bool isWhole =
      plan.fields.size() == 1 && plan.fields[0].begin == 0 && plan.fields[0].end == variable.size;
  if (plan.fields.empty() || isWhole) return {};
  if (plan.fields.size() > maxFields) return {{}, "it has more fields than max-fields"};
  // Fields are placed by their own alignment, so the declaration must imply the alignment that
  // accesses need.
  const std::uint32_t alignment = alignmentOf(variable);
  const bool isAligned = object.allAccesses([&](const analysis::VariableAccess& a) {
    return alignment % a.bytes == 0 && *a.offset % a.bytes == 0;
  });
  if (!isAligned) return {{}, "an access needs more alignment than the declaration gives"};
  if (variable.initializer != nullptr && !variable.initializer->opaque.empty()) {
    return {{}, "its initialiser is not understood"};
  }
  for (const ModuleObject::Use& use : object.uses) {
    ir::Module& module = use.function->module();
    for (const analysis::VariableAccess& access : use.uses->accesses) {
      if (!access.isGeneric) continue;
      if (descInSpace(*access.instruction->desc, variable.space, module) == nullptr) {
        return {{}, "a generic access to it cannot name its space"};
      }
    }
  }
  for (const Field& field : plan.fields) {
    if (fieldType(variable, field) == isa::Type::None) {
      return {{}, "an access takes a part of an address in its initialiser"};
    }
  }
  return plan;
}

std::vector<ir::Variable*> splitVariable(ModuleObject& object, const FieldPlan& plan,
                                         ir::Module& module, MadeNames& names) {
  const ir::Variable& whole = *object.variable;
  std::vector<ir::Variable*> made;
  ir::Statement* position = object.declaration;
  for (const Field& field : plan.fields) {
    const std::string name = fmt::format("{}$f{}", module.text(whole.name), made.size());
    made.push_back(makeField(whole, field, names.make(name, object.scope), module.arena()));
    position = declare(object, made.back(), position, module);
  }
  for (const ModuleObject::Use& use : object.uses) {
    for (const analysis::VariableAccess& access : use.uses->accesses) {
      redirect(access, plan, made, whole.space, *use.function);
    }
  }
  return made;
}

}  // namespace ptxopt::passes
