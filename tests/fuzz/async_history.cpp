// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "async_history.h"

#include <utility>

namespace ptxopt::fuzz::async {

// ---- knowledge ----------------------------------------------------------------------------------

void Known::join(const Known& other) {
  for (std::size_t k = 0; k < times.size(); ++k) times[k] = std::max(times[k], other.times[k]);
  for (std::size_t k = 0; k < phases.size(); ++k) phases[k] = std::max(phases[k], other.phases[k]);
  if (done.size() < other.done.size()) done.resize(other.done.size());
  for (std::size_t k = 0; k < other.done.size(); ++k) done[k] |= other.done[k];
}

void Known::addDone(std::uint32_t operation) {
  if (done.size() <= operation / 64) done.resize(operation / 64 + 1);
  done[operation / 64] |= std::uint64_t{1} << operation % 64;
}

// ---- the beginning ------------------------------------------------------------------------------

History::History(Plan& plan, const ModelOptions& options)
    : plan_(plan), options_(options), knowledge_(plan.threads) {
  std::size_t cells = 0;
  for (const Array& array : plan.arrays) {
    arrayCells_.push_back(cells);
    cells += array.bytes / 4;
  }
  objectCells_ = cells;
  std::size_t objects = 0;
  for (const Mbarriers& mbarriers : plan.mbarriers) objects += mbarriers.objects;
  slotCell_ = objectCells_ + objects;
  tensorCells_ = slotCell_ + 1;
  cells_.resize(tensorCells_ + (plan.hasTensorMemory ? std::size_t{kLanes} * plan.columns : 0));
  nothing_.times.resize(plan.threads);
  nothing_.phases.resize(objects);
  for (std::uint32_t t = 0; t < plan.threads; ++t) {
    knowledge_[t] = {nothing_, nothing_};
    knowledge_[t].known.times[t] = 1;
  }
}

void History::fail(Violation::Kind kind, const Step* step) const {
  throw Violation{kind, item_, item_, step, step, 0, 0};
}

void History::fail(Violation::Kind kind, std::uint32_t first, std::uint32_t second) const {
  const Event& a = events_[first];
  const Event& b = events_[second];
  throw Violation{kind, a.item, b.item, a.step, b.step, a.warp, b.warp};
}

// ---- who accesses -------------------------------------------------------------------------------

std::uint32_t History::newEvent(const Step& step, std::uint32_t thread, bool isGeneric) {
  Event& event = events_.emplace_back();
  event.item = item_;
  event.step = &step;
  event.warp = thread / kWarp;
  event.isGeneric = isGeneric;
  event.issuer = thread;
  return static_cast<std::uint32_t>(events_.size() - 1);
}

Actor History::byThread(const Step& step, std::uint32_t thread) {
  const std::uint16_t time = knowledge_[thread].known.times[thread];
  return {{Access::By::Thread, thread, time, newEvent(step, thread)}, {thread}, true};
}

Actor History::byWarp(const Step& step, std::uint32_t warp) {
  Actor actor{{Access::By::Warp, warp, 0, newEvent(step, warp * kWarp)}, {}, true};
  for (std::uint32_t t = warp * kWarp; t < (warp + 1) * kWarp; ++t) {
    actor.threads.push_back(t);
    events_[actor.access.event].laneTimes.push_back(knowledge_[t].known.times[t]);
  }
  return actor;
}

Actor History::operation(const Step& step, std::vector<std::uint32_t> issuers, bool isGeneric) {
  const std::uint32_t event = newEvent(step, issuers.front(), isGeneric);
  return {{Access::By::Operation, operations_++, 0, event}, std::move(issuers), isGeneric};
}

// ---- order --------------------------------------------------------------------------------------

bool History::covers(const Known& known, const Access& access) const {
  switch (access.by) {
    case Access::By::Nobody:
      return true;
    case Access::By::Thread:
      return known.times[access.number] >= access.time;
    case Access::By::Operation:
      return known.isDone(access.number);
    case Access::By::Warp: {
      const std::vector<std::uint16_t>& times = events_[access.event].laneTimes;
      for (std::uint32_t lane = 0; lane < kWarp; ++lane) {
        if (known.times[access.number * kWarp + lane] < times[lane]) return false;
      }
      return true;
    }
  }
  return false;
}

bool History::isKnown(const Actor& actor, const Access& access, bool isFenced) const {
  const auto knows = [&](std::uint32_t t) {
    return covers(isFenced ? knowledge_[t].fenced : knowledge_[t].known, access);
  };
  // A checker need not take the lane that does not know.
  return options_.isLenient ? std::ranges::any_of(actor.threads, knows)
                            : std::ranges::all_of(actor.threads, knows);
}

// Operations of one thread on tensor memory that are in order without a wait.
bool History::isPipelined(const Access& first, const Access& second) const {
  const Event& a = events_[first.event];
  const Event& b = events_[second.event];
  return first.by == Access::By::Operation && a.issuer == b.issuer && a.step->op == b.step->op &&
         a.step->column == b.step->column &&
         (a.step->op == Op::Mma || a.step->op == Op::TensorCopy);
}

// `wrote`: the first one is a write.  `hasProxies`: the generic and the async proxy both reach
// these bytes.
void History::order(const Actor& actor, const Access& first, bool isWrite, bool wrote,
                    bool hasProxies) {
  if (first.by == Access::By::Nobody || isPipelined(first, actor.access)) return;
  if (!isKnown(actor, first, false)) {
    fail(Violation::Kind::Order, first.event, actor.access.event);
  }
  if (!hasProxies || actor.isGeneric || !events_[first.event].isGeneric) return;
  const bool needsFence = (wrote && !isWrite) || (plan_.hasStrictFences && !options_.isLenient);
  if (needsFence && !isKnown(actor, first, true)) {
    fail(Violation::Kind::Fence, first.event, actor.access.event);
  }
}

// ---- what is accessed ---------------------------------------------------------------------------

void History::access(const Actor& actor, std::size_t cell, bool isWrite) {
  Cell& at = cells_[cell];
  if (!isWrite && cell != slotCell_ && at.write.by == Access::By::Nobody) {
    fail(Violation::Kind::Undefined, events_[actor.access.event].step);
  }
  const bool hasProxies = cell < objectCells_;
  order(actor, at.write, isWrite, true, hasProxies);
  if (!isWrite) return addRead(at, actor.access);
  for (const Access& read : at.reads) order(actor, read, true, false, hasProxies);
  at.reads.clear();
  at.write = actor.access;
}

// A later access of a thread stands for the earlier ones.
void History::addRead(Cell& cell, const Access& access) {
  const auto found = std::ranges::find_if(cell.reads, [&](const Access& read) {
    return read.by == Access::By::Thread && access.by == Access::By::Thread &&
           read.number == access.number;
  });
  if (found != cell.reads.end()) {
    *found = access;
  } else {
    cell.reads.push_back(access);
  }
}

void History::array(const Actor& actor, std::size_t array, std::uint32_t offset,
                    std::uint32_t bytes, bool isWrite) {
  if (offset + bytes > plan_.arrays[array].bytes) {
    fail(Violation::Kind::Wrong, events_[actor.access.event].step);
  }
  const std::size_t first = arrayCells_[array] + offset / 4;
  for (std::size_t k = 0; k < bytes / 4; ++k) access(actor, first + k, isWrite);
}

void History::tensor(const Actor& actor, std::uint32_t lane, std::uint32_t lanes,
                     std::uint32_t column, std::uint32_t columns, bool isWrite) {
  for (std::uint32_t l = lane; l < lane + lanes; ++l) {
    for (std::uint32_t c = column; c < column + columns; ++c) {
      access(actor, tensorCells_ + std::size_t{l} * plan_.columns + c, isWrite);
    }
  }
}

}  // namespace ptxopt::fuzz::async
