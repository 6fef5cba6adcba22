// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/matrix_sparse.h"

#include <algorithm>

#include "interp/arithmetic/small_float.h"

namespace ptxopt::interp {

namespace {

constexpr int kChunkBits = 4;
constexpr int kChunksOfRegister = 8;

int bitsOfA(const MatrixForm& form) {
  return bitsOf(form.element(MatrixRole::A));
}
// Elements of a chunk that are stored.
int storedOfChunk(int bits) {
  return bits == 32 ? 1 : bits == 4 ? 4 : 2;
}
bool sharesRegister(int bits) {
  return bits >= 16;
}  // rows g and g + 8 do

}  // namespace

std::uint32_t metadataThreads(const MatrixForm& form) {
  constexpr int kRowsOfGroup = 2;
  const int chunks = form.storedDepth() / storedOfChunk(bitsOfA(form));
  return static_cast<std::uint32_t>(std::max(1, kRowsOfGroup * chunks / kChunksOfRegister));
}

bool hasMetadata(const MatrixForm& form, std::uint32_t lane) {
  return form.isSparse && lane % 4 / metadataThreads(form) == form.selector;
}

int placeInRow(const MatrixForm& form, const Metadata& metadata, int row, int index) {
  const int bits = bitsOfA(form);
  const int stored = storedOfChunk(bits);
  const int chunk = index / stored;
  const int inChunk = index % stored;
  const int isLower = row / 8;
  auto lane = static_cast<std::uint32_t>(row % 8 * 4) + form.selector * metadataThreads(form);
  int bit = kChunkBits * chunk;
  if (sharesRegister(bits)) {
    lane += static_cast<std::uint32_t>(chunk / 4);
    bit = kChunkBits * (chunk % 4) + 16 * isLower;
  } else {
    lane += static_cast<std::uint32_t>(chunk / kChunksOfRegister * 2 + isLower);
    bit = kChunkBits * (chunk % kChunksOfRegister);
  }
  const std::uint32_t indices = metadata[lane] >> bit;
  // The index of one of two elements of 32 bits is that of its halves.
  if (bits == 32) return 2 * chunk + static_cast<int>(indices >> 1 & 1);
  if (bits == 4)
    return 8 * chunk + 2 * static_cast<int>(indices >> inChunk / 2 * 2 & 3) + inChunk % 2;
  return 4 * chunk + static_cast<int>(indices >> 2 * inChunk & 3);
}

// Row by row, since each row of a selects other rows of b.
void multiplySparse(const MatrixForm& form, MatrixValues& values, const Metadata& metadata) {
  const MatrixShape& shape = form.shape;
  const auto columns = static_cast<std::size_t>(shape.n);
  const auto depth = static_cast<std::size_t>(form.storedDepth());
  MatrixForm ofRow = form;
  ofRow.isSparse = false;
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
      const auto begin =
          values.b.begin() +
          static_cast<std::ptrdiff_t>(placeInRow(form, metadata, row, index)) * shape.n;
      part.b.insert(part.b.end(), begin, begin + shape.n);
    }
    multiply(ofRow, part);
    std::copy(part.d.begin(), part.d.end(), values.d.begin() + r * shape.n);
  }
}

double scaleOf(bool isUE4M3, std::uint32_t byte) {
  // It is e4m3 without a sign.
  return isUE4M3 ? toDouble(SmallFormat::E4M3, byte & 0x7f) : scaleToDouble(byte & 0xff);
}

// A thread of a group of four has the scales of a column of b, and each of a pair those of a row of
// a: the first of row g, the second of row g + 8.
ScalePlace scalePlace(MatrixRole role, int line, int column, std::uint32_t byteId,
                      std::uint32_t threadId) {
  const auto group = static_cast<std::uint32_t>(line % 8 * 4);
  const std::uint32_t lane = role == MatrixRole::A
                                 ? group + 2 * threadId + static_cast<std::uint32_t>(line / 8)
                                 : group + threadId;
  return {lane % 32, (byteId + static_cast<std::uint32_t>(column)) % 4};
}

void multiplyScaled(const MatrixForm& form, MatrixValues& values, const Metadata& metadata,
                    const BlockScales& scales) {
  const MatrixShape& shape = form.shape;
  const int depth = form.storedDepth();
  const int parts = form.scales.columns;
  std::vector<double> b(values.b.size());
  std::transform(values.b.begin(), values.b.end(), b.begin(),
                 [&](std::uint64_t bits) { return realOf(form.element(MatrixRole::B), bits); });
  for (int m = 0; m < shape.m; ++m) {
    std::vector<double> a;
    std::vector<int> places;
    for (int index = 0; index < depth; ++index) {
      a.push_back(realOf(form.element(MatrixRole::A),
                         values.a[static_cast<std::size_t>(m * depth + index)]));
      places.push_back(form.isSparse ? placeInRow(form, metadata, m, index) : index);
    }
    for (int n = 0; n < shape.n; ++n) {
      const auto at = static_cast<std::size_t>(m * shape.n + n);
      double sum = realOf(form.element(MatrixRole::C), values.c[at]);
      for (int index = 0; index < depth; ++index) {
        const int k = places[static_cast<std::size_t>(index)];
        const int part = k * parts / shape.k;
        sum += a[static_cast<std::size_t>(index)] * b[static_cast<std::size_t>(k * shape.n + n)] *
               scales.a[static_cast<std::size_t>(m * parts + part)] *
               scales.b[static_cast<std::size_t>(n * parts + part)];
      }
      values.d[at] = fromReal(form.element(MatrixRole::D), sum);
    }
  }
}

MatrixPosition quadPosition(const MatrixForm& form, MatrixRole role, int lane, int i) {
  const int t = lane % 4;
  const int half = lane < 16 ? 0 : 4;
  const auto inProduct = [&]() -> MatrixPosition {
    switch (role) {
      case MatrixRole::A:
        if (form.isAColumnMajor) return {i + half, t};
        return {t + half, i};
      case MatrixRole::B:
        if (form.isBColumnMajor) return {i, t + half};
        return {t, i + half};
      default:
        if (form.element(role) == Element::F16) return {t + half, i};
        return {(t & 1) + (i & 2) + half, (i & 4) + (t & 2) + (i & 1)};
    }
  }();
  return {inProduct.row + lane % 16 / 4 * form.shape.rows(role), inProduct.column};
}

void multiplyQuads(const MatrixForm& form, MatrixValues& values) {
  MatrixForm ofOne = form;
  ofOne.isQuad = false;
  const auto product = [](const std::vector<std::uint64_t>& all, int q) {
    const auto size = static_cast<std::ptrdiff_t>(all.size() / 4);
    return std::vector<std::uint64_t>(all.begin() + q * size, all.begin() + (q + 1) * size);
  };
  for (int q = 0; q < 4; ++q) {
    MatrixValues part{product(values.a, q), product(values.b, q), product(values.c, q),
                      product(values.d, q)};
    multiply(ofOne, part);
    std::copy(part.d.begin(), part.d.end(),
              values.d.begin() + q * static_cast<std::ptrdiff_t>(part.d.size()));
  }
}

}  // namespace ptxopt::interp
