// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tcgen05 in a machine (PTX ISA 9.7.18).  Internal to Machine.
//
// tcgen05.ld and tcgen05.st belong to a warp, and access tensor memory and registers at some time
// between their issue and the tcgen05.wait of the warp.  Other asynchronous operations belong to
// a thread, happen in the order of their issue, and are complete when the mbarrier of a later
// tcgen05.commit of the thread completes its phase; a commit is one of them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interp/machine.h"
#include "interp/tensor_memory.h"

namespace ptxopt::interp {

class Machine::TensorCores {
 public:
  explicit TensorCores(Machine& machine) : machine_(&machine) {}

  // All threads of the warp execute the instruction.
  void run(Cta& cta, std::uint32_t warp, const Op& op);
  // It need not wait: a tcgen05.alloc waits for room.
  bool canRun(const Cta& cta, std::uint32_t warp, const Op& op) const;
  // An instruction of one thread (Action::TensorCore).
  void execute(Thread& thread, const Op& op);
  // An operation in flight may happen on its own.
  void landSome() {
    if (!transfers_.empty() || !queues_.empty()) landOne();
  }
  // A thread waits in vain for this mbarrier: an operation for it happens now.
  void landFor(const Cta& owner, std::uint64_t offset);
  // The thread executes an instruction that names registers of a tcgen05 (Action::TouchFragments).
  void touch(Thread& thread, const Op& op);
  // A tcgen05.fence.
  void fence(Thread& thread, const Op& op);
  void fence(const Turn& turn, const Op& op);
  // A relaxed arrival of the thread passes on what its last tcgen05.fence::before_thread_sync
  // orders, and who waits for the arrivals orders it before its tcgen05 operations behind a
  // tcgen05.fence::after_thread_sync.  All else that a relaxed arrival passes on is in ThreadClock.
  void arrive(const Thread& thread, std::vector<ClockRef>& passed) const;
  void observe(const Thread& thread, std::span<const ClockRef> passed);
  // The same at barrier.cluster.
  void arriveAtCluster(const Thread& thread);
  void completeArrivals(const Cluster& cluster);
  void observeCluster(const Thread& thread);
  // False if there may be a finding for one of the threads.
  bool touchTogether(const Turn& turn) const;
  // Before the thread returns from the function that it is in, to another one.
  void leaveFunction(const Thread& thread);
  // Warps that wait for room may go on.  To be called when no warp is within an instruction.
  void settle();
  // Before the thread exits.
  void exit(const Thread& thread);

 private:
  using Kind = TensorCoreForm::Kind;
  static constexpr std::uint32_t kPieceBytes = MatrixDescriptor::kPieceBytes;
  static constexpr std::uint32_t kPieceColumns = kPieceBytes / TensorMemory::kWordBytes;
  struct UndefinedBits {
    Slot bits = 0;
    const Undefined* why = nullptr;
  };
  // A tcgen05.ld or tcgen05.st.
  struct Transfer {
    const Op* op = nullptr;
    const TensorCoreForm* form = nullptr;
    Cta* cta = nullptr;
    std::uint32_t warp = 0;
    TensorWord first;
    std::array<std::size_t, 32> frames{};  // where those of the threads begin
    // Of registers, by place in the stack and lane: what a load reads, or a store writes.
    std::map<std::pair<std::size_t, std::uint32_t>, UndefinedBits> undefined;
    std::uint32_t clock = 0;
    bool landed = false;

    bool isLoad() const { return form->kind == Kind::Load; }
  };
  // The loads or the stores of a warp that it has not waited for, the oldest first.
  struct Pending {
    std::vector<std::shared_ptr<Transfer>> transfers;
    AgentId agent = 0;  // 0 before the first
    std::uint32_t clock = 0;
  };
  struct WarpState {
    Pending loads;
    Pending stores;
  };
  // An asynchronous operation of a thread, or a commit.
  struct Operation {
    std::function<void()> perform;
    // It happens after so many operations of other threads.
    std::vector<std::pair<const Thread*, std::uint64_t>> after;
    const Cta* barrier = nullptr;  // of a commit: the CTA with the mbarrier
    std::uint64_t barrierOffset = 0;
  };
  // Those of a thread that have not happened, the oldest first.
  struct Queue {
    std::deque<Operation> operations;
  };
  // Runs repeat: what is chosen must not depend on where threads lie in the memory of the host.
  struct ByNumber {
    bool operator()(const Thread* one, const Thread* other) const {
      return std::pair(one->cta->index, one->linear) < std::pair(other->cta->index, other->linear);
    }
  };
  // The address of D, M and N: products that have them in common are in order among themselves.
  using Accumulator = std::array<std::uint32_t, 3>;
  // Who accesses memory for the operations of a thread.  An agent knows what comes before an access
  // of its own: what the thread knew at the issue, and what a pipeline orders (9.7.18.6.2).
  // What the operations of a thread have done until a tcgen05.fence::before_thread_sync.  A thread
  // that knows of the fence when it executes a tcgen05.fence::after_thread_sync issues operations
  // that form pipelines with these (9.7.18.6.3).
  struct Handover {
    std::uint32_t clock = 0;       // of the thread, at the fence
    std::uint64_t issued = 0;      // operations
    std::vector<Snapshot> copies;  // none or one, as the others
    std::vector<Snapshot> shifts;
    std::vector<Snapshot> sources;
    std::map<Accumulator, Snapshot> accumulators;
  };
  using Part = std::vector<Snapshot> Handover::*;
  static constexpr std::size_t kMostHandovers = 1024;  // then the oldest are forgotten
  struct Issuer {
    ThreadClock sources;  // of mma: A, scales and metadata, and shared memory
    ThreadClock copies;
    ThreadClock shifts;
    std::map<Accumulator, ThreadClock> accumulators;
    AgentId thread = 0;
    std::uint64_t issued = 0;  // operations, commits among them
    std::uint64_t performed = 0;
    std::deque<std::shared_ptr<const Handover>> handovers;  // the oldest first
    // Of other threads, the last that it knows; see takeOver().
    std::map<const Thread*, std::shared_ptr<const Handover>> inherited;
  };
  // What a thread orders by fences and relaxed operations, for its tcgen05 operations only.
  struct FencedView {
    ClockRef released;           // by its last before_thread_sync
    std::vector<ClockRef> seen;  // by waits since the last after_thread_sync
    ThreadClock ordered;         // by after_thread_sync, behind such waits
    // With all that the thread itself knows: its clock when it knew `mergedFrom`.
    ThreadClock merged;
    ClockRef mergedFrom;
  };
  struct ClusterArrivals {
    std::vector<ClockRef> pending;
    std::vector<ClockRef> completed;
  };
  // The tensor memory of a CTA, and who may allocate.
  struct Memory {
    explicit Memory(const Places* places) : words(places) {}
    TensorMemory words;
    const Op* allocator = nullptr;  // the last
    const Op* relinquisher = nullptr;
    std::vector<Snapshot> freed;  // what the warps knew that freed columns
  };

  WarpState& stateOf(const Cta& cta, std::uint32_t warp) { return warps_[{&cta, warp}]; }
  Memory& memoryOf(const Cta& cta);
  void involveWarp(Finding& finding, std::span<Thread> threads) const;
  // The address, which is the same in all threads.
  std::uint64_t addressIn(std::span<Thread> threads, const Op& op, const AddressOperand& address);
  std::uint32_t columnsIn(std::span<Thread> threads, const Op& op, const TensorCoreForm& form);

  void allocate(std::span<Thread> threads, const Op& op, const TensorCoreForm& form);
  void free(std::span<Thread> threads, const Op& op, const TensorCoreForm& form);
  void issue(std::span<Thread> threads, const Op& op, const TensorCoreForm& form);
  void waitFor(std::span<Thread> threads, Pending& pending);
  // What the load left undefined is so in the registers of the thread.
  static void deliver(Thread& thread, const Transfer& load);
  // visit(thread, place in its stack, word, shift of a half) for all that the transfer moves.
  template <class Visit>
  void forWords(const Transfer& transfer, Visit visit) const;
  void checkWord(Thread& thread, const Transfer& transfer, const TensorWord& word) const;
  void recordWord(Thread& thread, const Transfer& transfer, AgentId agent, const TensorWord& word);
  void land(Transfer& transfer);
  void reduce(Transfer& load);  // .red
  void landAll(Pending& pending);
  void landOne();
  std::vector<Snapshot> doneBy(const Thread& thread);
  void commit(Thread& thread, const Op& op, const TensorCoreForm& form);
  // machine_tensor_core_copy.cpp
  // A word or 16 bytes that the operation reads or writes, as its issue records it.
  struct Touch {
    Segment* segment = nullptr;
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
    bool writes = false;
  };
  void record(Thread& thread, const Op& op, const ThreadClock& agent, const Touch& touch) const;
  // The agent learns what the thread knows, and what the others have done, if they have begun.
  void begin(Thread& thread, ThreadClock& agent, std::initializer_list<ThreadClock*> others);
  // What other threads have handed over comes before the next operation of the agent.
  static void inherit(const Issuer& issuer, ThreadClock& agent, std::initializer_list<Part> parts);
  static void inheritAccumulator(const Issuer& issuer, ThreadClock& agent,
                                 const Accumulator& accumulator);
  void handOver(Thread& thread);
  // What comes before an access of the thread to tensor memory.
  const ThreadClock& clockOf(const Thread& thread);
  // The issuer of the thread, with what it has inherited before its next operation.
  Issuer& takeOver(const Thread& thread);
  void issueShift(Thread& thread, const Op& op, const TensorCoreForm& form);
  void shift(Cta& cta, const TensorWord& first);
  MatrixDescriptor matrixAt(const Thread& thread, const Op& op, std::uint32_t slot) const;
  // It must lie in shared memory.
  void checkShared(const Thread& thread, const Op& op, const Cta& cta, std::uint64_t offset,
                   const char* what) const;
  // The words from `word` on must be allocated.
  void checkAllocated(const Thread& thread, const Op& op, const Cta& cta, const TensorWord& word,
                      std::uint32_t columns, const char* access);
  void issueCopy(Thread& thread, const Op& op, const TensorCoreForm& form);
  struct CopiedPiece {
    Cta* cta = nullptr;
    std::uint64_t from = 0;  // in its shared memory
    TensorWord to;
    const Undefined* why = nullptr;  // it holds something undefined
  };
  void copyPiece(const CopiedPiece& piece);
  // machine_tensor_product.cpp
  struct Product;
  void issueProduct(Thread& thread, const Op& op, const TensorCoreForm& form);
  std::shared_ptr<Product> makeProduct(Thread& thread, const Op& op, const TensorCoreForm& form);
  std::vector<Cta*> pairOf(const Thread& thread, const Op& op, int count) const;
  void checkPlaces(const Product& product) const;
  void checkMetadata(const Product& product) const;
  template <class Visit>
  static void forMetadata(const Product& product, Visit visit);
  void recordMetadata(Product& product, ThreadClock& agent);
  void addPlaces(Product& product, Cta& cta, std::vector<int>& places, bool flipsUnwritten);
  // visit(segment, offset) for the 16 bytes of each piece of A or B in the CTA.
  template <class Visit>
  void forPieces(const Product& product, bool isA, Cta& cta, Visit visit);
  // visit(lane and first column, rows from the first one, column of D, columns) for all of D.
  template <class Visit>
  static void forRows(const Product& product, std::size_t cta, Visit visit);
  template <class Visit>
  void forResults(const Product& product, Visit visit);
  void recordSources(Product& product, ThreadClock& agent);
  // Where A is in tensor memory.
  void checkStored(const Product& product, const Cta& cta, const PieceGrid& grid);
  void checkStrides(const Thread& thread, const Op& op, const MatrixDescriptor& matrix,
                    const PieceGrid& grid, const char* name) const;
  void noteUndefined(Product& product, Segment& segment, std::uint64_t offset, std::uint32_t size);
  void recordResult(Product& product, ThreadClock& agent);
  template <class Visit>
  static void forScales(const Product& product, bool isA, Visit visit);
  void recordScales(Product& product, ThreadClock& agent);
  std::vector<std::uint8_t> piecesOf(Product& product, bool isA, Cta& cta, bool flipsUnwritten);
  void readAccumulators(Product& product, std::vector<double>& values, bool flipsUnwritten);
  // In the order of forScales().
  std::vector<double> scalesOf(Product& product, bool isA, Cta& cta, bool flipsUnwritten);
  void multiplyScaled(Product& product, ProductTerms& terms, bool flipsUnwritten);
  // The bits of D, row by row.
  std::vector<std::uint32_t> compute(Product& product, bool flipsUnwritten);
  void perform(Product& product);
  // Of operations of a thread.
  void enqueue(const Thread& thread, Operation operation);
  void performFirst(const Thread* thread);
  void performUntil(const Thread* thread, std::uint64_t count);
  void performAll(const Thread* thread);
  void endCluster(const Cluster& cluster);
  void reportInFlight(const Thread& thread, const Op& op, const TouchedRegister& touched,
                      const Transfer& transfer) const;

  Machine* machine_;
  std::map<std::pair<const Cta*, std::uint32_t>, WarpState> warps_;
  std::map<const Cta*, std::unique_ptr<Memory>> memories_;
  std::map<const Thread*, Issuer> issuers_;
  bool isHandedOver_ = false;  // some thread has handed over something
  // What the threads knew at their last tcgen05.fence::after_thread_sync since then.
  std::unordered_map<const Thread*, ClockRef> knownAtFence_;
  std::unordered_map<const Thread*, FencedView> fencedViews_;
  std::unordered_map<const Cluster*, ClusterArrivals> clusterArrivals_;
  std::map<const Thread*, Queue, ByNumber> queues_;   // none is empty
  std::vector<std::shared_ptr<Transfer>> transfers_;  // that have not landed
  std::vector<Cta*> freed_;                           // where warps may wait for room
};

}  // namespace ptxopt::interp
