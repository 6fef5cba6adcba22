// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparison and selection (PTX ISA 9.7.7, 9.7.8).
#include <array>
#include <cmath>

#include "interp/arithmetic/floating.h"
#include "interp/decode/bind.h"
#include "interp/decode/typed_slots.h"

namespace ptxopt::interp {

namespace {

using isa::Opcode;
using isa::Type;

enum class Comparison : std::uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Lo,
  Ls,
  Hi,
  Hs,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan
};
constexpr std::array<std::string_view, 18> kComparisons = {
    ".eq", ".ne",  ".lt",  ".le",  ".gt",  ".ge",  ".lo",  ".ls",  ".hi",
    ".hs", ".equ", ".neu", ".ltu", ".leu", ".gtu", ".geu", ".num", ".nan"};

// For integers, lo ls hi hs equal lt le gt ge: then T is unsigned.
template <class T>
bool holds(Comparison comparison, T a, T b) {
  bool unordered = false;
  if constexpr (std::is_floating_point_v<T>) unordered = std::isnan(a) || std::isnan(b);
  switch (comparison) {
    case Comparison::Eq:
      return !unordered && a == b;
    case Comparison::Ne:
      return !unordered && a != b;
    case Comparison::Lt:
    case Comparison::Lo:
      return a < b;
    case Comparison::Le:
    case Comparison::Ls:
      return a <= b;
    case Comparison::Gt:
    case Comparison::Hi:
      return a > b;
    case Comparison::Ge:
    case Comparison::Hs:
      return a >= b;
    case Comparison::Equ:
      return unordered || a == b;
    case Comparison::Neu:
      return unordered || a != b;
    case Comparison::Ltu:
      return unordered || a < b;
    case Comparison::Leu:
      return unordered || a <= b;
    case Comparison::Gtu:
      return unordered || a > b;
    case Comparison::Geu:
      return unordered || a >= b;
    case Comparison::Num:
      return !unordered;
    case Comparison::Nan:
      return unordered;
  }
  return false;
}

// Op::detail is the Comparison; Op::count says how c is combined with it.
enum Join : std::uint8_t { kAlone, kAnd, kOr, kXor };
bool join(Frame r, const Op& o, bool value) {
  switch (o.count) {
    case kAnd:
      return value && r[o.c] != 0;
    case kOr:
      return value || r[o.c] != 0;
    case kXor:
      return value != (r[o.c] != 0);
    default:
      return value;
  }
}

template <class T, T (*read)(Frame, const Op&, std::uint32_t)>
void setPredicate(Frame r, const Op& o) {
  const bool value = holds(static_cast<Comparison>(o.detail), read(r, o, o.a), read(r, o, o.b));
  const bool second = join(r, o, !value);
  put(r, o.d, join(r, o, value));
  if (o.q != 0) put(r, o.q, second);
}
// Op::width: the width of the result; kSecond: "true" is 1.0 in a float type, with the bits
// `immediate`.
template <class T, T (*read)(Frame, const Op&, std::uint32_t)>
void setValue(Frame r, const Op& o) {
  const bool value = holds(static_cast<Comparison>(o.detail), read(r, o, o.a), read(r, o, o.b));
  r[o.d] = join(r, o, value) ? static_cast<Slot>(o.immediate) : 0;
}

template <class T>
T readPlain(Frame r, const Op&, std::uint32_t slot) {
  return get<T>(r, slot);
}
float readFloat(Frame r, const Op& o, std::uint32_t slot) {
  const float value = get<float>(r, slot);
  return o.is(kFtz) ? flush(value) : value;
}
template <bool kIsBF16>
double readPart(Frame r, const Op& o, std::uint32_t slot, int shift) {
  const FloatFormat format = kIsBF16 ? kBF16 : kF16;
  const auto bits = static_cast<std::uint16_t>(r[slot] >> shift);
  return toDouble(format, o.is(kFtz) ? halfFlush(format, bits) : bits);
}
template <bool kIsBF16>
double readHalf(Frame r, const Op& o, std::uint32_t slot) {
  return readPart<kIsBF16>(r, o, slot, 0);
}

// Two halves at once: p of setp belongs to the low one, q to the high one.
template <bool kIsBF16>
bool holdsPart(Frame r, const Op& o, int shift) {
  const bool value = holds(static_cast<Comparison>(o.detail), readPart<kIsBF16>(r, o, o.a, shift),
                           readPart<kIsBF16>(r, o, o.b, shift));
  return join(r, o, value);
}
template <bool kIsBF16>
void setPredicates(Frame r, const Op& o) {
  const bool low = holdsPart<kIsBF16>(r, o, 0);
  const bool high = holdsPart<kIsBF16>(r, o, 16);
  put(r, o.d, low);
  if (o.q != 0) put(r, o.q, high);
}
template <bool kIsBF16>
void setValues(Frame r, const Op& o) {
  const auto one = static_cast<Slot>(o.immediate);
  const Slot low = holdsPart<kIsBF16>(r, o, 0) ? one : 0;
  const Slot high = holdsPart<kIsBF16>(r, o, 16) ? one : 0;
  r[o.d] = low | high << 16;
}

template <bool kValue>
Compute bindComparison(Type type) {
  const auto choose = []<class T, T (*read)(Frame, const Op&, std::uint32_t)>() -> Compute {
    return kValue ? each<setValue<T, read>> : each<setPredicate<T, read>>;
  };
  switch (type) {
    case Type::F32:
      return choose.template operator()<float, readFloat>();
    case Type::F64:
      return choose.template operator()<double, readPlain<double>>();
    case Type::F16:
      return choose.template operator()<double, readHalf<false>>();
    case Type::BF16:
      return choose.template operator()<double, readHalf<true>>();
    case Type::F16x2:
      return kValue ? each<setValues<false>> : each<setPredicates<false>>;
    case Type::BF16x2:
      return kValue ? each<setValues<true>> : each<setPredicates<true>>;
    default:
      return forInteger(type, [&]<class T>() -> Compute {
        return choose.template operator()<T, readPlain<T>>();
      });
  }
}

bool isPair(Type type) {
  return type == Type::F16x2 || type == Type::BF16x2;
}

bool fillComparison(const isa::InstructionDesc& desc, Op& op) {
  bool found = false;
  op.count = kAlone;
  for (const std::string_view qualifier : desc.qualifiers) {
    for (std::size_t k = 0; k < kComparisons.size(); ++k) {
      if (qualifier == kComparisons[k]) {
        op.detail = static_cast<std::uint8_t>(k);
        found = true;
      }
    }
    if (qualifier == ".and") op.count = kAnd;
    if (qualifier == ".or") op.count = kOr;
    if (qualifier == ".xor") op.count = kXor;
  }
  return found;
}

Compute bindTest(const isa::InstructionDesc& desc, Op& op) {
  constexpr std::array<std::string_view, 6> kTests = {".finite",     ".infinite", ".number",
                                                      ".notanumber", ".normal",   ".subnormal"};
  for (std::size_t k = 0; k < kTests.size(); ++k) {
    if (desc.has(kTests[k])) op.detail = static_cast<std::uint8_t>(k);
  }
  const auto body = []<class F>() -> Compute {
    return [](Frame r, const Op& o) {
      const F a = get<F>(r, o.a);
      const int kind = std::fpclassify(a);
      bool value = false;
      switch (o.detail) {
        case 0:
          value = std::isfinite(a);
          break;
        case 1:
          value = kind == FP_INFINITE;
          break;
        case 2:
          value = kind != FP_NAN;
          break;
        case 3:
          value = kind == FP_NAN;
          break;
        case 4:
          value = kind == FP_NORMAL || kind == FP_ZERO;
          break;
        case 5:
          value = kind == FP_SUBNORMAL;
          break;
        default:
          break;
      }
      put(r, o.d, value);
    };
  };
  if (op.type == Type::F32) return body.operator()<float>();
  if (op.type == Type::F64) return body.operator()<double>();
  return nullptr;
}

}  // namespace

Compute bindCompare(const isa::InstructionDesc& desc, Op& op) {
  switch (desc.opcode) {
    case Opcode::Setp:
      return fillComparison(desc, op) ? bindComparison<false>(op.type) : nullptr;
    case Opcode::Set:
      if (!fillComparison(desc, op)) return nullptr;
      switch (op.type) {
        case Type::F32:
          op.immediate = 0x3f800000;
          break;
        case Type::F16:
          op.immediate = 0x3c00;
          break;
        case Type::BF16:
          op.immediate = 0x3f80;
          break;
        case Type::U16:
        case Type::S16:
          op.immediate = 0xffff;
          break;
        case Type::U32:
        case Type::S32:
          op.immediate = isPair(op.sourceType) ? 0xffff : 0xffffffff;
          break;
        case Type::F16x2:
          op.immediate = 0x3c00;
          break;
        case Type::BF16x2:
          op.immediate = 0x3f80;
          break;
        default:
          return nullptr;
      }
      // The result for a pair has 32 bits, and only a pair gives a pair.
      if (isPair(op.sourceType) && isa::bitWidth(op.type) != 32) return nullptr;
      if (isPair(op.sourceType) && op.type == Type::F32) return nullptr;
      if (isPair(op.type) && !isPair(op.sourceType)) return nullptr;
      return bindComparison<true>(op.sourceType);
    case Opcode::Selp:
      return forBits(op.type, []<class T>() -> Compute {
        return [](Frame r, const Op& o) { put(r, o.d, get<T>(r, r[o.c] != 0 ? o.a : o.b)); };
      });
    case Opcode::Slct: {
      const bool byFloat = op.sourceType == Type::F32;
      return forBits(op.type, [=]<class T>() -> Compute {
        if (byFloat) {
          return [](Frame r, const Op& o) {
            put(r, o.d, get<T>(r, readFloat(r, o, o.c) >= 0 ? o.a : o.b));
          };
        }
        return [](Frame r, const Op& o) {
          put(r, o.d, get<T>(r, get<std::int32_t>(r, o.c) >= 0 ? o.a : o.b));
        };
      });
    }
    case Opcode::Testp:
      return bindTest(desc, op);
    default:
      return nullptr;
  }
}

}  // namespace ptxopt::interp
