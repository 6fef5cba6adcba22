// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collects claims: facts about the input on which a pass relies for a change, and which a run of
// the input can check (docs/facts.md).  If nobody wants claims, they cost nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/values/text_places.h"
#include "facts/claim.h"
#include "ir/function.h"

namespace ptxopt::passes {

class ClaimSink {
 public:
  // `claims`: null if nobody wants them.  All arguments must outlive the object.
  ClaimSink(std::string_view pass, const ir::Function& function, std::vector<facts::Claim>* claims)
      : pass_(pass), function_(&function), claims_(claims) {}

  explicit operator bool() const { return claims_ != nullptr; }

  template <class What>
  void add(What what) {
    if (claims_ == nullptr) return;
    claims_->push_back({std::string(function_->nameText()), std::string(pass_), std::move(what)});
  }

  // Claims a decision about a barrier of the input.  A barrier without `isSeparator` orders nothing
  // while it is kept.  If a barrier was removed, the accesses before it and after it were compared.
  void barrier(const ir::Instruction& barrier, bool isSeparator, bool isGone) {
    if (claims_ == nullptr || !analysis::TextPlaces::isOfInput(barrier)) return;
    add(facts::Barrier{barrier.source.begin, isSeparator || isGone, isGone});
  }

 private:
  std::string_view pass_;
  const ir::Function* function_;
  std::vector<facts::Claim>* claims_;
};

// Claims about values of one SSA form, which must outlive the object.
class ValueClaims {
 public:
  using ValueId = analysis::ValueId;

  ValueClaims(const analysis::Ssa& ssa, ClaimSink sink) : ssa_(ssa), sink_(sink) {
    if (sink_) places_.emplace(ssa);
  }

  explicit operator bool() const { return places_.has_value(); }
  ClaimSink& sink() { return sink_; }
  // Only if claims are wanted.
  const analysis::TextPlaces& places() const { return *places_; }

  // `value` equals `other` + `plus`, in the bits of the narrower of their registers.
  void equal(ValueId value, ValueId other, std::int64_t plus = 0);
  // The same for the contents of `reg`, a register of the input, before the instruction.
  void equalBefore(const ir::Instruction& instruction, ir::RegisterId reg, ValueId other,
                   std::int64_t plus);
  // The value equals this number.
  void number(ValueId value, std::uint64_t number);
  // Nothing reads the results of these instructions, except these instructions.  Leaves out those
  // whose results other instructions of the input read.
  void dead(std::vector<const ir::Instruction*> instructions);

 private:
  std::uint8_t bitsOf(ir::RegisterId reg) const;
  bool isMasked(ValueId value) const;
  void add(const std::optional<facts::Value>& value, const std::optional<facts::Value>& other,
           std::int64_t plus);

  const analysis::Ssa& ssa_;
  ClaimSink sink_;
  std::optional<analysis::TextPlaces> places_;
};

// Claims that a register of `bits` bits holds `number`.
facts::InRange numberClaim(const facts::Value& value, std::uint64_t number, unsigned bits);

}  // namespace ptxopt::passes
