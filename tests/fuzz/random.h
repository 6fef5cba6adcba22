// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers that are the same on every machine and with every standard library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace ptxopt::fuzz {

// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // 0 .. bound-1; `bound` is small, so that the bias of the remainder does not matter.
  std::uint32_t below(std::uint64_t bound) { return static_cast<std::uint32_t>(next() % bound); }
  bool percent(std::uint32_t chance) { return below(100) < chance; }
  template <class List>
  const auto& pick(const List& list) {
    return std::data(list)[below(std::size(list))];
  }

 private:
  std::uint64_t state_;
};

}  // namespace ptxopt::fuzz
