// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A data flow that also knows what holds in the executions in which one guard does, so that a
// guarded statement can stand for another one under the same guard (docs/soundness/ H0.3).
#pragma once

#include <utility>

#include "analysis/flow/dataflow.h"
#include "analysis/flow/register_effects.h"
#include "passes/waits/wait_rules.h"

namespace ptxopt::passes {

// How a state sees an instruction.
struct Execution {
  bool isCertain = false;     // it is executed, and not only may be
  bool isUnderGuard = false;  // the state is one of the executions in which a guard holds
};

// Of the guard of the last statement.
template <class State>
struct GuardedState {
  State always;
  State under;      // where `guard` holds; like `always` if there is none
  ir::Guard guard;  // as the register is at this place
  bool isInitial = false;
  friend bool operator==(const GuardedState&, const GuardedState&) = default;
};

// `Problem` has, beside what a data flow problem has but transfer():
//   bool isStatement(const Instruction&) const;   // one that may stand for another one
//   void pass(const Instruction&, Execution, State&) const;
template <class Problem>
class WithGuards {
 public:
  using Plain = typename Problem::State;
  using State = GuardedState<Plain>;
  static constexpr Direction kDirection = Problem::kDirection;

  WithGuards(const analysis::Cfg& cfg, Problem problem)
      : cfg_(&cfg), problem_(std::move(problem)) {}

  State initial() const { return {problem_.initial(), problem_.initial(), {}, true}; }
  State boundary() const { return {problem_.boundary(), problem_.boundary(), {}, false}; }
  void meet(State& into, const State& from) const {
    if (from.isInitial) return;
    if (into.isInitial) {
      into = from;
      return;
    }
    problem_.meet(into.always, from.always);
    if (into.guard == from.guard) {
      problem_.meet(into.under, from.under);
    } else {
      forget(into);
    }
  }
  void transfer(analysis::BlockId block, State& state) const {
    analysis::forEachInstruction(
        cfg_->block(block), kDirection,
        [&](const ir::Instruction& instruction) { pass(instruction, state); });
  }

  void pass(const ir::Instruction& instruction, State& state) const {
    const ir::Guard guard = instruction.guard;
    if (kDirection == Direction::Backward) dropWritten(instruction, state);
    if (guard && guard != state.guard && problem_.isStatement(instruction)) {
      state.under = state.always;
      state.guard = guard;
    }
    problem_.pass(instruction, {!guard, false}, state.always);
    if (!state.guard) {
      state.under = state.always;
    } else if (!guard || guard.predicate() != state.guard.predicate()) {
      problem_.pass(instruction, {!guard, true}, state.under);
    } else if (guard == state.guard) {
      problem_.pass(instruction, {true, true}, state.under);
    }  // else the opposite holds
    if (kDirection == Direction::Forward) dropWritten(instruction, state);
  }

  // What holds where the statement is executed.
  const Plain& at(const ir::Instruction& statement, const State& state) const {
    return statement.guard && statement.guard == state.guard ? state.under : state.always;
  }

 private:
  static void forget(State& state) {
    state.under = state.always;
    state.guard = {};
  }
  // The guard has another value on the other side of the instruction.
  static void dropWritten(const ir::Instruction& instruction, State& state) {
    if (!state.guard) return;
    bool isWritten = false;
    analysis::forEachDefinition(
        instruction, [&](ir::RegisterId id, bool) { isWritten |= id == state.guard.predicate(); });
    if (isWritten) forget(state);
  }

  const analysis::Cfg* cfg_;
  Problem problem_;
};

// Calls visit(instruction, state) for each statement, where `state` is what holds on the side from
// which the data flow comes, in the executions of the statement.
template <class Problem, class Visitor>
void forEachStatement(const analysis::Cfg& cfg, Problem plain, Visitor&& visit) {
  const WithGuards<Problem> problem(cfg, plain);
  const analysis::Dataflow<WithGuards<Problem>> flow(cfg, problem);
  for (const analysis::BlockId b : cfg.blocks()) {
    if (!cfg.isReachable(b)) continue;
    auto state = flow.before(b);
    analysis::forEachInstruction(cfg.block(b), Problem::kDirection,
                                 [&](ir::Instruction& instruction) {
                                   if (plain.isStatement(instruction)) {
                                     visit(instruction, problem.at(instruction, state));
                                   }
                                   problem.pass(instruction, state);
                                 });
  }
}

}  // namespace ptxopt::passes
