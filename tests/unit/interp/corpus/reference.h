// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel of the corpus must leave in memory, computed in plain C++.
//
// A reference gets the content of the buffers and module variables as the launch description sets
// them up, and turns it into what must be there afterwards.  It is written from what the kernel is
// for, not from its code: a sum is a loop over all elements, a sort is std::sort.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interp/launch.h"
#include "ir/module.h"

namespace ptxopt::interp {

float halfToFloat(std::uint16_t bits);
float bfloatToFloat(std::uint16_t bits);
// Rounded to nearest even.
std::uint16_t floatToHalf(float value);
std::uint16_t floatToBfloat(float value);
// The format e4m3, which has no infinity; what is too large becomes the largest number.
float quarterToFloat(std::uint8_t bits);
std::uint8_t floatToQuarter(float value);

// Floats of 16 and 8 bits in a buffer, to compare.
struct Half {
  std::uint16_t bits = 0;
  Half() = default;
  explicit Half(float value) : bits(floatToHalf(value)) {}
  explicit operator float() const { return halfToFloat(bits); }
};
struct Bfloat {
  std::uint16_t bits = 0;
  Bfloat() = default;
  explicit Bfloat(float value) : bits(floatToBfloat(value)) {}
  explicit operator float() const { return bfloatToFloat(bits); }
};
struct Quarter {
  std::uint8_t bits = 0;
  Quarter() = default;
  explicit Quarter(float value) : bits(floatToQuarter(value)) {}
  explicit operator float() const { return quarterToFloat(bits); }
};

class Call {
 public:
  Call(const ir::Module& module, const Launch& launch);

  // In elements of T; the content before the launch, to be changed to that after it.
  template <class T>
  std::span<T> buffer(std::size_t argument) {
    std::vector<std::uint8_t>& bytes = memory_.at("argument " + std::to_string(argument));
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <class T>
  T scalar(std::size_t argument) const {
    T value;
    std::memcpy(&value, launch_->arguments.at(argument).bytes.data(), sizeof value);
    return value;
  }
  int integer(std::size_t argument) const { return scalar<std::int32_t>(argument); }
  // Of the module, or a buffer that is no argument.
  template <class T>
  std::span<T> variable(const std::string& name) {
    std::vector<std::uint8_t>& bytes = memory_.at(name);
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  std::size_t argumentBytes(std::size_t argument) const {
    return launch_->arguments.at(argument).bytes.size();
  }
  Dim3 grid() const { return launch_->grid; }
  Dim3 block() const { return block_; }
  // Of all blocks in x.
  int threads() const { return static_cast<int>(launch_->grid.x * block_.x); }

  // Lines in any order.
  std::string printed;

  // Memory is compared byte for byte, but for what these say.
  // |result - expected| <= tolerance * max(1, |expected|), in elements of T.
  template <class T>
  void close(std::size_t argument, double tolerance) {
    closeVariable<T>("argument " + std::to_string(argument), tolerance);
  }
  template <class T>
  void closeVariable(const std::string& name, double tolerance) {
    comparisons_[name] = [tolerance](Bytes got, Bytes wanted) {
      return compareClose<T>(got, wanted, tolerance);
    };
  }
  // The elements begin .. end-1 in any order.
  template <class T>
  void unordered(std::size_t argument, std::size_t begin, std::size_t end) {
    sorted_["argument " + std::to_string(argument)] = {sizeof(T), begin, end};
  }
  // The bytes begin .. end-1: clocks, addresses.
  void ignore(std::size_t argument, std::size_t begin = 0, std::size_t end = ~std::size_t{0}) {
    ignored_["argument " + std::to_string(argument)].push_back({begin, end});
  }
  // Is everything compared?
  bool isComplete() const { return ignored_.empty(); }

  // Empty if the outcome is as it must be.
  std::string compare(const Outcome& outcome) const;

 private:
  using Bytes = std::span<const std::uint8_t>;
  using Comparison = std::function<std::string(Bytes got, Bytes wanted)>;
  struct Sorted {
    std::size_t size;
    std::size_t begin;
    std::size_t end;
  };

  static std::string describeDifference(std::size_t element, double got, double wanted);
  template <class T>
  static double toDouble(const std::uint8_t* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    if constexpr (std::is_arithmetic_v<T>) {
      return static_cast<double>(value);
    } else {
      return static_cast<double>(static_cast<float>(value));
    }
  }
  template <class T>
  static std::string compareClose(Bytes got, Bytes wanted, double tolerance) {
    for (std::size_t k = 0; (k + 1) * sizeof(T) <= wanted.size(); ++k) {
      const double a = toDouble<T>(got.data() + k * sizeof(T));
      const double b = toDouble<T>(wanted.data() + k * sizeof(T));
      const double allowed = tolerance * std::max(1.0, std::abs(b));
      const bool bothNaN = a != a && b != b;
      if (!bothNaN && a != b && !(std::abs(a - b) <= allowed)) return describeDifference(k, a, b);
    }
    return {};
  }

  const Launch* launch_;
  Dim3 block_;
  std::map<std::string, std::vector<std::uint8_t>> memory_;
  std::map<std::string, Comparison> comparisons_;
  std::map<std::string, Sorted> sorted_;
  std::map<std::string, std::vector<std::pair<std::size_t, std::size_t>>> ignored_;
};

struct Reference {
  // FILE/KERNEL of corpus/cuda, PRODUCER/FILE or PRODUCER/FILE/KERNEL of the others.
  std::string_view name;
  void (*compute)(Call&);
};
std::span<const Reference> algorithmReferences();
std::span<const Reference> asynchronousReferences();
std::span<const Reference> cooperationReferences();
std::span<const Reference> handwrittenReferences();
std::span<const Reference> imageReferences();
std::span<const Reference> matrixReferences();
std::span<const Reference> numericReferences();
std::span<const Reference> producerReferences();
std::span<const Reference> reductionReferences();
std::span<const Reference> simulationReferences();
std::span<const Reference> synchronisationReferences();
std::span<const Reference> textureReferences();
std::span<const Reference> tritonProductReferences();
std::span<const Reference> tritonRowReferences();

}  // namespace ptxopt::interp
