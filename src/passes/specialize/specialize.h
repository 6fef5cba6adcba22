// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes what is known of the launches of a kernel into its code (docs/launches.md): numbers become
// constants where they are read, so that all passes can use them.
//
// If the facts are enforced, nothing is trusted.  A block becomes .reqntid or .maxntid, and the
// driver refuses any other.  All other numbers that the code uses are compared at the entry, and
// the kernel traps if one differs (C10.15).  These tests are added after all passes, so that they
// are in nobody's way.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/launch/assumptions.h"
#include "passes/specialize/launch_facts.h"
#include "support/diagnostics.h"

namespace ptxopt::passes {

class Specialization {
 public:
  // Changes the kernels of the module, but for those that are kept, and adds what must be trusted
  // to `assumptions`.  Warns about facts that contradict the text, and about those that cannot be
  // used.  O(statements of kernels with facts).
  Specialization(ir::Module& module, const LaunchFacts& facts,
                 const std::vector<std::string>& keptKernels,
                 analysis::AssumptionTable& assumptions, Diagnostics& diagnostics);

  bool changed() const { return changed_; }
  // The names in the facts whose kernels the module has.
  const std::vector<std::string>& kernels() const { return kernels_; }
  // Adds the tests; none if the facts are trusted.
  void addTests();

 private:
  // A number that the code of a kernel takes for constant.
  struct Used {
    ir::Function* kernel = nullptr;
    const ir::Variable* parameter = nullptr;  // null: a special register
    std::string special;                      // "%nctaid.x"
    isa::Type type = isa::Type::None;
    std::uint64_t bits = 0;
  };

  void apply(ir::Function& kernel, const KernelFacts& facts);
  void applyBlock(ir::Function& kernel, const KernelFacts& facts);
  const ir::Variable* parameterOf(const ir::Function& kernel, const KernelFacts::Parameter& known);
  void applyParameter(ir::Function& kernel, const KernelFacts::Parameter& parameter);
  // True if the kernel reads it.
  bool replaceSpecial(ir::Function& kernel, std::string_view name, std::uint32_t value);
  void useSpecial(ir::Function& kernel, std::string_view name, std::uint32_t value);
  bool replaceLoads(ir::Function& kernel, const ir::Variable& parameter, std::uint64_t bits);
  void setShape(ir::Function& kernel, std::string_view name, std::span<const std::int64_t> values);
  void warn(const ir::Function& kernel, const std::string& message);

  ir::Module* module_;
  bool isEnforced_;
  analysis::AssumptionTable* assumptions_;
  Diagnostics* diagnostics_;
  std::vector<Used> used_;
  std::vector<std::string> kernels_;
  bool changed_ = false;
};

}  // namespace ptxopt::passes
