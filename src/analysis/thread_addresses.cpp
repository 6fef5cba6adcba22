#include "analysis/thread_addresses.h"

#include <algorithm>
#include <bit>

#include "analysis/form_program.h"

namespace ptxopt::analysis {

namespace {

constexpr std::uint32_t kMostThreads = 1024;
// Differences of smaller numbers do not wrap.
constexpr std::int64_t kMostDistance = std::int64_t{1} << 28;

// Rounds of loops, and values of few numbers, that are tried for each thread.
constexpr std::uint64_t kMostTried = 256;

// An access as a program of the thread id and of unknowns.
class Program {
 public:
  Program(const Access& access, std::span<const LeafId> shared)
      : access_(access), forms_(access.origin->forms()), program_(*access.origin) {
    // The lane of a thread is no promise of the instruction set.
    address_ = program_.add(access.address, shared);
    if (!address_ || program_.dependsOnLane() || !findUnknowns()) return;
    isKnown_ = true;
    for (const FormId zero : access.zeros) {
      if (const auto of = program_.addKnown(zero)) zeros_.push_back(*of);
    }
    for (const Access::Test& test : access.tests) {
      const auto left = program_.addKnown(test.left);
      const auto right = program_.addKnown(test.right);
      if (left && right) tests_.push_back({test.comparison, test.bits, *left, *right});
    }
  }

  bool isKnown() const { return isKnown_; }
  // Steps for one thread.
  std::uint64_t work() const { return tried_ * program_.size(); }
  std::uint64_t tried() const { return tried_; }

  // Calls visit(lane, address) for all addresses that the threads of `lanes` may have where they get
  // there.  False where something is not defined.
  template <class Visit>
  bool forEachAddress(const WarpOfThreads& warp, LaneMask lanes, Visit&& visit) {
    for (std::size_t k = 0; k < numbers_.size(); ++k) numbers_[k] = intervals_[k].lowest;
    do {
      const FormProgram::Outcome outcome = program_.run(warp, numbers_);
      if ((outcome.undefined & lanes) != 0) return false;
      const OfLanes<std::uint64_t>& addresses = program_.residuesOf(*address_);
      for (LaneMask left = outcome.done & lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(left));
        if (getsThere(lane) && !visit(lane, addresses[lane])) return false;
      }
    } while (next());
    return true;
  }

 private:
  bool findUnknowns() {
    for (const LeafId leaf : program_.unknowns()) {
      Interval numbers = forms_.leaf(leaf).interval;
      for (const auto& [other, known] : access_.restrictions) {
        if (other == leaf) numbers = intersection(numbers, known);
      }
      if (!numbers.isBounded() || numbers.isEmpty() ||
          static_cast<std::uint64_t>(numbers.highest - numbers.lowest) >= kMostTried) {
        return false;
      }
      tried_ *= static_cast<std::uint64_t>(numbers.highest - numbers.lowest) + 1;
      if (tried_ > kMostTried) return false;
      intervals_.push_back(numbers);
    }
    numbers_.resize(intervals_.size());
    return true;
  }

  bool next() {
    for (std::size_t k = 0; k < numbers_.size(); ++k) {
      if (numbers_[k]++ < intervals_[k].highest) return true;
      numbers_[k] = intervals_[k].lowest;
    }
    return false;
  }

  // As far as is known, in the last run.
  bool getsThere(std::size_t lane) const {
    for (const auto& [leaf, interval] : access_.restrictions) {
      const OfLanes<std::int64_t>* const numbers = program_.numbersOf(leaf);
      if (numbers != nullptr && !interval.contains((*numbers)[lane])) return false;
    }
    const auto residueOf = [&](FormProgram::Expression expression) {
      return program_.residuesOf(expression)[lane];
    };
    return std::ranges::all_of(zeros_, [&](auto zero) { return residueOf(zero) == 0; }) &&
           std::ranges::all_of(tests_, [&](const Test& test) {
             return holds(test.comparison, residueOf(test.left), residueOf(test.right), test.bits);
           });
  }

  struct Test {
    Comparison comparison = Comparison::Equal;
    unsigned bits = 0;
    FormProgram::Expression left = 0;
    FormProgram::Expression right = 0;
  };

  const Access& access_;
  const LinearForms& forms_;
  FormProgram program_;
  bool isKnown_ = false;
  std::optional<FormProgram::Expression> address_;
  std::vector<FormProgram::Expression> zeros_;
  std::vector<Test> tests_;
  std::vector<Interval> intervals_;  // of the unknowns
  std::vector<std::int64_t> numbers_;
  std::uint64_t tried_ = 1;
};

}  // namespace

std::optional<ThreadAddresses> ThreadAddresses::of(const Access& access, std::uint64_t& budget) {
  const auto& block = access.origin->shape().block;
  if (!block || access.isCollective || access.size == 0 || access.address == kNone) {
    return std::nullopt;
  }
  const std::uint64_t threads = std::uint64_t{(*block)[0]} * (*block)[1] * (*block)[2];
  if (threads > kMostThreads) return std::nullopt;

  const LinearForms& forms = access.origin->forms();
  const Form form = forms.form(access.address);
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
  Program program(access, sharedLeaves);
  if (!program.isKnown() || program.work() * threads > budget) return std::nullopt;
  budget -= program.work() * threads;

  for (std::uint32_t first = 0; first < threads; first += isa::kWarpSize) {
    const WarpOfThreads warp(*block, first / isa::kWarpSize);
    const auto note = [&](std::size_t lane, std::uint64_t address) {
      const std::int64_t offset = signedResidue(address, made.bits_);
      if (offset < -kMostDistance || offset > kMostDistance) return false;
      made.slots_.push_back(static_cast<std::uint64_t>(offset + kMostDistance) << kThreadBits |
                            (first + lane));
      return true;
    };
    if (!program.forEachAddress(warp, lanesInside(warp, access.thread), note)) return std::nullopt;
  }
  std::ranges::sort(made.slots_);
  made.slots_.erase(std::unique(made.slots_.begin(), made.slots_.end()), made.slots_.end());
  return made;
}

bool ThreadAddresses::isSeparateFrom(const ThreadAddresses& other, Threads threads) const {
  if (origin_ != other.origin_ || bits_ != other.bits_ || shared_ != other.shared_) return false;
  const auto mayMeet = [&](std::uint32_t a, std::uint32_t b) {
    return threads == Threads::DifferentWarps ? a / isa::kWarpSize != b / isa::kWarpSize : a != b;
  };
  // Those of the other one that can overlap make a window that moves on.
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
