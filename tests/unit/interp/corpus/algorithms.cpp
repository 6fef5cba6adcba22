// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of every kind: recursion, function pointers, virtual functions, interpreters; and element
// by element work.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <vector>

#include "reference.h"

namespace ptxopt::interp {
namespace {

// ---- element by element -------------------------------------------------------------------------

template <std::size_t kScalar, std::size_t kX, std::size_t kY>
void saxpy(Call& call) {
  const auto x = call.buffer<float>(kX);
  for (std::size_t i = 0; i < x.size(); ++i)
    call.buffer<float>(kY)[i] += call.scalar<float>(kScalar) * x[i];
}

template <std::size_t kA, std::size_t kB, std::size_t kOut>
void addElements(Call& call) {
  const auto a = call.buffer<float>(kA);
  for (std::size_t i = 0; i < a.size(); ++i)
    call.buffer<float>(kOut)[i] = a[i] + call.buffer<float>(kB)[i];
}

void blockStride2d(Call& call) {
  const int width = call.integer(2);
  for (int i = 0; i < width * call.integer(3); ++i) {
    call.buffer<std::int32_t>(1)[i / width] += call.buffer<std::int16_t>(0)[i];
  }
}

void blend(Call& call) {
  const auto a = call.buffer<float>(0);
  const float t = call.scalar<float>(3);
  for (std::size_t i = 0; i < a.size(); ++i) {
    // The second vector is read back to front.
    call.buffer<float>(2)[i] = a[i] * (1 - t) + call.buffer<float>(1)[i / 4 * 4 + 3 - i % 4] * t;
  }
}

// ---- calls --------------------------------------------------------------------------------------

void multiplyChain(Call& call) {
  const auto in = call.buffer<double>(0);
  std::vector<double> result(in.begin(), in.begin() + 9);
  for (int m = 1; m < call.integer(2); ++m) {
    const std::vector<double> left = result;
    for (int i = 0; i < 9; ++i) {
      result[i] = 0;
      for (int k = 0; k < 3; ++k) result[i] += left[i / 3 * 3 + k] * in[9 * m + 3 * k + i % 3];
    }
  }
  for (std::size_t i = 0; i < call.buffer<double>(1).size(); ++i)
    call.buffer<double>(1)[i] = result[i % 9];
}

struct alignas(16) Packet {
  std::int8_t tag;
  std::int16_t kind;
  std::int32_t words[5];
};

// The table is another module's: zeros.
void stampAll(Call& call) {
  const auto packets = call.buffer<Packet>(0);
  for (std::size_t t = 0; t < packets.size(); ++t) {
    Packet& packet = packets[t];
    packet.tag = static_cast<std::int8_t>(t);
    if (t % 2 == 1) packet.kind = static_cast<std::int16_t>(-packet.kind);
    packet.words[t % 5] = 0;
    packet.words[0] = std::clamp(packet.words[0], -5, 5);
  }
  call.buffer<std::int32_t>(1)[0] = static_cast<std::int32_t>(packets.size());
}

void applyTable(Call& call) {
  const auto data = call.buffer<float>(1);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const float x = data[i];
    const float results[] = {x * x, x * x * x, 1.0f / x, x};
    data[i] = results[call.buffer<std::int32_t>(0)[i] & 3];
  }
}

// The launch passes `cube`.
void applyPointer(Call& call) {
  for (float& x : call.buffer<float>(1)) x = x * x * x;
}

void phases(Call& call) {
  const auto data = call.buffer<float>(0);
  for (int round = 0; round < call.integer(2); ++round) {
    const std::vector<float> before(data.begin(), data.end());
    for (std::size_t t = 0; t < data.size(); ++t) {
      if (call.buffer<std::int32_t>(1)[round] == 0) {
        data[t] += before[(t + round) % data.size()];
      } else {
        data[t] *= static_cast<float>(round);
      }
    }
  }
}

// The closed forms of the first four rows.
void ackermannTable(Call& call) {
  for (int n = 0; n < 4; ++n) {
    const int rows[] = {n + 1, n + 2, 2 * n + 3, (1 << (n + 3)) - 3};
    for (int m = 0; m < 4; ++m) call.buffer<std::int32_t>(0)[m * 4 + n] = rows[m];
  }
}

void walk(Call& call) {
  const auto keys = call.buffer<float>(0);  // key, left, right
  const auto links = call.buffer<std::int32_t>(0);
  const auto roots = call.buffer<std::int32_t>(1);
  const std::function<float(int)> sum = [&](int node) {
    return node < 0 ? 0.0f : keys[3 * node] + sum(links[3 * node + 1]) + sum(links[3 * node + 2]);
  };
  for (std::size_t t = 0; t < roots.size(); ++t) {
    call.buffer<float>(2)[t] = sum(roots[63 - t]);
    call.buffer<std::uint8_t>(3)[t] = roots[t] % 2 == 0 ? 1 : 0;
  }
}

void localStackNumba(Call& call) {
  const auto tree = call.buffer<std::int32_t>(4);
  const std::function<int(int)> sum = [&](int node) {
    return node < 0 ? 0 : tree[3 * node] + sum(tree[3 * node + 1]) + sum(tree[3 * node + 2]);
  };
  for (int i = 0; i < static_cast<int>(call.block().x); ++i)
    call.buffer<std::int32_t>(13)[i] = sum(i);
}

// Addresses are not compared: the tables of the classes are where the compiler put them.
void build(Call& call) {
  const auto slots = call.buffer<float>(1);
  for (int i = 0; i < call.integer(3); ++i) {
    const float size = call.buffer<float>(2)[i];
    slots[4 * i + 2] = size;
    if (i % 3 == 1) slots[4 * i + 3] = 2.0f;
    if (i % 3 == 2) slots[4 * i + 3] = size;
    call.ignore(1, 16 * i, 16 * i + 8);
  }
  call.ignore(0);
}

// A circle of radius 2, a rectangle of 3 by 2, a square of 1.5; what scaling by half returns is
// taken off the sum: the new radius, nothing, the new side.
void totalArea(Call& call) {
  const float area = 3.14159265f * 4.0f + 6.0f + 2.25f;
  call.buffer<float>(1)[0] = area - (1.0f + 0.0f + 0.75f);
  call.close<float>(1, 1e-6);
  call.ignore(0);
}

// ---- control flow -------------------------------------------------------------------------------

// What the program of the launch computes: a root, a difference, a loop that counts to zero, a
// quotient.
void interpret(Call& call) {
  constexpr std::size_t kCells = 64;
  for (std::size_t t = 0; t < call.block().x; ++t) {
    const auto mine = call.buffer<float>(1).subspan(t * kCells, kCells);
    mine[1] = std::sqrt(mine[0] * mine[0] + 1.0f);
    mine[2] = mine[1] - 0.5f;
    mine[3] = 0;
    mine[4] = 10.0f / mine[1];
  }
}

void countClasses(Call& call) {
  constexpr std::string_view kVowels = "aeiou", kSpaces = " \n\t", kDigits = "0123456789";
  for (const char c : call.buffer<char>(0)) {
    int kind = 0;
    if (kVowels.find(c) != std::string_view::npos) kind = 1;
    if (kSpaces.find(c) != std::string_view::npos) kind = 2;
    if (kDigits.find(c) != std::string_view::npos) kind = 3;
    ++call.buffer<std::int32_t>(1)[kind];
  }
}

// Collatz steps with a budget: odd numbers go up, even ones down until they are 0 or 1.
void irreducible(Call& call) {
  for (std::int32_t& v : call.buffer<std::int32_t>(0)) {
    int budget = call.integer(1);
    bool isOdd = v % 2 != 0;
    while (true) {
      if (isOdd) {
        v = 3 * v + 1;
        if (--budget < 0) break;
      }
      v /= 2;
      if (v <= 1 || --budget < 0) break;
      isOdd = v % 2 != 0;
    }
  }
}

// ---- other producers ----------------------------------------------------------------------------

template <std::size_t kIn, std::size_t kOut>
void blockSums256(Call& call) {
  const auto in = call.buffer<float>(kIn);
  for (std::size_t i = 0; i < in.size(); ++i) call.buffer<float>(kOut)[i / 256] += in[i];
}

void reduceOpenCl(Call& call) {
  for (int i = 0; i < call.integer(3); ++i) {
    call.buffer<float>(1)[i / static_cast<int>(call.block().x)] += call.buffer<float>(0)[i];
  }
}

void meanAndVarianceNumba(Call& call) {
  const auto in = call.buffer<float>(4);
  const std::size_t columns = call.scalar<std::uint64_t>(6);
  for (std::size_t row = 0; row < call.grid().x; ++row) {
    double mean = 0, variance = 0;
    for (const float x : in.subspan(row * columns, columns)) mean += static_cast<double>(x);
    mean /= static_cast<double>(columns);
    for (const float x : in.subspan(row * columns, columns)) {
      variance += (static_cast<double>(x) - mean) * (static_cast<double>(x) - mean);
    }
    call.buffer<float>(13)[2 * row] = static_cast<float>(mean);
    call.buffer<float>(13)[2 * row + 1] =
        static_cast<float>(variance / static_cast<double>(columns));
  }
  call.close<float>(13, 1e-6);
}

void warpReduceNumba(Call& call) {
  for (const float x : call.buffer<float>(4)) call.buffer<float>(11)[0] += x;
}

void inclusiveScanNumba(Call& call) {
  const auto data = call.buffer<std::uint32_t>(4);
  for (std::size_t i = 1; i < data.size(); ++i) {
    if (i % 256 != 0) data[i] += data[i - 1];
  }
}

void histogramNumba(Call& call) {
  for (const std::uint8_t byte : call.buffer<std::uint8_t>(4))
    ++call.buffer<std::int32_t>(11)[byte];
}

void bitonicSortNumba(Call& call) {
  const auto keys = call.buffer<std::int32_t>(4);
  std::sort(keys.begin(), keys.end());
}

void blockVotesNumba(Call& call) {
  const auto in = call.buffer<std::int64_t>(4);
  const std::size_t block = call.block().x;
  for (std::size_t b = 0; b < call.grid().x; ++b) {
    const auto part = in.subspan(b * block, block);
    const auto positive = std::count_if(part.begin(), part.end(), [](auto x) { return x > 0; });
    const bool noThree = std::find(part.begin(), part.end(), 3) == part.end();
    const bool seven = std::find(part.begin(), part.end(), 7) != part.end();
    call.buffer<std::int32_t>(11)[b] =
        static_cast<std::int32_t>(positive) + (noThree ? 1000 : 0) + (seven ? 10000 : 0);
  }
}

// The counter goes back to zero with the last block.
void lastBlockNumba(Call& call) {
  const auto in = call.buffer<float>(4);
  for (std::size_t i = 0; i < in.size(); ++i) {
    call.buffer<float>(11)[i / 256] += in[i];
    call.buffer<float>(25)[0] += in[i];
  }
}

void histogramTriton(Call& call) {
  for (int i = 0; i < call.integer(2); ++i) {
    ++call.buffer<std::int32_t>(1)[call.buffer<std::int32_t>(0)[i]];
  }
  // The lanes after the end count as zeros.
  constexpr int kBlock = 1024;
  call.buffer<std::int32_t>(1)[0] += static_cast<int>(call.grid().x) * kBlock - call.integer(2);
}

void prefixSumTriton(Call& call) {
  const int n = call.integer(2);
  std::uint32_t sum = 0;
  for (int i = 0; i < static_cast<int>(call.grid().x) * n; ++i) {
    if (i % n == 0) sum = 0;
    call.buffer<std::uint32_t>(1)[i] = sum += call.buffer<std::uint32_t>(0)[i];
  }
}

void linearRecurrenceTriton(Call& call) {
  constexpr std::size_t kBlock = 512;
  const auto a = call.buffer<float>(0);
  double state = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (i % kBlock == 0) state = 0;
    state = state * static_cast<double>(a[i]) + static_cast<double>(call.buffer<float>(1)[i]);
    call.buffer<float>(2)[i] = static_cast<float>(state);
  }
  call.close<float>(2, 1e-5);
}

void sortRowsTriton(Call& call) {
  constexpr std::size_t kBlock = 256;
  const auto in = call.buffer<std::int32_t>(0);
  const auto out = call.buffer<std::int32_t>(1);
  std::copy(in.begin(), in.end(), out.begin());
  for (std::size_t begin = 0; begin < out.size(); begin += kBlock) {
    std::sort(out.begin() + begin, out.begin() + begin + kBlock);
  }
}

void checkedGatherTriton(Call& call) {
  const auto index = call.buffer<std::int32_t>(1);
  for (std::size_t i = 0; i < index.size(); ++i)
    call.buffer<float>(2)[i] = call.buffer<float>(0)[index[i]];
}

void lockedSumTriton(Call& call) {
  for (const float x : call.buffer<float>(0)) call.buffer<float>(2)[0] += x;
}

constexpr Reference kReferences[] = {
    {"block_stride/saxpy", saxpy<1, 2, 3>},
    {"block_stride/saxpyStride", saxpy<1, 2, 3>},
    {"block_stride/addVector4", addElements<0, 1, 2>},
    {"block_stride/blockStride2d", blockStride2d},
    {"device_library/multiplyChain", multiplyChain},
    {"device_library/stampAll", stampAll},
    {"function_pointers/applyTable", applyTable},
    {"function_pointers/applyPointer", applyPointer},
    {"function_pointers/phases", phases},
    {"recursion/ackermannTable", ackermannTable},
    {"recursion/walk", walk},
    {"virtual_calls/build", build},
    {"virtual_calls/totalArea", totalArea},
    {"switch_dispatch/interpret", interpret},
    {"switch_dispatch/countClasses", countClasses},
    {"switch_dispatch/irreducible", irreducible},
    {"numba/saxpy", saxpy<0, 5, 12>},
    {"numba/mean_and_variance", meanAndVarianceNumba},
    {"numba/warp_reduce", warpReduceNumba},
    {"numba/inclusive_scan", inclusiveScanNumba},
    {"numba/histogram", histogramNumba},
    {"numba/bitonic_sort", bitonicSortNumba},
    {"numba/block_votes", blockVotesNumba},
    {"numba/last_block", lastBlockNumba},
    {"numba/local_stack", localStackNumba},
    {"triton/vector_add", addElements<0, 1, 2>},
    {"triton/histogram", histogramTriton},
    {"triton/prefix_sum", prefixSumTriton},
    {"triton/linear_recurrence", linearRecurrenceTriton},
    {"triton/sort_rows", sortRowsTriton},
    {"triton/checked_gather", checkedGatherTriton},
    {"triton/locked_sum", lockedSumTriton},
    {"cute/add", addElements<0, 1, 2>},
    {"cute/block_sum", blockSums256<0, 1>},
    {"cute/warp_sum", blockSums256<0, 1>},
    {"mojo/saxpy", saxpy<0, 1, 2>},
    {"mojo/block_sum", blockSums256<0, 1>},
    {"opencl/reduce", reduceOpenCl},
    {"opencl/blend", blend},
};

}  // namespace

std::span<const Reference> algorithmReferences() {
  return kReferences;
}

}  // namespace ptxopt::interp
