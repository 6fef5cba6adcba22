// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random tensor maps and tensor copies, run as kernels and compared with tensor_reference.h.
// PTXOPT_TENSOR_RUNS: how many of each kind.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>

#include "run_ptx.h"
#include "tensor_reference.h"

namespace ptxopt::interp {
namespace {

constexpr std::uint32_t kSharedBytes = 16384;
constexpr std::uint64_t kTensorBytes = 1u << 18;

std::size_t runs() {
  const char* const text = std::getenv("PTXOPT_TENSOR_RUNS");
  return text != nullptr ? std::strtoul(text, nullptr, 10) : 150;
}

struct Case {
  TensorShape shape;
  TensorMove move;
  std::string reduction;
  std::uint64_t addend = 0;
  std::string text() const {
    std::string result = "tensormap:&t+" + std::to_string(addend) + ":" + shape.text() + " at";
    for (const int coordinate : move.coordinates) result += " " + std::to_string(coordinate);
    for (const std::uint32_t offset : move.offsets) result += " offset " + std::to_string(offset);
    return result + " phase " + std::to_string(move.phase) + " " + reduction;
  }
};

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  enum class Kind { Load, Store, Reduce };

  Case tile(Kind kind) {
    Case result;
    TensorShape& shape = result.shape;
    const std::size_t rank = 1 + below(5);
    chooseType(shape, kind);
    if (rank >= 3 && !isPadded(shape) && below(5) == 0) shape.slice = below(2) == 0 ? 16 : 32;
    chooseBox(shape, rank);
    chooseDims(shape, rank);
    finish(result, kind);
    for (std::size_t k = 0; k < rank; ++k) {
      result.move.coordinates.push_back(coordinate(shape.dims[k], shape.box[k], kind));
    }
    alignFirst(result);
    return result;
  }

  Case rows(Kind kind) {
    Case result;
    TensorShape& shape = result.shape;
    chooseType(shape, kind);
    chooseBox(shape, 2);
    shape.box[1] = 1;
    chooseDims(shape, 2);
    finish(result, kind);
    result.move.isFourRows = true;
    result.move.coordinates.push_back(coordinate(shape.dims[0], shape.box[0], kind));
    // Rows of a store must differ, or their order would decide.
    std::vector<int> rows;
    while (rows.size() < 4) {
      const int row = coordinate(shape.dims[1] + 6, 1, kind);
      if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
    }
    result.move.coordinates.insert(result.move.coordinates.end(), rows.begin(), rows.end());
    alignFirst(result);
    return result;
  }

  Case image(Kind kind, bool isWide) {
    Case result;
    TensorShape& shape = result.shape;
    const std::size_t rank = 3 + below(3);
    shape.isImage = true;
    shape.isWide = isWide;
    do {
      chooseType(shape, kind);
    } while (isWide && shape.type.ends_with("p64"));
    if (isWide) {
      static const char* const kWide[] = {"64B", "128B", "128B_ATOM_32B"};
      shape.swizzle = kWide[isPadded(shape) ? 1 + below(2) : below(3)];
    }
    chooseBox(shape, rank);
    shape.channels = shape.box[0];
    result.move.isW128 = isWide && below(2) == 0;
    shape.pixels = 1 + static_cast<std::uint32_t>(below(24));
    chooseDims(shape, rank);
    for (std::size_t k = 1; k + 1 < rank; ++k) shape.dims[k] = 1 + below(5);
    finish(result, kind);
    if (result.move.isW128) result.move.phase = 0;  // 16 KiB
    chooseCorners(result, kind, rank);
    result.move.coordinates.insert(result.move.coordinates.begin(),
                                   coordinate(shape.dims[0], shape.channels, kind));
    result.move.coordinates.push_back(static_cast<int>(below(shape.dims[rank - 1])));
    alignFirst(result);
    return result;
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

  static bool isPadded(const TensorShape& shape) {
    return shape.type == "b4x16_p64" || shape.type == "b6x16_p32";
  }

  void chooseType(TensorShape& shape, Kind kind) {
    static const std::vector<std::string> kLoaded{
        "u8",      "u16", "u32",  "s32",  "u64",      "s64",   "f16",       "f32",
        "f32.ftz", "f64", "bf16", "tf32", "tf32.ftz", "b4x16", "b4x16_p64", "b6x16_p32"};
    static const std::vector<std::string> kReduced{"u32", "s32", "u64",     "s64",
                                                   "f16", "f32", "f32.ftz", "bf16"};
    const std::vector<std::string>& types = kind == Kind::Reduce ? kReduced : kLoaded;
    do {
      shape.type = types[below(types.size())];
    } while (kind == Kind::Store && shape.type == "b4x16_p64");
    static const char* const kSwizzles[] = {
        "none", "32B", "64B", "128B", "128B_ATOM_32B", "128B_ATOM_64B", "128B_ATOM_32B_FLIP_8B"};
    shape.swizzle = kSwizzles[below(kind == Kind::Load && !isPadded(shape) ? 7 : 6)];
    if (isPadded(shape) && (shape.swizzle == "32B" || shape.swizzle == "64B")) {
      shape.swizzle = "128B";
    }
  }

  static std::uint32_t bits(const std::string& type) {
    if (type.starts_with("b4")) return 4;
    if (type.starts_with("b6")) return 6;
    if (type == "u8") return 8;
    if (type == "u16" || type == "f16" || type == "bf16") return 16;
    return type == "u64" || type == "s64" || type == "f64" ? 64 : 32;
  }

  // At most 8 KiB of shared memory.
  void chooseBox(TensorShape& shape, std::size_t rank) {
    shape.elementStrides.assign(rank, 1);
    for (auto& stride : shape.elementStrides) {
      if (below(3) == 0) stride = 1 + static_cast<std::uint32_t>(below(4));
    }
    if (shape.slice != 0) {
      shape.swizzle = shape.slice == 32 ? "32B" : "none";
      shape.box.push_back(1 + static_cast<std::uint32_t>(below(9)));
    } else if (isPadded(shape)) {
      shape.box.push_back(128);
    } else {
      const std::uint32_t most = shape.swizzle == "none"  ? 16
                                 : shape.swizzle == "32B" ? 2
                                 : shape.swizzle == "64B" ? 4
                                                          : 8;
      const auto pieces = 1 + static_cast<std::uint32_t>(below(most));
      shape.box.push_back(std::min(256u, pieces * 128 / bits(shape.type)));
      if (shape.box[0] * bits(shape.type) % 128 != 0) shape.box[0] = 128 / bits(shape.type);
    }
    std::uint64_t lines = 1;
    for (std::size_t k = 1; k < rank; ++k) {
      const std::uint64_t room = 32 / lines;
      const auto most = std::max<std::uint64_t>(1, std::min<std::uint64_t>(room, 9));
      const auto count = 1 + static_cast<std::uint32_t>(below(most));
      lines *= count;
      // Any box that gives this count.
      const std::uint32_t step = shape.elementStrides[k];
      shape.box.push_back((count - 1) * step + 1 + static_cast<std::uint32_t>(below(step)));
    }
    if (shape.slice != 0) shape.box[rank - 2] = 1;
  }

  void chooseDims(TensorShape& shape, std::size_t rank) {
    const std::uint64_t multiple = isPadded(shape) ? 128 : shape.type == "b4x16" ? 2 : 1;
    const std::uint64_t inner = std::max<std::uint64_t>(1, 2 * shape.box[0] / multiple);
    shape.dims.push_back(multiple * (1 + below(inner)));
    for (std::size_t k = 1; k < rank; ++k) shape.dims.push_back(1 + below(rank < 4 ? 7 : 4));
  }

  // Strides with random padding, the address, the phase and the fill.
  void finish(Case& result, Kind kind) {
    TensorShape& shape = result.shape;
    const std::uint64_t alignment = shape.slice == 32 || isPadded(shape) ? 32 : 16;
    const std::uint64_t unit = shape.slice != 0 ? shape.slice * 8u : bits(shape.type);
    std::uint64_t bytes = (shape.dims[0] * unit + 7) / 8;
    for (std::size_t k = 1; k < shape.dims.size(); ++k) {
      bytes = (bytes + alignment - 1) / alignment * alignment + alignment * below(3);
      shape.strides.push_back(bytes);
      bytes *= shape.dims[k];
    }
    result.addend = alignment * below(5);
    result.move.phase = below(9);
    const bool isFloat = shape.type.find('f') != std::string::npos;
    shape.fillsWithNaN = isFloat && below(2) == 0;
    if (kind != Kind::Reduce) return;
    std::vector<std::string> operations{"add", "min", "max"};
    if (shape.type == "s64") operations = {"min", "max", "and", "or", "xor"};
    if (shape.type == "s32" || shape.type == "u64") {
      operations.insert(operations.end(), {"and", "or", "xor"});
    }
    if (shape.type == "u32") operations = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
    if (shape.type.starts_with("f32")) operations = {"add"};
    result.reduction = operations[below(operations.size())];
  }

  // Often over an edge, sometimes outside.
  int coordinate(std::uint64_t size, std::uint32_t box, Kind kind) {
    const auto range = static_cast<std::int64_t>(size + box + 2);
    const auto value =
        static_cast<std::int64_t>(below(static_cast<std::uint64_t>(range))) - box - 1;
    return static_cast<int>(kind == Kind::Load ? value : std::max<std::int64_t>(value, 0));
  }

  void alignFirst(Case& result) {
    const int multiple = isPadded(result.shape) ? 128 : result.shape.type == "b4x16" ? 2 : 1;
    if (result.shape.slice != 0) return;
    int& first = result.move.coordinates[0];
    first -= (first % multiple + multiple) % multiple;
    if (first < 0 && result.move.coordinates[0] < 0 && !result.reduction.empty()) first = 0;
  }

  void chooseCorners(Case& result, Kind kind, std::size_t rank) {
    TensorShape& shape = result.shape;
    const std::size_t image = shape.isWide ? 1 : rank - 2;
    for (std::size_t k = 0; k + 2 < rank; ++k) {
      const auto size = static_cast<int>(shape.dims[k + 1]);
      if (k >= image) {
        result.move.coordinates.push_back(static_cast<int>(below(shape.dims[k + 1])));
        continue;
      }
      const int reach = kind == Kind::Load ? 3 : 0;
      int low = static_cast<int>(below(static_cast<std::uint64_t>(size + reach))) - reach;
      int high = low + 1 + static_cast<int>(below(static_cast<std::uint64_t>(size + 2)));
      if (kind != Kind::Load) high = std::min(high, size);
      shape.lower.push_back(low);
      shape.upper.push_back(high - size);
      const int span = high - low;
      int start = low + static_cast<int>(below(static_cast<std::uint64_t>(span)));
      if (shape.isWide && kind == Kind::Load) start -= static_cast<int>(below(3));
      result.move.coordinates.push_back(start);
    }
    if (shape.isWide) {
      const std::uint32_t halo = result.move.isW128 ? 0 : static_cast<std::uint32_t>(below(5));
      result.move.offsets = {halo, static_cast<std::uint32_t>(below(3))};
      return;
    }
    for (std::size_t k = 0; k < image; ++k) {
      result.move.offsets.push_back(kind == Kind::Load ? static_cast<std::uint32_t>(below(3)) : 0);
    }
  }

  std::mt19937_64 random_;
};

// ---- the kernel ---------------------------------------------------------------------------------

std::string braced(const auto& numbers) {
  std::string text;
  for (const auto number : numbers) text += (text.empty() ? "{" : ", ") + std::to_string(number);
  return text + "}";
}

std::string dimensionOf(const Case& test) {
  return "." + std::to_string(test.shape.dims.size()) + "d";
}

std::string loadOf(const Case& test) {
  const std::string mode = test.move.isFourRows  ? ".tile::gather4"
                           : !test.shape.isImage ? ".tile"
                           : !test.shape.isWide  ? ".im2col"
                           : test.move.isW128    ? ".im2col::w::128"
                                                 : ".im2col::w";
  std::string offsets = test.shape.isImage ? ", " + braced(test.move.offsets) : "";
  return "cp.async.bulk.tensor" + dimensionOf(test) + ".shared::cta.global" + mode +
         ".mbarrier::complete_tx::bytes [%r9], [%map, " + braced(test.move.coordinates) +
         "], [bar]" + offsets + ";";
}

std::string storeOf(const Case& test) {
  const std::string mode = test.move.isFourRows ? ".tile::scatter4"
                           : test.shape.isImage ? ".im2col_no_offs"
                                                : ".tile";
  const std::string name =
      test.reduction.empty() ? "cp.async.bulk.tensor" : "cp.reduce.async.bulk.tensor";
  const std::string operation = test.reduction.empty() ? "" : "." + test.reduction;
  return name + dimensionOf(test) + ".global.shared::cta" + operation + mode +
         ".bulk_group [%map, " + braced(test.move.coordinates) + "], [%r9];";
}

// Fills shared memory from `in`, makes the copy, and writes shared memory to `out`.
std::string kernelOf(const std::string& copy) {
  return R"(.version 8.6
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in, .param .align 64 .b8 map[128], .param .u32 phase, .param .u32 bytes)
{
  .reg .pred %p, %leader;
  .reg .b32 %t, %r<10>;
  .reg .b64 %out, %in, %map, %rd<4>;
  .shared .align 1024 .b8 A[16384];
  .shared .align 8 .b64 bar;
  ld.param.u64 %out, [out];
  ld.param.u64 %in, [in];
  ld.param.u32 %r8, [phase];
  mov.u32 %r9, A;
  mad.lo.u32 %r9, %r8, 128, %r9;
  ld.param.u32 %r7, [bytes];
  mov.b64 %rd1, map;
  cvta.param.u64 %map, %rd1;
  mov.u32 %t, %tid.x;
  setp.eq.u32 %leader, %t, 0;
  shl.b32 %r0, %t, 4;
fill:
  cvt.u64.u32 %rd2, %r0;
  add.u64 %rd3, %in, %rd2;
  ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd3];
  mov.u32 %r5, A;
  add.u32 %r5, %r5, %r0;
  st.shared.v4.u32 [%r5], {%r1, %r2, %r3, %r4};
  add.u32 %r0, %r0, 512;
  setp.lt.u32 %p, %r0, 16384;
  @%p bra fill;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  @!%leader bra done;
)" + copy +
         R"(
done:
  bar.sync 0;
  shl.b32 %r0, %t, 4;
drain:
  mov.u32 %r5, A;
  add.u32 %r5, %r5, %r0;
  ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r5];
  cvt.u64.u32 %rd2, %r0;
  add.u64 %rd3, %out, %rd2;
  st.global.v4.u32 [%rd3], {%r1, %r2, %r3, %r4};
  add.u32 %r0, %r0, 512;
  setp.lt.u32 %p, %r0, 16384;
  @%p bra drain;
  ret;
}
)";
}

std::string loadKernel(const Case& test) {
  return kernelOf(R"(  mbarrier.init.shared.b64 [bar], 1;
  mbarrier.arrive.expect_tx.shared.b64 _, [bar], %r7;
  )" + loadOf(test) +
                  R"(
wait:
  mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;
  @!%p bra wait;)");
}

std::string storeKernel(const Case& test) {
  return kernelOf("  " + storeOf(test) + R"(
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;)");
}

struct Result {
  std::string findings;
  std::vector<std::uint8_t> in, out, tensor;
  std::vector<std::uint8_t> tensorBefore;
};

Argument argument(const std::string& text) {
  std::string error;
  auto parsed = parseArgument(text, error);
  if (!parsed) throw std::runtime_error(error);
  return std::move(*parsed);
}

// Halves are small whole numbers, so that sums are exact.
std::string contentOf(const Case& test) {
  const std::string& type = test.shape.type;
  if (test.reduction.empty()) return "random:u64:";
  if (type == "f16" || type == "bf16") return "small:" + type + ":";
  return type.starts_with("f32") ? "random:f32:" : "random:u64:";
}

Result runCase(const Case& test, const std::string& kernel, std::uint32_t bytes,
               std::uint64_t seed) {
  const auto module = parseText("k.ptx", kernel);
  Launch launch;
  launch.kernel = "k";
  launch.block = Dim3{32};
  const std::string number = std::to_string(seed);
  launch.buffers.emplace_back(
      "t", argument("buffer:" + std::to_string(kTensorBytes) + ":" + contentOf(test) + number));
  for (const std::string& text :
       {std::string("buffer:16K"), "buffer:16K:" + contentOf(test) + number + "1",
        "tensormap:&t+" + std::to_string(test.addend) + ":" + test.shape.text(),
        "u32:" + std::to_string(test.move.phase), "u32:" + std::to_string(bytes)}) {
    launch.arguments.push_back(argument(text));
  }
  MachineOptions options;
  options.stepLimit = 400'000;
  std::string error;
  const auto outcome =
      run(*module, launch, schedule(options, static_cast<std::uint32_t>(seed)), error);
  if (!outcome) throw std::runtime_error(error);
  Result result;
  for (const Finding& finding : outcome->findings)
    result.findings += format(*module, finding) + "\n";
  for (const NamedBytes& object : outcome->memory) {
    if (object.name == "argument 0") result.out = object.bytes;
    if (object.name == "argument 1") result.in = object.bytes;
    if (object.name == "t") result.tensor = object.bytes;
  }
  result.tensorBefore = launch.buffers[0].second.bytes;
  return result;
}

void checkLoad(const Case& test, std::uint64_t seed) {
  SCOPED_TRACE(test.text());
  ASSERT_LE(test.move.phase * 128 + sharedExtent(test.shape, test.move), kSharedBytes);
  ASSERT_LE(test.addend + test.shape.bytes(), kTensorBytes);
  const Argument before = argument("buffer:" + std::to_string(kTensorBytes) + ":" +
                                   contentOf(test) + std::to_string(seed));
  const std::vector<std::uint8_t> view(before.bytes.begin() + static_cast<long>(test.addend),
                                       before.bytes.end());
  const LoadedImage expected = loadTensor(test.shape, test.move, view);
  const Result result = runCase(test, loadKernel(test), expected.transactions, seed);
  ASSERT_EQ(result.findings, "");
  ASSERT_EQ(result.tensor, result.tensorBefore);
  std::vector<std::uint8_t> shared = result.in;
  for (std::size_t k = 0; k < expected.bytes.size(); ++k) {
    if (expected.bytes[k]) shared.at(test.move.phase * 128 + k) = *expected.bytes[k];
  }
  ASSERT_EQ(result.out, shared);
}

void checkStore(const Case& test, std::uint64_t seed) {
  SCOPED_TRACE(test.text());
  ASSERT_LE(test.move.phase * 128 + sharedExtent(test.shape, test.move), kSharedBytes);
  ASSERT_LE(test.addend + test.shape.bytes(), kTensorBytes);
  const Result result = runCase(test, storeKernel(test), 0, seed);
  ASSERT_EQ(result.findings, "");
  ASSERT_EQ(result.out, result.in);
  const auto from = result.in.begin() + static_cast<long>(test.move.phase * 128);
  const std::vector<std::uint8_t> shared(from, result.in.end());
  std::vector<std::uint8_t> expected(result.tensorBefore.begin() + static_cast<long>(test.addend),
                                     result.tensorBefore.end());
  storeTensor(test.shape, test.move, test.reduction, shared, expected);
  expected.insert(expected.begin(), result.tensorBefore.begin(),
                  result.tensorBefore.begin() + static_cast<long>(test.addend));
  ASSERT_EQ(result.tensor, expected);
}

using Kind = Maker::Kind;

template <class Make, class Check>
void repeat(std::uint64_t first, Make make, Check check) {
  std::map<std::string, std::size_t> types;
  for (std::uint64_t k = 0; k < runs(); ++k) {
    Maker maker(first + k);
    const Case test = make(maker);
    ++types[test.shape.type];
    check(test, first + k);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GE(types.size(), std::min<std::size_t>(8, runs() / 10));  // they are not all the same
}

TEST(TensorRandomTest, TilesAreLoaded) {
  repeat(
      1'000'000, [](Maker& maker) { return maker.tile(Kind::Load); }, checkLoad);
}
TEST(TensorRandomTest, TilesAreStored) {
  repeat(
      2'000'000, [](Maker& maker) { return maker.tile(Kind::Store); }, checkStore);
}
TEST(TensorRandomTest, TilesAreReduced) {
  repeat(
      3'000'000, [](Maker& maker) { return maker.tile(Kind::Reduce); }, checkStore);
}
TEST(TensorRandomTest, RowsAreGathered) {
  repeat(
      4'000'000, [](Maker& maker) { return maker.rows(Kind::Load); }, checkLoad);
}
TEST(TensorRandomTest, RowsAreScattered) {
  repeat(
      5'000'000, [](Maker& maker) { return maker.rows(Kind::Store); }, checkStore);
}
TEST(TensorRandomTest, ImagesAreLoaded) {
  repeat(
      6'000'000, [](Maker& maker) { return maker.image(Kind::Load, false); }, checkLoad);
}
TEST(TensorRandomTest, WideImagesAreLoaded) {
  repeat(
      7'000'000, [](Maker& maker) { return maker.image(Kind::Load, true); }, checkLoad);
}
TEST(TensorRandomTest, ImagesAreStored) {
  repeat(
      8'000'000, [](Maker& maker) { return maker.image(Kind::Store, false); }, checkStore);
}

}  // namespace
}  // namespace ptxopt::interp
