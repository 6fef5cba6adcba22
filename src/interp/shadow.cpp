// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/shadow.h"

#include <algorithm>
#include <bit>

namespace ptxopt::interp {

// ---- sets of accesses ---------------------------------------------------------------------------

void Shadow::Groups::clear() {
  list_.clear();
  warps_ = 0;
  end_ = 0;
}

inline void Shadow::Groups::push(const Access& access) {
  const std::uint32_t warp = access.agent / 32;
  last_ = static_cast<std::uint32_t>(list_.size());
  list_.push_back(
      {warp, access.clock, 1u << access.agent % 32, access.site, access.writes, access.scope});
  warps_ |= std::uint64_t{1} << warp % 64;
  end_ = std::max(end_, warp + 1);
}

void Shadow::Groups::record(const Access& access) {
  const std::uint32_t warp = access.agent / 32;
  const std::uint32_t bit = 1u << access.agent % 32;
  const auto takes = [&](const Group& group) {
    return group.warp == warp && group.clock == access.clock && group.writes == access.writes &&
           group.scope == access.scope;
  };
  if (!mayHave(warp)) {
    otherMask_ = 0;
    return push(access);
  }
  if (last_ < list_.size() && takes(list_[last_]) && (otherMask_ & bit) == 0) {
    list_[last_].mask |= bit;
    return;
  }
  bool done = false;
  otherMask_ = 0;
  for (std::size_t k = 0; k < list_.size();) {
    Group& group = list_[k];
    if (takes(group)) {
      group.mask |= bit;
      last_ = static_cast<std::uint32_t>(k);
      done = true;
    } else if (group.warp == warp) {
      if (access.writes || !group.writes) group.mask &= ~bit;
      if (group.mask == 0) {
        group = list_.back();
        list_.pop_back();
        continue;
      }
      otherMask_ |= group.mask;
    }
    ++k;
  }
  if (!done) push(access);
}

const Shadow::Group* Shadow::Groups::unknown(const ThreadClock& view, bool writesOnly) const {
  for (const Group& group : list_) {
    if (writesOnly && !group.writes) continue;
    if (view.unknownLanes(group.warp, group.mask, group.clock) != 0) return &group;
  }
  return nullptr;
}

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
  sets_[sets - 1].strong.clear();
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
  const auto withGroup = [&](const Group& group) {
    const std::uint32_t lanes = view.unknownLanes(group.warp, group.mask, group.clock);
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    return with({group.warp * 32 + lane, group.clock, group.site}, group.writes);
  };
  const auto isUnknown = [&](const Record& record) {
    return record.clock != 0 && !view.knows(record.agent, record.clock);
  };
  if (isUnknown(cell.write)) return with(cell.write, true);
  if (access.writes && isUnknown(cell.read)) return with(cell.read, false);
  if (cell.sets == 0) return false;
  const Sets& sets = sets_[cell.sets - 1];
  if (access.writes) {
    if (const Group* group = sets.reads.unknown(view, false)) return withGroup(*group);
  }
  if (!access.isStrong) {
    const Group* group = sets.strong.unknown(view, !access.writes);
    return group != nullptr && withGroup(*group);
  }
  // Strong accesses race with each other only if one of the scopes excludes the other thread.
  for (const Group& group : sets.strong.list()) {
    const AgentId other = group.warp * 32;
    const bool narrow = places_->excludes(access.scope, access.agent, other) ||
                        places_->excludes(group.scope, other, access.agent);
    if (!narrow || !(access.writes || group.writes)) continue;
    if (view.unknownLanes(group.warp, group.mask, group.clock) != 0) return withGroup(group);
  }
  return false;
}

inline void Shadow::record(Cell& cell, const ThreadClock& view, const Access& access) {
  const Record now{access.agent, access.clock, access.site};
  if (access.isStrong) {
    setsOf(cell).strong.record(access);
  } else if (access.writes) {
    cell.write = now;
    cell.read = {};
    drop(cell.sets);
  } else if (cell.sets != 0 && !sets_[cell.sets - 1].reads.list().empty()) {
    sets_[cell.sets - 1].reads.record(access);
  } else if (cell.read.clock == 0 || view.knows(cell.read.agent, cell.read.clock)) {
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

// Whether there is anything with which an access can conflict.
inline bool Shadow::mayConflict(const Cell& cell, const ThreadClock& view,
                                const Access& access) const {
  const auto isUnknown = [&](const Record& record) {
    return record.clock != 0 && !view.knows(record.agent, record.clock);
  };
  if (isUnknown(cell.write) || (access.writes && isUnknown(cell.read))) return true;
  if (cell.sets == 0) return false;
  return access.writes || !sets_[cell.sets - 1].strong.list().empty();
}

inline bool Shadow::check(Cell& cell, const ThreadClock& view, const Access& access, Race& race) {
  const bool found = mayConflict(cell, view, access) && findConflict(cell, view, access, race);
  record(cell, view, access);
  return found;
}

bool Shadow::access(std::uint64_t offset, std::uint32_t size, const ThreadClock& view,
                    const Access& access, Race& race) {
  bool found = false;
  const auto visit = [&](Cell& cell, std::uint64_t at) {
    Race here;
    if (!check(cell, view, access, here) || found) return;
    found = true;
    race = here;
    race.offset = at;
  };
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
  return found;
}

}  // namespace ptxopt::interp
