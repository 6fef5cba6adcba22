// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The check of each kind of claim when a thread reaches its place.
#include <algorithm>
#include <type_traits>

#include "interp/auditor.h"

namespace ptxopt::interp {

namespace {

bool holds(facts::Comparison comparison, std::uint64_t a, std::uint64_t b, unsigned bits) {
  using facts::Comparison;
  const std::int64_t x = asSigned(a, bits);
  const std::int64_t y = asSigned(b, bits);
  switch (comparison) {
    case Comparison::Equal:
      return a == b;
    case Comparison::NotEqual:
      return a != b;
    case Comparison::Less:
      return x < y;
    case Comparison::LessEqual:
      return x <= y;
    case Comparison::Greater:
      return x > y;
    case Comparison::GreaterEqual:
      return x >= y;
    case Comparison::UnsignedLess:
      return a < b;
    case Comparison::UnsignedLessEqual:
      return a <= b;
    case Comparison::UnsignedGreater:
      return a > b;
    case Comparison::UnsignedGreaterEqual:
      return a >= b;
  }
  return true;
}

bool holds(const facts::Range& range, std::uint64_t number) {
  const std::uint64_t value = lowBits(number, range.bits);
  const std::int64_t signedValue = asSigned(value, range.bits);
  return value >= range.lowest && value <= range.highest && signedValue >= range.signedLowest &&
         signedValue <= range.signedHighest && (value & range.zeros) == 0 &&
         (value & range.ones) == range.ones;
}

}  // namespace

struct Auditor::Check {
  Auditor& auditor;
  const AuditedThread& who;
  const AuditStep& step;
  const Op& op;

  AuditReport& report() const { return auditor.report_; }
  Cta& cta() const { return auditor.ctaOf(who.cta); }
  void count() const { report().count(step.claim); }
  std::string name() const { return auditor.name(who); }
  void fail(const std::string& message, const ir::Instruction* other = nullptr,
            std::string otherMessage = {}) const {
    report().add(step.claim, op.origin, message, other, std::move(otherMessage));
  }
  std::uint64_t number() const { return who.frame[step.number.slot]; }
  std::string text(std::uint64_t number) const { return numberText(number, step.number.bits); }
  std::optional<std::uint64_t> form(std::size_t k) const {
    return step.forms[k].evaluate(who.frame, *auditor.parameters_);
  }

  void compare(const std::optional<AuditValues::Other>& other) const {
    count();
    if (!other) return;
    std::string message = name() + " has " + text(number());
    if (other->thread == who.thread) return fail(message + ", and had " + text(other->number));
    fail(message, op.origin,
         report().threadText(who.cta, other->thread) + " has " + text(other->number));
  }
  void operator()(const facts::Uniform&) const {
    compare(cta().values.uniform(step.claim, who.thread, number(), cta().ended));
  }
  void operator()(const facts::WarpUniform&) const {
    compare(cta().values.warpUniform(step.claim, who.thread, number(), cta().ended));
  }
  void operator()(const facts::Stable&) const {
    compare(cta().values.stable(step.claim, who.thread, number(), cta().ended.size()));
  }
  void operator()(const facts::OneNumber&) const {
    compare(cta().values.oneNumber(step.claim, who.thread, number()));
  }

  void operator()(const facts::InRange& claim) const {
    count();
    if (!holds(claim.range, number())) fail(name() + " has " + text(number()));
  }
  void equal(std::uint64_t expected, unsigned bits) const {
    count();
    const unsigned common = std::min<unsigned>(bits, step.number.bits);
    if (lowBits(number(), common) == lowBits(expected, common)) return;
    fail(name() + " has " + text(number()) + ", not " + numberText(lowBits(expected, bits), bits));
  }
  void operator()(const facts::EqualsForm& claim) const {
    if (const auto expected = form(0)) equal(*expected, claim.form.bits);
  }
  void operator()(const facts::EqualsValue& claim) const {
    if (const auto other = step.other.evaluate(who.frame)) equal(*other + claim.plus, claim.bits);
  }
  void operator()(const facts::DeadValue& claim) const {
    if (step.kind != AuditStep::Kind::Dead) return count();
    fail(name() + " reads it here", report().instructionAt(claim.value.at), "it is dead from here");
  }

  void operator()(const facts::NeverTaken&) const { fail(name() + " does"); }
  void operator()(const facts::NeverFollows& claim) const {
    fail(name() + " does", report().instructionAt(claim.edge.at), "the first way begins here");
  }
  void operator()(const facts::Together&) const { come(AuditControl::Order::Together); }
  void come(AuditControl::Order order) const {
    count();
    const auto other = cta().control.come(order, step.claim, who.thread, cta().ended);
    if (!other || report().isFalse(step.claim)) return;
    const facts::Claim& claim = report().claims().all()[other->claim];
    const facts::Place place = std::visit(
        [](const auto& what) -> facts::Place {
          if constexpr (requires { what.at; }) return what.at;
          return kNoOffset;
        },
        claim.what);
    fail(name() + " comes here", report().instructionAt(place),
         "in its place " + report().threadText(who.cta, other->thread) + " comes here");
  }
  void operator()(const facts::AllExecute&) const {
    count();
    const auto ended = cta().control.countVisit(step.claim, who.thread, cta().ended);
    if (!ended) return;
    fail(name() + " comes here after " + report().threadText(who.cta, *ended) + " has ended");
  }
  void operator()(const facts::FormInBounds& claim) const {
    const auto value = form(0);
    if (!value) return;
    count();
    const std::int64_t number = asSigned(*value, claim.form.bits);
    if (number >= claim.bounds.lowest && number <= claim.bounds.highest) return;
    fail("it is " + std::to_string(number) + " in " + name());
  }
  void operator()(const facts::FormsCompare& claim) const {
    const auto left = form(0);
    const auto right = form(1);
    if (!left || !right) return;
    count();
    const unsigned bits = std::min(claim.left.bits, claim.right.bits);
    if (holds(claim.comparison, lowBits(*left, bits), lowBits(*right, bits), bits)) return;
    fail("they are " + numberText(*left, bits) + " and " + numberText(*right, bits) + " in " +
         name());
  }
  void operator()(const facts::Leader& claim) const {
    count();
    const std::uint32_t leader = cta().control.leader(claim.mask, who.thread);
    if (leader == who.thread) return;
    fail(name() + " executes it, and " + report().threadText(who.cta, leader) +
         " was the leader of that warp and mask");
  }
  void operator()(const facts::Barrier& claim) const {
    if (claim.isSeparator || claim.isGone) {
      come(AuditControl::Order::Barriers);
    } else {
      count();
    }
    cta().barriers.pass(who.thread, step.claim, claim);
  }

  // Claims about accesses, variables and calls have steps of their own.
  void operator()(const facts::PointsTo&) const {}
  void operator()(const facts::Disjoint&) const {}
  void operator()(const facts::DeadStore&) const {}
  void operator()(const facts::Unread&) const {}
  void operator()(const facts::OwnBytes&) const {}
  void operator()(const facts::PureFunction&) const {}
};

void Auditor::check(const AuditedThread& who, const AuditStep& step, const Op& op) {
  const auto& what = report_.claims().all()[step.claim].what;
  // Sequences continue, because other threads are compared with them.
  const bool isSequence =
      std::holds_alternative<facts::Together>(what) || std::holds_alternative<facts::Barrier>(what);
  const bool isSettled = report_.isFalse(step.claim) && !isSequence;
  if (step.kind == AuditStep::Kind::Reached || isSettled) return report_.count(step.claim);
  std::visit(Check{*this, who, step, op}, what);
}

}  // namespace ptxopt::interp
