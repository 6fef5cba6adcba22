// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call with its parameters in .param memory, as compilers write it (docs/soundness/ D6.6):
//
//   { .param .b32 a; .param .b32 r;
//     st.param.b32 [a], %r1;  call (r), f, (a);  ld.param.b32 %r2, [r]; }
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/function.h"
#include "passes/redundancy/expression_key.h"
#include "passes/ssa/ssa_rewrite.h"

namespace ptxopt::passes {

struct CallSequence {
  // An access to a parameter of the call.  The parameter is a variable of the scope.
  struct Access {
    const ir::Instruction* instruction = nullptr;
    std::uint32_t position = 0;  // among the arguments, or among the results
  };
  const ir::Statement* begin = nullptr;  // {
  const ir::Instruction* call = nullptr;
  std::vector<Access> stores;
  std::vector<Access> loads;
};

// The sequence that begins at `begin`.  It must contain one unguarded call, before it unguarded
// stores to its arguments, after it unguarded loads of its results, and otherwise only declarations
// and .loc; nothing if it does not.  O(statements of the scope).
std::optional<CallSequence> callSequence(const ir::Statement& begin);

// Makes a comparable key of the called function, which must be named, and the arguments.  False if
// an argument cannot be part of a key.
bool makeCallKey(const SsaRewrite& rewrite, const ExpressionKeys& keys,
                 const CallSequence& sequence, std::vector<std::uint64_t>& key);

// The load of `earlier` that gives the same value as `load` of a sequence with the same key; null
// if there is none.
const ir::Instruction* sameLoad(const CallSequence& earlier, const CallSequence::Access& load);

}  // namespace ptxopt::passes
