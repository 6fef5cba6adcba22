// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints every instruction that a row of the lowerings is for.
//
// One line each: the statement, the PTX version and the target that it needs, the version and
// target of what takes its place, "pure" if it only computes, and what takes its place; with tabs
// between them.
#include <fmt/format.h>

#include "expand.h"
#include "isa/targets.h"
#include "passes/retarget/lowering.h"

using namespace ptxopt;

int main() {
  isa::InstructionTable table;
  for (const passes::Lowering& row : passes::lowerings()) {
    for (const ExpandedForm& form : expand(row.syntax, row.sets, row.example, table)) {
      const isa::Row& needs = *form.desc->row;
      fmt::print("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", form.statement, isa::toString(needs.version),
                 needs.target, isa::toString(row.version), row.target,
                 form.desc->is(isa::kPure) ? "pure" : "", row.becomes);
    }
  }
}
