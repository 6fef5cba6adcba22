// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/race.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace ptxopt::interp {

namespace {

void mergeInto(ClockVector& sum, const ClockRef& other) {
  if (other != nullptr) sum.merge(*other);
}

// Before it is written.
template <class Shared>
void makeOwn(std::shared_ptr<Shared>& part) {
  if (part.use_count() != 1) part = std::make_shared<Shared>(*part);
}

// Both are in the order of the agents.
void add(std::vector<Snapshot>& set, std::span<const Snapshot> more) {
  auto at = set.begin();
  for (const Snapshot& snapshot : more) {
    at = std::lower_bound(at, set.end(), snapshot.agent,
                          [](const Snapshot& old, AgentId agent) { return old.agent < agent; });
    // A later release of the same thread includes the earlier one.
    if (at == set.end() || at->agent != snapshot.agent) {
      at = set.insert(at, snapshot);
    } else if (at->own < snapshot.own) {
      *at = snapshot;
    }
  }
}

bool releases(isa::Semantics semantics) {
  return semantics == isa::Semantics::Release || semantics == isa::Semantics::AcqRel ||
         semantics == isa::Semantics::Sc;
}
bool acquires(isa::Semantics semantics) {
  return semantics == isa::Semantics::Acquire || semantics == isa::Semantics::AcqRel ||
         semantics == isa::Semantics::Sc;
}

}  // namespace

// ---- clocks -------------------------------------------------------------------------------------

std::size_t ClockVector::search(std::size_t index) const {
  const auto at =
      std::lower_bound(parts_.begin(), parts_.end(), index,
                       [](const Part& part, std::size_t wanted) { return part.index < wanted; });
  return static_cast<std::size_t>(at - parts_.begin());
}

std::uint32_t ClockVector::lanesBelow(std::uint32_t warp, std::uint32_t mask,
                                      std::uint32_t clock) const {
  const std::uint32_t* const clocks = ofWarp(warp);
  if (clocks == nullptr) return mask;
  std::uint32_t below = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    if (clocks[std::countr_zero(rest)] < clock) below |= rest & (0 - rest);
  }
  return below;
}

void ClockVector::mergeChunk(std::shared_ptr<Chunk>& mine, const std::shared_ptr<Chunk>& theirs) {
  if (mine == theirs) return;
  Chunk sum;
  for (std::size_t k = 0; k < kChunk; ++k) sum[k] = std::max((*mine)[k], (*theirs)[k]);
  if (sum == *mine) return;
  if (sum == *theirs) {
    mine = theirs;
  } else if (mine.use_count() == 1) {
    *mine = sum;
  } else {
    mine = std::make_shared<Chunk>(sum);
  }
}

void ClockVector::merge(const ClockVector& other) {
  mergeParts(other.parts_);
  if (other.fenced_ == nullptr || other.fenced_ == fenced_) return;
  if (fenced_ == nullptr) {
    fenced_ = other.fenced_;
    return;
  }
  makeOwn(fenced_);
  for (std::size_t k = 0; k < kProxies; ++k) {
    (*fenced_)[k].mergeParts((*other.fenced_)[k].parts_);
  }
}

void ClockVector::mergeFrom(const ClockVector& other, AgentId first) {
  mergeParts(std::span(other.parts_).subspan(other.position(first / kChunk)));
}

void ClockVector::mergeBelow(const ClockVector& other, AgentId end) {
  mergeParts(std::span(other.parts_).first(other.position(end / kChunk)));
}

void ClockVector::mergeParts(std::span<const Part> other) {
  std::size_t common = 0;
  for (const Part& part : other) {
    const std::size_t at = position(part.index);
    if (!isAt(at, part.index)) continue;
    mergeChunk(parts_[at].clocks, part.clocks);
    ++common;
  }
  if (common == other.size()) return;
  std::vector<Part> sum;
  sum.reserve(parts_.size() + other.size() - common);
  std::set_union(std::make_move_iterator(parts_.begin()), std::make_move_iterator(parts_.end()),
                 other.begin(), other.end(), std::back_inserter(sum),
                 [](const Part& a, const Part& b) { return a.index < b.index; });
  parts_ = std::move(sum);
}

void ClockVector::addFenced(ProxySet proxies, const ClockVector* before, AgentId agent,
                            std::uint32_t own) {
  if (fenced_ == nullptr) fenced_ = std::make_shared<Fenced>();
  makeOwn(fenced_);
  for (std::size_t k = 0; k < kProxies; ++k) {
    if ((proxies >> k & 1) == 0) continue;
    if (before != nullptr) (*fenced_)[k].mergeParts(before->parts_);
    (*fenced_)[k].raise(agent, own);
  }
}

void ClockVector::raise(AgentId agent, std::uint32_t clock) {
  const std::size_t index = agent / kChunk;
  const std::size_t at = position(index);
  if (!isAt(at, index)) {
    const auto place = parts_.begin() + static_cast<std::ptrdiff_t>(at);
    parts_.insert(place, {index, std::make_shared<Chunk>()});
  }
  std::shared_ptr<Chunk>& clocks = parts_[at].clocks;
  if ((*clocks)[agent % kChunk] >= clock) return;
  makeOwn(clocks);
  (*clocks)[agent % kChunk] = clock;
}

std::uint32_t ThreadClock::unknownLanes(std::uint32_t warp, std::uint32_t mask,
                                        std::uint32_t clock) const {
  if (agent_ / 32 == warp) mask &= ~(1u << agent_ % 32);
  return base_ != nullptr ? base_->lanesBelow(warp, mask, clock) : mask;
}

void ThreadClock::learn(const Snapshot& snapshot) {
  // Who knows that clock has it from this snapshot or a later one, and knows its base too.
  if (knows(snapshot.agent, snapshot.own)) return;
  auto sum = std::make_shared<ClockVector>();
  mergeInto(*sum, base_);
  mergeInto(*sum, snapshot.base);
  sum->raise(snapshot.agent, snapshot.own);
  base_ = std::move(sum);
}

void ThreadClock::learn(const Snapshot& snapshot, LearnMemo& last) {
  if (snapshot.agent == agent_) return;
  const Snapshot& same = last.snapshot;
  const bool isSame = last.after != nullptr && last.before == base_ && same.base == snapshot.base &&
                      same.agent == snapshot.agent && same.own == snapshot.own;
  if (!isSame) {
    last = {base_, snapshot, nullptr};
    learn(snapshot);
    last.after = base_;
  }
  base_ = last.after;
}

void ThreadClock::learn(const ClockRef& clocks) {
  if (clocks == nullptr || clocks == base_) return;
  auto sum = std::make_shared<ClockVector>();
  mergeInto(*sum, base_);
  mergeInto(*sum, clocks);
  base_ = std::move(sum);
}

void ThreadClock::fence(ProxySet proxies) {
  // A later fence covers what an earlier one did, but perhaps not all of its proxies.
  if (proxyFence_ && (proxyFence_->proxies & ~proxies) != 0) addFence();
  proxyFence_ = {proxies, base_, own_++};
}

void ThreadClock::fence(ProxySet proxies, ClockRef part) {
  if (proxyFence_) addFence();
  proxyFence_ = {proxies, std::move(part), own_++};
}

void ThreadClock::addFence() {
  auto sum = std::make_shared<ClockVector>();
  mergeInto(*sum, base_);
  sum->addFenced(proxyFence_->proxies, proxyFence_->base.get(), agent_, proxyFence_->own);
  base_ = std::move(sum);
  proxyFence_.reset();
}

const ThreadClock& ProxyView::of(const ThreadClock& thread, Proxy proxy, AgentId firstAsync) {
  const auto& fence = thread.proxyFence_;
  const Snapshot last{thread.base_, thread.agent_, fence ? fence->own : 0};
  const bool isSame = last_.base != nullptr && last_.base == last.base && last_.own == last.own &&
                      (last.own == 0 || last_.agent == last.agent);
  if (isSame) return known_;
  last_ = last;
  auto sum = std::make_shared<ClockVector>();
  if (const ClockVector* const base = last.base.get()) {
    if (const ClockVector* const fenced = base->fenced(proxy)) sum->merge(*fenced);
    // Only a fence orders tensor maps, also those that tensormap.cp_fenceproxy wrote.
    if (proxy != Proxy::TensorMap) sum->mergeFrom(*base, firstAsync);
  }
  if (fence && (fence->proxies & setOf(proxy)) != 0) {
    if (fence->base != nullptr) sum->mergeFrom(*fence->base, 0);
    sum->raise(thread.agent_, fence->own);
  }
  known_.start(Places::kNowhere);
  known_.setBase(std::move(sum));
  return known_;
}

void ClockJoin::add(ThreadClock& thread) {
  if (thread.base() != lastMerged_) {
    mergeInto(sum_, thread.base());
    lastMerged_ = thread.base();
  }
  if (const auto& fence = thread.proxyFence_) {
    // The threads of a CTA mostly knew the same.
    const bool isMerged = fence->base == lastFenced_ && (fence->proxies & ~lastProxies_) == 0;
    sum_.addFenced(fence->proxies, isMerged ? nullptr : fence->base.get(), thread.agent_,
                   fence->own);
    lastFenced_ = fence->base;
    lastProxies_ = fence->proxies;
  }
  sum_.raise(thread.agent_, thread.own_++);
}

void ClockJoin::add(const Snapshot& snapshot) {
  mergeInto(sum_, snapshot.base);
  sum_.raise(snapshot.agent, snapshot.own);
}

ClockRef ClockJoin::finish() {
  lastMerged_ = nullptr;
  lastFenced_ = nullptr;
  return std::make_shared<const ClockVector>(std::exchange(sum_, {}));
}

// ---- strong accesses and fences -----------------------------------------------------------------

std::uint32_t Places::ctaOf(AgentId agent) const {
  const std::uint32_t padded = (threadsPerCta + 31) / 32 * 32;  // each CTA begins with a new warp
  const std::uint32_t cta = agent / padded;
  if (cta < ctas) return cta;
  return cta < 2 * ctas ? cta - ctas : kNowhere;  // the copies of a thread belong to its CTA
}

bool Places::areApart(std::size_t level, AgentId one, AgentId other) const {
  const std::uint32_t a = ctaOf(one);
  const std::uint32_t b = ctaOf(other);
  if (a == kNowhere || b == kNowhere) return false;
  return level == 0 ? a != b : clusterOf(a) != clusterOf(b);
}

void fence(ThreadClock& thread, isa::Semantics semantics, isa::Scope scope) {
  const std::size_t level = levelOf(scope);
  if (acquires(semantics)) {
    for (std::size_t k = 0; k <= level; ++k) {
      for (const Snapshot& snapshot : thread.seen[k]) thread.learn(snapshot);
      thread.seen[k].clear();
    }
  }
  if (releases(semantics)) {
    const Snapshot snapshot = thread.release();
    for (std::size_t k = 0; k <= level; ++k) thread.released[k] = snapshot;
  }
}

void fenceSc(ThreadClock& thread, isa::Scope scope, ClockRef& earlier) {
  thread.learn(earlier);
  fence(thread, isa::Semantics::Sc, scope);
  auto sum = std::make_shared<ClockVector>();
  mergeInto(*sum, thread.base());
  const Snapshot& released = *thread.released[0];
  sum->raise(released.agent, released.own);
  earlier = std::move(sum);
}

void strongWrite(ThreadClock& thread, ReleaseSet& location, const Home& home,
                 isa::Semantics semantics, isa::Scope scope, bool readModifyWrite) {
  if (!readModifyWrite) location = {};
  if (location.home.cta != home.cta) location.at[0].clear();
  if (location.home.cluster != home.cluster) location.at[1].clear();
  location.home = home;
  const std::size_t level = levelOf(scope);
  if (releases(semantics)) {
    const Snapshot snapshot = thread.release();
    for (std::size_t k = 0; k <= level; ++k) add(location.at[k], {&snapshot, 1});
    return;
  }
  for (std::size_t k = 0; k <= level; ++k) {
    if (thread.released[k]) add(location.at[k], {&*thread.released[k], 1});
  }
}

void strongRead(ThreadClock& thread, const ReleaseSet* location, const Home& home,
                isa::Semantics semantics, isa::Scope scope) {
  if (location == nullptr) return;
  const bool isSame[kScopeLevels] = {location->home.cta == home.cta,
                                     location->home.cluster == home.cluster, true};
  for (std::size_t k = 0; k <= levelOf(scope); ++k) {
    if (!isSame[k]) continue;
    if (acquires(semantics)) {
      for (const Snapshot& snapshot : location->at[k]) thread.learn(snapshot);
    } else {
      add(thread.seen[k], location->at[k]);
    }
  }
}

}  // namespace ptxopt::interp
