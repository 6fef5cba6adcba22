// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/specialize/specialize.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "ir/make.h"

namespace ptxopt::passes {

namespace {

using isa::Type;

constexpr std::string_view kExtents[] = {"x", "y", "z"};

// `bits` of a parameter of this type, as ld puts them into a register of `width` bits.
std::uint64_t extended(std::uint64_t bits, Type type, unsigned width) {
  const auto own = static_cast<unsigned>(isa::bitWidth(type));
  if (!isa::isSigned(type) || own >= width) return bits;
  const unsigned spare = 64 - own;
  const auto all = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << spare) >> spare);
  return all & ~std::uint64_t{0} >> (64 - width);
}

// The parameter of a plain load of all of it; none for other instructions.
ir::SymbolId loadedParameter(const ir::Instruction& instruction) {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (!desc.known() || !desc.isLoad()) return ir::SymbolId::None;
  if (desc.space != isa::Space::Param && desc.space != isa::Space::ParamEntry) {
    return ir::SymbolId::None;
  }
  const ir::Operand* const to = instruction.operand(0);
  const ir::Operand* const from = instruction.operand(1);
  const bool isPlain = instruction.operands().size() == 2 && to->isWholeRegister() &&
                       from->kind == ir::OperandKind::Address && from->immediate == 0;
  return isPlain ? from->symbol() : ir::SymbolId::None;
}

// mov of a number into the register, with its declared type.
ir::Instruction* makeMove(ir::Function& kernel, ir::RegisterId to, std::uint64_t bits) {
  const Type type = kernel.rangeOf(to).type;
  const auto width = static_cast<unsigned>(isa::bitWidth(type));
  ir::Operand number = ir::Operand::ofInteger(static_cast<std::int64_t>(bits));
  if (type == Type::F32 || type == Type::F64) {
    number.kind = width == 32 ? ir::OperandKind::Float32 : ir::OperandKind::Float64;
  }
  const std::string mnemonic = isa::isFloat(type) && width >= 32 ? fmt::format("mov.f{}", width)
                                                                 : fmt::format("mov.b{}", width);
  return ir::makeInstruction(kernel, mnemonic, {ir::Operand::ofRegister(to), number});
}

bool canHold(Type type) {
  const int width = isa::bitWidth(type);
  return width == 16 || width == 32 || width == 64;
}

}  // namespace

Specialization::Specialization(ir::Module& module, const LaunchFacts& facts,
                               const std::vector<std::string>& keptKernels,
                               analysis::AssumptionTable& assumptions, Diagnostics& diagnostics)
    : module_(&module),
      isEnforced_(facts.isEnforced),
      assumptions_(&assumptions),
      diagnostics_(&diagnostics) {
  const KernelNames names(module);
  std::set<const ir::Function*> seen;
  for (const KernelFacts& known : facts.kernels) {
    ir::Function* const kernel = names.find(known.kernel);
    if (kernel == nullptr) continue;
    kernels_.push_back(known.kernel);
    if (!seen.insert(kernel).second) {
      warn(*kernel,
           fmt::format("is also '{}': what is said of that name is not used", known.kernel));
      continue;
    }
    if (std::ranges::find(keptKernels, kernel->nameText()) != keptKernels.end()) continue;
    if (kernel->isOpaque) {
      warn(*kernel, "has code that is not understood: what is known of its launches is not used");
      continue;
    }
    apply(*kernel, known);
  }
}

void Specialization::warn(const ir::Function& kernel, const std::string& message) {
  diagnostics_->report(Severity::Warning, module_->source(), kernel.item->source.begin,
                       fmt::format("kernel '{}' {}", kernel.nameText(), message));
}

void Specialization::apply(ir::Function& kernel, const KernelFacts& facts) {
  applyBlock(kernel, facts);
  for (std::size_t k = 0; k < 3 && facts.grid; ++k) {
    useSpecial(kernel, fmt::format("%nctaid.{}", kExtents[k]), (*facts.grid)[k]);
  }
  if (facts.dynamicShared) useSpecial(kernel, "%dynamic_smem_size", *facts.dynamicShared);
  for (const KernelFacts::Parameter& parameter : facts.parameters) {
    applyParameter(kernel, parameter);
  }
  if (!facts.hasDistinctPointers) return;
  if (isEnforced_) {
    warn(kernel, "cannot test that its pointers are distinct: --noalias-params assumes it");
  } else {
    assumptions_->add(kernel.nameText(), "noalias-params");
  }
}

void Specialization::applyBlock(ir::Function& kernel, const KernelFacts& facts) {
  const auto required = kernel.requiredBlock();
  const ir::Attribute* const most = kernel.attribute(".maxntid");
  std::uint64_t mostThreads = ~std::uint64_t{0};
  if (most != nullptr) {
    mostThreads = 1;
    for (const std::int64_t extent : most->values) {
      mostThreads = std::min<std::uint64_t>(mostThreads * static_cast<std::uint32_t>(extent),
                                            std::numeric_limits<std::uint32_t>::max());
    }
  }
  if (facts.block) {
    const Extents& block = *facts.block;
    const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2];
    if ((required && *required != block) || threads > mostThreads) {
      warn(kernel, fmt::format("has {}, so its block cannot be {}: that is not used",
                               required ? ".reqntid " + textOf(*required)
                                        : fmt::format(".maxntid with {} threads", mostThreads),
                               textOf(block)));
      return;
    }
    if (!isEnforced_) {
      const auto problem = assumptions_->add(kernel.nameText(), "block-dim=" + textOf(block));
      if (problem) return warn(kernel, "cannot have the block given: " + *problem);
    } else if (!required) {
      setShape(kernel, ".reqntid", std::array<std::int64_t, 3>{block[0], block[1], block[2]});
    }
    for (std::size_t k = 0; k < 3; ++k) {
      replaceSpecial(kernel, fmt::format("%ntid.{}", kExtents[k]), block[k]);
    }
  } else if (facts.mostThreads && !required && *facts.mostThreads < mostThreads) {
    if (isEnforced_) {
      setShape(kernel, ".maxntid", std::array<std::int64_t, 1>{*facts.mostThreads});
    } else {
      warn(kernel, "can use the most threads of a block only with --enforce, as .maxntid");
    }
  }
}

// In the place of .reqntid and .maxntid, of which there can be only one.
void Specialization::setShape(ir::Function& kernel, std::string_view name,
                              std::span<const std::int64_t> values) {
  std::erase_if(kernel.attributes, [&](const ir::Attribute& attribute) {
    const std::string_view old = module_->text(attribute.name);
    if (old != ".reqntid" && old != ".maxntid") return false;
    const auto begin = static_cast<Offset>(attribute.text.data() - module_->source().text().data());
    module_->eraseText({begin, static_cast<Offset>(begin + attribute.text.size())});
    return true;
  });
  ir::Attribute attribute;
  attribute.name = module_->name(name);
  attribute.known = true;
  attribute.values = module_->arena().copy(values);
  std::string text(name);
  for (std::size_t k = 0; k < values.size(); ++k) {
    text += fmt::format("{} {}", k == 0 ? "" : ",", values[k]);
  }
  attribute.text = module_->text(module_->name(text));
  kernel.attributes.insert(kernel.attributes.begin(), attribute);
  module_->markChanged(kernel.item);
  changed_ = true;
}

bool Specialization::replaceSpecial(ir::Function& kernel, std::string_view name,
                                    std::uint32_t value) {
  bool isRead = false;
  for (ir::Statement& statement : kernel.body()) {
    auto* const instruction = statement.as<ir::Instruction>();
    if (instruction == nullptr || !instruction->is(isa::Opcode::Mov)) continue;
    const ir::Operand* const from = instruction->operand(1);
    const bool isIt = from != nullptr && from->kind == ir::OperandKind::SpecialRegister &&
                      module_->text(NameId{from->id}) == name;
    if (!isIt || isa::bitWidth(instruction->desc->type) != 32) continue;
    *instruction->operand(1) = ir::Operand::ofInteger(value);
    kernel.markChanged(instruction);
    isRead = changed_ = true;
  }
  return isRead;
}

void Specialization::useSpecial(ir::Function& kernel, std::string_view name, std::uint32_t value) {
  if (!replaceSpecial(kernel, name, value)) return;
  used_.push_back({&kernel, nullptr, std::string(name), Type::B32, value});
}

// Null, with a warning, if it is none, or not clear which one.
const ir::Variable* Specialization::parameterOf(const ir::Function& kernel,
                                                const KernelFacts::Parameter& known) {
  const ir::Variable* byName = nullptr;
  const ir::Variable* byIndex = nullptr;
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    const ir::Variable& candidate = *kernel.parameters[k];
    const bool isNamed = !known.index && module_->text(candidate.name) == known.name;
    if (isNamed) byName = &candidate;
    if (known.index ? k == *known.index : fmt::format("arg{}", k) == known.name) {
      byIndex = &candidate;
    }
  }
  if (byName != nullptr && byIndex != nullptr && byName != byIndex) {
    warn(kernel,
         fmt::format("has a parameter '{0}' that is not the one in the place of {0}: that is "
                     "not used",
                     known.name));
    return nullptr;
  }
  const ir::Variable* const parameter = byName != nullptr ? byName : byIndex;
  if (parameter == nullptr) warn(kernel, fmt::format("has no parameter '{}'", known.name));
  return parameter;
}

void Specialization::applyParameter(ir::Function& kernel, const KernelFacts::Parameter& known) {
  const ir::Variable* const parameter = parameterOf(kernel, known);
  if (parameter == nullptr) return;
  const bool isScalar = parameter->dimensions.empty() && parameter->vectorWidth == 1 &&
                        !parameter->isParametrised && isa::bitWidth(parameter->type) <= 64;
  const auto bits = isScalar ? known.value.as(parameter->type) : std::nullopt;
  if (!bits) {
    return warn(kernel,
                fmt::format("has a parameter '{}' that cannot have the value given: that is "
                            "not used",
                            known.name));
  }
  const auto isSame = [&](const Used& used) { return used.parameter == parameter; };
  const auto before = std::ranges::find_if(used_, isSame);
  if (before != used_.end() && before->bits != *bits) {
    warn(kernel, fmt::format("has two values for the parameter '{}': one is not used", known.name));
  }
  if (!replaceLoads(kernel, *parameter, *bits)) return;
  used_.push_back({&kernel, parameter, {}, parameter->type, *bits});
}

bool Specialization::replaceLoads(ir::Function& kernel, const ir::Variable& parameter,
                                  std::uint64_t bits) {
  std::vector<ir::Instruction*> loads;
  for (ir::Statement& statement : kernel.body()) {
    auto* const instruction = statement.as<ir::Instruction>();
    if (instruction == nullptr || loadedParameter(*instruction) != parameter.symbol) continue;
    const isa::InstructionDesc& desc = *instruction->desc;
    const Type to = kernel.rangeOf(instruction->operand(0)->reg()).type;
    const bool isWhole = isa::bitWidth(desc.type) == isa::bitWidth(parameter.type);
    if (isWhole && canHold(to)) loads.push_back(instruction);
  }
  for (ir::Instruction* const load : loads) {
    const ir::RegisterId to = load->operand(0)->reg();
    const auto width = static_cast<unsigned>(isa::bitWidth(kernel.rangeOf(to).type));
    ir::Instruction* const move = makeMove(kernel, to, extended(bits, load->desc->type, width));
    move->guard = load->guard;
    ir::replaceStatement(kernel, load, move);
    changed_ = true;
  }
  return !loads.empty();
}

}  // namespace ptxopt::passes
