// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/barriers/access_offsets.h"

#include "analysis/memory/open_shared.h"
#include "analysis/values/branch_conditions.h"
#include "ir/function.h"
#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

using Kind = MemoryBase::Kind;

// The address of memory in conditions and operations that need one: any address will do.
constexpr std::int64_t kSymbolAddress = 1 << 10;
constexpr std::int64_t kPointer = 1 << 20;

// The lanes that name rows of eight 16-bit elements for ldmatrix and stmatrix (PTX ISA
// 9.7.14.5.15); 0 for any other instruction.
LaneMask lanesOfRows(const isa::InstructionDesc& desc) {
  if (!desc.is(isa::kCollective) || !desc.has(".m8n8")) return 0;
  if (desc.has(".x1")) return 0xff;
  if (desc.has(".x2")) return 0xffff;
  return desc.has(".x4") ? ~LaneMask{0} : 0;
}

}  // namespace

AccessOffsets::AccessOffsets(const Access& access)
    : access_(&access),
      forms_(&access.origin->forms()),
      program_(*access.origin),
      lanesOfRows_(lanesOfRows(*access.instruction->desc)) {
  isGood_ = findBase();
}

void AccessOffsets::build(LeafId otherBase, const PostDominators* postDominators) {
  for (const LeafId base : {base_, otherBase}) {
    if (base == LeafId::None) continue;
    const bool isSymbol = forms_->leaf(base).key.kind == LeafKind::Symbol;
    program_.fix(base, isSymbol ? kSymbolAddress : kPointer);
  }
  const auto offset = program_.add(access_->address, skipped_);
  isGood_ = offset.has_value();
  if (!isGood_) return;
  offset_ = *offset;
  addressUnknowns_ = program_.unknowns().size();
  for (const FormId zero : access_->zeros) {
    if (const auto of = program_.add(zero)) zeros_.push_back(*of);
  }
  addConditions(postDominators);
}

LaneMask AccessOffsets::arrivingLanes(const WarpOfThreads& warp, std::size_t number) const {
  LaneMask lanes = lanesInside(warp, access_->thread) & program_.outcomeOfRun(number).done;
  if (isOfWarp()) lanes &= lanesOfRows_;
  const auto residuesOf = [&](FormProgram::Expression expression) -> const auto& {
    return program_.residuesOf(expression, number);
  };
  for (const auto& [leaf, interval] : access_->restrictions) {
    lanes &= ~program_.lanesOutside(leaf, interval, number);
  }
  for (const FormProgram::Expression zero : zeros_) lanes &= lanesOfZeros(residuesOf(zero));
  for (const ConditionProgram& condition : conditions_) {
    lanes &= condition.lanesWhereItHolds(program_, number);
  }
  return lanes;
}

bool AccessOffsets::isInObject(std::int64_t offset) const {
  if (base_ == LeafId::None) return offset >= 0;
  const LeafKind kind = forms_->leaf(base_).key.kind;
  if (kind == LeafKind::Value) return true;
  if (offset < 0) return false;
  if (kind != LeafKind::Symbol) return true;
  const ir::Variable& variable = *symbol(base_).variable;
  const std::uint64_t size = variable.size;
  return size == 0 || isOpenShared(variable) ||
         static_cast<std::uint64_t>(offset) + access_->size <= size;
}

AccessOffsets::Leaves AccessOffsets::leavesObject(std::span<const WarpOfThreads> warps) {
  if (!isGood_ || addressUnknowns_ != 0) return Leaves::Never;
  const bool isKnown = isComplete_ && unknowns().empty();
  const unsigned bits = forms_->form(access_->address).bits;
  const std::vector<std::int64_t> numbers(unknowns().size());
  program_.run(warps, numbers);
  for (std::size_t w = 0; w < warps.size(); ++w) {
    LaneMask left =
        isKnown ? arrivingLanes(warps[w], w)
                : lanesInside(warps[w], access_->thread) & program_.outcomeOf(offset_, w).done;
    for (; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
      const std::int64_t offset = signedResidue(program_.residuesOf(offset_, w)[lane], bits);
      if (!isInObject(offset)) return isKnown ? Leaves::Surely : Leaves::Maybe;
    }
  }
  return Leaves::Never;
}

const ir::Symbol& AccessOffsets::symbol(LeafId leaf) const {
  return access_->origin->ssa().cfg().function().symbolAt(ir::SymbolId{forms_->leaf(leaf).key.id});
}

bool AccessOffsets::findBase() {
  // Of a collective access without rows it is not known who accesses what.
  if (access_->isCollective && !isOfWarp()) return false;
  if (access_->size == 0 || access_->address == FormId::None) return false;
  const bool isKnown = access_->bases.size() == 1 && access_->bases[0].kind != Kind::Unknown;
  std::vector<LeafId> symbols;
  std::vector<LeafId> parameters;
  std::vector<LeafId> values;
  const LinearForm form = forms_->form(access_->address);
  for (const Term& term : form.terms) {
    const LeafKey& key = forms_->leaf(term.leaf).key;
    if (key.kind == LeafKind::GenericBase) {
      if (term.coefficient != 1 && residue(term.coefficient + 1, form.bits) != 0) return false;
      skipped_.push_back(term.leaf);
    }
    if (key.kind == LeafKind::Symbol && term.coefficient != 1) return false;
    if (term.coefficient != 1) continue;
    if (key.kind == LeafKind::Symbol) symbols.push_back(term.leaf);
    if (key.kind == LeafKind::Parameter && isPointer(key)) parameters.push_back(term.leaf);
    if (key.kind == LeafKind::Value && !isKnown) values.push_back(term.leaf);
  }
  const std::vector<LeafId>& found = !symbols.empty()      ? symbols
                                     : !parameters.empty() ? parameters
                                                           : values;
  if (found.size() > 1) return false;
  if (!found.empty()) {
    base_ = found.front();
    skipped_.push_back(base_);
  }
  return true;
}

bool AccessOffsets::isPointer(const LeafKey& key) const {
  const MemoryBase& base = access_->bases.front();
  if (base.kind != Kind::Parameter) return access_->bases.size() == 1 && key.bits == 64;
  return key.bits == 64 && key.offset == base.offset &&
         access_->origin->ssa().cfg().function().symbolAt(ir::SymbolId{key.id}).variable ==
             base.variable;
}

void AccessOffsets::addConditions(const PostDominators* postDominators) {
  const Ssa& ssa = access_->origin->ssa();
  const Cfg& cfg = ssa.cfg();
  const BranchConditions& conditions = access_->origin->ranges().conditions();
  const ir::Instruction& instruction = *access_->instruction;
  isComplete_ = postDominators != nullptr;
  if (instruction.guard) {
    const std::vector<Condition> ofGuard = conditions.ofGuard(instruction);
    bool isKnown = isPlain(ssa.guard(instruction)) && !ofGuard.empty();
    for (const Condition& condition : ofGuard) {
      isKnown &= addCondition(condition);
    }
    isComplete_ &= isKnown;
  }
  BlockId b = instruction.block;
  for (std::size_t level = 0; b != cfg.entry() && b != BlockId::None; ++level) {
    if (reaches(level, Limit::ExampleLevels)) {
      isComplete_ = false;
      return;
    }
    const BlockId above = ssa.dominators().parent(b);
    const std::span<const BranchConditions::Placed> ofBlock = conditions.ofBlock(b);
    bool isKnown =
        cfg.inEdges(b).size() == 1 && (cfg.successors(cfg.source(cfg.inEdges(b)[0])).size() == 1 ||
                                       (isPlainBranch(cfg.inEdges(b)[0]) && !ofBlock.empty()));
    for (const BranchConditions::Placed& placed : ofBlock) {
      isKnown &= addCondition(placed.condition);
    }
    isKnown |=
        postDominators != nullptr && above != BlockId::None && postDominators->dominates(b, above);
    isComplete_ &= isKnown;
    b = above;
  }
}

bool AccessOffsets::isPlain(ValueId predicate) const {
  const Ssa& ssa = access_->origin->ssa();
  if (!ssa.isDefinition(predicate)) return false;
  const ir::Instruction& setp = ssa.instruction(predicate);
  return setp.desc->opcode == isa::Opcode::Setp && !setp.guard && !isa::isFloat(setp.desc->type) &&
         setp.operand(3) == nullptr;
}

bool AccessOffsets::isPlainBranch(EdgeId edge) const {
  const Ssa& ssa = access_->origin->ssa();
  const ir::Instruction* branch = ssa.cfg().block(ssa.cfg().source(edge)).terminator;
  return branch != nullptr && branch->guard && isPlain(ssa.guard(*branch));
}

bool AccessOffsets::addCondition(const Condition& condition) {
  // A comparison of two registers is listed for both of them.
  if (condition.otherValue != ValueId::None && condition.otherValue < condition.value) return true;
  const auto added = ConditionProgram::of(condition, *access_->origin, program_);
  if (added) conditions_.push_back(*added);
  return added.has_value();
}
}  // namespace ptxopt::analysis
