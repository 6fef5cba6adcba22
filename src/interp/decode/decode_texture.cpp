// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texture and surface instructions.
#include <algorithm>

#include "interp/decode/decoder.h"
#include "interp/decode/words.h"
#include "interp/texture.h"
#include "ir/module.h"

namespace ptxopt::interp {

using isa::Opcode;
using isa::Space;
using isa::Type;

namespace {

struct FetchShape {
  std::uint32_t rank;
  bool isArray;
  bool isCube;
};

constexpr Word<FetchShape> kGeometries[] = {{".1d", {1, false, false}}, {".2d", {2, false, false}},
                                            {".3d", {3, false, false}}, {".a1d", {1, true, false}},
                                            {".a2d", {2, true, false}}, {".cube", {3, false, true}},
                                            {".acube", {3, true, true}}};

constexpr Word<std::uint32_t> kComponents[] = {{".r", 0}, {".g", 1}, {".b", 2}, {".a", 3}};

constexpr Word<SurfaceClamp> kClamps[] = {
    {".trap", SurfaceClamp::Trap}, {".clamp", SurfaceClamp::Clamp}, {".zero", SurfaceClamp::Zero}};

constexpr Word<TextureQuery> kQueries[] = {
    {".width", TextureQuery::Width},
    {".height", TextureQuery::Height},
    {".depth", TextureQuery::Depth},
    {".channel_data_type", TextureQuery::ChannelDataType},
    {".channel_order", TextureQuery::ChannelOrder},
    {".normalized_coords", TextureQuery::NormalizedCoords},
    {".force_unnormalized_coords", TextureQuery::ForceUnnormalizedCoords},
    {".filter_mode", TextureQuery::FilterMode},
    {".addr_mode_0", TextureQuery::AddressMode0},
    {".addr_mode_1", TextureQuery::AddressMode1},
    {".addr_mode_2", TextureQuery::AddressMode2},
    {".array_size", TextureQuery::ArraySize},
    {".num_mipmap_levels", TextureQuery::MipmapLevels},
    {".num_samples", TextureQuery::Samples},
    {".memory_layout", TextureQuery::MemoryLayout}};

// The qualifier `back` places before the last one, as a type.
Type typeOf(const isa::InstructionDesc& desc, std::size_t back) {
  const std::size_t count = desc.qualifiers.size();
  const auto type = back < count ? isa::parseType(desc.qualifiers[count - 1 - back]) : std::nullopt;
  return type.value_or(Type::None);
}

// The members of a group, where a group among them counts as one.
std::vector<const ir::Operand*> partsOf(const ir::Operand& group) {
  std::vector<const ir::Operand*> parts;
  const auto all = ir::members(group);
  for (std::size_t at = 0; at < all.size(); at += all[at].extent()) parts.push_back(&all[at]);
  return parts;
}

}  // namespace

// The slot with the handle: a register, a variable or a parameter of the kernel.
std::uint32_t Decoder::handle(const ir::Operand& operand) {
  if (operand.kind == ir::OperandKind::Register) return source(operand, Type::B64);
  const bool isSymbol =
      operand.kind == ir::OperandKind::Symbol ||
      (operand.kind == ir::OperandKind::Address && operand.base == ir::AddressBase::Symbol);
  if (!isSymbol) {
    const bool isRegister = operand.kind == ir::OperandKind::Address &&
                            operand.base == ir::AddressBase::Register && operand.immediate == 0;
    if (!isRegister) throw Problem{"a texture or surface of this form"};
    return registerSlot(operand.reg(), operand.component);
  }
  const ir::Symbol& symbol = function_->symbolAt(operand.symbol());
  if (symbol.kind != ir::SymbolKind::Parameter) return symbolSlot(operand.symbol(), 0);
  if (!function_->isEntry()) throw Problem{"a texture or surface parameter of a function"};
  Op load = prototype_;
  load.action = Action::Load;
  load.space = Space::ParamEntry;
  load.type = Type::B64;
  load.width = 64;
  load.a = symbolSlot(operand.symbol(), 0);
  load.d = temporary();
  emit(load);
  return load.d;
}

// {layer, x, y, z}; what is left over is ignored.
void Decoder::readCoordinates(const ir::Operand& operand, TextureForm& form) {
  std::vector<const ir::Operand*> parts{&operand};
  if (operand.kind == ir::OperandKind::Vector) parts = partsOf(operand);
  const Type type = form.isInteger ? Type::S32 : Type::F32;
  std::vector<std::uint32_t> slots;
  if (parts.size() == 1) {  // perhaps a register that is a vector
    slots = elements(*parts[0], form.isArray ? Type::U32 : type, false);
  } else {
    for (std::size_t k = 0; k < parts.size(); ++k) {
      slots.push_back(source(*parts[k], form.isArray && k == 0 ? Type::U32 : type));
    }
  }
  const std::size_t count = form.rank + (form.isArray ? 1 : 0);
  if (slots.size() < count) {
    throw Problem{std::to_string(slots.size()) + " coordinates, not " + std::to_string(count)};
  }
  if (form.isArray) form.layer = slots[0];
  form.coordinates.assign(slots.begin() + (form.isArray ? 1 : 0),
                          slots.begin() + static_cast<std::ptrdiff_t>(count));
}

// [texture{, sampler}, {x, y}].
void Decoder::readTextureOperand(const ir::Operand& operand, TextureForm& form) {
  if (operand.kind != ir::OperandKind::AddressList) throw Problem{"no texture or surface"};
  const std::vector<const ir::Operand*> parts = partsOf(operand);
  if (parts.size() < 2 || parts.size() > 3) throw Problem{"a texture without coordinates"};
  form.object = handle(*parts[0]);
  if (parts.size() == 3) form.sampler = handle(*parts[1]);
  readCoordinates(*parts.back(), form);
}

// What may follow: a level, gradients, an offset, a depth to compare with.  There is one level, so
// the first two choose nothing.
void Decoder::decodeFetchExtras(const ir::Instruction& instruction, TextureForm& form) {
  const isa::InstructionDesc& desc = *instruction.desc;
  std::size_t next = 2;
  if (desc.has(".level")) next += 1;
  if (desc.has(".grad")) next += 2;
  const ir::Operand* extra = instruction.operand(next);
  if (extra == nullptr) return;
  const bool isFlat = form.rank == 1 && !form.isCube;
  if (extra->kind == ir::OperandKind::Vector || isFlat) {
    form.offsets = elements(*extra, Type::S32, false);
    if (form.isCube) throw Problem{"an offset in a cube, which the manual does not have"};
    if (form.offsets.size() < form.rank) throw Problem{"too few offsets"};
    extra = instruction.operand(next + 1);
  }
  if (extra != nullptr) {
    throw Problem{"the comparison of depths is not implemented: the manual does not define it"};
  }
}

// tex, tld4: d{|p}, [a, c]{, extras}.
void Decoder::decodeFetch(const ir::Instruction& instruction, TextureForm& form) {
  const isa::InstructionDesc& desc = *instruction.desc;
  form.isInteger = typeOf(desc, 0) == Type::S32;
  form.type = typeOf(desc, 1);
  if (form.action == TextureAction::Gather) {
    const std::uint32_t* const component = findWord(desc, kComponents);
    if (component == nullptr) throw Problem{"a gather without a component"};
    form.component = *component;
  }
  const ir::Operand& to = operand(instruction, 0);
  if (to.kind == ir::OperandKind::Pair) {
    const std::vector<const ir::Operand*> parts = partsOf(to);
    form.results = elements(*parts[0], form.type, true);
    form.resident = destination(*parts[1]);
  } else {
    form.results = elements(to, form.type, true);
  }
  readTextureOperand(operand(instruction, 1), form);
  decodeFetchExtras(instruction, form);
}

// suld: d, [a, b]; sust, sured: [a, b], c.
void Decoder::decodeSurface(const ir::Instruction& instruction, TextureForm& form) {
  const isa::InstructionDesc& desc = *instruction.desc;
  const SurfaceClamp* const clamp = findWord(desc, kClamps);
  if (clamp == nullptr) throw Problem{"a surface access without .trap, .clamp or .zero"};
  form.clamp = *clamp;
  form.type = typeOf(desc, 1);
  form.isInteger = true;
  form.isFormatted = desc.has(".p");
  const bool loads = form.action == TextureAction::Load;
  readTextureOperand(operand(instruction, loads ? 1 : 0), form);
  if (loads) {
    form.results = elements(operand(instruction, 0), form.type, true);
  } else {
    form.values = elements(operand(instruction, 1), form.type, false);
  }
  if (form.action != TextureAction::Reduce) return;
  const AtomicOperation* const operation = findWord(desc, kAtomicOperations);
  if (operation == nullptr) throw Problem{"this form is not implemented"};
  form.reduction = *operation;
}

void Decoder::decodeTexture(const ir::Instruction& instruction, Op op) {
  static constexpr std::pair<Opcode, TextureAction> kActions[] = {
      {Opcode::Tex, TextureAction::Fetch},    {Opcode::Tld4, TextureAction::Gather},
      {Opcode::Suld, TextureAction::Load},    {Opcode::Sust, TextureAction::Store},
      {Opcode::Sured, TextureAction::Reduce}, {Opcode::Txq, TextureAction::Query},
      {Opcode::Suq, TextureAction::Query},    {Opcode::Istypep, TextureAction::IsKind}};
  const isa::InstructionDesc& desc = *instruction.desc;
  TextureForm form;
  for (const auto& [opcode, action] : kActions) {
    if (desc.opcode == opcode) form.action = action;
  }
  if (const FetchShape* const geometry = findWord(desc, kGeometries)) {
    form.rank = geometry->rank;
    form.isArray = geometry->isArray;
    form.isCube = geometry->isCube;
  } else if (desc.has(".2dms") || desc.has(".a2dms")) {
    throw Problem{"textures with several samples are not implemented"};
  }
  switch (form.action) {
    case TextureAction::Fetch:
    case TextureAction::Gather:
      decodeFetch(instruction, form);
      break;
    case TextureAction::Query: {
      const TextureQuery* const query = findWord(desc, kQueries);
      if (query == nullptr) throw Problem{"this form is not implemented"};
      form.query = *query;
      form.queriesTexture = desc.opcode == Opcode::Txq;
      form.results = {destination(operand(instruction, 0))};
      form.object = handle(operand(instruction, 1));
      break;
    }
    case TextureAction::IsKind:
      form.kind = static_cast<std::uint8_t>(desc.has(".texref")    ? TextureKind::Texture
                                            : desc.has(".surfref") ? TextureKind::Surface
                                                                   : TextureKind::Sampler);
      form.results = {destination(operand(instruction, 0))};
      form.object = handle(operand(instruction, 1));
      break;
    default:
      decodeSurface(instruction, form);
      break;
  }
  op.action = Action::Texture;
  op.index = static_cast<std::uint32_t>(code_->textures.size());
  code_->textures.push_back(std::move(form));
  emit(op);
}

}  // namespace ptxopt::interp
