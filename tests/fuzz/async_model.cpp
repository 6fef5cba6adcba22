// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "async_model.h"

#include <algorithm>
#include <map>
#include <utility>

#include "async_history.h"

namespace ptxopt::fuzz::async {

namespace {

// ---- mbarriers ----------------------------------------------------------------------------------

struct Waiting {
  std::uint32_t thread = 0;
  std::uint16_t time = 0;
  std::uint32_t event = 0;
};

struct Object {
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

// ---- the model ----------------------------------------------------------------------------------

class Model {
 public:
  Model(Plan& plan, const ModelOptions& options)
      : plan_(plan),
        options_(options),
        history_(plan, options),
        threads_(plan.threads),
        warps_(plan.warps()) {
    for (const Mbarriers& mbarriers : plan.mbarriers) {
      firstObject_.push_back(objects_.size());
      for (std::uint32_t k = 0; k < mbarriers.objects; ++k) {
        Object& object = objects_.emplace_back();
        object.arrivals = object.pending = static_cast<std::int32_t>(mbarriers.arrivals);
        object.released = object.releasedFenced = object.before = object.beforeByArrival =
            history_.nothing();
      }
    }
  }

  std::optional<Violation> run() {
    try {
      const std::vector<Item> items = itemsOf(plan_, plan_.steps);
      for (std::size_t k = 0; k < items.size(); ++k) {
        const Item& item = items[k];
        history_.setItem(k);
        if (item.step->op == Op::Roles) {
          roles(*item.step);
        } else {
          if (!canGoOn(item)) history_.fail(Violation::Kind::Wrong, item.step);
          execute(item);
        }
      }
    } catch (const Violation& violation) {
      return violation;
    }
    return std::nullopt;
  }

 private:
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
    if (at[0] < arms[0].size() || at[1] < arms[1].size())
      history_.fail(Violation::Kind::Wrong, &step);
  }

  static std::vector<std::uint32_t> lanesOf(std::uint32_t warp) {
    std::vector<std::uint32_t> lanes;
    for (std::uint32_t lane = 0; lane < kWarp; ++lane) lanes.push_back(warp * kWarp + lane);
    return lanes;
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
      case Op::ClusterBarrier:
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
    Known known = history_.nothing();
    Known fenced = history_.nothing();
    for (const std::uint32_t t : who) {
      known.join(history_.knowledge(t).known);
      fenced.join(history_.knowledge(t).fenced);
    }
    for (const std::uint32_t t : who) {
      history_.knowledge(t).known = known;
      history_.knowledge(t).fenced = fenced;
      ++history_.knowledge(t).known.times[t];
    }
  }

  void ofThread(const Item& item, std::uint32_t t) {
    const Step& step = *item.step;
    switch (step.op) {
      case Op::Store:
      case Op::Load:
        return history_.array(history_.byThread(step, t), step.array, addressOf(item, t),
                              step.width, step.op == Op::Store);
      case Op::Fence:
        history_.knowledge(t).fenced.join(history_.knowledge(t).known);
        ++history_.knowledge(t).known.times[t];
        return;
      case Op::Base:
        return history_.slot(history_.byThread(step, t), false);
      case Op::Init:
      case Op::Inval:
        for (std::uint32_t k = 0; k < step.objects; ++k) {
          history_.object(history_.byThread(step, t), firstObject_[step.object] + k, true);
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
        const Actor actor = history_.operation(step, {t}, false);
        history_.array(actor, step.array, addressOf(item, t), step.bytes, true);
        return completeOn(item, t, actor);
      }
      case Op::BulkShared: {
        const Actor actor = history_.operation(step, {t}, false);
        history_.array(actor, step.array, addressOf(item, t), step.bytes, false);
        history_.array(actor, step.other, step.otherAt.of(t, plan_.threads, roundOf(item)),
                       step.bytes, true);
        return completeOn(item, t, actor);
      }
      case Op::BulkOut:
      case Op::BulkReduce: {
        const Actor actor = history_.operation(step, {t}, false);
        history_.array(actor, step.array, addressOf(item, t), step.bytes, false);
        state.openBulk.push_back(actor.access.number);
        return;
      }
      case Op::CopyAsync: {
        const Actor actor = history_.operation(step, {t}, true);
        history_.array(actor, step.array, addressOf(item, t), step.width, true);
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
        return learn(t, state.bulkGroups, step.groups);
      case Op::CopyWait:
        return learn(t, state.copyGroups, step.groups);
      default:
        return history_.fail(Violation::Kind::Wrong, &step);
    }
  }

  // All groups but the last ones.
  void learn(std::uint32_t t, const std::vector<std::vector<std::uint32_t>>& groups,
             std::uint32_t left) {
    for (std::size_t k = 0; k + left < groups.size(); ++k) {
      for (const std::uint32_t operation : groups[k])
        history_.knowledge(t).known.addDone(operation);
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
    if (history_.knowledge(t).known.phases[numberOf(item)] >= phase) return;
    const auto seen = object.firstWait.find(phase - 1);
    if (seen == object.firstWait.end()) history_.fail(Violation::Kind::Wrong, item.step);
    history_.fail(Violation::Kind::Phase, seen->second, event);
  }

  void wait(const Item& item, std::uint32_t t) {
    const Step& step = *item.step;
    Object& object = objectOf(item);
    Knowledge& knowledge = history_.knowledge(t);
    const std::int32_t phase = phaseOf(item);
    const Actor actor = history_.byThread(step, t);
    history_.object(actor, numberOf(item), false);
    if (phase > 0) knowsPhase(item, t, actor.access.event);
    if (object.completed > phase + 1) history_.fail(Violation::Kind::Wrong, &step);
    object.waits[phase].push_back({t, knowledge.known.times[t], actor.access.event});
    ++knowledge.known.times[t];
    // Few schedules need show that it tells the thread nothing: the phase may be over by then, and
    // a fence behind it acquires.
    const bool isWeak = step.wait == Step::Wait::TimeOut || step.wait == Step::Wait::Relaxed;
    if (phase < 0 || (isWeak && !options_.isLenient)) return;
    if (object.completed <= phase) return;
    knowledge.known.join(object.phases[static_cast<std::size_t>(phase)]);
    knowledge.fenced.join(object.fenced[static_cast<std::size_t>(phase)]);
    std::uint16_t& known = knowledge.known.phases[numberOf(item)];
    known = std::max(known, static_cast<std::uint16_t>(phase + 1));
    object.firstWait.emplace(phase, actor.access.event);
  }

  // Something that is counted in the current phase.
  std::uint32_t meet(const Item& item, std::uint32_t t) {
    const Actor actor = history_.byThread(*item.step, t);
    Object& object = objectOf(item);
    history_.object(actor, numberOf(item), false);
    if (object.completed != phaseOf(item)) history_.fail(Violation::Kind::Wrong, item.step);
    knowsPhase(item, t, actor.access.event);
    object.before.join(history_.knowledge(t).known);
    return actor.access.event;
  }

  void signal(const Item& item, std::uint32_t t) {
    const Step& step = *item.step;
    const std::uint32_t event = meet(item, t);
    Object& object = objectOf(item);
    Knowledge& knowledge = history_.knowledge(t);
    const ThreadState& state = threads_[t];
    if (step.op == Op::ArriveExpect || step.op == Op::Expect) object.bytes += step.bytes;
    if (step.op == Op::Expect) {
      object.expects.push_back({t, knowledge.known.times[t], event});
    } else {
      object.beforeByArrival.join(knowledge.known);
      const bool countsItself = step.op == Op::CopyArrive && !step.noIncrement;
      if (!countsItself) object.pending -= static_cast<std::int32_t>(step.count);
    }
    const bool releases = step.op == Op::Arrive || step.op == Op::ArriveExpect;
    if (releases && (!step.isRelaxed || options_.isLenient)) {
      object.released.join(knowledge.known);
      object.releasedFenced.join(knowledge.fenced);
    }
    if (step.op == Op::CopyArrive) {
      for (const std::uint32_t copy : state.copies) object.released.addDone(copy);
    }
    if (step.op == Op::Commit) {
      for (const std::uint32_t product : state.products) object.released.addDone(product);
    }
    ++knowledge.known.times[t];
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
    if (object.pending < 0) history_.fail(Violation::Kind::Wrong, item.step);
    if (object.pending != 0 || object.bytes != 0) return;
    // All who wait for the phase before must have done so.
    for (const Waiting& wait : object.waits[object.completed - 1]) {
      if (object.before.times[wait.thread] >= wait.time) continue;
      history_.fail(Violation::Kind::Phase, wait.event, event);
    }
    for (const Waiting& expect : object.expects) {
      if (object.beforeByArrival.times[expect.thread] >= expect.time) continue;
      history_.fail(Violation::Kind::Phase, expect.event, event);
    }
    object.phases.push_back(std::exchange(object.released, history_.nothing()));
    object.fenced.push_back(std::exchange(object.releasedFenced, history_.nothing()));
    object.before = object.beforeByArrival = history_.nothing();
    object.expects.clear();
    ++object.completed;
    object.pending = object.arrivals;
  }

  // ---- matrices and tensor memory ---------------------------------------------------------------

  void matrix(const Item& item, const std::vector<std::uint32_t>& who) {
    const Step& step = *item.step;
    eachWarp(who, [&](std::uint32_t warp, const auto&) {
      const Actor actor = history_.byWarp(step, warp);
      for (std::uint32_t lane = 0; lane < 8 * step.count; ++lane) {
        history_.array(actor, step.array, addressOf(item, warp * kWarp + lane), 16,
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
        const Actor actor = history_.operation(step, lanesOf(warp), false);
        const std::uint32_t at = addressOf(item, warp * kWarp);
        history_.array(actor, step.array, at + warp % 4 * (kWgmmaA / 4), kWgmmaA / 4, false);
        history_.array(actor, step.array, at + kWgmmaA, kWgmmaB, false);
        state.wgmmas.push_back({actor.access.number});
        return;
      }
      case Op::WgmmaWait:
        for (const std::uint32_t t : lanesOf(warp)) learn(t, state.wgmmas, step.groups);
        return;
      case Op::Alloc:
        return history_.slot(history_.byWarp(step, warp), true);
      case Op::Dealloc:
        return history_.tensor(history_.byWarp(step, warp), 0, History::kLanes, 0, plan_.columns,
                               true);
      case Op::TensorLoad:
      case Op::TensorStore: {
        const bool isStore = step.op == Op::TensorStore;
        const Actor actor = history_.operation(step, lanesOf(warp), true);
        history_.tensor(actor, lane, kWarp, step.column, step.count, isStore);
        (isStore ? state.tensorStores : state.tensorLoads).push_back(actor.access.number);
        return;
      }
      default:
        break;
    }
    const auto& waited = step.op == Op::TensorWaitStore ? state.tensorStores : state.tensorLoads;
    for (const std::uint32_t t : lanesOf(warp)) {
      for (const std::uint32_t operation : waited) history_.knowledge(t).known.addDone(operation);
    }
  }

  void product(const Item& item, std::uint32_t t) {
    const Step& step = *item.step;
    const Actor actor = history_.operation(step, {t}, false);
    const std::uint32_t at = addressOf(item, t);
    if (step.op == Op::TensorCopy) {
      history_.array(actor, step.array, at, kCopyRows, false);
      history_.tensor(actor, 0, History::kLanes, step.column, kCopyColumns, true);
    } else {
      history_.array(actor, step.array, at, kMmaA + kWgmmaB, false);
      if (step.accumulates)
        history_.tensor(actor, 0, History::kLanes, step.column, kMmaColumns, false);
      history_.tensor(actor, 0, History::kLanes, step.column, kMmaColumns, true);
    }
    threads_[t].products.push_back(actor.access.number);
  }

  Plan& plan_;
  const ModelOptions& options_;
  History history_;
  std::vector<ThreadState> threads_;
  std::vector<WarpState> warps_;
  std::vector<Object> objects_;
  std::vector<std::size_t> firstObject_;
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
