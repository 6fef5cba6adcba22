#include "interp/race.h"

#include <algorithm>
#include <bit>

namespace ptxopt::interp {

namespace {

void mergeInto(ClockVector& sum, const ClockRef& other) {
  if (other == nullptr) return;
  if (sum.size() < other->size()) sum.resize(other->size());
  for (std::size_t k = 0; k < other->size(); ++k) sum[k] = std::max(sum[k], (*other)[k]);
}

void raise(ClockVector& sum, AgentId agent, std::uint32_t clock) {
  if (sum.size() <= agent) sum.resize(agent + 1);
  sum[agent] = std::max(sum[agent], clock);
}

void add(std::vector<Snapshot>& set, const std::vector<Snapshot>& more) {
  for (const Snapshot& snapshot : more) {
    const auto same = std::find_if(
        set.begin(), set.end(), [&](const Snapshot& old) { return old.agent == snapshot.agent; });
    // What a thread released later includes what it released before.
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

void ThreadClock::learn(const Snapshot& snapshot) {
  if (snapshot.agent == agent_) return;
  const bool sameBase = snapshot.base == nullptr || snapshot.base == base_;
  if (sameBase && knows(snapshot.agent, snapshot.own)) return;
  auto sum = std::make_shared<ClockVector>();
  mergeInto(*sum, base_);
  mergeInto(*sum, snapshot.base);
  raise(*sum, snapshot.agent, snapshot.own);
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
  raise(sum_, snapshot.agent, snapshot.own);
}

ClockRef ClockJoin::finish() {
  lastMerged_ = nullptr;
  return std::make_shared<const ClockVector>(std::exchange(sum_, {}));
}

// ---- strong accesses and fences
// ------------------------------------------------------------------

bool isWide(isa::Scope scope) {
  return scope != isa::Scope::Cta;
}

void fence(ThreadClock& thread, isa::Semantics semantics, isa::Scope scope) {
  if (acquires(semantics)) {
    for (const Snapshot& snapshot : thread.seenCta) thread.learn(snapshot);
    thread.seenCta.clear();
    if (isWide(scope)) {
      for (const Snapshot& snapshot : thread.seenWide) thread.learn(snapshot);
      thread.seenWide.clear();
    }
  }
  if (releases(semantics)) {
    const Snapshot snapshot = thread.release();
    thread.releasedCta = {snapshot};
    if (isWide(scope)) thread.releasedWide = {snapshot};
  }
}

void fenceSc(ThreadClock& thread, isa::Scope scope, ClockRef& earlier) {
  thread.learn(earlier);
  fence(thread, isa::Semantics::Sc, scope);
  auto sum = std::make_shared<ClockVector>();
  mergeInto(*sum, thread.base());
  const Snapshot& released = thread.releasedCta.front();
  raise(*sum, released.agent, released.own);
  earlier = std::move(sum);
}

void strongWrite(ThreadClock& thread, ReleaseSet& location, std::uint32_t cta,
                 isa::Semantics semantics, isa::Scope scope, bool readModifyWrite) {
  if (!readModifyWrite) location = {};
  if (location.ctaId != cta) {
    location.ctaId = cta;
    location.cta.clear();
  }
  if (releases(semantics)) {
    const Snapshot snapshot = thread.release();
    add(location.cta, {snapshot});
    if (isWide(scope)) add(location.wide, {snapshot});
    return;
  }
  add(location.cta, thread.releasedCta);
  if (isWide(scope)) add(location.wide, thread.releasedWide);
}

void strongRead(ThreadClock& thread, const ReleaseSet* location, std::uint32_t cta,
                isa::Semantics semantics, isa::Scope scope) {
  if (location == nullptr) return;
  const bool sameCta = location->ctaId == cta;
  if (acquires(semantics)) {
    if (sameCta) {
      for (const Snapshot& snapshot : location->cta) thread.learn(snapshot);
    }
    if (isWide(scope)) {
      for (const Snapshot& snapshot : location->wide) thread.learn(snapshot);
    }
    return;
  }
  if (sameCta) add(thread.seenCta, location->cta);
  if (isWide(scope)) add(thread.seenWide, location->wide);
}

// ---- the history of memory
// -----------------------------------------------------------------------

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

bool Shadow::isOtherCta(const Group& group, const Access& access) const {
  // A warp belongs to one CTA, since CTAs begin with a new warp.
  const std::uint32_t warpsPerCta = (threadsPerCta_ + 31) / 32;
  return group.warp / warpsPerCta != access.agent / 32 / warpsPerCta;
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
      // The newer access of the same lane stands for the older one.
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
      // Strong accesses race with each other only where a scope leaves the other thread out.
      for (const Group& group : cell.sets->strong) {
        const bool narrow = !isWide(access.scope) || !isWide(group.scope);
        if (!narrow || !(access.writes || group.writes) || !isOtherCta(group, access)) continue;
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
