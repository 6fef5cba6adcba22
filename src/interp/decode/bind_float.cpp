// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// f32, f32x2 and f64 arithmetic (PTX ISA 9.7.3) and f16, bf16 (9.7.4).
#include <algorithm>

#include "interp/arithmetic/conversion.h"
#include "interp/arithmetic/floating.h"
#include "interp/decode/bind.h"
#include "interp/decode/typed_slots.h"

namespace ptxopt::interp {

namespace {

using isa::Opcode;
using isa::Type;

template <class F>
F read(const Op& o, F value) {
  if constexpr (sizeof(F) == 4) return o.is(kFtz) ? flush(value) : value;
  return value;
}
template <class F>
F finish(const Op& o, F value) {
  value = read(o, value);
  return o.is(kSaturate) ? saturate(value) : value;
}

template <class F, F (*operation)(F, F, Rounding)>
void binaryFloat(Frame r, const Op& o) {
  put(r, o.d, finish(o, operation(read(o, get<F>(r, o.a)), read(o, get<F>(r, o.b)), o.rounding)));
}
template <class F>
void ternary(Frame r, const Op& o) {
  put(r, o.d,
      finish(o, fusedMultiplyAdd(read(o, get<F>(r, o.a)), read(o, get<F>(r, o.b)),
                                 read(o, get<F>(r, o.c)), o.rounding)));
}
template <class F, F (*operation)(F)>
void unary(Frame r, const Op& o) {
  put(r, o.d, finish(o, operation(read(o, get<F>(r, o.a)))));
}

// Two floats in one register.
template <float (*operation)(float, float, Rounding)>
void pairBinary(Frame r, const Op& o) {
  std::uint64_t result = 0;
  for (int shift = 0; shift < 64; shift += 32) {
    const float a = std::bit_cast<float>(static_cast<std::uint32_t>(r[o.a] >> shift));
    const float b = std::bit_cast<float>(static_cast<std::uint32_t>(r[o.b] >> shift));
    const float d = finish(o, operation(read(o, a), read(o, b), o.rounding));
    result |= std::uint64_t{std::bit_cast<std::uint32_t>(d)} << shift;
  }
  r[o.d] = result;
}
void pairFma(Frame r, const Op& o) {
  std::uint64_t result = 0;
  for (int shift = 0; shift < 64; shift += 32) {
    const auto part = [&](std::uint32_t slot) {
      return read(o, std::bit_cast<float>(static_cast<std::uint32_t>(r[slot] >> shift)));
    };
    const float d = finish(o, fusedMultiplyAdd(part(o.a), part(o.b), part(o.c), o.rounding));
    result |= std::uint64_t{std::bit_cast<std::uint32_t>(d)} << shift;
  }
  r[o.d] = result;
}

// kSecond: there is a third operand.  .abs takes magnitudes; .xorsign gives the result the product
// of the signs.
template <class F, F (*operation)(F, F, bool)>
void minMax(Frame r, const Op& o) {
  F a = read(o, get<F>(r, o.a));
  F b = read(o, get<F>(r, o.b));
  const bool negative = std::signbit(a) != std::signbit(b);
  if (o.is(kAbs)) {
    a = std::fabs(a);
    b = std::fabs(b);
  }
  F result = operation(a, b, o.is(kPropagateNaN));
  if (o.is(kSecond)) {
    F c = read(o, get<F>(r, o.c));
    if (o.is(kAbs)) c = std::fabs(c);
    result = operation(result, c, o.is(kPropagateNaN));
  }
  if (o.is(kXorSignAbs) && !std::isnan(result))
    result = std::copysign(result, negative ? F{-1} : F{1});
  put(r, o.d, read(o, result));
}

template <class F>
Compute bindArithmetic(const isa::InstructionDesc& desc) {
  switch (desc.opcode) {
    case Opcode::Add:
      return each<binaryFloat<F, add<F>>>;
    case Opcode::Sub:
      return each<binaryFloat<F, subtract<F>>>;
    case Opcode::Mul:
      return each<binaryFloat<F, multiply<F>>>;
    case Opcode::Div:
      return each<binaryFloat<F, divide<F>>>;
    case Opcode::Fma:
    case Opcode::Mad:
      return each<ternary<F>>;
    case Opcode::Min:
      return each<minMax<F, minimum<F>>>;
    case Opcode::Max:
      return each<minMax<F, maximum<F>>>;
    case Opcode::Abs:
      return [](Frame r, const Op& o) { put(r, o.d, std::fabs(read(o, get<F>(r, o.a)))); };
    case Opcode::Neg:
      return [](Frame r, const Op& o) { put(r, o.d, -read(o, get<F>(r, o.a))); };
    case Opcode::Copysign:
      return
          [](Frame r, const Op& o) { put(r, o.d, std::copysign(get<F>(r, o.b), get<F>(r, o.a))); };
    case Opcode::Sqrt:
      return [](Frame r, const Op& o) {
        put(r, o.d, finish(o, squareRoot(read(o, get<F>(r, o.a)), o.rounding)));
      };
    case Opcode::Rcp:
      return [](Frame r, const Op& o) {
        put(r, o.d, finish(o, divide(F{1}, read(o, get<F>(r, o.a)), o.rounding)));
      };
    default:
      return nullptr;
  }
}

Compute bindApproximate32(const isa::InstructionDesc& desc) {
  switch (desc.opcode) {
    case Opcode::Div:
      if (!desc.has(".approx")) return nullptr;
      return [](Frame r, const Op& o) {
        put(r, o.d,
            finish(o, divideApproximate(read(o, get<float>(r, o.a)), read(o, get<float>(r, o.b)))));
      };
    case Opcode::Rcp:
      return each<unary<float, reciprocalApproximate>>;
    case Opcode::Rsqrt:
      return each<unary<float, reciprocalRootApproximate>>;
    case Opcode::Sin:
      return each<unary<float, sineApproximate>>;
    case Opcode::Cos:
      return each<unary<float, cosineApproximate>>;
    case Opcode::Lg2:
      return each<unary<float, log2Approximate>>;
    case Opcode::Ex2:
      return each<unary<float, exp2Approximate>>;
    case Opcode::Tanh:
      return each<unary<float, tanhApproximate>>;
    default:
      return nullptr;
  }
}

Compute bindApproximate64(const isa::InstructionDesc& desc) {
  switch (desc.opcode) {
    case Opcode::Rcp:
      return each<unary<double, reciprocalApproximate>>;
    case Opcode::Rsqrt:
      if (desc.has(".ftz")) return each<unary<double, reciprocalRootApproximate>>;
      return each<unary<double, reciprocalRoot>>;
    default:
      return nullptr;
  }
}

// ---- f16 and bf16 -------------------------------------------------------------------------------

// kSecond: bf16.
template <class Operation>
void lanes(Frame r, const Op& o, Operation operation) {
  const FloatFormat format = o.is(kSecond) ? kBF16 : kF16;
  const HalfMode mode{o.is(kFtz), o.is(kSaturate), o.is(kRelu), o.rounding};
  const auto part = [&](std::uint32_t slot, int shift) {
    return static_cast<std::uint16_t>(r[slot] >> shift);
  };
  std::uint64_t result = 0;
  for (int shift = 0; shift < o.width; shift += 16) {
    const std::uint16_t d =
        operation(format, part(o.a, shift), part(o.b, shift), part(o.c, shift), mode, o);
    result |= std::uint64_t{d} << shift;
  }
  r[o.d] = result;
}

template <double (*function)(double)>
void lanesApproximate(Frame r, const Op& o) {
  lanes(r, o,
        [](FloatFormat format, std::uint16_t a, std::uint16_t, std::uint16_t, HalfMode mode,
           const Op&) {
          const double x = toDouble(format, mode.ftz ? halfFlush(format, a) : a);
          const auto d =
              static_cast<std::uint16_t>(fromDouble(format, function(x), Rounding::NearestEven));
          return mode.ftz ? halfFlush(format, d) : d;
        });
}
double hyperbolicTangent(double x) {
  return std::tanh(x);
}
double powerOf2(double x) {
  return std::exp2(x);
}

template <bool kIsMaximum>
void lanesMinMax(Frame r, const Op& o) {
  lanes(r, o,
        [](FloatFormat format, std::uint16_t a, std::uint16_t b, std::uint16_t, HalfMode mode,
           const Op& op) {
          const bool negative = ((a ^ b) & 0x8000) != 0;
          if (op.is(kAbs)) {
            a &= 0x7fff;
            b &= 0x7fff;
          }
          std::uint16_t d = halfMinMax(format, a, b, kIsMaximum, op.is(kPropagateNaN), mode.ftz);
          const std::uint16_t infinity =
              static_cast<std::uint16_t>(((1u << format.exponentBits) - 1) << format.fractionBits);
          const bool isNaN = (d & 0x7fff) > infinity;
          if (op.is(kXorSignAbs) && !isNaN && negative) d |= 0x8000;
          return d;
        });
}

// add, sub and fma of f32 in which all operands but the last are halves; kSecond: bf16.
float widened(Frame r, const Op& o, std::uint32_t slot) {
  return static_cast<float>(toDouble(o.is(kSecond) ? kBF16 : kF16, r[slot] & 0xffff));
}
Compute bindMixed(const isa::InstructionDesc& desc, Op& op) {
  if (op.sourceType == Type::BF16) op.flags |= kSecond;
  switch (desc.opcode) {
    case Opcode::Add:
      return [](Frame r, const Op& o) {
        put(r, o.d, finish(o, add(widened(r, o, o.a), get<float>(r, o.b), o.rounding)));
      };
    case Opcode::Sub:
      return [](Frame r, const Op& o) {
        put(r, o.d, finish(o, subtract(widened(r, o, o.a), get<float>(r, o.b), o.rounding)));
      };
    case Opcode::Fma:
      return [](Frame r, const Op& o) {
        put(r, o.d,
            finish(o, fusedMultiplyAdd(widened(r, o, o.a), widened(r, o, o.b), get<float>(r, o.c),
                                       o.rounding)));
      };
    default:
      return nullptr;
  }
}

// The operands have several types, like in add.f32x2.f16x2.f32x2.
bool isMixed(const isa::InstructionDesc& desc) {
  return std::any_of(desc.qualifiers.begin(), desc.qualifiers.end(), [&](std::string_view word) {
    const auto type = isa::parseType(word);
    return type && *type != desc.type;
  });
}

}  // namespace

Compute bindFloat(const isa::InstructionDesc& desc, Op& op) {
  const bool approximate = desc.has(".approx") || desc.has(".full");
  if (op.type == Type::F32x2) {
    if (isMixed(desc)) return nullptr;
    switch (desc.opcode) {
      case Opcode::Add:
        return each<pairBinary<add<float>>>;
      case Opcode::Sub:
        return each<pairBinary<subtract<float>>>;
      case Opcode::Mul:
        return each<pairBinary<multiply<float>>>;
      case Opcode::Fma:
        return each<pairFma>;
      default:
        return nullptr;
    }
  }
  if (desc.opcode == Opcode::Min || desc.opcode == Opcode::Max) {
    if (desc.shape.size() == 4) op.flags |= kSecond;
  }
  if (op.type == Type::F32) {
    if (op.sourceType == Type::F16 || op.sourceType == Type::BF16) return bindMixed(desc, op);
    if (op.sourceType != Type::F32) return nullptr;
    if (approximate || desc.opcode == Opcode::Rsqrt || desc.opcode == Opcode::Sin ||
        desc.opcode == Opcode::Cos || desc.opcode == Opcode::Lg2 || desc.opcode == Opcode::Ex2) {
      if (const Compute found = bindApproximate32(desc)) return found;
    }
    return bindArithmetic<float>(desc);
  }
  if (op.type == Type::F64) {
    if (approximate || desc.opcode == Opcode::Rsqrt) return bindApproximate64(desc);
    return bindArithmetic<double>(desc);
  }
  return nullptr;
}

Compute bindHalf(const isa::InstructionDesc& desc, Op& op) {
  switch (op.type) {
    case Type::BF16:
    case Type::BF16x2:
      op.flags |= kSecond;
      break;
    case Type::F16:
    case Type::F16x2:
      break;
    default:
      return nullptr;
  }
  if (isMixed(desc) || desc.has(".oob")) return nullptr;
  op.width = op.type == Type::F16 || op.type == Type::BF16 ? 16 : 32;
  using H = std::uint16_t;
  switch (desc.opcode) {
    case Opcode::Add:
      return [](Frame r, const Op& o) {
        lanes(r, o, [](FloatFormat f, H a, H b, H, HalfMode m, const Op&) {
          return halfAdd(f, a, b, m);
        });
      };
    case Opcode::Sub:
      return [](Frame r, const Op& o) {
        lanes(r, o, [](FloatFormat f, H a, H b, H, HalfMode m, const Op&) {
          return halfSubtract(f, a, b, m);
        });
      };
    case Opcode::Mul:
      return [](Frame r, const Op& o) {
        lanes(r, o, [](FloatFormat f, H a, H b, H, HalfMode m, const Op&) {
          return halfMultiply(f, a, b, m);
        });
      };
    case Opcode::Fma:
      return [](Frame r, const Op& o) {
        lanes(r, o, [](FloatFormat f, H a, H b, H c, HalfMode m, const Op&) {
          return halfFma(f, a, b, c, m);
        });
      };
    case Opcode::Neg:
      return [](Frame r, const Op& o) {
        lanes(r, o, [](FloatFormat f, H a, H, H, HalfMode m, const Op&) {
          return static_cast<H>((m.ftz ? halfFlush(f, a) : a) ^ 0x8000);
        });
      };
    case Opcode::Abs:
      return [](Frame r, const Op& o) {
        lanes(r, o, [](FloatFormat f, H a, H, H, HalfMode m, const Op&) {
          return static_cast<H>((m.ftz ? halfFlush(f, a) : a) & 0x7fff);
        });
      };
    case Opcode::Min:
      return each<lanesMinMax<false>>;
    case Opcode::Max:
      return each<lanesMinMax<true>>;
    case Opcode::Tanh:
      return each<lanesApproximate<hyperbolicTangent>>;
    case Opcode::Ex2:
      return each<lanesApproximate<powerOf2>>;
    default:
      return nullptr;
  }
}

}  // namespace ptxopt::interp
