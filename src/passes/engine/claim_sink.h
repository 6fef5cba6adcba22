// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a pass believes of the input where it changes it: claims that a run of the input can check
// (docs/facts.md).  They cost nothing where nobody wants them.
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
  // `claims`: null where nobody wants them.  All of them must outlive the object.
  ClaimSink(std::string_view pass, const ir::Function& function, std::vector<facts::Claim>* claims)
      : pass_(pass), function_(&function), claims_(claims) {}

  explicit operator bool() const { return claims_ != nullptr; }

  template <class What>
  void add(What what) {
    if (claims_ == nullptr) return;
    claims_->push_back({std::string(function_->nameText()), std::string(pass_), std::move(what)});
  }

  // How a barrier of the input was judged.  One that not all threads take part in orders nothing
  // while it stands; of one that went, all that is after it and before it was compared.
  void barrier(const ir::Instruction& barrier, bool isSeparator, bool isGone) {
    if (claims_ == nullptr || !analysis::TextPlaces::isOfInput(barrier)) return;
    add(facts::Barrier{barrier.source.begin, isSeparator || isGone, isGone});
  }

 private:
  std::string_view pass_;
  const ir::Function* function_;
  std::vector<facts::Claim>* claims_;
};

// The same about values of one SSA form, which must outlive the object.
class ValueClaims {
 public:
  using ValueId = analysis::ValueId;

  ValueClaims(const analysis::Ssa& ssa, ClaimSink sink) : ssa_(ssa), sink_(sink) {
    if (sink_) places_.emplace(ssa);
  }

  explicit operator bool() const { return places_.has_value(); }
  ClaimSink& sink() { return sink_; }
  // Where it is wanted.
  const analysis::TextPlaces& places() const { return *places_; }

  // A value equals another one plus a number, as far as the narrower of their registers goes.
  void equal(ValueId value, ValueId other, std::int64_t plus = 0);
  // What the instruction reads in `reg`, which is a register of the input.
  void equalBefore(const ir::Instruction& instruction, ir::RegisterId reg, ValueId other,
                   std::int64_t plus);
  // The value is this number.
  void number(ValueId value, std::uint64_t number);
  // Nobody reads what these instructions compute, but each other.  Of those that others read as the
  // input stands, it says nothing.
  void dead(std::vector<const ir::Instruction*> instructions);

 private:
  std::uint8_t bitsOf(ir::RegisterId reg) const;
  void add(const std::optional<facts::Value>& value, const std::optional<facts::Value>& other,
           std::int64_t plus);

  const analysis::Ssa& ssa_;
  ClaimSink sink_;
  std::optional<analysis::TextPlaces> places_;
};

// What a register of `bits` bits holds is `number`.
facts::InRange numberClaim(const facts::Value& value, std::uint64_t number, unsigned bits);

}  // namespace ptxopt::passes
