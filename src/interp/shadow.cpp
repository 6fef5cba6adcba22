// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/shadow.h"

#include <algorithm>
#include <bit>

namespace ptxopt::interp {

// ---- cells --------------------------------------------------------------------------------------

const ReleaseSet* Shadow::findReleased(std::uint64_t offset) const {
  const auto found = released_.find(offset);
  return found == released_.end() ? nullptr : &found->second;
}

inline Shadow::Cell& Shadow::word(std::uint64_t index) {
  const std::uint64_t page = index / kPageWords;
  if (pages_.size() <= page) pages_.resize(page + 1);
  if (pages_[page] == nullptr) pages_[page] = std::make_unique<Page>();
  return (*pages_[page])[index % kPageWords];
}

std::array<Shadow::Cell, 4>& Shadow::split(Cell& word) {
  if (word.bytes != 0) return bytes_[word.bytes - 1];
  std::array<Cell, 4>& cells = bytes_.emplace_back();
  cells.fill(word);
  for (std::size_t k = 1; k < 4 && word.sets != 0; ++k) {
    cells[k].sets = 0;
    Sets& own = setsOf(cells[k]);
    own = sets_[word.sets - 1];
  }
  word.sets = 0;
  word.bytes = static_cast<std::uint32_t>(bytes_.size());
  return cells;
}

Shadow::Sets& Shadow::setsOf(Cell& cell) {
  if (cell.sets != 0) return sets_[cell.sets - 1];
  if (freeSets_.empty()) {
    sets_.emplace_back();
    freeSets_.push_back(static_cast<std::uint32_t>(sets_.size()));
  }
  cell.sets = freeSets_.back();
  freeSets_.pop_back();
  return sets_[cell.sets - 1];
}

void Shadow::drop(std::uint32_t& sets) {
  if (sets == 0) return;
  sets_[sets - 1].reads.clear();
  sets_[sets - 1].strongReads.clear();
  sets_[sets - 1].strongWrites.clear();
  freeSets_.push_back(sets);
  sets = 0;
}

bool Shadow::findConflict(const Cell& cell, const ThreadClock& view, const Access& access,
                          Race& race) const {
  const auto with = [&](const Record& record, bool writes) {
    race.firstAgent = record.agent;
    race.first = record.site;
    race.firstWrites = writes;
    return true;
  };
  const auto withGroup = [&](const LaneGroup* group, bool writes) {
    if (group == nullptr) return false;
    const std::uint32_t lanes = view.unknownLanes(group->warp, group->mask, group->clock);
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    return with({group->warp * 32 + lane, group->clock, group->site}, writes);
  };
  const auto isUnknown = [&](const Record& record) {
    return record.clock != 0 && !view.knows(record.agent, record.clock);
  };
  if (isUnknown(cell.write)) return with(cell.write, true);
  if (access.writes && isUnknown(cell.read)) return with(cell.read, false);
  if (cell.sets == 0) return false;
  const Sets& sets = sets_[cell.sets - 1];
  if (access.writes && withGroup(sets.reads.unknown(view), false)) return true;
  if (!access.isStrong) {
    if (access.writes && withGroup(sets.strongReads.unknown(view), false)) return true;
    const auto write = sets.strongWrites.unordered(view);
    return write && with(*write, true);
  }
  if (access.writes && withGroup(narrow(sets.strongReads, view, access), false)) return true;
  const LaneGroup* const group = narrow(sets.strongWrites.all(), view, access);
  return group != nullptr && sets.strongWrites.unordered(view) && withGroup(group, true);
}

// Strong accesses race with each other only if one of the scopes excludes the other thread.
const LaneGroup* Shadow::narrow(const Groups& groups, const ThreadClock& view,
                                const Access& access) const {
  for (const LaneGroup& group : groups.list()) {
    const AgentId other = group.warp * 32;
    const bool isNarrow = places_->excludes(access.scope, access.agent, other) ||
                          places_->excludes(group.scope, other, access.agent);
    if (isNarrow && view.unknownLanes(group.warp, group.mask, group.clock) != 0) return &group;
  }
  return nullptr;
}

inline void Shadow::record(Cell& cell, const View& view, const Access& access,
                           std::uint64_t operation) {
  const Record now{access.agent, access.clock, access.site};
  if (access.isStrong && access.writes) {
    setsOf(cell).strongWrites.record(access, operation, view.clock, *places_);
  } else if (access.isStrong) {
    Sets& sets = setsOf(cell);
    sets.strongReads.record(access);
    sets.strongWrites.observe(access, operation, view.clock, *places_);
  } else if (access.writes) {
    cell.write = now;
    cell.read = {};
    drop(cell.sets);
  } else if (hasReads(cell)) {
    sets_[cell.sets - 1].reads.record(access);
  } else if (cell.read.clock == 0 || view.knows(cell.read)) {
    cell.read = now;
  } else {
    Access before;
    before.agent = cell.read.agent;
    before.clock = cell.read.clock;
    before.site = cell.read.site;
    Groups& reads = setsOf(cell).reads;
    reads.record(before);
    reads.record(access);
    cell.read = {};
  }
}

// If this is false, the access conflicts with nothing; quick.
inline bool Shadow::mayConflict(const Cell& cell, const View& view, const Access& access) const {
  const auto isUnknown = [&](const Record& record) {
    return record.clock != 0 && !view.knows(record);
  };
  if (isUnknown(cell.write) || (access.writes && isUnknown(cell.read))) return true;
  if (cell.sets == 0) return false;
  return access.writes || hasStrongWrites(cell);
}

inline bool Shadow::check(Cell& cell, const View& view, const Access& access,
                          std::uint64_t operation, Race& race) {
  const bool found =
      mayConflict(cell, view, access) && findConflict(cell, view.clock, access, race);
  record(cell, view, access, operation);
  return found;
}

// Calls visit(Cell&, offset) for the cells of these bytes.
template <class Visit>
inline void Shadow::visit(std::uint64_t offset, std::uint32_t size, Visit&& visit) {
  const std::uint64_t end = offset + size;
  for (std::uint64_t at = offset; at < end;) {
    Cell& covered = word(at / 4);
    if (at % 4 == 0 && end - at >= 4 && covered.bytes == 0) {
      visit(covered, at);
      at += 4;
      continue;
    }
    std::array<Cell, 4>& cells = split(covered);
    for (const std::uint64_t last = std::min(end, (at / 4 + 1) * 4); at < last; ++at) {
      visit(cells[at % 4], at);
    }
  }
}

inline bool Shadow::access(std::uint64_t offset, std::uint32_t size, const View& view,
                           const Access& access, Race& race) {
  bool found = false;
  visit(offset, size, [&](Cell& cell, std::uint64_t at) {
    const std::uint64_t before = access.element != 0 ? (at - offset) % access.element : 0;
    Race here;
    if (!check(cell, view, access, at - before, here) || found) return;
    found = true;
    race = here;
    race.offset = at;
  });
  return found;
}

bool Shadow::access(std::uint64_t offset, std::uint32_t size, const ThreadClock& view,
                    const Access& access, Race& race) {
  KnownClocks known;
  return this->access(offset, size, View{view, known}, access, race);
}

// ---- threads of a warp --------------------------------------------------------------------------

void Shadow::access(const WarpAccess& warp, std::vector<std::pair<std::size_t, Race>>& races) {
  KnownClocks known;
  const std::size_t count = warp.offsets.size();
  for (std::size_t k = 0; k < count;) {
    std::size_t end = k + 1;
    while (end < count && warp.offsets[end] == warp.offsets[k]) ++end;
    if (end - k > 2 && readTogether(warp, k, end, known)) k = end;
    for (; k < end; ++k) {
      Race race;
      if (access(warp.offsets[k], warp.size, {*warp.views[k], known}, warp.of(k), race)) {
        races.emplace_back(k, race);
      }
    }
  }
}

// Records reads of the same bytes by the threads from `begin` to `end`, if it is easy to see that
// they do not race: all know the same, and the last write of each byte is part of that.
bool Shadow::readTogether(const WarpAccess& warp, std::size_t begin, std::size_t end,
                          KnownClocks& known) {
  if (warp.access.writes) return false;
  const ThreadClock& first = *warp.views[begin];
  for (std::size_t k = begin + 1; k < end; ++k) {
    const ThreadClock& view = *warp.views[k];
    if (view.base() != first.base() || view.own() != first.own()) return false;
  }
  bool isOrdered = true;
  visit(warp.offsets[begin], warp.size, [&](const Cell& cell, std::uint64_t) {
    const Record& write = cell.write;
    isOrdered = isOrdered && !hasStrongWrites(cell) &&
                (write.clock == 0 || known.isBelow(first.base().get(), write.agent, write.clock));
  });
  if (!isOrdered) return false;
  visit(warp.offsets[begin], warp.size,
        [&](Cell& cell, std::uint64_t) { recordReads(cell, warp, begin, end, known); });
  return true;
}

void Shadow::recordReads(Cell& cell, const WarpAccess& warp, std::size_t begin, std::size_t end,
                         KnownClocks& known) {
  // Until two of them are not ordered, and a set begins.
  for (; begin < end && !hasReads(cell); ++begin) {
    record(cell, {*warp.views[begin], known}, warp.of(begin), 0);
  }
  std::uint32_t lanes = 0;
  for (std::size_t k = begin; k < end; ++k) lanes |= 1u << warp.views[k]->agent() % 32;
  if (lanes != 0) sets_[cell.sets - 1].reads.record(warp.of(begin), lanes);
}

}  // namespace ptxopt::interp
