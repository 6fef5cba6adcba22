// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/machine.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "interp/arithmetic/conversion.h"
#include "interp/auditor.h"
#include "interp/machine_bulk.h"
#include "interp/machine_launch_control.h"
#include "interp/machine_register_limits.h"
#include "interp/machine_tensor_core.h"
#include "interp/machine_wake.h"
#include "interp/machine_warpgroup.h"

namespace ptxopt::interp {

namespace {

constexpr std::uint64_t kConvergencePatience = 1u << 16;
// Threads that are resident together if nothing orders their CTAs.
constexpr std::uint64_t kFewThreads = 2048;
// Instructions of each resident thread after which one of the CTAs should have ended.
constexpr std::uint64_t kPatienceForEnd = 4096;

}  // namespace

Machine::Machine(Program& program, GlobalMemory& memory, const Geometry& geometry,
                 std::vector<std::uint8_t> parameters, const MachineOptions& options, Share share)
    : program_(&program),
      memory_(&memory),
      geometry_(geometry),
      parameters_(std::move(parameters)),
      options_(options),
      threadsPerCta_(static_cast<std::uint32_t>(geometry.block.count())),
      paddedThreads_((threadsPerCta_ + 31) / 32 * 32),
      share_(share) {
  const std::uint64_t clusters = geometry.grid.count() / geometry.cluster.count();
  clusterCount_ = clusters / share.count + (share.index < clusters % share.count ? 1 : 0);
  const std::uint64_t perCluster = paddedThreads_ * geometry.cluster.count();
  mostResident_ = std::clamp<std::uint64_t>(options.residentThreads / perCluster, 1,
                                            std::max<std::uint64_t>(clusterCount_, 1));
  scheduler_ = std::make_unique<Scheduler>(options.policy, options.seed);
  makeRoomFor(program.requestsClusters() ? LaunchControl::room(options.seed, mostResident_)
              : program.ordersCtas()
                  ? mostResident_
                  : std::clamp<std::uint64_t>(kFewThreads / perCluster, 1, mostResident_));
  // Asynchronous copies may land at once, at the wait, or in between.
  landsEarly_ = options.seed % 3 == 0;
  landsLate_ = options.seed % 3 == 1;
  places_.threadsPerCta = threadsPerCta_;
  places_.ctas = static_cast<std::uint32_t>(geometry.grid.count());
  if (options_.detectsRaces && geometry.cluster.count() > 1) {
    const Dim3& grid = geometry.grid;
    const Dim3& cluster = geometry.cluster;
    for (std::uint64_t cta = 0; cta < grid.count(); ++cta) {
      const auto at = grid.at(cta);
      const std::uint32_t row = at[1] / cluster.y + grid.y / cluster.y * (at[2] / cluster.z);
      places_.clusterOfCta.push_back(at[0] / cluster.x + grid.x / cluster.x * row);
    }
  }
  if (options_.detectsRaces) {
    for (Segment& segment : memory_->segments()) {
      if (!segment.isReadOnly) segment.shadow = std::make_unique<Shadow>(places_);
    }
    if (options_.before != nullptr) recordBefore();
  }
  if (program.audit() != nullptr) startAudit();
}

// The first agent that is no thread stands for all threads of the launch before.
void Machine::recordBefore() {
  owners_.push_back(0);
  ThreadClock nobody;
  nobody.start(firstAsync());
  for (Segment& segment : memory_->segments()) {
    const auto found = options_.before->find(segment.base);
    if (found == options_.before->end() || segment.shadow == nullptr) continue;
    for (const Shadow::Touched& touched : found->second) {
      const Access access{.agent = firstAsync(),
                          .clock = 1,
                          .site = Shadow::kEarlierLaunch,
                          .writes = touched.isWritten};
      Race none;
      segment.shadow->access(touched.begin, static_cast<std::uint32_t>(touched.end - touched.begin),
                             nobody, access, none);
    }
  }
}

Machine::~Machine() {
  for (Segment& segment : memory_->segments()) segment.shadow = nullptr;
}

// ---- threads and frames -------------------------------------------------------------------------

void Machine::makeRoomFor(std::uint64_t clusters) {
  clusters_.resize(clusters);
  threads_.resize(clusters * geometry_.cluster.count() * paddedThreads_);
  scheduler_->grow(threads_.size());
}

bool Machine::startMore() {
  if (clusters_.size() == mostResident_ || nextCluster_ == clusterCount_) return false;
  makeRoomFor(std::min<std::uint64_t>(4 * clusters_.size(), mostResident_));
  startClusters();
  return true;
}

// A thread may poll memory that a thread of a CTA that has not started writes.
bool Machine::isStuck() const {
  return steps_ - lastEnd_ > kPatienceForEnd * threads_.size();
}

std::array<std::uint32_t, 3> Machine::takeCluster() {
  const Dim3& cluster = geometry_.cluster;
  const Dim3 clusters{geometry_.grid.x / cluster.x, geometry_.grid.y / cluster.y,
                      geometry_.grid.z / cluster.z};
  const auto at = clusters.at(share_.index + share_.count * nextCluster_++);
  return {at[0] * cluster.x, at[1] * cluster.y, at[2] * cluster.z};
}

void Machine::startClusters() {
  lastEnd_ = steps_;
  const std::uint64_t ctas = geometry_.cluster.count();
  for (std::size_t place = 0; place < clusters_.size() && nextCluster_ < clusterCount_; ++place) {
    if (clusters_[place] != nullptr && clusters_[place]->live != 0) continue;
    auto cluster = std::make_unique<Cluster>();
    const std::array<std::uint32_t, 3> first = takeCluster();
    for (std::uint64_t rank = 0; rank < ctas; ++rank) {
      auto cta = std::make_unique<Cta>();
      const auto inner = geometry_.cluster.at(rank);
      cta->id = {first[0] + inner[0], first[1] + inner[1], first[2] + inner[2]};
      cta->rank = static_cast<std::uint32_t>(rank);
      cta->cluster = cluster.get();
      const std::uint64_t index =
          cta->id[0] +
          geometry_.grid.x * (cta->id[1] + std::uint64_t{geometry_.grid.y} * cta->id[2]);
      startCta(*cta, index, (place * ctas + rank) * paddedThreads_);
      cluster->live += threadsPerCta_;
      cluster->ctas.push_back(std::move(cta));
    }
    cluster->pending = cluster->live;
    clusters_[place] = std::move(cluster);
  }
}

void Machine::startCta(Cta& cta, std::uint64_t index, std::size_t firstThread) {
  cta.index = index;
  cta.firstThread = firstThread;
  cta.live = threadsPerCta_;
  const std::uint64_t sharedBytes = program_->sharedBytes(geometry_.dynamicShared);
  cta.shared.name = "shared memory";
  cta.shared.isShared = true;
  cta.shared.base = kSharedBase + (std::uint64_t{cta.rank} << kRankShift);
  cta.shared.bytes.resize(sharedBytes);
  forgetUndefined(cta.shared);
  if (options_.detectsRaces) {
    cta.shared.written = WrittenBytes(sharedBytes);
    cta.shared.shadow = std::make_unique<Shadow>(places_);
  }
  cta.threads.resize(threadsPerCta_);
  cta.warps.resize(paddedThreads_ / Frame::kLanes);
  const Code& code = program_->code(0);
  for (Warp& warp : cta.warps) warp.stack.start(code.frame);
  for (std::uint32_t k = 0; k < threadsPerCta_; ++k) {
    Thread& thread = cta.threads[k];
    thread.index = static_cast<std::uint32_t>(firstThread + k);
    thread.linear = k;
    thread.cta = &cta;
    thread.clock.start(agentOf(thread));
    warpOf(thread).live |= 1u << thread.lane();
    start(thread, code, 0, kLocalBase);
    threads_[thread.index] = &thread;
    scheduler_->setRunnable(thread.index);
  }
}

// ---- control ------------------------------------------------------------------------------------

void Machine::run() {
  try {
    runClusters();
  } catch (const Halt&) {
  }
  if (auditor_ != nullptr) finishAudit();
}

void Machine::runClusters() {
  startClusters();
  while (true) {
    const std::size_t index = scheduler_->pick();
    if (index == Scheduler::kNone) {
      if (releaseConverging()) continue;
      const bool anyLive = std::any_of(clusters_.begin(), clusters_.end(), [](const auto& cluster) {
        return cluster != nullptr && cluster->live != 0;
      });
      if (anyLive && startMore()) continue;
      if (anyLive) return reportDeadlock();
      if (nextCluster_ == clusterCount_) break;
      startClusters();
      continue;
    }
    // What follows every kConvergencePatience-th slice must not come late.
    const bool isFar = slices_ % kConvergencePatience < kConvergencePatience - 64;
    if (options_.policy == Policy::RoundRobin && isFar) {
      sliceWarp(*threads_[index]);
      continue;
    }
    slice(*threads_[index]);
    // A thread that spins must not block other threads of its warp.
    if (++slices_ % kConvergencePatience != 0) continue;
    releaseConverging();
    if (isStuck()) startMore();
  }
  completed_ = true;
}

void Machine::slice(Thread& thread) {
  diverge(warpOf(thread));
  if (thread.twin != nullptr) return sliceTwice(thread);
  if (thread.hasCopies()) landSome(thread);
  if (!inFlight_.empty()) landSomeBulk();
  if (warpgroups_ != nullptr) warpgroups_->landSome();
  if (tensorCores_ != nullptr) tensorCores_->landSome();
  goOn(thread, kSlice);
}

void Machine::goOn(Thread& thread, int left) {
  while (left > 0) {
    --left;
    const Op& op = thread.code->ops[thread.pc];
    if (!thread.executes(op)) {
      ++thread.pc;
      continue;
    }
    if (op.action == Action::Pure) {
      op.compute(thread.frame, op);
      ++thread.pc;
      continue;
    }
    if (op.action == Action::Branch) {
      thread.pc = op.index;
      continue;
    }
    if (!execute(thread, op)) break;
  }
  countSteps(thread, kSlice - left);
}

void Machine::countSteps(const Thread& thread, int count) {
  steps_ += static_cast<std::uint64_t>(count);
  if (options_.progress != nullptr) {
    options_.progress->steps.fetch_add(static_cast<std::uint64_t>(count),
                                       std::memory_order_relaxed);
  }
  if (steps_ > options_.stepLimit) {
    fault(FindingKind::StepLimit, thread.op(),
          "stopped after " + std::to_string(options_.stepLimit) +
              " thread-instructions (--step-limit); " + describe(nameOf(thread)) + " is here");
  }
}

bool Machine::execute(Thread& thread, const Op& op) {
  // Whether another thread can see it, so that the slice ends.
  bool isVisible = true;
  switch (op.action) {
    case Action::Pure:
    case Action::Branch:
      return true;  // handled by slice()
    case Action::BranchTable:
      thread.pc = targetOf(thread, op);
      return true;
    case Action::Call:
      call(thread, op);
      return true;
    case Action::Return:
      ret(thread);
      return thread.state == State::Running;
    case Action::Exit:
      exit(thread);
      return false;
    case Action::Trap:
    case Action::Unsupported:
      stop(thread, op);
    case Action::Load:
      isVisible = load(thread, op);
      break;
    case Action::Store:
      isVisible = store(thread, op);
      break;
    case Action::Atomic:
      atomic(thread, op);
      break;
    case Action::Fill:
      isVisible = fill(thread, op);
      break;
    case Action::Fence:
      executeFence(thread, op);
      break;
    case Action::Barrier:
      arriveAtBarrier(thread, op);
      return false;
    case Action::ClusterBarrier:
      clusterBarrier(thread, op);
      return false;
    case Action::Collective:
      arriveAtCollective(thread, op);
      return thread.state == State::Running && thread.twin == nullptr;
    case Action::CopyAsync:
    case Action::CommitAsync:
    case Action::WaitAsync:
    case Action::ArriveAsync:
    case Action::Bulk:
    case Action::CommitBulk:
    case Action::WaitBulk:
    case Action::Mbarrier:
    case Action::TensorCore:
    case Action::ReplaceField:
    case Action::Multimem:
    case Action::Texture:
      executeAsync(thread, op);
      break;
    case Action::CheckWritten:
    case Action::CheckCancelled:
      if (options_.detectsRaces && thread.frame[op.a] == 0) loseValues(thread, op);
      isVisible = thread.twin != nullptr;
      break;
    case Action::Stack:
    case Action::Audit:
    case Action::TouchFragments:
    case Action::TensorFence:
    case Action::Timer:
    case Action::ProxyFence:
    case Action::Nothing:
      const bool ranOnce = thread.twin == nullptr;
      executeAlone(thread, op);
      isVisible = ranOnce && thread.twin != nullptr;  // from now on it runs twice
      break;
  }
  ++thread.pc;
  return !isVisible;
}

void Machine::stop(const Thread& thread, const Op& op) {
  if (op.action == Action::Trap) {
    fault(FindingKind::Trap, op, "trap in " + describe(nameOf(thread)));
  }
  fault(FindingKind::Unsupported, op,
        "'" + std::string(op.origin->desc->mnemonic) +
            "' is not supported: " + thread.code->problems[op.index]);
}

// What concerns no other thread.
void Machine::executeAlone(Thread& thread, const Op& op) {
  switch (op.action) {
    case Action::Stack:
      return moveStack(thread, op);
    case Action::Audit:
      return audit(thread, op);
    case Action::TouchFragments:
      if (warpgroups_ != nullptr) warpgroups_->touch(thread, op);
      if (tensorCores_ != nullptr) tensorCores_->touch(thread, op);
      return;
    case Action::TensorFence:
      if (tensorCores_ != nullptr) tensorCores_->fence(thread, op);
      return;
    case Action::Timer:
      thread.frame[op.d] = truncated(steps_ >> op.detail, op.width);
      return;
    case Action::ProxyFence:
      if (options_.detectsRaces) thread.clock.fence(op.detail);
      return;
    default:
      return;  // Nothing; the rest is in execute()
  }
}

std::uint32_t Machine::targetOf(const Thread& thread, const Op& table) {
  const Slot index = thread.frame[table.a] & 0xffffffffu;
  if (index >= static_cast<std::uint64_t>(table.immediate)) {
    fault(FindingKind::OutOfBounds, table, "brx.idx after the end of its list");
  }
  return thread.code->lists[table.index + index];
}

void Machine::executeFence(Thread& thread, const Op& op) {
  if (share_.count > 1) std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!options_.detectsRaces) return;
  if (op.is(kWait)) {  // griddepcontrol.wait
    if (options_.before != nullptr) thread.clock.learn(Snapshot{nullptr, firstAsync(), 1});
    return;
  }
  const bool acquires = op.semantics == isa::Semantics::Acquire;
  if (op.detail != 0 && !acquires) thread.clock.fence(op.detail);
  // membar has no semantics among its qualifiers: it is fence.sc (docs/soundness/ A3.3).  A fence
  // without semantics is acq_rel.
  const bool isMembar = op.origin->is(isa::Opcode::Membar);
  if (isMembar || op.semantics == isa::Semantics::Sc) {
    const std::size_t level = levelOf(op.scope);
    if (level > 1) fenceSc(thread.clock, op.scope, fences_);
    if (level > 0) fenceSc(thread.clock, op.scope, thread.cta->cluster->fences);
    fenceSc(thread.clock, op.scope, thread.cta->fences);
    return;
  }
  const bool isPlain = op.semantics == isa::Semantics::None;
  fence(thread.clock, isPlain ? isa::Semantics::AcqRel : op.semantics, op.scope);
  if (!acquires) return;
  if (op.detail == setOf(Proxy::TensorMap)) return acquireMap(thread, op);
  if (op.detail != 0) thread.clock.fence(op.detail);
}

void Machine::exit(Thread& thread) {
  if (warpgroups_ != nullptr) warpgroups_->exit(thread);
  if (registerLimits_ != nullptr) registerLimits_->exit(thread);
  if (tensorCores_ != nullptr) tensorCores_->exit(thread);
  landCopies(thread, thread.clock.copies);
  thread.copies.clear();
  block(thread, State::Exited);
  Cta& cta = *thread.cta;
  Cluster& cluster = *cta.cluster;
  --cta.live;
  --cluster.live;
  if (cta.live == 0 && !inFlight_.empty()) landStoresOf(cta);
  if (cta.live == 0 && options_.detectsRaces) checkBulksOf(cta);
  if (auditor_ != nullptr) auditor_->threadEnds(cta.index, thread.linear);
  if (cluster.live == 0) {
    lastEnd_ = steps_;
    if (options_.progress != nullptr) options_.progress->doneCtas += cluster.ctas.size();
    landBulksOf(cluster);
    if (options_.detectsRaces) checkMbarriersAtEnd(cluster);
  }
  if (!(thread.arrivedAtCluster && thread.clusterPhase == cluster.phase)) --cluster.pending;
  // The frame is no longer needed; the rest of the thread may still be named in messages.
  thread.twin = nullptr;
  thread.local = {};
  thread.calls = {};
  if (warpOf(thread).live == 0) {
    warpOf(thread).stack = {};
    warpOf(thread).twins = {};
  }

  settleCollective(cta, thread.warp());
  if (warpgroups_ != nullptr) warpgroups_->settle();
  if (tensorCores_ != nullptr) tensorCores_->settle();
  settleWarpAtBarrier(cta, thread.warp());
  for (Barrier& barrier : cta.barriers) settleBarrier(cta, barrier);
  settleCluster(cluster);
}

// Releases the lanes of a warp that wait at one instruction without a mask.
bool Machine::releaseConverging(Cta& cta, std::uint32_t warp) {
  const Op* first = nullptr;
  std::uint32_t lanes = 0;
  for (const Thread& thread : lanesOf(cta, warp)) {
    if (thread.state != State::AtCollective || thread.op().is(kHasMask)) continue;
    if (first == nullptr) first = &thread.op();
    if (&thread.op() == first) lanes |= 1u << thread.lane();
  }
  if (lanes == 0) return false;
  runCollective(cta, warp, lanes);
  return true;
}

bool Machine::releaseConverging() {
  bool any = false;
  for (const auto& cluster : clusters_) {
    if (cluster == nullptr) continue;
    for (const auto& cta : cluster->ctas) {
      for (std::uint32_t warp = 0; warp * 32 < threadsPerCta_; ++warp) {
        any = releaseConverging(*cta, warp) || any;
      }
    }
  }
  return any;
}

// ---- findings -----------------------------------------------------------------------------------

AgentId Machine::agentOf(const Thread& thread) const {
  return static_cast<AgentId>(thread.cta->index * paddedThreads_ + thread.linear);
}

Home Machine::homeOf(const Thread& thread) const {
  const auto cta = static_cast<std::uint32_t>(thread.cta->index);
  return {cta, places_.clusterOf(cta)};
}

ThreadName Machine::nameOf(const Thread& thread) const {
  return {thread.cta->id, geometry_.block.at(thread.linear)};
}

std::uint64_t Machine::threadOfAgent(AgentId agent) const {
  const AgentId first = firstAsync();
  return agent >= first ? owners_[agent - first] : agent % copiesOf(0);
}

ThreadName Machine::nameOfAgent(AgentId agent) const {
  const std::uint64_t thread = threadOfAgent(agent);
  return {geometry_.grid.at(thread / paddedThreads_), geometry_.block.at(thread % paddedThreads_)};
}

Finding& Machine::finding(FindingKind kind, const Op& op, std::string message, const Op* other,
                          std::string otherMessage) {
  static constexpr char kKinds[kFindingKinds] = {};
  const std::array<const void*, 3> key = {&kKinds[static_cast<int>(kind)], op.origin,
                                          other != nullptr ? other->origin : nullptr};
  const auto [at, isNew] = reported_.try_emplace(key, findings_.size());
  if (isNew) {
    findings_.push_back({kind, op.origin, std::move(message),
                         other != nullptr ? other->origin : nullptr, std::move(otherMessage)});
  }
  return findings_[at->second];
}

void Machine::involve(Finding& finding, AgentId agent) const {
  const std::uint64_t thread = threadOfAgent(agent);
  finding.threads.emplace(thread / paddedThreads_,
                          static_cast<std::uint32_t>(thread % paddedThreads_));
}

void Machine::fault(FindingKind kind, const Op& op, std::string message) {
  finding(kind, op, std::move(message));
  throw Halt{};
}

void Machine::reportDeadlock() {
  // One finding for each place at which threads wait.
  struct Group {
    const Thread* first = nullptr;
    std::size_t count = 0;
  };
  std::map<const Op*, Group> groups;
  for (const auto& cluster : clusters_) {
    if (cluster == nullptr) continue;
    for (const auto& cta : cluster->ctas) {
      for (const Thread& thread : cta->threads) {
        if (thread.state == State::Exited) continue;
        Group& group = groups[&thread.op()];
        if (group.first == nullptr) group.first = &thread;
        ++group.count;
      }
    }
  }
  for (const auto& [op, group] : groups) {
    const Thread& thread = *group.first;
    std::string message = std::to_string(group.count) + " thread" + (group.count == 1 ? "" : "s") +
                          " wait here for ever, " + describe(nameOf(thread)) + " among them";
    if (thread.state == State::InBarrier) {
      const Barrier& barrier = thread.cta->barriers[thread.barrier];
      message += "; barrier " + std::to_string(thread.barrier) + " has " +
                 std::to_string(barrier.arrivedWarps * 32) + " of " +
                 std::to_string(barrier.count != 0 ? barrier.count : thread.cta->live) + " threads";
    } else if (thread.state == State::AtBarrier) {
      message +=
          "; other threads of its warp do not come to barrier " + std::to_string(thread.barrier);
    } else if (thread.state == State::AtCollective) {
      for (const Thread& lane : thread.cta->threads) {
        const bool awaited = lane.warp() == thread.warp() &&
                             (thread.mask >> lane.lane() & 1) != 0 && lane.state != State::Exited &&
                             &lane.op() != op;
        if (!awaited) continue;
        finding(FindingKind::Deadlock, *op, message + "; its mask names " + describe(nameOf(lane)),
                &lane.op(), "which waits here");
        message.clear();
        break;
      }
    }
    if (!message.empty()) finding(FindingKind::Deadlock, *op, message);
  }
}

}  // namespace ptxopt::interp
