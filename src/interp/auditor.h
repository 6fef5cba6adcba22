// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks claims while a kernel runs (docs/facts.md).
//
// The decoder puts Audit ops at the places of claims (decode/audit_emitter.h), and the machine
// reports the accesses of threads (machine_audit.cpp).  The auditor implements the meaning of each
// kind of claim.  A false claim is reported once, as a finding of the kind FalseFact.  If it is not
// certain that a claim is false, it is not reported.
//
// Cost: the sum of its parts, each time a thread reaches a claim: audit_values.h, audit_control.h,
// audit_disjoint.h, audit_barriers.h, audit_memory.h.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "interp/audit_barriers.h"
#include "interp/audit_control.h"
#include "interp/audit_disjoint.h"
#include "interp/audit_memory.h"
#include "interp/audit_report.h"
#include "interp/audit_values.h"
#include "interp/memory.h"
#include "interp/program.h"

namespace ptxopt::interp {

// A thread and its CTA.
struct AuditedThread {
  std::uint64_t cta = 0;     // in the grid
  std::uint32_t thread = 0;  // in the CTA
  Frame frame;
};

class Auditor {
 public:
  // All arguments must outlive the object.
  Auditor(Program& program, const GlobalMemory& memory, const std::vector<std::uint8_t>& parameters,
          std::uint32_t threadsPerCta, AuditReport::Namer namer);

  // An op of the kinds Check, Reached and Dead.
  void check(const AuditedThread& who, const AuditStep& step, const Op& op);

  // Called before the thread accesses memory through the address operand with this number;
  // kNoOperand: through no operand.
  static constexpr std::uint32_t kNoOperand = ~0u;
  void access(const AuditedThread& who, const AuditStep& step, std::uint32_t operand,
              const AuditAccess& access);
  // The local memory of the thread starting at this address now belongs to another function.
  void callBegins(std::uint64_t threadInGrid, std::uint64_t localTop);

  // Enters or leaves a function with a `pure` claim: `values` are its arguments or its results.
  void enter(const AuditedThread& who, ClaimId claim, std::uint64_t localBase, std::string values);
  void leave(const AuditedThread& who, ClaimId claim, const Op& op, const std::string& values);

  void threadEnds(std::uint64_t cta, std::uint32_t thread);
  // Called at the end of the run.  `completed`: every thread has ended.
  void finish(bool completed);

  const std::vector<Finding>& findings() const { return report_.findings(); }
  const AuditCounts& counts() const { return report_.counts(); }

 private:
  struct Cta {
    explicit Cta(std::uint32_t threads) : barriers(threads), ended(threads) {}
    AuditValues values;
    AuditControl control;
    AuditDisjoint disjoint;
    AuditBarriers barriers;
    std::vector<bool> ended;
    std::uint32_t endedCount = 0;
  };
  // A call of a pure function that has not returned.
  struct PureCall {
    ClaimId claim = 0;
    std::uint64_t localBase = 0;
    std::string arguments;
  };
  struct PureResult {
    std::string results;
    std::uint64_t cta = 0;
    std::uint32_t thread = 0;
  };

  struct Check;  // one overload for each kind of claim

  Cta& ctaOf(std::uint64_t index);
  void judge(std::uint64_t index, const Cta& cta, bool isComplete);
  void addVariables();
  std::string name(const AuditedThread& who) const {
    return report_.threadText(who.cta, who.thread);
  }
  std::string name(std::uint64_t cta, const AuditAgent& agent) const;

  void checkPointsTo(const AuditedThread& who, const AuditAddress::PointsTo& pointsTo,
                     const AuditAccess& access);
  bool isIn(const AuditedThread& who, const AuditBase& base, const AuditAccess& access,
            std::int64_t& offset) const;
  void checkVariables(const AuditAccess& access);
  void checkDeadStores(const AuditStep& step, const AuditAccess& access);
  void checkPure(const AuditedThread& who, const AuditAccess& access);

  Program* program_;
  const GlobalMemory* memory_;
  const std::vector<std::uint8_t>* parameters_;
  AuditReport report_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Cta>> ctas_;  // CTAs that have not ended
  Cta* last_ = nullptr;
  std::uint64_t lastIndex_ = 0;
  AuditVariables unread_;
  AuditVariables own_;
  AuditDeadStores deadStores_;
  bool hasBarriers_ = false;
  bool hasDeadStores_ = false;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<PureCall>> pureCalls_;
  std::map<std::pair<ClaimId, std::string>, PureResult> pureResults_;
};

}  // namespace ptxopt::interp
