// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "product_reference.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace ptxopt::interp {

double decode(const NumberFormat& format, std::uint32_t bits) {
  if (format.exponent == 0) {
    if (format.bits == 32) return static_cast<std::int32_t>(bits);
    return format.isSigned ? static_cast<std::int8_t>(bits) : static_cast<std::uint8_t>(bits);
  }
  const int width = 1 + format.exponent + format.mantissa;
  if (format.name == "tf32") bits >>= 13;
  const double sign = (bits >> (width - 1) & 1) != 0 ? -1 : 1;
  const int exponent = static_cast<int>(bits >> format.mantissa & ((1u << format.exponent) - 1));
  const int mantissa = static_cast<int>(bits & ((1u << format.mantissa) - 1));
  const int last = (1 << format.exponent) - 1;
  const bool hasInfinity = format.exponent >= 5;
  if (hasInfinity && exponent == last) {
    return mantissa != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  }
  if (format.name == "e4m3" && exponent == last && mantissa == 7) return std::nan("");
  const int bias = (1 << (format.exponent - 1)) - 1;
  const int whole = exponent == 0 ? mantissa : mantissa + (1 << format.mantissa);
  return sign * std::ldexp(whole, (exponent == 0 ? 1 : exponent) - bias - format.mantissa);
}

std::uint32_t encodeHalf(double value) {
  const std::uint32_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return 0x7fff;
  double magnitude = std::fabs(value);
  if (magnitude >= 65520) return sign | 0x7c00;
  const int exponent = magnitude < std::ldexp(1, -14) ? -14 : std::ilogb(magnitude);
  const auto units =
      static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  // A carry into the exponent is what rounding up to the next power of two must do.
  return sign | (units + (static_cast<std::uint32_t>(exponent + 14) << 10));
}

// ---- shared memory ------------------------------------------------------------------------------

std::uint64_t ProductLayout::descriptor() const {
  const auto field = [](int bytes) { return static_cast<std::uint64_t>(bytes & 0x3ffff) / 16; };
  std::uint64_t mode = 0;
  if (swizzle == 128) mode = chunk == 32 ? 1 : 2;
  if (swizzle == 64) mode = 4;
  if (swizzle == 32) mode = 6;
  return field(start) | field(leading) << 16 | field(stride) << 32 | std::uint64_t{1} << 46 |
         static_cast<std::uint64_t>(base) << 49 | mode << 61;
}

int ProductLayout::addressOf(int line, int along, int byte) const {
  const int width = swizzle == 0 ? 16 : swizzle;
  const int lines = chunk == 32 ? 4 : 8;
  int at = start + line % lines * width + along % width + byte;
  if (isKMajor) {
    at += line / lines * stride + along / width * (swizzle == 0 ? leading : width);
  } else if (swizzle == 0) {
    at += line / lines * leading + along / width * stride;
  } else {
    at += line / lines * stride + along / width * leading;
  }
  if (swizzle == 0) return at;
  const int row = (at / 128 - base) & (swizzle / chunk - 1);
  return at ^ row * chunk;
}

// ---- the instruction descriptor -----------------------------------------------------------------

std::uint32_t ProductCase::instruction() const {
  std::uint32_t bits = a.code << 7 | b.code << 10;
  if (isSparse) bits += 4u + static_cast<std::uint32_t>(selector);
  if (negatesA) bits += 1u << 13;
  if (negatesB) bits += 1u << 14;
  if (!layoutA.isKMajor && !isStored) bits += 1u << 15;
  if (!layoutB.isKMajor) bits += 1u << 16;
  bits += static_cast<std::uint32_t>(n / 8) << 17;
  if (scales == 0) {
    if (saturates) bits += 8;
    return bits + (d.code << 4) + (static_cast<std::uint32_t>(m / 16) << 24);
  }
  bits += static_cast<std::uint32_t>(scaleIdB) << 4;
  if (!scalesAreUE4M3) bits += 1u << 23;
  return bits + (static_cast<std::uint32_t>(m / 128) << 27) +
         (static_cast<std::uint32_t>(scaleIdA) << 29);
}

std::string ProductCase::text() const {
  const auto layout = [](const ProductLayout& l) {
    return std::string(l.isKMajor ? "K" : "MN") + std::to_string(l.swizzle) + "/" +
           std::to_string(l.chunk) + " at " + std::to_string(l.start) + " leading " +
           std::to_string(l.leading) + " stride " + std::to_string(l.stride) + " base " +
           std::to_string(l.base);
  };
  return kind + " " + std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) + " " +
         a.name + " " + b.name + " " + d.name + " ctas " + std::to_string(ctas) +
         (isWeightStationary ? " ws" : "") +
         (isSparse ? " sparse " + std::to_string(selector) : "") +
         (isStored ? " stored" : " " + layout(layoutA)) + " " + layout(layoutB) +
         (hasZeroColumns ? " mask " + std::to_string(zeroColumns) : "") +
         (accumulates ? " + D" : "") + " shift " + std::to_string(shift) + " scales " +
         std::to_string(scales);
}

// ---- the product --------------------------------------------------------------------------------

namespace {

// Element (row, k) of a matrix, row by row.
std::uint32_t sharedBits(const ProductCase& test, const NumberFormat& format,
                         const ProductLayout& layout, const std::vector<std::uint8_t>& shared,
                         int mn, int k) {
  const int inPiece = test.isPacked() ? 32 : 16 / std::max(1, format.bits / 8);
  const int line = layout.isKMajor ? mn : k;
  const int place = layout.isKMajor ? k : mn;
  const int piece = place / inPiece;
  const int bit = place % inPiece * format.bits;
  std::uint32_t result = 0;
  for (int j = 0; j < format.bits; ++j) {
    const int address = layout.addressOf(line, piece * 16, (bit + j) / 8);
    const auto byte = shared.at(static_cast<std::size_t>(address - kSharedStart));
    result |= static_cast<std::uint32_t>(byte >> (bit + j) % 8 & 1) << j;
  }
  return result;
}

struct Word {
  int lane = 0;
  int column = 0;
};
// Where D[row][column] of one CTA is, by the figures of the manual.
Word placeOf(const ProductCase& test, int row, int column) {
  const int rows = test.m / test.ctas;
  if (rows == 128) return {row, column};
  if (rows == 32) return {row + 32 * (column / (test.n / 4)), column % (test.n / 4)};
  const bool isFolded = test.ctas == 2 || test.isWeightStationary;
  if (isFolded) return {column < test.n / 2 ? row : row + 64, column % (test.n / 2)};
  return {row % 16 + row / 16 * 32, column};
}

double scaleAt(const ProductCase& test, ProductMemory& memory, int first, int id, int lanes,
               int index, int k) {
  const int block = test.k / test.scales;
  const std::uint32_t word = memory.word(32 * lanes + index % 32, first + index / 32);
  const std::uint32_t bits = word >> 8 * (id + k / block) & 0xff;
  if (test.scalesAreUE4M3) return decode({"e4m3", 8, 4, 3}, bits & 0x7f);
  return bits == 255 ? std::nan("") : std::ldexp(1.0, static_cast<int>(bits) - 127);
}

std::uint32_t rounded(const ProductCase& test, double value) {
  if (test.d.name == "f16") return encodeHalf(value);
  if (test.d.name == "s32") {
    if (test.saturates) value = std::fmax(-2147483648.0, std::fmin(2147483647.0, value));
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(value) & 0xffffffff);
  }
  const auto single = static_cast<float>(value);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &single, sizeof bits);
  return bits;
}

// Of each stored element of A, row by row: its k.  Goes through the bits of the metadata, and says
// for each four of them which chunk of which row they are about.
std::vector<int> placesIn(const ProductCase& test, ProductMemory& memory) {
  std::vector<int> places(static_cast<std::size_t>(kProductLanes * test.storedDepth()));
  const bool isShared = test.kind == "f16" || test.kind == "tf32";
  for (int lane = 0; lane < kProductLanes; ++lane) {
    for (int nibble = 0; nibble < (isShared ? 8 : 16); ++nibble) {
      int row = lane;
      int chunk = nibble;
      int column = test.columnMetadata + nibble / 8;
      if (isShared) {
        row = lane - lane % 16 + lane % 8 + (nibble >= 4 ? 8 : 0);
        chunk = nibble % 4 + (lane % 16 >= 8 ? 4 : 0);
        column = test.columnMetadata + test.selector;
      }
      const auto bits = static_cast<int>(memory.word(lane, column) >> nibble % 8 * 4 & 15);
      std::vector<int> chosen = {bits % 4, bits / 4};
      if (test.kind == "tf32") chosen = {bits == 14 ? 1 : 0};
      if (test.isPacked()) {
        chosen = {bits % 4 * 2, bits % 4 * 2 + 1, bits / 4 * 2, bits / 4 * 2 + 1};
      }
      for (std::size_t j = 0; j < chosen.size(); ++j) {
        const auto index = static_cast<std::size_t>(chunk) * chosen.size() + j;
        places[static_cast<std::size_t>(row * test.storedDepth()) + index] =
            chunk * 2 * static_cast<int>(chosen.size()) + chosen[j];
      }
    }
  }
  return places;
}

// The spans of the mask, written out one after the other, without the first `start` columns: see
// the examples of PTX ISA 9.7.18.4.3.
std::vector<bool> zeroColumnsOf(const ProductCase& test) {
  std::vector<bool> all;
  const auto byte = [&](int k) { return static_cast<int>(test.zeroColumns >> 8 * k & 255); };
  const bool isMask = (test.zeroColumns >> 39 & 1) != 0;
  const int parts = test.m == 128 ? 1 : test.m == 64 ? 2 : 4;
  for (int part = 0; part < parts; ++part) {
    std::vector<bool> spans;
    bool isZero = (test.zeroColumns >> (32 + part) & 1) != 0;
    while (static_cast<int>(spans.size()) < byte(part) + test.n) {
      spans.insert(spans.end(), static_cast<std::size_t>(byte(isZero ? 5 : 6) + 1), isZero);
      isZero = !isZero;
    }
    const auto begin = spans.begin() + byte(part);
    all.insert(all.end(), begin, begin + test.n / parts);
  }
  if (!isMask) all.assign(all.size(), false);
  return all;
}

}  // namespace

void multiplyReference(const ProductCase& test, std::vector<ProductMemory>& ctas) {
  const int rows = test.m / test.ctas;
  const int columns = test.n / test.ctas;
  const std::vector<ProductMemory> before = ctas;
  const auto elementA = [&](int row, int k) {
    ProductMemory& memory = ctas[static_cast<std::size_t>(row / rows)];
    const int inCta = row % rows;
    std::uint32_t bits = 0;
    if (test.isStored) {
      const int lane = placeOf(test, inCta, 0).lane + test.laneD;
      const int width = std::max(test.isPacked() ? 4 : 8, test.a.bits);
      bits = memory.word(lane, test.columnA + k * width / 32) >> k * width % 32;
      if (width < 32) bits &= (1u << width) - 1;
    } else {
      bits = sharedBits(test, test.a, test.layoutA, memory.shared, inCta, k);
    }
    return decode(test.a, bits) * (test.negatesA ? -1 : 1);
  };
  std::vector<double> a;
  std::vector<double> b;
  for (int row = 0; row < test.m; ++row) {
    for (int k = 0; k < test.storedDepth(); ++k) a.push_back(elementA(row, k));
  }
  const std::vector<bool> isZero = zeroColumnsOf(test);
  for (int column = 0; column < test.n; ++column) {
    const auto& shared = before[static_cast<std::size_t>(column / columns)].shared;
    const int inMemory = column % columns + test.columnShift();
    for (int k = 0; k < test.k; ++k) {
      const double value =
          decode(test.b, sharedBits(test, test.b, test.layoutB, shared, inMemory, k));
      const bool skips = test.hasZeroColumns && isZero[static_cast<std::size_t>(column)];
      b.push_back(skips ? 0 : value * (test.negatesB ? -1 : 1));
    }
  }
  std::vector<ProductMemory> old = before;
  std::vector<std::vector<int>> places;
  for (ProductMemory& memory : old) {
    if (test.isSparse) places.push_back(placesIn(test, memory));
  }
  for (int row = 0; row < test.m; ++row) {
    const auto cta = static_cast<std::size_t>(row / rows);
    for (int column = 0; column < test.n; ++column) {
      const Word at = placeOf(test, row % rows, column);
      const int lane = at.lane + test.laneD;
      const std::size_t bit = cta * 128 + static_cast<std::size_t>(lane);
      if (!test.disabled.empty() && (test.disabled[bit / 32] >> bit % 32 & 1) != 0) continue;
      std::uint32_t& word = ctas[cta].word(lane, test.columnD + at.column);
      double sum = 0;
      if (test.accumulates) {
        const std::uint32_t bits = test.d.bits == 16 ? word & 0xffff : word;
        sum = std::ldexp(decode(test.d, bits), -test.shift);
      }
      for (int stored = 0; stored < test.storedDepth(); ++stored) {
        const auto inCta = static_cast<std::size_t>(row % rows * test.storedDepth() + stored);
        const int k = test.isSparse ? places[cta][inCta] : stored;
        double x = a[static_cast<std::size_t>(row * test.storedDepth() + stored)];
        double y = b[static_cast<std::size_t>(column * test.k + k)];
        if (test.scales != 0) {
          const int lanes = row % rows / 32;
          x *= scaleAt(test, old[cta], test.columnScalesA, test.scaleIdA, lanes, row % rows, k);
          y *= scaleAt(test, old[cta], test.columnScalesB, test.scaleIdB, lanes, column, k);
        }
        sum += x * y;
      }
      word = rounded(test, sum);
    }
  }
}

}  // namespace ptxopt::interp
