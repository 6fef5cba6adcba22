// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums, scans, histograms, compaction, sorting.
#include <algorithm>
#include <bit>
#include <numeric>

#include "reference.h"

namespace ptxopt::interp {
namespace {

// out[b] = the sum of the elements of block b, `perBlock` each, of the first n.
void sumOfBlocks(std::span<const float> in, std::span<float> out, int n, int perBlock) {
  for (int i = 0; i < n; ++i) out[i / perBlock] += in[i];
}

void reducePerBlock(Call& call) {
  sumOfBlocks(call.buffer<float>(0), call.buffer<float>(1), call.integer(2),
              static_cast<int>(call.block().x));
}

void reduceVolatileWarp(Call& call) {
  constexpr int kPerBlock = 512;
  sumOfBlocks(call.buffer<float>(0), call.buffer<float>(1), call.integer(2), kPerBlock);
}

// Grid-stride loops: element i belongs to the block of thread i modulo the number of threads.
void reduceGridStride(Call& call) {
  const auto in = call.buffer<float>(0);
  const auto out = call.buffer<float>(1);
  const int block = static_cast<int>(call.block().x);
  for (int i = 0; i < call.integer(2); ++i) out[i % call.threads() / block] += in[i];
}

void reduceAll(Call& call) {
  const auto in = call.buffer<float>(0);
  call.buffer<float>(1)[0] = std::accumulate(in.begin(), in.end(), 0.0f);
}

void reduceAllIntegers(Call& call) {
  const auto in = call.buffer<std::uint32_t>(0);
  call.buffer<std::uint32_t>(1)[0] = std::accumulate(in.begin(), in.end(), 0u);
}

void momentsOfBlock(Call& call) {
  const auto in = call.buffer<float>(0);
  const auto out = call.buffer<float>(1);
  for (int i = 0; i < call.integer(2); ++i) {
    const int block = i / static_cast<int>(call.block().x);
    const float x = in[i];
    out[3 * block] += x;
    out[3 * block + 1] += x * x;
    out[3 * block + 2] += x * x * x;
  }
}

void rowSums(Call& call) {
  constexpr int kLanes = 32;
  const auto in = call.buffer<float>(0);
  const auto out = call.buffer<float>(1);
  const int columns = call.integer(2);
  for (std::size_t i = 0; i < in.size(); ++i) {
    for (int lane = 0; lane < kLanes; ++lane)
      out[static_cast<int>(i) / columns * kLanes + lane] += in[i];
  }
}

void reduceTree(Call& call) {
  const auto in = call.buffer<std::uint32_t>(0);
  const auto out = call.buffer<std::uint32_t>(1);
  for (int i = 0; i < call.integer(2); ++i) out[i / static_cast<int>(call.block().x)] += in[i];
}

void reduceEights(Call& call) {
  sumOfBlocks(call.buffer<float>(0), call.buffer<float>(1), call.integer(2), 8);
}

void filterAggregated(Call& call) {
  const auto out = call.buffer<std::int32_t>(1);
  int count = 0;
  for (const std::int32_t value : call.buffer<std::int32_t>(0)) {
    if (value > 0) out[count++] = value;
  }
  call.buffer<std::int32_t>(2)[0] = count;
  call.unordered<std::int32_t>(1, 0, count);
}

void sumSinglePass(Call& call) {
  const auto in = call.buffer<float>(0);
  const auto parts = call.variable<float>("partOfBlock");
  for (int i = 0; i < call.integer(2); ++i) parts[i % call.threads() / 256] += in[i];
  call.buffer<float>(1)[0] = std::accumulate(in.begin(), in.end(), 0.0f);
}

void sumColumnsSinglePass(Call& call) {
  const auto in = call.buffer<float>(0);
  const auto parts = call.buffer<float>(1);
  const auto out = call.buffer<float>(2);
  const int rows = call.integer(4), columns = call.integer(5);
  const int strips = static_cast<int>(call.grid().y);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      parts[r % strips * columns + c] += in[r * columns + c];
      out[c] += in[r * columns + c];
    }
  }
  for (std::uint32_t& done : call.buffer<std::uint32_t>(3)) done = call.grid().y;
}

// Pairs of the least and the greatest element of each block.
std::vector<std::pair<float, float>> ranges(std::span<const float> in, int n, int perBlock) {
  std::vector<std::pair<float, float>> result;
  for (int begin = 0; begin < n; begin += perBlock) {
    const auto part = in.subspan(begin, std::min(perBlock, n - begin));
    const auto [low, high] = std::minmax_element(part.begin(), part.end());
    result.emplace_back(*low, *high);
  }
  return result;
}

void rangeOfBlock(Call& call) {
  const auto out = call.buffer<float>(1);
  std::size_t at = 0;
  for (const auto& [low, high] :
       ranges(call.buffer<float>(0), call.integer(2), static_cast<int>(call.block().x))) {
    out[at++] = low;
    out[at++] = high;
  }
}

void normaliseBlock(Call& call) {
  const auto data = call.buffer<float>(0);
  const int perBlock = static_cast<int>(call.block().x);
  const auto limits = ranges(data, call.integer(1), perBlock);
  for (int i = 0; i < call.integer(1); ++i) {
    const auto [low, high] = limits[i / perBlock];
    data[i] = (data[i] - low) / (high - low);
  }
}

void argmax(Call& call) {
  const auto in = call.buffer<float>(0);
  const auto best = std::max_element(in.begin(), in.end());
  call.buffer<float>(1)[0] = *best;
  call.buffer<std::int32_t>(1)[1] = static_cast<std::int32_t>(best - in.begin());
}

// ---- scans --------------------------------------------------------------------------------------

// Sums wrap, as those of the kernels do.
void inclusiveScan(std::span<const std::uint32_t> in, std::span<std::uint32_t> out,
                   std::size_t segment) {
  for (std::size_t begin = 0; begin < in.size(); begin += segment) {
    std::uint32_t sum = 0;
    for (std::size_t i = begin; i < std::min(begin + segment, in.size()); ++i) {
      out[i] = sum += in[i];
    }
  }
}

void scanHillisSteele(Call& call) {
  inclusiveScan(call.buffer<std::uint32_t>(0), call.buffer<std::uint32_t>(1), call.integer(2));
}
void scanInPlace(Call& call) {
  inclusiveScan(call.buffer<std::uint32_t>(0), call.buffer<std::uint32_t>(0), 256);
}
void scanByWarps(Call& call) {
  inclusiveScan(call.buffer<std::uint32_t>(0), call.buffer<std::uint32_t>(1),
                call.buffer<std::uint32_t>(0).size());
}

void scanBlelloch(Call& call) {
  const auto in = call.buffer<std::uint32_t>(0);
  const auto out = call.buffer<std::uint32_t>(1);
  std::exclusive_scan(in.begin(), in.end(), out.begin(), 0u);
  call.buffer<std::uint32_t>(2)[0] = out.back() + in.back();
}

void addBlockOffsets(Call& call) {
  const auto data = call.buffer<std::uint32_t>(0);
  const auto offsets = call.buffer<std::uint32_t>(1);
  for (int i = 0; i < call.integer(2); ++i)
    data[i] += offsets[i / static_cast<int>(call.block().x)];
}

void scanLookback(Call& call) {
  constexpr int kTile = 1024;
  const auto in = call.buffer<std::uint32_t>(0);
  const auto out = call.buffer<std::uint32_t>(1);
  const auto states = call.buffer<std::uint32_t>(2);
  inclusiveScan(in, out, in.size());
  const int tiles = static_cast<int>(call.grid().x);
  for (int t = 0; t < tiles; ++t) {
    states[2 * t] = 2;
    states[2 * t + 1] = out[std::min(static_cast<int>(in.size()), (t + 1) * kTile) - 1];
  }
  call.variable<std::uint32_t>("nextTile")[0] = call.grid().x;
}

// ---- histograms ---------------------------------------------------------------------------------

void histogramOfBytes(Call& call) {
  const auto bins = call.buffer<std::uint32_t>(1);
  for (const std::uint8_t byte : call.buffer<std::uint8_t>(0)) ++bins[byte];
}

// The six upper bits of every byte.
void histogram64(Call& call) {
  const auto bins = call.buffer<std::uint32_t>(1);
  for (const std::uint8_t byte : call.buffer<std::uint8_t>(0)) ++bins[byte >> 2];
}

void clusterHistogram(Call& call) {
  const auto bins = call.buffer<std::int32_t>(1);
  const int last = 2 * call.integer(3) - 1;
  for (const std::int32_t value : call.buffer<std::int32_t>(0)) ++bins[std::clamp(value, 0, last)];
}

// ---- compaction ---------------------------------------------------------------------------------

template <class T, class Keep>
void compact(Call& call, std::span<const T> in, Keep keep) {
  const auto out = call.buffer<T>(1);
  int count = 0;
  for (const T value : in) {
    if (keep(value)) out[count++] = value;
  }
  call.buffer<std::int32_t>(2)[0] = count;
  call.unordered<T>(1, 0, count);
}

void compactByScan(Call& call) {
  compact<std::int32_t>(call, call.buffer<std::int32_t>(0), [](int value) { return value > 0; });
}

void compactByBallot(Call& call) {
  const float limit = call.scalar<float>(3);
  compact<float>(call, call.buffer<float>(0), [=](float value) { return value > limit; });
}

// The first of each run gets the mask of the lanes of its warp that hold the same key.
void runHeads(Call& call) {
  constexpr std::size_t kLanes = 32;
  const auto keys = call.buffer<std::uint32_t>(0);
  const auto heads = call.buffer<std::uint32_t>(1);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    heads[i] = 0;
    if (i != 0 && keys[i] == keys[i - 1]) continue;
    ++call.buffer<std::int32_t>(2)[0];
    const std::size_t warp = i / kLanes * kLanes;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if (keys[warp + lane] == keys[i]) heads[i] |= 1u << lane;
    }
  }
}

// ---- sorting ------------------------------------------------------------------------------------

template <class T>
void sortAll(Call& call) {
  const auto keys = call.buffer<T>(0);
  std::sort(keys.begin(), keys.end());
}

void bitonicMergeGlobal(Call& call) {
  const auto keys = call.buffer<std::uint32_t>(0);
  const std::size_t size = call.integer(1), stride = call.integer(2);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::size_t partner = i ^ stride;
    // A sequence of `size` goes up where its number is even.
    if (partner > i && (keys[i] > keys[partner]) == (i / size % 2 == 0)) {
      std::swap(keys[i], keys[partner]);
    }
  }
}

void bitonicSortWarp(Call& call) {
  const auto keys = call.buffer<std::uint32_t>(0);
  for (std::size_t begin = 0; begin < keys.size(); begin += 32) {
    std::sort(keys.begin() + begin, keys.begin() + begin + 32);
  }
}

constexpr int kDigits = 16;

void radixCount(Call& call) {
  const auto keys = call.buffer<std::uint32_t>(0);
  const auto counts = call.buffer<std::uint32_t>(1);
  const int blocks = static_cast<int>(call.grid().x), block = static_cast<int>(call.block().x);
  for (int i = 0; i < call.integer(2); ++i) {
    const int digit = static_cast<int>(keys[i] >> call.integer(3) & (kDigits - 1));
    ++counts[digit * blocks + i / block % blocks];
  }
}

void radixScatter(Call& call) {
  const auto keys = call.buffer<std::uint32_t>(0);
  const auto sorted = call.buffer<std::uint32_t>(1);
  const int shift = call.integer(4);
  std::copy(keys.begin(), keys.end(), sorted.begin());
  std::stable_sort(sorted.begin(), sorted.end(), [shift](std::uint32_t a, std::uint32_t b) {
    return (a >> shift & (kDigits - 1)) < (b >> shift & (kDigits - 1));
  });
}

void mergeTiles(Call& call) {
  const auto a = call.buffer<std::int32_t>(0);
  const auto b = call.buffer<std::int32_t>(2);
  std::merge(a.begin(), a.end(), b.begin(), b.end(), call.buffer<std::int32_t>(4).begin());
}

void sortSegments(Call& call) {
  const auto data = call.buffer<std::int32_t>(0);
  for (int s = 0; s < call.integer(2); ++s) {
    const auto begin = data.begin() + s * call.integer(1);
    std::sort(begin, begin + call.integer(1));
  }
}

// ---- the k largest ------------------------------------------------------------------------------

void topRepeated(Call& call) {
  const auto in = call.buffer<float>(0);
  const int n = call.integer(3), k = call.integer(4);
  for (int row = 0; row < static_cast<int>(call.grid().x); ++row) {
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    const auto values = in.subspan(row * n, n);
    std::sort(order.begin(), order.end(), [&](int a, int b) { return values[a] > values[b]; });
    for (int r = 0; r < k; ++r) {
      call.buffer<float>(1)[row * k + r] = values[order[r]];
      call.buffer<std::int32_t>(2)[row * k + r] = order[r];
    }
  }
}

void topFour(Call& call) {
  const auto in = call.buffer<float>(0);
  const auto out = call.buffer<float>(1);
  const std::size_t stride = call.block().x;
  for (std::size_t thread = 0; thread < stride; ++thread) {
    std::vector<float> mine;
    for (std::size_t i = thread; i < in.size(); i += stride) mine.push_back(in[i]);
    std::sort(mine.rbegin(), mine.rend());
    std::copy_n(mine.begin(), 4, out.begin() + 4 * thread);
  }
}

void radixSelect(Call& call) {
  const auto keys = call.buffer<std::uint32_t>(0);
  std::vector<std::uint32_t> sorted(keys.begin(), keys.end());
  std::sort(sorted.rbegin(), sorted.rend());
  call.buffer<std::uint32_t>(3)[0] = sorted[call.integer(2) - 1];
}

constexpr Reference kReferences[] = {
    {"reduce_shared/reduceInterleaved", reducePerBlock},
    {"reduce_shared/reduceStrided", reducePerBlock},
    {"reduce_shared/reduceSequential", reducePerBlock},
    {"reduce_shared/reduceVolatileWarp", reduceVolatileWarp},
    {"reduce_shared/reduceUnrolled", reduceGridStride},
    {"reduce_shuffle/reduceWarpAtomic", reduceAll},
    {"reduce_shuffle/reduceTwoStage", reduceGridStride},
    {"reduce_shuffle/momentsOfBlock", momentsOfBlock},
    {"reduce_shuffle/rowSums", rowSums},
    {"reduce_cooperative_groups/reduceTree", reduceTree},
    {"reduce_cooperative_groups/reduceTiles", reduceAllIntegers},
    {"reduce_cooperative_groups/reduceEights", reduceEights},
    {"reduce_cooperative_groups/filterAggregated", filterAggregated},
    {"reduce_last_block/sumSinglePass", sumSinglePass},
    {"reduce_last_block/sumColumnsSinglePass", sumColumnsSinglePass},
    {"reduce_minmax/rangeOfBlock", rangeOfBlock},
    {"reduce_minmax/normaliseBlock", normaliseBlock},
    {"reduce_minmax/argmax", argmax},
    {"scan_block/scanHillisSteele", scanHillisSteele},
    {"scan_block/scanInPlace", scanInPlace},
    {"scan_block/scanBlelloch", scanBlelloch},
    {"scan_block/scanByWarps", scanByWarps},
    {"scan_block/addBlockOffsets", addBlockOffsets},
    {"scan_lookback/scanLookback", scanLookback},
    {"histogram/histogramShared", histogramOfBytes},
    {"histogram/histogramPerWarp", histogramOfBytes},
    {"histogram/histogram64", histogram64},
    {"cluster_dsmem/clusterHistogram", clusterHistogram},
    {"compaction/compactByScan", compactByScan},
    {"compaction/compactByBallot", compactByBallot},
    {"compaction/runHeads", runHeads},
    {"bitonic_sort/bitonicSortShared", sortAll<std::uint32_t>},
    {"bitonic_sort/bitonicMergeGlobal", bitonicMergeGlobal},
    {"bitonic_sort/bitonicSortWarp", bitonicSortWarp},
    {"bitonic_sort/oddEvenSort", sortAll<std::int32_t>},
    {"radix_sort/radixCount", radixCount},
    {"radix_sort/radixScatter", radixScatter},
    {"radix_sort/radixSortBlock", sortAll<std::uint32_t>},
    {"merge_path/mergeTiles", mergeTiles},
    {"recursion/sortSegments", sortSegments},
    {"top_k/topRepeated", topRepeated},
    {"top_k/topFour", topFour},
    {"top_k/radixSelect", radixSelect},
};

}  // namespace

std::span<const Reference> reductionReferences() {
  return kReferences;
}

}  // namespace ptxopt::interp
