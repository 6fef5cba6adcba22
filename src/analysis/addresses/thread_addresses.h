// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The addresses that each thread of a block accesses, listed thread by thread: the last resort for
// addresses that permute bits of the thread id.
//
// It covers accesses whose address is a function of the thread id and of numbers that are the same
// in all threads, in a block of known shape.  Two such accesses with the same numbers can be
// compared exactly (docs/soundness/ C8(v)).
//
// Cost: O(threads * size of the address), bounded by a budget; a comparison is O(threads).  Common
// parts of the addresses of one function are computed once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/addresses/alias.h"
#include "analysis/addresses/form_program.h"

namespace ptxopt::analysis {

// Evaluates forms that depend only on the thread id, for all threads of the block.
class ThreadForms {
 public:
  // None if the shape of the block is unknown or too large.
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
  // None if the address is of another kind, or if it costs more than `budget`, in steps of a few
  // nanoseconds.  The cost is subtracted from `budget`.  `forms` belong to the origin of the
  // access.
  static std::optional<ThreadAddresses> of(const Access& access, ThreadForms& forms,
                                           std::uint64_t& budget);

  std::size_t size() const { return slots_.size(); }
  // No two threads (of different warps, or any two, as `threads` says) touch a common byte.
  bool isSeparateFrom(const ThreadAddresses& other, Threads threads) const;

 private:
  // An address, as its distance from the smallest possible one, and the linear id of a thread, in
  // one number, because large arrays of them are sorted.
  using Slot = std::uint64_t;
  static constexpr unsigned kThreadBits = 32;
  static std::uint64_t addressOf(Slot slot) { return slot >> kThreadBits; }
  static std::uint32_t threadOf(Slot slot) { return static_cast<std::uint32_t>(slot); }

  const Addresses* origin_ = nullptr;
  unsigned bits_ = 0;
  std::vector<Term> shared_;  // terms that are the same in all threads
  std::uint32_t size_ = 0;    // bytes from each address
  std::vector<Slot> slots_;   // of the threads that may execute the access, sorted
};

}  // namespace ptxopt::analysis
