// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "epochs.h"

#include <algorithm>

namespace ptxopt::fuzz {

namespace {

constexpr std::size_t kWarp = 32;

// Do two threads that `pair` allows touch a common byte?
template <class Pair>
bool meet(const Access& a, const Access& b, Pair&& pair) {
  if (a.array != b.array || !a.certain() || !b.certain()) return false;
  for (std::size_t s = 0; s < a.offsets.size(); ++s) {
    if (a.offsets[s] == kNotExecuted) continue;
    for (std::size_t t = 0; t < b.offsets.size(); ++t) {
      if (b.offsets[t] == kNotExecuted || !pair(s, t)) continue;
      const bool apart = a.offsets[s] + static_cast<std::int32_t>(a.width) <= b.offsets[t] ||
                         b.offsets[t] + static_cast<std::int32_t>(b.width) <= a.offsets[s];
      if (!apart) return true;
    }
  }
  return false;
}

bool conflict(const Access& a, const Access& b, bool acrossWarps) {
  if (!a.writes && !b.writes) return false;
  return meet(a, b, [&](std::size_t s, std::size_t t) {
    return acrossWarps ? s / kWarp != t / kWarp : s != t;
  });
}

}  // namespace

std::uint32_t SlotMap::at(std::uint32_t thread, std::uint32_t size) const {
  switch (kind) {
    case Kind::Identity:
      return thread;
    case Kind::Xor:
      return thread ^ amount;
    case Kind::Rotate:
      return (thread + amount) % size;
    case Kind::Reverse:
      return size - 1 - thread;
  }
  return thread;
}

bool compatible(const Usage& a, const Usage& b) {
  if (a.mode == Mode::Idle || b.mode == Mode::Idle) return true;
  if (a.mode == Mode::Mixed || b.mode == Mode::Mixed) return false;
  const auto onlyReads = [](const Usage& usage) {
    return !usage.writes && usage.mode != Mode::Atomic && usage.mode != Mode::Warp;
  };
  if (onlyReads(a) && onlyReads(b)) return true;
  if (a.mode != b.mode) return false;
  switch (a.mode) {
    case Mode::Own:
      return a.map == b.map;
    case Mode::Leader:
      return a.leader == b.leader;
    default:
      return true;
  }
}

Usage combine(const Usage& a, const Usage& b) {
  if (a.mode == Mode::Idle) return b;
  if (b.mode == Mode::Idle) return a;
  if (b.mode == Mode::Mixed) return b;
  Usage result = a;
  result.writes = a.writes || b.writes;
  const bool same = a.mode == b.mode && a.map == b.map && a.leader == b.leader;
  if (!same) result.mode = Mode::Read;
  return result;
}

bool Epochs::isIdle() const {
  return std::all_of(usages_.begin(), usages_.end(),
                     [](const Usage& usage) { return usage.mode == Mode::Idle; });
}

bool Epochs::allows(std::size_t array, const Usage& usage) const {
  return compatible(usages_[array], usage);
}

void Epochs::enter(std::size_t array, const Usage& usage) {
  usages_[array] = combine(usages_[array], usage);
  for (Loop& loop : loops_) {
    if (loop.separated) continue;
    Usage& first = loop.first[array];
    if (compatible(first, usage)) {
      first = combine(first, usage);
    } else {
      first.mode = Mode::Mixed;
    }
  }
}

void Epochs::separate(std::optional<std::size_t> line) {
  closeBarrier();
  if (isCertain() && line) open_ = Barrier{*line, tainted_, warpsMet_, since_, {}};
  tainted_ = false;
  warpsMet_ = false;
  since_.clear();
  std::fill(usages_.begin(), usages_.end(), Usage{});
  for (Loop& loop : loops_) {
    if (loop.uncertain == uncertain_) loop.separated = true;
  }
}

void Epochs::closeBarrier() {
  if (!open_) return;
  const Barrier& barrier = *open_;
  const bool acrossWarps = barrier.warpsMet || warpsMet_;
  const bool needed =
      std::any_of(barrier.above.begin(), barrier.above.end(), [&](const Access& above) {
        return std::any_of(barrier.below.begin(), barrier.below.end(), [&](const Access& below) {
          return conflict(above, below, acrossWarps);
        });
      });
  if (needed && !barrier.tainted && !tainted_) claims_.barriers.push_back(barrier.line);
  open_.reset();
}

void Epochs::record(Access access, std::optional<std::size_t> line, bool shows) {
  if (!isCertain()) access.offsets.clear();
  std::optional<Store>& last = lastStores_[access.array];
  const auto anyPair = [](std::size_t, std::size_t) { return true; };
  if (!access.writes && shows && last && meet(last->access, access, anyPair)) {
    claims_.stores.push_back(last->line);
    last.reset();
  }
  if (access.writes) {
    last.reset();
    if (line && access.certain()) last = Store{*line, access};
  }
  if (!access.certain()) return;
  if (open_) open_->below.push_back(access);
  since_.push_back(std::move(access));
}

void Epochs::beginLoop() {
  loops_.push_back({std::vector<Usage>(usages_.size()), false, uncertain_});
}

bool Epochs::endLoop() {
  const Loop loop = std::move(loops_.back());
  loops_.pop_back();
  for (std::size_t k = 0; k < usages_.size(); ++k) {
    if (!compatible(loop.first[k], usages_[k])) return false;
  }
  return true;
}

Claims Epochs::finish() {
  closeBarrier();
  return std::move(claims_);
}

}  // namespace ptxopt::fuzz
