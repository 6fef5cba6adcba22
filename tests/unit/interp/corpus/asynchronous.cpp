// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of corpus/cuda that copy asynchronously: rings, pipelines, clusters, tensor memory.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "reference.h"

namespace ptxopt::interp {
namespace {

std::size_t size(const Call& call, std::size_t argument) {
  return static_cast<std::size_t>(call.integer(argument));
}

// ---- rings --------------------------------------------------------------------------------------

void ringColumnSums(Call& call) {
  constexpr std::size_t kColumns = 256, kRows = 4;
  const std::size_t each = size(call, 2) * kRows * kColumns;
  const auto in = call.buffer<float>(0);
  for (std::size_t i = 0; i < in.size(); ++i) {
    call.buffer<float>(1)[i / each * kColumns + i % kColumns] += in[i];
  }
}

void ringTranspose(Call& call) {
  constexpr std::size_t kSide = 32;
  const std::size_t columns = size(call, 2) * kSide, rows = size(call, 3) * kSide * kSide / columns;
  const auto in = call.variable<float>("in");
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      call.variable<float>("out")[column * rows + row] = in[row * columns + column];
    }
  }
}

void ringTokens(Call& call) {
  constexpr std::size_t kThreads = 128;
  const auto in = call.buffer<std::int32_t>(0);
  for (std::size_t t = 0; t < kThreads; ++t) {
    std::int32_t sum = 0;
    for (std::size_t r = 0; r < size(call, 2); ++r) {
      const auto row = in.subspan(r * kThreads, kThreads);
      sum += static_cast<std::int32_t>(r) + row[(t + 1) % kThreads] -
             row[(t + kThreads - 1) % kThreads];
    }
    call.buffer<std::int32_t>(1)[t] = sum;
  }
}

// Products of the halves of each row.
void ringTwoGroups(Call& call) {
  constexpr std::size_t kHalf = 128;
  for (std::size_t r = 0; r < size(call, 2); ++r) {
    const auto row = call.buffer<std::int32_t>(0).subspan(r * 2 * kHalf, 2 * kHalf);
    call.buffer<std::int32_t>(1)[r] =
        std::inner_product(row.begin(), row.begin() + kHalf, row.begin() + kHalf, 0);
  }
}

// ---- clusters -----------------------------------------------------------------------------------

void multicastHalves(Call& call) {
  constexpr std::size_t kSize = 256, kThreads = 128;
  for (std::size_t r = 0; r < size(call, 2); ++r) {
    const auto row = call.buffer<float>(0).subspan(r * kSize, kSize);
    for (std::size_t t = 0; t < kThreads; ++t) {
      call.buffer<float>(1)[t] += row[kSize - 1 - t] * static_cast<float>(r + 1);
      call.buffer<float>(1)[kThreads + t] += row[t] * static_cast<float>(r + 1);
    }
  }
}

void sumThroughCluster(Call& call) {
  const auto in = call.buffer<float>(0);
  call.buffer<float>(1)[0] = std::accumulate(in.begin(), in.end(), 0.0f);
}

// The words of a block go to the next one in reverse order, plus the number of the round.
void passStores(Call& call) {
  constexpr std::size_t kBlocks = 4, kThreads = 64;
  const auto in = call.buffer<std::int32_t>(0);
  std::vector<std::int32_t> now(in.begin(), in.end());
  for (int r = 0; r < call.integer(2); ++r) {
    const std::vector<std::int32_t> before = now;
    for (std::size_t block = 0; block < kBlocks; ++block) {
      for (std::size_t t = 0; t < kThreads; ++t) {
        now[(block + 1) % kBlocks * kThreads + kThreads - 1 - t] = before[block * kThreads + t] + r;
      }
    }
  }
  std::copy(now.begin(), now.end(), call.buffer<std::int32_t>(1).begin());
}

void countInCluster(Call& call) {
  for (const std::int32_t x : call.buffer<std::int32_t>(0)) {
    ++call.buffer<std::uint32_t>(1)[static_cast<std::size_t>(x % 16)];
  }
}

void handOver(Call& call) {
  constexpr std::size_t kSize = 128;
  const auto in = call.buffer<float>(0);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t begin = i / kSize * kSize;
    call.buffer<float>(1)[i] = 2 * (in[i] + in[begin + kSize - 1 - i % kSize]);
  }
}

// ---- reductions ---------------------------------------------------------------------------------

void reduceRows(Call& call) {
  constexpr std::size_t kSize = 64;
  const auto in = call.buffer<std::int32_t>(0);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::int32_t value = in[i] - static_cast<std::int32_t>(i % kSize);
    call.buffer<std::int32_t>(1)[i % kSize] += value;
    std::int32_t& top = call.buffer<std::int32_t>(2)[i % kSize];
    top = std::max(top, value);
  }
}

void reduceTile(Call& call) {
  constexpr std::size_t kRows = 8, kColumns = 32, kWidth = 48;
  const auto out = call.variable<float>("out");
  const auto in = call.buffer<float>(0);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t x = i / (kRows * kColumns) * size(call, 2) + i % kColumns;
    if (x < kWidth) out[i / kColumns % kRows * kWidth + x] += in[i];
  }
}

void reduceToLeader(Call& call) {
  constexpr std::size_t kSize = 128;
  const auto in = call.buffer<std::uint32_t>(0);
  for (std::size_t i = 0; i < in.size(); ++i) call.buffer<std::uint32_t>(1)[i % kSize] += in[i];
}

// Three launches in a row; what is missing of the last block counts as zero.
void dependentSteps(Call& call) {
  constexpr int kLaunches = 3;
  const auto data = call.buffer<float>(0);
  for (int launch = 0; launch < kLaunches; ++launch) {
    const std::vector<float> before(data.begin(), data.end());
    for (std::size_t i = 0; i < data.size(); ++i) {
      const float other = (i ^ 1) < before.size() ? before[i ^ 1] : 0;
      data[i] = other * 0.5f + call.buffer<float>(1)[i];
    }
  }
}

// ---- pipelines of cp.async ----------------------------------------------------------------------

void pipelineGroups(Call& call) {
  constexpr std::size_t kThreads = 64;
  for (std::size_t t = 0; t < kThreads; ++t) {
    const auto out = call.buffer<float>(1).subspan(t * 4, 4);
    for (std::size_t r = 0; r < size(call, 2); ++r) {
      const auto v = call.buffer<float>(0).subspan((r * kThreads + (t + r) % kThreads) * 4, 4);
      out[0] += v[0];
      out[1] = std::max(out[1], v[1]);
      out[2] += v[2] * v[3];
      out[3] += v[0] > v[3] ? 1.0f : 0.0f;
    }
  }
}

void pipelineBarriers(Call& call) {
  constexpr std::size_t kThreads = 64;
  for (std::size_t t = 0; t < kThreads; ++t) {
    std::uint32_t sum = 0;
    for (std::size_t r = 0; r < size(call, 2); ++r) {
      const auto v =
          call.buffer<std::uint32_t>(0).subspan((r * kThreads + kThreads - 1 - t) * 4, 4);
      sum = sum * 3 + (v[0] ^ v[1]) + (v[2] ^ v[3]);
    }
    call.buffer<std::uint32_t>(1)[t] = sum;
  }
}

// c = a * b^T, row-major, both K-major.
template <class Input, class Output>
void multiplyTransposed(std::span<const Input> a, std::span<const Input> b, std::span<Output> c,
                        std::size_t n, std::size_t k) {
  for (std::size_t i = 0; i < c.size(); ++i) {
    double sum = 0;
    for (std::size_t at = 0; at < k; ++at) {
      sum += static_cast<double>(static_cast<float>(a[i / n * k + at])) *
             static_cast<double>(static_cast<float>(b[i % n * k + at]));
    }
    c[i] = Output(static_cast<float>(sum));
  }
}

void pipelineMma(Call& call) {
  multiplyTransposed<Half, Half>(call.buffer<Half>(0), call.buffer<Half>(1), call.buffer<Half>(2),
                                 64, size(call, 3));
}

// Of a matrix, lane 4 * row + pair has two elements.  Rows of 16 bytes change places by eights.
void transposeMatrices(Call& call) {
  constexpr std::size_t kSide = 8, kElements = kSide * kSide;
  const auto in = call.buffer<std::uint16_t>(0);
  const auto out = call.buffer<std::uint16_t>(1);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t matrix = i / kElements ^ 1, row = i / kSide % kSide, column = i % kSide;
    out[matrix * kElements + column * kSide + row] = in[i];
  }
}

// ---- warp groups and tensor memory --------------------------------------------------------------

// Products of tiles below each other, of 32 columns each.
void matmulPingPong(Call& call) {
  multiplyTransposed<Bfloat, float>(call.variable<Bfloat>("a"), call.variable<Bfloat>("b"),
                                    call.buffer<float>(2), 32, size(call, 4));
}
void matmulRegisters(Call& call) {
  multiplyTransposed<Bfloat, float>(call.buffer<Bfloat>(0), call.variable<Bfloat>("b"),
                                    call.buffer<float>(2), 32, size(call, 3));
}
void matmulFp8(Call& call) {
  multiplyTransposed<Quarter, float>(call.variable<Quarter>("a"), call.variable<Quarter>("b"),
                                     call.buffer<float>(2), 32, size(call, 4));
  for (float& x : call.buffer<float>(2)) x *= call.scalar<float>(3);
  call.close<float>(2, 1e-5);
}
void matmulTensorMemory(Call& call) {
  multiplyTransposed<Bfloat, float>(call.variable<Bfloat>("a"), call.variable<Bfloat>("b"),
                                    call.buffer<float>(2), size(call, 3), size(call, 4));
}

void tensorMemoryMma(Call& call) {
  multiplyTransposed<Half, float>(call.buffer<Half>(0), call.buffer<Half>(1), call.buffer<float>(2),
                                  64, 64);
}

// Words of four in reverse order, the first one plus the number of the round.
void columnRing(Call& call) {
  constexpr std::size_t kWordsPerRound = 4 * 128;
  const auto in = call.buffer<std::uint32_t>(0);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto round = static_cast<std::uint32_t>(i / kWordsPerRound);
    call.buffer<std::uint32_t>(1)[i] = in[i / 4 * 4 + 3 - i % 4] + (i % 4 == 0 ? round : 0);
  }
}

// Eight rows are two core matrices of eight rows of four words: a row is in both.
void copyRing(Call& call) {
  constexpr std::size_t kRows = 128, kMatrix = 8 * 4;
  const auto in = call.buffer<std::uint32_t>(0);
  for (std::size_t r = 0; r < size(call, 2); ++r) {
    for (std::size_t row = 0; row < kRows; ++row) {
      const auto first = in.subspan(r * kRows * 8 + row / 8 * 2 * kMatrix + row % 8 * 4, 4);
      const auto second =
          in.subspan(r * kRows * 8 + row / 8 * 2 * kMatrix + kMatrix + row % 8 * 4, 4);
      const auto out = call.buffer<std::uint32_t>(1).subspan((r * kRows + row) * 4, 4);
      out[0] = first[0] + second[3];
      out[1] = first[1] + second[2];
      out[2] = first[2] ^ second[1];
      out[3] = first[3] ^ second[0];
    }
  }
}

void allocationsInTurn(Call& call) {
  const auto in = call.buffer<std::uint32_t>(0);
  for (std::size_t i = 0; i < in.size(); ++i) {
    call.buffer<std::uint32_t>(1)[i] = in[i] ^ (in[i] + 1) ^ (in[i] * 3) ^ ~in[i];
  }
}

// ---- the CuTe DSL -------------------------------------------------------------------------------

// Tiles of 32 x 32 side by side; thread t sums rows t / 32 * 8 and the next of column t % 32.
void tileSums(Call& call) {
  constexpr std::size_t kSide = 32, kThreads = 128;
  const std::size_t columns = kSide * size(call, 2);
  const auto x = call.variable<float>("x");
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t row = i / columns, t = row % kSide / 8 * kSide + i % kSide;
    call.buffer<float>(1)[row / kSide * kThreads + t] += x[i];
  }
}

void asyncRows(Call& call) {
  constexpr std::size_t kColumns = 256, kThreads = 64;
  const auto x = call.buffer<float>(0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t column = i % kColumns;
    call.buffer<float>(1)[kThreads - 1 - column % kThreads] +=
        x[i] * static_cast<float>(column / kThreads + 1);
  }
}

void passOn(Call& call) {
  constexpr std::size_t kThreads = 64;
  const auto x = call.buffer<std::uint32_t>(0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t block = (i / kThreads + 1) % (x.size() / kThreads);
    call.buffer<std::uint32_t>(1)[block * kThreads + kThreads - 1 - i % kThreads] =
        x[i] + static_cast<std::uint32_t>(block);
  }
}

void transposeTiles(Call& call) {
  constexpr std::size_t kRows = 64;
  const auto x = call.variable<float>("x");
  const std::size_t columns = x.size() / kRows;
  for (std::size_t i = 0; i < x.size(); ++i) {
    call.variable<float>("out")[i % columns * kRows + i / columns] = x[i];
  }
}

// ---- headers of the toolkit ---------------------------------------------------------------------

void blockBarrier(Call& call) {
  const auto in = call.buffer<std::int32_t>(0);
  std::vector<std::int32_t> now(in.begin(), in.end());
  for (int r = 0; r < call.integer(2); ++r) {
    const std::vector<std::int32_t> before = now;
    for (std::size_t t = 0; t < now.size(); ++t) now[t] += before[(t + 1) % now.size()];
  }
  std::copy(now.begin(), now.end(), call.buffer<std::int32_t>(1).begin());
}

void copyOnBarrier(Call& call) {
  constexpr std::size_t kSize = 256, kThreads = 64;
  const auto in = call.buffer<std::int32_t>(0);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t from = i / kSize * kSize + kSize - 1 - i % kSize;
    call.buffer<std::int32_t>(1)[i % kThreads] +=
        in[from] * static_cast<std::int32_t>(i % kSize + 1);
  }
}

void stagedPipeline(Call& call) {
  constexpr std::size_t kThreads = 64;
  for (std::size_t t = 0; t < kThreads; ++t) {
    std::int32_t sum = 0;
    for (std::size_t r = 0; r < size(call, 2); ++r) {
      sum = 3 * sum + call.buffer<std::int32_t>(0)[r * kThreads + (t + 7) % kThreads];
    }
    call.buffer<std::int32_t>(1)[t] = sum;
  }
}

constexpr Reference kReferences[] = {
    {"tma_ring/ringColumnSums", ringColumnSums},
    {"tma_ring/ringTranspose", ringTranspose},
    {"tma_ring/ringTokens", ringTokens},
    {"tma_ring/ringTwoGroups", ringTwoGroups},
    {"cluster_copies/multicastHalves", multicastHalves},
    {"cluster_copies/sumThroughCluster", sumThroughCluster},
    {"cluster_copies/passStores", passStores},
    {"cluster_copies/countInCluster", countInCluster},
    {"cluster_copies/handOver", handOver},
    {"bulk_reductions/reduceRows", reduceRows},
    {"bulk_reductions/reduceTile", reduceTile},
    {"bulk_reductions/reduceToLeader", reduceToLeader},
    {"bulk_reductions/dependentSteps", dependentSteps},
    {"cp_async_pipeline/pipelineGroups", pipelineGroups},
    {"cp_async_pipeline/pipelineBarriers", pipelineBarriers},
    {"cp_async_pipeline/pipelineMma", pipelineMma},
    {"cp_async_pipeline/transposeMatrices", transposeMatrices},
    {"wgmma_pipelines/matmulPingPong", matmulPingPong},
    {"wgmma_pipelines/matmulRegisters", matmulRegisters},
    {"wgmma_pipelines/matmulFp8", matmulFp8},
    {"tcgen05/tensorMemoryMma", tensorMemoryMma},
    {"tensor_memory/columnRing", columnRing},
    {"tensor_memory/copyRing", copyRing},
    {"tensor_memory/allocationsInTurn", allocationsInTurn},
    {"tensor_memory/matmulTensorMemory", matmulTensorMemory},
    {"cute/tile_sums", tileSums},
    {"cute/async_rows", asyncRows},
    {"cute/pass_on", passOn},
    {"cute/transpose_tiles", transposeTiles},
    {"toolkit_async/blockBarrier", blockBarrier},
    {"toolkit_async/copyOnBarrier", copyOnBarrier},
    {"toolkit_async/stagedPipeline", stagedPipeline},
};

}  // namespace

std::span<const Reference> asynchronousReferences() {
  return kReferences;
}

}  // namespace ptxopt::interp
