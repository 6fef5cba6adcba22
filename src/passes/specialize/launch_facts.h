// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known of all launches of kernels: --launch FILE (docs/launches.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "isa/isa.h"

namespace ptxopt::passes {

using Extents = std::array<std::uint32_t, 3>;
std::string textOf(const Extents& extents);  // "64,1,1"

// A number as a launch file has it.
class LaunchNumber {
 public:
  struct Bits {
    std::uint64_t bits = 0;
  };
  using Value = std::variant<std::int64_t, std::uint64_t, double, Bits>;

  explicit LaunchNumber(Value value = std::int64_t{0}) : value_(value) {}
  bool isNegative() const;
  // The bits of an object of this type that has the value; of f32 the nearest number.  An untyped
  // object takes an integer as it is, and a number with a fraction as f32 or f64.  None if the type
  // cannot have the value.
  std::optional<std::uint64_t> as(isa::Type type) const;

 private:
  Value value_;
};

// Bounds of an integer, what divides it, and how much memory is accessed through it.
struct LaunchRange {
  std::optional<LaunchNumber> least;
  std::optional<LaunchNumber> most;
  std::uint64_t multipleOf = 1;  // a power of two
  std::optional<std::uint64_t> bytes;
};

struct KernelFacts {
  std::string kernel;  // its name in PTX or in C++
  std::optional<Extents> block;
  std::optional<std::uint32_t> mostThreads;  // of a block
  std::optional<Extents> grid;
  std::optional<Extents> cluster;
  std::optional<std::uint32_t> dynamicShared;  // bytes
  // A number in a structure.
  struct Member {
    std::uint32_t offset = 0;
    isa::Type type = isa::Type::None;
  };
  struct Parameter {
    std::optional<std::size_t> index;  // from 0; none: `name` says which
    std::string name;                  // in PTX, or "arg0" for the first one
    std::optional<Member> member;      // none: all of it is one number
    std::variant<LaunchNumber, LaunchRange> known;
  };
  std::vector<Parameter> parameters;
  bool hasDistinctPointers = false;
};

struct LaunchFacts {
  std::vector<KernelFacts> kernels;
  // Trust nothing: what is used of them is tested at each launch, by the driver or the kernel.
  bool isEnforced = false;
  // A kernel does not trap in a launch with other numbers, but runs its original code.
  bool isDispatched = false;

  bool empty() const { return kernels.empty(); }
};

}  // namespace ptxopt::passes
