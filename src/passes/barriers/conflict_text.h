// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An example of two accesses that need a barrier: which threads, which bytes, and under what
// conditions.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/barriers/conflict_witness.h"
#include "analysis/flow/loops.h"
#include "analysis/memory/memory_effects.h"
#include "passes/engine/remark.h"

namespace ptxopt::passes {

// "reads", "writes", "reads and writes"
std::string_view verbOf(analysis::AccessKinds kinds);

class ConflictText {
 public:
  // `lineOf`: "line 31" of an instruction.  `verbs`: what each access does.  All must outlive the
  // object.
  ConflictText(const analysis::ConflictWitness& witness, const analysis::Access& first,
               const analysis::Access& second, std::array<std::string_view, 2> verbs,
               const analysis::Loops& loops,
               const std::function<std::string(const ir::Instruction&)>& lineOf)
      : witness_(witness),
        first_(first),
        second_(second),
        verbs_(verbs),
        loops_(loops),
        lineOf_(lineOf) {}

  ConflictExample example() const;

 private:
  const analysis::Addresses& addresses() const { return *first_.origin; }
  ConflictExample::Side side(const analysis::Access& access,
                             const analysis::ConflictWitness::Side& of,
                             std::string_view verb) const;
  std::string conditions() const;
  std::string round(const analysis::ConflictWitness::Choice& choice) const;
  std::string condition(const analysis::ConflictWitness::Choice& choice) const;
  std::string sameBase() const;
  std::string nameOf(analysis::LeafId leaf) const;

  const analysis::ConflictWitness& witness_;
  const analysis::Access& first_;
  const analysis::Access& second_;
  std::array<std::string_view, 2> verbs_;
  const analysis::Loops& loops_;
  const std::function<std::string(const ir::Instruction&)>& lineOf_;
};

// "p and q may point to the same memory", where that is what two accesses are kept apart for; else
// empty.
std::string parametersThatMayAlias(const analysis::Access& first, const analysis::Access& second);

}  // namespace ptxopt::passes
