// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// early-cse: what was computed or loaded before is not computed or loaded again.
//
// One walk down the dominator tree, with an explicit stack and scoped tables: of expressions
// (expression_key.h), and of what memory is known to hold (available_loads.h).  An instruction
// whose value is known in another register goes, and what read it reads that register; the pass
// works on SSA form (ssa_rewrite.h), so that a register that was written in between gets another
// name there (out_of_ssa.h).  Copies are propagated, integer constants folded, and what nobody
// needs then goes.
//
// No copy is made on an edge: a value that a phi takes, and one whose register phis share, stay
// where they are; a load that only such a value could stand for becomes a copy of it where its
// register still holds it.
//
// What is computed again in another block is often cheaper than a register that holds it all the
// way: on the corpus, merging across blocks cost kernels a step of occupancy.  So beyond a block
// expressions are merged where the value is in its register anyway (`across-blocks=1`; 0 is
// nowhere, 2 everywhere); special registers, parameters and addresses of symbols, which compilers
// compute again on purpose, only with `merge-cheap`.  In a function with calls nothing is kept
// across one, or across a place where paths meet, to save its being computed again: what lives
// through a call must be saved there (D4.6).
//
// docs/soundness/ D1, D2.1, D3, D6, E.9.  Cost: O(operands), and that of Ssa and of outOfSsa().
#include "passes/redundancy/early_cse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/flow/call_graph.h"
#include "analysis/flow/callee.h"
#include "analysis/flow/liveness.h"
#include "analysis/flow/manager.h"
#include "analysis/memory/memory_effects.h"
#include "analysis/memory/memory_events.h"
#include "analysis/memory/pure_functions.h"
#include "analysis/values/branch_conditions.h"
#include "analysis/values/ssa.h"
#include "ir/effect.h"
#include "passes/engine/claim_sink.h"
#include "passes/redundancy/available_loads.h"
#include "passes/redundancy/call_sequence.h"
#include "passes/redundancy/dead_stores.h"
#include "passes/redundancy/dead_values.h"
#include "passes/redundancy/expression_key.h"
#include "passes/redundancy/known_numbers.h"
#include "passes/redundancy/memory_walk.h"
#include "passes/redundancy/plain_access.h"
#include "passes/ssa/out_of_ssa.h"
#include "passes/ssa/register_copy.h"
#include "passes/ssa/ssa_rewrite.h"
#include "support/order.h"

namespace ptxopt::passes {

namespace {

using analysis::BlockId;
using analysis::Ssa;
using analysis::ValueId;
using ir::Instruction;
using ir::Operand;
using ir::OperandKind;
using ir::RegisterId;

// First words of keys: of phis, which no pointer is.
constexpr std::uint64_t kPhiTag = 1;

enum class AcrossBlocks : std::uint8_t {
  No,
  WhereLive,  // where the value is in its register anyway
  Yes,
};

struct EarlyCseOptions {
  bool memorySsa = false;
  std::size_t memorySsaCap = 500;  // queries a block
  std::size_t phiOperands = 5;     // phis with more are not compared
  bool debugHash = false;
  bool mergeCheap = false;
  AcrossBlocks acrossBlocks = AcrossBlocks::WhereLive;
};

// What is known of the module while functions are worked on.
struct ModuleFacts {
  struct Callees {
    explicit Callees(const ir::Module& module) : graph(module), memories(graph), pure(graph) {}
    analysis::CallGraph graph;
    analysis::CalleeMemories memories;
    analysis::PureFunctions pure;
  };

  FreshNames names;
  bool hasAsyncCopies = false;         // cp.async, or what may be one
  bool hasProgrammaticLaunch = false;  // griddepcontrol: another grid may write .nc memory (F10)
  std::unique_ptr<const Callees> callees;  // null where no function calls another
};

// What the memory SSA of a function stands on, made without assumptions: no remark would name them.
struct SharperMemory {
  SharperMemory(const ir::Function& function, analysis::FunctionAnalyses& analyses,
                const ModuleFacts& facts, const EarlyCseOptions& options)
      : ranges(analyses.get<Ssa>(), analyses.get<analysis::BranchConditions>(),
               analysis::LaunchShape::of(function)),
        addresses(analyses.get<Ssa>(), ranges, analyses.get<analysis::Loops>()),
        walk(function,
             {analyses.get<analysis::MemorySsa>(), addresses, analyses.get<analysis::Loops>(),
              facts.callees ? &facts.callees->memories : nullptr,
              analyses.get<analysis::Assumptions>().flatShared},
             options.memorySsaCap) {}
  analysis::ValueRanges ranges;
  analysis::Addresses addresses;
  MemoryWalk walk;
};

// Of one function.
class Walk {
 public:
  Walk(SsaRewrite& rewrite, const EarlyCseOptions& options, const ModuleFacts& facts,
       SharperMemory* sharper, ValueClaims& claims, PassContext& context)
      : rewrite_(rewrite),
        ssa_(rewrite.ssa()),
        cfg_(ssa_.cfg()),
        liveness_(context.analyses.get<analysis::Liveness>()),
        options_(options),
        facts_(facts),
        claims_(claims),
        context_(context),
        keys_(rewrite, sharper != nullptr ? &sharper->ranges : nullptr),
        memoryWalk_(sharper != nullptr ? &sharper->walk : nullptr),
        memory_(rewrite, keys_, facts.hasAsyncCopies, ncIsInvariant(facts, context), memoryWalk_,
                sharper != nullptr ? &sharper->ranges : nullptr),
        deadStores_(memory_),
        numbers_(rewrite, keys_),
        feedsPhi_(ssa_.valueCount()),
        isShared_(rewrite.function().registerCount()),
        current_(rewrite.function().registerCount(), kNone) {
    findWebs();
    for (std::uint32_t n = 0; n < ssa_.instructions().count(); ++n) {
      hasCalls_ |= ssa_.instructions()[n].desc->control == isa::Control::Call;
    }
  }

  void run() {
    struct Frame {
      BlockId block;
      std::size_t expressions;  // marks at its beginning
      std::size_t calls;
      std::size_t written;
      AvailableLoads::Mark atEnd;
      std::uint32_t extendedBlock;
    };
    std::vector<Frame> stack;
    const AvailableLoads::Mark start = memory_.mark();
    for (const BlockId b : inOrder()) {
      while (!stack.empty() &&
             ssa_.dominators().depth(stack.back().block) >= ssa_.dominators().depth(b)) {
        table_.undoTo(stack.back().expressions);
        callTable_.undoTo(stack.back().calls);
        undoWritten(stack.back().written);
        stack.pop_back();
      }
      if (memoryWalk_ != nullptr) memoryWalk_->beginBlock();
      const bool goesOn = !stack.empty() && cfg_.predecessors(b).size() == 1 &&
                          cfg_.predecessors(b)[0] == stack.back().block;
      memory_.goBack(stack.empty() ? start : stack.back().atEnd, goesOn);
      if (hasCalls_) extendedBlock_ = goesOn ? stack.back().extendedBlock : nextExtendedBlock_++;
      stack.push_back({b, table_.mark(), callTable_.mark(), written_.size(), {}, 0});
      const auto [first, end] = ssa_.phis(b);
      for (ValueId phi = first; phi < end; ++phi) {
        write(phi);
        if (!isStopped_) visitPhi(phi);
      }
      deadStores_.forget();
      for (const ir::Statement& statement : cfg_.statements(b)) {
        if (statement.kind == ir::StatementKind::ScopeBegin && facts_.callees && !isStopped_) {
          visitScope(statement);
        }
        const auto* instruction = statement.as<Instruction>();
        if (instruction == nullptr) continue;
        if (!isStopped_ && !rewrite_.isErased(*instruction)) visit(*instruction);
        ssa_.forEachDefinition(*instruction, [&](ValueId value) { write(value); });
      }
      stack.back().atEnd = memory_.mark();
      stack.back().extendedBlock = extendedBlock_;
    }
    if (options_.debugHash) noteHashing();
  }

  // The dominator tree, each block before those that it dominates, and of siblings those first that
  // lead to the others: where paths meet, what they bring has been looked at.
  std::vector<BlockId> inOrder() const {
    std::vector<BlockId> nextSibling(cfg_.vertexCount(), kNone);
    std::vector<BlockId> firstChild(cfg_.vertexCount(), kNone);
    const ReversePostorder reverse(cfg_, cfg_.entry());
    const std::span<const BlockId> blocks = reverse.vertices();
    for (std::size_t k = blocks.size(); k-- > 0;) {
      const BlockId parent = ssa_.dominators().parent(blocks[k]);
      if (parent == kNone) continue;
      nextSibling[blocks[k]] = firstChild[parent];
      firstChild[parent] = blocks[k];
    }
    std::vector<BlockId> order;
    std::vector<BlockId> open(1, cfg_.entry());
    while (!open.empty()) {
      const BlockId b = open.back();
      open.pop_back();
      order.push_back(b);
      if (nextSibling[b] != kNone) open.push_back(nextSibling[b]);
      if (firstChild[b] != kNone) open.push_back(firstChild[b]);
    }
    return order;
  }

  // Scopes of calls that went; nothing but declarations is left in them.
  const std::vector<const ir::Statement*>& emptyScopes() const { return emptyScopes_; }

 private:
  static bool ncIsInvariant(const ModuleFacts& facts, PassContext& context) {
    const auto& assumptions = context.analyses.get<analysis::Assumptions>();
    return assumptions.has(analysis::Assumption::NcInvariant) && !facts.hasProgrammaticLaunch;
  }

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

  // Values that phis take or partial definitions let show through, and the registers of both: to
  // move any of these takes copies.
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
                  std::string_view counter, std::string_view what, bool assumesInvariance = false) {
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
      becomeEqual(value, values[k]);
      ++k;
    });
    rewrite_.erase(instruction);
    note(instruction, counter, what, values[0], assumesInvariance);
    return true;
  }

  void becomeEqual(ValueId value, ValueId other) {
    keys_.makeEqual(value, other);
    claims_.equal(value, other);
  }

  void note(const Instruction& instruction, std::string_view counter, std::string_view what,
            ValueId value, bool assumesInvariance = false) {
    ++context_.statistics[counter];
    if (!context_.wantRemarks) return;
    Remark remark;
    remark.pass = kEarlyCse.name;
    remark.kind = RemarkKind::Passed;
    remark.function = &rewrite_.function();
    remark.place = instruction.source;
    remark.message = fmt::format("{}: {}", instruction.desc->mnemonic, what);
    if (value != kNone) {
      remark.message += ' ' + rewrite_.function().registerName(ssa_.reg(value));
    }
    if (assumesInvariance) {
      remark.assumptions.emplace_back(analysis::infoOf(analysis::Assumption::NcInvariant).name);
    }
    context_.remark(std::move(remark));
  }

  // ---- instructions -----------------------------------------------------------------------------

  void visit(const Instruction& instruction) {
    const PlainAccess access = plainAccess(rewrite_.function(), instruction);
    if (access.kind == PlainAccess::Kind::Load) {
      visitLoad(instruction, access);
      const bool stays = rewrite_.editOf(instruction).kind == SsaRewrite::Edit::Kind::None;
      if (stays && !access.isImmutable) deadStores_.noteLoad(instruction, access);
      loadsGone_ += std::uint32_t{!stays};
    } else if (access.kind == PlainAccess::Kind::Store) {
      deadStores_.noteStore(instruction, access, [&](const Instruction& store) {
        const bool isWatched = rewrite_.function().module().isDebug();  // docs/soundness/ E.12.3
        if (isWatched || !spend()) return false;
        rewrite_.erase(store);
        // In the input a load in between that went does read it.
        if (claims_ && loadsGone_ == loadsGoneBefore_[&store]) {
          claims_.sink().add(facts::DeadStore{store.source.begin});
        }
        note(store, "dead-stores", "written again before it is read", kNone);
        return true;
      });
      if (claims_) loadsGoneBefore_[&instruction] = loadsGone_;
      memory_.noteStore(instruction, access);
    } else if (ExpressionKeys::isExpression(instruction) && !ir::isBelowDirective(instruction)) {
      visitExpression(instruction);
    } else {
      const isa::Effect effect = ir::effectOf(instruction);
      const bool computes = effect == isa::Effect::Neutral || effect == isa::Effect::ImmutableRead;
      if (!computes || instruction.desc->control != isa::Control::None) deadStores_.forget();
      const bool isCall = instruction.desc->control == isa::Control::Call;
      if (!isCall || !isPureCall(instruction)) memory_.pass(instruction);
      if (isCall) extendedBlock_ = nextExtendedBlock_++;
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
    const std::uint32_t index = lookUp(table_, key);
    if (index == ScopedTable::kNothing) {
      enter(key, first);
      return;
    }
    const ValueId found = expressions_[index].value;
    // The definitions of one instruction have consecutive numbers.
    std::vector<ValueId> values;
    for (std::size_t k = 0; k < count; ++k) values.push_back(found + static_cast<ValueId>(k));
    const bool isCheap = !readsRegisters(instruction);
    const bool isFar = isCheap ? ssa_.block(found) != instruction.block && !options_.mergeCheap
                               : !mayReuse(found, instruction.block);
    if (isFar || expressions_[index].extendedBlock != extendedBlock_) {
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

  // Without a register that would not be needed else.
  bool mayReuse(ValueId found, BlockId block) const {
    if (ssa_.block(found) == block) return true;
    switch (options_.acrossBlocks) {
      case AcrossBlocks::No:
        return false;
      case AcrossBlocks::WhereLive:
        return isHere(found, block);
      case AcrossBlocks::Yes:
        break;
    }
    return true;
  }
  // Something reads the value in the block or after it, and its register still holds it.
  bool isHere(ValueId value, BlockId block) const {
    const RegisterId home = ssa_.reg(value);
    return current_[static_cast<std::uint32_t>(home)] == value && liveness_.isLiveIn(block, home);
  }

  void enter(std::span<const std::uint64_t> key, ValueId first) {
    expressions_.resize(table_.mark());
    table_.insert(key, static_cast<std::uint32_t>(expressions_.size()));
    expressions_.push_back({first, extendedBlock_});
  }

  void makeEqual(const Instruction& instruction, std::span<const ValueId> values) {
    std::size_t k = 0;
    ssa_.forEachDefinition(instruction, [&](ValueId value) {
      if (widthOf(value) == widthOf(values[k])) becomeEqual(value, values[k]);
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
    if (const auto number = numbers_.of(from)) numbers_.set(value, *number);
    const std::array<ValueId, 1> values = {from};
    if (!replaceAll(instruction, values, "copies", "a copy of")) becomeEqual(value, from);
  }

  // ---- phis -------------------------------------------------------------------------------------

  // Those of one block that take the same values are one value.
  void visitPhi(ValueId phi) {
    const std::span<const ValueId> operands = ssa_.phiOperands(phi);
    if (ssa_.isCarry(phi) || operands.size() > options_.phiOperands) return;
    if (rewrite_.isPinned(ssa_.reg(phi))) return;
    words_.assign({kPhiTag, ssa_.block(phi), static_cast<std::uint64_t>(widthOf(phi))});
    for (const ValueId operand : operands) {
      if (operand == kNone) return;
      const auto number = numbers_.of(operand);
      words_.push_back(std::uint64_t{number.has_value()});
      words_.push_back(number ? *number : keys_.leaderOf(rewrite_.resolve(operand)));
    }
    const std::uint32_t index = lookUp(table_, words_);
    if (index == ScopedTable::kNothing) {
      enter(words_, phi);
      return;
    }
    const ValueId same = expressions_[index].value;
    becomeEqual(phi, same);
    ++context_.statistics["equal-phis"];
  }

  // ---- calls ------------------------------------------------------------------------------------

  bool isPureCall(const Instruction& call) const {
    return facts_.callees && facts_.callees->pure.isPureCall(rewrite_.function(), call);
  }

  // A call that does what one above it did, with the same arguments (docs/soundness/ D3.7).
  void visitScope(const ir::Statement& begin) {
    auto sequence = callSequence(begin);
    if (!sequence || !isPureCall(*sequence->call)) return;
    if (!makeCallKey(rewrite_, keys_, *sequence, words_)) return;
    const std::uint32_t index = lookUp(callTable_, words_);
    if (index == ScopedTable::kNothing || !replaceCall(*sequence, calls_[index])) {
      calls_.resize(callTable_.mark());
      callTable_.insert(words_, static_cast<std::uint32_t>(calls_.size()));
      calls_.push_back(std::move(*sequence));
    }
  }

  bool replaceCall(const CallSequence& sequence, const CallSequence& earlier) {
    std::vector<ValueId> from, to;
    for (const CallSequence::Access& load : sequence.loads) {
      const Instruction* other = sameLoad(earlier, load);
      if (other == nullptr) return false;
      ssa_.forEachDefinition(*load.instruction, [&](ValueId value) { from.push_back(value); });
      ssa_.forEachDefinition(*other, [&](ValueId value) { to.push_back(rewrite_.resolve(value)); });
    }
    if (from.size() != to.size()) return false;
    for (std::size_t k = 0; k < from.size(); ++k) {
      if (!canReplace(from[k], to[k])) return false;
    }
    if (!spend()) return false;
    for (std::size_t k = 0; k < from.size(); ++k) {
      rewrite_.replace(from[k], to[k]);
      becomeEqual(from[k], to[k]);
    }
    for (const CallSequence::Access& store : sequence.stores) rewrite_.erase(*store.instruction);
    for (const CallSequence::Access& load : sequence.loads) rewrite_.erase(*load.instruction);
    rewrite_.erase(*sequence.call);
    emptyScopes_.push_back(sequence.begin);
    note(*sequence.call, "calls", "its result is in", to.empty() ? kNone : to[0]);
    return true;
  }

  // ---- checks -----------------------------------------------------------------------------------

  std::uint32_t lookUp(const ScopedTable& table, std::span<const std::uint64_t> key) {
    const std::uint32_t found = table.find(key);
    if (options_.debugHash) {
      ++lookUps_;
      if (found != table.findByComparing(key)) {
        throw std::logic_error("early-cse: the hash table misses an equal key");
      }
    }
    return found;
  }

  void noteHashing() {
    Remark remark;
    remark.pass = kEarlyCse.name;
    remark.function = &rewrite_.function();
    remark.message = fmt::format(
        "hashing: {} keys looked up and found as by comparing all, {} entered, the longest chain "
        "{}",
        lookUps_, table_.entered() + callTable_.entered(),
        std::max(table_.longestChain(), callTable_.longestChain()));
    context_.remark(std::move(remark));
  }

  // ---- numbers ----------------------------------------------------------------------------------

  // True if nothing else is to be done with it.
  bool simplify(const Instruction& instruction) {
    const KnownNumbers::Result result = numbers_.result(instruction);
    switch (result.kind) {
      case KnownNumbers::Result::Kind::Unknown:
        return false;
      case KnownNumbers::Result::Kind::Number:
        return becomeNumber(instruction, result.number);
      case KnownNumbers::Result::Kind::Given:
        numbers_.set(ssa_.definition(instruction, instruction.operands()[0]), result.number);
        break;
      case KnownNumbers::Result::Kind::Copy:
        visitCopy(instruction, *result.source);
        break;
      case KnownNumbers::Result::Kind::Moved:
        break;
    }
    return true;
  }

  bool becomeNumber(const Instruction& instruction, std::uint64_t number) {
    const ValueId value = ssa_.definition(instruction, instruction.operands()[0]);
    if (rewrite_.isPinned(ssa_.reg(value))) return false;
    numbers_.set(value, number);
    if (!spend()) return true;
    rewrite_.becomeConstant(instruction, Operand::ofInteger(static_cast<std::int64_t>(number)));
    if (!instruction.guard) claims_.number(value, number);
    note(instruction, "constants", "always the same number:", value);
    return true;
  }

  // ---- loads ------------------------------------------------------------------------------------

  void visitLoad(const Instruction& instruction, const PlainAccess& access) {
    std::vector<ValueId> values;
    bool isStored = false;
    bool areHere = true;  // their registers still hold them
    bool isAfterCall = false;
    bool needsInvariance = false;
    bool staysNear = true;
    for (std::uint32_t k = 0; k < access.elements; ++k) {
      const auto known = memory_.find(instruction, access, k);
      if (!known) break;
      const ValueId value = rewrite_.resolve(known->value);
      values.push_back(value);
      isStored |= known->isStored;
      isAfterCall |= known->isAfterCall;
      needsInvariance |= known->needsInvariance;
      // Own memory is what compilers that do not optimize keep registers in.
      staysNear &= known->isInExtendedBlock || known->isOwn ||
                   access.space == isa::Space::ParamEntry || mayReuse(value, instruction.block);
      areHere &= known->isInExtendedBlock &&
                 current_[static_cast<std::uint32_t>(ssa_.reg(value))] == value;
    }
    const bool isKnown = values.size() == access.elements;
    if (isKnown) {
      const std::string_view counter = isStored ? "stored-values" : "loads";
      const bool isCheap = access.space == isa::Space::ParamEntry && !options_.mergeCheap &&
                           ssa_.block(values[0]) != instruction.block;
      const bool isFar = isCheap || (hasCalls_ && isAfterCall) || !staysNear;
      if (!isFar && !instruction.guard &&
          replaceAll(instruction, values, counter, "what it loads is in", needsInvariance)) {
        return;
      }
      if (!isFar && areHere && access.elements == 1 && !isStopped_ &&
          copyInstead(instruction, access, values[0], counter, needsInvariance)) {
        return;
      }
    }
    memory_.noteLoad(instruction, access);
  }

  bool copyInstead(const Instruction& instruction, const PlainAccess& access, ValueId value,
                   std::string_view counter, bool assumesInvariance) {
    const ValueId loaded = ssa_.definition(instruction, *access.data);
    const RegisterId from = ssa_.reg(value);
    const RegisterId to = ssa_.reg(loaded);
    if (rewrite_.isPinned(from) || rewrite_.isPinned(to) || widthOf(value) != widthOf(loaded) ||
        !rewrite_.isVisibleEverywhere(from) || !rewrite_.isVisibleEverywhere(to) || !spend()) {
      return false;
    }
    rewrite_.becomeCopy(instruction, value);
    if (!instruction.guard) becomeEqual(loaded, value);
    note(instruction, counter, "what it loads is in", value, assumesInvariance);
    return true;
  }

  SsaRewrite& rewrite_;
  const Ssa& ssa_;
  const analysis::Cfg& cfg_;
  const analysis::Liveness& liveness_;
  const EarlyCseOptions& options_;
  const ModuleFacts& facts_;
  ValueClaims& claims_;
  PassContext& context_;
  ExpressionKeys keys_;
  MemoryWalk* memoryWalk_;
  AvailableLoads memory_;
  DeadStores deadStores_;
  // What an expression gave, and where: in a function with calls, a value is not kept across one.
  struct Expression {
    ValueId value;  // the first that it defines
    std::uint32_t extendedBlock;
  };
  ScopedTable table_;  // of expressions_
  std::vector<Expression> expressions_;
  bool hasCalls_ = false;
  std::uint32_t extendedBlock_ = 0;
  std::uint32_t nextExtendedBlock_ = 1;
  KnownNumbers numbers_;
  BitSet feedsPhi_;
  BitSet isShared_;               // by register
  std::vector<ValueId> current_;  // by register
  std::vector<std::pair<RegisterId, ValueId>> written_;
  ScopedTable callTable_;  // of calls_
  std::vector<CallSequence> calls_;
  std::vector<const ir::Statement*> emptyScopes_;
  std::vector<std::uint64_t> words_;  // of the key at hand
  std::uint64_t lookUps_ = 0;
  bool isStopped_ = false;  // the budget is spent
  // For claims: loads that went so far, and before each store.
  std::uint32_t loadsGone_ = 0;
  std::unordered_map<const Instruction*, std::uint32_t> loadsGoneBefore_;
};

class EarlyCse : public Pass {
 public:
  explicit EarlyCse(const EarlyCseOptions& options) : options_(options) {}

  void prepare(const ir::Module& module, analysis::ModuleAnalyses&) override {
    facts_.names = FreshNames::of(module);
    bool hasCalls = false;
    for (const ir::Function& function : module.functions()) {
      for (const ir::Statement& statement : function.body()) {
        const auto* instruction = statement.as<Instruction>();
        if (instruction == nullptr) continue;
        const isa::InstructionDesc& desc = *instruction->desc;
        facts_.hasAsyncCopies |= analysis::mayBeAsyncCopy(*instruction);
        facts_.hasProgrammaticLaunch |= desc.opcode == isa::Opcode::Griddepcontrol || !desc.known();
        hasCalls |= desc.control == isa::Control::Call;
      }
    }
    if (hasCalls) facts_.callees = std::make_unique<ModuleFacts::Callees>(module);
  }

  bool run(ir::Function& function, PassContext& context) const override {
    SsaRewrite rewrite(function, context.analyses.get<Ssa>());
    std::optional<SharperMemory> sharper;
    if (options_.memorySsa) sharper.emplace(function, context.analyses, facts_, options_);
    ValueClaims claims(rewrite.ssa(), ClaimSink(kEarlyCse.name, function, context.claims));
    Walk walk(rewrite, options_, facts_, sharper ? &*sharper : nullptr, claims, context);
    walk.run();
    const std::uint64_t dead = eraseDeadValues(rewrite, context.budget, claims);
    if (dead != 0) context.statistics["dead-instructions"] += dead;
    if (!rewrite.isChanged()) return false;
    OutOfSsaCounts counts;
    const bool isChanged = outOfSsa(rewrite, {}, facts_.names, counts);
    for (const ir::Statement* begin : walk.emptyScopes()) eraseScope(function, *begin);
    if (counts.copies != 0) context.statistics["copies-made"] += counts.copies;
    if (counts.newRegisters != 0) context.statistics["new-registers"] += counts.newRegisters;
    return isChanged;
  }

 private:
  static void eraseScope(ir::Function& function, const ir::Statement& begin) {
    ir::Statement* at = begin.next->previous;
    while (at->kind != ir::StatementKind::ScopeEnd) {
      ir::Statement* next = at->next;
      function.erase(at);
      at = next;
    }
    function.erase(at);
  }

  EarlyCseOptions options_;
  ModuleFacts facts_;
};

using Kind = PassOption::Kind;
constexpr PassOption kOptions[] = {
    {"memssa"},
    {.name = "mssa-optimization-cap",
     .kind = Kind::Number,
     .flag = "earlycse-mssa-optimization-cap",
     .help = "Questions of early-cse<memssa> to memory SSA in one block\n(default: 500)"},
    {"across-blocks", Kind::Number, {}, 0, 2},
    {"merge-cheap"},
    {"max-phi-operands", Kind::Number},
    {.name = "debug-hash",
     .flag = "earlycse-debug-hash",
     .help = "Check every look-up of early-cse by comparing all keys; print\n"
             "statistics of the tables to standard error"},
};

std::unique_ptr<Pass> make(const OptionValues& given, std::string&) {
  EarlyCseOptions ways;
  ways.memorySsa = given.has("memssa");
  ways.memorySsaCap = given.number("mssa-optimization-cap", ways.memorySsaCap);
  ways.acrossBlocks = static_cast<AcrossBlocks>(
      given.number("across-blocks", static_cast<std::uint64_t>(ways.acrossBlocks)));
  ways.mergeCheap = given.has("merge-cheap");
  ways.phiOperands = given.number("max-phi-operands", ways.phiOperands);
  ways.debugHash = given.has("debug-hash");
  return std::make_unique<EarlyCse>(ways);
}

}  // namespace

const PassInfo kEarlyCse = {
    "early-cse",
    "Removes redundant computations, loads and stores.",
    kOptions,
    make,
};

}  // namespace ptxopt::passes
