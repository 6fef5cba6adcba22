// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wgmma: warps of a warpgroup that diverge, and accesses to registers that nothing orders.
#include <algorithm>

#include "interp/machine_warpgroup.h"

namespace ptxopt::interp {

// ---- warps --------------------------------------------------------------------------------------

bool Machine::Warpgroups::isAbsent(const Cta& cta, std::uint32_t warp) const {
  return warp >= cta.warps.size() || cta.warps[warp].live == 0;
}

void Machine::Warpgroups::involveWarp(Finding& finding, const Cta& cta, std::uint32_t warp) const {
  for (std::uint32_t k = 32 * warp; k < std::min<std::size_t>(32 * warp + 32, cta.threads.size());
       ++k) {
    machine_->involve(finding, machine_->agentOf(cta.threads[k]));
  }
}

// All warps of a warpgroup execute the same instructions, at times of their own.
void Machine::Warpgroups::follow(const Thread& first, const Step& step) {
  Cta& cta = *first.cta;
  const std::uint32_t number = first.warp() / kWarps;
  Group& group = groups_[{&cta, number}];
  const std::uint64_t index = group.executed[first.warp() % kWarps]++;
  if (group.hasDiverged) return;
  if (index < group.firstStep + group.steps.size()) {
    compare(first, step, group.steps[index - group.firstStep], group);
  } else {
    group.steps.push_back(step);
  }
  std::uint64_t done = ~std::uint64_t{0};
  for (std::uint32_t warp = 0; warp < kWarps && !group.hasDiverged; ++warp) {
    const std::uint64_t executed = group.executed[warp];
    if (isAbsent(cta, number * kWarps + warp)) {
      if (executed <= index) reportAbsent(cta, step, number * kWarps + warp, group);
    } else {
      done = std::min(done, executed);
    }
  }
  if (group.hasDiverged) return wakeOthers(cta, first.warp());
  for (; !group.steps.empty() && group.firstStep < done; ++group.firstStep) {
    group.steps.pop_front();
  }
}

void Machine::Warpgroups::compare(const Thread& first, const Step& mine, const Step& other,
                                  Group& group) const {
  const Cta& cta = *first.cta;
  const std::string name = describe(machine_->nameOf(first));
  const std::string otherName =
      describe(machine_->nameOf(cta.threads[std::size_t{other.warp} * 32]));
  if (mine.op != other.op) {
    group.hasDiverged = true;
    Finding& finding = machine_->finding(
        FindingKind::BarrierDivergence, *mine.op,
        "the warps of a warpgroup are at different wgmma instructions: " + name + " is here",
        other.op, "and " + otherName + " is here");
    involveWarp(finding, cta, first.warp());
    involveWarp(finding, cta, other.warp);
    return;
  }
  const bool isSame = mine.descriptorA == other.descriptorA &&
                      mine.descriptorB == other.descriptorB &&
                      mine.accumulates == other.accumulates;
  if (isSame) return;
  Finding& finding = machine_->finding(
      FindingKind::BarrierDivergence, *mine.op,
      "the warps of a warpgroup give different descriptors or values of scale-d: " + name +
          " and " + otherName);
  involveWarp(finding, cta, first.warp());
  involveWarp(finding, cta, other.warp);
}

void Machine::Warpgroups::reportAbsent(const Cta& cta, const Step& step, std::uint32_t absent,
                                       Group& group) const {
  if (group.hasDiverged) return;
  group.hasDiverged = true;
  std::string message = describe(machine_->nameOf(cta.threads[std::size_t{step.warp} * 32])) +
                        " is here, but not all four warps of its warpgroup: ";
  message += absent < cta.warps.size()
                 ? describe(machine_->nameOf(cta.threads[std::size_t{absent} * 32])) + " has exited"
                 : "the CTA has only " + std::to_string(cta.warps.size()) + " warps";
  Finding& finding =
      machine_->finding(FindingKind::BarrierDivergence, *step.op, std::move(message));
  involveWarp(finding, cta, step.warp);
}

// ---- registers ----------------------------------------------------------------------------------

Machine::Warpgroups::Fragment& Machine::Warpgroups::fragmentAt(WarpState& state,
                                                               std::size_t place) {
  if (state.fragments.size() <= place) state.fragments.resize(place + 1);
  return state.fragments[place];
}

void Machine::Warpgroups::touch(const Thread& thread, const Op& op) {
  const auto found = warps_.find({thread.cta, thread.warp()});
  if (found == warps_.end()) return;
  WarpState& state = found->second;
  for (std::int64_t k = 0; k < op.immediate; ++k) {
    const auto touched = TouchedRegister::at(*thread.code, op, k);
    Fragment& fragment = fragmentAt(state, thread.frameBase + touched.slot);
    fragment.touched |= 1u << thread.lane();
    fragment.toucher = &op;
    const bool isWritten = fragment.written > state.waited;
    if (isWritten || fragment.read > state.waited) {
      reportInFlight(thread, op, touched.reg, touched.writes, fragment, isWritten);
    }
  }
}

bool Machine::Warpgroups::touchTogether(const Turn& turn, const Op& op) {
  const Thread& first = *turn.threads[0];
  const auto found = warps_.find({first.cta, first.warp()});
  if (found == warps_.end()) return true;
  WarpState& state = found->second;
  if (!state.products.empty()) return false;
  std::uint32_t lanes = 0;
  for (std::uint32_t k = 0; k < turn.count; ++k) {
    if (turn.threads[k]->frameBase != first.frameBase) return false;
    lanes |= 1u << turn.threads[k]->lane();
  }
  for (std::int64_t k = 0; k < op.immediate; ++k) {
    const auto touched = TouchedRegister::at(*turn.code, op, k);
    Fragment& fragment = fragmentAt(state, first.frameBase + touched.slot);
    fragment.touched |= lanes;
    fragment.toucher = &op;
  }
  return true;
}

void Machine::Warpgroups::reportInFlight(const Thread& thread, const Op& op, std::uint32_t reg,
                                         bool writes, const Fragment& fragment,
                                         bool isWritten) const {
  Finding& finding = machine_->finding(
      FindingKind::RegisterInFlight, op,
      "register '" + thread.code->function->registerName(ir::RegisterId{reg}) + "' is " +
          (writes ? "written" : "read") + " by " + describe(machine_->nameOf(thread)) +
          " while a wgmma may " + (isWritten ? "write" : "read") + " it",
      isWritten ? fragment.writer : fragment.reader,
      "which was issued here, and no wgmma.wait_group has waited for it");
  machine_->involve(finding, machine_->agentOf(thread));
}

void Machine::Warpgroups::reportUnfenced(const Thread& first, const Op& op, const Op* other,
                                         const std::string& what) const {
  Finding& finding = machine_->finding(
      FindingKind::WgmmaFence, op,
      "no wgmma.fence comes before this wgmma of " + describe(machine_->nameOf(first)) +
          (other != nullptr ? " and after another access to its registers" : ""),
      other, what);
  involveWarp(finding, *first.cta, first.warp());
}

// Accumulators of successive products of one shape are in order by themselves; everything else
// needs a wgmma.wait_group, a wgmma.fence or both in between (PTX ISA 9.7.17.7).
void Machine::Warpgroups::checkFragments(const Thread& first, WarpState& state,
                                         const Product& product) const {
  const Op& op = *product.op;
  const WarpgroupForm& form = *product.form;
  const auto isSameShape = [&](const WarpgroupForm& other) {
    const MatrixShape& shape = other.matrix.shape;
    return shape.n == form.matrix.shape.n && shape.k == form.matrix.shape.k;
  };
  const Op* unordered = nullptr;
  const Op* unfenced = nullptr;
  const auto visit = [&](MatrixRole role, auto action) {
    for (const std::uint32_t slot : form.matrix.slotsOf(role)) {
      Fragment& fragment = fragmentAt(state, first.frameBase + slot);
      if (fragment.touched != 0) unfenced = fragment.toucher;
      action(fragment);
    }
  };
  visit(MatrixRole::A, [&](Fragment& fragment) {
    if (fragment.written > state.waited) unordered = fragment.writer;
    if (fragment.written > state.fenced) unfenced = fragment.writer;
    fragment.reader = &op;
    fragment.read = product.clock;
  });
  visit(MatrixRole::D, [&](Fragment& fragment) {
    if (fragment.read > state.waited) unordered = fragment.reader;
    if (fragment.read > state.fenced) unfenced = fragment.reader;
    const bool isOrdered = fragment.written == 0 || isSameShape(*fragment.writerForm);
    if (!isOrdered && fragment.written > state.waited) unordered = fragment.writer;
    if (!isOrdered && fragment.written > state.fenced) unfenced = fragment.writer;
    fragment.writer = &op;
    fragment.writerForm = &form;
    fragment.written = product.clock;
  });
  if (!state.hasFence) {
    reportUnfenced(first, op, nullptr, {});
  } else if (unfenced != nullptr) {
    reportUnfenced(first, op, unfenced, "this is that access");
  }
  if (unordered == nullptr) return;
  Finding& finding = machine_->finding(FindingKind::RegisterInFlight, op,
                                       "this wgmma of " + describe(machine_->nameOf(first)) +
                                           " has registers of one that is not complete",
                                       unordered, "which was issued here");
  involveWarp(finding, *first.cta, first.warp());
}

}  // namespace ptxopt::interp
