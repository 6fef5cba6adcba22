// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The claims that a run checks, indexed by subject, and the steps of an Audit op.
//
// The decoder puts Audit ops before and after the instructions that claims name (AuditEmitter), so
// a run without claims has no extra ops.  An AuditStep contains their data; the auditor (auditor.h)
// checks them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "facts/claim.h"
#include "interp/audit_number.h"

namespace ptxopt::interp {

using ClaimId = std::uint32_t;  // index in the list of claims

// A base of a claim about where an address points.
struct AuditBase {
  const facts::Base* base = nullptr;
  // Variable, DynamicShared: the address of its first byte in its own space, and its size.
  std::uint32_t slot = 0;
  std::uint64_t size = 0;
  isa::Space space = isa::Space::None;
  std::uint64_t offset = 0;  // Parameter: offset of the pointer among the parameters of the kernel
};

// What to check when an address operand is used.
struct AuditAddress {
  std::uint32_t operand = 0;          // its number among the address operands
  std::optional<std::uint32_t> site;  // see AuditClaims::siteOf
  struct PointsTo {
    ClaimId claim = 0;
    std::vector<AuditBase> bases;
  };
  std::vector<PointsTo> pointsTo;
};

struct AuditStep {
  enum class Kind : std::uint8_t {
    Check,      // checks `claim`, depending on its kind
    Reached,    // counts that `claim` was tested
    Dead,       // a register is read although `claim` says that nothing reads it
    Access,     // the next op accesses memory
    Arguments,  // of the call after this op, in memory
    Results,    // of the return after this op, in memory
    Enter,      // enters a function that `claim` says is pure
    Leave,
  };
  Kind kind = Kind::Check;
  ClaimId claim = 0;
  AuditNumber number;
  AuditNumber other;
  std::vector<AuditForm> forms;
  std::vector<AuditAddress> addresses;  // Access
  std::vector<ClaimId> deadStores;      // Access
};

// A variable in the local memory of a function, with a claim that nothing reads it.
struct AuditLocal {
  ClaimId claim = 0;
  std::uint64_t offset = 0;  // in the local memory of a frame
  std::uint64_t size = 0;
};

class AuditClaims {
 public:
  // The claims must outlive the object.  O(claims).
  explicit AuditClaims(const std::vector<facts::Claim>& claims);

  const std::vector<facts::Claim>& all() const { return *claims_; }
  const std::vector<ClaimId>& of(std::string_view function) const;

  // Numbers, called sites, of the address operands that `disjoint` claims name.
  std::optional<std::uint32_t> siteOf(facts::Place at, std::uint32_t operand) const;
  struct Pair {
    ClaimId claim = 0;
    std::uint32_t first = 0;  // sites
    std::uint32_t second = 0;
  };
  const std::vector<Pair>& pairs() const { return pairs_; }
  std::uint32_t siteCount() const { return static_cast<std::uint32_t>(sites_.size()); }

  // Every access must be checked, in every function.
  bool watchesAllAccesses() const { return watchesAllAccesses_; }
  // The reads of local memory by calls and returns must be checked too.
  bool watchesTransfers() const { return watchesTransfers_; }

 private:
  std::uint32_t addSite(const facts::AddressOperand& address);

  const std::vector<facts::Claim>* claims_;
  std::map<std::string_view, std::vector<ClaimId>> byFunction_;
  std::map<std::pair<facts::Place, std::uint32_t>, std::uint32_t> sites_;
  std::vector<Pair> pairs_;
  bool watchesAllAccesses_ = false;
  bool watchesTransfers_ = false;
};

}  // namespace ptxopt::interp
