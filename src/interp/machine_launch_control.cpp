// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/machine_launch_control.h"

#include <algorithm>

#include "interp/arithmetic/conversion.h"

namespace ptxopt::interp {

namespace {

using isa::Space;

// Seeds modulo 5: in the first four, few clusters start at once, and in one of these a request may
// fail although there is a cluster; in the last one all start, so that every request fails.
constexpr std::uint64_t kSeeds = 5;
constexpr std::uint64_t kSeedThatFails = 3;
constexpr std::uint64_t kFailures = 4;  // one in so many requests

}  // namespace

std::uint64_t Machine::LaunchControl::room(std::uint64_t seed, std::uint64_t most) {
  return seed % kSeeds == kSeeds - 1 ? most : std::min(seed % kSeeds + 1, most);
}

void Machine::LaunchControl::request(const BulkForm& form) {
  Machine& machine = *machine_;
  const Cta& cta = *thread_->cta;
  if (machine.options_.detectsRaces && cta.failedRequest != nullptr) {
    machine.involve(
        machine.finding(FindingKind::ClusterLaunch, *op_,
                        describe(machine.nameOf(*thread_)) +
                            " asks for another cluster, and its CTA has seen a request fail",
                        cta.failedRequest, "this was the request that failed"),
        machine.agentOf(*thread_));
  }
  const auto response = std::make_shared<LaunchResponse>();
  const std::uint64_t to = form.to.in(thread_->frame);
  const std::uint64_t barrier = form.barrier.in(thread_->frame);
  if (!form.isForAll) return issue(form, form.toSpace, to, barrier, response);
  for (std::uint64_t rank = 0; rank < cta.cluster->ctas.size(); ++rank) {
    issue(form, Space::SharedCluster, machine.inRank(to, rank), machine.inRank(barrier, rank),
          response);
  }
}

void Machine::LaunchControl::issue(const BulkForm& form, Space space, std::uint64_t to,
                                   std::uint64_t barrier,
                                   const std::shared_ptr<LaunchResponse>& response) {
  Machine& machine = *machine_;
  auto bulk = std::make_shared<Bulk>();
  bulk->issuer = thread_;
  bulk->op = op_;
  bulk->form = &form;
  bulk->response = response;
  bulk->size = sizeof response->words;
  bulk->to = machine.resolve(*thread_, *op_, space, to, bulk->size, true);
  const BulkAgents agents = machine.trackCompletion(*thread_, bulk, barrier);
  const bool isOwn = bulk->barrier == thread_->cta;
  if (bulk->to.segment != &bulk->barrier->shared || !(isOwn || form.isForAll)) {
    machine.fault(
        FindingKind::OutOfBounds, *op_,
        "a response outside of the shared memory of the CTA, or of that with its mbarrier, by " +
            describe(machine.nameOf(*thread_)));
  }
  if (machine.options_.detectsRaces) machine.checkBulk(*thread_, *bulk, agents);
  machine.launch(bulk);
}

void Machine::LaunchControl::decide(Machine& machine, LaunchResponse& response) {
  if (response.isDecided) return;
  response.isDecided = true;
  const bool refuses = machine.options_.seed % kSeeds == kSeedThatFails &&
                       machine.scheduler_->random(kFailures) == 0;
  if (refuses || machine.nextCluster_ == machine.clusterCount_) {
    response.hasFailed = true;
    return;
  }
  const std::array<std::uint32_t, 3> first = machine.takeCluster();
  response.words = {1, first[0], first[1], first[2]};
  machine.lastEnd_ = machine.steps_;
  if (machine.options_.progress != nullptr) {
    machine.options_.progress->doneCtas += machine.geometry_.cluster.count();
  }
}

void Machine::LaunchControl::loseId() {
  const Undefined& why = machine_->undefined(FindingKind::ClusterLaunch, *op_, *thread_, [&] {
    return describe(machine_->nameOf(*thread_)) +
           " takes the CTA of a request that cancelled no cluster";
  });
  for (std::uint32_t k = 0; k < op_->count; ++k) {
    putUndefined(*thread_, thread_->code->lists[op_->index + k], truncated(~Slot{0}, 32), &why);
  }
}

}  // namespace ptxopt::interp
