// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic: bits and bytes, wide integers, special functions, short floats, tables.
#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <vector>

#include "reference.h"

namespace ptxopt::interp {
namespace {

__extension__ using Uint128 = unsigned __int128;

// ---- bits and bytes -----------------------------------------------------------------------------

void fields(Call& call) {
  const auto in = call.buffer<std::uint32_t>(0);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::uint32_t w = in[i];
    const std::uint32_t r = w >> 5 & 0x7ff;
    const std::uint32_t s = (w & ~0x00ff0000u) | (r & 0xff) << 16;
    const std::uint64_t bytes = std::uint64_t{s} << 32 | r;
    std::uint32_t p = 0, reversed = 0;
    for (int k = 0; k < 4; ++k) {
      const int selector = 0x3715 >> 4 * k & 7;
      p |= static_cast<std::uint32_t>(bytes >> 8 * selector & 0xff) << 8 * k;
    }
    for (int k = 0; k < 32; ++k) reversed |= (s >> k & 1) << (31 - k);
    const std::uint32_t parity = w ^ s ^ p;
    const std::uint64_t pair = std::uint64_t{p} << 32 | parity;
    const auto funnel = static_cast<std::uint32_t>(pair << (w & 31) >> 32);
    const int firstSet = w == 0 ? 0 : std::countr_zero(w) + 1;
    call.buffer<std::uint32_t>(1)[i] =
        funnel + reversed +
        static_cast<std::uint32_t>(std::countl_zero(r) + firstSet + std::popcount(parity));
  }
}

int signedByte(std::uint32_t word, int k) {
  return static_cast<std::int8_t>(word >> 8 * k);
}
int unsignedByte(std::uint32_t word, int k) {
  return static_cast<std::uint8_t>(word >> 8 * k);
}

void dotBytes(Call& call) {
  const auto a = call.buffer<std::uint32_t>(0);
  const auto b = call.buffer<std::uint32_t>(1);
  const auto signedOf = [](std::uint32_t word) { return static_cast<std::int32_t>(word); };
  std::uint32_t added = 0, differences = 0, maxima = 0;
  for (int k = 0; k < 4; ++k) {
    added |= static_cast<std::uint32_t>((unsignedByte(a[0], k) + unsignedByte(b[0], k)) & 0xff)
             << 8 * k;
    differences |=
        static_cast<std::uint32_t>(std::abs(unsignedByte(a[1], k) - unsignedByte(b[1], k)))
        << 8 * k;
  }
  for (int k = 0; k < 2; ++k) {
    const auto half = [k](std::uint32_t word) { return static_cast<std::int16_t>(word >> 16 * k); };
    maxima |=
        static_cast<std::uint32_t>(static_cast<std::uint16_t>(std::max(half(a[2]), half(b[2]))))
        << 16 * k;
  }
  const std::int64_t x = signedOf(a[3]), y = signedOf(b[3]);
  const auto low24 = [&](std::uint32_t word) { return std::int64_t{signedOf(word << 8) >> 8}; };
  const std::uint32_t rest =
      added + differences + maxima + static_cast<std::uint32_t>(std::abs(x - y) + 1) +
      static_cast<std::uint32_t>((std::int64_t{signedOf(a[4])} * signedOf(b[4])) >> 32) +
      static_cast<std::uint32_t>(low24(a[5]) * low24(b[5])) +
      static_cast<std::uint32_t>((std::int64_t{signedOf(a[6])} + signedOf(b[6])) >> 1);
  const int threads = static_cast<int>(call.block().x);
  for (int t = 0; t < threads; ++t) {
    std::uint32_t sum = rest;
    for (int i = t; i < call.integer(3); i += threads) {
      for (int k = 0; k < 4; ++k) {
        sum += static_cast<std::uint32_t>(signedByte(a[i], k) * signedByte(b[i], k));
      }
      sum += (a[i] & 0xffff) * static_cast<std::uint32_t>(unsignedByte(b[i], 0)) +
             (a[i] >> 16) * static_cast<std::uint32_t>(unsignedByte(b[i], 1));
    }
    call.buffer<std::uint32_t>(2)[t] = sum;
  }
}

// Bit by bit, where the kernel has a table.
void crc32(Call& call) {
  const auto data = call.buffer<std::uint8_t>(0);
  const int length = call.integer(1);
  for (int message = 0; message < static_cast<int>(data.size()) / length; ++message) {
    std::uint32_t crc = ~0u;
    for (const std::uint8_t byte : data.subspan(message * length, length)) {
      crc ^= byte;
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
    }
    call.buffer<std::uint32_t>(2)[message] = ~crc;
  }
}

void sha256Rounds(Call& call) {
  const auto constants = call.buffer<std::uint32_t>(1);
  std::vector<std::uint32_t> w;
  for (int i = 0; i < 16; ++i) w.push_back(__builtin_bswap32(call.buffer<std::uint32_t>(0)[i]));
  for (int i = 16; i < 64; ++i) {
    const std::uint32_t x = w[i - 15], y = w[i - 2];
    w.push_back(w[i - 16] + w[i - 7] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ x >> 3) +
                (std::rotr(y, 17) ^ std::rotr(y, 19) ^ y >> 10));
  }
  for (std::uint32_t thread = 0; thread < call.block().x; ++thread) {
    const auto state = call.buffer<std::uint32_t>(2).subspan(8 * thread, 8);
    auto [a, b, c, d] = std::tuple(state[0], state[1], state[2], state[3]);
    auto [e, f, g, h] = std::tuple(state[4], state[5], state[6], state[7]);
    for (int i = 0; i < 64; ++i) {
      const std::uint32_t t1 = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                               ((e & f) ^ (~e & g)) + constants[i] + w[i];
      const std::uint32_t t2 =
          (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    const std::uint32_t result[] = {a, b, c, d, e, f, g, h};
    for (int k = 0; k < 8; ++k) state[k] += result[k];
  }
}

// ---- wide integers ------------------------------------------------------------------------------

void add256(Call& call) {
  const auto a = call.buffer<std::uint32_t>(0);
  const auto b = call.buffer<std::uint32_t>(1);
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (i % 8 == 0) carry = 0;
    carry += std::uint64_t{a[i]} + b[i];
    call.buffer<std::uint32_t>(2)[i] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
}

void multiply64Wide(Call& call) {
  const auto a = call.buffer<std::uint64_t>(0);
  const auto b = call.buffer<std::uint64_t>(1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    call.buffer<Uint128>(2)[i] = static_cast<Uint128>(a[i]) * b[i];
  }
}

void products128(Call& call) {
  for (int i = 0; i < call.integer(3); ++i) {
    const Uint128 p =
        static_cast<Uint128>(call.buffer<std::uint64_t>(0)[i]) * call.buffer<std::uint64_t>(1)[i];
    call.buffer<Uint128>(2)[i] =
        (p << 3 ^ p >> 61) - (p > static_cast<Uint128>(1) << 100 ? 7u : 0u);
  }
}

void quotients(Call& call) {
  const auto a = call.buffer<std::int64_t>(0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::int64_t b = call.buffer<std::int32_t>(1)[i];
    const std::int64_t parts = a[i] / b + a[i] % 1000003 + b / 7 + b % 12;
    call.buffer<std::uint64_t>(2)[i] =
        static_cast<std::uint64_t>(parts) + static_cast<std::uint64_t>(a[i]) / 10;
  }
}

// With x * R standing for x, where R = 2^64 mod n.
void modularPower(Call& call) {
  const auto base = call.buffer<std::uint64_t>(0);
  const auto exponent = call.scalar<std::uint64_t>(1), n = call.scalar<std::uint64_t>(2);
  const auto multiply = [n](std::uint64_t x, std::uint64_t y) {
    return static_cast<std::uint64_t>(static_cast<Uint128>(x) * y % n);
  };
  const auto power = [&](std::uint64_t x, std::uint64_t e) {
    std::uint64_t result = 1;
    for (; e != 0; e >>= 1, x = multiply(x, x)) {
      if ((e & 1) != 0) result = multiply(result, x);
    }
    return result;
  };
  const auto r = static_cast<std::uint64_t>((static_cast<Uint128>(1) << 64) % n);
  const std::uint64_t inverse = power(r, n - 2);  // n is a prime
  for (std::size_t i = 0; i < base.size(); ++i) {
    call.buffer<std::uint64_t>(5)[i] = multiply(power(multiply(base[i], inverse), exponent), r);
  }
}

// ---- special functions --------------------------------------------------------------------------

void specialFunctions(Call& call) {
  for (int i = 0; i < call.integer(2); ++i) {
    const double x = call.buffer<double>(0)[i];
    call.buffer<double>(1)[i] = std::exp(-x * x) + std::log1p(std::fabs(x)) * std::cbrt(x) +
                                std::erf(x) + std::atan2(x, 2.0) +
                                std::fma(x, x, std::sqrt(std::fabs(x)));
  }
  call.close<double>(1, 1e-14);
}

void sineTable(Call& call) {
  for (int i = 0; i < call.integer(2); ++i) {
    const auto x = static_cast<double>(i);
    call.buffer<double>(0)[i] = std::sin(1e5 * x);
    call.buffer<float>(1)[i] =
        static_cast<float>(std::sin(static_cast<double>(1e5f * static_cast<float>(i))) +
                           std::pow(x, 1.5) + std::lgamma(x + 1));
  }
  call.close<double>(0, 1e-14);
  call.close<float>(1, 1e-6);
}

// `compute` under a rounding mode; volatile operands keep the compiler from doing it before.
template <class Compute>
double rounded(int mode, double a, double b, Compute compute) {
  const volatile double x = a, y = b;
  std::fesetround(mode);
  const volatile double result = compute(x, y);
  std::fesetround(FE_TONEAREST);
  return result;
}

void roundings(Call& call) {
  const auto a = call.buffer<double>(0);
  const auto b = call.buffer<double>(1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto out = call.buffer<double>(2).subspan(4 * i, 4);
    out[0] = rounded(FE_UPWARD, a[i], b[i], [](double x, double y) { return x + y; });
    out[1] = rounded(FE_DOWNWARD, a[i], b[i], [](double x, double y) { return x * y; });
    out[2] = rounded(FE_TOWARDZERO, a[i], b[i], [](double x, double y) { return x / y; });
    out[3] = rounded(FE_UPWARD, a[i], b[i], [](double x, double) { return std::sqrt(x); }) +
             1 / b[i] + std::nearbyint(a[i]) + std::trunc(b[i]);
    call.buffer<std::int64_t>(3)[i] =
        static_cast<std::int64_t>(std::floor(a[i])) +
        static_cast<std::int64_t>(std::ceil(static_cast<float>(b[i])));
  }
}

void daxpyDot(Call& call) {
  const auto x = call.buffer<double>(0);
  const auto y = call.buffer<double>(1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    y[i] += call.scalar<double>(2) * x[i];
    call.buffer<double>(3)[0] += x[i] * y[i];
  }
}

void compareAndSwapMax(Call& call) {
  for (const double x : call.buffer<double>(1)) {
    call.buffer<double>(0)[0] = std::max(call.buffer<double>(0)[0], x);
  }
}

void gelu(Call& call) {
  for (float& x : call.buffer<float>(0)) {
    const double v = static_cast<double>(x);
    x = static_cast<float>(0.5 * v * (1 + std::tanh(0.7978845608 * (v + 0.044715 * v * v * v))));
  }
  call.close<float>(0, 1e-6);
}

void registerBound(Call& call) {
  for (double& x : call.buffer<double>(0)) x = std::sqrt(x);
}

// ---- short floats -------------------------------------------------------------------------------

// Every step is rounded to half precision.
void halfMath(Call& call) {
  const auto a = call.buffer<Half>(0);
  const auto b = call.buffer<Half>(1);
  const auto rounded16 = [](double value) {
    return static_cast<float>(Half(static_cast<float>(value)));
  };
  const auto low = [&](int i) {
    const float x = static_cast<float>(a[2 * i]), y = static_cast<float>(b[2 * i]);
    float r = rounded16(std::max(0.0, static_cast<double>(x) * static_cast<double>(y) +
                                          static_cast<double>(std::max(x, y))));
    r = rounded16(static_cast<double>(r) +
                  static_cast<double>(rounded16(std::exp2(static_cast<double>(rounded16(
                      std::clamp(static_cast<double>(x) * static_cast<double>(y), 0.0, 1.0)))))));
    const bool bothGreater =
        x > y && static_cast<float>(a[2 * i + 1]) > static_cast<float>(b[2 * i + 1]);
    if (bothGreater) r = -r;
    return std::min(r, rounded16(1.0 / static_cast<double>(std::fabs(y))));
  };
  for (int i = 0; i < call.integer(3); ++i) {
    call.buffer<Half>(2)[2 * i] = Half(low(i));
    call.buffer<Half>(2)[2 * i + 1] = Half(std::tanh(static_cast<float>(a[2 * i])));
  }
  call.close<Half>(2, 2e-3);
}

void bfloatMath(Call& call) {
  const auto a = call.buffer<Bfloat>(0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const float x = static_cast<float>(a[i]);
    call.buffer<Bfloat>(1)[i] = Bfloat(x * x + (i % 2 == 0 ? 1.0f : -1.0f));
    call.buffer<float>(2)[i] = x;
  }
  call.close<Bfloat>(1, 4e-3);
}

// The nearest number of a format of eight bits, ties to the even code, saturating.
std::uint8_t toFloat8(float value, int mantissaBits, int bias, int largest) {
  const auto decode = [&](int code) {
    const int exponent = code >> mantissaBits, mantissa = code & ((1 << mantissaBits) - 1);
    return exponent == 0
               ? std::ldexp(mantissa, 1 - bias - mantissaBits)
               : std::ldexp(mantissa + (1 << mantissaBits), exponent - bias - mantissaBits);
  };
  const double magnitude = std::fabs(static_cast<double>(value));
  int code = 0;
  while (code < largest && decode(code + 1) <= magnitude) ++code;
  if (code < largest) {
    const double below = magnitude - decode(code), above = decode(code + 1) - magnitude;
    if (above < below || (above == below && code % 2 == 1)) ++code;
  }
  return static_cast<std::uint8_t>(code | (std::signbit(value) ? 0x80 : 0));
}

void toFp8(Call& call) {
  const auto in = call.buffer<float>(0);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::uint8_t e4m3 = toFloat8(in[i], 3, 7, 0x7e);
    call.buffer<std::uint8_t>(1)[i] = e4m3;
    call.buffer<std::uint8_t>(2)[i] = toFloat8(in[i], 2, 15, 0x7b);
    const int exponent = e4m3 >> 3 & 15, mantissa = e4m3 & 7;
    const double back =
        exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(mantissa + 8, exponent - 10);
    call.buffer<Half>(3)[i] = Half(static_cast<float>((e4m3 & 0x80) != 0 ? -back : back));
  }
}

void dotHalf(Call& call) {
  float sum = 0;
  for (int i = 0; i < call.integer(3); ++i) {
    sum +=
        static_cast<float>(call.buffer<Half>(0)[i]) * static_cast<float>(call.buffer<Half>(1)[i]);
  }
  call.buffer<float>(2)[0] = 2 * sum;
}

void scatterAdd(Call& call) {
  const auto index = call.buffer<std::int32_t>(0);
  for (std::size_t i = 0; i < index.size(); ++i) {
    for (int k = 0; k < 2; ++k) {
      const float value = static_cast<float>(call.buffer<Half>(1)[2 * i + k]);
      Half& half = call.buffer<Half>(2)[2 * index[i] + k];
      Bfloat& other = call.buffer<Bfloat>(3)[2 * index[i] + k];
      half = Half(static_cast<float>(half) + value);
      other = Bfloat(static_cast<float>(other) + value);
    }
  }
}

// ---- tables -------------------------------------------------------------------------------------

void filter(Call& call) {
  const double gauss[] = {0.0044, 0.0540, 0.2420, 0.3989, 0.2420, 0.0540, 0.0044};
  const auto in = call.buffer<float>(0);
  for (std::size_t i = 3; i + 3 < in.size(); ++i) {
    double sum = 0;
    for (int k = 0; k < 7; ++k) sum += gauss[k] * static_cast<double>(in[i + k - 3]);
    call.buffer<float>(1)[i] = static_cast<float>(sum);
  }
  call.close<float>(1, 1e-6);
}

void substitute(Call& call) {
  constexpr std::uint32_t kBox[] = {12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2};
  for (std::uint32_t& word : call.buffer<std::uint32_t>(0)) {
    std::uint32_t result = 0;
    for (int k = 0; k < 32; k += 4) result |= kBox[word >> k & 15] << k;
    word = result;
  }
}

void evaluate(Call& call) {
  for (double& x : call.buffer<double>(0)) {
    x = 1 - 0.5 * x * x + std::pow(x, 4) / 24 - std::pow(x, 6) / 720 + 7 * 2.5;
  }
  call.close<double>(0, 1e-14);
}

void follow(Call& call) {
  constexpr std::string_view kMessage = "corpus\n";
  for (std::size_t t = 0; t < call.block().x; ++t) {
    // *counterPointer, and the first element after rowPointer[0] or rowPointer[1].
    call.buffer<std::int32_t>(0)[t] = 42 + (t % 2 == 0 ? 1 : 5) + kMessage[t % 7];
  }
  call.variable<std::int32_t>("managedTotal")[0] += static_cast<std::int32_t>(call.block().x);
}

// ---- hashing ------------------------------------------------------------------------------------

std::uint32_t mix(std::uint32_t k) {
  k ^= k >> 16;
  k *= 0x85ebca6bu;
  k ^= k >> 13;
  k *= 0xc2b2ae35u;
  return k ^ k >> 16;
}

// Which pair is where depends on the order, but not which slots are taken.
void insertPairs(Call& call) {
  const auto table = call.buffer<std::uint64_t>(0);
  for (int i = 0; i < call.integer(4); ++i) {
    const std::uint64_t key = call.buffer<std::uint32_t>(2)[i];
    std::size_t slot = mix(call.buffer<std::uint32_t>(2)[i]) % table.size();
    while (table[slot] != ~std::uint64_t{0}) slot = (slot + 1) % table.size();
    table[slot] = key << 32 | call.buffer<std::uint32_t>(3)[i];
  }
  call.unordered<std::uint64_t>(0, 0, table.size());
}

void findValues(Call& call) {
  for (int i = 0; i < call.integer(4); ++i) {
    std::uint32_t& found = call.buffer<std::uint32_t>(3)[i] = ~0u;
    for (const std::uint64_t entry : call.buffer<std::uint64_t>(0)) {
      if (entry >> 32 == call.buffer<std::uint32_t>(2)[i])
        found = static_cast<std::uint32_t>(entry);
    }
  }
}

void lockedAppend(Call& call) {
  int count = 0;
  for (const std::int32_t value : call.buffer<std::int32_t>(3)) {
    if (value > 0) call.buffer<std::int32_t>(1)[count++] = value;
  }
  call.buffer<std::int32_t>(2)[0] = call.buffer<std::int32_t>(2)[1] = count;
  call.unordered<std::int32_t>(1, 0, count);
}

void bloomInsert(Call& call) {
  for (const std::uint32_t key : call.buffer<std::uint32_t>(2)) {
    for (std::uint32_t h = 0; h < 3; ++h) {
      const std::uint32_t bit = mix(key + h * 0x9e3779b9u) % call.scalar<std::uint32_t>(1);
      call.buffer<std::uint32_t>(0)[bit / 32] |= 1u << bit % 32;
    }
  }
}

constexpr Reference kReferences[] = {
    {"bit_tricks/fields", fields},
    {"bit_tricks/dotBytes", dotBytes},
    {"bit_tricks/crc32", crc32},
    {"bit_tricks/sha256Rounds", sha256Rounds},
    {"wide_integers/add256", add256},
    {"wide_integers/multiply64Wide", multiply64Wide},
    {"wide_integers/products128", products128},
    {"wide_integers/quotients", quotients},
    {"wide_integers/modularPower", modularPower},
    {"double_math/specialFunctions", specialFunctions},
    {"double_math/sineTable", sineTable},
    {"double_math/roundings", roundings},
    {"double_math/daxpyDot", daxpyDot},
    {"double_math/compareAndSwapMax", compareAndSwapMax},
    {"block_stride/gelu", gelu},
    {"launch_bounds/registerBound", registerBound},
    {"half_precision/halfMath", halfMath},
    {"half_precision/bfloatMath", bfloatMath},
    {"half_precision/toFp8", toFp8},
    {"half_precision/dotHalf", dotHalf},
    {"half_precision/scatterAdd", scatterAdd},
    {"constant_tables/filter", filter},
    {"constant_tables/substitute", substitute},
    {"constant_tables/evaluate", evaluate},
    {"constant_tables/follow", follow},
    {"hash_table/insertPairs", insertPairs},
    {"hash_table/findValues", findValues},
    {"hash_table/lockedAppend", lockedAppend},
    {"hash_table/bloomInsert", bloomInsert},
};

}  // namespace

std::span<const Reference> numericReferences() {
  return kReferences;
}

}  // namespace ptxopt::interp
