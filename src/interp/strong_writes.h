// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The strong writes of a location, and who observed them.
//
// A write is ordered before all that follows an access that observed it: that is causality order,
// observation order followed by base causality order (docs/soundness/ A4.3).  This does not order
// what comes before the write in its own thread.  So clocks cannot express it, and the writes are
// kept here with their observers.
//
// A chain is a strong write and the atomics after it, each of which read what the one before wrote
// and is morally strong with it.  Each observed all before it, so only the last one and its readers
// decide: if one of them is known, all writes of the chain are ordered.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "interp/accesses.h"

namespace ptxopt::interp {

class StrongWrites {
 public:
  // Notes a strong write or atomic whose memory operation begins at `offset`.
  void record(const Access& access, std::uint64_t offset, const ThreadClock& view,
              const Places& places);
  // Notes a strong read.
  void observe(const Access& access, std::uint64_t offset, const ThreadClock& view,
               const Places& places);
  // A write that is not ordered before what the thread does now.
  std::optional<Record> unordered(const ThreadClock& view) const;
  const Groups& all() const { return all_; }
  void clear();

 private:
  struct Chain {
    Record last;
    isa::Scope scope = isa::Scope::None;
    std::uint32_t size = 0;
    std::uint64_t offset = 0;
    Groups readers;          // of the last write
    bool isImplied = false;  // if the open chain is ordered, so is this one
  };
  // More chains with known readers do not occur in practice.  If they do, the oldest one counts as
  // one that nobody observed, which orders less.
  static constexpr std::size_t kMostChains = 32;

  static bool isOrdered(const Chain& chain, const ThreadClock& view);
  bool isObservedBy(const Access& access, std::uint64_t offset, const Places& places) const;
  void close();
  void addUnobserved(const Record& write);

  Groups all_;                      // of all chains
  Chain open_;                      // its last write is the last one of all
  std::vector<Chain> closed_;       // with readers
  std::vector<Record> unobserved_;  // the newest of each agent
};

}  // namespace ptxopt::interp
