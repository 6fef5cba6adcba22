// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Video instructions (PTX ISA 9.7.20).
//
// The scalar instructions work on bytes, halves or words of their operands, each extended to a
// signed number of 33 bits.  The result is clamped to the named part of d, and then combined with c
// or merged into it.  The instructions with two or four lanes work on halves and bytes of whole
// registers.
#include <algorithm>

#include "interp/arithmetic/conversion.h"
#include "interp/arithmetic/integer.h"
#include "interp/decode/bind.h"
#include "interp/decode/decoder.h"
#include "interp/decode/typed_slots.h"

namespace ptxopt::interp {

namespace {

using isa::Opcode;
using isa::Type;

enum class Operation : std::uint8_t {
  Add,
  Sub,
  AbsDiff,
  Min,
  Max,
  Average,
  Shl,
  Shr,
  Mad,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge
};
// The role of c: it is combined with the result, or provides the other bits.
enum class Second : std::uint8_t { None, Add, Minimum, Maximum, Merge };

std::optional<Operation> operationOf(const isa::InstructionDesc& desc) {
  switch (desc.opcode) {
    case Opcode::Vadd:
    case Opcode::Vadd2:
    case Opcode::Vadd4:
      return Operation::Add;
    case Opcode::Vsub:
    case Opcode::Vsub2:
    case Opcode::Vsub4:
      return Operation::Sub;
    case Opcode::Vabsdiff:
    case Opcode::Vabsdiff2:
    case Opcode::Vabsdiff4:
      return Operation::AbsDiff;
    case Opcode::Vmin:
    case Opcode::Vmin2:
    case Opcode::Vmin4:
      return Operation::Min;
    case Opcode::Vmax:
    case Opcode::Vmax2:
    case Opcode::Vmax4:
      return Operation::Max;
    case Opcode::Vavrg2:
    case Opcode::Vavrg4:
      return Operation::Average;
    case Opcode::Vshl:
      return Operation::Shl;
    case Opcode::Vshr:
      return Operation::Shr;
    case Opcode::Vmad:
      return Operation::Mad;
    case Opcode::Vset:
    case Opcode::Vset2:
    case Opcode::Vset4: {
      constexpr std::string_view kWords[] = {".eq", ".ne", ".lt", ".le", ".gt", ".ge"};
      for (int k = 0; k < static_cast<int>(std::size(kWords)); ++k) {
        if (desc.has(kWords[k])) return static_cast<Operation>(int(Operation::Eq) + k);
      }
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

int lanesOf(const isa::InstructionDesc& desc) {
  const std::string_view word = isa::spelling(desc.opcode);
  return word.ends_with('4') ? 4 : word.ends_with('2') ? 2 : 1;
}

struct Part {
  int shift = 0;
  int width = 32;
};
// ".b1", ".h0"; none for selectors of several lanes.
std::optional<Part> partOf(std::string_view selector) {
  if (selector.size() != 3) return std::nullopt;
  const int index = selector[2] - '0';
  if (selector[1] == 'b' && index >= 0 && index < 4) return Part{8 * index, 8};
  if (selector[1] == 'h' && index >= 0 && index < 2) return Part{16 * index, 16};
  return std::nullopt;
}

std::int64_t clamp(std::int64_t value, bool isSigned, int width) {
  const std::int64_t bound = std::int64_t{1} << (isSigned ? width - 1 : width);
  return std::clamp(value, isSigned ? -bound : 0, bound - 1);
}

// `wraps`: the shift count wraps, otherwise it is clamped to 32.
std::int64_t apply(Operation operation, std::int64_t a, std::int64_t b, bool wraps) {
  const auto count = [&] { return wraps ? b & 31 : std::min<std::int64_t>(b, 32); };
  switch (operation) {
    case Operation::Add:
      return a + b;
    case Operation::Sub:
      return a - b;
    case Operation::AbsDiff:
      return a > b ? a - b : b - a;
    case Operation::Min:
      return std::min(a, b);
    case Operation::Max:
      return std::max(a, b);
    case Operation::Average:
      return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case Operation::Shl: {
      // 65 bits are needed.  If the value does not fit into a word, clamping needs only its sign,
      // and without clamping only the low word remains.
      const Wide wide = static_cast<Wide>(a) * (static_cast<Wide>(1) << count());
      constexpr std::int64_t kBound = std::int64_t{1} << 62;
      if (wide >= -kBound && wide < kBound) return static_cast<std::int64_t>(wide);
      const auto low = static_cast<std::int64_t>(static_cast<std::uint64_t>(wide) & 0xffffffff);
      return (wide < 0 ? -kBound : kBound) + low;
    }
    case Operation::Shr:
      return a >> count();
    case Operation::Eq:
      return a == b;
    case Operation::Ne:
      return a != b;
    case Operation::Lt:
      return a < b;
    case Operation::Le:
      return a <= b;
    case Operation::Gt:
      return a > b;
    case Operation::Ge:
      return a >= b;
    case Operation::Mad:
      break;
  }
  return 0;
}

std::int64_t number(Frame r, std::uint32_t slot) {
  return static_cast<std::int64_t>(r[slot]);
}

// d = a >> immediate, `width` bits, extended to 64 depending on `type`.
void select(Frame r, const Op& o) {
  const std::uint64_t bits = truncated(r[o.a] >> o.immediate, o.width);
  const int unused = 64 - o.width;
  r[o.d] = isa::isSigned(o.type)
               ? static_cast<Slot>(static_cast<std::int64_t>(bits << unused) >> unused)
               : bits;
}

// detail: the Operation; count: the Second; width and immediate: the part of d; kSecond: shift
// counts wrap.
void scalar(Frame r, const Op& o) {
  const bool isSigned = isa::isSigned(o.type);
  std::int64_t value =
      apply(static_cast<Operation>(o.detail), number(r, o.a), number(r, o.b), o.is(kSecond));
  if (o.is(kSaturate)) value = clamp(value, isSigned, o.width);
  const std::uint32_t c = get<std::uint32_t>(r, o.c);
  const std::int64_t word = isSigned ? std::int64_t{static_cast<std::int32_t>(value)}
                                     : std::int64_t{static_cast<std::uint32_t>(value)};
  const std::int64_t other =
      isSigned ? std::int64_t{static_cast<std::int32_t>(c)} : std::int64_t{c};
  switch (static_cast<Second>(o.count)) {
    case Second::None:
      break;
    case Second::Add:
      value = word + other;
      break;
    case Second::Minimum:
      value = std::min(word, other);
      break;
    case Second::Maximum:
      value = std::max(word, other);
      break;
    case Second::Merge: {
      const std::uint64_t mask = truncated(~std::uint64_t{0}, o.width) << o.immediate;
      r[o.d] = (c & ~mask) | (static_cast<std::uint64_t>(value) << o.immediate & mask);
      return;
    }
  }
  put(r, o.d, static_cast<std::uint32_t>(value));
}

// kSecond: .po; kAbs: a * b is subtracted; kToIntegral: c is subtracted; kXorSignAbs: the result is
// signed. immediate: the right shift of the result.
void multiplyAdd(Frame r, const Op& o) {
  Wide value = static_cast<Wide>(number(r, o.a)) * number(r, o.b);
  if (o.is(kAbs)) value = -value;
  const bool isSigned = o.is(kXorSignAbs);
  const std::uint32_t c = get<std::uint32_t>(r, o.c);
  Wide addend = isSigned ? Wide{static_cast<std::int32_t>(c)} : Wide{c};
  if (o.is(kToIntegral)) addend = -addend;
  value += addend + (o.is(kSecond) ? 1 : 0);
  value >>= o.immediate;
  if (o.is(kSaturate)) {
    const Wide largest = isSigned ? Wide{INT32_MAX} : Wide{UINT32_MAX};
    const Wide smallest = isSigned ? Wide{INT32_MIN} : Wide{0};
    value = std::clamp(value, smallest, largest);
  }
  put(r, o.d, static_cast<std::uint32_t>(value));
}

// width: of a lane; count: 1 if the results are added to c; immediate: bit 0 for a signed a, bit 1
// for a signed b.
void lanes(Frame r, const Op& o) {
  const auto lane = [&](std::uint32_t slot, int shift, bool isSigned) -> std::int64_t {
    const auto bits = static_cast<std::int64_t>(truncated(r[slot] >> shift, o.width));
    const std::int64_t sign = std::int64_t{1} << (o.width - 1);
    return isSigned && (bits & sign) != 0 ? bits - 2 * sign : bits;
  };
  std::uint64_t packed = 0;
  std::int64_t sum = 0;
  for (int shift = 0; shift < 32; shift += o.width) {
    std::int64_t value =
        apply(static_cast<Operation>(o.detail), lane(o.a, shift, (o.immediate & 1) != 0),
              lane(o.b, shift, (o.immediate & 2) != 0), false);
    if (o.is(kSaturate)) value = clamp(value, isa::isSigned(o.type), o.width);
    packed |= truncated(static_cast<std::uint64_t>(value), o.width) << shift;
    sum += value;
  }
  if (o.count != 0) {
    put(r, o.d, static_cast<std::uint32_t>(r[o.c] + static_cast<std::uint64_t>(sum)));
  } else {
    r[o.d] = packed;
  }
}

}  // namespace

// A byte, half or word of the operand as a signed number of 64 bits.
std::uint32_t Decoder::videoSource(const ir::Operand& operand, Type type) {
  ir::Operand whole = operand;
  Part part;
  if (operand.kind == ir::OperandKind::Register && operand.component == ir::kOtherComponent) {
    const auto named =
        partOf(function_->module().text(NameId{static_cast<std::uint32_t>(operand.immediate)}));
    if (!named) throw Problem{"a selector of several lanes"};
    part = *named;
    whole.component = 0;
  }
  whole.negated = false;
  Op op = prototype_;
  op.compute = each<select>;
  op.type = type;
  op.immediate = part.shift;
  op.width = static_cast<std::uint8_t>(part.width);
  op.a = source(whole, type);
  op.d = temporary();
  emit(op);
  return op.d;
}

void Decoder::decodeVideo(const ir::Instruction& instruction, Op op) {
  const isa::InstructionDesc& desc = *instruction.desc;
  const auto operation = operationOf(desc);
  if (!operation) throw Problem{"this form is not implemented"};
  op.detail = static_cast<std::uint8_t>(*operation);
  // The types in the order d, a, b; a vset has none for d.
  std::vector<Type> types;
  for (const std::string_view word : desc.qualifiers) {
    if (const auto type = isa::parseType(word)) types.push_back(*type);
  }
  const bool compares = *operation >= Operation::Eq;
  if (compares) types.insert(types.begin(), Type::U32);
  if (types.size() != 3) throw Problem{"this form is not implemented"};
  op.type = types[0];
  ir::Operand target = operand(instruction, 0);
  const ir::Operand& first = operand(instruction, 1);
  const ir::Operand& second = operand(instruction, 2);
  const ir::Operand* third = instruction.operand(3);

  const int count = lanesOf(desc);
  if (count > 1) {
    for (const ir::Operand* part : {&std::as_const(target), &first, &second}) {
      if (part->component != 0) throw Problem{"a selector of lanes"};
    }
    op.compute = each<lanes>;
    op.width = static_cast<std::uint8_t>(32 / count);
    op.count = desc.has(".add") ? 1 : 0;
    op.immediate = (isa::isSigned(types[1]) ? 1 : 0) | (isa::isSigned(types[2]) ? 2 : 0);
    op.d = destination(target);
    op.a = source(first, types[1]);
    op.b = source(second, types[2]);
    op.c = source(operand(instruction, 3), Type::B32);
    return emit(op);
  }

  op.a = videoSource(first, types[1]);
  op.b = videoSource(second, types[2]);
  const bool subtractsThird = third != nullptr && third->negated;
  if (third != nullptr) {
    ir::Operand plain = *third;
    plain.negated = false;
    op.c = source(plain, Type::B32);
  }
  if (*operation == Operation::Mad) {
    op.compute = each<multiplyAdd>;
    op.d = destination(target);
    const bool subtracts = first.negated != second.negated;
    const bool isSigned =
        isa::isSigned(types[1]) || isa::isSigned(types[2]) || subtracts || subtractsThird;
    if (subtracts) op.flags |= kAbs;
    if (subtractsThird) op.flags |= kToIntegral;
    if (isSigned) op.flags |= kXorSignAbs;
    if (desc.has(".po")) op.flags |= kSecond;
    op.immediate = desc.has(".shr15") ? 15 : desc.has(".shr7") ? 7 : 0;
    return emit(op);
  }
  op.compute = each<scalar>;
  op.width = 32;
  op.count = static_cast<std::uint8_t>(Second::None);
  if (target.component == ir::kOtherComponent) {
    const auto part =
        partOf(function_->module().text(NameId{static_cast<std::uint32_t>(target.immediate)}));
    if (!part) throw Problem{"a selector of several lanes"};
    op.width = static_cast<std::uint8_t>(part->width);
    op.immediate = part->shift;
    op.count = static_cast<std::uint8_t>(Second::Merge);
    target.component = 0;
  } else if (desc.has(".add")) {
    op.count = static_cast<std::uint8_t>(Second::Add);
  } else if (desc.has(".min")) {
    op.count = static_cast<std::uint8_t>(Second::Minimum);
  } else if (desc.has(".max")) {
    op.count = static_cast<std::uint8_t>(Second::Maximum);
  }
  if (desc.has(".wrap")) op.flags |= kSecond;
  op.d = destination(target);
  emit(op);
}

}  // namespace ptxopt::interp
