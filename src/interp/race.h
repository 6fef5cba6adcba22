// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of what threads do: vector clocks, and how barriers, fences and strong accesses join
// them (docs/soundness/ A1.6, A3.3).
//
// An agent is a thread, or the asynchronous copies of a thread (A6.1): no other agent, not even
// thread t, is ordered after agent `threads + t` until t has waited.
//
// A barrier costs O(threads of the CTA), and more only for the clocks of other agents that some of
// them have learnt.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "isa/isa.h"

namespace ptxopt::interp {

using AgentId = std::uint32_t;

// The levels of scopes: a CTA, a cluster, everything (gpu and sys are equal: there is one GPU).
inline constexpr std::size_t kScopeLevels = 3;
inline std::size_t levelOf(isa::Scope scope) {
  if (scope == isa::Scope::Cta) return 0;
  return scope == isa::Scope::Cluster ? 1 : 2;
}

// The CTAs and clusters of agents.
struct Places {
  std::uint32_t threadsPerCta = 0;
  std::uint32_t ctas = 0;
  std::vector<std::uint32_t> clusterOfCta;  // empty: every CTA is a cluster

  static constexpr std::uint32_t kNowhere = ~0u;  // an agent that is not a thread
  std::uint32_t ctaOf(AgentId agent) const;
  std::uint32_t clusterOf(std::uint32_t cta) const {
    return clusterOfCta.empty() || cta == kNowhere ? cta : clusterOfCta[cta];
  }
  // The `scope` of an access by `one` does not include `other`.
  bool excludes(isa::Scope scope, AgentId one, AgentId other) const {
    const std::size_t level = levelOf(scope);
    return level + 1 != kScopeLevels && areApart(level, one, other);
  }

 private:
  bool areApart(std::size_t level, AgentId one, AgentId other) const;
};

// How an access reaches memory (PTX ISA 8.6).  An access by the generic proxy that conflicts with a
// later one by another proxy needs a fence between these proxies on the path from one to the other
// (docs/soundness/ A6.2).  Such fences concern shared memory, global memory or tensor maps.
enum class Proxy : std::uint8_t { Generic, AsyncShared, AsyncGlobal, TensorMap };
inline constexpr std::size_t kProxies = 4;
using ProxySet = std::uint8_t;  // a bit for each
constexpr ProxySet setOf(Proxy proxy) {
  return static_cast<ProxySet>(1u << static_cast<unsigned>(proxy));
}

// A clock for each agent, 0 if nothing else is said.  Vectors share the chunks in which they agree:
// a barrier of a CTA touches the chunks of that CTA, whatever the size of the grid.
class ClockVector {
 public:
  static constexpr std::size_t kChunk = 256;  // agents; a warp does not cross chunks
  using Chunk = std::array<std::uint32_t, kChunk>;

  std::uint32_t at(AgentId agent) const {
    const std::size_t at = position(agent / kChunk);
    return isAt(at, agent / kChunk) ? (*parts_[at].clocks)[agent % kChunk] : 0;
  }
  // The clocks of the 32 agents of a warp; null: all are 0.
  const std::uint32_t* ofWarp(std::uint32_t warp) const {
    const std::size_t index = warp / (kChunk / 32);
    const std::size_t at = position(index);
    return isAt(at, index) ? parts_[at].clocks->data() + warp % (kChunk / 32) * 32 : nullptr;
  }
  // The lanes of `mask` in the warp that do not have this clock, which is not 0.
  std::uint32_t lanesBelow(std::uint32_t warp, std::uint32_t mask, std::uint32_t clock) const;
  // Each clock becomes the larger one.  O(chunks, and agents of the chunks that differ).
  void merge(const ClockVector& other);
  // The same for agents from `first` on, or below `end`, a multiple of kChunk, and without what is
  // fenced.
  void mergeFrom(const ClockVector& other, AgentId first);
  void mergeBelow(const ClockVector& other, AgentId end);
  void raise(AgentId agent, std::uint32_t clock);

  // What of it lies before a fence from the generic proxy to this one.  Null: nothing.
  const ClockVector* fenced(Proxy proxy) const {
    return fenced_ != nullptr ? &(*fenced_)[static_cast<std::size_t>(proxy)] : nullptr;
  }
  // All of `before`, and the agent up to its clock `own`, lies before a fence to the proxies.
  void addFenced(ProxySet proxies, const ClockVector* before, AgentId agent, std::uint32_t own);

 private:
  struct Part {
    std::size_t index = 0;
    std::shared_ptr<Chunk> clocks;  // never written while it is shared
  };
  using Fenced = std::array<ClockVector, kProxies>;

  // The first part that is not below `index`.
  std::size_t position(std::size_t index) const {
    if (parts_.empty()) return 0;
    const std::size_t guess = index - parts_.front().index;  // most vectors have no gap
    return isAt(guess, index) ? guess : search(index);
  }
  bool isAt(std::size_t at, std::size_t index) const {
    return at < parts_.size() && parts_[at].index == index;
  }
  std::size_t search(std::size_t index) const;
  static void mergeChunk(std::shared_ptr<Chunk>& mine, const std::shared_ptr<Chunk>& theirs);
  void mergeParts(std::span<const Part> other);

  std::vector<Part> parts_;         // ascending
  std::shared_ptr<Fenced> fenced_;  // never written while it is shared; null: there was no fence
};
using ClockRef = std::shared_ptr<const ClockVector>;

// Everything that `agent` had done, or was ordered after, at its clock `own`.
struct Snapshot {
  ClockRef base;
  AgentId agent = 0;
  std::uint32_t own = 0;
};

// The last result of ThreadClock::learn(): threads that knew the same before share it.
struct LearnMemo {
  ClockRef before;
  Snapshot snapshot;
  ClockRef after;  // null: there was none
};

class ThreadClock {
 public:
  void start(AgentId agent) { agent_ = agent; }
  AgentId agent() const { return agent_; }
  std::uint32_t own() const { return own_; }
  bool knows(AgentId agent, std::uint32_t clock) const {
    if (agent == agent_) return true;
    return base_ != nullptr && base_->at(agent) >= clock;
  }
  // The lanes of `mask` in the warp of which it does not know `clock`, which is not 0.
  std::uint32_t unknownLanes(std::uint32_t warp, std::uint32_t mask, std::uint32_t clock) const;
  void learn(const Snapshot& snapshot);
  // The same, quick if `last` is that of a thread which knew the same.
  void learn(const Snapshot& snapshot, LearnMemo& last);
  void learn(const ClockRef& clocks);
  // What it knows, and what it did, now lies before a fence to these proxies.
  void fence(ProxySet proxies);
  // The same for what it did and a part of what it knows.
  void fence(ProxySet proxies, ClockRef part);
  // A snapshot of what this thread did until now; its later operations are not part of it.
  Snapshot release() {
    if (proxyFence_) addFence();
    return {base_, agent_, own_++};
  }
  // What this thread and others joined.
  void setBase(ClockRef base) {
    base_ = std::move(base);
    proxyFence_.reset();
  }
  const ClockRef& base() const { return base_; }

 private:
  friend class ClockJoin;
  friend class ProxyView;

  // Its last fence between proxies.  What the thread itself does later does not depend on it,
  // unless it is an access by another proxy; so threads that knew the same still do after a fence.
  struct ProxyFence {
    ProxySet proxies = 0;
    ClockRef base;  // what it knew
    std::uint32_t own = 0;
  };
  void addFence();  // to its base

  ClockRef base_;  // without that fence
  std::optional<ProxyFence> proxyFence_;
  AgentId agent_ = 0;
  std::uint32_t own_ = 1;

 public:
  std::uint32_t copies = 0;  // the clock of this thread's asynchronous copies
  // The last release fence of each level or above, and the snapshots that relaxed reads saw since
  // the last acquire fence, by the level of the fence that acquires them.
  std::array<std::optional<Snapshot>, kScopeLevels> released;
  std::array<std::vector<Snapshot>, kScopeLevels> seen;
};

// What an access by a proxy comes after: generic accesses that the thread knows by paths with a
// fence, and all that it knows of the agents from `firstAsync` on, a multiple of
// ClockVector::kChunk, which access memory by such a proxy themselves.
class ProxyView {
 public:
  // O(1) where the thread knows the same as that of the last call, which was for this proxy too.
  const ThreadClock& of(const ThreadClock& thread, Proxy proxy, AgentId firstAsync);
  const ThreadClock& last() const { return known_; }

 private:
  Snapshot last_;  // of the thread: its base, and its last fence if that is not in the base
  ThreadClock known_;
};

// Looks up clocks, quickly if several in a row are of one warp and in one vector.  To be used while
// no clock changes.
class KnownClocks {
 public:
  // Whether the agent has at least this clock, which is not 0, in the vector; null: it has none.
  bool reaches(const ClockVector* base, AgentId agent, std::uint32_t clock) {
    if (base == nullptr) return false;
    if (base != base_ || agent / 32 != warp_) {
      base_ = base;
      warp_ = agent / 32;
      clocks_ = base->ofWarp(warp_);
    }
    return clocks_ != nullptr && clocks_[agent % 32] >= clock;
  }

 private:
  const ClockVector* base_ = nullptr;
  std::uint32_t warp_ = 0;
  const std::uint32_t* clocks_ = nullptr;  // of the warp; null: all are 0
};

// Joins the clocks of the threads that meet at a barrier.
class ClockJoin {
 public:
  void add(ThreadClock& thread);
  void add(const Snapshot& snapshot);
  // The joined clock; the collector is empty again.
  ClockRef finish();

 private:
  ClockVector sum_;
  ClockRef lastMerged_;
  ClockRef lastFenced_;
  ProxySet lastProxies_ = 0;
};

// The CTA and the cluster of a thread.
struct Home {
  std::uint32_t cta = 0;
  std::uint32_t cluster = 0;
};

// The snapshots released at a location: to a CTA, to a cluster, to everything.
struct ReleaseSet {
  std::array<std::vector<Snapshot>, kScopeLevels> at;
  Home home{~0u, ~0u};  // the CTA and cluster of the first two levels
};

// The effect of fences and strong accesses on the clocks of a thread.
void fence(ThreadClock& thread, isa::Semantics semantics, isa::Scope scope);
// A fence.sc synchronises with the later ones whose scopes include it (PTX ISA 8.9.4); the order in
// which they run is the Fence-SC order.  `earlier`: the releases of the fences so far.
void fenceSc(ThreadClock& thread, isa::Scope scope, ClockRef& earlier);
// `readModifyWrite`: earlier releases at the location remain.
void strongWrite(ThreadClock& thread, ReleaseSet& location, const Home& home,
                 isa::Semantics semantics, isa::Scope scope, bool readModifyWrite);
void strongRead(ThreadClock& thread, const ReleaseSet* location, const Home& home,
                isa::Semantics semantics, isa::Scope scope);

}  // namespace ptxopt::interp
