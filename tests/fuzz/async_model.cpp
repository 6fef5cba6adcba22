// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "async_model.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ptxopt::fuzz::async {

namespace {

// ---- what is known to have happened -------------------------------------------------------------

struct Known {
  std::vector<std::uint16_t> times;   // by thread: what it did at this time or earlier
  std::vector<std::uint64_t> done;    // operations that are complete, a bit for each
  std::vector<std::uint16_t> phases;  // by mbarrier object: so many are complete

  void join(const Known& other) {
    for (std::size_t k = 0; k < times.size(); ++k) times[k] = std::max(times[k], other.times[k]);
    for (std::size_t k = 0; k < phases.size(); ++k) {
      phases[k] = std::max(phases[k], other.phases[k]);
    }
    if (done.size() < other.done.size()) done.resize(other.done.size());
    for (std::size_t k = 0; k < other.done.size(); ++k) done[k] |= other.done[k];
  }
  void addDone(std::uint32_t operation) {
    if (done.size() <= operation / 64) done.resize(operation / 64 + 1);
    done[operation / 64] |= std::uint64_t{1} << operation % 64;
  }
  bool isDone(std::uint32_t operation) const {
    return operation / 64 < done.size() && (done[operation / 64] >> operation % 64 & 1) != 0;
  }
};

struct Event {
  std::size_t item = 0;
  const Step* step = nullptr;
  std::uint32_t warp = 0;
  bool isGeneric = true;                 // by the generic proxy
  std::uint32_t issuer = 0;              // of an operation
  std::vector<std::uint16_t> laneTimes;  // of an access by a warp: any of its lanes may do it
};

struct Access {
  enum class By : std::uint8_t { Nobody, Thread, Operation, Warp } by = By::Nobody;
  std::uint32_t number = 0;
  std::uint16_t time = 0;
  std::uint32_t event = 0;
};

struct Cell {  // four bytes
  Access write;
  std::vector<Access> reads;
};

// ---- mbarriers ----------------------------------------------------------------------------------

struct Waiting {
  std::uint32_t thread = 0;
  std::uint16_t time = 0;
  std::uint32_t event = 0;
};

struct Object {
  std::size_t cell = 0;
  std::int32_t arrivals = 1;
  std::int32_t pending = 1;
  std::int64_t bytes = 0;  // that are still expected
  std::int32_t completed = 0;
  Known released;  // in this phase, to those who wait for it
  Known releasedFenced;
  Known before;  // happens before the phase can complete
  Known beforeByArrival;
  std::vector<Waiting> expects;
  std::vector<Known> phases;  // the complete ones
  std::vector<Known> fenced;
  std::map<std::int32_t, std::vector<Waiting>> waits;  // by phase
  std::map<std::int32_t, std::uint32_t> firstWait;     // that is sure: its event
};

struct ThreadState {
  Known known;
  Known fenced;  // of it, what is in front of a proxy fence
  std::vector<std::uint32_t> openBulk;
  std::vector<std::vector<std::uint32_t>> bulkGroups;
  std::vector<std::uint32_t> openCopies;
  std::vector<std::vector<std::uint32_t>> copyGroups;
  std::vector<std::uint32_t> copies;    // all of them
  std::vector<std::uint32_t> products;  // tcgen05.mma and cp
};

struct WarpState {
  std::vector<std::vector<std::uint32_t>> wgmmas;
  std::vector<std::uint32_t> tensorLoads;
  std::vector<std::uint32_t> tensorStores;
};

// Who makes an access, and what that one knows: each of `threads` must know what came before.
struct Actor {
  Access access;
  std::vector<std::uint32_t> threads;
  bool isGeneric = true;
};

// ---- the model ----------------------------------------------------------------------------------

class Model {
 public:
  Model(Plan& plan, const ModelOptions& options)
      : plan_(plan), options_(options), threads_(plan.threads), warps_(plan.warps()) {
    std::size_t cells = 0;
    for (const Array& array : plan.arrays) {
      arrayCells_.push_back(cells);
      cells += array.bytes / 4;
    }
    std::size_t objects = 0;
    for (const Mbarriers& mbarriers : plan.mbarriers) objects += mbarriers.objects;
    Known nothing;
    nothing.times.resize(plan.threads);
    nothing.phases.resize(objects);
    for (const Mbarriers& mbarriers : plan.mbarriers) {
      firstObject_.push_back(objects_.size());
      for (std::uint32_t k = 0; k < mbarriers.objects; ++k) {
        Object& object = objects_.emplace_back();
        object.cell = cells++;
        object.arrivals = object.pending = static_cast<std::int32_t>(mbarriers.arrivals);
        object.released = object.releasedFenced = object.before = object.beforeByArrival = nothing;
      }
    }
    slotCell_ = cells++;
    tensorCells_ = cells;
    cells_.resize(cells + (plan.hasTensorMemory ? std::size_t{kLanes} * plan.columns : 0));
    for (std::uint32_t t = 0; t < plan.threads; ++t) {
      threads_[t].known = threads_[t].fenced = nothing;
      threads_[t].known.times[t] = 1;
    }
    nothing_ = std::move(nothing);
  }

  std::optional<Violation> run() {
    try {
      const std::vector<Item> items = itemsOf(plan_, plan_.steps);
      for (item_ = 0; item_ < items.size(); ++item_) {
        const Item& item = items[item_];
        if (item.step->op == Op::Roles) {
          roles(*item.step);
        } else {
          if (!canGoOn(item)) fail(Violation::Kind::Wrong, item.step);
          execute(item);
        }
      }
    } catch (const Violation& violation) {
      return violation;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::uint32_t kLanes = 128;

  // ---- violations -------------------------------------------------------------------------------

  [[noreturn]] void fail(Violation::Kind kind, const Step* step) {
    throw Violation{kind, item_, item_, step, step, 0, 0};
  }
  [[noreturn]] void fail(Violation::Kind kind, std::uint32_t first, std::uint32_t second) {
    const Event& a = events_[first];
    const Event& b = events_[second];
    throw Violation{kind, a.item, b.item, a.step, b.step, a.warp, b.warp};
  }

  // ---- control ----------------------------------------------------------------------------------

  static std::uint32_t roundOf(const Item& item) {
    return (item.step->round.isOfLoop ? item.round : 0) + item.step->round.shift;
  }
  bool isSkipped(const Item& item) const {
    return item.step->onlyBelow && roundOf(item) >= plan_.rounds;
  }
  std::vector<std::uint32_t> executing(const Item& item) const {
    std::vector<std::uint32_t> result;
    if (isSkipped(item)) return result;
    for (std::uint32_t t = 0; t < plan_.threads; ++t) {
      if (item.step->who.has(t, options_.elected)) result.push_back(t);
    }
    return result;
  }
  bool canGoOn(const Item& item) {
    const Step& step = *item.step;
    if (step.op != Op::Wait || step.wait == Step::Wait::TimeOut || isSkipped(item)) return true;
    return objectOf(item).completed > phaseOf(item);
  }

  void roles(Step& step) {
    std::vector<Item> arms[] = {itemsOf(plan_, step.first), itemsOf(plan_, step.second)};
    std::size_t at[] = {0, 0};
    bool goesOn = true;
    while (goesOn) {
      goesOn = false;
      for (std::size_t k = 0; k < 2; ++k) {
        while (at[k] < arms[k].size() && canGoOn(arms[k][at[k]])) {
          execute(arms[k][at[k]++]);
          goesOn = true;
        }
      }
    }
    if (at[0] < arms[0].size() || at[1] < arms[1].size()) fail(Violation::Kind::Wrong, &step);
  }

  // ---- accesses ---------------------------------------------------------------------------------

  std::uint32_t newEvent(const Step& step, std::uint32_t thread, bool isGeneric = true) {
    Event& event = events_.emplace_back();
    event.item = item_;
    event.step = &step;
    event.warp = thread / kWarp;
    event.isGeneric = isGeneric;
    event.issuer = thread;
    return static_cast<std::uint32_t>(events_.size() - 1);
  }
  Actor byThread(const Step& step, std::uint32_t t) {
    return {{Access::By::Thread, t, threads_[t].known.times[t], newEvent(step, t)}, {t}, true};
  }
  Actor byWarp(const Step& step, std::uint32_t warp) {
    Actor actor{{Access::By::Warp, warp, 0, newEvent(step, warp * kWarp)}, {}, true};
    for (std::uint32_t lane = 0; lane < kWarp; ++lane) {
      const std::uint32_t t = warp * kWarp + lane;
      actor.threads.push_back(t);
      events_[actor.access.event].laneTimes.push_back(threads_[t].known.times[t]);
    }
    return actor;
  }
  Actor operation(const Step& step, std::vector<std::uint32_t> issuers, bool isGeneric) {
    const std::uint32_t event = newEvent(step, issuers.front(), isGeneric);
    return {{Access::By::Operation, operations_++, 0, event}, std::move(issuers), isGeneric};
  }
  std::vector<std::uint32_t> lanesOf(std::uint32_t warp) const {
    std::vector<std::uint32_t> lanes;
    for (std::uint32_t lane = 0; lane < kWarp; ++lane) lanes.push_back(warp * kWarp + lane);
    return lanes;
  }

  bool covers(const Known& known, const Access& access) const {
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
  bool isKnown(const Actor& actor, const Access& access, bool isFenced) const {
    const auto knows = [&](std::uint32_t t) {
      return covers(isFenced ? threads_[t].fenced : threads_[t].known, access);
    };
    // A checker need not take the lane that does not know.
    return options_.onlyAccesses ? std::ranges::any_of(actor.threads, knows)
                                 : std::ranges::all_of(actor.threads, knows);
  }
  // Operations of one thread on tensor memory that are in order without a wait.
  bool isPipelined(const Access& first, const Access& second) const {
    const Event& a = events_[first.event];
    const Event& b = events_[second.event];
    return first.by == Access::By::Operation && a.issuer == b.issuer && a.step->op == b.step->op &&
           a.step->column == b.step->column &&
           (a.step->op == Op::Mma || a.step->op == Op::TensorCopy);
  }
  // `hasProxies`: the generic and the async proxy both reach these bytes.
  void order(const Actor& actor, const Access& first, bool isWrite, bool wrote, bool hasProxies) {
    if (first.by == Access::By::Nobody || isPipelined(first, actor.access)) return;
    if (!isKnown(actor, first, false)) {
      fail(Violation::Kind::Order, first.event, actor.access.event);
    }
    if (!hasProxies || actor.isGeneric || !events_[first.event].isGeneric) return;
    const bool needsFence =
        (wrote && !isWrite) || (plan_.hasStrictFences && !options_.onlyAccesses);
    if (needsFence && !isKnown(actor, first, true)) {
      fail(Violation::Kind::Fence, first.event, actor.access.event);
    }
  }
  void access(const Actor& actor, std::size_t cell, bool isWrite) {
    Cell& at = cells_[cell];
    const bool mustBeWritten = cell < slotCell_ || cell >= tensorCells_;
    if (!isWrite && mustBeWritten && at.write.by == Access::By::Nobody) {
      const Step* step = events_[actor.access.event].step;
      throw Violation{Violation::Kind::Undefined, item_, item_, step, step, 0, 0};
    }
    const bool hasProxies = cell < slotCell_;
    order(actor, at.write, isWrite, true, hasProxies);
    if (!isWrite) {
      for (Access& read : at.reads) {
        if (read.by == actor.access.by && read.by == Access::By::Thread &&
            read.number == actor.access.number) {
          read = actor.access;
          return;
        }
      }
      at.reads.push_back(actor.access);
      return;
    }
    for (const Access& read : at.reads) order(actor, read, true, false, hasProxies);
    at.reads.clear();
    at.write = actor.access;
  }
  void range(const Actor& actor, std::size_t array, std::uint32_t offset, std::uint32_t bytes,
             bool isWrite) {
    const std::size_t first = arrayCells_[array] + offset / 4;
    if (offset + bytes > plan_.arrays[array].bytes) {
      fail(Violation::Kind::Wrong, events_[actor.access.event].step);
    }
    for (std::size_t k = 0; k < bytes / 4; ++k) access(actor, first + k, isWrite);
  }
  void tensor(const Actor& actor, std::uint32_t lane, std::uint32_t lanes, std::uint32_t column,
              std::uint32_t columns, bool isWrite) {
    for (std::uint32_t l = lane; l < lane + lanes; ++l) {
      for (std::uint32_t c = column; c < column + columns; ++c) {
        access(actor, tensorCells_ + std::size_t{l} * plan_.columns + c, isWrite);
      }
    }
  }

  // ---- one step ---------------------------------------------------------------------------------

  void execute(const Item& item) {
    Step& step = *item.step;
    if (&step == options_.without) return;
    const std::vector<std::uint32_t> who = executing(item);
    if (who.empty()) return;
    switch (step.op) {
      case Op::Barrier:
      case Op::NamedBarrier:
        return synchronise(who);
      case Op::WarpSync:
        return eachWarp(who, [&](std::uint32_t, const auto& lanes) { synchronise(lanes); });
      case Op::Note:
      case Op::Loop:
      case Op::If:
      case Op::Roles:
        return;
      case Op::LoadMatrix:
      case Op::StoreMatrix:
        return matrix(item, who);
      case Op::Wgmma:
      case Op::WgmmaWait:
      case Op::Alloc:
      case Op::Dealloc:
      case Op::TensorLoad:
      case Op::TensorStore:
      case Op::TensorWaitLoad:
      case Op::TensorWaitStore:
        return eachWarp(who, [&](std::uint32_t warp, const auto&) { ofWarp(item, warp); });
      default:
        break;
    }
    for (const std::uint32_t t : who) ofThread(item, t);
  }

  template <class Do>
  void eachWarp(const std::vector<std::uint32_t>& who, const Do& act) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> lanes;
    for (const std::uint32_t t : who) lanes[t / kWarp].push_back(t);
    for (const auto& [warp, threads] : lanes) act(warp, threads);
  }

  void synchronise(const std::vector<std::uint32_t>& who) {
    Known known = nothing_;
    Known fenced = nothing_;
    for (const std::uint32_t t : who) {
      known.join(threads_[t].known);
      fenced.join(threads_[t].fenced);
    }
    for (const std::uint32_t t : who) {
      threads_[t].known = known;
      threads_[t].fenced = fenced;
      ++threads_[t].known.times[t];
    }
  }

  void ofThread(const Item& item, std::uint32_t t) {
    const Step& step = *item.step;
    switch (step.op) {
      case Op::Store:
      case Op::Load:
        return range(byThread(step, t), step.array, addressOf(item, t), step.width,
                     step.op == Op::Store);
      case Op::Fence:
        threads_[t].fenced.join(threads_[t].known);
        ++threads_[t].known.times[t];
        return;
      case Op::Base:
        return access(byThread(step, t), slotCell_, false);
      case Op::Init:
      case Op::Inval:
        for (std::uint32_t k = 0; k < step.objects; ++k) {
          access(byThread(step, t), objects_[firstObject_[step.object] + k].cell, true);
        }
        return;
      case Op::Wait:
        return wait(item, t);
      case Op::Arrive:
      case Op::ArriveExpect:
      case Op::Expect:
      case Op::CopyArrive:
      case Op::Commit:
        return signal(item, t);
      case Op::Mma:
      case Op::TensorCopy:
        return product(item, t);
      default:
        return copy(item, t);
    }
  }

  std::uint32_t addressOf(const Item& item, std::uint32_t t) const {
    return item.step->at.of(t, plan_.threads, roundOf(item));
  }

  // ---- copies -----------------------------------------------------------------------------------

  void copy(const Item& item, std::uint32_t t) {
    const Step& step = *item.step;
    ThreadState& state = threads_[t];
    switch (step.op) {
      case Op::BulkIn: {
        const Actor actor = operation(step, {t}, false);
        range(actor, step.array, addressOf(item, t), step.bytes, true);
        return completeOn(item, t, actor);
      }
      case Op::BulkShared: {
        const Actor actor = operation(step, {t}, false);
        range(actor, step.array, addressOf(item, t), step.bytes, false);
        range(actor, step.other, step.otherAt.of(t, plan_.threads, roundOf(item)), step.bytes,
              true);
        return completeOn(item, t, actor);
      }
      case Op::BulkOut:
      case Op::BulkReduce: {
        const Actor actor = operation(step, {t}, false);
        range(actor, step.array, addressOf(item, t), step.bytes, false);
        state.openBulk.push_back(actor.access.number);
        return;
      }
      case Op::CopyAsync: {
        const Actor actor = operation(step, {t}, true);
        range(actor, step.array, addressOf(item, t), step.width, true);
        state.openCopies.push_back(actor.access.number);
        state.copies.push_back(actor.access.number);
        return;
      }
      case Op::BulkCommit:
        state.bulkGroups.push_back(std::exchange(state.openBulk, {}));
        return;
      case Op::CopyCommit:
        state.copyGroups.push_back(std::exchange(state.openCopies, {}));
        return;
      case Op::BulkWait:
        return learn(state, state.bulkGroups, step.groups);
      case Op::CopyWait:
        return learn(state, state.copyGroups, step.groups);
      default:
        return fail(Violation::Kind::Wrong, &step);
    }
  }

  // All groups but the last ones.
  static void learn(ThreadState& state, const std::vector<std::vector<std::uint32_t>>& groups,
                    std::uint32_t left) {
    for (std::size_t k = 0; k + left < groups.size(); ++k) {
      for (const std::uint32_t operation : groups[k]) state.known.addDone(operation);
    }
  }

  // ---- mbarriers --------------------------------------------------------------------------------

  std::size_t numberOf(const Item& item) const {
    const Step& step = *item.step;
    return firstObject_[step.object] + roundOf(item) % step.objects;
  }
  Object& objectOf(const Item& item) { return objects_[numberOf(item)]; }
  static std::int32_t phaseOf(const Item& item) {
    const Step& step = *item.step;
    return step.phaseBase + static_cast<std::int32_t>(roundOf(item) / step.objects);
  }
  // Does the thread know that the phase is the current one, or the one to wait for?
  void knowsPhase(const Item& item, std::uint32_t t, std::uint32_t event) {
    Object& object = objectOf(item);
    const std::int32_t phase = phaseOf(item);
    if (options_.onlyAccesses || threads_[t].known.phases[numberOf(item)] >= phase) return;
    const auto seen = object.firstWait.find(phase - 1);
    if (seen == object.firstWait.end()) fail(Violation::Kind::Wrong, item.step);
    fail(Violation::Kind::Phase, seen->second, event);
  }

  void wait(const Item& item, std::uint32_t t) {
    const Step& step = *item.step;
    Object& object = objectOf(item);
    ThreadState& state = threads_[t];
    const std::int32_t phase = phaseOf(item);
    const Actor actor = byThread(step, t);
    access(actor, object.cell, false);
    if (phase > 0) knowsPhase(item, t, actor.access.event);
    if (object.completed > phase + 1) fail(Violation::Kind::Wrong, &step);
    object.waits[phase].push_back({t, state.known.times[t], actor.access.event});
    ++state.known.times[t];
    // Few schedules need show that it tells the thread nothing: the phase may be over by then, and
    // a fence behind it acquires.
    const bool isWeak = step.wait == Step::Wait::TimeOut || step.wait == Step::Wait::Relaxed;
    if (phase < 0 || (isWeak && !options_.onlyAccesses)) return;
    if (object.completed <= phase) return;
    state.known.join(object.phases[static_cast<std::size_t>(phase)]);
    state.fenced.join(object.fenced[static_cast<std::size_t>(phase)]);
    std::uint16_t& known = state.known.phases[numberOf(item)];
    known = std::max(known, static_cast<std::uint16_t>(phase + 1));
    object.firstWait.emplace(phase, actor.access.event);
  }

  // Something that is counted in the current phase.
  std::uint32_t meet(const Item& item, std::uint32_t t) {
    const Actor actor = byThread(*item.step, t);
    Object& object = objectOf(item);
    access(actor, object.cell, false);
    if (object.completed != phaseOf(item)) fail(Violation::Kind::Wrong, item.step);
    knowsPhase(item, t, actor.access.event);
    object.before.join(threads_[t].known);
    return actor.access.event;
  }

  void signal(const Item& item, std::uint32_t t) {
    const Step& step = *item.step;
    const std::uint32_t event = meet(item, t);
    Object& object = objectOf(item);
    ThreadState& state = threads_[t];
    if (step.op == Op::ArriveExpect || step.op == Op::Expect) object.bytes += step.bytes;
    if (step.op == Op::Expect) {
      object.expects.push_back({t, state.known.times[t], event});
    } else {
      object.beforeByArrival.join(state.known);
      const bool countsItself = step.op == Op::CopyArrive && !step.noIncrement;
      if (!countsItself) --object.pending;
    }
    const bool releases = step.op == Op::Arrive || step.op == Op::ArriveExpect;
    if (releases && (!step.isRelaxed || options_.onlyAccesses)) {
      object.released.join(state.known);
      object.releasedFenced.join(state.fenced);
    }
    if (step.op == Op::CopyArrive) {
      for (const std::uint32_t copy : state.copies) object.released.addDone(copy);
    }
    if (step.op == Op::Commit) {
      for (const std::uint32_t product : state.products) object.released.addDone(product);
    }
    ++state.known.times[t];
    settle(item, event);
  }

  void completeOn(const Item& item, std::uint32_t t, const Actor& actor) {
    const std::uint32_t event = meet(item, t);
    Object& object = objectOf(item);
    object.bytes -= item.step->bytes;
    object.released.addDone(actor.access.number);
    settle(item, event);
  }

  void settle(const Item& item, std::uint32_t event) {
    Object& object = objectOf(item);
    if (object.pending < 0) fail(Violation::Kind::Wrong, item.step);
    if (object.pending != 0 || object.bytes != 0) return;
    if (!options_.onlyAccesses) {
      // All who wait for the phase before must have done so.
      for (const Waiting& wait : object.waits[object.completed - 1]) {
        if (object.before.times[wait.thread] >= wait.time) continue;
        fail(Violation::Kind::Phase, wait.event, event);
      }
      for (const Waiting& expect : object.expects) {
        if (object.beforeByArrival.times[expect.thread] >= expect.time) continue;
        fail(Violation::Kind::Phase, expect.event, event);
      }
    }
    object.phases.push_back(std::exchange(object.released, nothing_));
    object.fenced.push_back(std::exchange(object.releasedFenced, nothing_));
    object.before = object.beforeByArrival = nothing_;
    object.expects.clear();
    ++object.completed;
    object.pending = object.arrivals;
  }

  // ---- matrices and tensor memory ---------------------------------------------------------------

  void matrix(const Item& item, const std::vector<std::uint32_t>& who) {
    const Step& step = *item.step;
    eachWarp(who, [&](std::uint32_t warp, const auto&) {
      const Actor actor = byWarp(step, warp);
      for (std::uint32_t lane = 0; lane < 8 * step.count; ++lane) {
        range(actor, step.array, addressOf(item, warp * kWarp + lane), 16,
              step.op == Op::StoreMatrix);
      }
    });
  }

  void ofWarp(const Item& item, std::uint32_t warp) {
    const Step& step = *item.step;
    WarpState& state = warps_[warp];
    const std::uint32_t lane = warp % 4 * kWarp;
    switch (step.op) {
      case Op::Wgmma: {
        const Actor actor = operation(step, lanesOf(warp), false);
        const std::uint32_t at = addressOf(item, warp * kWarp);
        range(actor, step.array, at + warp % 4 * (kWgmmaA / 4), kWgmmaA / 4, false);
        range(actor, step.array, at + kWgmmaA, kWgmmaB, false);
        state.wgmmas.push_back({actor.access.number});
        return;
      }
      case Op::WgmmaWait:
        for (const std::uint32_t t : lanesOf(warp)) learn(threads_[t], state.wgmmas, step.groups);
        return;
      case Op::Alloc:
        return access(byWarp(step, warp), slotCell_, true);
      case Op::Dealloc:
        return tensor(byWarp(step, warp), 0, kLanes, 0, plan_.columns, true);
      case Op::TensorLoad:
      case Op::TensorStore: {
        const bool isStore = step.op == Op::TensorStore;
        const Actor actor = operation(step, lanesOf(warp), true);
        tensor(actor, lane, kWarp, step.column, step.count, isStore);
        (isStore ? state.tensorStores : state.tensorLoads).push_back(actor.access.number);
        return;
      }
      default:
        break;
    }
    const auto& waited = step.op == Op::TensorWaitStore ? state.tensorStores : state.tensorLoads;
    for (const std::uint32_t t : lanesOf(warp)) {
      for (const std::uint32_t operation : waited) threads_[t].known.addDone(operation);
    }
  }

  void product(const Item& item, std::uint32_t t) {
    const Step& step = *item.step;
    const Actor actor = operation(step, {t}, false);
    const std::uint32_t at = addressOf(item, t);
    if (step.op == Op::TensorCopy) {
      range(actor, step.array, at, kCopyRows, false);
      tensor(actor, 0, kLanes, step.column, kCopyColumns, true);
    } else {
      range(actor, step.array, at, kMmaA + kWgmmaB, false);
      if (step.accumulates) tensor(actor, 0, kLanes, step.column, kMmaColumns, false);
      tensor(actor, 0, kLanes, step.column, kMmaColumns, true);
    }
    threads_[t].products.push_back(actor.access.number);
  }

  Plan& plan_;
  const ModelOptions& options_;
  std::size_t item_ = 0;
  std::vector<ThreadState> threads_;
  std::vector<WarpState> warps_;
  std::vector<Object> objects_;
  std::vector<std::size_t> firstObject_;
  std::vector<Cell> cells_;
  std::vector<std::size_t> arrayCells_;
  std::size_t slotCell_ = 0;
  std::size_t tensorCells_ = 0;
  std::vector<Event> events_;
  std::uint32_t operations_ = 0;
  Known nothing_;
};

void append(Plan& plan, Steps& steps, std::uint32_t round, std::vector<Item>& items) {
  for (Step& step : steps) {
    if (step.op == Op::If) {
      const bool isTrue = step.isOdd ? round % 2 != 0 : plan.rounds > step.count;
      append(plan, isTrue ? step.first : step.second, round, items);
      continue;
    }
    if (step.op != Op::Loop) {
      items.push_back({&step, &steps, round});
      continue;
    }
    for (std::uint32_t k = 0; k < plan.rounds; ++k) append(plan, step.first, k, items);
  }
}

}  // namespace

std::vector<Item> itemsOf(Plan& plan, Steps& steps) {
  std::vector<Item> items;
  append(plan, steps, 0, items);
  return items;
}

std::optional<Violation> firstViolation(Plan& plan, const ModelOptions& options) {
  return Model(plan, options).run();
}

}  // namespace ptxopt::fuzz::async
