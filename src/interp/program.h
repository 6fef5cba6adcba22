// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel and all functions that it can call, decoded once into a dense form that the machine
// executes.
//
// Every value has a slot of 64 bits in the frame of its function: registers (bits above the
// register's width are zero), constants, special registers and addresses of variables.  So an
// operand is just an index.  Constants are part of the frame's initial image; values that depend on
// the thread are set when the frame is created (FrameValue).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "facts/claim.h"
#include "interp/arithmetic/rounding.h"
#include "interp/audit_claims.h"
#include "interp/frame.h"
#include "interp/image.h"
#include "interp/matrix.h"
#include "interp/multicast.h"
#include "interp/tensor_copy.h"
#include "interp/tensor_memory.h"
#include "interp/tensor_product.h"
#include "interp/texture_form.h"
#include "interp/warpgroup.h"
#include "ir/module.h"
#include "isa/isa.h"

namespace ptxopt::interp {

struct Op;

// What an operation without side effects computes: op(frame, op) for each of `lanes` frames that
// follow each other.
class Compute {
 public:
  constexpr Compute(std::nullptr_t = nullptr) {}
  template <class Operation>
  requires std::is_empty_v<Operation> && std::is_invocable_v<Operation, Frame, const Op&>
  constexpr Compute(Operation) : run_(&forLanes<Operation>) {}

  explicit operator bool() const { return run_ != nullptr; }
  void operator()(Frame first, const Op& op, std::size_t lanes = 1) const {
    run_(first, op, lanes);
  }

 private:
  template <class Operation>
  static void forLanes(Frame first, const Op& op, std::size_t lanes);

  void (*run_)(Frame first, const Op& op, std::size_t lanes) = nullptr;
};

// As a Compute.
template <void (*operation)(Frame, const Op&)>
inline constexpr Compute each{[](Frame frame, const Op& op) { operation(frame, op); }};

enum class Action : std::uint8_t {
  Pure,         // compute(frame, op): accesses only the frame
  Branch,       // to `index`
  BranchTable,  // to lists[index + frame[a]], `count` entries in frame-independent form
  Call,         // calls[index]
  Return,
  Exit,
  Trap,
  // d (or lists[index ..]) = [a + immediate]; kSecond: with another width than memory; `detail`: by
  // a cache that need not know of writes
  Load,
  Store,       // [a + immediate] = b (or lists[index ..])
  Atomic,      // d = [a + immediate], combined with b and c as AtomicOperation says
  Fill,        // c bytes at [a + immediate] become `detail`
  Stack,       // see StackKind
  Fence,       // between the proxies of `detail` as well, a ProxySet
  ProxyFence,  // between these alone
  Barrier,     // of the CTA: id a, count b, predicate c, see BarrierKind
  ClusterBarrier,
  Collective,  // among lanes of a warp, see CollectiveKind
  CopyAsync,   // cp.async: [a + immediate] = [b + second immediate in lists]
  CommitAsync,
  WaitAsync,    // for all but a groups
  ArriveAsync,  // cp.async.mbarrier.arrive on [a + immediate]; kSecond: .noinc
  Bulk,         // bulks[index]
  CommitBulk,
  WaitBulk,      // for all but a groups; kSecond: until they have read their source
  Mbarrier,      // see MbarrierKind; c: a mask of ranks in the cluster, 0: no multicast
  Multimem,      // of one thread: multimems[index]
  Texture,       // tex, tld4, txq, suld, sust, sured, suq, istypep: textures[index]
  ReplaceField,  // of the tensor map at [a + immediate]: a TensorField, its dimension b, value c
  CheckWritten,  // of the register `index`, `count` slots from b: unwritten if r[a] is 0
  // Of the registers of a response, `count` slots in lists[index ..]: undefined if r[a] is 0.
  CheckCancelled,
  Audit,       // checks claims: audits[index]
  TensorCore,  // tcgen05 of one thread: tensorCores[index]
  // The next instruction accesses registers of a wgmma or tcgen05: `immediate` pairs in lists[index
  // ..], of a slot, and of twice the register, plus 1 if it is written.
  TouchFragments,
  TensorFence,  // tcgen05.fence; kSecond: ::after_thread_sync
  Timer,        // d = a special register that changes while the thread runs
  Nothing,
  Unsupported,  // the machine stops with a message that names the instruction
};

enum class AtomicOperation : std::uint8_t {
  Add,
  Minimum,
  Maximum,
  And,
  Or,
  Xor,
  Exchange,
  CompareAndSwap,
  Increment,
  Decrement
};
// Save: d = the top of the stack; Restore: the top = a; Allocate: d = a bytes at alignment b.
enum class StackKind : std::uint8_t { Save, Restore, Allocate };
enum class BarrierKind : std::uint8_t { Sync, Arrive, Popc, And, Or };
enum class CollectiveKind : std::uint8_t {
  ShuffleUp,
  ShuffleDown,
  ShuffleButterfly,
  ShuffleIndex,
  VoteAll,
  VoteAny,
  VoteUniform,
  VoteBallot,
  MatchAny,
  MatchAll,
  ReduceAdd,
  ReduceMinimum,
  ReduceMaximum,
  ReduceAnd,
  ReduceOr,
  ReduceXor,
  Elect,
  ActiveMask,
  WarpSync,
  RegisterLimit,  // setmaxnreg to `immediate` registers
  // Executed by all 32 lanes, from here on; matrices[index] has the details.
  MatrixMultiply,
  MatrixLoad,       // ldmatrix: address in a; kSecond: .trans of .m8n8
  MatrixStore,      // stmatrix, likewise
  MatrixTranspose,  // movmatrix: d, a
  FragmentLoad,     // wmma.load: address in a, stride in b unless that is 0
  FragmentStore,
  // By all warps of a warpgroup, each by itself; warpgroups[index] has the details.
  WarpgroupMultiply,
  WarpgroupFence,
  WarpgroupCommit,
  WarpgroupWait,  // for all but a groups
  // tensormap.cp_fenceproxy: 128 bytes at [a + immediate] = [b]
  TensorMapCopy,
  // tcgen05 with .sync.aligned; tensorCores[index] has the details.
  TensorCore,
};
enum class MbarrierKind : std::uint8_t {
  Init,
  Invalidate,
  Arrive,
  ArriveExpect,
  ArriveDrop,
  ArriveDropExpect,
  ExpectTransactions,
  CompleteTransactions,
  Test,
  TestParity,
  PendingCount,
  CheckLayout,  // d = it has the layout; kSecond, here and at Init: v1
};

enum OpFlag : std::uint16_t {
  kFtz = 1u << 0,
  kSaturate = 1u << 1,
  kRelu = 1u << 2,
  kPropagateNaN = 1u << 3,
  kXorSignAbs = 1u << 4,
  kToIntegral = 1u << 5,
  kSatFinite = 1u << 6,
  kAligned = 1u << 7,
  kAddress32 = 1u << 8,    // the address wraps at 2^32
  kIsReduction = 1u << 9,  // red: no result
  kHasCount = 1u << 10,    // of a barrier
  kHasMask = 1u << 11,     // of a collective: .sync
  kWait = 1u << 12,        // barrier.cluster.wait, mbarrier.try_wait, griddepcontrol.wait
  kSecond = 1u << 13,      // a variant, explained at the action
  kAbs = 1u << 14,
  kWide = 1u << 15,  // of a load or store: one memory operation of 128 bits
};

struct Op {
  Compute compute;
  std::int64_t immediate = 0;
  const ir::Instruction* origin = nullptr;
  std::uint32_t guard = 0;  // executed only if frame[guard] == guardExpected
  std::uint32_t d = 0;
  std::uint32_t q = 0;  // second destination: the q of p|q
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::uint32_t e = 0;
  std::uint32_t index = 0;
  std::uint32_t number = 0;  // in the program
  std::uint16_t flags = 0;
  Action action = Action::Pure;
  std::uint8_t guardExpected = 1;
  isa::Type type = isa::Type::None;
  isa::Type sourceType = isa::Type::None;
  isa::Space space = isa::Space::None;
  isa::Scope scope = isa::Scope::None;
  isa::Semantics semantics = isa::Semantics::None;
  Rounding rounding = Rounding::NearestEven;
  std::uint8_t count = 1;   // elements of a vector access
  std::uint8_t detail = 0;  // one of the enumerations above, or data for `compute`
  std::uint8_t width = 0;   // bits of the destination register
  std::uint8_t bytes = 0;   // of `type`

  bool is(OpFlag flag) const { return (flags & flag) != 0; }
};

template <class Operation>
void Compute::forLanes(Frame first, const Op& op, std::size_t lanes) {
  const Op copy = op;  // no write to a slot can change it
  for (std::size_t k = 0; k < lanes; ++k) Operation{}(first.lane(k), copy);
}

inline bool isStrong(isa::Semantics semantics) {
  return semantics != isa::Semantics::None && semantics != isa::Semantics::Weak;
}

// Atomics without a scope have gpu scope; .volatile and .mmio are relaxed at system scope.
inline isa::Scope scopeOf(const Op& op) {
  if (op.scope != isa::Scope::None) return op.scope;
  return op.action == Action::Atomic ? isa::Scope::Gpu : isa::Scope::Sys;
}

enum class Special : std::uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  WarpCount,
  GridId,
  SmId,
  SmCount,
  LaneMaskEq,
  LaneMaskLe,
  LaneMaskLt,
  LaneMaskGe,
  LaneMaskGt,
  ClusterIdX,
  ClusterIdY,
  ClusterIdZ,
  ClusterCountX,
  ClusterCountY,
  ClusterCountZ,
  ClusterCtaidX,
  ClusterCtaidY,
  ClusterCtaidZ,
  ClusterNctaidX,
  ClusterNctaidY,
  ClusterNctaidZ,
  ClusterCtaRank,
  ClusterCtaCount,
  IsExplicitCluster,
  DynamicSharedBytes,
  TotalSharedBytes,
  WarpSize,
  ReservedSharedBytes,  // before the kernel's own shared memory
  GridWorkspaceLow,     // the address in %envreg1 and %envreg2, in halves
  GridWorkspaceHigh,
  Zero,
};

// A slot whose initial value depends on the thread.
struct FrameValue {
  enum class Kind : std::uint8_t { Special, SharedAddress, LocalAddress };
  Kind kind;
  std::uint32_t slot;
  // Special: a Special.  Otherwise: an offset in the CTA's shared memory or the frame's local
  // memory.
  std::uint64_t value;
};

// A parameter or result: a register, or bytes of the frame's local memory.
struct Transfer {
  bool inMemory = false;
  std::uint32_t slot = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

enum class Builtin : std::uint8_t { None, Printf, Malloc, Free, AssertFail };

struct CallSite {
  static constexpr std::uint32_t kIndirect = ~0u;
  std::uint32_t callee = kIndirect;  // index in Program::codes()
  Builtin builtin = Builtin::None;
  std::vector<Transfer> arguments;
  std::vector<Transfer> results;
};

struct AddressOperand {
  std::uint32_t slot = 0;
  std::int64_t offset = 0;
  bool is32 = false;  // wraps at 2^32

  std::uint64_t in(Frame frame) const {
    const std::uint64_t address = frame[slot] + static_cast<std::uint64_t>(offset);
    return is32 ? address & 0xffffffffu : address;
  }
};

// What a tensor copy moves, besides the addresses in its BulkForm.
struct TensorForm {
  TensorPath path = TensorPath::Tile;
  std::size_t rank = 0;
  AddressOperand map;
  std::vector<std::uint32_t> coordinates;  // slots
  std::vector<std::uint32_t> offsets;      // slots, of im2col
  bool isPair = false;                     // .cta_group::2: the mbarrier may be in the peer CTA
  bool isOwnShared = false;                // .shared::cta: nothing is in another CTA
};

// An asynchronous operation with its own agent: cp.async.bulk, cp.reduce.async.bulk, st.async,
// red.async.
struct BulkForm {
  AddressOperand to;
  AddressOperand from;
  AddressOperand barrier;  // slot 0: it belongs to a bulk group
  isa::Space toSpace = isa::Space::None;
  isa::Space fromSpace = isa::Space::None;
  isa::Space barrierSpace = isa::Space::None;
  std::uint32_t size = 0;         // slot
  std::uint32_t mask = 0;         // slot: of ranks in the cluster; 0: no multicast
  std::uint32_t byteMask = 0;     // slot, of .cp_mask; 0: all bytes
  std::uint32_t ignoredLeft = 0;  // slots, of .ignore_oob; 0: none
  std::uint32_t ignoredRight = 0;
  std::vector<std::uint32_t> values;  // slots with the values that st.async and red.async write
  bool releases = false;              // .release: of no mbarrier and no group
  bool isRequest = false;             // clusterlaunchcontrol.try_cancel: writes a response
  bool isForAll = false;              // ... to all CTAs of the cluster
  bool isMultimem = false;            // `to` is a multimem address
  std::optional<AtomicOperation> operation;
  isa::Type type = isa::Type::None;
  std::optional<TensorForm> tensor;  // its place in global memory is in a tensor map

  std::uint32_t bytesOfValues() const {
    return static_cast<std::uint32_t>(isa::bitWidth(type)) / 8 *
           static_cast<std::uint32_t>(values.size());
  }
};

// multimem.ld_reduce, .st and .red: the address is that of the Op.
struct MultimemForm {
  enum class Kind : std::uint8_t { LoadReduce, Store, Reduce };
  Kind kind = Kind::LoadReduce;
  ReplicaReduction reduction;            // but for Store; `type`: of each register
  std::vector<std::uint32_t> registers;  // slots
};

// The operands of a tcgen05.mma, but for the address of D.  Slots.
struct ProductForm {
  ProductContext context;
  AddressOperand a;               // of A in tensor memory, if there is no descriptor of it
  std::uint32_t descriptorA = 0;  // 0: A is in tensor memory
  std::uint32_t descriptorB = 0;
  std::uint32_t instruction = 0;  // the instruction descriptor
  std::uint32_t accumulates = 0;  // enable-input-d
  int shift = 0;                  // scale-input-d
  AddressOperand scalesA;         // of .block_scale
  AddressOperand scalesB;
  AddressOperand metadata;                   // of .sp
  std::vector<std::uint32_t> disabledLanes;  // 4 for each CTA, or none
  std::uint32_t zeroColumns = 0;             // slot: the mask of .ws; 0: none

  std::vector<std::uint32_t> slots() const;
};

// A tcgen05 instruction.
struct TensorCoreForm {
  enum class Kind : std::uint8_t {
    Allocate,  // `columns`; the address of the first goes to `address` in shared memory
    Free,      // `columns` from `address` on
    Relinquish,
    Load,  // from tensor memory at `address` to `registers`, which `fragment` tells apart
    Store,
    WaitLoad,
    WaitStore,
    Commit,    // an arrival at the mbarrier at `address`, in each CTA of the mask if there is one
    Copy,      // to tensor memory at `address`, of what `descriptor` names; see `copy`
    Multiply,  // to tensor memory at `address`; see `product`
    Shift,     // rows of 32 lanes of tensor memory from `address` on, in one CTA or two; see `ctas`
  };
  Kind kind = Kind::Relinquish;
  AddressOperand address;
  std::uint32_t columns = 0;  // slot
  bool isExclusive = false;   // an allocation, or the end of one
  std::uint32_t mask = 0;     // slot: of ranks in the cluster; 0: no multicast
  TensorFragment fragment;
  std::optional<TensorReduction> reduction;  // of a load: the result is the last register
  TensorCopy copy;
  ProductForm product;
  int ctas = 1;                          // of .cta_group, of a copy and a shift
  std::uint32_t descriptor = 0;          // slot
  std::vector<std::uint32_t> registers;  // slots
};

struct Code {
  const ir::Function* function = nullptr;
  std::vector<Op> ops;
  std::vector<Slot> frame;
  std::vector<FrameValue> values;
  std::vector<std::uint32_t> lists;
  std::vector<CallSite> calls;
  std::vector<MatrixForm> matrices;
  std::vector<WarpgroupForm> warpgroups;
  std::vector<TensorCoreForm> tensorCores;
  std::vector<BulkForm> bulks;
  std::vector<MultimemForm> multimems;
  std::vector<TextureForm> textures;
  std::vector<std::string> problems;  // of Unsupported: problems[op.index]
  std::vector<AuditStep> audits;
  std::vector<AuditLocal> auditLocals;
  std::vector<Transfer> parameters;  // of a .func
  std::vector<Transfer> results;
  std::uint64_t localBytes = 0;
  std::uint32_t trueSlot = 0;  // the guard of what has none
};

// Of a parameter of a kernel; a reference to a texture, surface or sampler is a handle.
std::uint64_t parameterBytes(const ir::Variable& variable);
// Of a kernel, in their order, also where old PTX declares them in the body.
std::vector<const ir::Variable*> entryParameters(const ir::Function& kernel);

// An entry of the list of Action::TouchFragments.
struct TouchedRegister {
  std::uint32_t slot = 0;
  std::uint32_t reg = 0;
  bool writes = false;

  static TouchedRegister at(const Code& code, const Op& op, std::int64_t k) {
    const auto at = op.index + 2 * static_cast<std::size_t>(k);
    const std::uint32_t word = code.lists[at + 1];
    return {code.lists[at], word >> 1, (word & 1) != 0};
  }
};

struct EntryParameter {
  const ir::Variable* variable = nullptr;
  std::uint64_t offset = 0;  // from kParameterBase
};

class Program {
 public:
  // Decodes `kernel` and every function that it, or a function reachable from it, names.  Never
  // fails: an instruction that is not understood becomes Action::Unsupported.  `claims` are checked
  // while the program runs, and must outlive the object.  O(statements + claims).
  Program(const ir::Module& module, const ir::Function& kernel, const Image& image,
          const std::vector<facts::Claim>* claims = nullptr);

  const ir::Module& module() const { return *module_; }
  const ir::Function& kernel() const { return *kernel_; }
  const Image& image() const { return *image_; }
  const AuditClaims* audit() const { return audit_ ? &*audit_ : nullptr; }  // null: no claims
  const Code& code(std::uint32_t index) const { return *codes_[index]; }
  std::uint32_t codeCount() const { return static_cast<std::uint32_t>(codes_.size()); }
  const Op& op(std::uint32_t number) const { return *ops_[number]; }
  // For an indirect call; null if no function that the kernel can reach has this address.
  const Code* codeAt(std::uint64_t address) const;
  std::uint32_t indexOf(const ir::Function& function);

  // Offsets of shared variables from kSharedBase; the dynamic part follows the static one.
  std::uint64_t sharedOffset(const ir::Variable& variable);
  std::uint64_t staticSharedBytes() const { return sharedBytes_; }
  std::uint64_t dynamicSharedOffset() const { return dynamicOffset_; }
  // Of a CTA that is launched with so much dynamic shared memory.
  std::uint64_t sharedBytes(std::uint64_t dynamic) const {
    return dynamic == 0 ? sharedBytes_ : dynamicOffset_ + dynamic;
  }
  bool usesDynamicShared() const;
  // All shared variables with their offsets, for messages.
  const std::map<const ir::Variable*, std::uint64_t>& sharedVariables() const { return shared_; }

  const std::vector<EntryParameter>& parameters() const { return parameters_; }
  std::uint64_t parameterBytes() const { return parameterBytes_; }
  bool usesGridWorkspace() const;
  // Machines may run parts of the grid at the same time: the program does not allocate or free
  // memory, and no bulk copy or surface reduction changes what others do.
  bool canRunInParts() const;
  // CTAs may wait for each other, or the order of what they do may decide the result: there are
  // strong accesses to memory that they share, or fences for such, or allocations.
  bool ordersCtas() const;
  bool requestsClusters() const;  // clusterlaunchcontrol.try_cancel
  void setCallsIndirectly();

 private:
  void layOutShared(const ir::Function& function);
  void place(const ir::Variable& variable);
  void numberOps();

  const ir::Module* module_;
  const ir::Function* kernel_;
  const Image* image_;
  std::optional<AuditClaims> audit_;
  std::vector<std::unique_ptr<Code>> codes_;
  std::vector<const Op*> ops_;
  std::map<const ir::Function*, std::uint32_t> indices_;
  std::map<const ir::Variable*, std::uint64_t> shared_;
  std::vector<EntryParameter> parameters_;
  std::uint64_t parameterBytes_ = 0;
  std::uint64_t sharedBytes_ = 0;
  std::uint64_t dynamicOffset_ = 0;
  bool callsIndirectly_ = false;
};

}  // namespace ptxopt::interp
