// early-cse: what was computed or loaded before is not computed or loaded again.
//
// One walk down the dominator tree, with an explicit stack and scoped tables: of expressions
// (expression_key.h), and of what memory is known to hold (known_memory.h).  An instruction whose
// value is known in another register goes, and what read it reads that register; the pass works on
// SSA form (ssa_rewrite.h), so that a register that was written in between gets another name there
// (out_of_ssa.h).  Copies are propagated, integer constants folded, and what nobody needs then goes.
//
// No copy is made on an edge: a value that a phi takes, and one whose register phis share, stay where
// they are; a load that only such a value could stand for becomes a copy of it where its register
// still holds it.
//
// What is computed again in another block is often cheaper than a register that holds it all the way:
// on the corpus, merging across blocks cost kernels a step of occupancy.  So expressions are merged
// within a block only, unless `across-blocks=1` says otherwise; special registers, parameters and
// addresses of symbols, which compilers compute again on purpose, with `merge-cheap`.  In a function with calls nothing is kept across one, or across a place where paths meet,
// to save its being computed again: what lives through a call must be saved there (D4.6).
//
// docs/soundness.md D1, D2.1, D3, D6, E.9.  Cost: O(operands), and that of Ssa and of outOfSsa().
#include "passes/early_cse.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/branch_conditions.h"
#include "analysis/call_graph.h"
#include "analysis/manager.h"
#include "analysis/memory_events.h"
#include "analysis/ssa.h"
#include "ir/effect.h"
#include "passes/dead_stores.h"
#include "passes/dead_values.h"
#include "passes/expression_key.h"
#include "passes/fold.h"
#include "passes/known_memory.h"
#include "passes/memory_walk.h"
#include "passes/out_of_ssa.h"
#include "passes/plain_access.h"
#include "passes/register_copy.h"
#include "passes/ssa_rewrite.h"

namespace ptxopt::passes {

namespace {

using analysis::BlockId;
using analysis::kNone;
using analysis::Ssa;
using analysis::ValueId;
using ir::Instruction;
using ir::Operand;
using ir::OperandKind;
using ir::RegisterId;

struct EarlyCseOptions {
  bool memorySsa = false;
  std::size_t memorySsaCap = 500;  // queries a block
  bool mergeCheap = false;
  bool acrossBlocks = false;
};

// Of one function.
class Walk {
 public:
  // `memory` may be null.
  Walk(SsaRewrite& rewrite, const EarlyCseOptions& options, bool sharedIsWrittenBehind,
       MemoryWalk* memory, PassContext& context)
      : rewrite_(rewrite),
        ssa_(rewrite.ssa()),
        cfg_(ssa_.cfg()),
        options_(options),
        context_(context),
        keys_(rewrite),
        memoryWalk_(memory),
        memory_(rewrite, keys_, sharedIsWrittenBehind, memory),
        deadStores_(memory_),
        constants_(ssa_.valueCount()),
        isConstant_(ssa_.valueCount()),
        feedsPhi_(ssa_.valueCount()),
        isShared_(rewrite.function().registerCount()),
        current_(rewrite.function().registerCount(), kNone) {
    findWebs();
    for (std::uint32_t n = 0; n < ssa_.instructions().count(); ++n) {
      hasCalls_ |= ssa_.instructions()[n].form->control == isa::Control::Call;
    }
  }

  void run() {
    struct Frame {
      BlockId block;
      std::size_t expressions;     // marks at its beginning
      std::size_t written;
      KnownMemory::Mark atEnd;
      std::uint32_t stretch;
    };
    std::vector<Frame> stack;
    const KnownMemory::Mark start = memory_.mark();
    for (const BlockId b : ssa_.dominators().preorder()) {
      while (!stack.empty() &&
             ssa_.dominators().depth(stack.back().block) >= ssa_.dominators().depth(b)) {
        table_.undoTo(stack.back().expressions);
        undoWritten(stack.back().written);
        stack.pop_back();
      }
      if (memoryWalk_ != nullptr) memoryWalk_->beginBlock();
      const bool goesOn = !stack.empty() && cfg_.predecessors(b).size() == 1 &&
                          cfg_.predecessors(b)[0] == stack.back().block;
      memory_.goBack(stack.empty() ? start : stack.back().atEnd, goesOn);
      if (hasCalls_) stretch_ = goesOn ? stack.back().stretch : nextStretch_++;
      stack.push_back({b, table_.mark(), written_.size(), {}, 0});
      const auto [first, end] = ssa_.phis(b);
      for (ValueId phi = first; phi < end; ++phi) write(phi);
      deadStores_.forget();
      for (const Instruction& instruction : cfg_.instructions(b)) {
        if (!isStopped_) visit(instruction);
        ssa_.forEachDefinition(instruction, [&](ValueId value) { write(value); });
      }
      stack.back().atEnd = memory_.mark();
      stack.back().stretch = stretch_;
    }
  }

 private:
  // ---- what each register holds -----------------------------------------------------------------

  void write(ValueId value) {
    if (ssa_.isCarry(value)) return;
    ValueId& current = current_[static_cast<std::uint32_t>(ssa_.reg(value))];
    written_.emplace_back(ssa_.reg(value), current);
    current = value;
  }
  void undoWritten(std::size_t mark) {
    while (written_.size() > mark) {
      current_[static_cast<std::uint32_t>(written_.back().first)] = written_.back().second;
      written_.pop_back();
    }
  }

  // Values that phis take or partial definitions let show through, and the registers of both: to move
  // any of these takes copies.
  void findWebs() {
    const auto share = [&](ValueId value, ValueId operand) {
      if (operand == kNone || ssa_.isCarry(value)) return;
      feedsPhi_.set(operand);
      isShared_.set(static_cast<std::uint32_t>(ssa_.reg(value)));
    };
    for (ValueId value = 0; value < ssa_.valueCount(); ++value) {
      if (ssa_.isPhi(value)) {
        for (const ValueId operand : ssa_.phiOperands(value)) share(value, operand);
      } else if (ssa_.old(value) != kNone && ssa_.kind(ssa_.old(value)) != Ssa::Kind::Entry) {
        share(value, ssa_.old(value));
      }
    }
  }

  // ---- rewrites ---------------------------------------------------------------------------------

  bool canReplace(ValueId value, ValueId by) const {
    const RegisterId home = ssa_.reg(by);
    return !feedsPhi_.test(value) && ssa_.old(value) == kNone &&
           !isShared_.test(static_cast<std::uint32_t>(home)) &&
           rewrite_.canStandFor(home, ssa_.reg(value));
  }

  bool spend() {
    isStopped_ = !context_.budget.spend();
    return !isStopped_;
  }

  // All that the instruction defines is in `values`, in their order.
  bool replaceAll(const Instruction& instruction, std::span<const ValueId> values,
                  std::string_view counter, std::string_view what) {
    std::size_t k = 0;
    bool canAll = true;
    ssa_.forEachDefinition(instruction, [&](ValueId value) {
      canAll = canAll && k < values.size() && canReplace(value, values[k]);
      ++k;
    });
    if (!canAll || k != values.size() || !spend()) return false;
    k = 0;
    ssa_.forEachDefinition(instruction, [&](ValueId value) {
      rewrite_.replace(value, rewrite_.resolve(values[k]));
      keys_.makeEqual(value, values[k]);
      ++k;
    });
    rewrite_.erase(instruction);
    note(instruction, counter, what, values[0]);
    return true;
  }

  void note(const Instruction& instruction, std::string_view counter, std::string_view what,
            ValueId value) {
    ++context_.statistics[counter];
    if (!context_.wantRemarks) return;
    Remark remark;
    remark.pass = kEarlyCse.name;
    remark.kind = RemarkKind::Passed;
    remark.function = &rewrite_.function();
    remark.place = instruction.source;
    remark.message = fmt::format("{}: {}", instruction.form->mnemonic, what);
    if (value != kNone) {
      remark.message += ' ' + rewrite_.function().registerName(ssa_.reg(value));
    }
    context_.remark(std::move(remark));
  }

  // ---- instructions -----------------------------------------------------------------------------

  void visit(const Instruction& instruction) {
    const PlainAccess access = plainAccess(rewrite_.function(), instruction);
    if (access.kind == PlainAccess::Kind::Load) {
      visitLoad(instruction, access);
      const bool stays =
          rewrite_.editOf(instruction).kind == SsaRewrite::Edit::Kind::None;
      if (stays && !access.isImmutable) deadStores_.noteLoad(instruction, access);
    } else if (access.kind == PlainAccess::Kind::Store) {
      deadStores_.noteStore(instruction, access, [&](const Instruction& store) {
        if (!spend()) return false;
        rewrite_.erase(store);
        note(store, "dead-stores", "written again before it is read", kNone);
        return true;
      });
      memory_.noteStore(instruction, access);
    } else if (ExpressionKeys::isExpression(instruction) && !isBelowDirective(instruction)) {
      visitExpression(instruction);
    } else {
      const isa::Effect effect = ir::effectOf(instruction);
      const bool computes = effect == isa::Effect::Neutral || effect == isa::Effect::ImmutableRead;
      if (!computes || instruction.form->control != isa::Control::None) deadStores_.forget();
      memory_.pass(instruction);
      if (instruction.form->control == isa::Control::Call) stretch_ = nextStretch_++;
    }
  }

  void visitExpression(const Instruction& instruction) {
    if (isWholeCopy(rewrite_.function(), instruction)) {
      visitCopy(instruction, instruction.operands()[1]);
      return;
    }
    if (simplify(instruction)) return;
    memory_.noteAddress(instruction);
    ValueId first = kNone;
    std::size_t count = 0;
    ssa_.forEachDefinition(instruction, [&](ValueId value) {
      if (count++ == 0) first = value;
    });
    if (count == 0) return;
    const std::vector<std::uint64_t>& key = keys_.of(instruction);
    const std::uint32_t index = table_.find(key);
    if (index == ScopedTable::kNothing) {
      enter(key, first);
      return;
    }
    const ValueId found = expressions_[index].value;
    // The definitions of one instruction have consecutive numbers.
    std::vector<ValueId> values;
    for (std::size_t k = 0; k < count; ++k) values.push_back(found + static_cast<ValueId>(k));
    const bool isCheap = !readsRegisters(instruction);
    const bool staysInBlock = isCheap ? !options_.mergeCheap : !options_.acrossBlocks;
    const bool isFar = staysInBlock && ssa_.block(found) != instruction.block;
    if (isFar || expressions_[index].stretch != stretch_) {
      enter(key, first);
      makeEqual(instruction, values);
      return;
    }
    if (replaceAll(instruction, values, isCheap ? "special-registers" : "expressions",
                   "its value is in")) {
      return;
    }
    makeEqual(instruction, values);
  }

  void enter(std::span<const std::uint64_t> key, ValueId first) {
    expressions_.resize(table_.mark());
    table_.insert(key, static_cast<std::uint32_t>(expressions_.size()));
    expressions_.push_back({first, stretch_});
  }

  void makeEqual(const Instruction& instruction, std::span<const ValueId> values) {
    std::size_t k = 0;
    ssa_.forEachDefinition(instruction, [&](ValueId value) {
      if (widthOf(value) == widthOf(values[k])) keys_.makeEqual(value, values[k]);
      ++k;
    });
  }
  int widthOf(ValueId value) const {
    return isa::bitWidth(rewrite_.function().rangeOf(ssa_.reg(value)).type);
  }

  static bool readsRegisters(const Instruction& instruction) {
    bool reads = false;
    ir::forEachRegister(instruction, [&](const Operand& operand) { reads |= operand.reads; });
    return reads;
  }

  // The instruction gives what `source`, a register, holds.
  void visitCopy(const Instruction& instruction, const Operand& source) {
    const ValueId value = ssa_.definition(instruction, instruction.operands()[0]);
    const ValueId from = rewrite_.resolve(ssa_.use(instruction, source));
    if (isConstant_.test(keys_.leaderOf(from))) setConstant(value, constants_[keys_.leaderOf(from)]);
    const std::array<ValueId, 1> values = {from};
    if (!replaceAll(instruction, values, "copies", "a copy of")) keys_.makeEqual(value, from);
  }

  // ---- constants --------------------------------------------------------------------------------

  void setConstant(ValueId value, std::uint64_t constant) {
    isConstant_.set(value);
    constants_[value] = constant;
  }

  std::optional<std::uint64_t> constantOf(const Instruction& instruction,
                                          const Operand& operand) const {
    if (operand.kind == OperandKind::Integer) {
      return static_cast<std::uint64_t>(operand.immediate);
    }
    if (operand.kind != OperandKind::Register || operand.component != 0 || operand.negated) {
      return std::nullopt;
    }
    const ValueId value = keys_.leaderOf(rewrite_.resolve(ssa_.use(instruction, operand)));
    if (!isConstant_.test(value)) return std::nullopt;
    return constants_[value];
  }

  bool sameRegister(const Instruction& instruction, const Operand& a, const Operand& b) const {
    const auto leaderOf = [&](const Operand& operand) {
      const bool isWhole = operand.kind == OperandKind::Register && operand.component == 0 &&
                           !operand.negated && !operand.writes;
      return isWhole ? keys_.leaderOf(rewrite_.resolve(ssa_.use(instruction, operand))) : kNone;
    };
    return leaderOf(a) != kNone && leaderOf(a) == leaderOf(b);
  }

  // True if nothing else is to be done with it.
  bool simplify(const Instruction& instruction) {
    const auto operands = instruction.operands();
    const isa::Form& form = *instruction.form;
    if (operands.size() < 2 || operands.size() > 4 || operands[0].kind != OperandKind::Register) {
      return false;
    }
    for (const Operand& operand : operands) {
      if (operand.isGroup()) return false;
    }
    const ValueId value = ssa_.definition(instruction, operands[0]);
    if (ssa_.old(value) != kNone || widthOf(value) != isa::bitWidth(form.type)) return false;
    std::array<std::uint64_t, 3> sources = {};
    std::size_t known = 0;
    std::size_t lastKnown = 0;
    for (std::size_t k = 1; k < operands.size(); ++k) {
      const auto constant = constantOf(instruction, operands[k]);
      if (!constant) continue;
      sources[k - 1] = *constant;
      lastKnown = k - 1;
      ++known;
    }
    const std::size_t count = operands.size() - 1;
    if (form.opcode == isa::Opcode::Mov && count == 1 && known == 1) {
      const bool isInteger = operands[1].kind == OperandKind::Integer && !isa::isFloat(form.type) &&
                             form.type != isa::Type::Pred;
      if (isInteger) setConstant(value, truncated(sources[0], isa::bitWidth(form.type)));
      return true;
    }
    const bool cancels = folded(form, std::array<std::uint64_t, 2>{}) &&
                         (form.opcode == isa::Opcode::Sub || form.opcode == isa::Opcode::Xor);
    if (cancels && count == 2 && sameRegister(instruction, operands[1], operands[2])) {
      return becomeNumber(instruction, value, 0);
    }
    if (known == count) {
      const auto result = folded(form, std::span(sources).first(count));
      return result && becomeNumber(instruction, value, *result);
    }
    if (known == 1 && count == 2) {
      if (const auto result = absorbed(form, sources[lastKnown])) {
        return becomeNumber(instruction, value, *result);
      }
      const auto same = identity(form, lastKnown, sources[lastKnown]);
      if (same && operands[*same + 1].kind == OperandKind::Register &&
          operands[*same + 1].component == 0 && !operands[*same + 1].negated &&
          isa::bitWidth(rewrite_.function().rangeOf(operands[*same + 1].reg()).type) ==
              widthOf(value)) {
        visitCopy(instruction, operands[*same + 1]);
        return true;
      }
    }
    return false;
  }

  bool becomeNumber(const Instruction& instruction, ValueId value, std::uint64_t number) {
    if (rewrite_.isPinned(ssa_.reg(value))) return false;
    setConstant(value, number);
    if (!spend()) return true;
    rewrite_.becomeConstant(instruction, Operand::ofInteger(static_cast<std::int64_t>(number)));
    note(instruction, "constants", "always the same number:", value);
    return true;
  }

  // ---- loads ------------------------------------------------------------------------------------

  void visitLoad(const Instruction& instruction, const PlainAccess& access) {
    std::vector<ValueId> values;
    bool isStored = false;
    bool areHere = true;  // their registers still hold them
    bool isBehindCall = false;
    for (std::uint32_t k = 0; k < access.elements; ++k) {
      const auto known = memory_.find(instruction, access, k);
      if (!known) break;
      const ValueId value = rewrite_.resolve(known->value);
      values.push_back(value);
      isStored |= known->isStored;
      isBehindCall |= known->isBehindCall;
      areHere &= known->isOfStretch &&
                 current_[static_cast<std::uint32_t>(ssa_.reg(value))] == value;
    }
    const bool isKnown = values.size() == access.elements;
    if (isKnown) {
      const std::string_view counter = isStored ? "stored-values" : "loads";
      const bool isCheap = access.space == isa::Space::ParamEntry && !options_.mergeCheap &&
                           ssa_.block(values[0]) != instruction.block;
      const bool isFar = isCheap || (hasCalls_ && isBehindCall);
      if (!isFar && !instruction.guard &&
          replaceAll(instruction, values, counter, "what it loads is in")) {
        return;
      }
      if (!isFar && areHere && access.elements == 1 && !isStopped_ &&
          copyInstead(instruction, access, values[0], counter)) {
        return;
      }
    }
    memory_.noteLoad(instruction, access);
  }

  bool copyInstead(const Instruction& instruction, const PlainAccess& access, ValueId value,
                   std::string_view counter) {
    const ValueId loaded = ssa_.definition(instruction, *access.data);
    const RegisterId from = ssa_.reg(value);
    const RegisterId to = ssa_.reg(loaded);
    if (rewrite_.isPinned(from) || rewrite_.isPinned(to) || widthOf(value) != widthOf(loaded) ||
        !rewrite_.isVisibleEverywhere(from) || !rewrite_.isVisibleEverywhere(to) || !spend()) {
      return false;
    }
    rewrite_.becomeCopy(instruction, value);
    if (!instruction.guard) keys_.makeEqual(loaded, value);
    note(instruction, counter, "what it loads is in", value);
    return true;
  }

  SsaRewrite& rewrite_;
  const Ssa& ssa_;
  const analysis::Cfg& cfg_;
  const EarlyCseOptions& options_;
  PassContext& context_;
  ExpressionKeys keys_;
  MemoryWalk* memoryWalk_;
  KnownMemory memory_;
  DeadStores deadStores_;
  // What an expression gave, and where: in a function with calls, a value is not kept across one.
  struct Expression {
    ValueId value;  // the first that it defines
    std::uint32_t stretch;
  };
  ScopedTable table_;                     // of expressions_
  std::vector<Expression> expressions_;
  bool hasCalls_ = false;
  std::uint32_t stretch_ = 0;
  std::uint32_t nextStretch_ = 1;
  std::vector<std::uint64_t> constants_;  // by value
  BitSet isConstant_;
  BitSet feedsPhi_;
  BitSet isShared_;              // by register
  std::vector<ValueId> current_; // by register
  std::vector<std::pair<RegisterId, ValueId>> written_;
  bool isStopped_ = false;  // the budget is spent
};

// What the memory SSA of a function stands on, made without assumptions: no remark would name them.
struct SharperMemory {
  SharperMemory(const ir::Function& function, analysis::FunctionAnalyses& analyses,
                const analysis::CalleeMemories& callees, std::size_t cap)
      : ranges(analyses.get<Ssa>(), analyses.get<analysis::BranchConditions>(),
               analysis::LaunchShape::of(function)),
        addresses(analyses.get<Ssa>(), ranges, analyses.get<analysis::Loops>()),
        walk(function,
             {analyses.get<analysis::MemorySsa>(), addresses, analyses.get<analysis::Loops>(),
              callees, analyses.get<analysis::Assumptions>().flatShared},
             cap) {}
  analysis::ValueRanges ranges;
  analysis::Addresses addresses;
  MemoryWalk walk;
};

class EarlyCse : public Pass {
 public:
  explicit EarlyCse(const EarlyCseOptions& options) : options_(options) {}

  void prepare(const ir::Module& module, analysis::ModuleAnalyses&) override {
    names_ = FreshNames::of(module);
    if (options_.memorySsa) {
      callGraph_.emplace(module);
      callees_.emplace(*callGraph_);
    }
    for (const ir::Function& function : module.functions()) {
      for (const ir::Statement& statement : function.body()) {
        const auto* instruction = statement.as<Instruction>();
        copiesBehind_ |=
            instruction != nullptr && instruction->form->effect == isa::Effect::AsyncCopy;
      }
    }
  }

  bool run(ir::Function& function, PassContext& context) const override {
    const Ssa& ssa = context.analyses.get<Ssa>();
    SsaRewrite rewrite(function, ssa);
    std::optional<SharperMemory> sharper;
    if (options_.memorySsa) {
      sharper.emplace(function, context.analyses, *callees_, options_.memorySsaCap);
    }
    Walk(rewrite, options_, copiesBehind_, sharper ? &sharper->walk : nullptr, context).run();
    const std::uint64_t dead = eraseDeadValues(rewrite, context.budget);
    if (dead != 0) context.statistics["dead-instructions"] += dead;
    if (!rewrite.isChanged()) return false;
    OutOfSsaCounts counts;
    const bool isChanged = outOfSsa(rewrite, {}, names_, counts);
    if (counts.copies != 0) context.statistics["copies-made"] += counts.copies;
    if (counts.newRegisters != 0) context.statistics["new-registers"] += counts.newRegisters;
    return isChanged;
  }

 private:
  EarlyCseOptions options_;
  FreshNames names_;
  bool copiesBehind_ = false;  // cp.async somewhere in the module
  std::optional<analysis::CallGraph> callGraph_;
  std::optional<analysis::CalleeMemories> callees_;
};

std::unique_ptr<Pass> create(const PassOptions& options, std::string& error) {
  EarlyCseOptions ways;
  for (const auto& [name, value] : options) {
    if (name == "merge-cheap" && value.empty()) {
      ways.mergeCheap = true;
    } else if (name == "across-blocks" && (value == "0" || value == "1")) {
      ways.acrossBlocks = value == "1";
    } else if (name == "memssa" && value.empty()) {
      ways.memorySsa = true;
    } else if (name == "mssa-optimization-cap") {
      const auto [end, problem] =
          std::from_chars(value.data(), value.data() + value.size(), ways.memorySsaCap);
      if (problem != std::errc() || end != value.data() + value.size()) {
        error = fmt::format("{} is a number, not '{}'", name, value);
        return nullptr;
      }
    } else {
      error = fmt::format("there is no option '{}'", name);
      return nullptr;
    }
  }
  return std::make_unique<EarlyCse>(ways);
}

}  // namespace

const PassInfo kEarlyCse = {
    "early-cse", "Removes what computes or loads again what a register holds already.",
    "memssa, mssa-optimization-cap=N, merge-cheap, across-blocks=0|1", create};

}  // namespace ptxopt::passes
