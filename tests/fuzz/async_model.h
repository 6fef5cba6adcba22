// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the memory model says of a plan: is there a pair of accesses that nothing orders, a missing
// fence, or a wait that may be about another phase?
//
// The reference for kernels with asynchronous operations.  It shares no code with the interpreter:
// steps are executed in the order of the text, and what each thread knows to have happened is kept
// as a vector of times and a set of completed operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "async_plan.h"

namespace ptxopt::fuzz::async {

// A step in one of its rounds.
struct Item {
  Step* step = nullptr;
  Steps* within = nullptr;
  std::uint32_t round = 0;  // of the loop
};
// All that is executed, in order; a Roles is one item.
std::vector<Item> itemsOf(Plan& plan, Steps& steps);

struct Violation {
  enum class Kind : std::uint8_t {
    Order,      // nothing orders the two
    Fence,      // only a proxy fence is missing
    Phase,      // the second may be about another phase unless it comes after the first
    Undefined,  // reads what nobody wrote
    Wrong,      // no barrier and no fence helps
  } kind = Kind::Wrong;
  // Positions among the items, and what is executed there.
  std::size_t firstItem = 0;
  std::size_t secondItem = 0;
  const Step* first = nullptr;
  const Step* second = nullptr;
  std::uint32_t firstWarp = 0;
  std::uint32_t secondWarp = 0;
};

struct ModelOptions {
  std::uint32_t elected = 0;      // the lane that elections choose
  const Step* without = nullptr;  // a barrier that is not there
  // Only what few schedules of every checker show: the lane of a warp that accesses is one that
  // knows most, no wait and no arrival is weak, and copies over what has been read need no fence.
  bool isLenient = false;
};

// The first thing that is wrong.  O(threads^2 * barriers + bytes * accesses).
std::optional<Violation> firstViolation(Plan& plan, const ModelOptions& options);

}  // namespace ptxopt::fuzz::async
