#include "analysis/thread_addresses.h"

#include <algorithm>

#include "analysis/form_program.h"

namespace ptxopt::analysis {

namespace {

constexpr std::uint32_t kMostThreads = 1024;
// Differences of smaller numbers do not wrap.
constexpr std::int64_t kMostDistance = std::int64_t{1} << 28;

// A form that is a function of the thread id alone.
class OfThread {
 public:
  OfThread(const Addresses& addresses, FormId form, std::span<const LeafId> without)
      : program_(addresses), expression_(program_.add(form, without)) {}

  // The lane of a thread is no promise of the instruction set.
  bool isKnown() const {
    return expression_ && program_.unknowns().empty() && !program_.dependsOnLane();
  }
  std::size_t size() const { return program_.size(); }
  // None where something is not defined.
  std::optional<std::uint64_t> at(const FormProgram::Thread& thread) {
    if (!program_.run(thread, {})) return std::nullopt;
    return program_.residueOf(*expression_);
  }
  // Of the last thread.
  bool fits(const std::pair<LeafId, Interval>& restriction) const {
    const std::optional<std::int64_t> number = program_.numberOf(restriction.first);
    return !number || restriction.second.contains(*number);
  }

 private:
  FormProgram program_;
  std::optional<FormProgram::Expression> expression_;
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
  OfThread address(*access.origin, access.address, sharedLeaves);
  if (!address.isKnown()) return std::nullopt;
  std::vector<OfThread> zeros;
  std::uint64_t work = address.size();
  for (const FormId zero : access.zeros) {
    OfThread value(*access.origin, zero, {});
    if (!value.isKnown()) continue;
    work += value.size();
    zeros.push_back(std::move(value));
  }
  work *= threads;
  if (work > budget) return std::nullopt;
  budget -= work;

  FormProgram::Thread thread;
  thread.block = *block;
  auto& [x, y, z] = thread.id;
  const auto mayGetThere = [&] {
    for (std::size_t k = 0; k < 3; ++k) {
      if (!access.thread[k].contains(thread.id[k])) return false;
    }
    return std::ranges::all_of(zeros, [&](OfThread& zero) {
      const std::optional<std::uint64_t> number = zero.at(thread);
      return !number || *number == 0;
    });
  };
  std::uint32_t linear = 0;
  for (z = 0; z < (*block)[2]; ++z) {
    for (y = 0; y < (*block)[1]; ++y) {
      for (x = 0; x < (*block)[0]; ++x, ++linear) {
        if (!mayGetThere()) continue;
        const std::optional<std::uint64_t> number = address.at(thread);
        if (!number) return std::nullopt;
        const bool fits = std::ranges::all_of(
            access.restrictions, [&](const auto& known) { return address.fits(known); });
        if (!fits) continue;
        const std::int64_t offset = signedResidue(*number, made.bits_);
        if (offset < -kMostDistance || offset > kMostDistance) return std::nullopt;
        made.slots_.push_back({offset, linear});
      }
    }
  }
  std::ranges::sort(made.slots_, {}, &Slot::address);
  return made;
}

bool ThreadAddresses::isSeparateFrom(const ThreadAddresses& other, Threads threads) const {
  if (origin_ != other.origin_ || bits_ != other.bits_ || shared_ != other.shared_) return false;
  const auto mayMeet = [&](std::uint32_t a, std::uint32_t b) {
    return threads == Threads::DifferentWarps ? a / isa::kWarpSize != b / isa::kWarpSize : a != b;
  };
  // Those of the other one that can overlap make a window that moves on.
  std::size_t first = 0;
  for (const Slot& slot : slots_) {
    const auto& others = other.slots_;
    while (first < others.size() && others[first].address + other.size_ <= slot.address) ++first;
    for (std::size_t k = first; k < others.size() && others[k].address < slot.address + size_;
         ++k) {
      if (mayMeet(slot.thread, others[k].thread)) return false;
    }
  }
  return true;
}

}  // namespace ptxopt::analysis
