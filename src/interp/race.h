// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Detects data races by happens-before, exactly for each byte.
//
// Vector clocks with epochs in the style of FastTrack (Flanagan and Freund, PLDI 2009): a location
// remembers its last weak write as one (agent, clock) pair, and its reads as one pair if they are
// ordered, as a set if they are not.  Strong accesses (docs/soundness/ A2.9) do not race with each
// other while their scopes include both threads.  They create order by release and acquire
// patterns, including fences (A3.3).  A CTA barrier joins the clocks of the threads that take part
// (A1.6).
//
// An agent is a thread, or the asynchronous copies of a thread (A6.1): no other agent, not even
// thread t, is ordered after agent `threads + t` until t has waited.
//
// A weak access costs O(1) if readers are ordered, otherwise O(warps that read); a barrier costs
// O(threads of the CTA), and more only for the clocks of other agents that some of them have
// learnt.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interp/program.h"

namespace ptxopt::interp {

using AgentId = std::uint32_t;

// The levels of scopes: a CTA, a cluster, everything (gpu and sys are equal: there is one GPU).
inline constexpr std::size_t kScopeLevels = 3;
std::size_t levelOf(isa::Scope scope);

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
  bool excludes(isa::Scope scope, AgentId one, AgentId other) const;
};

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
  // Each clock becomes the larger one.  O(chunks, and agents of the chunks that differ).
  void merge(const ClockVector& other);
  void raise(AgentId agent, std::uint32_t clock);

 private:
  struct Part {
    std::size_t index = 0;
    std::shared_ptr<Chunk> clocks;  // never written while it is shared
  };

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

  std::vector<Part> parts_;  // ascending
};
using ClockRef = std::shared_ptr<const ClockVector>;

// Everything that `agent` had done, or was ordered after, at its clock `own`.
struct Snapshot {
  ClockRef base;
  AgentId agent = 0;
  std::uint32_t own = 0;
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
  void learn(const Snapshot& snapshot);
  void learn(const ClockRef& clocks);
  // A snapshot of what this thread did until now; its later operations are not part of it.
  Snapshot release() { return {base_, agent_, own_++}; }
  void setBase(ClockRef base) { base_ = std::move(base); }
  const ClockRef& base() const { return base_; }

  // The last release fence of each level or above, and the snapshots that relaxed reads saw since
  // the last acquire fence, by the level of the fence that acquires them.
  std::array<std::vector<Snapshot>, kScopeLevels> released;
  std::array<std::vector<Snapshot>, kScopeLevels> seen;
  std::uint32_t copies = 0;  // the clock of this thread's asynchronous copies

 private:
  ClockRef base_;
  AgentId agent_ = 0;
  std::uint32_t own_ = 1;
};

// Joins the clocks of the threads that meet at a barrier.
class ClockJoin {
 public:
  void add(ThreadClock& thread);
  // The joined clock; the collector is empty again.
  ClockRef finish();

 private:
  ClockVector sum_;
  ClockRef lastMerged_;
};

struct Access {
  AgentId agent = 0;  // the agent under which the access is recorded
  std::uint32_t clock = 0;
  const Op* site = nullptr;
  bool writes = false;
  bool isStrong = false;
  isa::Scope scope = isa::Scope::None;
};

struct Race {
  AgentId firstAgent = 0;
  const Op* first = nullptr;
  bool firstWrites = false;
  Access second;
  std::uint64_t offset = 0;
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

// The access history of the bytes of one segment of memory.
class Shadow {
 public:
  explicit Shadow(const Places& places) : places_(&places) {}

  // Checks the access of `size` bytes and records it.  Calls report() at most once.
  void access(std::uint64_t offset, std::uint32_t size, const ThreadClock& view,
              const Access& access, const std::function<void(const Race&)>& report);

  // Release and acquire through a strong access at `offset`.
  ReleaseSet& released(std::uint64_t offset) { return released_[offset]; }
  const ReleaseSet* findReleased(std::uint64_t offset) const;

 private:
  struct Record {
    AgentId agent = 0;
    std::uint32_t clock = 0;  // 0: none
    const Op* site = nullptr;
  };
  // Accesses of lanes of one warp at one clock.
  struct Group {
    std::uint32_t warp = 0;
    std::uint32_t clock = 0;
    std::uint32_t mask = 0;
    bool writes = false;
    isa::Scope scope = isa::Scope::None;
    const Op* site = nullptr;
  };
  struct Sets {
    std::vector<Group> reads;
    std::vector<Group> strong;
  };
  struct Cell {
    Record write;
    Record read;
    std::shared_ptr<Sets> sets;  // its own after a split
  };
  struct Word {
    Cell whole;
    std::unique_ptr<std::array<Cell, 4>> bytes;
  };
  static constexpr std::uint64_t kPageWords = 256;
  using Page = std::array<Word, kPageWords>;

  Word& word(std::uint64_t index);
  bool check(Cell& cell, const ThreadClock& view, const Access& access, Race& race) const;
  static const Group* unknown(const std::vector<Group>& groups, const ThreadClock& view,
                              bool writesOnly);
  static void record(std::vector<Group>& groups, const Access& access);

  const Places* places_;
  std::vector<std::unique_ptr<Page>> pages_;
  std::unordered_map<std::uint64_t, ReleaseSet> released_;
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
