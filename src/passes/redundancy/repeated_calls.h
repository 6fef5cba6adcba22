// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that do what a call above them did, with the same arguments (docs/soundness/ D3.7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "passes/redundancy/call_sequence.h"
#include "passes/redundancy/module_facts.h"
#include "passes/redundancy/scoped_table.h"
#include "passes/redundancy/value_replacer.h"

namespace ptxopt::passes {

class RepeatedCalls {
 public:
  // All must outlive the object.  `checksTable`: see ScopedMap.
  RepeatedCalls(SsaRewrite& rewrite, const ExpressionKeys& keys, const ModuleFacts& facts,
                ValueReplacer& replacer, bool checksTable)
      : rewrite_(rewrite), keys_(keys), facts_(facts), replacer_(replacer), known_(checksTable) {}

  // It writes no memory, and its results follow from its arguments.
  bool isPure(const ir::Instruction& call) const {
    return facts_.callees && facts_.callees->pure.isPureCall(rewrite_.function(), call);
  }
  // Replaces the call in the scope that begins here, or remembers it.
  void visitScope(const ir::Statement& begin);

  std::size_t mark() const { return known_.mark(); }
  void undoTo(std::size_t mark) { known_.undoTo(mark); }
  const ScopedMap<CallSequence>& known() const { return known_; }

  // Scopes of calls that went; nothing but declarations is left in them.
  const std::vector<const ir::Statement*>& emptyScopes() const { return emptyScopes_; }

 private:
  bool replace(const CallSequence& sequence, const CallSequence& earlier);

  SsaRewrite& rewrite_;
  const ExpressionKeys& keys_;
  const ModuleFacts& facts_;
  ValueReplacer& replacer_;
  ScopedMap<CallSequence> known_;
  std::vector<const ir::Statement*> emptyScopes_;
  std::vector<std::uint64_t> key_;  // of the call at hand
};

}  // namespace ptxopt::passes
