// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where each thread of a block touches memory, one by one: the last resort where addresses are bits
// of the thread id, shuffled.
//
// For an access whose address is a function of the thread id and of numbers that all threads share,
// in a block of known shape.  Two such accesses that share the same numbers can be compared exactly
// (docs/soundness/ C8(v)).
//
// Cost: O(threads * size of the address), bounded by a budget; a comparison is O(threads).  What
// the addresses of one function have in common is computed once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/addresses/alias.h"
#include "analysis/addresses/form_program.h"

namespace ptxopt::analysis {

// Forms that depend on nothing but the thread id, for all threads of the block.
class ThreadForms {
 public:
  // None where the shape of the block is not known, or it is too large.
  static std::optional<ThreadForms> of(const Addresses& addresses);

 private:
  friend class ThreadAddresses;
  ThreadForms(const Addresses& addresses, const std::array<std::uint32_t, 3>& block)
      : warps_(warpsOf(block)), program_(addresses) {}

  std::vector<WarpOfThreads> warps_;
  FormProgram program_;
};

class ThreadAddresses {
 public:
  // None where the address is anything else, or it takes more than `budget`, in steps of a few
  // nanoseconds; what it takes is taken off.  `forms`: of the origin of the access.
  static std::optional<ThreadAddresses> of(const Access& access, ThreadForms& forms,
                                           std::uint64_t& budget);

  std::size_t size() const { return slots_.size(); }
  // No two threads, of two warps or any, touch a common byte in these.
  bool isSeparateFrom(const ThreadAddresses& other, Threads threads) const;

 private:
  // An address, by its distance from the least one there may be, and the linear id of a thread: as
  // one number, because many are sorted.
  using Slot = std::uint64_t;
  static constexpr unsigned kThreadBits = 32;
  static std::uint64_t addressOf(Slot slot) { return slot >> kThreadBits; }
  static std::uint32_t threadOf(Slot slot) { return static_cast<std::uint32_t>(slot); }

  const Addresses* origin_ = nullptr;
  unsigned bits_ = 0;
  std::vector<Term> shared_;  // what all threads add to it
  std::uint32_t size_ = 0;    // bytes from each address on
  std::vector<Slot> slots_;   // of the threads that may get there, sorted
};

}  // namespace ptxopt::analysis
