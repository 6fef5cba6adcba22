// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversion (PTX ISA 9.7.10.24, 9.7.10.25).
#include <algorithm>
#include <iterator>

#include "interp/arithmetic/conversion.h"
#include "interp/arithmetic/floating.h"
#include "interp/arithmetic/small_float.h"
#include "interp/decode/bind.h"
#include "interp/decode/typed_slots.h"
#include "isa/pattern.h"

namespace ptxopt::interp {

namespace {

using isa::Opcode;
using isa::Type;

std::optional<Rounding> roundingOf(std::string_view qualifier, bool& toIntegral) {
  toIntegral = qualifier.size() == 4 && qualifier.starts_with(".r") && qualifier[3] == 'i';
  const std::string_view word = qualifier.substr(0, 3);
  if (qualifier == ".rna") return Rounding::NearestAway;
  if (qualifier.size() != 3 && !toIntegral) return std::nullopt;
  if (word == ".rn") return Rounding::NearestEven;
  if (word == ".rz") return Rounding::Zero;
  if (word == ".rm") return Rounding::Down;
  if (word == ".rp") return Rounding::Up;
  return std::nullopt;
}

Conversion conversionOf(const Op& o) {
  return {o.type,     o.sourceType,    o.rounding,       o.is(kToIntegral),
          o.is(kFtz), o.is(kSaturate), o.is(kSatFinite), o.is(kRelu)};
}

void convertOne(Frame r, const Op& o) {
  r[o.d] = widen(o.type, convert(conversionOf(o), r[o.a]), o.width);
}
// cvt.f16x2.f32 d, a, b: a is the upper half.
void convertPair(Frame r, const Op& o) {
  Conversion conversion = conversionOf(o);
  conversion.to = o.type == Type::F16x2 ? Type::F16 : Type::BF16;
  conversion.from = Type::F32;
  r[o.d] = convert(conversion, r[o.a]) << 16 | convert(conversion, r[o.b]);
}

// ---- numbers of 8, 6 and 4 bits, which come in pairs --------------------------------------------

// detail: the SmallFormat; kSecond: the other side is bf16x2, not f16x2.
SmallFormat smallFormatOf(const Op& o) {
  return static_cast<SmallFormat>(o.detail);
}
FloatFormat halfFormatOf(const Op& o) {
  return o.is(kSecond) ? kBF16 : kF16;
}

Slot packSmall(const Op& o, double high, double low) {
  const SmallFormat format = smallFormatOf(o);
  const auto part = [&](double value) -> Slot {
    return fromDouble(format, value, o.is(kRelu), o.rounding, o.is(kSatFinite));
  };
  return part(high) << storageBits(format) | part(low);
}
void smallFromFloats(Frame r, const Op& o) {
  r[o.d] = packSmall(o, double{get<float>(r, o.a)}, double{get<float>(r, o.b)});
}
void smallFromHalves(Frame r, const Op& o) {
  const FloatFormat format = halfFormatOf(o);
  r[o.d] = packSmall(o, toDouble(format, r[o.a] >> 16 & 0xffff), toDouble(format, r[o.a] & 0xffff));
}

Slot toHalf(const Op& o, double value) {
  if (o.is(kRelu) && value <= 0) return 0;
  const FloatFormat format = halfFormatOf(o);
  const Slot bits = fromDouble(format, value, Rounding::NearestEven);
  const Slot infinity = ((Slot{1} << format.exponentBits) - 1) << format.fractionBits;
  return o.is(kSatFinite) && (bits & 0x7fff) == infinity ? bits - 1 : bits;
}
void halvesFromSmall(Frame r, const Op& o) {
  const SmallFormat format = smallFormatOf(o);
  const auto half = [&](Slot bits) {
    return toHalf(o, toDouble(format, static_cast<std::uint32_t>(bits)));
  };
  r[o.d] = half(r[o.a] >> storageBits(format)) << 16 | half(r[o.a]);
}
// .scaled::n2::ue8m0: b holds a factor for each half.  The products are exact in double.
void halvesFromScaled(Frame r, const Op& o) {
  const SmallFormat format = smallFormatOf(o);
  const auto half = [&](Slot bits, Slot scale) {
    return toHalf(o, toDouble(format, static_cast<std::uint32_t>(bits)) *
                         scaleToDouble(static_cast<std::uint32_t>(scale & 0xff)));
  };
  r[o.d] = half(r[o.a] >> storageBits(format), r[o.b] >> 8) << 16 | half(r[o.a], r[o.b]);
}

Slot packScales(const Op& o, double high, double low) {
  const auto part = [&](double value) -> Slot {
    return scaleFromDouble(value, o.rounding, o.is(kSatFinite));
  };
  return part(high) << 8 | part(low);
}
void scalesFromFloats(Frame r, const Op& o) {
  r[o.d] = packScales(o, double{get<float>(r, o.a)}, double{get<float>(r, o.b)});
}
void scalesFromHalves(Frame r, const Op& o) {
  r[o.d] = packScales(o, toDouble(kBF16, r[o.a] >> 16 & 0xffff), toDouble(kBF16, r[o.a] & 0xffff));
}
void halvesFromScales(Frame r, const Op& o) {
  const auto half = [&](Slot bits) -> Slot {
    return fromDouble(kBF16, scaleToDouble(static_cast<std::uint32_t>(bits & 0xff)),
                      Rounding::NearestEven);
  };
  r[o.d] = half(r[o.a] >> 8) << 16 | half(r[o.a]);
}

// Null if there is no such type, and for cases that the manual leaves open: which bits of `rbits`
// each of four numbers gets, and whether -2 is out of the bounds of s2f6.
Compute bindSmall(const isa::InstructionDesc& desc, Op& op) {
  // Other qualifiers may follow the types.
  std::vector<std::string_view> types;
  std::ranges::copy_if(desc.qualifiers, std::back_inserter(types), [](std::string_view word) {
    return isa::registerType(word) != Type::Other;
  });
  if (types.size() < 2) return nullptr;
  const std::string_view to = types[types.size() - 2];
  const std::string_view from = types[types.size() - 1];
  const bool isFromHalves = from == ".f16x2" || from == ".bf16x2";
  if (to == ".bf16x2" || from == ".bf16x2") op.flags |= kSecond;
  if (to == ".ue8m0x2") return isFromHalves ? each<scalesFromHalves> : each<scalesFromFloats>;
  if (from == ".ue8m0x2") return each<halvesFromScales>;
  if (const auto format = findSmallFormat(from)) {
    op.detail = static_cast<std::uint8_t>(*format);
    return desc.has(".scaled::n2::ue8m0") ? each<halvesFromScaled> : each<halvesFromSmall>;
  }
  const auto format = findSmallFormat(to);
  if (!format || *format == SmallFormat::S2F6 || to.ends_with("x4")) return nullptr;
  if (desc.has(".scaled::n1::ue8m0")) return nullptr;
  op.detail = static_cast<std::uint8_t>(*format);
  return isFromHalves ? each<smallFromHalves> : each<smallFromFloats>;
}

// cvt.rs.bf16x2.f32 d, a, b, c: for each half, 16 random bits are added to the 16 bits that a bf16
// lacks.  A carry rounds away from zero, possibly into the exponent.
void convertPairRandomly(Frame r, const Op& o) {
  const auto half = [&](Slot bits, Slot random) -> Slot {
    constexpr Slot kInfinity = 0x7f800000;
    constexpr Slot kCanonicalNaN = 0x7fff;
    const Slot magnitude = bits & 0x7fffffff;
    if (magnitude > kInfinity) return kCanonicalNaN;
    const bool isNegative = (bits >> 31 & 1) != 0;
    if (isNegative && o.is(kRelu)) return 0;
    Slot result = (magnitude < kInfinity ? magnitude + (random & 0xffff) : magnitude) >> 16;
    if (o.is(kSatFinite) && result == kInfinity >> 16) --result;
    return isNegative ? result | 0x8000 : result;
  };
  r[o.d] = half(r[o.a], r[o.c] >> 16) << 16 | half(r[o.b], r[o.c]);
}

// cvt.pack: detail: bits of a result; kSecond: signed; c follows above the two results.
void packIntegers(Frame r, const Op& o) {
  const int width = o.detail;
  const auto part = [&](std::uint32_t slot) {
    const std::int64_t bound = std::int64_t{1} << (o.is(kSecond) ? width - 1 : width);
    const std::int64_t value =
        std::clamp<std::int64_t>(get<std::int32_t>(r, slot), o.is(kSecond) ? -bound : 0, bound - 1);
    return truncated(static_cast<std::uint64_t>(value), width);
  };
  Slot result = part(o.a) << width | part(o.b);
  if (width < 16) result |= r[o.c] << (2 * width);
  r[o.d] = truncated(result, 32);
}

Compute bindPack(const isa::InstructionDesc& desc, Op& op) {
  constexpr std::string_view kNames[] = {".u16", ".u8", ".u4", ".u2", ".s16", ".s8", ".s4", ".s2"};
  constexpr int kUnsigned = 4;
  for (std::size_t k = 0; k < std::size(kNames); ++k) {
    if (!desc.has(kNames[k])) continue;
    op.detail = static_cast<std::uint8_t>(16 >> (k % kUnsigned));
    if (k >= kUnsigned) op.flags |= kSecond;
    return each<packIntegers>;
  }
  return nullptr;
}

}  // namespace

Compute bindConvert(const isa::InstructionDesc& desc, Op& op) {
  if (desc.opcode != Opcode::Cvt || desc.has(".pzo")) return nullptr;
  if (desc.has(".rs")) return desc.has(".bf16x2") ? each<convertPairRandomly> : nullptr;
  if (desc.has(".pack")) return bindPack(desc, op);
  for (const std::string_view qualifier : desc.qualifiers) {
    bool toIntegral = false;
    if (const auto rounding = roundingOf(qualifier, toIntegral)) {
      op.rounding = *rounding;
      if (toIntegral) op.flags |= kToIntegral;
    }
  }
  if (const Compute found = bindSmall(desc, op)) return found;
  const bool isPair = op.type == Type::F16x2 || op.type == Type::BF16x2;
  if (isPair)
    return op.sourceType == Type::F32 && desc.shape.size() == 3 ? each<convertPair> : nullptr;
  if (!isConvertible(op.type) || !isConvertible(op.sourceType)) return nullptr;
  return each<convertOne>;
}

std::uint64_t widen(isa::Type type, std::uint64_t bits, int width) {
  return truncated(extended(type, bits), width);
}

}  // namespace ptxopt::interp
