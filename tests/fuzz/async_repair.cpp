// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "async_repair.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "async_model.h"

namespace ptxopt::fuzz::async {

namespace {

constexpr std::uint32_t kOtherLane = 7;

// Whoever is elected.
std::optional<Violation> violation(Plan& plan, const Step* without = nullptr) {
  for (const std::uint32_t elected : {0u, kOtherLane}) {
    ModelOptions options;
    options.elected = elected;
    options.without = without;
    if (auto found = firstViolation(plan, options)) return found;
  }
  return std::nullopt;
}

Steps::iterator find(Steps& steps, const Step* step) {
  return std::find_if(steps.begin(), steps.end(), [&](const Step& one) { return &one == step; });
}

void insertBefore(const Item& item, Step step) {
  item.within->insert(find(*item.within, item.step), std::move(step));
}

class Repair {
 public:
  Repair(Plan& plan, Random& random) : plan_(plan), random_(random) {}

  bool run() {
    constexpr std::uint32_t kTries = 60;
    for (std::uint32_t k = 0; k < kTries; ++k) {
      const auto found = violation(plan_);
      if (!found) return true;
      if (!mend(*found)) return false;
    }
    return false;
  }

 private:
  bool mend(const Violation& found) {
    if (found.kind == Violation::Kind::Wrong) return false;
    if (found.kind == Violation::Kind::Undefined) return initialise();
    const std::vector<Item> items = itemsOf(plan_, plan_.steps);
    if (found.firstItem >= found.secondItem) return false;
    const std::size_t span = found.secondItem - found.firstItem;
    const Item& place = items[found.firstItem + 1 + random_.below(span)];
    if (found.kind == Violation::Kind::Fence) {
      insertFence(found, items, place);
      return true;
    }
    insertBefore(place, barrierFor(found));
    return true;
  }

  // Of all, of their warp, or of their warps and those between.
  Step barrierFor(const Violation& found) {
    Step step;
    step.op = Op::Barrier;
    step.spelling = random_.below(8);
    if (plan_.hasClusterBarriers && random_.percent(30)) step.op = Op::ClusterBarrier;
    if (found.kind != Violation::Kind::Order) return step;
    const auto [first, last] = std::minmax(found.firstWarp, found.secondWarp);
    if (first == last && random_.percent(40)) step.op = Op::WarpSync;
    if (first != last && random_.percent(10)) {
      step.op = Op::NamedBarrier;
      step.who = warps(first, last + 1);
    }
    return step;
  }

  // By those who wrote, by those who issue, by all, or now and then by a third thread.
  void insertFence(const Violation& found, const std::vector<Item>& items, const Item& place) {
    Step step;
    step.op = Op::Fence;
    step.spelling = random_.below(3);
    const std::uint32_t choice = random_.below(100);
    if (choice < 35) {
      step.who = found.first->who;
      insertBefore(items[found.firstItem + 1], std::move(step));
    } else if (choice < 55) {
      step.who = found.second->who;
      insertBefore(items[found.secondItem], std::move(step));
    } else {
      if (choice < 75) step.who = thread(random_.below(plan_.threads));
      insertBefore(place, std::move(step));
    }
  }

  // All arrays are written first, by all threads.
  bool initialise() {
    if (isInitialised_) return false;
    isInitialised_ = true;
    for (std::size_t k = 0; k < plan_.arrays.size(); ++k) {
      const std::uint32_t all = plan_.threads * 16;
      for (std::uint32_t at = 0; at < plan_.arrays[k].bytes; at += all) {
        Step step;
        step.op = Op::Store;
        step.array = k;
        step.width = 16;
        step.at.pitch = 16;
        step.at.offset = at;
        if (at + all > plan_.arrays[k].bytes) {
          step.who = {Who::Kind::Below, (plan_.arrays[k].bytes - at) / 16, 0};
        }
        plan_.steps.push_front(std::move(step));
      }
    }
    return true;
  }

  Plan& plan_;
  Random& random_;
  bool isInitialised_ = false;
};

// ---- what nothing needs -------------------------------------------------------------------------

constexpr std::array<const char*, 8> kNotes = {"membar.cta;",
                                               "fence.acq_rel.cta;",
                                               "nanosleep.u32 20;",
                                               "fence.proxy.async;",
                                               "fence.proxy.async.global;",
                                               "griddepcontrol.launch_dependents;",
                                               "griddepcontrol.wait;",
                                               "fence.sc.gpu;"};

class Planter {
 public:
  Planter(Random& random, std::uint32_t percent) : random_(random), percent_(percent) {}

  void plantIn(Steps& steps) {
    for (auto step = steps.begin(); step != steps.end(); ++step) {
      if (step->op == Op::Loop || step->op == Op::If) plantIn(step->first);
      if (step->op == Op::If) plantIn(step->second);
      if (random_.percent(percent_)) barrier(steps, step);
      if (random_.percent(4)) note(steps, step);
    }
    if (random_.percent(percent_)) barrier(steps, steps.end());
  }

 private:
  void barrier(Steps& steps, Steps::iterator before) {
    Step step;
    step.op = Op::Barrier;
    step.isPlanted = true;
    step.spelling = random_.below(8);
    steps.insert(before, std::move(step));
  }
  void note(Steps& steps, Steps::iterator before) {
    Step step;
    step.op = random_.percent(15) ? Op::WarpSync : Op::Note;
    step.text = random_.pick(kNotes);
    steps.insert(before, std::move(step));
  }

  Random& random_;
  std::uint32_t percent_;
};

void barriersIn(Steps& steps, std::vector<Item>& found) {
  for (Step& step : steps) {
    if (step.op == Op::Loop || step.op == Op::If) barriersIn(step.first, found);
    if (step.op == Op::If) barriersIn(step.second, found);
    if (step.op == Op::Barrier) found.push_back({&step, &steps, 0});
  }
}

void markIn(Plan& plan, Steps& steps) {
  for (Step& step : steps) {
    if (step.op == Op::Loop || step.op == Op::If) markIn(plan, step.first);
    if (step.op == Op::If) markIn(plan, step.second);
    if (step.op != Op::Barrier) continue;
    const auto races = [&](std::uint32_t elected) {
      return firstViolation(plan, {elected, &step, true}).has_value();
    };
    step.isNeeded = races(0) && races(kOtherLane);
  }
}

}  // namespace

bool repair(Plan& plan, Random& random) {
  return Repair(plan, random).run();
}

void plant(Plan& plan, Random& random, std::uint32_t percent) {
  Planter(random, percent).plantIn(plan.steps);
}

void prune(Plan& plan, Random& random) {
  std::vector<Item> barriers;
  barriersIn(plan.steps, barriers);
  while (!barriers.empty()) {
    const std::size_t k = random.below(barriers.size());
    const Item barrier = barriers[k];
    barriers.erase(barriers.begin() + static_cast<std::ptrdiff_t>(k));
    if (!violation(plan, barrier.step)) barrier.within->erase(find(*barrier.within, barrier.step));
  }
}

void markNeeded(Plan& plan) {
  markIn(plan, plan.steps);
}

}  // namespace ptxopt::fuzz::async
