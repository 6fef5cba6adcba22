// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// setmaxnreg: warps of a warpgroup that do not all execute it, or not in step.
#include "interp/machine_register_limits.h"

#include <algorithm>
#include <bit>

namespace ptxopt::interp {

namespace {

// The registers of a thread after it.
std::int64_t countOf(const Op& op) {
  return op.immediate;
}

}  // namespace

void Machine::RegisterLimits::run(Cta& cta, std::uint32_t warp, std::uint32_t lanes, const Op& op) {
  Group& group = groups_[{&cta, warp / kWarps}];
  const std::span<Thread> threads = machine_->lanesOf(cta, warp);
  const bool isWhole = lanes == ~0u && std::all_of(threads.begin(), threads.end(),
                                                   [&](const Thread& t) { return &t.op() == &op; });
  if (!isWhole) {
    report(group, cta, warp, op,
           "not all 32 threads of a warp are here: " +
               describe(machine_->nameOf(threads[std::countr_zero(lanes)])) + " is");
  }
  checkSynchronised(cta, warp, op, group);
  Step step{&op, {}};
  if (machine_->options_.detectsRaces) {
    for (Thread& thread : threads) step.clocks[thread.lane()] = thread.clock.release().own;
  }
  group.steps[warp % kWarps].push_back(step);
  checkSame(cta, warp, group);
}

// The step that the warp has just executed, and the same one of the other warps.
void Machine::RegisterLimits::checkSame(const Cta& cta, std::uint32_t warp, Group& group) const {
  const std::size_t index = group.steps[warp % kWarps].size() - 1;
  const Op& op = *group.steps[warp % kWarps][index].op;
  const std::string here = describe(machine_->nameOf(firstOf(cta, warp))) + " is here";
  const std::uint32_t first = warp / kWarps * kWarps;
  for (std::uint32_t other = first; other < first + kWarps; ++other) {
    const std::vector<Step>& steps = group.steps[other % kWarps];
    const std::string part = here + ", but not all four warps of its warpgroup: ";
    if (other >= cta.warps.size()) {
      report(group, cta, warp, op,
             part + "the CTA has only " + std::to_string(cta.warps.size()) + " warps");
    } else if (steps.size() > index) {
      if (countOf(*steps[index].op) == countOf(op)) continue;
      report(group, cta, warp, op,
             "the warps of a warpgroup set different numbers of registers: " + here,
             steps[index].op,
             "and " + describe(machine_->nameOf(firstOf(cta, other))) + " was here");
    } else if (cta.warps[other].live == 0) {
      report(group, cta, warp, op,
             part + describe(machine_->nameOf(firstOf(cta, other))) + " has exited");
    }
  }
}

// What the other warps did last must be known before the next one, unless it changes nothing.
void Machine::RegisterLimits::checkSynchronised(Cta& cta, std::uint32_t warp, const Op& op,
                                                Group& group) const {
  const std::size_t next = group.steps[warp % kWarps].size();
  if (next == 0) return;
  const Op& last = *group.steps[warp % kWarps][next - 1].op;
  if (countOf(last) == countOf(op)) return;
  const std::uint32_t first = warp / kWarps * kWarps;
  const std::size_t end = std::min<std::size_t>(first + kWarps, cta.warps.size());
  for (std::uint32_t other = first; other < end; ++other) {
    const std::vector<Step>& steps = group.steps[other % kWarps];
    const bool isDone = steps.size() >= next;
    if (other == warp || (isDone && knows(cta, warp, other, steps[next - 1]))) continue;
    report(group, cta, warp, op,
           describe(machine_->nameOf(firstOf(cta, warp))) +
               " is here, and its warp has not synchronised with that of " +
               describe(machine_->nameOf(firstOf(cta, other))) + " since the last setmaxnreg",
           &last, "which was here");
  }
}

// Some thread of the warp is ordered after some thread of the other one at this step.
bool Machine::RegisterLimits::knows(Cta& cta, std::uint32_t warp, std::uint32_t other,
                                    const Step& step) const {
  if (!machine_->options_.detectsRaces) return true;
  const std::span<Thread> others = machine_->lanesOf(cta, other);
  const std::span<Thread> threads = machine_->lanesOf(cta, warp);
  return std::any_of(threads.begin(), threads.end(), [&](const Thread& thread) {
    return std::any_of(others.begin(), others.end(), [&](const Thread& executed) {
      return thread.clock.knows(machine_->agentOf(executed), step.clocks[executed.lane()]);
    });
  });
}

void Machine::RegisterLimits::report(Group& group, const Cta& cta, std::uint32_t warp, const Op& op,
                                     std::string message, const Op* other,
                                     std::string otherMessage) const {
  if (group.isReported) return;
  group.isReported = true;
  Finding& finding = machine_->finding(FindingKind::BarrierDivergence, op, std::move(message),
                                       other, std::move(otherMessage));
  for (std::size_t k = std::size_t{warp} * 32;
       k < std::min<std::size_t>(std::size_t{warp} * 32 + 32, cta.threads.size()); ++k) {
    machine_->involve(finding, machine_->agentOf(cta.threads[k]));
  }
}

void Machine::RegisterLimits::exit(const Thread& thread) {
  const auto found = groups_.find({thread.cta, thread.warp() / kWarps});
  if (found == groups_.end()) return;
  if ((warpOf(thread).live & ~(1u << thread.lane())) != 0) return;
  Group& group = found->second;
  const Cta& cta = *thread.cta;
  const std::uint32_t first = thread.warp() / kWarps * kWarps;
  const std::size_t end = std::min<std::size_t>(first + kWarps, cta.warps.size());
  const std::size_t executed = group.steps[thread.warp() % kWarps].size();
  bool isLast = true;
  for (std::uint32_t other = first; other < end; ++other) {
    isLast = isLast && (other == thread.warp() || cta.warps[other].live == 0);
    if (group.steps[other % kWarps].size() <= executed) continue;
    report(group, cta, other, *group.steps[other % kWarps][executed].op,
           describe(machine_->nameOf(firstOf(cta, other))) +
               " was here, but not all four warps of its warpgroup: " +
               describe(machine_->nameOf(firstOf(cta, thread.warp()))) + " has exited");
  }
  if (isLast) groups_.erase(found);
}

}  // namespace ptxopt::interp
