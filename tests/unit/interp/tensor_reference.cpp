// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor_reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>

namespace ptxopt::interp {

namespace {

using Index = std::vector<std::int64_t>;

int bitsOfType(const std::string& type) {
  if (type.starts_with("b4")) return 4;
  if (type.starts_with("b6")) return 6;
  if (type == "u8") return 8;
  if (type == "u16" || type == "f16" || type == "bf16") return 16;
  if (type == "u64" || type == "s64" || type == "f64") return 64;
  return 32;
}

// Bits of an element in memory, or of a slice.
int unitBits(const TensorShape& shape) {
  return shape.slice != 0 ? shape.slice * 8 : bitsOfType(shape.type);
}

std::string joined(const auto& numbers) {
  std::string text;
  for (const auto number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

// ---- which elements, in the order of shared memory ----------------------------------------------

// The elements of each line, by their coordinates.
using Lines = std::vector<std::vector<Index>>;

std::vector<Index> channelsFrom(const Index& first, std::uint32_t count, std::uint32_t step) {
  std::vector<Index> line;
  for (std::uint32_t c = 0; c < count; c += step) {
    Index at = first;
    at[0] += c;
    line.push_back(at);
  }
  return line;
}

void boxLines(const TensorShape& shape, const Index& start, std::size_t dimension, Index at,
              Lines& lines) {
  if (dimension == 0) {
    at[0] = start[0];
    const std::uint32_t step = shape.slice != 0 ? shape.elementStrides[0] : 1;
    lines.push_back(channelsFrom(at, shape.box[0], step));
    return;
  }
  for (std::uint32_t k = 0; k < shape.box[dimension]; k += shape.elementStrides[dimension]) {
    at[dimension] = start[dimension] + k;
    boxLines(shape, start, dimension - 1, at, lines);
  }
}

// Loops over N, D, H and W; the first round of each begins at the coordinate of the copy.
Lines imageLines(const TensorShape& shape, const TensorMove& move) {
  const std::size_t rank = shape.dims.size();
  const std::size_t image = shape.isWide ? 1 : rank - 2;
  std::uint32_t wanted = move.isW128 ? 128 : shape.pixels;
  const std::int64_t shift = shape.isWide ? move.offsets[1] : 0;
  if (shape.isWide) wanted += move.offsets[0];
  Index start(move.coordinates.begin(), move.coordinates.end());
  start[1] += shift;
  Index low(3, 0), high(3, 1), step(3, 1), begin(3, 0);
  for (std::size_t k = 0; k < image; ++k) {
    low[k] = shape.lower[k] + shift;
    high[k] = static_cast<std::int64_t>(shape.dims[k + 1]) + shape.upper[k] + shift;
    step[k] = shape.elementStrides[k + 1];
    begin[k] = start[k + 1];
  }
  Lines lines;
  bool isFirstW = true, isFirstH = true, isFirstD = true;
  for (std::int64_t n = start[rank - 1];; n += shape.elementStrides[rank - 1]) {
    for (std::int64_t d = isFirstD ? begin[2] : low[2]; d < high[2]; d += step[2]) {
      isFirstD = false;
      for (std::int64_t h = isFirstH ? begin[1] : low[1]; h < high[1]; h += step[1]) {
        isFirstH = false;
        for (std::int64_t w = isFirstW ? begin[0] : low[0]; w < high[0]; w += step[0]) {
          isFirstW = false;
          Index at = start;
          const Index walk{w, h, d};
          for (std::size_t k = 0; k < image; ++k) {
            at[k + 1] = walk[k] + (shape.isWide ? 0 : move.offsets[k]);
          }
          at[rank - 1] = n;
          lines.push_back(channelsFrom(at, shape.channels, 1));
          if (lines.size() == wanted) return lines;
        }
      }
    }
  }
}

Lines linesOf(const TensorShape& shape, const TensorMove& move) {
  if (shape.isImage) return imageLines(shape, move);
  Lines lines;
  if (move.isFourRows) {
    for (std::size_t row = 1; row <= 4; ++row) {
      lines.push_back(channelsFrom({move.coordinates[0], move.coordinates[row]}, shape.box[0], 1));
    }
    return lines;
  }
  const Index start(move.coordinates.begin(), move.coordinates.end());
  boxLines(shape, start, shape.dims.size() - 1, start, lines);
  return lines;
}

bool isInside(const TensorShape& shape, const Index& at) {
  for (std::size_t k = 0; k < at.size(); ++k) {
    if (at[k] < 0 || at[k] >= static_cast<std::int64_t>(shape.dims[k])) return false;
  }
  return true;
}

std::uint64_t bitOffset(const TensorShape& shape, const Index& at) {
  std::uint64_t bits = static_cast<std::uint64_t>(at[0]) * static_cast<unsigned>(unitBits(shape));
  for (std::size_t k = 1; k < at.size(); ++k) {
    bits += 8 * static_cast<std::uint64_t>(at[k]) * shape.strides[k - 1];
  }
  return bits;
}

bool bitAt(const std::vector<std::uint8_t>& bytes, std::uint64_t bit) {
  return (bytes.at(bit / 8) >> bit % 8 & 1) != 0;
}

void setBit(std::vector<std::uint8_t>& bytes, std::uint64_t bit, bool value) {
  const auto mask = static_cast<std::uint8_t>(1u << bit % 8);
  bytes.at(bit / 8) =
      static_cast<std::uint8_t>(value ? bytes.at(bit / 8) | mask : bytes.at(bit / 8) & ~mask);
}

// ---- shared memory ------------------------------------------------------------------------------

// Where element k of a line lies, in bits.  16 elements of a padded type take 16 bytes.
std::uint64_t placeInLine(const TensorShape& shape, std::size_t k, bool isStore) {
  const auto bits = static_cast<std::uint64_t>(unitBits(shape));
  const bool isSix = shape.type == "b6x16_p32";
  if (shape.type != "b4x16_p64" && !isSix) return k * bits;
  return k / 16 * 128 + k % 16 * (isSix && isStore ? 8 : bits);
}

std::uint32_t swizzleWidth(const std::string& swizzle) {
  return swizzle == "none" ? 0 : swizzle == "32B" ? 32 : swizzle == "64B" ? 64 : 128;
}

std::uint64_t lineBytes(const TensorShape& shape, std::size_t elements) {
  const bool isPadded = shape.type == "b4x16_p64" || shape.type == "b6x16_p32";
  const std::uint64_t bytes =
      isPadded ? elements : elements * static_cast<unsigned>(unitBits(shape)) / 8;
  return std::max<std::uint64_t>(bytes, swizzleWidth(shape.swizzle));
}

// The tables of PTX ISA 5.5.7: for each 128 bytes, which 16 bytes are where.
std::vector<std::string> patternOf(const std::string& swizzle) {
  if (swizzle == "32B") return {"01234567", "10325476"};
  if (swizzle == "64B") return {"01234567", "10325476", "23016745", "32107654"};
  if (swizzle == "128B") {
    return {"01234567", "10325476", "23016745", "32107654",
            "45670123", "54761032", "67452301", "76543210"};
  }
  if (swizzle == "128B_ATOM_64B") return {"01234567", "45670123"};
  return {"01234567", "23016745", "45670123", "67452301"};  // 32-byte atoms
}

// The place of a byte after the swizzle.  `address`: of its place before, modulo 1024.
std::uint64_t swizzledPlace(const std::string& swizzle, std::uint64_t address) {
  if (swizzle == "none") return address;
  const std::vector<std::string> pattern = patternOf(swizzle);
  const std::string& row = pattern[address / 128 % pattern.size()];
  const auto cell = static_cast<char>('0' + address % 128 / 16);
  const std::uint64_t to = row.find(cell);
  std::uint64_t within = address % 16;
  const bool flips = swizzle == "128B_ATOM_32B_FLIP_8B" && address / 128 % 2 == 1;
  if (flips) within = (within + 8) % 16;
  return address / 128 * 128 + to * 16 + within;
}

// ---- values -------------------------------------------------------------------------------------

// To the nearest number with 11 significant bits, or 10 fraction bits of a subnormal one.
std::uint32_t roundedToTf32(std::uint32_t bits) {
  const float value = std::bit_cast<float>(bits);
  if (std::isnan(value)) return 0x7fffe000;
  if (std::isinf(value) || value == 0) return bits;
  const int exponent = std::max(std::ilogb(value), -126);
  const double scale = std::ldexp(1.0, exponent - 10);
  const auto result = static_cast<float>(std::nearbyint(double{value} / scale) * scale);
  return std::bit_cast<std::uint32_t>(std::copysign(result, value));
}

// Halves are small whole numbers in the tests, so that any order of operations is exact.
double halfValue(const std::string& type, std::uint64_t bits) {
  if (type == "bf16") return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double fraction = static_cast<double>(bits & 1023);
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

std::uint64_t halfBits(const std::string& type, double value) {
  const std::uint64_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (type == "bf16") {
    return std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16;
  }
  if (magnitude == 0) return sign;
  const int exponent = std::ilogb(magnitude);
  const auto fraction = static_cast<std::uint64_t>(std::ldexp(magnitude, 10 - exponent));
  return sign | static_cast<std::uint64_t>(exponent + 15) << 10 | (fraction & 1023);
}

template <class T>
std::uint64_t reduceInteger(const std::string& reduction, std::uint64_t old, std::uint64_t with) {
  const T a = static_cast<T>(old), b = static_cast<T>(with);
  if (reduction == "add") return static_cast<T>(old + with);
  if (reduction == "min") return static_cast<std::uint64_t>(b < a ? b : a);
  if (reduction == "max") return static_cast<std::uint64_t>(a < b ? b : a);
  if (reduction == "and") return old & with;
  if (reduction == "or") return old | with;
  if (reduction == "xor") return old ^ with;
  if (reduction == "inc") return a >= b ? 0 : static_cast<std::uint64_t>(a + 1);
  return a == 0 || a > b ? static_cast<std::uint64_t>(b) : static_cast<std::uint64_t>(a - 1);
}

std::uint64_t reduceValue(const std::string& type, const std::string& reduction, std::uint64_t old,
                          std::uint64_t with) {
  if (type == "u32") return reduceInteger<std::uint32_t>(reduction, old, with);
  if (type == "s32") return reduceInteger<std::int32_t>(reduction, old, with);
  if (type == "u64") return reduceInteger<std::uint64_t>(reduction, old, with);
  if (type == "s64") return reduceInteger<std::int64_t>(reduction, old, with);
  if (type == "f32" || type == "f32.ftz") {
    const auto flushed = [&](std::uint64_t bits) {
      const float value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      return type == "f32.ftz" && std::fpclassify(value) == FP_SUBNORMAL
                 ? std::copysign(0.0f, value)
                 : value;
    };
    const float sum = flushed(old) + flushed(with);
    return std::bit_cast<std::uint32_t>(flushed(std::bit_cast<std::uint32_t>(sum)));
  }
  const double a = halfValue(type, old), b = halfValue(type, with);
  return halfBits(type, reduction == "add"   ? a + b
                        : reduction == "min" ? std::min(a, b)
                                             : std::max(a, b));
}

}  // namespace

std::string TensorShape::text() const {
  std::string result = type + ":" + joined(dims);
  if (!strides.empty()) result += ":strides=" + joined(strides);
  result += ":elementStrides=" + joined(elementStrides) + ":swizzle=" + swizzle;
  if (slice != 0) result += ":interleave=" + std::to_string(slice) + "B";
  if (fillsWithNaN) result += ":fill=nan";
  if (!isImage) return result + ":box=" + joined(box);
  result += ":lower=" + joined(lower) + ":upper=" + joined(upper) +
            ":channels=" + std::to_string(channels) + ":pixels=" + std::to_string(pixels);
  return result + (isWide ? ":wide=1" : "");
}

std::uint64_t TensorShape::bytes() const {
  Index last;
  for (const std::uint64_t size : dims) last.push_back(static_cast<std::int64_t>(size) - 1);
  return (bitOffset(*this, last) + static_cast<unsigned>(unitBits(*this)) + 7) / 8;
}

std::uint32_t sharedExtent(const TensorShape& shape, const TensorMove& move) {
  const Lines lines = linesOf(shape, move);
  return static_cast<std::uint32_t>(lines.size() * lineBytes(shape, lines[0].size()));
}

LoadedImage loadTensor(const TensorShape& shape, const TensorMove& move,
                       const std::vector<std::uint8_t>& tensor) {
  const Lines lines = linesOf(shape, move);
  const auto bits = static_cast<std::uint64_t>(unitBits(shape));
  LoadedImage image;
  image.bytes.resize(lines.size() * lineBytes(shape, lines[0].size()));
  image.transactions = static_cast<std::uint32_t>(lines.size() * lines[0].size() * bits / 8);
  for (std::size_t line = 0; line < lines.size(); ++line) {
    for (std::size_t k = 0; k < lines[line].size(); ++k) {
      std::vector<std::uint8_t> unit((bits + 7) / 8);
      const bool inside = isInside(shape, lines[line][k]);
      for (std::uint64_t bit = 0; bit < bits; ++bit) {
        const bool isSet = inside ? bitAt(tensor, bitOffset(shape, lines[line][k]) + bit)
                                  : shape.fillsWithNaN && (0x7ff7 >> bit % 16 & 1) != 0;
        setBit(unit, bit, isSet);
      }
      const bool rounds = inside && shape.type.starts_with("tf32");
      for (std::size_t at = 0; rounds && at < unit.size(); at += 4) {
        std::uint32_t word = 0;
        std::memcpy(&word, unit.data() + at, 4);
        word = roundedToTf32(word);
        std::memcpy(unit.data() + at, &word, 4);
      }
      const std::uint64_t first =
          8 * line * lineBytes(shape, lines[0].size()) + placeInLine(shape, k, false);
      for (std::uint64_t bit = 0; bit < bits; ++bit) {
        const std::uint64_t address = move.phase * 128 + (first + bit) / 8;
        const std::uint64_t to = swizzledPlace(shape.swizzle, address) - move.phase * 128;
        std::optional<std::uint8_t>& byte = image.bytes.at(to);
        const std::uint8_t mask = static_cast<std::uint8_t>(1u << (first + bit) % 8);
        byte = static_cast<std::uint8_t>(bitAt(unit, bit) ? byte.value_or(0) | mask
                                                          : byte.value_or(0) & ~mask);
      }
    }
  }
  return image;
}

void storeTensor(const TensorShape& shape, const TensorMove& move, const std::string& reduction,
                 const std::vector<std::uint8_t>& shared, std::vector<std::uint8_t>& tensor) {
  const Lines lines = linesOf(shape, move);
  const auto bits = static_cast<std::uint64_t>(unitBits(shape));
  for (std::size_t line = 0; line < lines.size(); ++line) {
    for (std::size_t k = 0; k < lines[line].size(); ++k) {
      if (!isInside(shape, lines[line][k])) continue;
      const std::uint64_t first =
          8 * line * lineBytes(shape, lines[0].size()) + placeInLine(shape, k, true);
      const std::uint64_t to = bitOffset(shape, lines[line][k]);
      std::vector<std::uint8_t> unit((bits + 7) / 8);
      for (std::uint64_t bit = 0; bit < bits; ++bit) {
        const std::uint64_t address = move.phase * 128 + (first + bit) / 8;
        const std::uint64_t from = swizzledPlace(shape.swizzle, address) - move.phase * 128;
        setBit(unit, bit, bitAt(shared, 8 * from + (first + bit) % 8));
      }
      // A slice holds several elements.
      const std::size_t size = static_cast<std::size_t>(bitsOfType(shape.type)) / 8;
      for (std::size_t at = 0; !reduction.empty() && at < unit.size(); at += size) {
        std::uint64_t old = 0, with = 0;
        std::memcpy(&old, tensor.data() + to / 8 + at, size);
        std::memcpy(&with, unit.data() + at, size);
        const std::uint64_t result = reduceValue(shape.type, reduction, old, with);
        std::memcpy(unit.data() + at, &result, size);
      }
      for (std::uint64_t bit = 0; bit < bits; ++bit) setBit(tensor, to + bit, bitAt(unit, bit));
    }
  }
}

}  // namespace ptxopt::interp
