// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call with its parameters in memory, as compilers write it (docs/soundness/ D6.6):
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
  // An access to a parameter of the call, which is a variable of the scope.
  struct Access {
    const ir::Instruction* instruction = nullptr;
    std::uint32_t position = 0;  // among the arguments, or among the results
  };
  const ir::Statement* begin = nullptr;  // {
  const ir::Instruction* call = nullptr;
  std::vector<Access> stores;
  std::vector<Access> loads;
};

// The sequence that begins at `begin`, or nothing: there is one call in it, unguarded; before it
// unguarded stores to its arguments, after it unguarded loads of its results; and else only
// declarations and .loc.  O(statements of the scope).
std::optional<CallSequence> callSequence(const ir::Statement& begin);

// What it calls, a function that it names, with which arguments, as words that can be compared;
// false where an argument cannot be.
bool makeCallKey(const SsaRewrite& rewrite, const ExpressionKeys& keys,
                 const CallSequence& sequence, std::vector<std::uint64_t>& key);

// The load of `earlier` that gives what `load`, of a sequence with the same key, does; null if
// there is none.
const ir::Instruction* sameLoad(const CallSequence& earlier, const CallSequence::Access& load);

}  // namespace ptxopt::passes
