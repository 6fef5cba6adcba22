// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/redundancy/plain_access.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

#include "ir/effect.h"
#include "isa/banks.h"

namespace ptxopt::passes {

namespace {

// The `ld.param` of a call sequence reads the results of the callee instead.
bool isKernelParameter(const ir::Function& function, const ir::Operand& address) {
  if (!function.isEntry() || address.base != ir::AddressBase::Symbol) return false;
  const ir::Symbol& symbol = function.symbolAt(address.symbol());
  if (symbol.kind != ir::SymbolKind::Parameter) return false;
  return std::ranges::any_of(function.parameters, [&](const ir::Variable* parameter) {
    return parameter->symbol == address.symbol();
  });
}

// The bits of a pragma that is a mask of used bytes and nothing else.
std::optional<std::uint64_t> usedBytesOf(const ir::Pragma& pragma) {
  constexpr std::string_view kBefore = "\"used_bytes_mask 0x";
  std::string_view text = pragma.text;
  if (!text.starts_with(kBefore) || !text.ends_with('"')) return std::nullopt;
  text = text.substr(kBefore.size(), text.size() - kBefore.size() - 1);
  std::uint64_t bits = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), bits, 16);
  if (error != std::errc() || end != text.end()) return std::nullopt;
  return bits;
}

// The pragma right above the load, if no other directive applies to the load as well.
ir::Pragma* onlyPragmaAbove(const ir::Instruction& load) {
  ir::Pragma* found = nullptr;
  bool isRightAbove = true;
  for (ir::Statement* at = load.previous; at != nullptr; at = at->previous) {
    if (at->kind == ir::StatementKind::Location) continue;
    auto* pragma = at->as<ir::Pragma>();
    if (found == nullptr) {
      if (pragma == nullptr) return nullptr;
      found = pragma;
      continue;
    }
    const auto* other = at->as<ir::Instruction>();
    if (other != nullptr && other->desc->is(isa::kMemoryRead)) break;
    const bool isMask =
        pragma != nullptr && pragma->text.find("used_bytes_mask") != std::string_view::npos;
    const bool isDirective = pragma != nullptr || at->kind == ir::StatementKind::Directive;
    if (isMask || (isRightAbove && isDirective)) return nullptr;
    isRightAbove = false;
  }
  return found;
}

// A directive above the load or store may be its mask of used bytes, and nothing else.
bool findMask(const ir::Instruction& instruction, PlainAccess& access) {
  if (!ir::isBelowDirective(instruction)) return true;
  if (access.kind != PlainAccess::Kind::Load) return false;
  access.mask = onlyPragmaAbove(instruction);
  if (access.mask == nullptr) return false;
  const auto used = usedBytesOf(*access.mask);
  if (used) access.usedBytes = *used;
  return used.has_value();
}

bool isPlainLoad(const isa::InstructionDesc& desc) {
  return desc.isLoad() && !desc.is(isa::kUniformAddress);
}

// What the operands of `ld` or `st` access.
PlainAccess accessOf(const ir::Function& function, const ir::Instruction& instruction) {
  const isa::InstructionDesc& desc = *instruction.desc;
  const bool isLoad = desc.isLoad();
  if (desc.has(".unified") || desc.has(".cv")) return {};
  const ir::Operand* address = instruction.operand(isLoad ? 1 : 0);
  const ir::Operand* data = instruction.operand(isLoad ? 0 : 1);
  if (address == nullptr || data == nullptr || address->kind != ir::OperandKind::Address) return {};
  if (address->base == ir::AddressBase::None) return {};

  PlainAccess access;
  access.kind = isLoad ? PlainAccess::Kind::Load : PlainAccess::Kind::Store;
  if (!findMask(instruction, access)) return {};
  switch (desc.space) {
    case isa::Space::Const:
      if (isa::namesBank(desc)) return {};
      access.space = desc.space;
      break;
    case isa::Space::Global:
    case isa::Space::Local:
    case isa::Space::Shared:
    case isa::Space::None:
      access.space = desc.space;
      break;
    case isa::Space::Param:
    case isa::Space::ParamEntry:
      if (!isLoad || !isKernelParameter(function, *address)) return {};
      access.space = isa::Space::ParamEntry;
      break;
    default:
      return {};
  }
  access.isNonCoherent = desc.effect == isa::Effect::InvariantRead;
  access.isImmutable = access.space == isa::Space::Const || access.space == isa::Space::ParamEntry;
  const int bits = isa::bitWidth(desc.type);
  if (bits == 0 || (access.isImmutable && !isLoad)) return {};
  access.type = desc.type;
  access.elementBytes = static_cast<std::uint32_t>(bits) / 8;
  access.elements = data->isGroup() ? data->id : 1;
  access.address = address;
  access.data = data->isGroup() ? data + 1 : data;
  if (access.elements != desc.vectorWidth) return {};
  return access;
}

}  // namespace

PlainAccess plainAccess(const ir::Function& function, const ir::Instruction& instruction) {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (!isPlainLoad(desc) && !desc.isStore()) return {};
  if (desc.semantics != isa::Semantics::None && desc.semantics != isa::Semantics::Weak) return {};
  const isa::Effect effect = desc.effect;
  const bool isNonCoherent = effect == isa::Effect::InvariantRead && desc.has(".nc");
  if (effect != isa::Effect::Weak && effect != isa::Effect::ImmutableRead &&
      effect != isa::Effect::Private && !isNonCoherent) {
    return {};
  }
  return accessOf(function, instruction);
}

PlainAccess relaxedLoad(const ir::Function& function, const ir::Instruction& instruction) {
  const isa::InstructionDesc& desc = *instruction.desc;
  const bool isRelaxed = isPlainLoad(desc) && desc.semantics == isa::Semantics::Relaxed &&
                         !desc.has(".mmio") && desc.effect == isa::Effect::Strong;
  return isRelaxed ? accessOf(function, instruction) : PlainAccess();
}

}  // namespace ptxopt::passes
