// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/warpgroup.h"

#include <bit>
#include <cstring>

namespace ptxopt::interp {

namespace {

std::uint32_t decoded(std::uint64_t bits, int from) {
  constexpr std::uint32_t kField = 0x3fff;
  return (static_cast<std::uint32_t>(bits >> from) & kField) << 4;
}

// The strides between atoms: from one to the next in the direction of the columns, and of the
// lines.  Without a swizzle, K-major and MN-major exchange the roles of the two strides.
struct AtomStrides {
  std::uint32_t column = 0;
  std::uint32_t line = 0;
};
AtomStrides stridesOf(const MatrixDescriptor& matrix, bool isKMajor) {
  if (isKMajor) {
    // With a swizzle, a row of the pattern has all that an instruction reads of a line.
    return {matrix.isSwizzled() ? matrix.rowBytes : matrix.leading, matrix.stride};
  }
  if (matrix.isSwizzled()) return {matrix.leading, matrix.stride};
  return {matrix.stride, matrix.leading};
}

}  // namespace

MatrixDescriptor::MatrixDescriptor(std::uint64_t bits)
    : start(decoded(bits, 0)),
      leading(decoded(bits, 16)),
      stride(decoded(bits, 32)),
      baseOffset(static_cast<std::uint32_t>(bits >> 49) & 7) {
  constexpr std::uint32_t kRowBytes[] = {kPieceBytes, 128, 64, 32};
  rowBytes = kRowBytes[bits >> 62];
}

std::optional<MatrixDescriptor> MatrixDescriptor::ofTensorCore(std::uint64_t bits) {
  constexpr std::uint64_t kAbsoluteLeading = std::uint64_t{1} << 52;
  MatrixDescriptor result(bits);
  if ((bits & kAbsoluteLeading) != 0) return std::nullopt;
  // Of the three bits of the swizzle mode, the upper two are those of wgmma.
  if ((bits >> 61 & 1) == 0) return result;
  if (bits >> 62 != 0) return std::nullopt;
  result.rowBytes = 128;
  result.chunkBytes = 32;
  result.atomLines = 4;
  return result;
}

std::uint32_t addressOfPiece(const MatrixDescriptor& matrix, bool isKMajor, std::uint32_t line,
                             std::uint32_t column) {
  const AtomStrides strides = stridesOf(matrix, isKMajor);
  // All sizes are powers of two.
  const int lineBits = std::countr_zero(matrix.atomLines);
  const int columnBits = std::countr_zero(matrix.rowBytes / MatrixDescriptor::kPieceBytes);
  const auto inAtom = (line & (matrix.atomLines - 1)) * matrix.rowBytes +
                      (column & ((1u << columnBits) - 1)) * MatrixDescriptor::kPieceBytes;
  const auto ofAtom = (line >> lineBits) * strides.line + (column >> columnBits) * strides.column;
  const std::uint32_t address = (matrix.start + inAtom + ofAtom) & MatrixDescriptor::kAddressMask;
  // Bits 7 and up of the address, from the start of the pattern on, change those from the size of a
  // chunk on.
  const std::uint32_t row = (address >> 7) - (matrix.isSwizzled() ? matrix.baseOffset : 0);
  const std::uint32_t chunks = matrix.rowBytes >> std::countr_zero(matrix.chunkBytes);
  return address ^ (row & (chunks - 1)) * matrix.chunkBytes;
}

std::optional<std::uint32_t> findUnalignedStride(const MatrixDescriptor& matrix,
                                                 const PieceGrid& grid) {
  if (!matrix.isSwizzled()) return std::nullopt;
  const AtomStrides strides = stridesOf(matrix, grid.isKMajor);
  const std::uint32_t inRow = matrix.rowBytes / MatrixDescriptor::kPieceBytes;
  const bool usesLine = grid.firstLine + grid.lines > matrix.atomLines;
  const bool usesColumn = !grid.isKMajor && grid.firstColumn + grid.columns > inRow;
  if (usesLine && strides.line % matrix.patternBytes() != 0) return strides.line;
  if (usesColumn && strides.column % matrix.patternBytes() != 0) return strides.column;
  return std::nullopt;
}

PieceGrid WarpgroupForm::gridOfA(std::uint32_t warp) const {
  const auto rows = static_cast<std::uint32_t>(matrix.shape.m);
  const int bits = bitsOf(matrix.element(MatrixRole::A));
  const auto inPiece = static_cast<std::uint32_t>(128 / bits);
  const auto depth = static_cast<std::uint32_t>(storedDepth());
  if (isATransposed) return {false, depth, rows / inPiece, 0, warp * rows / inPiece};
  return {true, rows, depth / inPiece, warp * rows, 0};
}

PieceGrid WarpgroupForm::gridOfB() const {
  const auto columns = static_cast<std::uint32_t>(matrix.shape.n);
  const int bits = bitsOf(matrix.element(MatrixRole::B));
  const auto inPiece = static_cast<std::uint32_t>(128 / bits);
  const auto depth = static_cast<std::uint32_t>(matrix.shape.k);
  if (isBTransposed) return {false, depth, columns / inPiece, 0, 0};
  return {true, columns, depth / inPiece, 0, 0};
}

std::vector<std::uint64_t> elementsOf(const WarpgroupForm& form, MatrixRole role,
                                      const std::vector<std::uint8_t>& pieces) {
  const bool isA = role == MatrixRole::A;
  const bool isKMajor = isA ? !form.isATransposed : !form.isBTransposed;
  const int bits = bitsOf(form.matrix.element(role));
  const int depth = isA ? form.storedDepth() : form.matrix.shape.k;
  const int across = isA ? form.matrix.shape.m : form.matrix.shape.n;
  const int lines = isKMajor ? across : depth;
  const int length = isKMajor ? depth : across;
  // Elements (line, place) of memory are (row, column) of the matrix, or the other way round.
  const bool isRow = isA == isKMajor;
  std::vector<std::uint64_t> elements(static_cast<std::size_t>(lines * length));
  for (int line = 0; line < lines; ++line) {
    for (int place = 0; place < length; ++place) {
      const auto bit = static_cast<std::size_t>((line * length + place) * bits);
      std::uint32_t word = 0;
      std::memcpy(&word, pieces.data() + bit / 8,
                  static_cast<std::size_t>(bits < 8 ? 8 : bits) / 8);
      const auto at =
          static_cast<std::size_t>(isRow ? line * length + place : place * lines + line);
      elements[at] = bits < 8 ? word >> bit % 8 & 1 : word;
    }
  }
  return elements;
}

namespace {

void negate(Element element, std::vector<std::uint64_t>& values) {
  const std::uint64_t sign = std::uint64_t{1} << (bitsOf(element) - 1);
  for (std::uint64_t& value : values) value ^= sign;
}

// Where in the row the stored element `index` of a row of 16 stands (PTX ISA 9.7.17.6.1).  A pair
// of threads of four has the metadata: of the low half of k, and of the high one; bits 0 to 15 are
// of row g of its group, the others of row g + 8.  With 8 bits, all four have: those of each row in
// a thread of its own.
int placeOf(const WarpgroupForm& form, const std::array<std::uint32_t, 32>& metadata, int row,
            int index) {
  const int bits = bitsOf(form.matrix.element(MatrixRole::A));
  const int half = form.storedDepth() / 2;
  const auto isHigh = static_cast<std::size_t>(index / half);
  const auto group = static_cast<std::size_t>(row % 8 * 4);
  const auto isLower = static_cast<std::size_t>(row / 8);
  const int inHalf = index % half;
  if (bits == 8) {
    const std::uint32_t word = metadata[group + 2 * isHigh + isLower];
    return form.matrix.shape.k / 2 * (index / half) + inHalf / 2 * 4 +
           static_cast<int>(word >> 2 * inHalf & 3);
  }
  const std::uint32_t word = metadata[group + 2 * form.selector + isHigh] >> 16 * isLower;
  const int first = form.matrix.shape.k / 2 * (index / half);
  // Of two elements of 32 bits one is stored; its index is that of its halves, in a chunk of four.
  if (bits == 32) return first + 2 * inHalf + static_cast<int>(word >> (4 * inHalf + 1) & 1);
  return first + inHalf / 2 * 4 + static_cast<int>(word >> 2 * inHalf & 3);
}

// Row by row, since each row of a selects other rows of b.
void multiplySparse(const WarpgroupForm& form, MatrixValues& values,
                    const std::array<std::uint32_t, 32>& metadata) {
  const MatrixShape& shape = form.matrix.shape;
  const auto columns = static_cast<std::size_t>(shape.n);
  const auto depth = static_cast<std::size_t>(form.storedDepth());
  MatrixForm ofRow = form.matrix;
  ofRow.shape = {1, shape.n, form.storedDepth()};
  for (int row = 0; row < shape.m; ++row) {
    const auto r = static_cast<std::ptrdiff_t>(row);
    const auto slice = [&](const std::vector<std::uint64_t>& from, std::size_t size) {
      const auto begin = from.begin() + r * static_cast<std::ptrdiff_t>(size);
      return std::vector<std::uint64_t>(begin, begin + static_cast<std::ptrdiff_t>(size));
    };
    MatrixValues part;
    part.a = slice(values.a, depth);
    part.c = slice(values.c, columns);
    part.d.resize(columns);
    for (int index = 0; index < form.storedDepth(); ++index) {
      const auto begin = values.b.begin() +
                         static_cast<std::ptrdiff_t>(placeOf(form, metadata, row, index)) * shape.n;
      part.b.insert(part.b.end(), begin, begin + shape.n);
    }
    multiply(ofRow, part);
    std::copy(part.d.begin(), part.d.end(), values.d.begin() + r * shape.n);
  }
}

}  // namespace

void multiply(const WarpgroupForm& form, MatrixValues& values,
              const std::array<std::uint32_t, 32>& metadata) {
  if (form.negatesA) negate(form.matrix.element(MatrixRole::A), values.a);
  if (form.negatesB) negate(form.matrix.element(MatrixRole::B), values.b);
  if (form.isSparse) return multiplySparse(form, values, metadata);
  multiply(form.matrix, values);
}

}  // namespace ptxopt::interp
