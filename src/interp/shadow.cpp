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

std::optional<Site> Shadow::findWrite(std::uint64_t offset, std::uint32_t size) const {
  const auto writeOf = [&](const Cell& cell) -> std::optional<Site> {
    if (hasStrongWrites(cell)) return sets_[cell.sets - 1].strongWrites.all().list().front().site;
    if (cell.write.clock != 0 && cell.write.site != kEarlierLaunch) return cell.write.site;
    return std::nullopt;
  };
  for (std::uint64_t at = offset; at < offset + size; ++at) {
    const std::uint64_t line = at / kLineBytes;
    const std::uint64_t page = line / kPageLines;
    if (pages_.size() <= page || pages_[page] == nullptr) continue;
    const Cell& word = (*pages_[page])[line % kPageLines].words[at / 4 % kLineWords];
    const Cell& cell = word.bytes == 0 ? word : bytes_[word.bytes - 1][at % 4];
    if (const auto site = writeOf(cell)) return site;
  }
  return std::nullopt;
}

std::vector<Shadow::Touched> Shadow::touched() {
  std::vector<Touched> result;
  const auto add = [&](std::uint64_t offset, const Cell& cell) {
    const bool isWritten = cell.write.clock != 0 || hasStrongWrites(cell);
    if (!isWritten && !isRead(cell)) return;
    const bool goesOn =
        !result.empty() && result.back().end == offset && result.back().isWritten == isWritten;
    if (!goesOn) result.push_back({offset, offset, isWritten});
    result.back().end = offset + 1;
  };
  for (std::uint64_t page = 0; page < pages_.size(); ++page) {
    if (pages_[page] == nullptr) continue;
    for (std::uint64_t k = 0; k < kPageLines; ++k) {
      Line& line = (*pages_[page])[k];
      recordReads(line);
      for (std::uint64_t at = 0; at < kLineBytes; ++at) {
        const Cell& word = line.words[at / 4];
        add((page * kPageLines + k) * kLineBytes + at,
            word.bytes == 0 ? word : bytes_[word.bytes - 1][at % 4]);
      }
    }
  }
  return result;
}

void Shadow::makePage(std::uint64_t page) {
  if (pages_.size() <= page) pages_.resize(page + 1);
  pages_[page] = std::make_unique<Page>();
}

inline Shadow::Line& Shadow::line(std::uint64_t offset) {
  const std::uint64_t index = offset / kLineBytes;
  const std::uint64_t page = index / kPageLines;
  if (pages_.size() <= page || pages_[page] == nullptr) makePage(page);
  return (*pages_[page])[index % kPageLines];
}

// The history of the word, complete.
inline Shadow::Cell& Shadow::word(std::uint64_t offset) {
  Line& line = this->line(offset);
  if (!line.reads.empty()) recordReads(line);
  return line.words[offset / 4 % kLineWords];
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

namespace {

// Of the strong accesses.
bool isInPart(const LaneGroup& group, const Access& access) {
  return group.operation != access.operation && group.operation != 0 && access.operation != 0;
}

}  // namespace

bool Shadow::findConflict(const Cell& cell, const ThreadClock& view, const Access& access,
                          Race& race) const {
  const auto with = [&](const Record& record, bool writes) {
    race.firstAgent = record.agent;
    race.firstClock = record.clock;
    race.first = record.site;
    race.firstWrites = writes;
    return true;
  };
  const auto withGroup = [&](const LaneGroup* group, bool writes) {
    if (group == nullptr) return false;
    race.isInPart = access.isStrong && isInPart(*group, access);
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
  if (access.writes) {
    const LaneGroup* const read = notMorallyStrong(sets.strongReads, view, access);
    if (withGroup(read, false)) return true;
  }
  const LaneGroup* const group = notMorallyStrong(sets.strongWrites.all(), view, access);
  return group != nullptr && sets.strongWrites.unordered(view) && withGroup(group, true);
}

// Strong accesses race with each other only if they are not morally strong: one of the scopes
// excludes the other thread, they overlap only in part, or one is by another proxy than the generic
// one (PTX ISA 8.7.1).
const LaneGroup* Shadow::notMorallyStrong(const Groups& groups, const ThreadClock& view,
                                          const Access& access) const {
  for (const LaneGroup& group : groups.list()) {
    const AgentId other = group.warp * 32;
    const auto isOfThread = [&] { return places_->ctaOf(other) != Places::kNowhere; };
    const bool mayRace = (access.proxy != Proxy::Generic && isOfThread()) ||
                         isInPart(group, access) ||
                         places_->excludes(access.scope, access.agent, other) ||
                         places_->excludes(group.scope, other, access.agent);
    if (mayRace && view.unknownLanes(group.warp, group.mask, group.clock) != 0) return &group;
  }
  return nullptr;
}

inline void Shadow::recordStrong(Cell& cell, const ThreadClock& view, const Access& access,
                                 std::uint64_t begin) {
  Sets& sets = setsOf(cell);
  if (access.writes) {
    sets.strongWrites.record(access, begin, view, *places_);
  } else {
    sets.strongReads.record(access);
    sets.strongWrites.observe(access, begin, view, *places_);
  }
}

template <class AnyView>
inline void Shadow::recordWeak(Cell& cell, const AnyView& view, const Access& access) {
  const Record now{access.agent, access.clock, access.site};
  if (access.writes) {
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

inline bool Shadow::check(Cell& cell, const ThreadClock& view, const Access& access,
                          std::uint64_t begin, Race& race) {
  if (!access.isStrong) {
    const bool found = mayConflict(cell, {view}, access) && findConflict(cell, view, access, race);
    recordWeak(cell, View{view}, access);
    return found;
  }
  Access strong = access;
  strong.operation = operationOf(access.element, begin);
  const bool found = mayConflict(cell, {view}, strong) && findConflict(cell, view, strong, race);
  recordStrong(cell, view, strong, begin);
  return found;
}

bool Shadow::access(std::uint64_t offset, std::uint32_t size, const ThreadClock& view,
                    const Access& access, Race& race) {
  hasWrites_ |= access.writes;
  Line& line = this->line(offset);
  if (!line.reads.empty() && noteAlone(line, offset, size, view, access)) return false;
  if (Cell& cell = line.words[offset / 4 % kLineWords];
      size == 4 && offset % 4 == 0 && cell.bytes == 0) {
    race.offset = offset;
    return check(cell, view, access, offset, race);
  }
  return accessAny(offset, size, view, access, race);
}

bool Shadow::accessAny(std::uint64_t offset, std::uint32_t size, const ThreadClock& view,
                       const Access& access, Race& race) {
  bool found = false;
  const auto visit = [&](Cell& cell, std::uint64_t at) {
    const std::uint64_t before = access.element != 0 ? (at - offset) % access.element : 0;
    Race here;
    if (!check(cell, view, access, at - before, here) || found) return;
    found = true;
    race = here;
    race.offset = at;
  };
  const std::uint64_t end = offset + size;
  for (std::uint64_t at = offset; at < end;) {
    Cell& covered = word(at);
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

// ---- threads of a warp --------------------------------------------------------------------------

void Shadow::access(const WarpAccess& warp, std::vector<std::pair<std::size_t, Race>>& races) {
  hasWrites_ |= warp.access.writes;
  KnownClocks memo;
  for (std::size_t k = 0; k < warp.offsets.size();) {
    const Run run = runFrom(warp, k);
    const bool isRecorded =
        areWords(warp.offsets[k], warp.size) &&
        (warp.access.writes ? writeTogether(warp, run, memo) : readTogether(warp, run, memo));
    if (isRecorded) k = run.end;
    for (; k < run.end; ++k) {
      Race race;
      if (access(warp.offsets[k], warp.size, *warp.views[k], warp.of(k), race)) {
        races.emplace_back(k, race);
      }
    }
  }
}

Shadow::Run Shadow::runFrom(const WarpAccess& warp, std::size_t begin) {
  const std::uint64_t offset = warp.offsets[begin];
  const ThreadClock& first = *warp.views[begin];
  const ClockVector* const base = first.base().get();
  const AgentId before = first.agent() - static_cast<AgentId>(begin);
  const std::size_t count = warp.offsets.size();
  Run run{begin, begin + 1};
  if (run.end < count && warp.offsets[run.end] != offset) run.step = warp.size;
  std::uint64_t expected = offset + run.step;
  const std::uint64_t lineEnd = (offset / kLineBytes + 1) * kLineBytes;
  if (warp.isUniform && warp.step == run.step) {
    const std::uint64_t more = run.step == 0 ? count : (lineEnd - offset) / run.step;
    if (offset + warp.size <= lineEnd) run.end = std::min<std::size_t>(count, begin + more);
    run.lanes = ~0u >> (32 - run.size()) << first.agent() % 32;
    return run;
  }
  for (; run.end < count && expected + warp.size <= lineEnd; ++run.end, expected += run.step) {
    const ThreadClock& view = *warp.views[run.end];
    const bool isNext = warp.offsets[run.end] == expected && view.agent() == before + run.end &&
                        view.base().get() == base && view.own() == first.own();
    if (!isNext) break;
  }
  run.lanes = ~0u >> (32 - run.size()) << first.agent() % 32;
  return run;
}

// Notes the reads if none of them races, as far as is easy to see.
bool Shadow::readTogether(const WarpAccess& warp, const Run& run, KnownClocks& memo) {
  const std::uint64_t offset = warp.offsets[run.begin];
  const ThreadClock& first = *warp.views[run.begin];
  Line& line = this->line(offset);
  if (!line.takes(first.base())) {
    if (run.size() < kManyThreads) return false;
    if (!line.reads.empty()) recordReads(line);
    if (!areOrdered(line, {first.agent(), first.base().get(), &memo})) return false;
    line.base = first.base();
  }
  note(line, offset, warp.size, warp.of(run.begin), run);
  return true;
}

// The same for one read outside of a run, if others of the line have been noted.
bool Shadow::noteAlone(Line& line, std::uint64_t offset, std::uint32_t size,
                       const ThreadClock& thread, const Access& access) {
  const bool isOwnRead = !access.writes && !access.isStrong && access.agent == thread.agent();
  if (!isOwnRead || !areWords(offset, size) || !line.takes(thread.base())) {
    recordReads(line);
    return false;
  }
  note(line, offset, size, access, {.lanes = 1u << access.agent % 32});
  return true;
}

void Shadow::note(Line& line, std::uint64_t offset, std::uint32_t size, const Access& access,
                  const Run& run) {
  const std::uint32_t warp = access.agent / 32;
  const auto word = static_cast<std::uint32_t>(offset / 4 % kLineWords);
  line.reads.push_back(
      {{warp, access.clock, run.lanes, access.site, access.scope}, word, size / 4, run.step / 4});
}

// Whether a weak read of any word is ordered after all writes, by what all threads with this base
// know.
bool Shadow::areOrdered(const Line& line, const WarpView& view) const {
  return std::all_of(line.words.begin(), line.words.end(), [&](const Cell& cell) {
    const bool isKnown = cell.write.clock == 0 || view.isInBase(cell.write);
    return isKnown && cell.bytes == 0 && !hasStrongWrites(cell);
  });
}

// Puts the reads of the line where they belong.
void Shadow::recordReads(Line& line) {
  KnownClocks memo;
  for (const LineRead& read : line.reads) {
    const LaneGroup& group = read.lanes;
    const Access access{.clock = group.clock, .site = group.site, .scope = group.scope};
    const auto first = static_cast<std::uint32_t>(std::countr_zero(group.mask));
    for (std::uint32_t rest = group.mask; rest != 0;) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      const std::uint32_t word = read.word + (lane - first) * read.step;
      const std::uint32_t lanes = read.step == 0 ? rest : 1u << lane;
      const WarpView view{32 * group.warp + lane, line.base.get(), &memo};
      for (std::uint32_t k = 0; k < read.size; ++k) {
        recordReads(line.words[word + k], access, lanes, view);
      }
      rest &= ~lanes;
    }
  }
  line.reads.clear();
  line.base = nullptr;
}

// The same access of these lanes, one after the other.
void Shadow::recordReads(Cell& cell, Access access, std::uint32_t lanes, const WarpView& view) {
  WarpView of = view;
  for (; lanes != 0; lanes &= lanes - 1) {
    access.agent = view.agent / 32 * 32 + static_cast<std::uint32_t>(std::countr_zero(lanes));
    if (hasReads(cell)) return sets_[cell.sets - 1].reads.record(access, lanes);
    of.agent = access.agent;
    recordWeak(cell, of, access);
  }
}

// Records the writes if none of them races, as far as is easy to see.
bool Shadow::writeTogether(const WarpAccess& warp, const Run& run, KnownClocks& memo) {
  if (run.step == 0) return false;
  Line& line = this->line(warp.offsets[run.begin]);
  const ClockVector* const base = warp.views[run.begin]->base().get();
  if (!line.reads.empty()) {
    // Of what is overwritten nobody needs the history.
    const bool isWhole = run.size() * warp.size == kLineBytes;
    const auto isKnown = [&](const LineRead& read) {
      const LaneGroup& lanes = read.lanes;
      return base != nullptr && base->lanesBelow(lanes.warp, lanes.mask, lanes.clock) == 0;
    };
    if (!isWhole || !std::all_of(line.reads.begin(), line.reads.end(), isKnown)) recordReads(line);
  }
  const auto wordsOf = [&](std::size_t thread) {
    return std::span(line.words).subspan(warp.offsets[thread] / 4 % kLineWords, warp.size / 4);
  };
  for (std::size_t k = run.begin; k < run.end; ++k) {
    const WarpView view{warp.views[k]->agent(), base, &memo};
    for (const Cell& cell : wordsOf(k)) {
      const bool isOrdered = (cell.write.clock == 0 || view.knows(cell.write)) &&
                             (cell.read.clock == 0 || view.knows(cell.read));
      if (!isOrdered || cell.sets != 0 || cell.bytes != 0) return false;
    }
  }
  for (std::size_t k = run.begin; k < run.end; ++k) {
    const Record now{warp.views[k]->agent(), warp.views[k]->own(), warp.access.site};
    for (Cell& cell : wordsOf(k)) {
      cell.write = now;
      cell.read = {};
    }
  }
  line.reads.clear();
  line.base = nullptr;
  return true;
}

}  // namespace ptxopt::interp
