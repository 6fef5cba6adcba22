// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks claims about the later use of bytes by all threads of a launch: dead-store, and unread for
// variables that threads share.
//
// Cost: O(log variables) for each access, and O(1) for each byte if there are dead-store claims.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "interp/audit_access.h"
#include "interp/audit_claims.h"
#include "interp/byte_map.h"

namespace ptxopt::interp {

class AuditDeadStores {
 public:
  struct Store {
    const std::vector<ClaimId>* claims = nullptr;  // claims that it is dead
    std::uint64_t cta = 0;
    std::uint32_t thread = 0;
    AgentId agent = 0;        // of the thread, and
    std::uint32_t clock = 0;  // its clock when it stored; 0: the order is unknown
    const ir::Instruction* instruction = nullptr;
  };

  // A store with a dead-store claim whose bytes the access reads.  Reads by other threads count
  // only if they are ordered after the store, since a race may have any outcome.  `deadStores`: the
  // claims that the access itself is a dead store; they must outlive the object.
  std::optional<Store> touch(const AuditAccess& access, const std::vector<ClaimId>& deadStores);
  // The local memory of a thread starting at this address now belongs to another frame.
  void forgetLocal(std::uint64_t thread, std::uint64_t address);
  // The claimed stores to global memory that are still there when the kernel ends, by claim.
  std::map<ClaimId, Store> left() const;

 private:
  using Cell = std::optional<Store>;
  ByteMap<Cell> shared_;
  std::map<std::uint64_t, std::map<std::uint64_t, Store>> local_;  // by thread, by address
};

// The byte ranges of the variables in claims.
class AuditVariables {
 public:
  void add(AuditAccess::Region region, std::uint64_t address, std::uint64_t size, ClaimId claim) {
    ranges_.push_back({region, address, size, claim});
  }
  // Calls visit(claim) for each claim whose variable contains a byte of the access.
  template <class Visit>
  void forEach(AuditAccess::Region region, std::uint64_t address, std::uint64_t size,
               Visit&& visit) const {
    for (const Range& range : ranges_) {
      if (range.region != region || address >= range.address + range.size ||
          range.address >= address + size) {
        continue;
      }
      visit(range.claim);
    }
  }
  bool empty() const { return ranges_.empty(); }

 private:
  struct Range {
    AuditAccess::Region region{};
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    ClaimId claim = 0;
  };
  std::vector<Range> ranges_;
};

}  // namespace ptxopt::interp
