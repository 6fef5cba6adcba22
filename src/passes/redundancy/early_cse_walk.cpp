// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/redundancy/early_cse_walk.h"

#include <algorithm>
#include <array>

#include "analysis/launch/assumptions.h"
#include "ir/effect.h"
#include "passes/redundancy/early_cse.h"
#include "passes/redundancy/plain_access.h"
#include "passes/ssa/register_copy.h"

namespace ptxopt::passes {

using analysis::BlockId;
using ir::Instruction;
using ir::Operand;
using Why = MergedInstruction::Why;

namespace {

// First words of keys: of phis, which no pointer is.
constexpr std::uint64_t kPhiTag = 1;

bool ncIsInvariant(const ModuleFacts& facts, PassContext& context) {
  const auto& assumptions = context.analyses.get<analysis::Assumptions>();
  return assumptions.has(analysis::Assumption::NcInvariant) && !facts.hasProgrammaticLaunch;
}

AsyncWrites asyncWrites(const SsaRewrite& rewrite, const ModuleFacts& facts, PassContext& context) {
  const bool flatShared = context.analyses.get<analysis::Assumptions>().flatShared;
  return AsyncWrites(rewrite.function(), facts.copies.get(), flatShared);
}

bool readsRegisters(const Instruction& instruction) {
  bool reads = false;
  ir::forEachRegister(instruction, [&](const Operand& operand) { reads |= operand.reads; });
  return reads;
}

}  // namespace

EarlyCseWalk::EarlyCseWalk(SsaRewrite& rewrite, const Inputs& inputs, ValueClaims& claims,
                           PassContext& context)
    : rewrite_(rewrite),
      ssa_(rewrite.ssa()),
      cfg_(ssa_.cfg()),
      liveness_(context.analyses.get<analysis::Liveness>()),
      options_(inputs.options),
      facts_(inputs.facts),
      claims_(claims),
      context_(context),
      keys_(rewrite, inputs.ranges),
      memoryWalk_(inputs.memoryWalk),
      memory_(rewrite, keys_, asyncWrites(rewrite, facts_, context), ncIsInvariant(facts_, context),
              memoryWalk_, inputs.ranges),
      start_(memory_.mark()),
      deadStores_(memory_),
      numbers_(rewrite, keys_),
      bits_(rewrite, numbers_),
      registers_(ssa_),
      replacer_(rewrite, keys_, claims, context),
      expressions_(options_.debugHash),
      calls_(rewrite, keys_, facts_, replacer_, options_.debugHash) {
  for (std::uint32_t n = 0; n < ssa_.instructions().count(); ++n) {
    hasCalls_ |= ssa_.instructions()[n].desc->control == isa::Control::Call;
  }
}

// ---- blocks ------------------------------------------------------------------------------------

void EarlyCseWalk::run() {
  for (const BlockId b : inOrder()) {
    leaveBlocksBefore(b);
    enterBlock(b);
    visitBlock(b);
    frames_.back().atEnd = memory_.mark();
    frames_.back().extendedBlock = extendedBlock_;
  }
  if (options_.debugHash) noteHashing();
}

// The dominator tree, each block before those that it dominates, and of siblings those first that
// lead to the others: where paths meet, what they bring has been looked at.
std::vector<BlockId> EarlyCseWalk::inOrder() const {
  IdVector<BlockId, BlockId> nextSibling(cfg_.vertexCount(), BlockId::None);
  IdVector<BlockId, BlockId> firstChild(cfg_.vertexCount(), BlockId::None);
  const analysis::BlockOrder reverse(cfg_, cfg_.entry());
  const IdSpan<BlockId> blocks = reverse.blocks();
  for (std::size_t k = blocks.size(); k-- > 0;) {
    const BlockId parent = ssa_.dominators().parent(blocks[k]);
    if (parent == BlockId::None) continue;
    nextSibling[blocks[k]] = firstChild[parent];
    firstChild[parent] = blocks[k];
  }
  std::vector<BlockId> order;
  std::vector<BlockId> open(1, cfg_.entry());
  while (!open.empty()) {
    const BlockId b = open.back();
    open.pop_back();
    order.push_back(b);
    if (nextSibling[b] != BlockId::None) open.push_back(nextSibling[b]);
    if (firstChild[b] != BlockId::None) open.push_back(firstChild[b]);
  }
  return order;
}

// Goes up to the block that dominates `b`.
void EarlyCseWalk::leaveBlocksBefore(BlockId b) {
  const analysis::Dominators& dominators = ssa_.dominators();
  while (!frames_.empty() && dominators.depth(frames_.back().block) >= dominators.depth(b)) {
    expressions_.undoTo(frames_.back().expressions);
    calls_.undoTo(frames_.back().calls);
    registers_.undoTo(frames_.back().registers);
    frames_.pop_back();
  }
}

void EarlyCseWalk::enterBlock(BlockId b) {
  if (memoryWalk_ != nullptr) memoryWalk_->beginBlock();
  const bool goesOn = !frames_.empty() && cfg_.predecessors(b).size() == 1 &&
                      cfg_.predecessors(b)[0] == frames_.back().block;
  memory_.goBack(frames_.empty() ? start_ : frames_.back().atEnd, goesOn);
  if (hasCalls_) extendedBlock_ = goesOn ? frames_.back().extendedBlock : nextExtendedBlock_++;
  frames_.push_back({b, expressions_.mark(), calls_.mark(), registers_.mark(), {}, 0});
  deadStores_.forget();
}

void EarlyCseWalk::visitBlock(BlockId b) {
  for (const ValueId phi : ssa_.phis(b)) {
    registers_.write(phi);
    if (!replacer_.isStopped()) visitPhi(phi);
  }
  for (const ir::Statement& statement : cfg_.statements(b)) {
    if (statement.kind == ir::StatementKind::ScopeBegin && facts_.callees &&
        !replacer_.isStopped()) {
      calls_.visitScope(statement);
    }
    const auto* instruction = statement.as<Instruction>();
    if (instruction == nullptr) continue;
    if (!replacer_.isStopped() && !rewrite_.isErased(*instruction)) visit(*instruction);
    ssa_.forEachDefinition(*instruction, [&](ValueId value) { registers_.write(value); });
  }
}

// Those of one block that take the same values are one value.
void EarlyCseWalk::visitPhi(ValueId phi) {
  const std::span<const ValueId> operands = ssa_.phiOperands(phi);
  if (ssa_.isCarry(phi) || operands.size() > options_.phiOperands) return;
  if (rewrite_.isPinned(ssa_.reg(phi))) return;
  words_.assign(
      {kPhiTag, indexOf(ssa_.block(phi)), static_cast<std::uint64_t>(replacer_.widthOf(phi))});
  for (const ValueId operand : operands) {
    if (operand == ValueId::None) return;
    const auto number = numbers_.of(operand);
    words_.push_back(std::uint64_t{number.has_value()});
    words_.push_back(number ? *number : indexOf(keys_.leaderOf(rewrite_.resolve(operand))));
  }
  const Expression* same = expressions_.find(words_);
  if (same == nullptr) {
    expressions_.insert(words_, {phi, extendedBlock_});
    return;
  }
  replacer_.becomeEqual(phi, same->value);
  ++context_.statistics["equal-phis"];
}

void EarlyCseWalk::visit(const Instruction& instruction) {
  const PlainAccess access = plainAccess(rewrite_.function(), instruction);
  if (access.kind == PlainAccess::Kind::Load) {
    visitLoad(instruction, access);
  } else if (access.kind == PlainAccess::Kind::Store) {
    visitStore(instruction, access);
  } else if (ExpressionKeys::isExpression(instruction) && !ir::isBelowDirective(instruction)) {
    visitExpression(instruction);
  } else {
    visitOther(instruction);
  }
}

void EarlyCseWalk::visitOther(const Instruction& instruction) {
  const isa::Effect effect = ir::effectOf(instruction);
  const bool computes = effect == isa::Effect::Neutral || effect == isa::Effect::ImmutableRead;
  if (!computes || instruction.desc->control != isa::Control::None) deadStores_.forget();
  const bool isCall = instruction.desc->control == isa::Control::Call;
  if (!isCall || !calls_.isPure(instruction)) memory_.pass(instruction);
  if (effect == isa::Effect::Strong) {
    const PlainAccess relaxed = relaxedLoad(rewrite_.function(), instruction);
    if (relaxed.kind == PlainAccess::Kind::Load) memory_.noteLoad(instruction, relaxed);
  }
  if (isCall) extendedBlock_ = nextExtendedBlock_++;
}

// ---- expressions -------------------------------------------------------------------------------

void EarlyCseWalk::visitExpression(const Instruction& instruction) {
  if (isWholeCopy(rewrite_.function(), instruction)) {
    visitCopy(instruction, ssa_.use(instruction, instruction.operands()[1]));
    return;
  }
  if (simplify(instruction)) return;
  memory_.noteAddress(instruction);
  ValueId first = ValueId::None;
  std::uint32_t count = 0;
  ssa_.forEachDefinition(instruction, [&](ValueId value) {
    if (count++ == 0) first = value;
  });
  if (count == 0) return;
  const std::vector<std::uint64_t>& key = keys_.of(instruction);
  const Expression* known = expressions_.find(key);
  if (known == nullptr) {
    expressions_.insert(key, {first, extendedBlock_});
    return;
  }
  // The definitions of one instruction have consecutive numbers.
  std::vector<ValueId> values;
  for (std::uint32_t k = 0; k < count; ++k) values.push_back(ValueId{indexOf(known->value) + k});
  const bool isCheap = !readsRegisters(instruction);
  const bool isFar = isCheap ? ssa_.block(known->value) != instruction.block && !options_.mergeCheap
                             : !mayReuse(known->value, instruction.block);
  if (isFar || known->extendedBlock != extendedBlock_) {
    expressions_.insert(key, {first, extendedBlock_});
    replacer_.becomeEqual(instruction, values);
    return;
  }
  const std::string_view counter = isCheap ? "special-registers" : "expressions";
  if (!replacer_.replaceAll(instruction, values, counter, Why::SameValue)) {
    replacer_.becomeEqual(instruction, values);
  }
}

// Without a register that would not be needed else.
bool EarlyCseWalk::mayReuse(ValueId found, BlockId block) const {
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
bool EarlyCseWalk::isHere(ValueId value, BlockId block) const {
  return registers_.holds(value) && liveness_.isLiveIn(block, ssa_.reg(value));
}

// The instruction gives what the register of `source` holds or held.
void EarlyCseWalk::visitCopy(const Instruction& instruction, ValueId source) {
  const ValueId value = ssa_.definition(instruction, instruction.operands()[0]);
  const ValueId from = rewrite_.resolve(source);
  if (const auto number = numbers_.of(from)) numbers_.set(value, *number);
  const std::array<ValueId, 1> values = {from};
  if (!replacer_.replaceAll(instruction, values, "copies", Why::Copy)) {
    replacer_.becomeEqual(value, from);
  }
}

// The result equals `source`, which may have no other use by now.
void EarlyCseWalk::visitEqual(const Instruction& instruction, ValueId source) {
  const ValueId from = rewrite_.resolve(source);
  if (!hasCalls_ && mayReuse(from, instruction.block)) return visitCopy(instruction, from);
  replacer_.becomeEqual(ssa_.definition(instruction, instruction.operands()[0]), from);
}

// True if nothing else is to be done with the instruction.
bool EarlyCseWalk::simplify(const Instruction& instruction) {
  KnownNumbers::Result result = numbers_.result(instruction);
  if (result.kind == KnownNumbers::Result::Kind::Unknown) result = bits_.result(instruction);
  switch (result.kind) {
    case KnownNumbers::Result::Kind::Unknown:
      return false;
    case KnownNumbers::Result::Kind::Number:
      return becomeNumber(instruction, result.number);
    case KnownNumbers::Result::Kind::Given:
      numbers_.set(ssa_.definition(instruction, instruction.operands()[0]), result.number);
      break;
    case KnownNumbers::Result::Kind::Copy:
      visitCopy(instruction, result.source);
      break;
    case KnownNumbers::Result::Kind::Equal:
      visitEqual(instruction, result.source);
      break;
    case KnownNumbers::Result::Kind::Moved:
      break;
  }
  return true;
}

bool EarlyCseWalk::becomeNumber(const Instruction& instruction, std::uint64_t number) {
  const ValueId value = ssa_.definition(instruction, instruction.operands()[0]);
  if (rewrite_.isPinned(ssa_.reg(value))) return false;
  numbers_.set(value, number);
  if (!replacer_.spend()) return true;
  rewrite_.becomeConstant(instruction, Operand::ofInteger(static_cast<std::int64_t>(number)));
  claims_.number(value, number);
  replacer_.note(instruction, "constants", Why::Number, value);
  return true;
}

// ---- loads and stores --------------------------------------------------------------------------

// What is known of the elements of a load.
struct EarlyCseWalk::KnownElements {
  std::vector<ValueId> values;          // of the first ones, up to one that is not known
  std::optional<std::uint64_t> number;  // the first one is this number, which need not be a value
  bool isStored = false;
  bool areHere = true;  // their registers still hold them
  bool isAfterCall = false;
  bool needsInvariance = false;
  bool staysNear = true;
};

void EarlyCseWalk::visitLoad(const Instruction& instruction, const PlainAccess& access) {
  if (access.mask != nullptr) masks_.push_back({&instruction, access.mask});
  if (!reuse(instruction, access)) memory_.noteLoad(instruction, access);
  const bool stays = rewrite_.editOf(instruction).kind == SsaRewrite::Edit::Kind::None;
  if (stays && !access.isImmutable) deadStores_.noteLoad(instruction, access);
  loadsGone_ += std::uint32_t{!stays};
}

// True if the load went, or became a copy.
bool EarlyCseWalk::reuse(const Instruction& instruction, const PlainAccess& access) {
  const KnownElements known = knownElements(instruction, access);
  if (known.number) return access.elements == 1 && loadNumber(instruction, access, *known.number);
  if (known.values.size() != access.elements) return false;
  const std::string_view counter = known.isStored ? "stored-values" : "loads";
  const bool isCheap = access.space == isa::Space::ParamEntry && !options_.mergeCheap &&
                       ssa_.block(known.values[0]) != instruction.block;
  const bool isFar = isCheap || (hasCalls_ && known.isAfterCall) || !known.staysNear;
  if (!isFar && !instruction.guard &&
      replacer_.replaceAll(instruction, known.values, counter, Why::Loaded,
                           known.needsInvariance)) {
    return true;
  }
  if (access.elements != 1 || replacer_.isStopped()) return false;
  const auto number = numbers_.of(known.values[0]);
  if (number && !known.needsInvariance) return loadNumber(instruction, access, *number);
  return !isFar && known.areHere &&
         replacer_.copyInstead(instruction, *access.data, known.values[0], counter,
                               known.needsInvariance);
}

EarlyCseWalk::KnownElements EarlyCseWalk::knownElements(const Instruction& instruction,
                                                        const PlainAccess& access) {
  KnownElements result;
  for (std::uint32_t k = 0; k < access.elements; ++k) {
    const auto known = memory_.find(instruction, access, k);
    if (!known) break;
    if (known->value == ValueId::None) {
      if (k == 0) result.number = known->number;
      break;
    }
    const ValueId value = rewrite_.resolve(known->value);
    result.values.push_back(value);
    result.isStored |= known->isStored;
    result.isAfterCall |= known->isAfterCall;
    result.needsInvariance |= known->needsInvariance;
    // Own memory is what compilers that do not optimize keep registers in.
    result.staysNear &= known->isInExtendedBlock || known->isOwn ||
                        access.space == isa::Space::ParamEntry ||
                        mayReuse(value, instruction.block);
    result.areHere &= known->isInExtendedBlock && registers_.holds(value);
  }
  return result;
}

// The load becomes a `mov` of the number.
bool EarlyCseWalk::loadNumber(const Instruction& instruction, const PlainAccess& access,
                              std::uint64_t number) {
  const ValueId value = ssa_.definition(instruction, *access.data);
  if (rewrite_.isPinned(ssa_.reg(value)) || !replacer_.spend()) return false;
  rewrite_.becomeConstant(instruction, Operand::ofInteger(static_cast<std::int64_t>(number)));
  if (!instruction.guard && access.isUsed(0)) {
    numbers_.set(value, number);
    claims_.number(value, number);
  }
  replacer_.note(instruction, "stored-numbers", Why::LoadedNumber, value);
  return true;
}

void EarlyCseWalk::visitStore(const Instruction& instruction, const PlainAccess& access) {
  deadStores_.noteStore(instruction, access, [&](const Instruction& store) {
    const bool isWatched = rewrite_.function().module().isDebug();  // docs/soundness/ E.12.3
    if (isWatched || !replacer_.spend()) return false;
    rewrite_.erase(store);
    // In the input a load in between that went does read it.
    if (claims_ && loadsGone_ == loadsGoneBefore_[&store]) {
      claims_.sink().add(facts::DeadStore{store.source.begin});
    }
    replacer_.note(store, "dead-stores", Why::Overwritten, ValueId::None);
    return true;
  });
  if (claims_) loadsGoneBefore_[&instruction] = loadsGone_;
  memory_.noteStore(instruction, access, numbers_);
}

std::vector<ir::Statement*> EarlyCseWalk::masksWithoutLoad() const {
  std::vector<ir::Statement*> masks;
  for (const auto& [load, mask] : masks_) {
    if (rewrite_.editOf(*load).kind != SsaRewrite::Edit::Kind::None) masks.push_back(mask);
  }
  return masks;
}

// ---- checks ------------------------------------------------------------------------------------

void EarlyCseWalk::noteHashing() {
  const ScopedTable& expressions = expressions_.table();
  const ScopedTable& calls = calls_.known().table();
  Remark remark;
  remark.pass = kEarlyCse.name;
  remark.function = &rewrite_.function();
  remark.isReport = true;
  remark.content = CheckedTables{expressions_.lookUps() + calls_.known().lookUps(),
                                 expressions.entered() + calls.entered(),
                                 std::max(expressions.longestChain(), calls.longestChain())};
  context_.remark(std::move(remark));
}

}  // namespace ptxopt::passes
