// Kernels of the corpus against what plain C++ computes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>

#include "interp/arithmetic/floating.h"
#include "run_ptx.h"

namespace ptxopt::interp {
namespace {

// Every producer of the corpus that has the file.
std::vector<std::filesystem::path> variants(const std::string& name) {
  const char* root = std::getenv("PTXOPT_SOURCE_DIR");
  std::vector<std::filesystem::path> found;
  for (const char* folder : {"sm_75", "sm_80", "sm_90", "sm_100"}) {
    const auto path = std::filesystem::path(root != nullptr ? root : ".") / "corpus/ptx/nvcc" /
                      folder / (name + ".ptx");
    if (std::filesystem::exists(path)) found.push_back(path);
  }
  return found;
}

template <class T>
Argument buffer(const std::vector<T>& values) {
  Argument argument;
  argument.isBuffer = true;
  argument.bytes.resize(values.size() * sizeof(T));
  std::memcpy(argument.bytes.data(), values.data(), argument.bytes.size());
  return argument;
}
Argument scalar(std::int32_t value) {
  Argument argument;
  argument.bytes.resize(sizeof value);
  std::memcpy(argument.bytes.data(), &value, sizeof value);
  return argument;
}
template <class T>
std::vector<T> contents(const Outcome& outcome, std::size_t index) {
  const auto& bytes = outcome.memory.at(index).bytes;
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// Small integers, so that sums of floats are exact in any order.
template <class T>
std::vector<T> numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(random() % 17);
  return values;
}

// Runs `kernel` (a part of its mangled name) from every variant of the file, under every policy,
// without findings; `expected` is what the buffer `index` must hold, as its bytes.
template <class T>
void expectResult(const std::string& file, const std::string& kernel, Launch launch,
                  std::size_t index, const std::vector<T>& expected) {
  const auto paths = variants(file);
  ASSERT_FALSE(paths.empty()) << file << ": PTXOPT_SOURCE_DIR must name the checkout";
  for (const auto& path : paths) {
    SCOPED_TRACE(path.string() + " " + kernel);
    std::ifstream stream(path);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const auto module = parseText(path.string(), text);
    for (const ir::Function& function : module->functions()) {
      const std::string name(function.nameText());
      if (function.isEntry() && name.find(kernel) != std::string::npos) launch.kernel = name;
    }
    for (std::uint32_t k = 0; k < kPolicies.size(); ++k) {
      std::string error;
      const auto outcome = run(*module, launch, schedule({}, k), error);
      ASSERT_TRUE(outcome) << error;
      for (const Finding& finding : outcome->findings) ADD_FAILURE() << format(*module, finding);
      ASSERT_TRUE(outcome->completed);
      ASSERT_EQ(contents<T>(*outcome, index), expected);
    }
  }
}

TEST(Corpus, Reductions) {
  constexpr int kThreads = 256, kBlocks = 2, kCount = 500;
  const auto input = numbers<float>(kCount, 1);
  std::vector<float> expected(kBlocks);
  for (std::size_t k = 0; k < kCount; ++k) expected[k / kThreads] += input[k];
  Launch launch;
  launch.grid = {kBlocks};
  launch.block = Dim3{kThreads};
  launch.dynamicShared = kThreads * sizeof(float);
  launch.arguments = {buffer(input), buffer(std::vector<float>(kBlocks)), scalar(kCount)};
  for (const char* kernel : {"reduceInterleaved", "reduceStrided", "reduceSequential"}) {
    expectResult("reduce_shared", kernel, launch, 1, expected);
  }
  // This one sums 512 elements in a block.
  expectResult("reduce_shared", "reduceVolatileWarp", launch, 1,
               std::vector<float>{expected[0] + expected[1], 0.0f});
}

TEST(Corpus, Transpositions) {
  constexpr std::size_t kWidth = 64, kHeight = 32;
  const auto input = numbers<float>(kWidth * kHeight, 2);
  std::vector<float> expected(input.size());
  for (std::size_t y = 0; y < kHeight; ++y) {
    for (std::size_t x = 0; x < kWidth; ++x) expected[x * kHeight + y] = input[y * kWidth + x];
  }
  Launch launch;
  launch.grid = {kWidth / 32, kHeight / 32};
  launch.block = Dim3{32, 8};
  launch.arguments = {buffer(std::vector<float>(input.size())), buffer(input), scalar(kWidth)};
  expectResult("transpose", "transposeTiled", launch, 0, expected);
  expectResult("transpose", "transposeNaive", launch, 0, expected);
  expectResult("transpose", "copyTiles", launch, 0, input);
}

TEST(Corpus, MatrixProducts) {
  constexpr std::size_t kSide = 32;
  const auto a = numbers<float>(kSide * kSide, 3);
  const auto b = numbers<float>(kSide * kSide, 4);
  std::vector<float> expected(kSide * kSide);
  for (std::size_t row = 0; row < kSide; ++row) {
    for (std::size_t column = 0; column < kSide; ++column) {
      for (std::size_t k = 0; k < kSide; ++k) {
        expected[row * kSide + column] += a[row * kSide + k] * b[k * kSide + column];
      }
    }
  }
  Launch launch;
  launch.grid = {kSide / 16, kSide / 16};
  launch.block = Dim3{16, 16};
  launch.arguments = {buffer(a), buffer(b), buffer(std::vector<float>(expected.size())),
                      scalar(kSide)};
  expectResult("matmul", "matmulNaive", launch, 2, expected);
  expectResult("matmul", "matmulTiledILi16", launch, 2, expected);
  launch.arguments.insert(launch.arguments.end(), {scalar(kSide), scalar(kSide)});
  expectResult("matmul", "matmulGuarded", launch, 2, expected);
}

// cp.async in four stages, ldmatrix and mma.sync.
TEST(Corpus, TensorCores) {
  constexpr std::size_t kRows = 64, kColumns = 128, kDepth = 96;
  const auto a = numbers<float>(kRows * kDepth, 7);
  const auto b = numbers<float>(kDepth * kColumns, 8);
  const auto halves = [](const std::vector<float>& values) {
    std::vector<std::uint16_t> bits;
    for (const float value : values) {
      bits.push_back(static_cast<std::uint16_t>(fromDouble(kF16, value, Rounding::NearestEven)));
    }
    return buffer(bits);
  };
  std::vector<float> expected(kRows * kColumns);
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t column = 0; column < kColumns; ++column) {
      for (std::size_t k = 0; k < kDepth; ++k) {
        expected[row * kColumns + column] += a[row * kDepth + k] * b[k * kColumns + column];
      }
    }
  }
  Launch launch;
  launch.grid = {kColumns / 64, kRows / 64};
  launch.block = Dim3{128};
  launch.arguments = {halves(a),     halves(b),        buffer(std::vector<float>(expected.size())),
                      scalar(kRows), scalar(kColumns), scalar(kDepth)};
  expectResult("matmul_mma_ptx", "matmulMma", launch, 2, expected);
}

TEST(Corpus, Scans) {
  constexpr int kCount = 700;
  const auto input = numbers<std::int32_t>(kCount, 5);
  std::vector<std::int32_t> expected(kCount);
  std::partial_sum(input.begin(), input.end(), expected.begin());
  Launch launch;
  launch.block = Dim3{128};
  launch.arguments = {buffer(input), buffer(std::vector<std::int32_t>(kCount)), scalar(kCount)};
  expectResult("scan_block", "scanByWarps", launch, 1, expected);
  launch.block = Dim3{256};
  std::vector<std::int32_t> data(input.begin(), input.begin() + 256);
  launch.arguments = {buffer(data)};
  expectResult("scan_block", "scanInPlace", launch, 0,
               std::vector<std::int32_t>(expected.begin(), expected.begin() + 256));
}

TEST(Corpus, Histograms) {
  constexpr std::size_t kCount = 4096;
  std::mt19937 random(6);
  std::vector<std::uint8_t> input(kCount);
  std::vector<std::uint32_t> expected(256);
  for (std::uint8_t& byte : input) {
    byte = static_cast<std::uint8_t>(random() & 255);
    ++expected[byte];
  }
  Launch launch;
  launch.grid = {2};
  launch.block = Dim3{256};
  launch.arguments = {buffer(input), buffer(std::vector<std::uint32_t>(256)), scalar(kCount)};
  expectResult("histogram", "histogramShared", launch, 1, expected);
}

}  // namespace
}  // namespace ptxopt::interp
