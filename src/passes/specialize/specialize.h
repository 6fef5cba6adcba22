// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes what is known of the launches of a kernel into its code (docs/launches.md): numbers become
// constants where they are read, so that all passes can use them.
//
// If the facts are enforced, nothing is trusted.  A block becomes .reqntid or .maxntid, and the
// driver refuses any other.  All other numbers that the code uses are compared at the entry
// (C10.15).  If one differs, the kernel traps; these tests are added after all passes, so that they
// are in nobody's way.  Or it goes on with its original code, a second path that all passes see.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/launch/assumptions.h"
#include "passes/engine/remark.h"
#include "passes/specialize/kernel_numbers.h"
#include "passes/specialize/launch_facts.h"
#include "support/diagnostics.h"

namespace ptxopt::passes {

class Specialization {
 public:
  // Changes the kernels of the module, but for those that are kept, and adds what must be trusted
  // to `assumptions`.  Warns about facts that contradict the text, and about those that cannot be
  // used.  O(1) without facts, else O(functions + statements of kernels with facts).
  Specialization(ir::Module& module, const LaunchFacts& facts,
                 const std::vector<std::string>& keptKernels,
                 analysis::AssumptionTable& assumptions, Diagnostics& diagnostics);

  bool changed() const { return changed_; }
  // The module has a kernel that the facts name.
  bool isAboutModule() const { return isAboutModule_; }
  // About barriers that are gone, because no launch reaches them.
  const std::vector<Remark>& remarks() const { return remarks_; }
  // Adds the tests; none if the facts are trusted.
  void addTests();

 private:
  void apply(ir::Function& kernel, const KernelFacts& facts);
  void applyBlock(ir::Function& kernel, const KernelFacts& facts, KernelNumbers& numbers);
  void applyMostThreads(ir::Function& kernel, std::uint32_t threads);
  void applyCluster(ir::Function& kernel, const Extents& cluster, KernelNumbers& numbers);
  ir::Variable* parameterOf(const ir::Function& kernel, const KernelFacts::Parameter& known);
  void addPointed(const ir::Function& kernel, ir::Variable& parameter,
                  const ir::ParameterRange& pointer, std::uint64_t bytes, const std::string& what);
  void addParameter(const ir::Function& kernel, const KernelFacts::Parameter& known,
                    KernelNumbers& numbers);
  void use(ir::Function& kernel, KernelNumbers& numbers);
  void remarkOn(const ir::Function& kernel, std::span<const ir::Instruction* const> barriers);
  bool canDispatch(const ir::Function& kernel);
  std::vector<ir::RegisterId> dispatch(ir::Function& kernel, KernelNumbers& numbers);
  void setShape(ir::Function& kernel, std::string_view name, std::span<const std::int64_t> values);
  void warn(const ir::Function& kernel, const std::string& message);

  // What is tested after all passes.
  struct Tested {
    ir::Function* kernel = nullptr;
    std::vector<KernelNumber> numbers;
  };

  ir::Module* module_;
  bool isEnforced_;
  bool isDispatched_;
  analysis::AssumptionTable* assumptions_;
  Diagnostics* diagnostics_;
  std::vector<Tested> tested_;
  std::vector<Remark> remarks_;
  bool isAboutModule_ = false;
  bool changed_ = false;
};

}  // namespace ptxopt::passes
