// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What remarks say, those about barriers apart: a struct for each thing that a pass can say.  The
// function is that of the remark.  driver/content_text.h has the words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/module.h"

namespace ptxopt::passes {

// ---- the engine ---------------------------------------------------------------------------------

struct KeptFunction {
  std::string_view reason;
};

// ---- cssa and early-cse -------------------------------------------------------------------------

struct LeftSsaForm {
  std::size_t copies = 0;
  std::size_t temporaries = 0;
  std::size_t blocks = 0;  // new ones on edges
  std::size_t newRegisters = 0;
};

// A check of the tables that keys are looked up in.
struct CheckedTables {
  std::size_t lookUps = 0;
  std::size_t entered = 0;
  std::size_t longestChain = 0;
};

// An instruction that went, or became a copy or a number.
struct MergedInstruction {
  enum class Why : std::uint8_t {
    SameValue,     // `reg` has what it computes
    Copy,          // it copies `reg`
    Loaded,        // `reg` has what it loads
    LoadedNumber,  // what it loads, into `reg`, is a number
    Number,        // what it computes, into `reg`, is a number
    SameResult,    // of a call: `reg` has it
    Overwritten,   // of a store: nothing reads what it writes
    EqualHeads,    // both arms of a branch begin with it
  };
  std::string_view mnemonic;
  Why why = Why::SameValue;
  std::string reg = {};  // may be empty
};

// ---- dead-wait ----------------------------------------------------------------------------------

// A wait or a fence that went.
struct RemovedWait {
  enum class Why : std::uint8_t {
    Nothing,           // nothing is outstanding that it waits for
    EmptyGroup,        // of a commit: nothing has been issued since the last one
    FullWaitAhead,     // a wait for the same groups to be complete comes behind it
    FenceBeside,       // one that is at least as strong stands before or behind it
    ProxyFenceBehind,  // nothing has been accessed since another one
    ProxyFenceAhead,   // another one comes before anything that it could be for
    NothingBefore,     // nothing that it could be for comes before it
    NothingBehind,     // nothing that it could be for comes behind it
    NobodyIssues,      // of fence.proxy.async: the kernel has no operation of the async proxy
    BarrierAhead,      // a full barrier comes behind it, and no other CTA has the mbarrier
    InitFenceAhead,    // another one comes before anybody can know of the mbarrier
    BarrierBeside,     // a barrier for the same threads stands before or behind it
    SameBefore,        // another one before it has done the same
    PhaseSeen,         // the thread has just seen the phase complete
  };
  std::string_view mnemonic;
  Why why = Why::Nothing;
};

// An instruction, as it was before the pass.
struct NamedStatement {
  std::string_view mnemonic;
  SourceRange place;
};

// One that stays.
struct KeptWait {
  enum class Why : std::uint8_t {
    Outstanding,  // what it waits for may be outstanding
    InGroup,      // of a commit: something may be in the group, or a wait counts it
    Orders,       // it may order accesses
    Guarded,      // it is under a guard
    AskedFor,     // by a comment, an option, or a directive above it
  };
  std::string_view mnemonic;
  Why why = Why::Orders;
  // The nearest instructions that it may be for: `above` of what it waits for, or of what it orders
  // before `below`.
  std::optional<NamedStatement> above = {};
  std::optional<NamedStatement> below = {};
};

// ---- common-base --------------------------------------------------------------------------------

// `reg` is base + distance.
struct SharedBase {
  std::string reg;
  std::string base;
  std::int64_t distance = 0;
  std::uint32_t accesses = 0;  // that use the base instead
};

struct MetLimit {
  std::string_view name;
  std::size_t most = 0;
};

// ---- global-opt ---------------------------------------------------------------------------------

struct RemovedFunction {};

// A variable as it was.
struct VariableAsItWas {
  std::string_view name;
  isa::Space space = isa::Space::None;
  std::uint64_t bytes = 0;
  // Of shared and local memory: the kernels that have it.
  std::optional<std::vector<const ir::Function*>> kernels = {};
};

struct RemovedVariable {
  VariableAsItWas variable;
  enum class Why : std::uint8_t { NotReached, NotUsed, NotRead, OnlyReceives, Equal };
  Why why = Why::NotReached;
  std::size_t stores = 0;       // to it, that went too
  std::string_view equal = {};  // the variable that takes its place
};

struct RemovedAllocation {
  std::size_t stores = 0;
  std::size_t frees = 0;
};

struct VariableInRegisters {
  VariableAsItWas variable;
  std::size_t slots = 0;
};

struct SplitVariable {
  struct Bytes {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  VariableAsItWas variable;
  std::vector<Bytes> fields;
  std::uint64_t bytes = 0;  // of all fields
};

struct FoldedLoad {
  std::string_view variable;
};

struct KeptVariable {
  VariableAsItWas variable;
  std::string_view reason;
};

struct StoppedEarly {
  std::size_t rounds = 0;
};

// In a kernel.
struct SavedInKernel {
  std::uint64_t shared = 0;  // bytes
  std::uint64_t local = 0;
};

struct SavedInModule {
  isa::Space space = isa::Space::Global;
  std::uint64_t bytes = 0;
};

using RemarkContent =
    std::variant<std::monostate, KeptFunction, LeftSsaForm, CheckedTables, MergedInstruction,
                 RemovedWait, KeptWait, SharedBase, MetLimit, RemovedFunction, RemovedVariable,
                 RemovedAllocation, VariableInRegisters, SplitVariable, FoldedLoad, KeptVariable,
                 StoppedEarly, SavedInKernel, SavedInModule>;

}  // namespace ptxopt::passes
