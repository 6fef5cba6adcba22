// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/tensor_product.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace ptxopt::interp {

// ---- elements -----------------------------------------------------------------------------------

int bitsInMemory(Element element) {
  return element == Element::E2M3 || element == Element::E3M2 ? 6 : bitsOf(element);
}

double numberOf(Element element, std::uint32_t bits) {
  switch (element) {
    case Element::U8:
      return static_cast<double>(bits & 0xff);
    case Element::S8:
      return static_cast<double>(static_cast<std::int8_t>(bits));
    case Element::S32:
      return static_cast<double>(static_cast<std::int32_t>(bits));
    default:
      return realOf(element, bits);
  }
}

std::uint32_t resultOf(Element element, double value, bool saturates) {
  if (element == Element::S32) {
    if (saturates) value = std::clamp<double>(value, INT32_MIN, INT32_MAX);
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
  }
  if (element == Element::F32 && !std::isnan(value)) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
  return static_cast<std::uint32_t>(fromReal(element, value));
}

// ---- the instruction descriptor -----------------------------------------------------------------

namespace {

using Kind = ProductKind;

std::uint32_t fieldOf(std::uint32_t bits, int first, int count) {
  return bits >> first & ((1u << count) - 1);
}

std::optional<Element> sourceOf(Kind kind, std::uint32_t code) {
  const auto oneOf = [&](std::uint32_t first, Element zero, Element one) -> std::optional<Element> {
    if (code == first) return zero;
    if (code == first + 1) return one;
    return std::nullopt;
  };
  const auto only = [&](std::uint32_t value, Element element) -> std::optional<Element> {
    if (code == value) return element;
    return std::nullopt;
  };
  switch (kind) {
    case Kind::F16:
      return oneOf(0, Element::F16, Element::BF16);
    case Kind::TF32:
      return only(2, Element::TF32);
    case Kind::I8:
      return oneOf(0, Element::U8, Element::S8);
    case Kind::MXF4:
    case Kind::MXF4NVF4:
      return only(1, Element::E2M1);
    default:
      if (code == 5) return Element::E2M1;
      if (code >= 3) return oneOf(3, Element::E2M3, Element::E3M2);
      return oneOf(0, Element::E4M3, Element::E5M2);
  }
}

std::optional<Element> accumulatorOf(const ProductContext& context, std::uint32_t bits) {
  if (context.hasScales()) return Element::F32;
  const std::uint32_t code = fieldOf(bits, 4, 2);
  const bool isInteger = context.kind == Kind::I8;
  if (isInteger && code == 2) return Element::S32;
  if (!isInteger && code == 1) return Element::F32;
  if (!isInteger && context.kind != Kind::TF32 && code == 0) return Element::F16;
  return std::nullopt;
}

bool hasRows(const ProductContext& context, int m) {
  if (context.isWeightStationary) return m == 32 || m == 64 || m == 128;
  if (context.hasScales() && (context.ctas == 1 || context.isSparse)) {
    return m == 128 * context.ctas;
  }
  return m == 64 * context.ctas || m == 128 * context.ctas;
}

bool hasColumns(const ProductContext& context, const InstructionDescriptor& descriptor) {
  const int n = descriptor.n;
  if (context.isWeightStationary) return n == 64 || n == 128 || (n == 256 && !context.isSparse);
  if (n == 0 || n > 256 || n % (8 * context.ctas) != 0) return false;
  const bool isInteger = context.kind == Kind::I8;
  if (isInteger && (context.ctas == 2 ? n % 32 != 0 : n > 32 && n % 16 != 0)) return false;
  const bool isNarrow = context.kind != Kind::F16 && context.kind != Kind::TF32;
  return !(descriptor.isBTransposed && isNarrow) || n % (16 * context.ctas) == 0;
}

int depthOf(const ProductContext& context) {
  const int bytes = context.isSparse ? 64 : 32;
  if (context.kind == Kind::F16) return bytes / 2;
  if (context.kind == Kind::TF32) return bytes / 4;
  return context.isPacked() ? bytes * 2 : bytes;
}

std::uint32_t reservedBits(const ProductContext& context) {
  if (context.isPacked()) return 3u | 1u << 3 | 1u << 6 | 1u << 12 | 7u << 24;
  if (context.hasScales()) return 3u | 1u << 3 | 1u << 6 | 7u << 24 | 1u << 31;
  return 1u << 6 | 1u << 23 | 1u << 29;
}

std::string checkFlags(std::uint32_t bits, const ProductContext& context) {
  if ((bits & reservedBits(context)) != 0) return "has reserved bits that are not 0";
  if ((fieldOf(bits, 2, 1) != 0) != context.isSparse) {
    return context.isSparse ? "says dense, the instruction .sp" : "says sparse, without .sp";
  }
  if (context.isPacked() && fieldOf(bits, 15, 2) != 0) return "transposes elements of 4 bits";
  if (context.isPacked() && fieldOf(bits, 31, 1) != 0) return "has a K of 96, which is unsupported";
  if (context.hasScales()) return {};
  const bool isInteger = context.kind == Kind::I8;
  if (!isInteger && fieldOf(bits, 3, 1) != 0) return "saturates a kind that is not .kind::i8";
  if (isInteger && fieldOf(bits, 13, 2) != 0) return "negates a matrix of .kind::i8";
  if (!context.isWeightStationary && fieldOf(bits, 30, 2) != 0) {
    return "has a shift for reuse of B, without .ws";
  }
  return {};
}

// What only kinds with block scaling have.
std::string readScales(std::uint32_t bits, const ProductContext& context,
                       InstructionDescriptor& result) {
  result.scaleIdA = static_cast<int>(fieldOf(bits, 29, 2));
  result.scaleIdB = static_cast<int>(fieldOf(bits, 4, 2));
  result.scalesAreUE4M3 = fieldOf(bits, 23, 1) == 0;
  if (result.scalesAreUE4M3 && (context.kind != Kind::MXF4NVF4 || context.scales != 4)) {
    return "has scales of UE4M3, which the kind does not have";
  }
  if (result.scaleIdA % context.scales != 0 || result.scaleIdB % context.scales != 0) {
    return "has a scale factor ID that is no multiple of the number of scale factors";
  }
  return {};
}

}  // namespace

std::variant<InstructionDescriptor, std::string> decodeInstruction(std::uint32_t bits,
                                                                   const ProductContext& context) {
  if (context.isWeightStationary && context.ctas != 1) return "is of .ws with .cta_group::2";
  if (std::string problem = checkFlags(bits, context); !problem.empty()) return problem;
  const auto d = accumulatorOf(context, bits);
  const auto a = sourceOf(context.kind, fieldOf(bits, 7, 3));
  const auto b = sourceOf(context.kind, fieldOf(bits, 10, context.isPacked() ? 2 : 3));
  if (!d) return "has a type of D that the kind does not have";
  if (!a) return "has a type of A that the kind does not have";
  if (!b) return "has a type of B that the kind does not have";
  if (*d == Element::F16 && (*a == Element::BF16 || *b == Element::BF16)) {
    return "has bf16 operands and an f16 result";
  }
  InstructionDescriptor result;
  result.m = context.hasScales() ? static_cast<int>(fieldOf(bits, 27, 2)) << 7
                                 : static_cast<int>(fieldOf(bits, 24, 5)) << 4;
  result.n = static_cast<int>(fieldOf(bits, 17, 6)) << 3;
  result.isATransposed = fieldOf(bits, 15, 1) != 0;
  result.isBTransposed = fieldOf(bits, 16, 1) != 0;
  if (!hasRows(context, result.m)) return "has an invalid M: " + std::to_string(result.m);
  if (!hasColumns(context, result)) return "has an invalid N: " + std::to_string(result.n);
  result.k = depthOf(context);
  result.a = *a;
  result.b = *b;
  result.d = *d;
  result.negatesA = fieldOf(bits, 13, 1) != 0;
  result.negatesB = fieldOf(bits, 14, 1) != 0;
  if (context.hasScales()) {
    if (std::string problem = readScales(bits, context, result); !problem.empty()) return problem;
    return result;
  }
  result.saturates = fieldOf(bits, 3, 1) != 0;
  result.sparsitySelector = static_cast<int>(fieldOf(bits, 0, 2));
  constexpr int kShifts[] = {0, 8, 16, 32};
  result.reuseShift = kShifts[fieldOf(bits, 30, 2)];
  return result;
}

// The names of the fields and the examples of the manual agree: 0 is used for a skip span, and B
// for a use span.  Its table has them the other way.
std::variant<ZeroColumns, std::string> decodeZeroColumns(std::uint64_t bits, int m, int n) {
  const auto field = [&](int first, std::uint64_t mask) {
    return static_cast<int>(bits >> first & mask);
  };
  ZeroColumns result;
  result.shift = field(56, 63);
  if (field(36, 7) != 0) return "has reserved bits that are not 0";
  if (result.shift > (m == 32 ? 16 : 32)) {
    return "shifts columns by " + std::to_string(result.shift);
  }
  if (field(39, 1) == 0) return result;
  const int skip = field(40, 255) + 1;
  const int use = field(48, 255) + 1;
  const int parts = 128 / m;
  for (int part = 0; part < parts; ++part) {
    const bool skipsFirst = field(32 + part, 1) != 0;
    for (int column = 0; column < n / parts; ++column) {
      const int place = (field(8 * part, 255) + column) % (skip + use);
      result.isZero.push_back(skipsFirst ? place < skip : place >= use);
    }
  }
  return result;
}

// ---- tensor memory ------------------------------------------------------------------------------

DataPath dataPathOf(const InstructionDescriptor& descriptor, const ProductContext& context) {
  const int rows = descriptor.m / context.ctas;
  if (rows == 128) return DataPath::Full;
  if (rows == 32) return DataPath::FoldedTwo;
  const bool isFolded = context.ctas == 2 ? !context.isSparse : context.isWeightStationary;
  return isFolded ? DataPath::Folded : DataPath::Half;
}

int columnsOf(DataPath path, int n) {
  if (path == DataPath::FoldedTwo) return n / 4;
  return path == DataPath::Folded ? n / 2 : n;
}

TensorWord wordOf(DataPath path, int row, int column, int n) {
  const auto word = [](int lane, int at) {
    return TensorWord{static_cast<std::uint32_t>(lane), static_cast<std::uint32_t>(at)};
  };
  const int columns = columnsOf(path, n);
  switch (path) {
    case DataPath::Half:
      return word(row / 16 * 32 + row % 16, column);
    case DataPath::Folded:
      return word(row + column / columns * 64, column % columns);
    case DataPath::FoldedTwo:
      return word(row + column / columns * 32, column % columns);
    default:
      return word(row, column);
  }
}

// ---- metadata -----------------------------------------------------------------------------------

namespace {

constexpr int kChunkBits = 4;
constexpr int kWordChunks = 32 / kChunkBits;

bool isWide(ProductKind kind) {  // of 16 or 32 bits
  return kind == ProductKind::F16 || kind == ProductKind::TF32;
}

// The metadata of a chunk of a row.  Of wide elements, a word has a half of each of two rows that
// are 8 apart: of the first half of the chunks in the lanes of the upper of these rows, of the
// second half in those of the lower one.
std::uint32_t chunkOf(ProductKind kind, const MetadataWords& words, int row, int chunk) {
  int lane = row;
  int bit = chunk * kChunkBits;
  if (isWide(kind)) {
    constexpr int kHalf = kWordChunks / 2;
    lane = row / 16 * 16 + row % 8 + chunk / kHalf * 8;
    bit = row / 8 % 2 * 16 + chunk % kHalf * kChunkBits;
  }
  const int word = lane * metadataColumns(kind) + bit / 32;
  return words[static_cast<std::size_t>(word)] >> bit % 32 & ((1u << kChunkBits) - 1);
}

}  // namespace

int metadataColumns(ProductKind kind) {
  return isWide(kind) ? 1 : 2;
}

int placeInRow(const ProductContext& context, const MetadataWords& words, int row, int index) {
  // 1 of 2, 4 (in pairs) of 8, or 2 of 4 elements are stored.
  const int stored = context.kind == ProductKind::TF32 ? 1 : context.isPacked() ? 4 : 2;
  const int inChunk = index % stored;
  const std::uint32_t indices = chunkOf(context.kind, words, row, index / stored);
  const int first = index / stored * stored * 2;
  if (stored == 1) return first + static_cast<int>(indices >> 1 & 1);  // that of its halves
  if (stored == 4)
    return first + 2 * static_cast<int>(indices >> inChunk / 2 * 2 & 3) + inChunk % 2;
  return first + static_cast<int>(indices >> 2 * inChunk & 3);
}

// ---- multiplicands ------------------------------------------------------------------------------

int Multiplicand::perPiece() const {
  if (isPacked) return 32;
  return 128 / std::max(8, bitsInMemory(element));
}

PieceGrid Multiplicand::grid() const {
  const auto inPiece = static_cast<std::uint32_t>(perPiece());
  const auto across = static_cast<std::uint32_t>(isKMajor ? depth : rows + skipped());
  const auto lines = static_cast<std::uint32_t>(isKMajor ? rows : depth);
  const auto first = static_cast<std::uint32_t>(firstRow);
  const std::uint32_t columns = (across + inPiece - 1) / inPiece;
  if (isKMajor) return {true, lines, columns, first, 0};
  return {false, lines, columns, 0, first / inPiece};
}

std::uint32_t bitsAt(const std::uint8_t* piece, int index, int bits) {
  const int first = index * bits;
  std::uint32_t word = 0;
  // At most two bytes, or a whole number of them.
  const int bytes = bits >= 8 ? bits / 8 : (first % 8 + bits + 7) / 8;
  std::memcpy(&word, piece + first / 8, static_cast<std::size_t>(bytes));
  return bits >= 8 ? word : word >> first % 8 & ((1u << bits) - 1);
}

void multiply(ProductTerms& terms, int firstRow, int rows) {
  for (int row = firstRow; row < firstRow + rows; ++row) {
    double* const sums = terms.d.data() + static_cast<std::ptrdiff_t>(row) * terms.n;
    for (int index = 0; index < terms.depth; ++index) {
      const auto at = static_cast<std::size_t>(row * terms.depth + index);
      const double left = terms.a[at];
      const int k = terms.places.empty() ? index : terms.places[at];
      const double* const right = terms.b.data() + static_cast<std::ptrdiff_t>(k) * terms.n;
      for (int column = 0; column < terms.n; ++column) sums[column] += left * right[column];
    }
  }
}

}  // namespace ptxopt::interp
