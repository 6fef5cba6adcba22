// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that are there for their barriers, fences, flags, warps and clusters.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include "reference.h"

namespace ptxopt::interp {
namespace {

using Words = std::span<std::uint32_t>;

// out[t] = f(t) for the threads of one block; sums wrap.
template <class Compute>
void eachThread(Call& call, std::size_t output, Compute compute) {
  const Words out = call.buffer<std::uint32_t>(output);
  for (std::uint32_t t = 0; t < call.block().x; ++t) out[t] = compute(t);
}

// ---- redundant and needed barriers --------------------------------------------------------------

void reversed(Call& call) {
  const Words in = call.buffer<std::uint32_t>(0);
  eachThread(call, 1, [&](std::uint32_t t) { return in[255 - t]; });
}
void neighbours(Call& call) {
  const Words in = call.buffer<std::uint32_t>(0);
  eachThread(call, 1, [&](std::uint32_t t) { return in[t ^ 1]; });
}
void nothing(Call&) {}

// Sums of warps where they are large.
void aroundShuffles(Call& call) {
  const auto in = call.buffer<std::int32_t>(0);
  eachThread(call, 1, [&](std::uint32_t t) {
    const auto warp = in.subspan(t % 8 * 32, 32);
    const int sum = std::accumulate(warp.begin(), warp.end(), 0);
    return static_cast<std::uint32_t>(sum > 100 ? sum : 0);
  });
}

void betweenReads(Call& call) {
  const Words in = call.buffer<std::uint32_t>(0);
  eachThread(call, 1, [&](std::uint32_t t) {
    return in[(t + 1) % 256] + in[(t + 2) % 256] + in[(t + 3) % 256];
  });
}
void distinctArrays(Call& call) {
  const Words in = call.buffer<std::uint32_t>(0);
  eachThread(call, 1, [&](std::uint32_t t) { return in[255 - t] + in[511 - t]; });
}
void ownSlot(Call& call) {
  const Words in = call.buffer<std::uint32_t>(0);
  eachThread(call, 1, [&](std::uint32_t t) { return (in[255 - t] + 3) * 5; });
}

// Four exchanges over distances 1, 2, 4 and 8 leave in everyone the sum of the sixteen.
template <class T>
void sumOfSixteen(std::span<const T> in, std::span<T> out) {
  const std::vector<T> copy(in.begin(), in.end());
  for (std::size_t t = 0; t < copy.size(); ++t) {
    out[t] = std::accumulate(copy.begin() + t / 16 * 16, copy.begin() + t / 16 * 16 + 16, T{});
  }
}
void inlinedHelpers(Call& call) {
  sumOfSixteen<std::uint32_t>(call.buffer<std::uint32_t>(0), call.buffer<std::uint32_t>(1));
}
void exchangeMojo(Call& call) {
  sumOfSixteen<float>(call.buffer<float>(0), call.buffer<float>(0));
}

void privateOnly(Call& call) {
  const auto out = call.buffer<float>(0);
  for (std::size_t t = 0; t < out.size(); ++t) {
    float v = static_cast<float>(t);
    for (int i = 0; i < call.integer(1); ++i) v = v * 1.5f + 1.0f;
    out[t] = v;
  }
}

void fiveNeeded(Call& call) {
  const Words in = call.buffer<std::uint32_t>(0);
  eachThread(call, 1, [&](std::uint32_t t) {
    const std::uint32_t from = (t + 97) % 256 ^ 64;
    return (in[255 - from] + 1) * 3;
  });
}

void acrossTheBackEdge(Call& call) {
  const Words in = call.buffer<std::uint32_t>(0);
  eachThread(call, 1, [&](std::uint32_t t) {
    std::uint32_t sum = 0;
    for (std::uint32_t r = 0; r < call.scalar<std::uint32_t>(2); ++r)
      sum += in[r * 256 + (t + r) % 256];
    return sum;
  });
}

void throughGlobal(Call& call) {
  eachThread(call, 0, [](std::uint32_t t) { return t; });
  eachThread(call, 1, [&](std::uint32_t t) { return (t + 1) % call.block().x; });
}

// Both pointers of the launch are the same.
void pointersMayAlias(Call& call) {
  const auto data = call.buffer<float>(0);
  std::copy(data.begin() + 1, data.end(), data.begin());
}

void predicatedStore(Call& call) {
  eachThread(call, 1, [&](std::uint32_t) { return call.buffer<std::uint32_t>(0)[0]; });
}
void atomicThenRead(Call& call) {
  eachThread(call, 0, [&](std::uint32_t) { return (call.block().x + 2) / 3; });
}
void fenceAndFlag(Call& call) {
  eachThread(call, 0, [](std::uint32_t t) { return t; });
  call.buffer<std::uint32_t>(1)[0] = 1;
}

// ---- guards and exits ---------------------------------------------------------------------------

void guardedByBlock(Call& call) {
  const auto in = call.buffer<float>(0);
  for (std::size_t i = 0; i < in.size(); ++i)
    call.buffer<float>(1)[i] = in[i / 128 * 128 + 127 - i % 128];
}

void guardedByThread(Call& call) {
  const auto in = call.buffer<float>(0);
  for (std::size_t i = 0; i < in.size(); ++i) {
    call.buffer<float>(1)[i] = in[i] + (i % 128 == 0 ? 0.0f : in[i - 1]);
  }
}

// Up to the first chunk that begins with a negative number.
void guardedByData(Call& call) {
  const auto in = call.buffer<float>(1);
  for (int base = 0; base < call.buffer<std::int32_t>(0)[0] && in[base] >= 0; base += 256) {
    for (int t = 0; t < 256; ++t) call.buffer<float>(2)[base + t] = in[base + 255 - t];
  }
}

void persistentWorkers(Call& call) {
  const int items = call.integer(2);
  for (int item = 0; item < items; ++item) {
    for (int i = 0; i < call.buffer<std::int32_t>(0)[item]; ++i) {
      call.buffer<std::int32_t>(1)[item] += i * i;
    }
  }
  // Each block draws one number too many.
  call.variable<std::int32_t>("workCounter")[0] = items + static_cast<int>(call.grid().x);
}

void doubled(Call& call) {
  for (float& x : call.buffer<float>(0)) x *= 2.0f;
}
template <class T>
void reverseInPlace(Call& call) {
  const auto data = call.buffer<T>(0);
  std::reverse(data.begin(), data.end());
}
void largest(Call& call) {
  const auto data = call.buffer<std::int32_t>(0);
  data.back() = *std::max_element(data.begin(), data.end() - 1);
}

// ---- fixed blocks and clusters ------------------------------------------------------------------

void sumOfEachBlock(Call& call) {
  const auto in = call.buffer<float>(0);
  for (std::size_t i = 0; i < in.size(); ++i) call.buffer<float>(1)[i / 256] += in[i];
}
void addOne(Call& call) {
  for (std::int32_t& x : call.buffer<std::int32_t>(0)) ++x;
}
void fixedWarp(Call& call) {
  const Words data = call.buffer<std::uint32_t>(0);
  const std::vector<std::uint32_t> copy(data.begin(), data.end());
  eachThread(call, 0, [&](std::uint32_t t) { return copy[t ^ 5]; });
}

void ringExchange(Call& call) {
  const auto data = call.buffer<float>(0);
  constexpr std::size_t kBlock = 128;
  for (int round = 0; round < call.integer(1); ++round) {
    const std::vector<float> before(data.begin(), data.end());
    for (std::size_t i = 0; i < data.size(); ++i) {
      const std::size_t from = (i + data.size() - kBlock) % data.size();
      data[i] = 0.5f * before[from] + 0.5f * before[from / kBlock * kBlock + (from + 1) % kBlock];
    }
  }
}

// Pairs of blocks add up; the loop runs over the grid.
void clusterSum(Call& call) {
  for (int i = 0; i < call.integer(2); ++i) {
    call.buffer<float>(1)[i % call.threads() / 512] += call.buffer<float>(0)[i];
  }
}

// ---- dynamic shared memory ----------------------------------------------------------------------

void partitioned(Call& call) {
  const auto in = call.buffer<float>(0);
  for (const std::int32_t index : call.buffer<std::int32_t>(1)) {
    call.buffer<float>(2)[0] += in[index % call.integer(3)];
  }
}
void aliased(Call& call) {
  const Words in = call.buffer<std::uint32_t>(1);
  eachThread(call, 0, [&](std::uint32_t t) { return in[t ^ 3 ^ 1] + 1; });
}
void staticAndDynamic(Call& call) {
  int count = 0;
  for (int i = 0; i < call.integer(2); ++i) {
    if (call.buffer<std::int32_t>(0)[i] % 2 != 0) call.buffer<std::int32_t>(1)[count++] = i;
  }
  call.buffer<std::int32_t>(1)[call.integer(2)] = count;
  call.unordered<std::int32_t>(1, 0, count);
}

// ---- producers and consumers --------------------------------------------------------------------

// Each chunk of 128 is reversed on its way through the buffer.
void saxpySpecialised(Call& call) {
  const auto x = call.buffer<float>(0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    call.buffer<float>(1)[i] += call.scalar<float>(2) * x[i / 128 * 128 + 127 - i % 128];
  }
}
void specialisedCute(Call& call) {
  const auto x = call.buffer<float>(0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    call.buffer<float>(1)[i] = x[i / 128 * 128 + 127 - i % 128] * 2.0f;
  }
}
void twoTeams(Call& call) {
  const auto in = call.buffer<float>(0);
  for (std::size_t block = 0; block < call.grid().x; ++block) {
    const auto half = in.subspan(block * 256, 128);
    const auto rest = in.subspan(block * 256 + 128, 128);
    call.buffer<float>(1)[block] = std::accumulate(half.begin(), half.end(), 0.0f) /
                                   *std::max_element(rest.begin(), rest.end());
  }
}
void barrierReductions(Call& call) {
  const auto in = call.buffer<std::int32_t>(0);
  const int block = static_cast<int>(call.block().x);
  for (int b = 0; b < static_cast<int>(call.grid().x); ++b) {
    int count = 0;
    for (int i = b * block; i < (b + 1) * block; ++i) {
      if (i < call.integer(2) && in[i] > 0) ++count;
    }
    call.buffer<std::int32_t>(1)[b] =
        count | (count == block ? 1 : 0) << 16 | (count > 0 ? 1 : 0) << 17;
  }
}

void splitBarrier(Call& call) {
  const auto in = call.buffer<float>(0);
  for (std::size_t i = 0; i < in.size(); ++i) {
    call.buffer<float>(1)[i] = 2.0f * in[i] + in[i / 256 * 256 + 255 - i % 256];
  }
}
// In elements of sixteen bytes.
void asyncCopyOnBarrier(Call& call) {
  struct Quad {
    std::int32_t word[4];
  };
  const auto in = call.buffer<Quad>(0);
  for (std::size_t i = 0; i < in.size(); ++i)
    call.buffer<Quad>(1)[i] = in[i / 128 * 128 + 127 - i % 128];
}

void scaleBulk(Call& call) {
  const auto in = call.buffer<float>(0);
  for (std::size_t i = 0; i < in.size(); ++i)
    call.buffer<float>(1)[i] = in[i] * call.scalar<float>(2);
}
// Tiles of 32 x 32 floats of a matrix of 50 x 70, transposed; what is outside of it is zero.
void copyTensorTile(Call& call) {
  constexpr std::size_t kColumns = 50, kRows = 70, kPitch = 52;
  const std::span<float> in = call.variable<float>("in");
  const std::span<float> out = call.buffer<float>(1);
  const auto width = static_cast<std::size_t>(call.integer(2));
  for (std::size_t x = 0; x < 32u * call.grid().x; ++x) {
    for (std::size_t y = 0; y < 32u * call.grid().y; ++y) {
      out[x * width + y] = x < kColumns && y < kRows ? in[y * kPitch + x] : 0.0f;
    }
  }
}

void addBulk(Call& call) {
  for (int i = 0; i < call.integer(2); ++i)
    call.buffer<float>(1)[i % 512] += call.buffer<float>(0)[i];
}

// ---- flags and atomics --------------------------------------------------------------------------

// Every warp adds its number to what the warp before passes on.
void warpPipeline(Call& call) {
  const auto in = call.buffer<std::int32_t>(0);
  call.buffer<std::int32_t>(1)[0] = in.back() + 0 + 1 + 2 + 3 + 4 + 5 + 6 + 7;
}

// What does not depend on the order; f, most of u and l[1] do.
void everyAtomic(Call& call) {
  const auto i = call.buffer<std::int32_t>(0);
  const Words u = call.buffer<std::uint32_t>(1);
  const auto l = call.buffer<std::uint64_t>(2);
  const int threads = static_cast<int>(call.block().x), sum = threads * (threads - 1) / 2;
  i[0] = sum;
  i[1] = -sum;
  i[3] = threads - 1;
  i[4] = i[5] = threads;
  u[0] = 32;
  u[1] = 100 - 31;  // the first one wraps
  l[0] = 31;
  l[2] = 3u * 32;
  call.ignore(1, 2 * sizeof u[0]);
  call.ignore(2, sizeof l[0], 2 * sizeof l[0]);
  call.ignore(3);
}

void messagePassing(Call& call) {
  eachThread(call, 0, [](std::uint32_t t) { return 3 * t; });
  eachThread(call, 2, [](std::uint32_t t) { return 3 * t; });
  call.buffer<std::uint32_t>(1)[0] = 1;
}

// ---- warps --------------------------------------------------------------------------------------

void votes(Call& call) {
  const auto in = call.buffer<std::int32_t>(0);
  eachThread(call, 1, [&](std::uint32_t t) {
    const auto warp = in.subspan(t / 32 * 32, 32);
    std::uint32_t positive = 0;
    bool noThree = true, seven = false, same = true;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      positive |= (warp[lane] > 0 ? 1u : 0u) << lane;
      noThree = noThree && warp[lane] != 3;
      seven = seven || warp[lane] == 7;
      same = same && warp[lane] >> 4 == warp[0] >> 4;
    }
    const std::uint32_t sum = positive + (noThree ? 1 : 0) + (seven ? 2 : 0);
    return sum ^ ((same ? ~0u : 0u) ^ (same ? 1u : 0u));
  });
}

void shuffles(Call& call) {
  const auto data = call.buffer<double>(0);
  std::vector<double> v(data.begin(), data.end());
  const auto step = [&](auto source) {
    const std::vector<double> before = v;
    for (int lane = 0; lane < 32; ++lane) v[lane] += before[source(lane)];
  };
  step([](int) { return 3; });
  step([](int lane) { return lane % 8 >= 1 ? lane - 1 : lane; });
  step([](int lane) { return lane % 16 < 14 ? lane + 2 : lane; });
  const auto whole = call.buffer<std::int64_t>(1);
  const std::vector<std::int64_t> copy(whole.begin(), whole.end());
  for (int lane = 0; lane < 32; ++lane) {
    data[lane] = v[lane ^ 4];
    whole[lane] = copy[lane * 7 % 32];
  }
}

void warpExchange(Call& call) {
  const Words data = call.buffer<std::uint32_t>(0);
  const std::vector<std::uint32_t> copy(data.begin(), data.end());
  eachThread(call, 0, [&](std::uint32_t t) { return copy[t / 32 * 32 + 31 - (t % 32 ^ 5)] + 1; });
}

// The lower half of a warp takes sums, the upper half maxima.
void halfWarps(Call& call) {
  const auto data = call.buffer<std::int32_t>(0);
  for (std::size_t begin = 0; begin < data.size(); begin += 16) {
    const auto half = data.subspan(begin, 16);
    const int sum = std::accumulate(half.begin(), half.end(), 0);
    const int top = *std::max_element(half.begin(), half.end());
    std::fill(half.begin(), half.end(), begin % 32 == 0 ? sum : top);
  }
}

// lanes below ^ (lanes from here on + number of the multiprocessor), of which there is one.
void laneMasks(Call& call) {
  eachThread(call, 0, [](std::uint32_t t) {
    const std::uint32_t below = (1u << t % 32) - 1;
    return below ^ ~below;
  });
}

// ---- output -------------------------------------------------------------------------------------

template <class... Values>
std::string formatted(const char* format, Values... values) {
  char line[200];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

void report(Call& call) {
  const auto data = call.buffer<float>(0);
  const float top = *std::max_element(data.begin(), data.end());
  call.printed = formatted("block %d of %d: maximum %f\n", 0, 1, static_cast<double>(top));
  for (int t = 0; t < static_cast<int>(data.size()); ++t) {
    if (data[t] != top) continue;
    call.printed += formatted("thread %d holds it: %e %s\n", t, static_cast<double>(top), "yes");
  }
}

void orderedOutput(Call& call) {
  for (const char* phase : {"one", "two", "three"}) {
    for (int t = 0; t < static_cast<int>(call.block().x); ++t) {
      call.printed += formatted("phase %s %d\n", phase, t);
    }
  }
}

// Addresses of memory that has been freed.
void linkedLists(Call& call) {
  call.ignore(0);
}

// Clocks, and a store to the same place by everyone.
void timeLoads(Call& call) {
  call.ignore(2);
  call.ignore(3);
}

constexpr Reference kReferences[] = {
    {"redundant_barriers/fiveInARow", reversed},
    {"redundant_barriers/onlyBarriers", nothing},
    {"redundant_barriers/leading", neighbours},
    {"redundant_barriers/trailing", neighbours},
    {"redundant_barriers/aroundShuffles", aroundShuffles},
    {"redundant_barriers/betweenReads", betweenReads},
    {"redundant_barriers/distinctArrays", distinctArrays},
    {"redundant_barriers/ownSlot", ownSlot},
    {"redundant_barriers/inlinedHelpers", inlinedHelpers},
    {"redundant_barriers/privateOnly", privateOnly},
    {"needed_barriers/fiveNeeded", fiveNeeded},
    {"needed_barriers/acrossTheBackEdge", acrossTheBackEdge},
    {"needed_barriers/throughGlobal", throughGlobal},
    {"needed_barriers/pointersMayAlias", pointersMayAlias},
    {"needed_barriers/predicatedStore", predicatedStore},
    {"needed_barriers/atomicThenRead", atomicThenRead},
    {"needed_barriers/fenceAndFlag", fenceAndFlag},
    {"early_exit/guardedByBlock", guardedByBlock},
    {"early_exit/guardedByThread", guardedByThread},
    {"early_exit/guardedByData", guardedByData},
    {"early_exit/persistentWorkers", persistentWorkers},
    {"launch_bounds/oneBound", doubled},
    {"launch_bounds/twoBounds", reverseInPlace<float>},
    {"launch_bounds/oneWarp", reverseInPlace<std::int32_t>},
    {"launch_bounds/oneThread", largest},
    {"block_size/fixedBlock", sumOfEachBlock},
    {"block_size/fixedCluster", addOne},
    {"block_size/fixedWarp", fixedWarp},
    {"cluster_dsmem/ringExchange", ringExchange},
    {"cluster_dsmem/clusterSum", clusterSum},
    {"dynamic_shared/partitioned", partitioned},
    {"dynamic_shared/aliased", aliased},
    {"dynamic_shared/staticAndDynamic", staticAndDynamic},
    {"producer_consumer/saxpySpecialised", saxpySpecialised},
    {"producer_consumer/twoTeams", twoTeams},
    {"producer_consumer/barrierReductions", barrierReductions},
    {"mbarrier/splitBarrier", splitBarrier},
    {"mbarrier/asyncCopyOnBarrier", asyncCopyOnBarrier},
    {"tma_bulk/scaleBulk", scaleBulk},
    {"tma_bulk/addBulk", addBulk},
    {"tma_bulk/copyTensorTile", copyTensorTile},
    {"volatile_flags/warpPipeline", warpPipeline},
    {"volatile_flags/everyAtomic", everyAtomic},
    {"volatile_flags/messagePassing", messagePassing},
    {"warp_primitives/votes", votes},
    {"warp_primitives/shuffles", shuffles},
    {"warp_primitives/warpExchange", warpExchange},
    {"warp_primitives/halfWarps", halfWarps},
    {"warp_primitives/laneMasks", laneMasks},
    {"printf_assert/checkSorted", nothing},
    {"printf_assert/report", report},
    {"printf_assert/orderedOutput", orderedOutput},
    {"printf_assert/trapOnNan", nothing},
    {"printf_assert/linkedLists", linkedLists},
    {"printf_assert/timeLoads", timeLoads},
    {"cute/specialised", specialisedCute},
    {"mojo/exchange", exchangeMojo},
};

}  // namespace

std::span<const Reference> synchronisationReferences() {
  return kReferences;
}

}  // namespace ptxopt::interp
