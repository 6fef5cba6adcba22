// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts Audit ops where claims about a function are checked.  Part of the Decoder.
//
// Before an instruction, in this order: what a loop's count of rounds needs, what the register
// is remembered for, what is claimed whenever control gets there, what is read although it is
// claimed to be dead, what is claimed where the instruction is executed, the ways that it takes.
// After it: registers that it wrote, what is remembered, what is claimed, the way through.  An op
// that is to run only where the instruction is executed has its guard.
//
// Numbers that other claims ask for later, counts of rounds and ways that were taken are kept in
// slots of the frame, so that each call of a function has its own.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "interp/audit_claims.h"
#include "interp/decode/decoder.h"

namespace ptxopt::interp {

class AuditEmitter {
 public:
  // Looks at the claims about the function of the decoder.  O(claims about it).
  AuditEmitter(Decoder& decoder, const AuditClaims& claims);

  void atStart();
  // `op`: the guard of the instruction.
  void inFront(const ir::Instruction& instruction, const Op& op);
  // `first`: the first op of the instruction itself.
  void after(const ir::Instruction& instruction, const Op& op, std::size_t first);
  void atEnd();

 private:
  // What is done where control follows an edge.
  struct Way {
    enum class Kind : std::uint8_t {
      Never,   // `claim` says that this does not happen
      Round,   // counts in `slot`, and says so in `flag`
      First,   // sets `flag`
      Second,  // `claim` says that this does not happen while `slot` is set
    };
    Kind kind = Kind::Never;
    std::uint32_t target = facts::Edge::kThrough;
    ClaimId claim = 0;
    std::uint32_t slot = 0;
    std::uint32_t flag = 0;
  };
  struct Rounds {
    std::uint32_t count = 0;  // slots
    std::uint32_t flag = 0;   // a back edge was taken just now
  };
  struct Remembered {
    facts::Value value;
    AuditNumber number;
  };
  // All that is claimed about one instruction.
  struct Place {
    std::vector<Rounds> headerOf;
    std::vector<Remembered> before;
    std::vector<ClaimId> atComing;
    std::vector<ClaimId> executed;
    std::vector<ClaimId> deadStores;
    std::vector<std::pair<std::uint32_t, ClaimId>> pointsTo;  // number of the address operand
    std::vector<Way> ways;
    std::vector<Remembered> after;
    std::vector<ClaimId> atLeaving;
  };
  struct DeadValue {
    ClaimId claim = 0;
    std::uint32_t flag = 0;  // slot: it is dead now
  };
  using Result = std::tuple<facts::Place, std::uint32_t, std::uint8_t>;  // register, component

  // What claims need, each kind by itself.
  void prepare(ClaimId id);
  void prepare(const facts::Form& form);
  void place(const facts::Value& value, ClaimId id);
  void remember(const facts::Value& value);
  Rounds roundsOf(const facts::Leaf& leaf);

  AuditNumber numberOf(const facts::Value& value);      // where the value is now
  AuditNumber rememberedOf(const facts::Value& value);  // where it was last
  AuditForm formOf(const facts::Form& form);
  AuditForm::Term termOf(const facts::Leaf& leaf);
  AuditBase baseOf(const facts::Base& base);

  AuditStep stepOf(ClaimId id);
  void emitStep(AuditStep step, const Op& like);
  void emitCopy(std::uint32_t to, std::uint32_t from, const Op& like);
  void emitClear(std::uint32_t slot);
  void emitChecks(const std::vector<ClaimId>& claims, const Op& like);
  void emitRemembered(const std::vector<Remembered>& all);
  void emitWays(const std::vector<Way>& ways, bool isThrough, const ir::Instruction& instruction,
                const Op& op);
  void emitWay(const Way& way, const Op& taken);
  Op conditionOf(const Way& way, const ir::Instruction& instruction, const Op& op);
  void emitAccess(const ir::Instruction& instruction, const Place* place, std::size_t first);
  void emitReturn(const Op& op);
  void emitPure(AuditStep::Kind kind, const Op& op);

  bool hasDeadResults(const ir::Instruction& instruction) const;
  void emitReadsOfDead(const ir::Instruction& instruction, const Op& op);
  void emitWritesOfDead(const ir::Instruction& instruction, const Op& op);

  const facts::Claim& claim(ClaimId id) const { return claims_->all()[id]; }
  const Place* placeOf(const ir::Instruction& instruction) const;

  Decoder* decoder_;
  const AuditClaims* claims_;
  std::unordered_map<facts::Place, Place> places_;
  std::map<std::tuple<facts::Place, facts::Moment, std::uint32_t, std::uint8_t>, AuditNumber>
      remembered_;
  std::vector<std::pair<facts::Leaf, Rounds>> rounds_;
  std::map<std::uint32_t, std::vector<DeadValue>> deadValues_;  // by register
  std::set<Result> deadResults_;
  std::vector<ClaimId> unread_;
  std::vector<ClaimId> pure_;
};

}  // namespace ptxopt::interp
