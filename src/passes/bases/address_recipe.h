// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What computes a value at the end of a block that dominates it, as words: the same words, the same
// number, but for a number that is added at last.
//
// A recipe names instructions by their descriptions, and operands by what they are there: a value
// that a register holds at the end of the block, or an earlier instruction of the recipe.
//
// Source: value numbering by hashing of expressions, over the text.
// Cost: maxDepth instructions.
#pragma once

#include <cstdint>
#include <vector>

#include "passes/bases/base_assignment.h"
#include "passes/bases/variable_bases.h"

namespace ptxopt::passes {

struct AddressRecipe {
  std::vector<analysis::ValueId> chain;  // whose instructions have to be computed again
  std::vector<std::uint64_t> words;
  std::uint64_t added = 0;
};

class AddressRecipes {
 public:
  // Both must outlive the object.
  AddressRecipes(const BaseAssignment& bases, const DeclaredAhead& declared)
      : bases_(bases), ssa_(bases.ssa()), declared_(declared) {}

  // False where the value cannot be computed at the end of the block, or is there already.
  bool describe(analysis::ValueId value, analysis::BlockId block, AddressRecipe& recipe);
  // Something was not described because it takes more than maxDepth instructions.
  bool isDepthMet() const { return isDepthMet_; }

 private:
  bool describeChain(analysis::ValueId value, analysis::BlockId block, unsigned depth,
                     AddressRecipe& recipe);
  bool addOperands(const ir::Instruction& instruction, analysis::BlockId block, unsigned depth,
                   std::vector<std::uint64_t>& words, AddressRecipe& recipe);

  const BaseAssignment& bases_;
  const analysis::Ssa& ssa_;
  const DeclaredAhead& declared_;
  bool isDepthMet_ = false;
};

}  // namespace ptxopt::passes
