// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/waits/proxy_fences.h"

#include <algorithm>

#include "analysis/async/stays_in_cta.h"
#include "analysis/flow/dataflow.h"
#include "ir/barrier.h"
#include "isa/async_role.h"
#include "passes/waits/equal_guards.h"
#include "passes/waits/full_barriers.h"

namespace ptxopt::passes {

namespace {

using analysis::BlockId;
using analysis::Cfg;
using analysis::Dataflow;
using ir::Instruction;
using isa::AsyncRole;
using isa::WaitRole;
using Why = RemovedWait::Why;

// State spaces, as fence.proxy.async names them.
using Spaces = std::uint8_t;
constexpr Spaces kGlobal = 1u << 0;
constexpr Spaces kShared = 1u << 1;
constexpr Spaces kCluster = 1u << 2;
constexpr Spaces kAllSpaces = kGlobal | kShared | kCluster;

Spaces spacesOfFence(const isa::InstructionDesc& fence) {
  const Spaces named = static_cast<Spaces>((fence.has(".global") ? kGlobal : 0u) |
                                           (fence.has(".shared::cta") ? kShared : 0u) |
                                           (fence.has(".shared::cluster") ? kCluster : 0u));
  return named == 0 ? kAllSpaces : named;
}

// Where an access may go.  The window of the cluster has that of the CTA in it.
Spaces spacesOfAccess(const isa::InstructionDesc& access) {
  switch (access.space) {
    case isa::Space::Global:
      return kGlobal;
    case isa::Space::Shared:
    case isa::Space::SharedCluster:
      return kShared | kCluster;
    default:
      return kAllSpaces;
  }
}

bool isProxyFence(const Instruction& instruction) {
  return isa::waitRoleOf(*instruction.desc) == WaitRole::ProxyFence;
}

// Commits and waits of groups, which order nothing but what is outstanding of the own thread.
bool isOfGroups(WaitRole role) {
  switch (role) {
    case WaitRole::CopyCommit:
    case WaitRole::BulkCommit:
    case WaitRole::BulkWait:
    case WaitRole::BulkReadWait:
    case WaitRole::ProductCommit:
    case WaitRole::ProductWait:
    case WaitRole::ProductFence:
      return true;
    default:
      return false;
  }
}

// No operation of the async proxy, and nothing by which another CTA or kernel could learn of what
// the thread did (docs/soundness/ H4.6).
bool staysAmongThreads(const Instruction& instruction) {
  if (analysis::mayCall(instruction)) return false;
  if (ir::isUnordered(ir::effectOf(instruction)) || isPlainAccess(instruction)) return true;
  switch (isa::waitRoleOf(*instruction.desc)) {
    case WaitRole::CopyIssue:  // the generic proxy
    case WaitRole::CopyCommit:
    case WaitRole::CopyWait:
    case WaitRole::CopyWaitAll:
    case WaitRole::WarpBarrier:
      return true;
    default:
      return ir::ctaBarrier(instruction).has_value();
  }
}

// The spaces that operations may write through the async proxy of which the kernel, or one that
// runs beside it, orders generic reads before (docs/soundness/ H4.3).
Spaces writtenByAsyncProxy(const Cfg& cfg) {
  if (!cfg.function().isEntry()) return kAllSpaces;
  Spaces written = kGlobal;
  for (const BlockId b : cfg.blocks()) {
    for (const Instruction& instruction : cfg.instructions(b)) {
      if (analysis::mayCall(instruction)) return kAllSpaces;
      switch (isa::asyncRoleOf(*instruction.desc)) {
        case AsyncRole::Other:
          return kAllSpaces;
        case AsyncRole::CopyIn:
        case AsyncRole::TensorAlloc:
          written |= kShared | kCluster;
          break;
        default:
          break;
      }
    }
  }
  return written;
}

// ---- forward: fences behind others (docs/soundness/ H4.1 to H4.3) ------------------------------

// The spaces that a fence on every path covers, without such an access of the thread since, nor one
// of another thread of which it may have learned since.
struct Covered {
  Spaces writes = 0;
  Spaces reads = 0;
  friend bool operator==(const Covered&, const Covered&) = default;
};

class Behind {
 public:
  using State = Covered;
  static constexpr Direction kDirection = Direction::Forward;

  explicit Behind(InstructionSet barriers) : barriers_(std::move(barriers)) {}
  State initial() const { return {kAllSpaces, kAllSpaces}; }
  State boundary() const { return {}; }
  void meet(State& into, const State& from) const {
    into.writes &= from.writes;
    into.reads &= from.reads;
  }
  bool isStatement(const Instruction& instruction) const { return isProxyFence(instruction); }
  void pass(const Instruction& instruction, Execution execution, State& state) const {
    if (analysis::mayCall(instruction)) {
      state = {};
    } else if (isProxyFence(instruction)) {
      if (!execution.isCertain) return;
      state.writes |= spacesOfFence(*instruction.desc);
      state.reads |= spacesOfFence(*instruction.desc);
    } else if (isPlainAccess(instruction)) {
      const Spaces spaces = spacesOfAccess(*instruction.desc);
      // What is not known to be only the one is both.
      const bool reads = instruction.desc->is(isa::kMemoryRead);
      const bool writes = instruction.desc->is(isa::kMemoryWrite);
      if (writes || !reads) state.writes &= ~spaces;
      if (reads || !writes) state.reads &= ~spaces;
    } else if (isa::waitRoleOf(*instruction.desc) == WaitRole::CopyIssue) {
      state.reads &= ~kGlobal;  // what it writes is written at its wait
    } else if (!bringsNothing(instruction, execution.isUnderGuard)) {
      state = {};
    }
  }

 private:
  // No access through the generic proxy by the own thread, and none of another one that it may
  // learn of here.
  bool bringsNothing(const Instruction& instruction, bool isOfSomeThreads) const {
    // shfl.sync and the like order no memory: a lane that has stored comes to the fence by itself.
    if (ir::isUnordered(ir::effectOf(instruction))) return true;
    // At a barrier all threads must have fenced.
    if (barriers_.contains(&instruction)) return !isOfSomeThreads;
    if (isOfGroups(isa::waitRoleOf(*instruction.desc))) return true;
    switch (isa::asyncRoleOf(*instruction.desc)) {
      case AsyncRole::CopyIn:
      case AsyncRole::CopyOut:
      case AsyncRole::Product:
      case AsyncRole::TensorProduct:
      case AsyncRole::TensorLoad:
      case AsyncRole::TensorStore:
      case AsyncRole::TensorWait:
      case AsyncRole::TensorCommit:
        return true;
      default:
        return false;
    }
  }

  InstructionSet barriers_;
};

// ---- backward: fences before others (docs/soundness/ H4.4, H4.5) -------------------------------

struct Ahead {
  Spaces covered = kAllSpaces;  // by a fence on every path, before another thread can learn of it
  bool isNeeded = false;        // on some path a thread may learn of it, or an operation is issued
  friend bool operator==(const Ahead&, const Ahead&) = default;
};

class Before {
 public:
  using State = Ahead;
  static constexpr Direction kDirection = Direction::Backward;

  // `mayEndTell`: another thread may learn of it by the end of this one.
  explicit Before(bool mayEndTell) : mayEndTell_(mayEndTell) {}
  State initial() const { return {}; }
  State boundary() const { return {0, mayEndTell_}; }
  void meet(State& into, const State& from) const {
    into.covered &= from.covered;
    into.isNeeded |= from.isNeeded;
  }
  bool isStatement(const Instruction& instruction) const { return isProxyFence(instruction); }
  void pass(const Instruction& instruction, Execution execution, State& state) const {
    if (analysis::mayCall(instruction)) {
      state = {0, true};
    } else if (isProxyFence(instruction)) {
      if (execution.isCertain) state.covered |= spacesOfFence(*instruction.desc);
    } else if (!tellsNothing(instruction)) {
      state = {0, true};
    }
  }

 private:
  // Nobody can learn by it of what came before, nor is an operation issued.
  static bool tellsNothing(const Instruction& instruction) {
    const WaitRole role = isa::waitRoleOf(*instruction.desc);
    return isArithmetic(instruction) || isPlainAccess(instruction) || isOfGroups(role) ||
           role == WaitRole::CopyWait || role == WaitRole::CopyWaitAll ||
           isa::asyncRoleOf(*instruction.desc) == AsyncRole::Wait;
  }

  bool mayEndTell_;
};

// ---- fence.mbarrier_init (docs/soundness/ H5) --------------------------------------------------

struct InitAhead {
  bool another = true;  // on every path, before anything that tells of the mbarrier
  bool barrier = true;  // a full barrier, or nothing that tells of it
  friend bool operator==(const InitAhead&, const InitAhead&) = default;
};

class InitBefore {
 public:
  using State = InitAhead;
  static constexpr Direction kDirection = Direction::Backward;

  explicit InitBefore(const Cfg& cfg) : cfg_(&cfg) {}
  State initial() const { return {}; }
  State boundary() const { return {false, cfg_->function().isEntry()}; }
  void meet(State& into, const State& from) const {
    into.another &= from.another;
    into.barrier &= from.barrier;
  }
  void transfer(BlockId block, State& state) const {
    analysis::forEachInstruction(cfg_->block(block), kDirection,
                                 [&](const Instruction& instruction) { pass(instruction, state); });
  }

  static void pass(const Instruction& instruction, State& state) {
    if (analysis::mayCall(instruction)) {
      state = {false, false};
      return;
    }
    const isa::InstructionDesc& desc = *instruction.desc;
    const bool isInit = isa::asyncRoleOf(desc) == AsyncRole::Init && desc.has(".init");
    if (isInit || isArithmetic(instruction) || isPlainAccess(instruction)) return;
    if (isa::waitRoleOf(desc) == WaitRole::InitFence) {
      state.another |= !instruction.guard;
    } else if (isFullBarrier(instruction)) {
      state = {false, true};
    } else {
      state = {false, state.barrier && isProxyFence(instruction)};
    }
  }

 private:
  const Cfg* cfg_;
};

}  // namespace

DeadWaits proxyFencesForNobody(const Cfg& cfg) {
  DeadWaits dead;
  if (!cfg.function().isEntry()) return dead;
  for (const BlockId b : cfg.blocks()) {
    for (Instruction& instruction : cfg.instructions(b)) {
      if (isProxyFence(instruction)) {
        dead.push_back({&instruction, Why::NobodyIssues});
      } else if (!staysAmongThreads(instruction)) {
        return {};
      }
    }
  }
  return dead;
}

DeadWaits proxyFencesBehindOthers(const Cfg& cfg, ExecutedByAll& executed) {
  DeadWaits dead;
  const Spaces written = writtenByAsyncProxy(cfg);
  forEachStatement(cfg, Behind(fullBarriers(cfg, executed)),
                   [&](Instruction& fence, Covered state) {
                     const Spaces reads = static_cast<Spaces>(state.reads | ~written);
                     if ((spacesOfFence(*fence.desc) & ~(state.writes & reads)) == 0) {
                       dead.push_back({&fence, Why::ProxyFenceBehind});
                     }
                   });
  return dead;
}

DeadWaits proxyFencesBeforeOthers(const Cfg& cfg, ExecutedByAll& executed) {
  DeadWaits dead;
  forEachStatement(cfg, Before(mayEndTell(cfg, executed)), [&](Instruction& fence, Ahead state) {
    const bool isCovered = (spacesOfFence(*fence.desc) & ~state.covered) == 0;
    if (isCovered) dead.push_back({&fence, Why::ProxyFenceAhead});
    if (!isCovered && !state.isNeeded) dead.push_back({&fence, Why::NothingBehind});
  });
  return dead;
}

DeadWaits initFencesBeforeBarriers(const Cfg& cfg) {
  DeadWaits dead;
  const analysis::AddressObjects objects(cfg.function());
  const bool staysInCta = analysis::staysInCta(cfg, objects);
  const Dataflow<InitBefore> flow(cfg, InitBefore(cfg));
  for (const BlockId b : cfg.blocks()) {
    if (!cfg.isReachable(b)) continue;
    InitAhead state = flow.before(b);
    analysis::forEachInstruction(cfg.block(b), Direction::Backward, [&](Instruction& instruction) {
      if (isa::waitRoleOf(*instruction.desc) == WaitRole::InitFence) {
        if (staysInCta && state.barrier)
          dead.push_back({&instruction, Why::BarrierAhead});
        else if (state.another)
          dead.push_back({&instruction, Why::InitFenceAhead});
      }
      InitBefore::pass(instruction, state);
    });
  }
  return dead;
}

}  // namespace ptxopt::passes
