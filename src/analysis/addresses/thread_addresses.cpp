// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/thread_addresses.h"

#include <algorithm>
#include <bit>

#include "isa/block.h"
#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

// Differences of smaller distances do not wrap.
constexpr std::int64_t kMostDistance = std::int64_t{1} << 28;

// A program with many forms is dropped and started anew.
constexpr std::size_t kUsualSteps = 256;

// The address and the conditions of an access, as forms in a program.
class AccessInProgram {
 public:
  // `takesUnknowns`: the address may depend on unknowns.
  AccessInProgram(const Access& access, std::span<const LeafId> shared, FormProgram& program,
                  bool takesUnknowns)
      : access_(access), program_(program) {
    address_ = takesUnknowns ? program.add(access.address, shared)
                             : program.addKnown(access.address, shared);
    if (!address_) return;
    for (const FormId zero : access.zeros) {
      if (const auto of = program.addKnown(zero)) zeros_.push_back(*of);
    }
    for (const Access::Test& test : access.tests) {
      const auto left = program.addKnown(test.left);
      const auto right = program.addKnown(test.right);
      if (left && right) tests_.push_back({test.comparison, test.bits, *left, *right});
    }
  }

  bool isKnown() const { return address_.has_value(); }

  // Calls visit(thread, address) for each thread that may execute the access, with its address in
  // the last run.  False if some value is undefined.
  template <class Visit>
  bool forEachAddress(std::span<const WarpOfThreads> warps, Visit&& visit) const {
    for (std::size_t w = 0; w < warps.size(); ++w) {
      FormProgram::Outcome outcome{lanesInside(warps[w], access_.thread), 0};
      meetAll(w, outcome);
      if (outcome.undefined != 0) return false;
      const OfLanes<std::uint64_t>& addresses = program_.residuesOf(*address_, w);
      for (LaneMask left = arrivingLanes(w, outcome.done); left != 0; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        if (!visit(warps[w].firstThread + lane, addresses[lane])) return false;
      }
    }
    return true;
  }

 private:
  struct Test {
    Comparison comparison = Comparison::Equal;
    unsigned bits = 0;
    FormProgram::Expression left = 0;
    FormProgram::Expression right = 0;
  };

  void meetAll(std::size_t warp, FormProgram::Outcome& outcome) const {
    outcome.meet(program_.outcomeOf(*address_, warp));
    for (const auto zero : zeros_) outcome.meet(program_.outcomeOf(zero, warp));
    for (const Test& test : tests_) {
      outcome.meet(program_.outcomeOf(test.left, warp));
      outcome.meet(program_.outcomeOf(test.right, warp));
    }
  }

  LaneMask arrivingLanes(std::size_t warp, LaneMask lanes) const {
    for (const auto& [leaf, interval] : access_.restrictions) {
      lanes &= ~program_.lanesOutside(leaf, interval, warp);
    }
    for (const auto zero : zeros_) lanes &= lanesOfZeros(program_.residuesOf(zero, warp));
    for (const Test& test : tests_) {
      lanes &= lanesWhereHolds(test.comparison, test.bits, program_.residuesOf(test.left, warp),
                               program_.residuesOf(test.right, warp));
    }
    return lanes;
  }

  const Access& access_;
  const FormProgram& program_;
  std::optional<FormProgram::Expression> address_;
  std::vector<FormProgram::Expression> zeros_;
  std::vector<Test> tests_;
};

// Enumerates all values that the unknowns of a program can have.
class Trials {
 public:
  Trials(const Access& access, std::span<const LeafId> unknowns) {
    for (const LeafId leaf : unknowns) {
      Interval numbers = access.origin->forms().leaf(leaf).interval;
      for (const auto& [other, known] : access.restrictions) {
        if (other == leaf) numbers = intersection(numbers, known);
      }
      areFew_ = numbers.isBounded() && !numbers.isEmpty() &&
                !reaches(static_cast<std::uint64_t>(numbers.highest - numbers.lowest),
                         Limit::TriedNumbers);
      if (areFew_) count_ *= static_cast<std::uint64_t>(numbers.highest - numbers.lowest) + 1;
      areFew_ = areFew_ && !exceeds(count_, Limit::TriedNumbers);
      if (!areFew_) return;
      intervals_.push_back(numbers);
      numbers_.push_back(numbers.lowest);
    }
  }

  bool areFew() const { return areFew_; }
  std::uint64_t count() const { return count_; }
  std::span<const std::int64_t> numbers() const { return numbers_; }
  bool next() {
    for (std::size_t k = 0; k < numbers_.size(); ++k) {
      if (numbers_[k]++ < intervals_[k].highest) return true;
      numbers_[k] = intervals_[k].lowest;
    }
    return false;
  }

 private:
  bool areFew_ = true;
  std::uint64_t count_ = 1;
  std::vector<Interval> intervals_;  // of the unknowns
  std::vector<std::int64_t> numbers_;
};

// The same for all values of the unknowns.
template <class Visit>
bool forEachAddress(const Access& access, std::span<const LeafId> shared,
                    std::span<const WarpOfThreads> warps, std::uint64_t& budget, Visit&& visit) {
  FormProgram program(*access.origin);
  const AccessInProgram parts(access, shared, program, true);
  // The instruction set does not guarantee the lane of a thread.
  if (!parts.isKnown() || program.dependsOnLane()) return false;
  Trials trials(access, program.unknowns());
  const std::uint64_t work = trials.count() * program.size() * warps.size() * isa::kWarpSize;
  if (!trials.areFew() || work > budget) return false;
  budget -= work;
  do {
    program.run(warps, trials.numbers());
    if (!parts.forEachAddress(warps, visit)) return false;
  } while (trials.next());
  return true;
}

}  // namespace

std::optional<ThreadForms> ThreadForms::of(const Addresses& addresses) {
  const auto& block = addresses.shape().block;
  const bool isSmall =
      block && std::uint64_t{(*block)[0]} * (*block)[1] * (*block)[2] <= isa::kMostThreads;
  return isSmall ? std::optional(ThreadForms(addresses, *block)) : std::nullopt;
}

std::optional<ThreadAddresses> ThreadAddresses::of(const Access& access, ThreadForms& threads,
                                                   std::uint64_t& budget) {
  if (access.isCollective || access.size == 0 || access.address == FormId::None) {
    return std::nullopt;
  }
  const LinearForms& forms = access.origin->forms();
  const LinearForm form = forms.form(access.address);
  if (form.bits < 32) return std::nullopt;
  ThreadAddresses made;
  made.origin_ = access.origin;
  made.bits_ = form.bits;
  made.size_ = access.size;
  std::vector<LeafId> sharedLeaves;
  for (const Term& term : form.terms) {
    if (!forms.leaf(term.leaf).uniform) continue;
    made.shared_.push_back(term);
    sharedLeaves.push_back(term.leaf);
  }
  const auto note = [&](std::uint32_t thread, std::uint64_t address) {
    const std::int64_t offset = signedResidue(address, made.bits_);
    if (offset < -kMostDistance || offset > kMostDistance) return false;
    made.slots_.push_back(static_cast<std::uint64_t>(offset + kMostDistance) << kThreadBits |
                          thread);
    return true;
  };

  made.slots_.reserve(threads.warps_.size() * isa::kWarpSize);

  FormProgram& program = threads.program_;
  if (program.size() > kUsualSteps || program.isFull()) program = FormProgram(*access.origin);
  const std::size_t known = program.size();
  const AccessInProgram parts(access, sharedLeaves, program, false);
  if (parts.isKnown() && !program.isFull()) {
    const std::uint64_t work =
        (program.size() - known + 1) * threads.warps_.size() * isa::kWarpSize;
    if (work > budget) return std::nullopt;
    budget -= work;
    program.runRest(threads.warps_);
    if (!parts.forEachAddress(threads.warps_, note)) return std::nullopt;
  } else if (!forEachAddress(access, sharedLeaves, threads.warps_, budget, note)) {
    return std::nullopt;
  }
  // They are often sorted already.
  if (!std::ranges::is_sorted(made.slots_)) std::ranges::sort(made.slots_);
  made.slots_.erase(std::unique(made.slots_.begin(), made.slots_.end()), made.slots_.end());
  return made;
}

bool ThreadAddresses::isSeparateFrom(const ThreadAddresses& other, Threads threads) const {
  if (origin_ != other.origin_ || bits_ != other.bits_ || shared_ != other.shared_) return false;
  const auto mayMeet = [&](std::uint32_t a, std::uint32_t b) {
    return threads == Threads::DifferentWarps ? a / isa::kWarpSize != b / isa::kWarpSize : a != b;
  };
  // The slots of the other access that can overlap form a sliding window.
  std::size_t first = 0;
  for (const Slot slot : slots_) {
    const auto& others = other.slots_;
    const std::uint64_t address = addressOf(slot);
    while (first < others.size() && addressOf(others[first]) + other.size_ <= address) ++first;
    for (std::size_t k = first; k < others.size() && addressOf(others[k]) < address + size_; ++k) {
      if (mayMeet(threadOf(slot), threadOf(others[k]))) return false;
    }
  }
  return true;
}

}  // namespace ptxopt::analysis
