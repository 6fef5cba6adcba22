// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Detects data races by happens-before, exactly for each byte.
//
// Epochs in the style of FastTrack (Flanagan and Freund, PLDI 2009): a location remembers its last
// weak write as one (agent, clock) pair, and its reads as one pair if they are ordered, as a set if
// they are not.  Strong accesses (docs/soundness/ A2.9) do not race with each other while their
// scopes include both threads.  They create order by release and acquire patterns, including fences
// (A3.3), and a strong write comes before what follows its observers (A4.3).  A CTA barrier joins
// the clocks of the threads that take part (A1.6).
//
// A weak access costs O(1) if readers are ordered.  If they are not, a write costs O(warps that
// read), and a read as much for the first lane of a warp that has read before.  Four bytes that are
// only accessed together take 32 bytes, so that the history of what a CTA works on stays in the
// caches; sets are apart, and are used again.
//
// Most reads are by a warp whose lanes read the same bytes, or neighbours those of a line one after
// the other.  Such a read costs O(1) for the warp: it is noted for the line, and goes into the
// history of each word only before an access of another kind to that line.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interp/accesses.h"
#include "interp/race.h"
#include "interp/strong_writes.h"

namespace ptxopt::interp {

struct Race {
  AgentId firstAgent = 0;
  std::uint32_t firstClock = 0;
  Site first = 0;
  bool firstWrites = false;
  bool isInPart = false;  // both are strong, but not to the same bytes
  std::uint64_t offset = 0;
};

// The same weak access of threads of a warp, in ascending order, each to bytes of its own choice.
struct WarpAccess {
  Access access;  // but for the agents and their clocks
  std::uint32_t size = 0;
  std::span<const std::uint64_t> offsets;
  std::span<const ThreadClock* const> views;  // of each thread
  // The threads are neighbours that know the same but for what they did themselves, at the same
  // clock of each.
  bool isUniform = false;
  std::optional<std::int64_t> step;  // from one offset to the next, if known to be the same

  Access of(std::size_t thread) const {
    Access result = access;
    result.agent = views[thread]->agent();
    result.clock = views[thread]->own();
    return result;
  }
};

// The access history of the bytes of one segment of memory.
class Shadow {
 public:
  explicit Shadow(const Places& places) : places_(&places) {}

  // Checks the access of `size` bytes and records it.  True if it races; `race` is then the first
  // race.
  bool access(std::uint64_t offset, std::uint32_t size, const ThreadClock& view,
              const Access& access, Race& race);
  // The same for one thread after the other.  Adds the number of each that races, and its race.
  void access(const WarpAccess& warp, std::vector<std::pair<std::size_t, Race>>& races);

  // A write of this launch to any of the bytes, by whichever thread.  O(size), for errors and
  // caches that do not know of writes.
  std::optional<Site> findWrite(std::uint64_t offset, std::uint32_t size) const;
  bool hasWrites() const { return hasWrites_; }  // by this launch or the one before

  // Bytes that were accessed, and whether they were written.
  struct Touched {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool isWritten = false;
  };
  // All of them, ascending.  O(bytes that were accessed, or lie near one that was).
  std::vector<Touched> touched();
  // The site of accesses by the launch before.
  static constexpr Site kEarlierLaunch = ~Site{0};

  // Release and acquire through a strong access at `offset`.
  ReleaseSet& released(std::uint64_t offset) { return released_[offset]; }
  const ReleaseSet* findReleased(std::uint64_t offset) const;

 private:
  struct Sets {
    Groups reads;  // weak ones
    Groups strongReads;
    StrongWrites strongWrites;
  };
  // Of a word, or of one of its bytes.
  struct Cell {
    Record write;
    Record read;
    std::uint32_t sets = 0;   // in sets_; 0: none
    std::uint32_t bytes = 0;  // of a word: in bytes_; 0: all its bytes were accessed together
  };
  static_assert(sizeof(Cell) == 32);
  // What a thread knows.
  struct View {
    const ThreadClock& thread;

    bool knows(const Record& record) const { return thread.knows(record.agent, record.clock); }
  };
  // The same, quick for one of several threads that mostly know the same.
  struct WarpView {
    AgentId agent = 0;
    const ClockVector* base = nullptr;
    KnownClocks* memo = nullptr;

    bool knows(const Record& record) const { return record.agent == agent || isInBase(record); }
    bool isInBase(const Record& record) const {
      return memo->reaches(base, record.agent, record.clock);
    }
  };
  // Neighbours in a warp that know the same but for what they did themselves, at the same clock of
  // each.  Their accesses to a line are to the same bytes, or each follows that of the lane before.
  struct Run {
    std::size_t begin = 0;  // of the threads of the access
    std::size_t end = 0;
    std::uint32_t lanes = 0;
    std::uint32_t step = 0;  // bytes from one lane to the next

    std::size_t size() const { return end - begin; }
  };
  // Weak reads of a line by such threads.
  struct LineRead {
    LaneGroup lanes;
    std::uint32_t word = 0;  // of the line: the first one of the first lane
    std::uint32_t size = 0;  // words of each lane
    std::uint32_t step = 0;  // words from one lane to the next
  };
  static constexpr std::uint64_t kLineWords = 32;
  static constexpr std::uint64_t kLineBytes = 4 * kLineWords;
  // Then they are recorded, so that a line does not take more memory than the sets of its words.
  static constexpr std::size_t kMostReads = 128;
  struct Line {
    std::array<Cell, kLineWords> words;  // without `reads`
    // Later than all that is in the words.  The threads knew `base`, and with it all weak writes to
    // the line; there are no strong ones.
    std::vector<LineRead> reads;
    ClockRef base;

    // Another read by a thread with this base can be added.
    bool takes(const ClockRef& other) const {
      return !reads.empty() && base == other && reads.size() < kMostReads;
    }
  };
  // To look at the whole line costs less than to record the reads of so many threads.
  static constexpr std::size_t kManyThreads = 8;
  static constexpr std::uint64_t kPageLines = 8;
  using Page = std::array<Line, kPageLines>;

  Line& line(std::uint64_t offset);
  void makePage(std::uint64_t page);
  Cell& word(std::uint64_t offset);
  std::array<Cell, 4>& split(Cell& word);
  bool accessAny(std::uint64_t offset, std::uint32_t size, const ThreadClock& view,
                 const Access& access, Race& race);
  static bool areWords(std::uint64_t offset, std::uint32_t size) {  // of one line
    return offset % 4 == 0 && size % 4 == 0 && offset % kLineBytes + size <= kLineBytes;
  }
  static Run runFrom(const WarpAccess& warp, std::size_t begin);
  bool readTogether(const WarpAccess& warp, const Run& run, KnownClocks& memo);
  bool writeTogether(const WarpAccess& warp, const Run& run, KnownClocks& memo);
  bool noteAlone(Line& line, std::uint64_t offset, std::uint32_t size, const ThreadClock& thread,
                 const Access& access);
  static void note(Line& line, std::uint64_t offset, std::uint32_t size, const Access& access,
                   const Run& run);
  void recordReads(Line& line);
  void recordReads(Cell& cell, Access access, std::uint32_t lanes, const WarpView& view);
  bool areOrdered(const Line& line, const WarpView& view) const;
  // `begin`: where the memory operation begins that accesses the cell.
  bool check(Cell& cell, const ThreadClock& view, const Access& access, std::uint64_t begin,
             Race& race);
  bool mayConflict(const Cell& cell, const View& view, const Access& access) const;
  bool findConflict(const Cell& cell, const ThreadClock& view, const Access& access,
                    Race& race) const;
  const LaneGroup* notMorallyStrong(const Groups& groups, const ThreadClock& view,
                                    const Access& access) const;
  void recordStrong(Cell& cell, const ThreadClock& view, const Access& access, std::uint64_t begin);
  template <class AnyView>
  void recordWeak(Cell& cell, const AnyView& view, const Access& access);
  bool hasReads(const Cell& cell) const {
    return cell.sets != 0 && !sets_[cell.sets - 1].reads.isEmpty();
  }
  bool isRead(const Cell& cell) const {
    return cell.read.clock != 0 || hasReads(cell) ||
           (cell.sets != 0 && !sets_[cell.sets - 1].strongReads.isEmpty());
  }
  bool hasStrongWrites(const Cell& cell) const {
    return cell.sets != 0 && !sets_[cell.sets - 1].strongWrites.all().isEmpty();
  }
  Sets& setsOf(Cell& cell);  // makes them if there are none
  void drop(std::uint32_t& sets);

  const Places* places_;
  bool hasWrites_ = false;
  std::vector<std::unique_ptr<Page>> pages_;
  std::deque<std::array<Cell, 4>> bytes_;
  std::vector<Sets> sets_;
  std::vector<std::uint32_t> freeSets_;
  std::unordered_map<std::uint64_t, ReleaseSet> released_;
};

}  // namespace ptxopt::interp
