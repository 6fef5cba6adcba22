// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of corpus/ptx/handwritten.  Their text is the point; what they compute is small, and
// follows from what their lines say one by one.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "reference.h"

namespace ptxopt::interp {
namespace {

using Word = std::uint32_t;

void nothing(Call&) {}

// The first word that the first argument points to.
template <Word kValue>
void stores(Call& call) {
  call.buffer<Word>(0)[0] = kValue;
}

// ---- old ----------------------------------------------------------------------------------------

void saxpy(Call& call) {
  for (int i = 0; i < call.integer(0); ++i) {
    call.buffer<float>(3)[i] += call.scalar<float>(1) * call.buffer<float>(2)[i];
  }
}

// Every block counts all bytes.
void histogram(Call& call) {
  for (int i = 0; i < call.integer(2); ++i) {
    call.buffer<Word>(1)[call.buffer<std::uint8_t>(0)[i]] += call.grid().x;
  }
}

// The approximate functions are for threads whose remainder is less than their quotient: none.
void special(Call& call) {
  struct Options {
    Word period;
    double by;
  };
  const double by = call.scalar<Options>(2).by;
  const auto in = call.buffer<double>(0);
  for (std::size_t t = 0; t < in.size(); ++t) {
    const double root = std::sqrt(in[t] / by);
    call.buffer<double>(1)[t] = std::fma(root, root, in[t]);
  }
  const Word table[] = {1, 2, 16, 5};
  std::copy(std::begin(table), std::end(table), call.variable<Word>("table").begin());
}

void numberAndSquare(Call& call) {
  const int n = call.integer(0);
  call.buffer<int>(1)[0] = std::min(n, n * n);
  call.buffer<int>(1)[1] = std::max(n, n * n);
}

void sumOfBlock(Call& call) {
  const auto in = call.buffer<float>(0);
  for (std::size_t i = 0; i < in.size(); ++i) call.buffer<float>(1)[i / call.block().x] += in[i];
}

// Half of texel 7 of the line, half of the mean of two neighbours in the first row of the image,
// where the first column is its own neighbour, and a texel of the first slice of the volume.
void blend(Call& call) {
  const auto line = call.variable<float>("texels"), row = call.variable<float>("pixels");
  const auto volume = call.variable<int>("voxels");
  for (int t = 0; t < 8; ++t) {
    const float mean = (row[std::max(t - 1, 0)] + row[t]) / 2;
    call.buffer<float>(0)[t] = line[4 * 7] / 2 + mean / 2 + static_cast<float>(volume[t]);
  }
}

// A quarter of the positive numbers of the own warp times the own number, and one.
void vote(Call& call) {
  const auto in = call.buffer<int>(0);
  const auto isPositive = [](int value) { return value > 0; };
  const auto all = std::count_if(in.begin(), in.end(), isPositive);
  for (std::size_t t = 0; t < in.size(); ++t) {
    const auto warp = in.subspan(t / 32 * 32, 32);
    const auto votes = std::count_if(warp.begin(), warp.end(), isPositive);
    call.buffer<int>(1)[t] = static_cast<int>(votes / 4 % 8) * in[t] + 1;
    call.printed += "count " + std::to_string(all);
  }
}

// The third channel on the diagonal, for the first 40 threads.
void tuned(Call& call) {
  for (std::size_t t = 0; t < 40; ++t) {
    call.buffer<float>(0)[t] = call.variable<float>("texels")[4 * (64 * t + t) + 2];
  }
}

// A function through a pointer: two() for 1, one() for all else.
void choose(Call& call) {
  const Word which = call.scalar<Word>(0);
  call.buffer<Word>(1)[0] = which == 1 ? which + 2 : which + 1;
}

void threadNumbers(Call& call) {
  const auto out = call.buffer<Word>(0);
  std::iota(out.begin(), out.end(), 0);
}

// A step down by 16 that stays in the warp, one across by 8, one up by 1.
void shuffles(Call& call) {
  const auto data = call.buffer<float>(0);
  std::vector<float> down(32), across(32);
  for (int t = 0; t < 32; ++t) down[t] = data[t] + data[t < 16 ? t + 16 : t];
  for (int t = 0; t < 32; ++t) across[t] = down[t] + down[t ^ 8];
  for (int t = 0; t < 32; ++t) data[t] = across[t] + across[std::max(t - 1, 0)];
}

// The byte that the flag had, to which a product is added; nothing has set a carry.
void gather(Call& call) {
  Word& flag = call.variable<Word>("shared_flag")[0];
  Word& in = call.buffer<Word>(0)[0];
  const Word before = flag;
  const std::uint64_t pair = std::uint64_t{in} << 32 | std::rotl(in, 7);
  const std::uint64_t picked = static_cast<Word>(pair >> 9);
  flag += static_cast<Word>(picked * in >> 32);
  in = before & 0xff;
}

// In the first column: the width of the texture is added to itself; height of the surface; two
// words of the other surface.
void paint(Call& call) {
  const auto canvas = call.variable<Word>("pixels"), from = call.variable<Word>("from");
  constexpr std::size_t kWidth = 8, kHeight = 4;
  for (std::size_t y = 0; y < kHeight; ++y) {
    Word* const pixel = &canvas[y * kWidth * 4];
    pixel[0] = kWidth + kWidth;
    pixel[1] = kHeight;
    pixel[2] = from[y * kWidth * 2];
    pixel[3] = from[y * kWidth * 2 + 1];
  }
}

void inclusiveScan(Call& call) {
  const auto data = call.buffer<Word>(0);
  std::partial_sum(data.begin(), data.end(), data.begin());
}

void step(Call& call) {
  ++call.buffer<Word>(0)[0];
}

// The count is above 100 from the start, so nobody calls the function of another module.
void halfAxpy(Call& call) {
  const auto data = call.buffer<Half>(0);
  const float factor = call.scalar<float>(2);
  for (std::size_t t = 0; t < data.size(); ++t) {
    const auto value = static_cast<float>(data[t]);
    data[t] = Half(value * factor + value);
    call.buffer<double>(1)[0] += static_cast<double>(t);
  }
  call.variable<Word>("managed_count")[0] += call.block().x;
}

// A matrix of ones is loaded, two in each register.  No thread finds what it would exchange.
void volta(Call& call) {
  call.buffer<Word>(0)[2] = 0x3c003c00;
}

// All elements of A are 3, all of B are 2, K is 32: how matrices lie in registers does not count.
void turing(Call& call) {
  const auto data = call.buffer<Word>(0);
  data[0] = 32 * 3 * 2 + data[2];
  data[1] = 32 * 3 * 2 + data[3];
}

// ---- syntax -------------------------------------------------------------------------------------

// The last count of threads at a barrier that have a true predicate.
void barriers(Call& call) {
  call.buffer<Word>(0)[0] = call.block().x;
}

// Case 0 makes it 1, which is above 0, and the loop is entered in its middle: 1 + 5, then 8 each
// time, until it is at least 100.
void branches(Call& call) {
  Word value = 1 + 5;
  while (value < 100) value += 3 + 5;
  call.buffer<Word>(0)[0] = value;
}

// Thread 0 leaves before the store.
void comments(Call& call) {
  call.buffer<Word>(0)[1] = 1;
}

void expressions(Call& call) {
  call.variable<Word>("nested")[0] = 1;
  call.variable<Word>("long_sum")[0] = 199 * 200 / 2;
}

// What the manual makes of each initialiser but those that are addresses.
void initialisers(Call& call) {
  const auto is = [&]<class T>(const char* name, std::vector<T> values) {
    const auto variable = call.variable<T>(name);
    std::fill(variable.begin(), variable.end(), T{});
    std::copy(values.begin(), values.end(), variable.begin());
  };
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  is("numbers", std::vector<int>{0, 7, 15, 31, 31, 5, 3, 42, 0x7fffffff, -1});
  is("big", std::vector<std::int64_t>{kMost, kLeast, -1, kMost});
  is("floats", std::vector<float>{1, 0, 1.5f, -2.5e-3f, 1e10f, 3});
  is("doubles", std::vector<double>{1, 0, -1, 125, 0.5});
  is("expressions", std::vector<int>{7, 259, -1, 0, 3, 3, 2, 0, 5});
  is("short_one", std::vector<std::uint8_t>{1, 2, 3});
  is("text", std::vector<char>{'h', 'e', 'l', 'l', 'o', 0});
  is("from_braces", std::vector<int>{1, 2, 3, 4});
  is("quad", std::vector<float>{1, 2, 3, 4});
  is("pairs", std::vector<int>{1, 2, 3, 4});
  // The kernel: 16 + 16 - 1 with the lowest four bits away, two of the numbers, and an address.
  const auto out = call.variable<int>("out");
  out[4] = 31 - 16;
  out[3] = 31;
  out[2] = -1;
  call.variable<std::uint64_t>("generic_offset")[0] = call.variable<std::uint64_t>("pointers")[1];
}

// The function that is called add_one adds the width of a warp to itself, in a variable.
void names(Call& call) {
  call.variable<Word>("add")[0] = 32 + 32;
}

// The second word of the structure.
void pointers(Call& call) {
  call.buffer<Word>(0)[0] = static_cast<Word>(call.scalar<std::uint64_t>(14) >> 32);
}

// The one thread is the elected one, and a warp by itself at the barrier; the guards of the stores
// are false, and that of the atomic is none.
void predicates(Call& call) {
  ++call.buffer<Word>(0)[0];
}

void registers(Call& call) {
  const auto data = call.buffer<Word>(0);
  const auto one = std::bit_cast<Word>(1.0f), two = std::bit_cast<Word>(2.0f);
  // A byte is read after the 5 is stored, and stored again.
  data[0] = (data[0] & 0xffff0000) | 5;
  const Word after[] = {1, 4, 1, 1, one, one, data[1], two};
  std::copy(std::begin(after), std::end(after), data.begin() + 4);
}

void scopes(Call& call) {
  const auto data = call.buffer<Word>(0);
  data[0] = 10;
  data[2] = 3;
  data[3] = 0;
  data[4] = 0;
}

// The first reference of a file that has the name of it or of the kernel counts.
constexpr Reference kReferences[] = {
    {"handwritten/falls_off", nothing},
    {"handwritten/only_exit", nothing},
    {"handwritten/spread", nothing},
    {"handwritten/tabs", stores<3>},
    {"handwritten/one_line", stores<0>},
    {"handwritten/empty", nothing},
    {"handwritten/empty_list", nothing},
    {"handwritten/pointers", pointers},
    {"handwritten/cluster", nothing},
    {"handwritten/cluster_limit", nothing},
    {"handwritten/blocks", nothing},
    {"handwritten/ptx10_saxpy", saxpy},
    {"handwritten/ptx12_histogram", histogram},
    {"handwritten/ptx14_double", special},
    {"handwritten/ptx14_functions", numberAndSquare},
    {"handwritten/ptx14_reduction", sumOfBlock},
    {"handwritten/ptx14_textures", blend},
    {"handwritten/ptx20_generic", vote},
    {"handwritten/ptx21_indirect", choose},
    {"handwritten/ptx23_debug", threadNumbers},
    {"handwritten/ptx30_shuffle", shuffles},
    {"handwritten/ptx31_read_only", gather},
    {"handwritten/ptx32_independent", paint},
    {"handwritten/ptx40_maxwell", inclusiveScan},
    {"handwritten/ptx43_dwarf", step},
    {"handwritten/ptx50_pascal", halfAxpy},
    {"handwritten/ptx15_tuned", tuned},
    {"handwritten/ptx60_sync", volta},
    {"handwritten/ptx63_turing", turing},
    {"handwritten/barriers", barriers},
    {"handwritten/branches", branches},
    {"handwritten/comments", comments},
    {"handwritten/constants", nothing},  // its last guard is false
    {"handwritten/crlf", stores<0>},
    {"handwritten/debug_lines", stores<2>},
    {"handwritten/deep_expressions", expressions},
    {"handwritten/deep_nesting", stores<199>},
    {"handwritten/initialisers", initialisers},
    {"handwritten/names", names},
    {"handwritten/no_final_newline", stores<1>},
    {"handwritten/nul_at_end", stores<1>},
    {"handwritten/pragmas", nothing},  // stores what it has read
    {"handwritten/predicates", predicates},
    {"handwritten/registers", registers},
    {"handwritten/run_time_compiler", nothing},  // stores what it has read
    {"handwritten/scopes", scopes},
    {"handwritten/sections", stores<1>},
};

}  // namespace

std::span<const Reference> handwrittenReferences() {
  return kReferences;
}

}  // namespace ptxopt::interp
