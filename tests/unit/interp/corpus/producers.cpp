// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What XLA makes of the functions of corpus/jax: one kernel of each, for shapes that are fixed, of
// which the launch runs the first blocks.  And all of the kernels of corpus/mosaic and
// corpus/cutile.
#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "reference.h"

namespace ptxopt::interp {
namespace {

constexpr std::size_t kThreads = 128;
constexpr std::size_t kElementsPerThread = 4;

// Of an element-wise kernel.
std::size_t elementsOf(const Call& call) {
  return call.grid().x * kThreads * kElementsPerThread;
}

void gatherRows(Call& call) {
  constexpr std::size_t kColumns = 256;
  for (std::size_t i = 0; i < elementsOf(call); ++i) {
    const std::size_t row = call.buffer<std::int32_t>(1)[i / kColumns];
    call.buffer<float>(2)[i] = call.buffer<float>(0)[row * kColumns + i % kColumns] * 2.0f;
  }
}

// The inner points alone.
void heat(Call& call) {
  constexpr std::size_t kSide = 1024, kInner = kSide - 2;
  const auto u = call.buffer<float>(0);
  for (std::size_t i = 0; i < elementsOf(call); ++i) {
    const std::size_t at = (i / kInner + 1) * kSide + i % kInner + 1;
    const float around = u[at - kSide] + u[at + kSide] + u[at - 1] + u[at + 1];
    call.buffer<float>(1)[i] = u[at] + 0.1f * (around - 4.0f * u[at]);
  }
  call.close<float>(1, 1e-6);
}

// Each block has a tile of 32 x 32, and the first ones follow one another down the rows.
void transposeAdd(Call& call) {
  constexpr std::size_t kRows = 512, kColumns = 1024, kTile = 32;
  for (std::size_t row = 0; row < kTile * call.grid().x; ++row) {
    for (std::size_t column = 0; column < kTile; ++column) {
      call.buffer<float>(2)[row * kColumns + column] =
          call.buffer<float>(0)[row * kColumns + column] +
          call.buffer<float>(1)[column * kRows + row];
    }
  }
}

// One block a row.
void argMax(Call& call) {
  constexpr std::size_t kColumns = 5000;
  for (std::size_t row = 0; row < call.grid().x; ++row) {
    const auto values = call.buffer<float>(0).subspan(row * kColumns, kColumns);
    const auto best = std::max_element(values.begin(), values.end());
    call.buffer<float>(1)[row] = *best;
    call.buffer<std::int32_t>(2)[row] = static_cast<std::int32_t>(best - values.begin());
  }
}

void segmentSum(Call& call) {
  for (std::size_t i = 0; i < call.grid().x * kThreads; ++i) {
    call.buffer<float>(0)[call.buffer<std::int32_t>(2)[i]] += call.buffer<float>(1)[i];
  }
}

void columnSums(Call& call) {
  constexpr std::size_t kRows = 4096, kColumns = 512, kColumnsPerBlock = 64;
  for (std::size_t column = 0; column < call.grid().x * kColumnsPerBlock; ++column) {
    for (std::size_t row = 0; row < kRows; ++row) {
      const float value = call.buffer<float>(0)[row * kColumns + column];
      call.buffer<float>(1)[column] += value;
      float& top = call.buffer<float>(2)[column];
      top = std::max(top, value);
    }
  }
}

// A warp takes the product of a row with the vector.
void powerIteration(Call& call) {
  constexpr std::size_t kSide = 512, kRowsPerBlock = 8;
  for (std::size_t row = 0; row < call.grid().x * kRowsPerBlock; ++row) {
    for (std::size_t column = 0; column < kSide; ++column) {
      call.buffer<float>(2)[row] +=
          call.buffer<float>(0)[row * kSide + column] * call.buffer<float>(1)[column];
    }
  }
}

// In place, and the column that each element came from.
void sortRows(Call& call) {
  constexpr std::size_t kColumns = 1000;
  for (std::size_t row = 0; row < call.grid().x; ++row) {
    const auto keys = call.buffer<std::int32_t>(1).subspan(row * kColumns, kColumns);
    const auto places = call.buffer<std::int32_t>(2).subspan(row * kColumns, kColumns);
    std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
    for (std::size_t i = 0; i < kColumns; ++i) {
      pairs.emplace_back(keys[i], static_cast<std::int32_t>(i));
    }
    std::sort(pairs.begin(), pairs.end());
    for (std::size_t i = 0; i < kColumns; ++i) std::tie(keys[i], places[i]) = pairs[i];
  }
}

// Sums of 16 are there already, added up within each 16 of them: 256 columns.  What is left is to
// add the groups before, the sums before in the own group, and the columns before in the own sum.
void runningSumOfXla(Call& call) {
  constexpr std::size_t kColumns = 2048, kSum = 16, kSums = kColumns / kSum;
  const auto x = call.buffer<std::uint32_t>(0), sums = call.buffer<std::uint32_t>(1);
  for (std::size_t i = 0; i < call.grid().x * kThreads; ++i) {
    const auto row = sums.subspan(i / kColumns * kSums, kSums);
    const std::size_t before = i % kColumns / kSum;  // so many sums are complete
    std::uint32_t value = 0;
    // Of a group that is complete its last one, else the last one that is.
    for (std::size_t k = 0; k < before; ++k) {
      if (k % kSum == kSum - 1 || k + 1 == before) value += row[k];
    }
    for (std::size_t k = i / kSum * kSum; k <= i; ++k) value += x[k];
    call.buffer<std::uint32_t>(2)[i] = value;
  }
}

// Threefry-2x32 (Salmon et al., 2011) of 20 rounds, of the key 1, 2: both words in one.
std::uint32_t threefry(std::uint64_t counter) {
  constexpr std::uint32_t kKey[] = {1, 2, 0x1BD11BDA ^ 1 ^ 2};
  constexpr int kTurns[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  std::uint32_t a = static_cast<std::uint32_t>(counter >> 32) + kKey[0];
  std::uint32_t b = static_cast<std::uint32_t>(counter) + kKey[1];
  for (std::uint32_t round = 0; round < 5; ++round) {
    for (const int turn : kTurns[round % 2]) {
      a += b;
      b = std::rotl(b, turn) ^ a;
    }
    a += kKey[(round + 1) % 3];
    b += kKey[(round + 2) % 3] + round + 1;
  }
  return a ^ b;
}

// Nine in ten stay.  The bits after the first nine are a number from 0 to 1.
void dropout(Call& call) {
  constexpr std::size_t kColumns = 1024;
  for (std::size_t i = 0; i < elementsOf(call); ++i) {
    const std::uint64_t first = call.buffer<std::uint64_t>(1)[i / kColumns];
    const double random = (threefry(first + i % kColumns) >> 9) / 8388608.0;
    call.buffer<float>(2)[i] = random < double{0.9f} ? call.buffer<float>(0)[i] / 0.9f : 0;
  }
  call.close<float>(2, 1e-6);
}

// ---- Mosaic GPU and cuTile: buffers have names --------------------------------------------------

void saxpy(Call& call) {
  const auto x = call.variable<float>("x"), y = call.variable<float>("y");
  const auto out = call.variable<float>("out");
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = 2.5f * x[i] + y[i];
  call.closeVariable<float>("out", 1e-6);
}

void rowSoftmax(Call& call) {
  constexpr std::size_t kColumns = 256;
  const auto x = call.variable<float>("x"), out = call.variable<float>("out");
  for (std::size_t row = 0; row < x.size(); row += kColumns) {
    double sum = 0;
    for (std::size_t i = row; i < row + kColumns; ++i) sum += std::exp(static_cast<double>(x[i]));
    for (std::size_t i = row; i < row + kColumns; ++i) {
      out[i] = static_cast<float>(std::exp(static_cast<double>(x[i])) / sum);
    }
  }
  call.closeVariable<float>("out", 1e-6);
}

// Small integers: every sum is exact.
void halfProduct(Call& call) {
  constexpr std::size_t kDepth = 256, kColumns = 128;
  const auto a = call.variable<Half>("a"), b = call.variable<Half>("b");
  const auto out = call.variable<Half>("out");
  for (std::size_t i = 0; i < out.size(); ++i) {
    float sum = 0;
    for (std::size_t k = 0; k < kDepth; ++k) {
      sum += static_cast<float>(a[i / kColumns * kDepth + k]) *
             static_cast<float>(b[k * kColumns + i % kColumns]);
    }
    out[i] = Half(sum);
  }
}

void runningSum(Call& call) {
  constexpr std::size_t kColumns = 1024;
  const auto x = call.variable<std::int32_t>("x"), out = call.variable<std::int32_t>("out");
  for (std::size_t i = 0; i < x.size(); ++i) {
    out[i] = x[i] + (i % kColumns == 0 ? 0 : out[i - 1]);
  }
}

constexpr Reference kReferences[] = {
    {"jax/gather_rows", gatherRows},
    {"jax/heat", heat},
    {"jax/transpose_add", transposeAdd},
    {"jax/arg_max", argMax},
    {"jax/segment_sum", segmentSum},
    {"jax/column_sums", columnSums},
    {"jax/power_iteration", powerIteration},
    {"jax/sort_rows", sortRows},
    {"jax/running_sum", runningSumOfXla},
    {"jax/dropout", dropout},
    {"mosaic/saxpy", saxpy},
    {"mosaic/row_softmax", rowSoftmax},
    {"mosaic/matmul_wgmma", halfProduct},
    {"mosaic/matmul_tcgen05", halfProduct},
    {"cutile/axpy", saxpy},
    {"cutile/row_softmax", rowSoftmax},
    {"cutile/matmul", halfProduct},
    {"cutile/running_sum", runningSum},
};

}  // namespace

std::span<const Reference> producerReferences() {
  return kReferences;
}

}  // namespace ptxopt::interp
