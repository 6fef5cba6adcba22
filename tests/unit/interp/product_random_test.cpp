// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tcgen05.mma with random shapes, types, layouts and operands, against product_reference.cpp: all
// of tensor memory is compared.  PTXOPT_PRODUCT_RUNS is the number of products of each kind,
// PTXOPT_MATRIX_SEED makes others.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "product_reference.h"
#include "run_ptx.h"
#include "test_numbers.h"

namespace ptxopt::interp {
namespace {

constexpr int kSharedBytes = 61440;
constexpr int kBeginB = 20480;  // of A before it

std::size_t runs() {
  return numberFrom("PTXOPT_PRODUCT_RUNS", 6);
}

const NumberFormat kF16{"f16", 16, 5, 10, true, 0};
const NumberFormat kBF16{"bf16", 16, 8, 7, true, 1};
const NumberFormat kTF32{"tf32", 32, 8, 10, true, 2};
const NumberFormat kU8{"u8", 8, 0, 0, false, 0};
const NumberFormat kS8{"s8", 8, 0, 0, true, 1};
const NumberFormat kSmall[] = {{"e4m3", 8, 4, 3, true, 0},
                               {"e5m2", 8, 5, 2, true, 1},
                               {"e2m3", 6, 2, 3, true, 3},
                               {"e3m2", 6, 3, 2, true, 4},
                               {"e2m1", 4, 2, 1, true, 5}};
const NumberFormat kPacked{"e2m1", 4, 2, 1, true, 1};
const NumberFormat kF16D{"f16", 16, 5, 10, true, 0};
const NumberFormat kF32D{"f32", 32, 8, 23, true, 1};
const NumberFormat kS32D{"s32", 32, 0, 0, true, 2};

using Random = std::mt19937_64;
int below(Random& random, int bound) {
  return static_cast<int>(random() % static_cast<std::uint64_t>(bound));
}
bool oneOf(Random& random, int count) {
  return below(random, count) == 0;
}

// ---- cases --------------------------------------------------------------------------------------

void chooseTypes(ProductCase& test, Random& random) {
  const auto small = [&] { return kSmall[below(random, 5)]; };
  test.d = kF32D;
  if (test.kind == "f16") {
    const bool isHalf = oneOf(random, 3);
    test.a = isHalf || oneOf(random, 2) ? kF16 : kBF16;
    test.b = isHalf || oneOf(random, 2) ? kF16 : kBF16;
    if (isHalf) test.d = kF16D;
    test.k = 16;
  } else if (test.kind == "tf32") {
    test.a = test.b = kTF32;
    test.k = 8;
  } else if (test.kind == "i8") {
    test.a = oneOf(random, 2) ? kU8 : kS8;
    test.b = oneOf(random, 2) ? kU8 : kS8;
    test.d = kS32D;
    test.saturates = oneOf(random, 2);
    test.k = 32;
  } else if (test.isPacked()) {
    test.a = test.b = kPacked;
    test.k = 64;
  } else {
    test.a = small();
    test.b = small();
    if (test.kind == "f8f6f4" && oneOf(random, 3)) test.d = kF16D;
    test.k = 32;
  }
}

// One of the pairs of places that the manual allows (9.7.18.10.9.1 to 3).
std::uint32_t chooseNibble(const ProductCase& test, Random& random) {
  constexpr std::uint32_t kPairs[] = {4, 8, 12, 9, 13, 6, 14};
  if (test.kind == "tf32") return oneOf(random, 2) ? 14 : 4;
  return kPairs[below(random, 7)];
}

void chooseShape(ProductCase& test, Random& random, bool isBTransposed) {
  const bool isScaled = test.scales != 0;
  test.ctas = oneOf(random, 3) ? 2 : 1;
  test.isWeightStationary = !isScaled && test.ctas == 1 && oneOf(random, 4);
  if (test.isWeightStationary) {
    test.m = 32 << below(random, 3);
    test.n = 64 << below(random, test.isSparse ? 2 : 3);
    if (test.isSparse) test.m = 128;
    return;
  }
  test.m = (isScaled || test.isSparse || oneOf(random, 2) ? 128 : 64) * test.ctas;
  int step = 8 * test.ctas;
  const bool isNarrow = test.kind != "f16" && test.kind != "tf32";
  if ((isNarrow && isBTransposed) || test.kind == "i8") step *= 2;
  test.n = step * (1 + below(random, 256 / step));
  if (test.kind == "i8" && test.ctas == 1 && !isBTransposed && oneOf(random, 6)) test.n = 24;
}

// Strides of whole patterns, of which all must fit into `size` bytes from `begin` on.
ProductLayout chooseLayout(Random& random, bool isKMajor, const NumberFormat& format, bool isPacked,
                           int across, int depth, int begin, int size) {
  ProductLayout layout;
  layout.isKMajor = isKMajor;
  layout.swizzle = std::vector<int>{0, 32, 64, 128}[static_cast<std::size_t>(below(random, 4))];
  if (!isKMajor && format.bits == 32) {
    layout.swizzle = 128;
    layout.chunk = 32;
  }
  const int inPiece = isPacked ? 32 : 16 / std::max(1, format.bits / 8);
  const int bytes = (isKMajor ? depth : across) / inPiece * 16;
  if (isKMajor && bytes > 32 && layout.swizzle == 32) layout.swizzle = 64;
  const int width = std::max(16, layout.swizzle);
  const int pattern = width * (layout.chunk == 32 ? 4 : 8);
  const int lines = isKMajor ? across : depth;
  for (;;) {
    const int aligned = begin + 1024 * below(random, 3);
    layout.leading = pattern * below(random, 6);
    layout.stride = pattern * below(random, 6);
    layout.start = kSharedStart + aligned;
    layout.base = 0;
    if (layout.swizzle != 0 && oneOf(random, 3)) {
      const int move = 128 * below(random, 8);
      layout.start += move;
      layout.base = layout.start % pattern == 0 ? 0 : layout.start / 128 % 8;
    }
    if (isKMajor && width > 32) layout.start += bytes * below(random, width / bytes);
    const int end = layout.start + (lines + 7) / 4 * 16 + 2048 +
                    (lines / 4) * std::max(layout.stride, layout.leading) / 1 +
                    bytes / width * std::max(layout.stride, layout.leading);
    if (end - kSharedStart <= begin + size || oneOf(random, 50)) break;
  }
  // The bound above is rough: shrink what is too large.
  const auto last = [&] {
    int most = 0;
    for (int line = 0; line < lines; ++line) {
      for (int at = 0; at < bytes; at += 16) {
        most = std::max(most, layout.addressOf(line, at, 15));
      }
    }
    return most - kSharedStart;
  };
  while (last() >= begin + size) {
    (layout.stride > layout.leading ? layout.stride : layout.leading) -= pattern;
  }
  return layout;
}

void chooseScales(ProductCase& test, Random& random) {
  if (!test.kind.starts_with("mx")) return;
  test.scales = test.kind == "mxf8f6f4" ? 1 : 2;
  if (test.kind == "mxf4nvf4" && oneOf(random, 2)) {
    test.scales = 4;
    test.scalesAreUE4M3 = oneOf(random, 2);
  }
  test.scaleIdA = below(random, 4 / test.scales) * test.scales;
  test.scaleIdB = below(random, 4 / test.scales) * test.scales;
}

void chooseZeroColumns(ProductCase& test, Random& random) {
  test.hasZeroColumns = test.isWeightStationary && oneOf(random, 2);
  if (!test.hasZeroColumns) return;
  const auto field = [&](int first, int bound) {
    test.zeroColumns |= static_cast<std::uint64_t>(below(random, bound)) << first;
  };
  for (int part = 0; part < 4; ++part) field(8 * part, oneOf(random, 2) ? 4 : 256);
  field(32, 16);
  field(39, 2);
  field(40, oneOf(random, 2) ? 8 : 256);
  field(48, oneOf(random, 2) ? 8 : 256);
  field(56, test.m == 32 ? 17 : 33);
}

ProductCase chooseCase(const std::string& kind, Random& random) {
  ProductCase test;
  test.kind = kind.substr(0, kind.find('_'));
  test.isSparse = test.kind != kind;
  chooseScales(test, random);
  chooseTypes(test, random);
  if (test.isSparse) {
    test.k *= 2;
    if (test.kind == "f16" || test.kind == "tf32") test.selector = below(random, 4);
  }
  const bool isATransposed = !test.isPacked() && oneOf(random, 3);
  const bool isBTransposed = !test.isPacked() && oneOf(random, 2);
  chooseShape(test, random, isBTransposed);
  if (test.scales != 0 && test.ctas == 2) test.m = 256;
  const int rows = test.m / test.ctas;
  const bool isFolded = rows < 128 && (test.ctas == 2 || test.isWeightStationary);
  test.isStored =
      !isATransposed && !isFolded && (test.a.bits >= 8 || test.isPacked()) && oneOf(random, 3);
  test.layoutA = chooseLayout(random, !isATransposed, test.a, test.isPacked(), rows,
                              test.storedDepth(), 0, kBeginB);
  chooseZeroColumns(test, random);
  int across = test.n / test.ctas + test.columnShift();
  if (isBTransposed) across = (across + 15) / 16 * 16;
  test.layoutB = chooseLayout(random, !isBTransposed, test.b, test.isPacked(), across, test.k,
                              kBeginB, kSharedBytes - kBeginB);
  test.negatesA = test.kind != "i8" && oneOf(random, 3);
  test.negatesB = test.kind != "i8" && oneOf(random, 3);
  test.accumulates = oneOf(random, 2);
  if ((test.kind == "f16" || test.kind == "tf32") && !test.isWeightStationary && oneOf(random, 3)) {
    test.shift = below(random, 16);
  }
  test.columnD = below(random, 257 - test.n);
  if (rows == 64 && !isFolded && oneOf(random, 2)) test.laneD = 16;
  if (test.scales == 0 && !test.isWeightStationary && oneOf(random, 3)) {
    for (int k = 0; k < 4 * test.ctas; ++k) {
      test.disabled.push_back(static_cast<std::uint32_t>(random()));
    }
  }
  return test;
}

// ---- memory -------------------------------------------------------------------------------------

// Random bits; mostly numbers of similar size, since few sums would be finite else.
std::uint32_t randomBits(const NumberFormat& format, bool isTame, Random& random) {
  auto bits = static_cast<std::uint32_t>(random());
  if (format.bits < 32) bits &= (1u << format.bits) - 1;
  if (!isTame || format.exponent < 4) return bits;
  const int lowest = format.name == "tf32" ? 23 : format.mantissa;
  const std::uint32_t mask = ((1u << format.exponent) - 1) << lowest;
  const auto middle = static_cast<std::uint32_t>((1 << (format.exponent - 1)) - 4);
  return (bits & ~mask) | (middle + static_cast<std::uint32_t>(below(random, 6))) << lowest;
}

void fill(std::vector<std::uint8_t>& bytes, int begin, int end, const NumberFormat& format,
          bool isTame, Random& random) {
  const int size = std::max(1, format.bits / 8);
  for (int at = begin; at < end; at += size) {
    const std::uint32_t bits =
        format.bits < 8 ? static_cast<std::uint32_t>(random()) : randomBits(format, isTame, random);
    std::memcpy(bytes.data() + at, &bits, static_cast<std::size_t>(size));
  }
}

ProductMemory chooseMemory(const ProductCase& test, Random& random) {
  const bool isTame = !oneOf(random, 12);
  ProductMemory memory;
  memory.shared.resize(kSharedBytes);
  memory.words.resize(static_cast<std::size_t>(kProductLanes * kProductColumns));
  fill(memory.shared, 0, kBeginB, test.a, isTame, random);
  fill(memory.shared, kBeginB, kSharedBytes, test.b, isTame, random);
  for (int lane = 0; lane < kProductLanes; ++lane) {
    for (int column = 0; column < kProductColumns; ++column) {
      std::uint32_t& word = memory.word(lane, column);
      word = static_cast<std::uint32_t>(random());
      if (column < test.columnA) {
        word = test.d.bits == 16 ? (word & 0xffff0000) | randomBits(test.d, isTame, random)
                                 : randomBits(test.d, isTame, random);
      } else if (column < test.columnScalesA) {
        std::uint8_t bytes[4];
        std::vector<std::uint8_t> four(4);
        fill(four, 0, 4, test.a, isTame, random);
        std::memcpy(bytes, four.data(), 4);
        std::memcpy(&word, bytes, 4);
      } else if (test.isSparse && column >= test.columnMetadata) {
        for (int k = 0; k < 32; k += 4) {
          word = (word & ~(15u << k)) | chooseNibble(test, random) << k;
        }
      } else if (isTame && !test.scalesAreUE4M3) {
        word = 0x7c7c7c7c + (word & 0x07070707);
      }
    }
  }
  return memory;
}

// ---- kernels ------------------------------------------------------------------------------------

std::string hexadecimal(std::uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string instructionText(const ProductCase& test) {
  std::string text = "tcgen05.mma" + std::string(test.isWeightStationary ? ".ws" : "") +
                     (test.isSparse ? ".sp" : "") + ".cta_group::" + std::to_string(test.ctas) +
                     ".kind::" + test.kind;
  if (test.scales != 0) {
    text += ".block_scale.scale_vec::" + std::to_string(test.scales) + "X";
  }
  text += test.isStored ? " [%d], [%a]" : " [%d], %x";
  text += test.isSparse ? ", %y, [%g], %i" : ", %y, %i";
  if (!test.disabled.empty()) {
    text += ", {%m0";
    for (std::size_t k = 1; k < test.disabled.size(); ++k) text += ", %m" + std::to_string(k);
    text += "}";
  }
  if (test.scales != 0) text += ", [%e], [%f]";
  text += ", %yes";
  if (test.shift != 0) text += ", " + std::to_string(test.shift);
  if (test.hasZeroColumns) text += ", %z";
  return text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from)) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string kernelOf(const ProductCase& test) {
  const std::string group = ".cta_group::" + std::to_string(test.ctas);
  const std::string meet =
      test.ctas == 2 ? "barrier.cluster.arrive; barrier.cluster.wait;" : "bar.sync 0;";
  std::string operands;
  const auto set = [&](const std::string& type, const std::string& name, std::uint64_t value) {
    operands += "  mov." + type + " " + name + ", " + hexadecimal(value) + ";\n";
  };
  set("b64", "%x", test.layoutA.descriptor());
  set("b64", "%y", test.layoutB.descriptor());
  set("b32", "%i", test.instruction());
  set("b64", "%z", test.zeroColumns);
  for (std::size_t k = 0; k < test.disabled.size(); ++k) {
    set("b32", "%m" + std::to_string(k), test.disabled[k]);
  }
  const auto place = [&](const std::string& name, int lane, int column) {
    operands += "  add.u32 " + name + ", %b, " +
                hexadecimal(static_cast<std::uint64_t>(lane << 16 | column)) + ";\n";
  };
  place("%d", test.laneD, test.columnD);
  place("%a", test.laneD, test.columnA);
  place("%e", 0, test.columnScalesA);
  place("%f", 0, test.columnScalesB);
  place("%g", 0, test.columnMetadata);
  std::string text = R"(.version 8.8
.target sm_100a
.address_size 64
.extern .shared .align 1024 .b8 image[];
.visible .entry k(.param .u64 bytes, .param .u64 words)
{
  .reg .pred %p, %q, %first, %yes;
  .reg .b16 %both;
  .reg .b32 %t, %w, %l, %s, %a, %b, %c, %d, %e, %f, %g, %i, %o, %r<8>, %m<8>;
  .reg .b64 %x, %y, %z, %bytes, %words;
  mov.b16 %both, 3;
  mov.u32 %t, %tid.x;
  mov.u32 %o, %ctaid.x;
  ld.param.u64 %bytes, [bytes];
  ld.param.u64 %words, [words];
  mad.wide.u32 %bytes, %o, BYTES, %bytes;
  mad.wide.u32 %words, %o, 262144, %words;
  mad.wide.u32 %words, %t, 2048, %words;
  mov.u32 %s, image;
  mov.u32 %c, image;
  add.u32 %c, %c, BYTES;  // the mbarrier; the address of tensor memory follows it
  mul.lo.u32 %r0, %t, 16;
copy:
  cvt.u64.u32 %x, %r0;
  add.u64 %x, %bytes, %x;
  ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%x];
  add.u32 %r5, %s, %r0;
  st.shared.v4.b32 [%r5], {%r1, %r2, %r3, %r4};
  add.u32 %r0, %r0, 2048;
  setp.lt.u32 %p, %r0, BYTES;
  @%p bra copy;
  shr.u32 %w, %t, 5;
  setp.eq.u32 %p, %w, 0;
  setp.eq.u32 %first, %t, 0;
  @%first mbarrier.init.shared::cta.b64 [%c], 1;
  add.u32 %r7, %c, 8;
  @%p tcgen05.allocGROUP.sync.aligned.shared::cta.b32 [%r7], 512;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  ld.shared.u32 %b, [%r7];
  shl.b32 %l, %w, 21;
  add.u32 %l, %l, %b;
  mov.b64 %x, %words;
  mov.u32 %r0, 0;
put:
  ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%x];
  add.u32 %r5, %l, %r0;
  tcgen05.st.sync.aligned.32x32b.x4.b32 [%r5], {%r1, %r2, %r3, %r4};
  tcgen05.wait::st.sync.aligned;
  add.u64 %x, %x, 16;
  add.u32 %r0, %r0, 4;
  setp.lt.u32 %q, %r0, 512;
  @%q bra put;
  tcgen05.fence::before_thread_sync;
  MEET
  tcgen05.fence::after_thread_sync;
OPERANDS
  setp.YES.u32 %yes, 0, 0;
  or.b32 %r0, %t, %o;
  setp.eq.u32 %first, %r0, 0;
  @%first INSTRUCTION;
  @%first tcgen05.commitGROUP.mbarrier::arrive::one.shared::clusterMULTICAST.b64 [%c]MASK;
wait:
  mbarrier.try_wait.parity.shared::cta.b64 %q, [%c], 0;
  @!%q bra wait;
  tcgen05.fence::after_thread_sync;
  mov.b64 %x, %words;
  mov.u32 %r0, 0;
get:
  add.u32 %r5, %l, %r0;
  tcgen05.ld.sync.aligned.32x32b.x4.b32 {%r1, %r2, %r3, %r4}, [%r5];
  tcgen05.wait::ld.sync.aligned;
  st.global.v4.b32 [%x], {%r1, %r2, %r3, %r4};
  add.u64 %x, %x, 16;
  add.u32 %r0, %r0, 4;
  setp.lt.u32 %q, %r0, 512;
  @%q bra get;
  tcgen05.fence::before_thread_sync;
  MEET
  @%p tcgen05.deallocGROUP.sync.aligned.b32 %b, 512;
  ret;
}
)";
  text = replaced(text, "BYTES", std::to_string(kSharedBytes));
  text = replaced(text, "GROUP", group);
  text = replaced(text, "MEET", meet);
  text = replaced(text, "OPERANDS", operands);
  text = replaced(text, "YES", test.accumulates ? "eq" : "ne");
  text = replaced(text, "INSTRUCTION", instructionText(test));
  text = replaced(text, "MULTICAST", test.ctas == 2 ? ".multicast::cluster" : "");
  return replaced(text, "MASK", test.ctas == 2 ? ", %both" : "");
}

// ---- runs ---------------------------------------------------------------------------------------

Argument bufferOf(const std::vector<std::uint8_t>& bytes) {
  std::string error;
  Argument result = *parseArgument("buffer:" + std::to_string(bytes.size()), error);
  result.bytes = bytes;
  return result;
}

template <class T>
std::vector<std::uint8_t> bytesOf(const std::vector<ProductMemory>& ctas,
                                  std::vector<T> ProductMemory::*part) {
  std::vector<std::uint8_t> bytes;
  for (const ProductMemory& memory : ctas) {
    const auto* const begin = reinterpret_cast<const std::uint8_t*>((memory.*part).data());
    bytes.insert(bytes.end(), begin, begin + (memory.*part).size() * sizeof(T));
  }
  return bytes;
}

bool isSame(const ProductCase& test, std::uint32_t actual, std::uint32_t expected) {
  if (actual == expected) return true;
  if (test.d.exponent == 0) return false;
  return std::isnan(decode(test.d, actual)) && std::isnan(decode(test.d, expected));
}

void check(const ProductCase& test, std::uint64_t seed) {
  SCOPED_TRACE(test.text());
  Random random(seed);
  std::vector<ProductMemory> ctas;
  for (int k = 0; k < test.ctas; ++k) ctas.push_back(chooseMemory(test, random));
  const std::string kernel = kernelOf(test);
  const auto module = parseText("k.ptx", kernel);
  Launch launch;
  launch.kernel = "k";
  launch.block = Dim3{128};
  launch.grid = Dim3{static_cast<std::uint32_t>(test.ctas)};
  launch.cluster = launch.grid;
  launch.dynamicShared = kSharedBytes + 16;
  launch.arguments = {bufferOf(bytesOf(ctas, &ProductMemory::shared)),
                      bufferOf(bytesOf(ctas, &ProductMemory::words))};
  std::string error;
  const auto outcome =
      run(*module, launch, schedule(MachineOptions{}, static_cast<std::uint32_t>(seed)), error);
  ASSERT_TRUE(outcome) << error;
  for (const Finding& finding : outcome->findings) FAIL() << format(*module, finding);
  const NamedBytes* const result = findObject(*outcome, "arg1");
  ASSERT_NE(result, nullptr);
  multiplyReference(test, ctas);
  const std::vector<std::uint8_t> expected = bytesOf(ctas, &ProductMemory::words);
  ASSERT_EQ(result->bytes.size(), expected.size());
  for (std::size_t at = 0; at < expected.size(); at += 4) {
    std::uint32_t actual = 0;
    std::uint32_t wanted = 0;
    std::memcpy(&actual, result->bytes.data() + at, 4);
    std::memcpy(&wanted, expected.data() + at, 4);
    ASSERT_TRUE(isSame(test, actual, wanted))
        << "CTA " << at / 262144 << " lane " << at % 262144 / 2048 << " column " << at % 2048 / 4
        << ": " << hexadecimal(actual) << ", expected " << hexadecimal(wanted);
  }
}

class ProductRandom : public testing::TestWithParam<const char*> {};

TEST_P(ProductRandom, AllOfTensorMemoryIsAsTheReferenceSays) {
  Random random(matrixSeed() + std::hash<std::string>{}(GetParam()));
  std::size_t elements = 0;
  for (std::size_t k = 0; k < runs() && !HasFatalFailure(); ++k) {
    const ProductCase test = chooseCase(GetParam(), random);
    elements += static_cast<std::size_t>(test.m * test.n);
    check(test, random());
  }
  RecordProperty("elements", static_cast<int>(elements));
}

INSTANTIATE_TEST_SUITE_P(Kinds, ProductRandom,
                         testing::Values("f16", "tf32", "f8f6f4", "i8", "mxf8f6f4", "mxf4",
                                         "mxf4nvf4", "f16_sp", "tf32_sp", "f8f6f4_sp", "i8_sp",
                                         "mxf8f6f4_sp", "mxf4_sp", "mxf4nvf4_sp"),
                         [](const auto& kind) { return std::string(kind.param); });

}  // namespace
}  // namespace ptxopt::interp
