// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What early-cse is about beside equal computations: memory of the thread's own that is stored and
// loaded in many widths, as numbers and as registers, and chains of shifts, masks and extensions
// in which many bits are known; and branches whose arms begin with the same instructions.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernel_text.h"
#include "random.h"

namespace ptxopt::fuzz {

class Repeats {
 public:
  Repeats(Random& random, KernelText& text) : random_(random), text_(text) {}

  // Local memory of the function, with this prefix of its name; all of it is defined.
  void declare(const std::string& prefix, std::vector<std::string>& entryDeclarations);

  // Registers, with their kinds, that hold what was read or computed.
  using Results = std::vector<std::pair<Kind, std::string>>;
  Results storesAndLoads();
  Results bitChain();
  // A branch whose arms mostly begin alike.
  Results fork();

 private:
  std::string guard();
  std::string place(std::uint32_t bytes);
  void store(const std::string& space);
  void load(const std::string& space, Results& results);

  Random& random_;
  KernelText& text_;
  std::string name_;
  std::string base_;  // a register with the address at hand
};

}  // namespace ptxopt::fuzz
