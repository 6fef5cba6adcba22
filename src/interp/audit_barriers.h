// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks the claims about the CTA barriers of one CTA: finds bytes that two threads access with
// only removed barriers in between.  AuditControl checks the order in which threads execute the
// barriers.
//
// Each thread counts the kept separators that it has passed (`epoch`) and, since the last of them,
// the removed barriers (`gone`).  The accesses of an epoch are kept as long as some thread may
// still be in it.
//
// Cost: O(1) for each byte and each barrier.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "facts/claim.h"
#include "interp/audit_access.h"
#include "interp/byte_map.h"

namespace ptxopt::interp {

class AuditBarriers {
 public:
  explicit AuditBarriers(std::uint32_t threads);

  void pass(std::uint32_t thread, std::uint32_t claim, const facts::Barrier& barrier);
  void end(std::uint32_t thread);

  struct Conflict {
    std::uint32_t claim = 0;  // of a removed barrier between the two accesses
    AuditAgent agent;
    const ir::Instruction* instruction = nullptr;
    bool writes = false;
    std::uint64_t address = 0;
  };
  // Another access that conflicts with this one, with only removed barriers in between.
  std::optional<Conflict> touch(const AuditAccess& access);

 private:
  struct Entry {
    AuditAgent agent;
    std::uint32_t gone = 0;
    std::uint32_t lastGone = 0;  // claim
    bool isIssue = false;
    const ir::Instruction* instruction = nullptr;
  };
  // A minimal set of entries such that, for any agent at any position, an entry of another agent at
  // another position is found if there ever was one.
  class Entries {
   public:
    void add(const Entry& entry);
    const Entry* conflicting(const Entry& entry) const;

   private:
    std::vector<Entry> entries_;
  };
  struct Cell {
    Entries reads;
    Entries writes;
    Entries phases;  // operations on an mbarrier (docs/soundness/ G4.1)
  };
  struct Position {
    std::uint32_t epoch = 0;
    std::uint32_t gone = 0;
    std::uint32_t lastGone = 0;  // claim of the last removed barrier
  };

  void leave(std::uint32_t epoch);

  std::vector<Position> positions_;              // by thread
  std::map<std::uint32_t, std::uint32_t> live_;  // threads that have not ended, by epoch
  std::map<std::uint32_t, ByteMap<Cell>> cells_;
};

}  // namespace ptxopt::interp
