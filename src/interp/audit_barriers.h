// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the claims about the CTA barriers of one CTA come to: in what order its threads execute them
// is for AuditControl to say; here are the bytes that two threads touch with nothing between but
// barriers that went.
//
// Each thread counts the separators that stay (`epoch`) and, since the last of these, the barriers
// that went (`gone`).  Accesses of an epoch are kept while some thread may still be in it.
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
    std::uint32_t claim = 0;  // of a barrier that went, between the two accesses
    AuditAgent agent;
    const ir::Instruction* instruction = nullptr;
    bool writes = false;
    std::uint64_t address = 0;
  };
  // Another access that this one conflicts with, barriers that went being between the two.
  std::optional<Conflict> touch(const AuditAccess& access);

 private:
  struct Entry {
    AuditAgent agent;
    std::uint32_t gone = 0;
    std::uint32_t lastGone = 0;  // claim
    bool isIssue = false;
    const ir::Instruction* instruction = nullptr;
  };
  // Enough entries to find, whatever agent asks from between whatever barriers, one of another
  // agent from between others, if there was any.
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
  };
  struct Position {
    std::uint32_t epoch = 0;
    std::uint32_t gone = 0;
    std::uint32_t lastGone = 0;  // claim of the last barrier that went
  };

  void leave(std::uint32_t epoch);

  std::vector<Position> positions_;              // by thread
  std::map<std::uint32_t, std::uint32_t> live_;  // threads that have not ended, by epoch
  std::map<std::uint32_t, ByteMap<Cell>> cells_;
};

}  // namespace ptxopt::interp
