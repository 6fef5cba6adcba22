// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The claims that a run checks, by what they are about, and what an Audit op looks at.
//
// The decoder puts Audit ops before and after the instructions that claims name (AuditEmitter), so
// that a run without claims is what it was.  What they need is in an AuditStep; the auditor
// (auditor.h) decides.
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
  // Variable, DynamicShared: its first byte, as an address in its own space, and its bytes.
  std::uint32_t slot = 0;
  std::uint64_t size = 0;
  isa::Space space = isa::Space::None;
  std::uint64_t offset = 0;  // Parameter: of the pointer, among the parameters of the kernel
};

// What is to be looked at where an address operand is used.
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
    Check,      // `claim`, as its kind says
    Reached,    // what `claim` says was tried: this counts it
    Dead,       // a register is read of which `claim` says that nothing reads it
    Access,     // the op after this one touches memory
    Arguments,  // of the call after this one, in memory
    Results,    // of the return after this one, in memory
    Enter,      // a function that `claim` says is pure
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

// A variable of the local memory of a function that nothing is said to read.
struct AuditLocal {
  ClaimId claim = 0;
  std::uint64_t offset = 0;  // in the local memory of a frame
  std::uint64_t size = 0;
};

class AuditClaims {
 public:
  // They must outlive the object.  O(claims).
  explicit AuditClaims(const std::vector<facts::Claim>& claims);

  const std::vector<facts::Claim>& all() const { return *claims_; }
  const std::vector<ClaimId>& of(std::string_view function) const;

  // Address operands that claims of the kind `disjoint` name have numbers, which are called sites.
  std::optional<std::uint32_t> siteOf(facts::Place at, std::uint32_t operand) const;
  struct Pair {
    ClaimId claim = 0;
    std::uint32_t first = 0;  // sites
    std::uint32_t second = 0;
  };
  const std::vector<Pair>& pairs() const { return pairs_; }
  std::uint32_t siteCount() const { return static_cast<std::uint32_t>(sites_.size()); }

  // Every access must be looked at, in whatever function.
  bool watchesAllAccesses() const { return watchesAllAccesses_; }
  // What calls and returns read of local memory as well.
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
