// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/waits/phase_waits.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "analysis/async/wait_loops.h"
#include "analysis/flow/dataflow.h"
#include "analysis/flow/register_effects.h"
#include "ir/function.h"

namespace ptxopt::passes {

namespace {

using analysis::BlockId;
using analysis::Cfg;
using analysis::Dataflow;
using analysis::Liveness;
using analysis::LoopId;
using analysis::Loops;
using ir::Instruction;
using ir::Operand;
using isa::WaitRole;

bool isPhaseWait(const Instruction& instruction) {
  return isa::waitRoleOf(*instruction.desc) == WaitRole::PhaseWait;
}

// Equal operands have equal keys, and as long as their registers are not written name the same.
using OperandKey =
    std::tuple<ir::OperandKind, ir::AddressBase, std::uint8_t, std::uint32_t, std::int64_t>;

OperandKey keyOf(const Operand& operand) {
  return {operand.kind, operand.base, operand.component, operand.id, operand.immediate};
}

// What a wait asks: which phase of which mbarrier.
using Question = std::tuple<isa::Space, OperandKey, OperandKey>;

// None for a wait of another form.
std::optional<Question> questionOf(const Instruction& wait) {
  const Operand* const object = wait.operand(1);
  const Operand* const parity = wait.operand(2);
  if (object == nullptr || parity == nullptr || object->kind != ir::OperandKind::Address) {
    return std::nullopt;
  }
  const bool isPlain = parity->kind == ir::OperandKind::Integer || parity->isWholeRegister();
  if (!isPlain) return std::nullopt;
  return Question{wait.desc->space, keyOf(*object), keyOf(*parity)};
}

// The question that every path has just seen answered with yes.
struct Seen {
  static constexpr std::uint32_t kAny = 0;  // of a path that does not exist
  static constexpr std::uint32_t kNone = 1;
  std::uint32_t question = kAny;
  bool byAll = true;  // by the same wait of all threads of the CTA
  friend bool operator==(const Seen&, const Seen&) = default;
};

class JustSeen {
 public:
  using State = Seen;
  static constexpr Direction kDirection = Direction::Forward;

  JustSeen(const Cfg& cfg, const Loops& loops, ExecutedByAll& executed)
      : cfg_(&cfg), loops_(&loops), executed_(&executed) {
    std::map<Question, std::uint32_t> numbers;
    for (const BlockId b : cfg.blocks()) {
      if (!cfg.isReachable(b)) continue;
      for (const Instruction& instruction : cfg.instructions(b)) {
        if (!isPhaseWait(instruction) || !analysis::waitsUntilDone(cfg, loops, instruction))
          continue;
        const std::optional<Question> question = questionOf(instruction);
        if (!question) continue;
        const auto next = static_cast<std::uint32_t>(Seen::kNone + 1 + numbers.size());
        const std::uint32_t number = numbers.try_emplace(*question, next).first->second;
        numbers_.emplace(&instruction, number);
        if (number == next) examples_.push_back(&instruction);
      }
    }
    isRepeated_ = numbers_.size() > numbers.size();
    if (!isRepeated_) return;
    for (const auto& [wait, number] : numbers_) {
      if (isPassedByAll(*wait)) passedByAll_.insert(wait);
    }
  }

  // Two waits ask the same.
  bool isAnyRepeated() const { return isRepeated_; }
  // None if the wait is not one that goes on until it is told yes.
  std::optional<std::uint32_t> numberOf(const Instruction& wait) const {
    const auto found = numbers_.find(&wait);
    return found != numbers_.end() ? std::optional(found->second) : std::nullopt;
  }

  State initial() const { return {}; }
  State boundary() const { return {Seen::kNone, false}; }
  void meet(State& into, const State& from) const {
    if (from.question == Seen::kAny) return;
    if (into.question == Seen::kAny) {
      into = from;
    } else if (from != into) {
      const bool isSame = from.question == into.question;
      into = {isSame ? into.question : Seen::kNone, false};
    }
  }
  // Behind the block of a wait this is true only of the edge that leaves its loop.  The other edge
  // leads to the wait again.
  void transfer(BlockId block, State& state) const {
    for (const Instruction& instruction : cfg_->instructions(block)) pass(instruction, state);
  }

  void pass(const Instruction& instruction, State& state) const {
    if (const std::optional<std::uint32_t> number = numberOf(instruction)) {
      state = {*number, passedByAll_.contains(&instruction)};
      return;
    }
    if (state.question <= Seen::kNone) return;
    const bool isKept = keeps(instruction) || (state.byAll && isOfAll(instruction));
    if (!isKept || writesOperand(instruction, state)) state = {Seen::kNone, false};
  }

 private:
  // The thread learns nothing from others by it, and gives them nothing.
  bool keeps(const Instruction& instruction) const {
    if (instruction.desc->is(isa::kTimer)) return false;
    if (isArithmetic(instruction)) return true;
    // A loop that reads may be one that waits for a number.
    const bool reads = !instruction.desc->is(isa::kMemoryWrite);
    return isPlainAccess(instruction) &&
           !(reads && loops_->loopOf(instruction.block) != LoopId::None);
  }

  // All threads of the CTA pass the wait equally often: they come to its loop by a block that all
  // of them execute.  (In the loop itself each thread has rounds of its own.)
  bool isPassedByAll(const Instruction& wait) const {
    const LoopId loop = loops_->loopOf(wait.block);
    if (!loops_->isReducible(loop) || loops_->header(loop) != wait.block) return false;
    std::optional<BlockId> before;
    for (const BlockId from : cfg_->predecessors(wait.block)) {
      if (loops_->contains(loop, from)) continue;
      if (before) return false;
      before = from;
    }
    return before && std::ranges::distance(cfg_->successors(*before)) == 1 &&
           executed_->contains(*before);
  }

  // A barrier at which all threads meet, none of which has ended (docs/soundness/ H10.2).
  bool isOfAll(const Instruction& instruction) const {
    return isFullBarrier(instruction) && executed_->contains(instruction.block);
  }

  bool writesOperand(const Instruction& instruction, const State& state) const {
    const Instruction& wait = *examples_[state.question - Seen::kNone - 1];
    bool writes = false;
    analysis::forEachDefinition(instruction, [&](ir::RegisterId id, bool) {
      writes |= id == wait.operand(1)->reg() || id == wait.operand(2)->reg();
    });
    return writes;
  }

  const Cfg* cfg_;
  const Loops* loops_;
  ExecutedByAll* executed_;
  std::unordered_map<const Instruction*, std::uint32_t> numbers_;
  std::unordered_set<const Instruction*> passedByAll_;
  std::vector<const Instruction*> examples_;  // by question
  bool isRepeated_ = false;
};

// A directive above the label of the loop is about the loop, and would be about what comes next.
bool isLoopBelowDirective(const Instruction& wait) {
  for (const ir::Statement* at = wait.previous; at != nullptr; at = at->previous) {
    switch (at->kind) {
      case ir::StatementKind::Label:
      case ir::StatementKind::Location:
      case ir::StatementKind::ScopeBegin:
      case ir::StatementKind::RegisterDeclaration:
        break;
      default:
        return at->kind == ir::StatementKind::Pragma || at->kind == ir::StatementKind::Directive;
    }
  }
  return false;
}

// The branches of the loop of a wait, if without them and the wait control comes to the exit of the
// loop, and nobody asks for the predicate.  Two forms:
//   L: wait; @!p bra L;
//   L: wait; @p bra D; bra L; D:
std::optional<DeadWait::Others> branchesOf(const Cfg& cfg, const Loops& loops,
                                           const Liveness& liveness, const Instruction& wait) {
  const LoopId loop = loops.loopOf(wait.block);
  const auto size = std::ranges::distance(cfg.instructions(wait.block).begin(),
                                          cfg.instructions(wait.block).end());
  Instruction* const branch = cfg.block(wait.block).terminator;
  if (!loops.isReducible(loop) || loops.header(loop) != wait.block || size != 2)
    return std::nullopt;
  // Blocks are numbered in the order of the text.
  const auto behind = [&](std::uint32_t blocks) {
    return BlockId{static_cast<std::uint32_t>(wait.block) + blocks};
  };
  DeadWait::Others branches = {branch, nullptr};
  BlockId exit = behind(1);
  const std::span<const BlockId> members = loops.members(loop);
  if (members.size() == 2 && members[1] == behind(1)) {
    branches[1] = cfg.block(members[1]).terminator;
    const auto all = cfg.instructions(members[1]);
    if (branches[1] == nullptr || &*all.begin() != branches[1]) return std::nullopt;
    exit = behind(2);
  } else if (members.size() != 1) {
    return std::nullopt;
  }
  const std::vector<EdgeId> exits = loops.exits(loop);
  const bool comesThere = exits.size() == 1 && cfg.target(exits.front()) == exit;
  const bool isAsked = liveness.isLiveIn(exit, wait.operand(0)->reg());
  const bool goes = comesThere && !isAsked && !isLoopBelowDirective(wait);
  return goes ? std::optional(branches) : std::nullopt;
}

}  // namespace

DeadWaits repeatedPhaseWaits(analysis::FunctionAnalyses& analyses, ExecutedByAll& executed) {
  DeadWaits dead;
  const Cfg& cfg = analyses.get<Cfg>();
  const Loops& loops = analyses.get<Loops>();
  const JustSeen problem(cfg, loops, executed);
  if (!problem.isAnyRepeated()) return dead;
  const Liveness& liveness = analyses.get<Liveness>();
  const Dataflow<JustSeen> flow(cfg, problem);
  for (const BlockId b : cfg.blocks()) {
    if (!cfg.isReachable(b)) continue;
    Seen state = flow.before(b);
    for (Instruction& instruction : cfg.instructions(b)) {
      if (problem.numberOf(instruction) == state.question) {
        if (const auto branches = branchesOf(cfg, loops, liveness, instruction)) {
          dead.push_back({&instruction, RemovedWait::Why::PhaseSeen, *branches});
        }
      }
      problem.pass(instruction, state);
    }
  }
  return dead;
}

}  // namespace ptxopt::passes
