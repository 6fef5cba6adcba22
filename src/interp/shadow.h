// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Detects data races by happens-before, exactly for each byte.
//
// Epochs in the style of FastTrack (Flanagan and Freund, PLDI 2009): a location remembers its last
// weak write as one (agent, clock) pair, and its reads as one pair if they are ordered, as a set if
// they are not.  Strong accesses (docs/soundness/ A2.9) do not race with each other while their
// scopes include both threads.  They create order by release and acquire patterns, including fences
// (A3.3).  A CTA barrier joins the clocks of the threads that take part (A1.6).
//
// A weak access costs O(1) if readers are ordered.  If they are not, a write costs O(warps that
// read), and a read as much for the first lane of a warp that has read before.  Four bytes that are
// only accessed together take 32 bytes, so that the history of what a CTA works on stays in the
// caches; sets are apart, and are used again.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "interp/race.h"

namespace ptxopt::interp {

// The number of an instruction in its program.
using Site = std::uint32_t;

struct Access {
  AgentId agent = 0;  // the agent under which the access is recorded
  std::uint32_t clock = 0;
  Site site = 0;
  bool writes = false;
  bool isStrong = false;
  isa::Scope scope = isa::Scope::None;
};

struct Race {
  AgentId firstAgent = 0;
  Site first = 0;
  bool firstWrites = false;
  std::uint64_t offset = 0;
};

// The access history of the bytes of one segment of memory.
class Shadow {
 public:
  explicit Shadow(const Places& places) : places_(&places) {}

  // Checks the access of `size` bytes and records it.  True if it races; `race` is the first one.
  bool access(std::uint64_t offset, std::uint32_t size, const ThreadClock& view,
              const Access& access, Race& race);

  // Release and acquire through a strong access at `offset`.
  ReleaseSet& released(std::uint64_t offset) { return released_[offset]; }
  const ReleaseSet* findReleased(std::uint64_t offset) const;

 private:
  struct Record {
    AgentId agent = 0;
    std::uint32_t clock = 0;  // 0: none
    Site site = 0;
  };
  // Accesses of lanes of one warp at one clock.
  struct Group {
    std::uint32_t warp = 0;
    std::uint32_t clock = 0;
    std::uint32_t mask = 0;
    Site site = 0;
    bool writes = false;
    isa::Scope scope = isa::Scope::None;
  };
  class Groups {
   public:
    // A newer access of a lane replaces older ones.
    void record(const Access& access);
    // The first one of which `view` does not know all.
    const Group* unknown(const ThreadClock& view, bool writesOnly) const;
    const std::vector<Group>& list() const { return list_; }
    void clear();

   private:
    bool mayHave(std::uint32_t warp) const { return warp < end_ && (warps_ >> warp % 64 & 1) != 0; }
    void push(const Access& access);

    std::vector<Group> list_;
    std::uint64_t warps_ = 0;      // a bit for each warp with a group, modulo 64
    std::uint32_t end_ = 0;        // after all warps with a group
    std::uint32_t last_ = 0;       // the group of the last access
    std::uint32_t otherMask_ = 0;  // of the other groups of that warp
  };
  struct Sets {
    Groups reads;
    Groups strong;
  };
  // Of a word, or of one of its bytes.
  struct Cell {
    Record write;
    Record read;
    std::uint32_t sets = 0;   // in sets_; 0: none
    std::uint32_t bytes = 0;  // of a word: in bytes_; 0: all its bytes were accessed together
  };
  static_assert(sizeof(Cell) == 32);
  static constexpr std::uint64_t kPageWords = 256;
  using Page = std::array<Cell, kPageWords>;

  Cell& word(std::uint64_t index);
  std::array<Cell, 4>& split(Cell& word);
  bool check(Cell& cell, const ThreadClock& view, const Access& access, Race& race);
  bool mayConflict(const Cell& cell, const ThreadClock& view, const Access& access) const;
  bool findConflict(const Cell& cell, const ThreadClock& view, const Access& access,
                    Race& race) const;
  void record(Cell& cell, const ThreadClock& view, const Access& access);
  Sets& setsOf(Cell& cell);  // makes them if there are none
  void drop(std::uint32_t& sets);

  const Places* places_;
  std::vector<std::unique_ptr<Page>> pages_;
  std::deque<std::array<Cell, 4>> bytes_;
  std::vector<Sets> sets_;
  std::vector<std::uint32_t> freeSets_;
  std::unordered_map<std::uint64_t, ReleaseSet> released_;
};

}  // namespace ptxopt::interp
