// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer arithmetic, extended precision, logic and shifts (PTX ISA 9.7.1, 9.7.2, 9.7.9).
#include "interp/arithmetic/conversion.h"
#include "interp/arithmetic/integer.h"
#include "interp/decode/bind.h"
#include "interp/decode/typed_slots.h"

namespace ptxopt::interp {

namespace {

using isa::Opcode;
using isa::Type;

template <class T, T (*operation)(T, T)>
void binaryInteger(Frame r, const Op& o) {
  put(r, o.d, operation(get<T>(r, o.a), get<T>(r, o.b)));
}

// Two independent 16-bit halves.
template <class T, T (*operation)(T, T)>
void halves(Frame r, const Op& o) {
  const std::uint32_t a = get<std::uint32_t>(r, o.a);
  const std::uint32_t b = get<std::uint32_t>(r, o.b);
  const auto part = [](T x, T y) -> std::uint32_t {
    return static_cast<std::uint16_t>(operation(x, y));
  };
  put(r, o.d,
      part(static_cast<T>(a), static_cast<T>(b)) |
          part(static_cast<T>(a >> 16), static_cast<T>(b >> 16)) << 16);
}

// For `.u16x2` and `.s16x2`, which the table knows by their spelling.
template <class Choose>
Compute forPair(const isa::InstructionDesc& desc, Choose choose) {
  if (desc.has(".s16x2")) return choose.template operator()<std::int16_t>();
  if (desc.has(".u16x2")) return choose.template operator()<std::uint16_t>();
  return nullptr;
}

template <class T>
T smaller(T a, T b) {
  return std::min(a, b);
}
template <class T>
T larger(T a, T b) {
  return std::max(a, b);
}
template <class T>
T smallerRelu(T a, T b) {
  return std::max(std::min(a, b), T{0});
}
template <class T>
T largerRelu(T a, T b) {
  return std::max(std::max(a, b), T{0});
}

Compute bindMinMax(const isa::InstructionDesc& desc, const Op& op, bool isMaximum) {
  const bool relu = op.is(kRelu);
  if (const Compute pair = forPair(desc, [=]<class T>() -> Compute {
        if (isMaximum) return relu ? each<halves<T, largerRelu<T>>> : each<halves<T, larger<T>>>;
        return relu ? each<halves<T, smallerRelu<T>>> : each<halves<T, smaller<T>>>;
      })) {
    return pair;
  }
  return forInteger(op.type, [=]<class T>() -> Compute {
    if (isMaximum)
      return relu ? each<binaryInteger<T, largerRelu<T>>> : each<binaryInteger<T, larger<T>>>;
    return relu ? each<binaryInteger<T, smallerRelu<T>>> : each<binaryInteger<T, smaller<T>>>;
  });
}

Compute bindAddSub(const isa::InstructionDesc& desc, const Op& op) {
  const bool isAdd = desc.opcode == Opcode::Add;
  const bool saturates = op.is(kSaturate);
  if (const Compute pair = forPair(desc, [=]<class T>() -> Compute {
        if (isAdd) return saturates ? each<halves<T, addSaturated<T>>> : each<halves<T, add<T>>>;
        return saturates ? each<halves<T, subtractSaturated<T>>> : each<halves<T, subtract<T>>>;
      })) {
    return pair;
  }
  return forInteger(op.type, [=]<class T>() -> Compute {
    if (isAdd)
      return saturates ? each<binaryInteger<T, addSaturated<T>>> : each<binaryInteger<T, add<T>>>;
    return saturates ? each<binaryInteger<T, subtractSaturated<T>>>
                     : each<binaryInteger<T, subtract<T>>>;
  });
}

// `e` is the slot of the carry flag.
Compute bindCarry(const isa::InstructionDesc& desc, const Op& op) {
  const bool reads = desc.readsCarry;
  const bool writes = desc.writesCarry;
  const bool isAdd = desc.opcode == Opcode::Add || desc.opcode == Opcode::Addc;
  return forBits(op.type, [=]<class T>() -> Compute {
    if (isAdd) {
      if (!reads) {
        return [](Frame r, const Op& o) {
          T sum;
          const bool carry = __builtin_add_overflow(get<T>(r, o.a), get<T>(r, o.b), &sum);
          put(r, o.d, sum);
          put(r, o.e, carry);
        };
      }
      return writes ? Compute{[](Frame r, const Op& o) {
        const UnsignedWide sum = UnsignedWide{get<T>(r, o.a)} + get<T>(r, o.b) + r[o.e];
        put(r, o.d, static_cast<T>(sum));
        put(r, o.e, (sum >> kBitsOf<T>) != 0);
      }}
                    : Compute{[](Frame r, const Op& o) {
                        put(r, o.d, static_cast<T>(get<T>(r, o.a) + get<T>(r, o.b) + r[o.e]));
                      }};
    }
    if (!reads) {
      return [](Frame r, const Op& o) {
        T difference;
        const bool borrow = __builtin_sub_overflow(get<T>(r, o.a), get<T>(r, o.b), &difference);
        put(r, o.d, difference);
        put(r, o.e, borrow);
      };
    }
    return writes ? Compute{[](Frame r, const Op& o) {
      const UnsignedWide difference = UnsignedWide{get<T>(r, o.a)} - get<T>(r, o.b) - (r[o.e] & 1);
      put(r, o.d, static_cast<T>(difference));
      put(r, o.e, (difference >> 64) != 0);
    }}
                  : Compute{[](Frame r, const Op& o) {
                      put(r, o.d, static_cast<T>(get<T>(r, o.a) - get<T>(r, o.b) - r[o.e]));
                    }};
  });
}

// mad with .cc, and madc: the carry is that of the addition.  kSecond: .cc.
template <class T, bool kHigh, bool kReads>
void madCarry(Frame r, const Op& o) {
  const UnsignedWide both = product(get<T>(r, o.a), get<T>(r, o.b));
  const auto part = static_cast<Bits<T>>(kHigh ? both >> kBitsOf<T> : both);
  const UnsignedWide sum = UnsignedWide{part} + get<Bits<T>>(r, o.c) + (kReads ? r[o.e] : 0);
  put(r, o.d, static_cast<Bits<T>>(sum));
  if (o.is(kSecond)) put(r, o.e, (sum >> kBitsOf<T>) != 0);
}

Compute bindMadCarry(const isa::InstructionDesc& desc, Op& op) {
  if (desc.writesCarry) op.flags |= kSecond;
  const bool high = desc.has(".hi");
  const bool reads = desc.readsCarry;
  return forInteger(op.type, [=]<class T>() -> Compute {
    if (high) return reads ? each<madCarry<T, true, true>> : each<madCarry<T, true, false>>;
    return reads ? each<madCarry<T, false, true>> : each<madCarry<T, false, false>>;
  });
}

template <class T>
using Twice =
    std::conditional_t<sizeof(T) == 2,
                       std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

Compute bindMultiply(const isa::InstructionDesc& desc, const Op& op) {
  const bool adds = desc.opcode == Opcode::Mad;
  if (desc.has(".wide")) {
    return forInteger(op.type, [=]<class T>() -> Compute {
      if (adds) {
        return [](Frame r, const Op& o) {
          using W = Twice<T>;
          const W both = static_cast<W>(product(get<T>(r, o.a), get<T>(r, o.b)));
          put(r, o.d, add(both, get<W>(r, o.c)));
        };
      }
      return [](Frame r, const Op& o) {
        put(r, o.d, static_cast<Twice<T>>(product(get<T>(r, o.a), get<T>(r, o.b))));
      };
    });
  }
  if (op.is(kSaturate)) {
    return [](Frame r, const Op& o) {
      using T = std::int32_t;
      put(r, o.d, addSaturated(multiplyHigh(get<T>(r, o.a), get<T>(r, o.b)), get<T>(r, o.c)));
    };
  }
  const bool high = desc.has(".hi");
  return forInteger(op.type, [=]<class T>() -> Compute {
    if (!adds)
      return high ? each<binaryInteger<T, multiplyHigh<T>>>
                  : each<binaryInteger<T, multiplyLow<T>>>;
    if (high) {
      return [](Frame r, const Op& o) {
        put(r, o.d, add(multiplyHigh(get<T>(r, o.a), get<T>(r, o.b)), get<T>(r, o.c)));
      };
    }
    return [](Frame r, const Op& o) {
      put(r, o.d, add(multiplyLow(get<T>(r, o.a), get<T>(r, o.b)), get<T>(r, o.c)));
    };
  });
}

// `detail`: the shift of the 48-bit product, 0 or 16.  `c` is zero for mul24.
Compute bindMultiply24(const isa::InstructionDesc& desc, Op& op) {
  op.detail = desc.has(".hi") ? 16 : 0;
  const bool saturates = op.is(kSaturate);
  return forInteger(op.type, [=]<class T>() -> Compute {
    if (saturates) {
      return [](Frame r, const Op& o) {
        const std::int64_t both = product24(get<T>(r, o.a), get<T>(r, o.b)) >> o.detail;
        put(r, o.d, addSaturated(static_cast<T>(both), get<T>(r, o.c)));
      };
    }
    return [](Frame r, const Op& o) {
      const std::int64_t both = product24(get<T>(r, o.a), get<T>(r, o.b)) >> o.detail;
      put(r, o.d, add(static_cast<T>(both), get<T>(r, o.c)));
    };
  });
}

Compute bindLogic(const isa::InstructionDesc& desc, const Op& op) {
  if (op.type == Type::Pred) {
    switch (desc.opcode) {
      case Opcode::And:
        return [](Frame r, const Op& o) { r[o.d] = r[o.a] & r[o.b]; };
      case Opcode::Or:
        return [](Frame r, const Op& o) { r[o.d] = r[o.a] | r[o.b]; };
      case Opcode::Xor:
        return [](Frame r, const Op& o) { r[o.d] = r[o.a] ^ r[o.b]; };
      default:
        return negatePredicate();
    }
  }
  return forBits(op.type, [&]<class T>() -> Compute {
    switch (desc.opcode) {
      case Opcode::And:
        return [](Frame r, const Op& o) {
          put(r, o.d, static_cast<T>(get<T>(r, o.a) & get<T>(r, o.b)));
        };
      case Opcode::Or:
        return [](Frame r, const Op& o) {
          put(r, o.d, static_cast<T>(get<T>(r, o.a) | get<T>(r, o.b)));
        };
      case Opcode::Xor:
        return [](Frame r, const Op& o) {
          put(r, o.d, static_cast<T>(get<T>(r, o.a) ^ get<T>(r, o.b)));
        };
      case Opcode::Not:
        return [](Frame r, const Op& o) { put(r, o.d, static_cast<T>(~get<T>(r, o.a))); };
      case Opcode::Cnot:
        return
            [](Frame r, const Op& o) { put(r, o.d, static_cast<T>(get<T>(r, o.a) == 0 ? 1 : 0)); };
      default:
        return nullptr;
    }
  });
}

Compute bindBits(const isa::InstructionDesc& desc, Op& op) {
  switch (desc.opcode) {
    case Opcode::Popc:
      return forBits(op.type, []<class T>() -> Compute {
        return [](Frame r, const Op& o) {
          put(r, o.d, static_cast<std::uint32_t>(std::popcount(get<T>(r, o.a))));
        };
      });
    case Opcode::Clz:
      return forBits(op.type, []<class T>() -> Compute {
        return [](Frame r, const Op& o) {
          put(r, o.d, static_cast<std::uint32_t>(std::countl_zero(get<T>(r, o.a))));
        };
      });
    case Opcode::Brev:
      return forBits(op.type, []<class T>() -> Compute {
        return [](Frame r, const Op& o) { put(r, o.d, reverseBits(get<T>(r, o.a))); };
      });
    case Opcode::Bfind:
      op.detail = desc.has(".shiftamt") ? 1 : 0;
      return forInteger(op.type, []<class T>() -> Compute {
        return
            [](Frame r, const Op& o) { put(r, o.d, findLeading(get<T>(r, o.a), o.detail != 0)); };
      });
    case Opcode::Bfe:
      return forInteger(op.type, []<class T>() -> Compute {
        return [](Frame r, const Op& o) {
          put(r, o.d,
              extractField(get<T>(r, o.a), get<std::uint32_t>(r, o.b), get<std::uint32_t>(r, o.c)));
        };
      });
    case Opcode::Bfi:
      return forBits(op.type, []<class T>() -> Compute {
        return [](Frame r, const Op& o) {
          put(r, o.d,
              insertField(get<T>(r, o.a), get<T>(r, o.b), get<std::uint32_t>(r, o.c),
                          get<std::uint32_t>(r, o.e)));
        };
      });
    case Opcode::Fns:
      return [](Frame r, const Op& o) {
        put(r, o.d,
            findNthSet(get<std::uint32_t>(r, o.a), get<std::uint32_t>(r, o.b),
                       get<std::int32_t>(r, o.c)));
      };
    case Opcode::Szext:
      op.detail =
          static_cast<std::uint8_t>((isa::isSigned(op.type) ? 1 : 0) | (desc.has(".wrap") ? 2 : 0));
      return [](Frame r, const Op& o) {
        put(r, o.d,
            extendAt(get<std::uint32_t>(r, o.a), get<std::uint32_t>(r, o.b), (o.detail & 1) != 0,
                     (o.detail & 2) != 0));
      };
    case Opcode::Bmsk:
      op.detail = desc.has(".wrap") ? 1 : 0;
      return [](Frame r, const Op& o) {
        put(r, o.d, bitMask(get<std::uint32_t>(r, o.a), get<std::uint32_t>(r, o.b), o.detail != 0));
      };
    default:
      return nullptr;
  }
}

Compute bindShift(const isa::InstructionDesc& desc, Op& op) {
  switch (desc.opcode) {
    case Opcode::Shl:
      return forInteger(op.type, []<class T>() -> Compute {
        return [](Frame r, const Op& o) {
          put(r, o.d, shiftLeft(get<T>(r, o.a), get<std::uint32_t>(r, o.b)));
        };
      });
    case Opcode::Shr:
      return forInteger(op.type, []<class T>() -> Compute {
        return [](Frame r, const Op& o) {
          put(r, o.d, shiftRight(get<T>(r, o.a), get<std::uint32_t>(r, o.b)));
        };
      });
    case Opcode::Shf:
      op.detail = static_cast<std::uint8_t>((desc.has(".l") ? 1 : 0) | (desc.has(".wrap") ? 2 : 0));
      return [](Frame r, const Op& o) {
        put(r, o.d,
            funnelShift(get<std::uint32_t>(r, o.a), get<std::uint32_t>(r, o.b),
                        get<std::uint32_t>(r, o.c), (o.detail & 1) != 0, (o.detail & 2) != 0));
      };
    default:
      return nullptr;
  }
}

Compute bindPermute(const isa::InstructionDesc& desc, Op& op) {
  constexpr std::string_view kModes[] = {".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"};
  op.detail = 0;
  for (std::size_t k = 0; k < std::size(kModes); ++k) {
    if (desc.has(kModes[k])) op.detail = static_cast<std::uint8_t>(k + 1);
  }
  return [](Frame r, const Op& o) {
    put(r, o.d,
        permuteBytes(get<std::uint32_t>(r, o.a), get<std::uint32_t>(r, o.b),
                     get<std::uint32_t>(r, o.c), static_cast<Permute>(o.detail)));
  };
}

Compute bindDotProduct(const isa::InstructionDesc& desc, Op& op) {
  const bool isFour = desc.opcode == Opcode::Dp4a;
  op.detail =
      static_cast<std::uint8_t>((isa::isSigned(op.type) ? 1 : 0) |
                                (isa::isSigned(op.sourceType) ? 2 : 0) | (desc.has(".hi") ? 4 : 0));
  if (isFour) {
    return [](Frame r, const Op& o) {
      put(r, o.d,
          dotProduct4(get<std::uint32_t>(r, o.a), (o.detail & 1) != 0, get<std::uint32_t>(r, o.b),
                      (o.detail & 2) != 0, get<std::uint32_t>(r, o.c)));
    };
  }
  return [](Frame r, const Op& o) {
    put(r, o.d,
        dotProduct2(get<std::uint32_t>(r, o.a), (o.detail & 1) != 0, get<std::uint32_t>(r, o.b),
                    (o.detail & 2) != 0, get<std::uint32_t>(r, o.c), (o.detail & 4) != 0));
  };
}

Compute bindLogic3(const isa::InstructionDesc& desc) {
  // With a predicate: p = (d != 0) op q, q in `index`.
  if (desc.has(".or") || desc.has(".and")) {
    const auto body = []<bool kIsAnd>() -> Compute {
      return [](Frame r, const Op& o) {
        const std::uint32_t d = logic3(get<std::uint32_t>(r, o.a), get<std::uint32_t>(r, o.b),
                                       get<std::uint32_t>(r, o.c), get<std::uint32_t>(r, o.e));
        const bool q = r[o.index] != 0;
        put(r, o.q, kIsAnd ? d != 0 && q : d != 0 || q);
        put(r, o.d, d);
      };
    };
    return desc.has(".and") ? body.operator()<true>() : body.operator()<false>();
  }
  return [](Frame r, const Op& o) {
    put(r, o.d,
        logic3(get<std::uint32_t>(r, o.a), get<std::uint32_t>(r, o.b), get<std::uint32_t>(r, o.c),
               get<std::uint32_t>(r, o.e)));
  };
}

}  // namespace

Compute bindInteger(const isa::InstructionDesc& desc, Op& op) {
  if (isa::isFloat(op.type)) return nullptr;
  switch (desc.opcode) {
    case Opcode::Add:
    case Opcode::Sub:
      return desc.writesCarry ? bindCarry(desc, op) : bindAddSub(desc, op);
    case Opcode::Addc:
    case Opcode::Subc:
      return bindCarry(desc, op);
    case Opcode::Mul:
      return bindMultiply(desc, op);
    case Opcode::Mad:
      return desc.writesCarry ? bindMadCarry(desc, op) : bindMultiply(desc, op);
    case Opcode::Madc:
      return bindMadCarry(desc, op);
    case Opcode::Mul24:
    case Opcode::Mad24:
      return bindMultiply24(desc, op);
    case Opcode::Sad:
      return forInteger(op.type, []<class T>() -> Compute {
        return [](Frame r, const Op& o) {
          put(r, o.d, add(get<T>(r, o.c), absoluteDifference(get<T>(r, o.a), get<T>(r, o.b))));
        };
      });
    case Opcode::Div:
      return forInteger(op.type,
                        []<class T>() -> Compute { return each<binaryInteger<T, divide<T>>>; });
    case Opcode::Rem:
      return forInteger(op.type,
                        []<class T>() -> Compute { return each<binaryInteger<T, remainder<T>>>; });
    case Opcode::Abs:
      return forInteger(op.type, []<class T>() -> Compute {
        return [](Frame r, const Op& o) { put(r, o.d, absolute(get<T>(r, o.a))); };
      });
    case Opcode::Neg:
      return forInteger(op.type, []<class T>() -> Compute {
        return [](Frame r, const Op& o) { put(r, o.d, subtract(T{0}, get<T>(r, o.a))); };
      });
    case Opcode::Min:
      return bindMinMax(desc, op, false);
    case Opcode::Max:
      return bindMinMax(desc, op, true);
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
    case Opcode::Not:
    case Opcode::Cnot:
      return bindLogic(desc, op);
    case Opcode::Popc:
    case Opcode::Clz:
    case Opcode::Brev:
    case Opcode::Bfind:
    case Opcode::Bfe:
    case Opcode::Bfi:
    case Opcode::Fns:
    case Opcode::Szext:
    case Opcode::Bmsk:
      return bindBits(desc, op);
    case Opcode::Shl:
    case Opcode::Shr:
    case Opcode::Shf:
      return bindShift(desc, op);
    case Opcode::Prmt:
      return bindPermute(desc, op);
    case Opcode::Dp4a:
    case Opcode::Dp2a:
      return bindDotProduct(desc, op);
    case Opcode::Lop3:
      return bindLogic3(desc);
    default:
      return nullptr;
  }
}

}  // namespace ptxopt::interp
