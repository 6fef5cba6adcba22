// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How Participation is computed (docs/soundness/ C1): collect the barriers, then classify them and
// find the tainted ids, again and again up to a fixpoint.
#pragma once

#include <optional>
#include <unordered_map>

#include "analysis/barriers/participation.h"
#include "ir/inline_assembly.h"

namespace ptxopt::analysis {

class Participation::Builder {
 public:
  // `graph` and `withKnownCallers` are null if functions have no known callers (C1.6).
  Builder(Participation& result, std::span<const Body> bodies, const BarrierUses& uses,
          const CallGraph* graph, const BitSet* withKnownCallers,
          const Uniformity::InstructionSet& broadcasts);

  void build();

 private:
  using Uniformities = std::vector<std::optional<Uniformity>>;  // by body

  // A call of a function that is one of the bodies.
  struct Call {
    std::uint32_t caller;
    const ir::Instruction* instruction;
    std::uint32_t callee;
  };

  // Collect: the barriers, the calls, and what may be a barrier.
  void collect(std::uint32_t body);
  bool collect(std::uint32_t body, ir::Instruction& instruction);
  bool collectCall(std::uint32_t body, const ir::Instruction& instruction);
  std::uint32_t calleeAmongBodies(const ir::Function& caller, const ir::Instruction& call) const;

  // Classify: who executes a barrier?
  static bool allExecute(const Uniformity& uniformity, const ir::Instruction& instruction);
  std::vector<bool> enteredByAll(const Uniformities& uniformities) const;
  bool isFull(const Member& member) const;
  bool isUniform(const Member& member) const;
  bool isOfSource(const Member& member) const;
  bool isTrusted(const Member& member) const;
  Standing standingOf(const Member& member) const;
  void classify();

  // Fixpoint: what is uniform depends on the barriers, and the reverse.
  void findFixpoint();
  BarrierIds assumeReductions();
  void findUniform(std::uint32_t body);

  // Taint: who else may use the id of a barrier?
  void taint(const Member& member);
  bool isTainted(const Member& member) const;
  void applyTaint();

  Participation* result_;
  std::span<const Body> bodies_;
  const BarrierUses* uses_;
  const CallGraph* graph_;
  const BitSet* withKnownCallers_;
  const Uniformity::InstructionSet& broadcasts_;
  std::unordered_map<const ir::Function*, std::uint32_t> bodyOf_;
  std::vector<Call> calls_;
  // By body; none without an instruction that is or may execute a barrier.
  std::vector<std::optional<BitSet>> blocksWithBarriers_;
  // By body: what is not of the source that it trusts (C10.14); none if it trusts nothing.
  std::vector<std::optional<ir::InlineAssembly>> inlineAssembly_;
  // The reductions that are assumed to give one result to all threads.
  Uniformity::InstructionSet reductions_;
  // What is uniform if all threads load the same data (C10.1).
  Uniformities ofEqualData_;
  std::vector<bool> isEnteredByAllOfEqualData_;  // by body
  BarrierIds tainted_ = 0;
};

}  // namespace ptxopt::analysis
