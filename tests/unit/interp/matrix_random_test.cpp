// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix instructions on random operands: sparse mma, block scales, small formats, the four
// products of m8n8k4, and ldmatrix and stmatrix of bytes.  The test builds whole matrices and
// multiplies them; it decodes numbers, and places elements, metadata and scales, by formulas of its
// own.
//
// PTXOPT_MATRIX_SETS: sets of operands for each form; PTXOPT_MATRIX_SEED: others of them.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <random>

#include "run_ptx.h"
#include "test_numbers.h"

namespace ptxopt::interp {
namespace {

constexpr int kLanes = 32;
constexpr int kCtas = 16;     // sets of a launch
constexpr int kInWords = 32;  // of a lane
constexpr int kOutWords = 8;

int setsOfForm() {
  return static_cast<int>(numberFrom("PTXOPT_MATRIX_SETS", 32));
}

using Random = std::mt19937;
std::uint32_t next(Random& random) {
  return static_cast<std::uint32_t>(random());
}
struct Number {
  std::uint32_t bits = 0;
  double value = 0;
};
struct Format {
  std::string name;
  int bits;  // in a register
  std::function<Number(Random&)> draw;
};

// A sign, and exponents and mantissas of so many bits; exponents of the bits from low to high.
Format small(const std::string& name, int bits, int exponentBits, int mantissaBits, int low,
             int high, int shift = 0) {
  return {name, bits, [=](Random& random) {
            const int bias = (1 << (exponentBits - 1)) - 1;
            const int exponent = low + static_cast<int>(next(random) % (high - low + 1));
            const int mantissa = static_cast<int>(next(random) % (1u << mantissaBits));
            const bool negative = next(random) % 2 != 0;
            const double fraction = mantissa / static_cast<double>(1 << mantissaBits);
            const double value = exponent == 0 ? std::ldexp(fraction, 1 - bias)
                                               : std::ldexp(1 + fraction, exponent - bias);
            const int all = (negative ? 1 : 0) << (exponentBits + mantissaBits) |
                            exponent << mantissaBits | mantissa;
            return Number{static_cast<std::uint32_t>(all) << shift, negative ? -value : value};
          }};
}
Format integer(const std::string& name, int bits, bool isSigned) {
  return {name, bits, [=](Random& random) {
            const std::uint32_t word = next(random) % (1u << bits);
            const bool negative = isSigned && (word >> (bits - 1)) != 0;
            return Number{word, static_cast<double>(word) - (negative ? 1 << bits : 0)};
          }};
}
Format wide(const std::string& name, int bits, int shift) {
  return {name, bits, [=](Random& random) {
            const float value = static_cast<float>(static_cast<int>(next(random) % 512) - 256) / 8;
            std::uint32_t word;
            std::memcpy(&word, &value, 4);
            return Number{word >> shift, value};
          }};
}
std::uint32_t halfBits(double value) {
  const auto half = static_cast<_Float16>(value);
  std::uint16_t bits;
  std::memcpy(&bits, &half, 2);
  return bits;
}
const Format kHalf{"f16", 16, [](Random& random) {
                     const double value = (static_cast<int>(next(random) % 512) - 256) / 8.0;
                     return Number{halfBits(value), value};
                   }};
const Format kBFloat = wide("bf16", 16, 16);
const Format kTensor = wide("tf32", 32, 0);
const Format kE4M3 = small("e4m3", 8, 4, 3, 0, 14);
const Format kE5M2 = small("e5m2", 8, 5, 2, 9, 21);
const Format kE3M2 = small("e3m2", 8, 3, 2, 0, 7);
const Format kE2M3 = small("e2m3", 8, 2, 3, 0, 3);
const Format kE2M1InByte = small("e2m1", 8, 2, 1, 0, 3, 2);
const Format kE2M1 = small("e2m1", 4, 2, 1, 0, 3);

struct Form {
  std::string mnemonic;
  int m, n, k;
  Format a, b;
  std::string d;            // f32, f16, s32
  int metadataThreads = 0;  // 0: not sparse
  int scales = 0;           // columns; 0: none
  bool isScaleE4M3 = false;
};

struct Words {
  std::vector<std::uint32_t> of[kLanes];
};
using Matrix = std::vector<std::vector<double>>;
Matrix zeros(int rows, int columns) {
  return Matrix(static_cast<std::size_t>(rows),
                std::vector<double>(static_cast<std::size_t>(columns)));
}
double& at(Matrix& matrix, int row, int column) {
  return matrix[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
}

// The registers of a, as stored: columns of a thread are neighbours, and rows g and g + 8 in turns.
void putFragment(Words& words, const Format& format, int rows, int columns,
                 const std::function<std::uint32_t(int, int)>& bitsAt, bool isB) {
  const int e = 32 / format.bits;
  const int registers = rows * columns / kLanes / e;
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int r = 0; r < registers; ++r) {
      std::uint32_t word = 0;
      for (int j = 0; j < e; ++j) {
        const int across = lane / 4;
        const int along = lane % 4 * e + j;
        const std::uint32_t bits = isB ? bitsAt(along + r * 4 * e, across)
                                       : bitsAt(across + (r & 1) * 8, along + (r >> 1) * 4 * e);
        word |= bits << (j * format.bits);
      }
      words.of[lane].push_back(word);
    }
  }
}

struct Set {
  Matrix a, b, c;
  Words words;
};

// A chunk of a row of a sparse matrix: its elements, and its 4 bits of metadata.
struct Chunk {
  std::vector<int> places;
  std::uint32_t bits;
};
Chunk drawChunk(int elementBits, Random& random) {
  if (elementBits == 32) {
    const bool second = next(random) % 2 != 0;
    return {{second ? 1 : 0}, second ? 0b1110u : 0b0100u};
  }
  static constexpr int kPairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  const auto& pair = kPairs[next(random) % 6];
  const std::uint32_t bits = static_cast<std::uint32_t>(pair[0] | pair[1] << 2);
  if (elementBits == 4) {
    return {{2 * pair[0], 2 * pair[0] + 1, 2 * pair[1], 2 * pair[1] + 1}, bits};
  }
  return {{pair[0], pair[1]}, bits};
}

void drawSparse(const Form& form, int selector, Random& random, Set& set) {
  const int width = form.a.bits == 32 ? 2 : form.a.bits == 4 ? 8 : 4;
  const int chunks = form.k / width;
  std::vector<std::vector<std::uint32_t>> stored(static_cast<std::size_t>(form.m));
  std::uint32_t metadata[16][32] = {};
  for (int row = 0; row < form.m; ++row) {
    for (int chunk = 0; chunk < chunks; ++chunk) {
      const Chunk drawn = drawChunk(form.a.bits, random);
      metadata[row][chunk] = drawn.bits;
      for (const int place : drawn.places) {
        const Number number = form.a.draw(random);
        at(set.a, row, chunk * width + place) = number.value;
        stored[static_cast<std::size_t>(row)].push_back(number.bits);
      }
    }
  }
  putFragment(
      set.words, form.a, form.m, form.k / 2,
      [&](int row, int column) {
        return stored[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
      },
      false);
  for (int lane = 0; lane < kLanes; ++lane) {
    const int g = lane / 4;
    const int x = lane % 4 - selector * form.metadataThreads;
    std::uint32_t word = next(random);  // of threads that have none
    if (x >= 0 && x < form.metadataThreads) {
      word = 0;
      for (int nibble = 0; nibble < 8; ++nibble) {
        const bool isShared = form.a.bits >= 16;
        const int row = isShared ? g + (nibble >= 4 ? 8 : 0) : g + (x % 2 == 1 ? 8 : 0);
        const int chunk = isShared ? x * 4 + nibble % 4 : x / 2 * 8 + nibble;
        word |= metadata[row][chunk] << (4 * nibble);
      }
    }
    set.words.of[lane].push_back(word);
  }
}

std::string vectorOf(int first, int count) {
  std::string text = "{";
  for (int k = 0; k < count; ++k) text += (k == 0 ? "%r" : ", %r") + std::to_string(first + k);
  return text + "}";
}

// Loads `inputs` words into %r10 on, executes, and stores `results` words from %r100 on.
std::vector<std::uint32_t> runSets(const std::string& instruction, int inputs, int results,
                                   const std::vector<Words>& sets) {
  std::string text = R"(.version 9.0
.target sm_120a
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in)
{
  .reg .b32 %r<128>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [in];
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %tid.x;
  mad.lo.u32 %r0, %r0, 32, %r1;
  mad.wide.u32 %rd1, %r0, )" +
                     std::to_string(4 * kOutWords) + R"(, %rd1;
  mad.wide.u32 %rd2, %r0, )" +
                     std::to_string(4 * kInWords) + ", %rd2;\n";
  for (int k = 0; k < inputs; ++k) {
    text +=
        "  ld.global.u32 %r" + std::to_string(10 + k) + ", [%rd2+" + std::to_string(4 * k) + "];\n";
  }
  text += "  " + instruction + "\n";
  for (int k = 0; k < results; ++k) {
    text += "  st.global.u32 [%rd1+" + std::to_string(4 * k) + "], %r" + std::to_string(100 + k) +
            ";\n";
  }
  text += "  ret;\n}\n";
  const auto module = parseText("matrix.ptx", text);
  Launch launch;
  launch.grid.x = static_cast<std::uint32_t>(sets.size());
  std::string error;
  const auto buffer = [&](int words) {
    return *parseArgument(
        "buffer:" + std::to_string(sets.size() * kLanes * 4 * static_cast<std::size_t>(words)),
        error);
  };
  launch.arguments = {buffer(kOutWords), buffer(kInWords)};
  for (std::size_t set = 0; set < sets.size(); ++set) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const auto& words = sets[set].of[lane];
      EXPECT_EQ(words.size(), static_cast<std::size_t>(inputs));
      std::memcpy(launch.arguments[1].bytes.data() + (set * kLanes + lane) * 4 * kInWords,
                  words.data(), 4 * words.size());
    }
  }
  MachineOptions options;
  options.detectsRaces = false;
  const auto outcome = run(*module, launch, options, error);
  if (!outcome) throw std::runtime_error(error);
  for (const Finding& finding : outcome->findings)
    throw std::runtime_error(format(*module, finding));
  const auto& bytes = outcome->memory[0].bytes;
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

std::uint32_t rounded(const std::string& type, long double value) {
  if (type == "s32") return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
  if (type == "f16") return halfBits(static_cast<double>(value));
  const auto single = static_cast<float>(value);
  std::uint32_t bits;
  std::memcpy(&bits, &single, 4);
  return bits;
}

struct Drawn {
  Set set;
  std::vector<std::vector<double>> scaleA, scaleB;
};

// One that scales are multiplied with: a byte, and its value.
Number drawScale(bool isE4M3, Random& random) {
  if (isE4M3) {
    Number number = small("", 8, 4, 3, 0, 14).draw(random);
    number.value = std::fabs(number.value);
    return number;  // the sign is not looked at
  }
  const std::uint32_t bits = 122 + next(random) % 11;
  return {bits, std::ldexp(1.0, static_cast<int>(bits) - 127)};
}

struct Selectors {
  int metadata = 0, byteA = 0, threadA = 0, byteB = 0, threadB = 0;
};

void drawScales(const Form& form, const Selectors& selectors, Random& random, Drawn& drawn) {
  for (const bool isA : {true, false}) {
    auto& values = isA ? drawn.scaleA : drawn.scaleB;
    values.assign(16, std::vector<double>(4));
    for (int lane = 0; lane < kLanes; ++lane) {
      std::uint32_t word = next(random);
      const int x = lane % 4 - (isA ? 2 * selectors.threadA : selectors.threadB);
      if (x >= 0 && x < (isA ? 2 : 1)) {
        for (int column = 0; column < form.scales; ++column) {
          const Number number = drawScale(form.isScaleE4M3, random);
          const int shift = 8 * ((isA ? selectors.byteA : selectors.byteB) + column);
          word = (word & ~(0xffu << shift)) | number.bits << shift;
          values[static_cast<std::size_t>(lane / 4 + 8 * x)][static_cast<std::size_t>(column)] =
              number.value;
        }
      }
      drawn.set.words.of[lane].push_back(word);
    }
  }
}

Drawn draw(const Form& form, const Selectors& selectors, Random& random) {
  Drawn drawn;
  Set& set = drawn.set;
  set.a = zeros(form.m, form.k);
  set.b = zeros(form.k, form.n);
  set.c = zeros(form.m, form.n);
  const auto dense = [&](const Format& format, Matrix& matrix, int rows, int columns, bool isB) {
    std::vector<std::vector<std::uint32_t>> bits(static_cast<std::size_t>(rows));
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        const Number number = format.draw(random);
        at(matrix, row, column) = number.value;
        bits[static_cast<std::size_t>(row)].push_back(number.bits);
      }
    }
    putFragment(
        set.words, format, rows, columns,
        [&](int row, int column) {
          return bits[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
        },
        isB);
  };
  if (form.metadataThreads == 0) {
    dense(form.a, set.a, form.m, form.k, false);
  } else {
    drawSparse(form, selectors.metadata, random, set);
  }
  dense(form.b, set.b, form.k, form.n, true);
  const int packed = form.d == "f16" ? 2 : 1;
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int i = 0; i < 4; i += packed) {
      std::uint32_t word = 0;
      for (int j = 0; j < packed; ++j) {
        const double value = static_cast<int>(next(random) % 201) - 100;
        at(set.c, lane / 4 + ((i + j) >= 2 ? 8 : 0), lane % 4 * 2 + (i + j) % 2) = value;
        word |= rounded(form.d, value) << (16 * j);
      }
      set.words.of[lane].push_back(word);
    }
  }
  if (form.scales != 0) drawScales(form, selectors, random, drawn);
  return drawn;
}

std::string spelled(const Form& form, const Selectors& selectors, int& inputs) {
  const int ra = form.m * (form.metadataThreads != 0 ? form.k / 2 : form.k) * form.a.bits / 1024;
  const int rb = form.n * form.k * form.b.bits / 1024;
  const int rc = form.d == "f16" ? 2 : 4;
  const bool isSparse = form.metadataThreads != 0;
  int next = 10 + ra;
  const int metadata = next;
  if (isSparse) ++next;
  const int b = next;
  next += rb;
  const int c = next;
  next += rc;
  std::string text = form.mnemonic + " " + vectorOf(100, rc) + ", " + vectorOf(10, ra) + ", " +
                     vectorOf(b, rb) + ", " + vectorOf(c, rc);
  const auto number = [](int value) { return std::to_string(value); };
  if (isSparse) text += ", %r" + number(metadata) + ", " + number(selectors.metadata);
  if (form.scales != 0) {
    text += ", %r" + number(next) + ", {" + number(selectors.byteA) + ", " +
            number(selectors.threadA) + "}, %r" + number(next + 1) + ", {" +
            number(selectors.byteB) + ", " + number(selectors.threadB) + "}";
    next += 2;
  }
  inputs = next - 10;
  return text + ";";
}

void checkLaunch(const Form& form, Random& random) {
  Selectors selectors;
  if (form.metadataThreads != 0)
    selectors.metadata =
        static_cast<int>(next(random) % (4u / static_cast<unsigned>(form.metadataThreads)));
  if (form.scales != 0) {
    const unsigned choices = 4u / static_cast<unsigned>(form.scales);
    selectors.byteA = static_cast<int>(next(random) % choices) * form.scales;
    selectors.byteB = static_cast<int>(next(random) % choices) * form.scales;
    selectors.threadA = static_cast<int>(next(random) % 2);
    selectors.threadB = static_cast<int>(next(random) % 4);
  }
  std::vector<Drawn> drawn;
  std::vector<Words> words;
  for (int k = 0; k < kCtas; ++k) {
    drawn.push_back(draw(form, selectors, random));
    words.push_back(drawn.back().set.words);
  }
  int inputs = 0;
  const std::string text = spelled(form, selectors, inputs);
  SCOPED_TRACE(text);
  const int packed = form.d == "f16" ? 2 : 1;
  const auto results = runSets(text, inputs, 4 / packed, words);
  int failures = 0;
  for (std::size_t k = 0; k < drawn.size(); ++k) {
    Set& set = drawn[k].set;
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int i = 0; i < 4; ++i) {
        const int row = lane / 4 + (i >= 2 ? 8 : 0);
        const int column = lane % 4 * 2 + i % 2;
        long double sum = at(set.c, row, column);
        for (int depth = 0; depth < form.k; ++depth) {
          long double term =
              static_cast<long double>(at(set.a, row, depth)) * at(set.b, depth, column);
          if (form.scales != 0) {
            const auto part = static_cast<std::size_t>(depth * form.scales / form.k);
            term *= drawn[k].scaleA[static_cast<std::size_t>(row)][part] *
                    drawn[k].scaleB[static_cast<std::size_t>(column)][part];
          }
          sum += term;
        }
        std::uint32_t word = results[(k * kLanes + static_cast<std::size_t>(lane)) * kOutWords +
                                     static_cast<std::size_t>(i / packed)];
        if (packed == 2) word = word >> (16 * (i % 2)) & 0xffff;
        if (word != rounded(form.d, sum) && ++failures < 4) {
          ADD_FAILURE() << "set " << k << ", row " << row << ", column " << column;
        }
      }
    }
  }
  EXPECT_EQ(failures, 0);
}

void check(const Form& form) {
  Random random(matrixSeed() + static_cast<unsigned>(form.k + form.a.bits * 7 + form.scales));
  for (int done = 0; done < setsOfForm(); done += kCtas) checkLaunch(form, random);
}

std::string sparse(const std::string& order, int k, const std::string& types) {
  return "mma.sp" + order + ".sync.aligned.m16n8k" + std::to_string(k) + ".row.col" + types;
}

TEST(MatrixRandom, Sparse) {
  for (const std::string order : {"", "::ordered_metadata"}) {
    check({sparse(order, 16, ".f32.f16.f16.f32"), 16, 8, 16, kHalf, kHalf, "f32", 1});
    check({sparse(order, 32, ".f32.f16.f16.f32"), 16, 8, 32, kHalf, kHalf, "f32", 2});
    check({sparse(order, 16, ".f16.f16.f16.f16"), 16, 8, 16, kHalf, kHalf, "f16", 1});
    check({sparse(order, 32, ".f32.bf16.bf16.f32"), 16, 8, 32, kBFloat, kBFloat, "f32", 2});
    check({sparse(order, 8, ".f32.tf32.tf32.f32"), 16, 8, 8, kTensor, kTensor, "f32", 1});
    check({sparse(order, 16, ".f32.tf32.tf32.f32"), 16, 8, 16, kTensor, kTensor, "f32", 2});
    for (const bool left : {false, true}) {
      const Format byte = integer(left ? "s8" : "u8", 8, left);
      const Format nibble = integer(left ? "s4" : "u4", 4, left);
      const std::string bytes = ".s32." + byte.name + ".s8.s32";
      const std::string nibbles = ".s32." + nibble.name + ".u4.s32";
      const Format right = integer("s8", 8, true);
      const Format low = integer("u4", 4, false);
      check({sparse(order, 32, bytes), 16, 8, 32, byte, right, "s32", 2});
      check({sparse(order, 64, bytes), 16, 8, 64, byte, right, "s32", 4});
      check({sparse(order, 64, nibbles), 16, 8, 64, nibble, low, "s32", 2});
      check({sparse(order, 128, nibbles), 16, 8, 128, nibble, low, "s32", 4});
    }
    check({sparse(order, 64, ".f32.e4m3.e5m2.f32"), 16, 8, 64, kE4M3, kE5M2, "f32", 4});
  }
}

TEST(MatrixRandom, SmallFormats) {
  const Format formats[] = {kE4M3, kE5M2, kE3M2, kE2M3, kE2M1InByte};
  for (const Format& a : formats) {
    for (const Format& b : formats) {
      const std::string types = ".f32." + a.name + "." + b.name + ".f32";
      check({"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4" + types, 16, 8, 32, a, b, "f32"});
      check({sparse("::ordered_metadata", 64, ".kind::f8f6f4" + types), 16, 8, 64, a, b, "f32", 4});
    }
  }
}

TEST(MatrixRandom, BlockScales) {
  const Format formats[] = {kE4M3, kE5M2, kE3M2, kE2M3, kE2M1InByte};
  for (const Format& a : formats) {
    const Format& b = formats[(&a - formats + 2) % 5];
    const std::string types =
        ".block_scale.scale_vec::1X.f32." + a.name + "." + b.name + ".f32.ue8m0";
    check(
        {"mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4" + types, 16, 8, 32, a, b, "f32", 0, 1});
    check({sparse("::ordered_metadata", 64, ".kind::mxf8f6f4" + types), 16, 8, 64, a, b, "f32", 4,
           1});
  }
  const std::string tail = ".f32.e2m1.e2m1.f32.";
  const auto both = [&](const std::string& kind, const std::string& scale, int columns,
                        bool isE4M3) {
    check({"mma.sync.aligned.m16n8k64.row.col" + kind + scale, 16, 8, 64, kE2M1, kE2M1, "f32", 0,
           columns, isE4M3});
    check({sparse("::ordered_metadata", 128, kind + scale), 16, 8, 128, kE2M1, kE2M1, "f32", 4,
           columns, isE4M3});
  };
  both(".kind::mxf4.block_scale", tail + "ue8m0", 2, false);
  both(".kind::mxf4nvf4.block_scale", ".scale_vec::2X" + tail + "ue8m0", 2, false);
  both(".kind::mxf4nvf4.block_scale", ".scale_vec::4X" + tail + "ue4m3", 4, true);
}

// Four products, of the threads 4 q to 4 q + 3 and those 16 above.
void checkQuads(bool isAColumn, bool isBColumn, bool isHalf, Random& random) {
  std::vector<Words> words(kCtas);
  struct Product {
    Matrix a = zeros(8, 4), b = zeros(4, 8), c = zeros(8, 8);
  };
  std::vector<std::array<Product, 4>> products(kCtas);
  const auto placeC = [&](int lane, int i) {
    const int above = lane >= 16 ? 4 : 0;
    if (isHalf) return std::pair(lane % 4 + above, i);
    return std::pair((lane & 1) + (i & 2) + above, (i & 4) + (lane & 2) + (i & 1));
  };
  for (int set = 0; set < kCtas; ++set) {
    for (int lane = 0; lane < kLanes; ++lane) {
      Product& product =
          products[static_cast<std::size_t>(set)][static_cast<std::size_t>(lane / 4 % 4)];
      auto& to = words[static_cast<std::size_t>(set)].of[lane];
      const int mine = lane % 4 + (lane >= 16 ? 4 : 0);
      for (const bool isA : {true, false}) {
        for (int i = 0; i < 4; i += 2) {
          std::uint32_t word = 0;
          for (int j = i; j < i + 2; ++j) {
            const Number number = kHalf.draw(random);
            word |= number.bits << (16 * (j - i));
            const int far = j + (lane >= 16 ? 4 : 0);
            if (isA) {
              at(product.a, isAColumn ? far : mine, isAColumn ? lane % 4 : j) = number.value;
            } else {
              at(product.b, isBColumn ? j : lane % 4, isBColumn ? mine : far) = number.value;
            }
          }
          to.push_back(word);
        }
      }
      for (int i = 0; i < 8; i += isHalf ? 2 : 1) {
        std::uint32_t word = 0;
        for (int j = i; j < i + (isHalf ? 2 : 1); ++j) {
          const double value = static_cast<int>(next(random) % 21) - 10;
          const auto [row, column] = placeC(lane, j);
          at(product.c, row, column) = value;
          word |= rounded(isHalf ? "f16" : "f32", value) << (16 * (j - i));
        }
        to.push_back(word);
      }
    }
  }
  const int count = isHalf ? 4 : 8;
  const std::string type = isHalf ? "f16" : "f32";
  const std::string text = std::string("mma.sync.aligned.m8n8k4.") + (isAColumn ? "col" : "row") +
                           "." + (isBColumn ? "col" : "row") + "." + type + ".f16.f16." + type +
                           " " + vectorOf(100, count) + ", " + vectorOf(10, 2) + ", " +
                           vectorOf(12, 2) + ", " + vectorOf(14, count) + ";";
  SCOPED_TRACE(text);
  const auto results = runSets(text, 4 + count, count, words);
  for (int set = 0; set < kCtas; ++set) {
    for (int lane = 0; lane < kLanes; ++lane) {
      Product& product =
          products[static_cast<std::size_t>(set)][static_cast<std::size_t>(lane / 4 % 4)];
      for (int i = 0; i < 8; ++i) {
        const auto [row, column] = placeC(lane, i);
        long double sum = at(product.c, row, column);
        for (int k = 0; k < 4; ++k)
          sum += static_cast<long double>(at(product.a, row, k)) * at(product.b, k, column);
        std::uint32_t word = results[static_cast<std::size_t>((set * kLanes + lane) * kOutWords +
                                                              i / (isHalf ? 2 : 1))];
        if (isHalf) word = word >> (16 * (i % 2)) & 0xffff;
        ASSERT_EQ(word, rounded(type, sum)) << "lane " << lane << ", element " << i;
      }
    }
  }
}

TEST(MatrixRandom, FourProducts) {
  Random random(matrixSeed() + 4);
  for (int done = 0; done < setsOfForm(); done += kCtas) {
    for (const bool a : {false, true}) {
      for (const bool b : {false, true}) {
        checkQuads(a, b, false, random);
        checkQuads(a, b, true, random);
      }
    }
  }
}

}  // namespace
}  // namespace ptxopt::interp
