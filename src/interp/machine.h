// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs one launch of a kernel.
//
// All CTAs of the grid are resident, up to Options::residentThreads; the others start when these
// have ended.  If nothing orders the CTAs (Program::ordersCtas()), only a few are, so that their
// threads stay in the caches; more start if these wait or do not end for long.  A thread runs until
// it has executed one operation that another thread can see (an access to shared or global memory,
// a barrier, a collective, a fence); then the scheduler chooses again.  No other order matters.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "interp/machine_options.h"
#include "interp/mbarrier.h"
#include "interp/memory.h"
#include "interp/pending.h"
#include "interp/program.h"
#include "interp/progress.h"
#include "interp/report.h"
#include "interp/scheduler.h"

namespace ptxopt::interp {

class Auditor;
struct AuditAccess;
struct AuditCounts;

class Machine {
 public:
  // `memory` contains the image and the buffers, and receives the writes of the kernel.
  Machine(Program& program, GlobalMemory& memory, const Geometry& geometry,
          std::vector<std::uint8_t> parameters, const MachineOptions& options, Share share = {});
  ~Machine();

  // Returns when every thread has exited, or after a fault (the last finding says which).
  void run();

  const std::vector<Finding>& findings() const { return findings_; }
  bool completed() const { return completed_; }
  const std::string& printed() const { return printed_; }
  std::uint64_t steps() const { return steps_; }
  bool readsUndefined() const { return !undefined_.empty(); }
  const AuditCounts* auditCounts() const;  // null without claims

 private:
  struct Halt {};  // thrown by a fault
  // A thread yields after this many instructions without an effect that other threads can see.
  static constexpr int kSlice = 4096;
  enum class State : std::uint8_t {
    Running,
    AtBarrier,
    InBarrier,
    AtCluster,
    AtCollective,
    Exited
  };
  struct Cta;
  struct Cluster;
  struct Thread;
  struct CallFrame {
    const Code* code;
    const CallSite* site;
    std::uint32_t returnTo;
    std::size_t frame;
    std::uint64_t localBase;
    std::uint64_t localTop;
  };
  struct Place {
    std::uint8_t* data = nullptr;
    Segment* segment = nullptr;  // null: memory of the thread
    std::uint64_t offset = 0;
  };
  // cp.async.
  struct PendingCopy {
    Place to;
    Place from;
    std::uint32_t size = 0;
    std::uint32_t sourceSize = 0;
    std::uint32_t clock = 0;
    bool committed = false;
    bool landed = false;
    std::uint32_t group = 0;
  };
  struct Bulk;  // machine_bulk.h
  struct StrongWrite;
  // Why a value is undefined.
  struct Undefined {
    FindingKind kind;
    const Op* op;
    std::string message;
  };
  // A thread with undefined values runs twice: its twin has other ones.  What differs depends on
  // them (machine_undefined.cpp).
  struct Twin {
    // Its slots are in Warp::twins.
    std::vector<const Undefined*> origins;   // of each slot, if it differs
    std::vector<std::uint8_t> local;         // as that of the thread
    const Undefined* localOrigin = nullptr;  // of the bytes of local memory that differ
  };
  struct LaneValues {
    std::array<Slot, 32> values{};
    std::array<Slot, 32> twins{};
    std::array<const Undefined*, 32> origins{};  // null where both are the same
  };
  struct Thread {
    // First what every slice touches.
    std::uint32_t index = 0;   // in the scheduler
    std::uint32_t linear = 0;  // in the CTA
    Frame frame;
    const Code* code = nullptr;
    Cta* cta = nullptr;
    std::uint32_t pc = 0;
    State state = State::Running;
    std::unique_ptr<Twin> twin;  // null: all values are defined
    ThreadClock clock;
    std::size_t frameBase = 0;  // the first slot of the frame
    std::size_t stackSize = 0;  // in slots
    std::vector<CallFrame> calls;
    std::vector<std::uint8_t> local;
    std::uint64_t localBase = 0;  // of the frame
    std::uint64_t localTop = 0;
    std::uint32_t mask = 0;     // of the collective at which it waits
    std::uint32_t barrier = 0;  // at which it waits
    std::uint64_t clusterPhase = 0;
    bool arrivedAtCluster = false;
    std::vector<PendingCopy> copies;  // the oldest first
    std::uint32_t copyGroup = 0;
    std::vector<TrackedArrival> trackedArrivals;
    std::vector<std::shared_ptr<Bulk>> bulks;  // of its bulk groups, the oldest first
    std::uint32_t bulkGroup = 0;
    std::uint32_t bulkClock = 0;
    AgentId bulkReads = 0;  // agents; 0 before the first
    AgentId bulkWrites = 0;
    MapReads mapReads;

    const Op& op() const { return code->ops[pc]; }
    bool executes(const Op& op) const { return frame[op.guard] == op.guardExpected; }
    bool hasCopies() const { return clock.copies != 0 && !copies.empty(); }
    std::uint32_t lane() const { return linear % 32; }
    std::uint32_t warp() const { return linear / 32; }
  };
  struct Barrier {
    std::uint32_t arrivedWarps = 0;  // each counts as 32 threads
    std::uint64_t arrived = 0;       // a bit for each warp
    std::uint64_t count = 0;         // of threads; 0: all of the CTA
    bool isActive = false;
    const Op* first = nullptr;
    std::vector<Thread*> waiting;
    std::uint32_t population = 0;
    bool conjunction = true;
    bool disjunction = false;
    ClockJoin clocks;
  };
  struct MbarrierHistory : MbarrierPhases {
    std::vector<Thread*> trackers;  // threads with a tracked arrival on it
  };
  // Threads of a warp at one instruction that have their turns one after the other.
  struct Turn {
    std::array<Thread*, 32> threads;
    std::array<const ThreadClock*, 32> clocks;
    std::uint32_t count = 0;
    // A bit for each thread whose frame does not follow that of the thread before.
    std::uint32_t breaks = 0;
    // Neighbours in the warp that know the same but for what they did themselves, at the same clock
    // of each.
    bool isUniform = true;
    const Code* code = nullptr;
    std::uint32_t pc = 0;
    int left = kSlice;  // instructions

    std::uint32_t all() const { return ~0u >> (32 - count); }
    // visit(frame of the first, number of the first, count) for all threads of the set, grouped by
    // frames that follow each other.
    template <class Visit>
    void forGroups(std::uint32_t set, Visit visit) const;
  };
  struct Warp {
    std::uint32_t live = 0;          // lanes that have not exited
    std::uint32_t atCollective = 0;  // lanes in this state
    WarpStack stack;
    WarpStack twins;  // of the threads that run twice
    // If `isConverged`, the threads of this turn are at its `pc`, whatever theirs says.
    Turn turn;
    bool isConverged = false;
  };
  struct Cta {
    std::uint64_t index = 0;
    std::array<std::uint32_t, 3> id{};
    Cluster* cluster = nullptr;
    std::uint32_t rank = 0;
    std::size_t firstThread = 0;  // in the scheduler
    std::vector<Thread> threads;
    std::vector<Warp> warps;
    std::uint32_t live = 0;
    Segment shared;
    std::array<Barrier, 16> barriers;
    std::map<std::uint64_t, MbarrierHistory> mbarriers;
    BulkUses bulkUses;
    ClockRef fences;                    // fence.sc.cta
    const Op* failedRequest = nullptr;  // clusterlaunchcontrol.try_cancel that it has seen fail
  };
  struct Cluster {
    std::vector<std::unique_ptr<Cta>> ctas;
    std::uint64_t phase = 0;
    std::uint32_t live = 0;
    std::uint32_t pending = 0;  // live threads that have not arrived in this phase
    std::uint32_t waiting = 0;  // threads at barrier.cluster.wait
    ClockJoin clocks;
    ClockRef lastClock;
    ClockRef fences;  // fence.sc.cluster
  };

  // machine.cpp: threads and control
  void recordBefore();
  void runClusters();
  void makeRoomFor(std::uint64_t clusters);
  void startClusters();
  std::array<std::uint32_t, 3> takeCluster();  // the next that has not started: its first CTA
  bool startMore();                            // while others run; false: there are no more
  bool isStuck() const;
  void startCta(Cta& cta, std::uint64_t index, std::size_t firstThread);
  void slice(Thread& thread);
  void goOn(Thread& thread, int left);  // the rest of a slice, at most `left` instructions
  void countSteps(const Thread& thread, int count);
  bool execute(Thread& thread, const Op& op);  // false: the slice ends
  [[noreturn]] void stop(const Thread& thread, const Op& op);
  void executeAlone(Thread& thread, const Op& op);
  std::uint32_t targetOf(const Thread& thread, const Op& table);
  void exit(Thread& thread);
  bool releaseConverging();
  bool releaseConverging(Cta& cta, std::uint32_t warp);
  void reportDeadlock();
  void executeFence(Thread& thread, const Op& op);
  void wake(Thread& thread);                // machine_wake.h
  void block(Thread& thread, State state);  // machine_wake.h
  // One for each kind and pair of places.
  Finding& finding(FindingKind kind, const Op& op, std::string message, const Op* other = nullptr,
                   std::string otherMessage = {});
  void involve(Finding& finding, AgentId agent) const;
  [[noreturn]] void fault(FindingKind kind, const Op& op, std::string message);
  ThreadName nameOf(const Thread& thread) const;
  ThreadName nameOfAgent(AgentId agent) const;
  std::uint64_t threadOfAgent(AgentId agent) const;  // its number in the grid
  AgentId agentOf(const Thread& thread) const;
  Home homeOf(const Thread& thread) const;

  // machine_warp.cpp
  // An access to a segment by threads of a turn, one after the other.
  struct TurnAccess {
    std::span<Thread* const> threads;
    bool isDense = false;  // the frames follow each other
    std::array<std::uint64_t, 32> offsets;
    // From one offset to the next, if that is always the same.
    std::optional<std::int64_t> step;

    // visit(function from the number of a thread to its frame).
    template <class Visit>
    void withFrames(Visit visit) const;
  };
  void sliceWarp(Thread& first);  // with the threads of its warp whose turns follow
  void findTurn(Thread& first, Turn& turn) const;
  static void diverge(Warp& warp);  // before one of its threads changes by itself
  void runTogether(Turn& turn) const;
  static std::uint32_t executing(const Turn& turn, const Op& op);
  bool loadParameter(const Turn& turn, const Op& op) const;
  bool touchTogether(const Turn& turn, const Op& op) const;
  bool finish(Turn& turn);
  std::uint32_t accessTogether(const Turn& turn, const Op& op, std::uint32_t first);
  static bool findRegularOffsets(TurnAccess& access, const Op& op, const Segment& segment);
  static std::size_t countInside(const TurnAccess& access, const Op& op, const Segment& segment);
  bool isWritten(const TurnAccess& access, const Segment& segment, std::uint32_t size) const;
  void moveTogether(const TurnAccess& access, const Op& op, Segment& segment) const;
  void recordTogether(const Turn& turn, std::uint32_t first, const TurnAccess& access, const Op& op,
                      Segment& segment);

  // machine_audit.cpp
  struct AuditedBytes {
    std::uint32_t operand = 0;
    isa::Space space = isa::Space::None;
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    bool reads = false;
    bool writes = false;
    bool isCollective = false;
    bool isIssue = false, isOnPhase = false;
  };
  void startAudit();
  void finishAudit();
  void audit(Thread& thread, const Op& op);
  std::string valuesOf(Thread& thread, const std::vector<Transfer>& transfers);
  void auditTransfers(Thread& thread, const AuditStep& step, const Op& op,
                      const std::vector<Transfer>& transfers);
  void auditBytes(Thread& thread, const AuditStep& step, const Op& op, const AuditedBytes& bytes);
  static void findFrame(const Thread& thread, AuditAccess& access);
  void auditAccess(Thread& thread, const AuditStep& step, const Op& op);
  void auditWait(Thread& thread, const AuditStep& step, const Op& op);
  void auditBulk(Thread& thread, const AuditStep& step, const Op& op);
  void auditTensor(Thread& thread, const AuditStep& step, const Op& op);
  void auditMatrix(Thread& thread, const AuditStep& step, const Op& op);
  void auditMapCopy(Thread& thread, const AuditStep& step, const Op& op, AuditedBytes bytes);

  // machine_calls.cpp
  void growStack(Thread& thread);
  static Warp& warpOf(const Thread& thread) { return thread.cta->warps[thread.warp()]; }
  static Frame stackOf(const Thread& thread) { return warpOf(thread).stack.lane(thread.lane()); }
  // `frame`: its first slot.  start(): its constants are there.
  void enter(Thread& thread, const Code& code, std::size_t frame, std::uint64_t localBase);
  void start(Thread& thread, const Code& code, std::size_t frame, std::uint64_t localBase);
  Slot valueOf(const Thread& thread, const FrameValue& value) const;
  Slot specialOf(const Thread& thread, Special special) const;
  static Slot laneMaskOf(Special special, std::uint32_t lane);
  Slot clusterSpecialOf(const Cta& cta, Special special) const;
  void call(Thread& thread, const Op& op);
  void callBuiltin(Thread& thread, const CallSite& site);
  void ret(Thread& thread);

  // machine_memory.cpp
  static std::uint64_t addressOf(const Thread& thread, const Op& op) {
    const std::uint64_t address = thread.frame[op.a] + static_cast<std::uint64_t>(op.immediate);
    return op.is(kAddress32) ? address & 0xffffffffu : address;
  }
  // The space of a generic or parameter address; `address` becomes an address in that space.
  isa::Space leaveWindow(isa::Space space, std::uint64_t& address) const;
  Place resolve(Thread& thread, const Op& op, isa::Space space, std::uint64_t address,
                std::uint32_t size, bool writes);
  Place resolveAny(Thread& thread, const Op& op, isa::Space space, std::uint64_t address,
                   std::uint32_t size, bool writes);
  // The last segment of global memory that this instruction, or one with the same entry, accessed.
  Segment*& recentSegment(const Op& op) {
    return recentSegments_[op.number % recentSegments_.size()];
  }
  std::uint8_t* localBytes(Thread& thread, std::uint64_t address, std::uint64_t size);
  void checkInitialised(Thread& thread, const Op& op, const Place& place, std::uint32_t size);
  void check(Thread& thread, const Op& op, const Place& place, std::uint32_t size, bool writes,
             bool isStrong, const Access* as = nullptr);
  void checkStale(const Thread&, const Op&, const Place&, std::uint32_t size, const char* cache);
  void reportRace(const Thread& thread, const Op& op, const Place& place, std::uint32_t size,
                  const Access& access, const Race& race);
  void reportProxyRace(const Thread& thread, const Op& op, const Place& place, std::uint32_t size,
                       const Access& access, const Race& race);
  const ThreadClock& viewOf(const Thread& thread, Proxy proxy) {
    return views_[static_cast<std::size_t>(proxy)].of(thread.clock, proxy, firstAsync());
  }
  static void putLoaded(const Thread& thread, const Op& op, std::uint32_t slot,
                        std::uint64_t value);
  bool load(Thread& thread, const Op& op);
  bool store(Thread& thread, const Op& op);
  void atomic(Thread& thread, const Op& op);
  // Other threads of the host may access it at the same time.
  bool isConcurrent(const Place& place) const {
    return share_.count > 1 && place.segment != nullptr && !place.segment->isShared;
  }
  bool fill(Thread& thread, const Op& op);
  void moveStack(Thread& thread, const Op& op);
  std::string readString(Thread& thread, const Op& op, std::uint64_t address);

  // machine_names.cpp
  const ir::Variable* parameterOf(const Segment& segment) const;
  std::string elementAt(const Op& op, const Segment& segment, std::uint64_t offset,
                        std::uint64_t bytes) const;
  std::string placeText(const Op& op, const Segment& segment, std::uint64_t offset,
                        std::uint64_t bytes) const;
  std::string sharedBounds(const Segment& shared) const;

  // machine_async.cpp
  void executeAsync(Thread& thread, const Op& op);  // and others of which a family has its own file
  static void commitCopies(Thread& thread);
  static void commitBulks(Thread& thread);
  void issueCopy(Thread& thread, const Op& op);
  void land(PendingCopy& copy);
  void landCopies(Thread& thread, std::uint32_t clock);  // lands those up to `clock`
  void landSome(Thread& thread);
  static bool isCompletedBy(const Thread& thread, const Op& wait, const PendingCopy& copy);
  void waitForCopies(Thread& thread, const Op& op);
  void arriveAfterCopies(Thread& thread, const Op& op);
  void settleTrackedArrivals(Thread& thread);
  Place resolveRange(Thread& thread, const Op& op, isa::Space space, std::uint64_t address,
                     std::uint32_t size, bool writes);
  // The same offset of shared memory in another CTA of the cluster.
  std::uint64_t inRank(std::uint64_t address, std::uint64_t rank) const;
  void issueBulk(Thread& thread, const Op& op);
  void issueBulk(Thread& thread, const Op& op, const BulkForm& form, std::uint64_t to,
                 std::uint64_t barrier);
  // The agents that read and write for an asynchronous operation.
  struct BulkAgents {
    AgentId reader = 0;
    AgentId writer = 0;
  };
  BulkAgents trackCompletion(Thread& thread, const std::shared_ptr<Bulk>& bulk,
                             std::uint64_t barrier);
  bool readOperands(Thread& thread, Bulk& bulk);
  void checkBulk(Thread& thread, Bulk& bulk, BulkAgents agents);
  void launch(const std::shared_ptr<Bulk>& bulk);
  void forgetIgnored(const Bulk& bulk);
  void landStore();
  void landStoresOf(const Cta& cta);
  void readSource(Bulk& bulk);
  void land(Bulk& bulk);
  void landSomeBulk();
  void checkBulksOf(const Cta& cta);
  void landBulksOf(const Cluster& cluster);
  void dropLanded();
  void waitForBulks(Thread& thread, const Op& op);
  // The asynchronous copies of a thread, which access memory as it does itself.
  AgentId copiesOf(AgentId thread) const {
    return static_cast<AgentId>(geometry_.grid.count() * paddedThreads_) + thread;
  }
  AgentId firstAsync() const;  // of those that newAgent() makes
  AgentId newAgent(const Thread& owner);

  // machine_tensor.cpp
  void issueTensor(Thread& thread, const Op& op, const BulkForm& form);
  void issueTensor(Thread& thread, const Op& op, const TensorMap& map, const TensorTarget& target,
                   const Place& mapPlace);
  // `place`: its first bytes.
  TensorMap readTensorMap(Thread& thread, const Op& op, std::uint64_t address, Place& place);
  TensorPlan planTensor(Thread& thread, const Op& op, const TensorMap& map, std::uint64_t shared);
  std::vector<TensorTarget> targetsOf(Thread& thread, const Op& op, const BulkForm& form);
  void checkBarrierOf(const Thread& thread, const Bulk& bulk);
  void checkMapRead(Thread& thread, Bulk& bulk, const Place& map, AgentId reader);
  void waitForMapReads(Thread& thread, std::uint32_t allowed) const;
  Place resolveBytes(Thread& thread, const Op& op, std::uint64_t address, std::uint32_t size,
                     bool writes);  // in global memory, of any alignment
  void checkPieces(Thread& thread, const Bulk& bulk, const TensorPlan& plan, BulkAgents agents);
  static void readTensor(Bulk& bulk);
  static void landTensor(Bulk& bulk, std::size_t pieces);  // the next of them
  void replaceMapField(Thread& thread, const Op& op);
  void acquireMap(Thread& thread, const Op& op);
  void copyTensorMap(Cta& cta, std::uint32_t warp, std::uint32_t lanes, const Op& form);
  [[noreturn]] void refuseMap(const Op& op, const Thread& thread, std::uint64_t address,
                              const std::string& problem);
  class Warpgroups;      // machine_warpgroup.h
  class RegisterLimits;  // machine_register_limits.h
  class Textures;        // machine_texture.h
  class Multimems;       // machine_multimem.h
  class TensorCores;     // machine_tensor_core.h
  class LaunchControl;   // machine_launch_control.h
  TensorCores& tensorCores();

  // machine_matrix.cpp
  void runMatrix(Cta& cta, std::uint32_t warp, const Op& op);
  void multiplyFragments(std::span<Thread> threads, const Op& op);
  // A fragment in memory.
  struct FragmentLines {
    std::uint32_t count = 0;
    std::uint32_t bytes = 0;   // of a line
    std::uint64_t stride = 0;  // in bytes
  };
  static FragmentLines linesOf(const Thread& thread, const Op& op);
  void moveFragment(std::span<Thread> threads, const Op& op);
  void loadTiles(std::span<Thread> threads, const Op& op);
  void storeTiles(std::span<Thread> threads, const Op& op);
  void moveByteTiles(std::span<Thread> threads, const Op& op);
  Place resolveRow(std::span<Thread> threads, const Op& op, std::uint32_t row, std::uint32_t used,
                   std::uint64_t first);
  void transposeTile(std::span<Thread> threads, const Op& op);

  // machine_sync.cpp
  void arriveAtBarrier(Thread& thread, const Op& op);
  void settleWarpAtBarrier(Cta& cta, std::uint32_t warp);
  void settleBarrier(Cta& cta, Barrier& barrier);
  void clusterBarrier(Thread& thread, const Op& op);
  void settleCluster(Cluster& cluster);

  // machine_collectives.cpp
  void arriveAtCollective(Thread& thread, const Op& op);
  void settleCollective(Cta& cta, std::uint32_t warp);
  void runCollective(Cta& cta, std::uint32_t warp, std::uint32_t lanes);
  void runMatrixCollective(Cta& cta, std::uint32_t warp, std::uint32_t lanes, const Op& form);
  bool mustWait(const Cta& cta, std::uint32_t warp, const Op& op) const;  // for other warps
  void shuffle(Cta& cta, std::uint32_t warp, std::uint32_t lanes, const LaneValues& from);
  std::string absence(const Thread& reader, const Op& op, std::uint32_t lane) const;

  // machine_undefined.cpp
  template <class Message>
  const Undefined& undefined(FindingKind kind, const Op& op, const Thread& thread,
                             Message message) {
    const auto [at, isNew] = undefined_.try_emplace({&op, agentOf(thread)});
    if (isNew) at->second = {kind, &op, message()};
    return at->second;
  }
  static Frame twinStackOf(const Thread& thread) {
    return warpOf(thread).twins.lane(thread.lane());
  }
  static Frame twinFrameOf(const Thread& thread) {
    return twinStackOf(thread).from(thread.frameBase);
  }
  static bool isLikeTwin(const Thread& thread);
  static Twin& twinOf(Thread& thread);  // makes one if there is none
  static void extendTwin(Thread& thread);
  static Slot twinValue(const Thread& thread, std::uint32_t slot);
  static const Undefined* originOf(const Thread& thread, std::uint32_t slot);  // null: defined
  static const Undefined* originOf(const Thread& thread, const std::vector<std::uint32_t>& slots);
  static void putResult(Thread& thread, std::uint32_t slot, Slot value);
  // The bits of the slot are undefined, if there are any.
  static void putUndefined(Thread& thread, std::uint32_t slot, Slot bits, const Undefined* why);
  // Reports that what the kernel does depends on an undefined value, and takes it for defined.
  void depend(Thread& thread, const Op& use, const Undefined* why, std::string_view how);
  void sliceTwice(Thread& thread);
  static void computeTwice(Thread& thread, const Op& op);
  bool executeTwice(Thread& thread, const Op& op);
  void useOperands(Thread& thread, const Op& op);
  void usePrinted(Thread& thread, const Op& op, const Place& place, std::uint32_t size);
  void useForMatrix(Thread& thread, const Op& op);
  static void keepResult(Thread& thread, const Op& op);
  // An argument or a result of a call, as the twin has it; no origin: the thread has the same.
  struct Passed {
    std::vector<std::uint8_t> bytes;
    const Undefined* origin = nullptr;
  };
  static std::vector<Passed> passedByTwin(Thread& thread, const std::vector<Transfer>& transfers);
  static void receiveTwice(Thread& thread, const std::vector<Transfer>& transfers,
                           const std::vector<Passed>& values);
  bool callTwice(Thread& thread, const Op& op);
  bool returnTwice(Thread& thread, const Op& op);
  static bool isLocal(const Thread& thread, const Place& place);
  const Undefined& originOf(const Thread& thread, const Op& op, const Place& place,
                            std::uint32_t size);
  std::string unwrittenText(const Thread& thread, const Op& op, const Place& place,
                            std::uint32_t size) const;
  bool isUndefined(const Place& place, std::uint32_t size) const {
    if (place.segment == nullptr || !options_.detectsRaces) return false;
    const WrittenBytes& written = place.segment->written;
    return !written.empty() && !written.test(place.offset, size);
  }
  void loseValues(Thread& thread, const Op& op);  // CheckWritten, CheckCancelled
  void forgetUndefined(const Segment& segment);
  void loadTwice(Thread& thread, const Op& op, const Place& place);
  void storeTwice(Thread& thread, const Op& op, const Place& place);
  // machine_mbarrier.cpp
  void mbarrier(Thread& thread, const Op& op);
  void mbarrierAt(Thread& thread, const Op& op, isa::Space space, std::uint64_t address);
  void arriveAtMbarrier(Thread&, const Op&, MbarrierObject&, MbarrierHistory&, std::uint64_t at);
  void testMbarrier(Thread&, const Op&, const MbarrierObject&, Cta& owner, std::uint64_t offset);
  Place resolveMbarrier(Thread&, const Op&, isa::Space, std::uint64_t address, Cta*& owner);
  void completeTransactions(Cta& owner, std::uint64_t offset, std::uint32_t count);
  void arriveTracked(Cta& owner, std::uint64_t offset, std::span<const Snapshot> done);
  void expectArrival(Cta& owner, std::uint64_t offset);
  void settleMbarrier(Cta& owner, std::uint64_t offset);
  static void writeMbarrier(Cta& owner, std::uint64_t offset, const MbarrierObject& object);
  static void resetMbarrier(Cta& owner, std::uint64_t offset, std::uint32_t count, const Op* init);
  void landFor(Cta& owner, std::uint64_t offset);
  // machine_mbarrier_check.cpp
  void checkMbarrier(Thread& thread, const Op& op, Cta& owner, std::uint64_t offset);
  void checkInit(Thread&, const Op&, MbarrierHistory&, std::uint32_t count);
  void checkArrival(Thread& thread, const Op& op, const MbarrierHistory& history);
  void checkTest(Thread& thread, const Op& op, const MbarrierHistory& history, bool parity);
  void checkToken(Thread&, const Op&, const MbarrierHistory&, MbarrierToken, std::uint64_t offset);
  void checkTransactions(const Thread& thread, const Op& op, std::int64_t count);
  void checkMbarriersAtEnd(const Cluster& cluster);
  std::span<Thread> lanesOf(Cta& cta, std::uint32_t warp) const;

  Program* program_;
  GlobalMemory* memory_;
  std::array<Segment*, 16> recentSegments_{};
  Geometry geometry_;
  std::vector<std::uint8_t> parameters_;
  MachineOptions options_;
  std::uint32_t threadsPerCta_;
  std::uint32_t paddedThreads_;  // of a CTA, rounded up to whole warps
  Share share_;
  std::uint64_t clusterCount_;  // of this machine
  std::uint64_t nextCluster_ = 0;
  std::uint64_t mostResident_ = 1;  // clusters
  std::uint64_t lastEnd_ = 0;       // steps when clusters last started, or one ended
  std::unique_ptr<Scheduler> scheduler_;
  std::vector<std::unique_ptr<Cluster>> clusters_;  // resident ones, one slot each
  std::vector<Thread*> threads_;                    // by index in the scheduler
  std::vector<Finding> findings_;
  std::map<std::array<const void*, 3>, std::size_t> reported_;  // indices in findings_
  std::map<std::pair<const Op*, AgentId>, Undefined> undefined_;
  // Of bytes that hold an undefined value.
  std::map<std::pair<const Segment*, std::uint64_t>, const Undefined*> undefinedBytes_;
  std::string printed_;
  std::uint64_t steps_ = 0;
  std::uint64_t slices_ = 0;
  bool completed_ = false;
  std::vector<std::shared_ptr<Bulk>> inFlight_;
  std::unique_ptr<Warpgroups> warpgroups_;          // null: no wgmma so far
  std::unique_ptr<RegisterLimits> registerLimits_;  // null: no setmaxnreg so far
  std::unique_ptr<TensorCores> tensorCores_;        // null: no tcgen05 so far
  MapWrites mapWrites_;
  Places places_;
  std::vector<AgentId> owners_;            // the threads for which the agents of newAgent() act
  ClockRef fences_;                        // fence.sc of wider scopes
  std::array<ProxyView, kProxies> views_;  // the last ones
  LearnMemo learnMemo_;                    // the last one
  bool landsEarly_ = false;
  bool landsLate_ = false;
  std::unique_ptr<Auditor> auditor_;  // null: there are no claims
};

}  // namespace ptxopt::interp
