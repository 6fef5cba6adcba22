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

void add(std::vector<Snapshot>& set, const std::vector<Snapshot>& more) {
  for (const Snapshot& snapshot : more) {
    const auto same = std::find_if(
        set.begin(), set.end(), [&](const Snapshot& old) { return old.agent == snapshot.agent; });
    // A later release of the same thread includes the earlier one.
    if (same == set.end()) {
      set.push_back(snapshot);
    } else if (same->own < snapshot.own) {
      *same = snapshot;
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
  std::size_t common = 0;
  for (const Part& part : other.parts_) {
    const std::size_t at = position(part.index);
    if (!isAt(at, part.index)) continue;
    mergeChunk(parts_[at].clocks, part.clocks);
    ++common;
  }
  if (common == other.parts_.size()) return;
  std::vector<Part> sum;
  sum.reserve(parts_.size() + other.parts_.size() - common);
  std::set_union(std::make_move_iterator(parts_.begin()), std::make_move_iterator(parts_.end()),
                 other.parts_.begin(), other.parts_.end(), std::back_inserter(sum),
                 [](const Part& a, const Part& b) { return a.index < b.index; });
  parts_ = std::move(sum);
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
  if (clocks.use_count() != 1) clocks = std::make_shared<Chunk>(*clocks);
  (*clocks)[agent % kChunk] = clock;
}

void ThreadClock::learn(const Snapshot& snapshot) {
  if (snapshot.agent == agent_) return;
  const bool sameBase = snapshot.base == nullptr || snapshot.base == base_;
  if (sameBase && knows(snapshot.agent, snapshot.own)) return;
  auto sum = std::make_shared<ClockVector>();
  mergeInto(*sum, base_);
  mergeInto(*sum, snapshot.base);
  sum->raise(snapshot.agent, snapshot.own);
  base_ = std::move(sum);
}

void ThreadClock::learn(const ClockRef& clocks) {
  if (clocks == nullptr || clocks == base_) return;
  auto sum = std::make_shared<ClockVector>();
  mergeInto(*sum, base_);
  mergeInto(*sum, clocks);
  base_ = std::move(sum);
}

void ClockJoin::add(ThreadClock& thread) {
  if (thread.base() != lastMerged_) {
    mergeInto(sum_, thread.base());
    lastMerged_ = thread.base();
  }
  const Snapshot snapshot = thread.release();
  sum_.raise(snapshot.agent, snapshot.own);
}

ClockRef ClockJoin::finish() {
  lastMerged_ = nullptr;
  return std::make_shared<const ClockVector>(std::exchange(sum_, {}));
}

// ---- strong accesses and fences -----------------------------------------------------------------

std::size_t levelOf(isa::Scope scope) {
  if (scope == isa::Scope::Cta) return 0;
  return scope == isa::Scope::Cluster ? 1 : 2;
}

std::uint32_t Places::ctaOf(AgentId agent) const {
  const std::uint32_t padded = (threadsPerCta + 31) / 32 * 32;  // each CTA begins with a new warp
  const std::uint32_t cta = agent / padded;
  if (cta < ctas) return cta;
  return cta < 2 * ctas ? cta - ctas : kNowhere;  // the copies of a thread belong to its CTA
}

bool Places::excludes(isa::Scope scope, AgentId one, AgentId other) const {
  const std::size_t level = levelOf(scope);
  if (level == 2) return false;
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
    for (std::size_t k = 0; k <= level; ++k) thread.released[k] = {snapshot};
  }
}

void fenceSc(ThreadClock& thread, isa::Scope scope, ClockRef& earlier) {
  thread.learn(earlier);
  fence(thread, isa::Semantics::Sc, scope);
  auto sum = std::make_shared<ClockVector>();
  mergeInto(*sum, thread.base());
  const Snapshot& released = thread.released[0].front();
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
    for (std::size_t k = 0; k <= level; ++k) add(location.at[k], {snapshot});
    return;
  }
  for (std::size_t k = 0; k <= level; ++k) add(location.at[k], thread.released[k]);
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

// ---- the history of memory ----------------------------------------------------------------------

const ReleaseSet* Shadow::findReleased(std::uint64_t offset) const {
  const auto found = released_.find(offset);
  return found == released_.end() ? nullptr : &found->second;
}

Shadow::Word& Shadow::word(std::uint64_t index) {
  const std::uint64_t page = index / kPageWords;
  if (pages_.size() <= page) pages_.resize(page + 1);
  if (pages_[page] == nullptr) pages_[page] = std::make_unique<Page>();
  return (*pages_[page])[index % kPageWords];
}

const Shadow::Group* Shadow::unknown(const std::vector<Group>& groups, const ThreadClock& view,
                                     bool writesOnly) {
  for (const Group& group : groups) {
    if (writesOnly && !group.writes) continue;
    for (std::uint32_t rest = group.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      if (!view.knows(group.warp * 32 + lane, group.clock)) return &group;
    }
  }
  return nullptr;
}

void Shadow::record(std::vector<Group>& groups, const Access& access) {
  const std::uint32_t warp = access.agent / 32;
  const std::uint32_t bit = 1u << access.agent % 32;
  bool done = false;
  for (std::size_t k = 0; k < groups.size();) {
    Group& group = groups[k];
    const bool joins = group.warp == warp && group.clock == access.clock &&
                       group.writes == access.writes && group.scope == access.scope;
    if (joins) {
      group.mask |= bit;
      done = true;
    } else if (group.warp == warp && (group.mask & bit) != 0 && (access.writes || !group.writes)) {
      // A newer access of the same lane replaces the older one.
      group.mask &= ~bit;
      if (group.mask == 0) {
        groups[k] = groups.back();
        groups.pop_back();
        continue;
      }
    }
    ++k;
  }
  if (!done) {
    groups.push_back({warp, access.clock, bit, access.writes, access.scope, access.site});
  }
}

bool Shadow::check(Cell& cell, const ThreadClock& view, const Access& access, Race& race) const {
  const auto conflict = [&](AgentId agent, const Op* site, bool writes) {
    race.firstAgent = agent;
    race.first = site;
    race.firstWrites = writes;
  };
  const auto groupConflict = [&](const Group& group) {
    std::uint32_t rest = group.mask;
    AgentId agent = 0;
    for (; rest != 0; rest &= rest - 1) {
      agent = group.warp * 32 + static_cast<std::uint32_t>(std::countr_zero(rest));
      if (!view.knows(agent, group.clock)) break;
    }
    conflict(agent, group.site, group.writes);
  };

  bool found = false;
  if (cell.write.clock != 0 && !view.knows(cell.write.agent, cell.write.clock)) {
    conflict(cell.write.agent, cell.write.site, true);
    found = true;
  }
  if (access.writes && !found) {
    if (cell.read.clock != 0 && !view.knows(cell.read.agent, cell.read.clock)) {
      conflict(cell.read.agent, cell.read.site, false);
      found = true;
    } else if (cell.sets != nullptr) {
      if (const Group* group = unknown(cell.sets->reads, view, false)) {
        groupConflict(*group);
        found = true;
      }
    }
  }
  if (cell.sets != nullptr && !found) {
    if (!access.isStrong) {
      if (const Group* group = unknown(cell.sets->strong, view, !access.writes)) {
        groupConflict(*group);
        found = true;
      }
    } else {
      // Strong accesses race with each other only if one of the scopes excludes the other thread.
      for (const Group& group : cell.sets->strong) {
        const AgentId other = group.warp * 32;
        const bool narrow = places_->excludes(access.scope, access.agent, other) ||
                            places_->excludes(group.scope, other, access.agent);
        if (!narrow || !(access.writes || group.writes)) continue;
        if (unknown({group}, view, false) == nullptr) continue;
        groupConflict(group);
        found = true;
        break;
      }
    }
  }

  const Record now{access.agent, access.clock, access.site};
  if (access.isStrong) {
    if (cell.sets == nullptr) cell.sets = std::make_shared<Sets>();
    record(cell.sets->strong, access);
  } else if (access.writes) {
    cell.write = now;
    cell.read = {};
    cell.sets = nullptr;
  } else if (cell.sets != nullptr && !cell.sets->reads.empty()) {
    record(cell.sets->reads, access);
  } else if (cell.read.clock == 0 || view.knows(cell.read.agent, cell.read.clock)) {
    cell.read = now;
  } else {
    if (cell.sets == nullptr) cell.sets = std::make_shared<Sets>();
    Access before;
    before.agent = cell.read.agent;
    before.clock = cell.read.clock;
    before.site = cell.read.site;
    record(cell.sets->reads, before);
    record(cell.sets->reads, access);
    cell.read = {};
  }
  return found;
}

void Shadow::access(std::uint64_t offset, std::uint32_t size, const ThreadClock& view,
                    const Access& access, const std::function<void(const Race&)>& report) {
  Race race;
  race.second = access;
  bool found = false;
  const auto visit = [&](Cell& cell, std::uint64_t at) {
    Race here = race;
    if (!check(cell, view, access, here) || found) return;
    found = true;
    race = here;
    race.offset = at;
  };
  for (std::uint64_t at = offset; at < offset + size;) {
    Word& covered = word(at / 4);
    const std::uint64_t end = std::min(offset + size, (at / 4 + 1) * 4);
    if (end - at == 4 && covered.bytes == nullptr) {
      visit(covered.whole, at);
    } else {
      if (covered.bytes == nullptr) {
        covered.bytes = std::make_unique<std::array<Cell, 4>>();
        for (Cell& cell : *covered.bytes) {
          cell = covered.whole;
          if (cell.sets != nullptr) cell.sets = std::make_shared<Sets>(*cell.sets);
        }
      }
      for (std::uint64_t byte = at; byte < end; ++byte) {
        visit((*covered.bytes)[byte % 4], byte);
      }
    }
    at = end;
  }
  if (found) report(race);
}

}  // namespace ptxopt::interp
