// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/barriers/conflict_witness.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "analysis/addresses/form_program.h"
#include "analysis/values/branch_conditions.h"
#include "ir/function.h"

namespace ptxopt::analysis {

namespace {

using Kind = MemoryBase::Kind;

constexpr int kMostLevels = 64;  // of dominators
constexpr std::size_t kMostCandidates = 10;
constexpr std::size_t kMostVariables = 12;
constexpr unsigned kMostSteps = 4;  // away from the first candidates, in total
constexpr std::size_t kMostTrials = 96;
// The number of threads that one thread is compared with: more than there are in a warp.
constexpr std::size_t kMostPartners = 40;
// The address of memory in conditions and operations that need one: any address will do.
constexpr std::int64_t kSymbolAddress = 1 << 10;
constexpr std::int64_t kPointer = 1 << 20;

// ---- one access --------------------------------------------------------------------------------

// Computes the address of each thread for one access, and whether the thread executes it.
class Side {
 public:
  explicit Side(const Access& access)
      : access_(&access), forms_(&access.origin->forms()), program_(*access.origin) {
    isGood_ = findBase();
  }

  // `otherBase` is the base of the other side.
  void build(LeafId otherBase, const PostDominators* postDominators) {
    for (const LeafId base : {base_, otherBase}) {
      if (base == kNone) continue;
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

  bool isGood() const { return isGood_; }
  bool isComplete() const { return isComplete_; }
  const Access& access() const { return *access_; }
  LeafId base() const { return base_; }
  std::span<const LeafId> unknowns() const { return program_.unknowns(); }
  bool isOfAddress(LeafId unknown) const {
    const auto all = program_.unknowns().first(addressUnknowns_);
    return std::ranges::find(all, unknown) != all.end();
  }
  std::size_t work() const { return program_.size() + conditions_.size() + 1; }

  // Calls visit(thread, offset) for the first byte that each thread of the warps accesses, relative
  // to the base, if it executes the access.
  template <class Visit>
  void forEachOffset(std::span<const WarpOfThreads> warps, std::span<const std::int64_t> numbers,
                     Visit&& visit) {
    const unsigned bits = forms_->form(access_->address).bits;
    program_.run(warps, numbers);
    for (std::size_t w = 0; w < warps.size(); ++w) {
      for (LaneMask left = lanesThatGetThere(warps[w], w); left != 0; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        const std::int64_t offset = signedResidue(program_.residuesOf(offset_, w)[lane], bits);
        if (isInObject(offset)) visit(warps[w].firstThread + lane, offset);
      }
    }
  }

 private:
  struct Checked {
    Comparison comparison = Comparison::Equal;
    unsigned bits = 32;
    FormProgram::Expression left = 0;
    FormProgram::Expression right = 0;
  };

  // The lanes that execute the access, as far as is known, in the last run.
  LaneMask lanesThatGetThere(const WarpOfThreads& warp, std::size_t number) const {
    LaneMask lanes = lanesInside(warp, access_->thread) & program_.outcomeOfRun(number).done;
    const auto residuesOf = [&](FormProgram::Expression expression) -> const auto& {
      return program_.residuesOf(expression, number);
    };
    for (const auto& [leaf, interval] : access_->restrictions) {
      lanes &= ~program_.lanesOutside(leaf, interval, number);
    }
    for (const FormProgram::Expression zero : zeros_) lanes &= lanesOfZeros(residuesOf(zero));
    for (const Checked& condition : conditions_) {
      lanes &= lanesWhereHolds(condition.comparison, condition.bits, residuesOf(condition.left),
                               residuesOf(condition.right));
    }
    return lanes;
  }

  bool isInObject(std::int64_t offset) const {
    if (base_ == kNone) return offset >= 0;
    const LeafKind kind = forms_->leaf(base_).key.kind;
    if (kind == LeafKind::Value) return true;
    if (offset < 0) return false;
    if (kind != LeafKind::Symbol) return true;
    const std::uint64_t size = symbol(base_).variable->size;
    return size == 0 || static_cast<std::uint64_t>(offset) + access_->size <= size;
  }

  const ir::Symbol& symbol(LeafId leaf) const {
    return access_->origin->ssa().cfg().function().symbolAt(
        ir::SymbolId{forms_->leaf(leaf).key.id});
  }

  // The only term of the address that identifies an object.  The term that cvta adds belongs to it.
  bool findBase() {
    if (access_->isCollective || access_->size == 0 || access_->address == kNone) return false;
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

  bool isPointer(const LeafKey& key) const {
    const MemoryBase& base = access_->bases.front();
    if (base.kind != Kind::Parameter) return access_->bases.size() == 1 && key.bits == 64;
    return key.bits == 64 && key.offset == base.offset &&
           access_->origin->ssa().cfg().function().symbolAt(ir::SymbolId{key.id}).variable ==
               base.variable;
  }

  // ---- conditions for executing the access ------------------------------------------------------

  void addConditions(const PostDominators* postDominators) {
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
    for (int level = 0; b != cfg.entry() && b != kNone; ++level) {
      if (level == kMostLevels) {
        isComplete_ = false;
        return;
      }
      const BlockId above = ssa.dominators().parent(b);
      const std::span<const BranchConditions::Placed> ofBlock = conditions.ofBlock(b);
      bool isKnown = cfg.inEdges(b).size() == 1 &&
                     (cfg.successors(cfg.source(cfg.inEdges(b)[0])).size() == 1 ||
                      (isPlainBranch(cfg.inEdges(b)[0]) && !ofBlock.empty()));
      for (const BranchConditions::Placed& placed : ofBlock) {
        isKnown &= addCondition(placed.condition);
      }
      isKnown |= postDominators != nullptr && above != kNone && postDominators->dominates(b, above);
      isComplete_ &= isKnown;
      b = above;
    }
  }

  // The predicate is a single comparison of integers.
  bool isPlain(ValueId predicate) const {
    const Ssa& ssa = access_->origin->ssa();
    if (!ssa.isDefinition(predicate)) return false;
    const ir::Instruction& setp = ssa.instruction(predicate);
    return setp.desc->opcode == isa::Opcode::Setp && !setp.guard &&
           !isa::isFloat(setp.desc->type) && setp.operand(3) == nullptr;
  }
  bool isPlainBranch(EdgeId edge) const {
    const Ssa& ssa = access_->origin->ssa();
    const ir::Instruction* branch = ssa.cfg().block(ssa.cfg().source(edge)).terminator;
    return branch != nullptr && branch->guard && isPlain(ssa.guard(*branch));
  }

  bool addCondition(const Condition& condition) {
    const Addresses& addresses = *access_->origin;
    // A comparison of two registers is listed for both of them.
    if (condition.otherValue != kNone && condition.otherValue < condition.value) return true;
    const FormId left = addresses.formOf(condition.value);
    if (left == kNone || forms_->form(left).bits < condition.bits) return false;
    Checked checked{condition.comparison, condition.bits, 0, 0};
    const auto leftOf = program_.add(left);
    if (!leftOf) return false;
    checked.left = *leftOf;
    if (condition.otherValue != kNone) {
      const FormId right = addresses.formOf(condition.otherValue);
      if (right == kNone || forms_->form(right).bits < condition.bits) return false;
      const auto rightOf = program_.add(right);
      if (!rightOf) return false;
      checked.right = *rightOf;
    } else if (condition.other->kind == ir::OperandKind::Integer) {
      checked.right = program_.addConstant(static_cast<std::uint64_t>(condition.other->immediate));
    } else {
      return false;
    }
    conditions_.push_back(checked);
    return true;
  }

  const Access* access_;
  const LinearForms* forms_;
  FormProgram program_;
  bool isGood_ = false;
  bool isComplete_ = false;
  LeafId base_ = kNone;
  std::vector<LeafId> skipped_;
  FormProgram::Expression offset_ = 0;
  std::size_t addressUnknowns_ = 0;
  std::vector<FormProgram::Expression> zeros_;
  std::vector<Checked> conditions_;
};

// ---- the search --------------------------------------------------------------------------------

// A value to be chosen, for one thread or for both.
struct Variable {
  LeafId leaf = 0;
  std::array<bool, 2> isOf{};
  std::vector<std::int64_t> candidates;
  std::size_t chosen = 0;
  std::int64_t number() const { return candidates[chosen]; }
};

class Search {
 public:
  explicit Search(const WitnessQuestion& question)
      : question_(question),
        forms_(question.first->origin->forms()),
        sides_{Side(*question.first), Side(*question.second)},
        work_(question.work) {}

  std::optional<ConflictWitness> run() {
    if (!sides_[0].isGood() || !sides_[1].isGood() || !findBases()) return std::nullopt;
    sides_[0].build(sides_[1].base(), question_.postDominators);
    sides_[1].build(sides_[0].base(), question_.postDominators);
    if (!sides_[0].isGood() || !sides_[1].isGood() || !findVariables()) return std::nullopt;
    for (const std::array<std::uint32_t, 3>& block : shapes()) {
      block_ = block;
      warps_ = warpsOf(block);
      for (unsigned steps = 0; steps <= kMostSteps; ++steps) {
        if (choose(0, steps)) return found_;
      }
      trials_ = 0;
    }
    return std::nullopt;
  }

  std::uint64_t workLeft() const { return work_; }

 private:
  const Access& access(std::size_t k) const { return sides_[k].access(); }

  // ---- bases ------------------------------------------------------------------------------------

  bool findBases() {
    const LeafId a = sides_[0].base();
    const LeafId b = sides_[1].base();
    if (a == kNone || b == kNone) return a == b;
    const LeafKey& x = forms_.leaf(a).key;
    const LeafKey& y = forms_.leaf(b).key;
    if (a == b) {
      isSameBase_ = forms_.leaf(a).uniform;
      // Every thread has its own value.
      return x.kind != LeafKind::Symbol || isSameBase_;
    }
    if (x.kind == LeafKind::Symbol && y.kind == LeafKind::Symbol) {
      // All dynamic shared memory starts at one address (docs/soundness/ C3.3.8).
      return access(0).bases.front().kind == Kind::DynamicShared &&
             access(1).bases.front().kind == Kind::DynamicShared;
    }
    isSameBase_ = false;
    const AliasAssumptions& assumptions = question_.assumptions;
    const auto are = [&](LeafKind one, LeafKind other) { return x.kind == one && y.kind == other; };
    if (are(LeafKind::Parameter, LeafKind::Parameter)) return !assumptions.noaliasParams;
    const bool isVariable =
        are(LeafKind::Parameter, LeafKind::Symbol) || are(LeafKind::Symbol, LeafKind::Parameter);
    return !isVariable || !assumptions.noaliasVariables;
  }

  // ---- numbers ----------------------------------------------------------------------------------

  bool findVariables() {
    for (std::size_t k = 0; k < 2; ++k) {
      for (const LeafId leaf : sides_[k].unknowns()) {
        const auto at = std::ranges::find_if(variables_, [&](const Variable& variable) {
          return variable.leaf == leaf && forms_.leaf(leaf).uniform;
        });
        const auto number = static_cast<std::size_t>(at - variables_.begin());
        if (number == variables_.size()) {
          variables_.push_back({leaf, {}, candidates(leaf, sides_[k].isOfAddress(leaf))});
          if (variables_.back().candidates.empty()) return false;
        }
        variables_[number].isOf[k] = true;
        variableOf_[k].push_back(number);
      }
    }
    return variables_.size() <= kMostVariables;
  }

  static std::vector<std::int64_t> usualNumbers(const Leaf& leaf, bool isOfAddress) {
    if (leaf.key.kind == LeafKind::Special) return {0, 1, 2, 3};
    if (leaf.key.kind == LeafKind::Iteration) return {0, 1, 2, 3};
    if (isOfAddress) return {0, 1, 2, 3, 4, 8, 16, 32, 64, 128};
    return {1024, 0, 1, 2, 32, 4, 64, 256};
  }

  std::vector<std::int64_t> candidates(LeafId id, bool isOfAddress) const {
    const Leaf& leaf = forms_.leaf(id);
    std::vector<std::int64_t> numbers = usualNumbers(leaf, isOfAddress);
    if (leaf.interval.hasLowest()) numbers.push_back(leaf.interval.lowest);
    if (leaf.interval.hasHighest()) numbers.push_back(leaf.interval.highest);
    std::vector<std::int64_t> result;
    for (const std::int64_t number : numbers) {
      const bool isNew = std::ranges::find(result, number) == result.end();
      if (isNew && leaf.interval.contains(number) && result.size() < kMostCandidates) {
        result.push_back(number);
      }
    }
    return result;
  }

  // Shapes of blocks, simple ones first.
  std::vector<std::array<std::uint32_t, 3>> shapes() const {
    const LaunchShape& shape = question_.first->origin->shape();
    if (shape.block) return {*shape.block};
    std::vector<std::array<std::uint32_t, 3>> result;
    for (const std::array<std::uint32_t, 3>& block :
         std::vector<std::array<std::uint32_t, 3>>{{64, 1, 1},
                                                   {32, 2, 1},
                                                   {256, 1, 1},
                                                   {16, 16, 1},
                                                   {4, 4, 4},
                                                   {512, 1, 1},
                                                   {1024, 1, 1}}) {
      const bool isRow = block[1] == 1 && block[2] == 1;
      if (question_.assumptions.oneRow && !isRow) continue;
      if (std::ranges::equal(block, shape.most, std::less_equal())) result.push_back(block);
    }
    return result;
  }

  // Tries all combinations that are `steps` steps away from the first candidates of the variables
  // from `k` on.
  bool choose(std::size_t k, unsigned steps) {
    if (k == variables_.size()) return steps == 0 && attempt();
    Variable& variable = variables_[k];
    const auto most = static_cast<unsigned>(variable.candidates.size() - 1);
    const bool isLast = k + 1 == variables_.size();
    if (isLast && steps > most) return false;
    for (unsigned mine = isLast ? steps : 0; mine <= std::min(steps, most); ++mine) {
      variable.chosen = mine;
      if (choose(k + 1, steps - mine)) return true;
    }
    variable.chosen = 0;
    return false;
  }

  // ---- threads ----------------------------------------------------------------------------------

  bool attempt() {
    if (trials_ == kMostTrials || !areRoundsPossible() || !isGridPossible()) return false;
    ++trials_;
    const std::uint32_t count = block_[0] * block_[1] * block_[2];
    for (std::size_t k = 0; k < 2; ++k) {
      offsets_[k].clear();
      std::vector<std::int64_t> numbers;
      for (const std::size_t v : variableOf_[k]) numbers.push_back(variables_[v].number());
      const std::uint64_t cost = std::uint64_t{count} * sides_[k].work();
      if (work_ < cost) return false;
      work_ -= cost;
      sides_[k].forEachOffset(warps_, numbers, [&](std::uint32_t thread, std::int64_t offset) {
        offsets_[k].emplace_back(offset, thread);
      });
      if (offsets_[k].empty()) return false;
    }
    return meet();
  }

  std::array<std::uint32_t, 3> idOf(std::uint32_t t) const {
    return {t % block_[0], t / block_[0] % block_[1], t / (block_[0] * block_[1])};
  }

  const Variable* variable(LeafId leaf, std::size_t side) const {
    for (const Variable& variable : variables_) {
      if (variable.leaf == leaf && variable.isOf[side]) return &variable;
    }
    return nullptr;
  }

  bool areRoundsPossible() const {
    for (const LeafId leaf : sides_[0].unknowns()) {
      const LeafKey& key = forms_.leaf(leaf).key;
      const Variable* other = variable(leaf, 1);
      if (key.kind != LeafKind::Iteration || other == nullptr) continue;
      if (!question_.mayMeetInRounds ||
          !question_.mayMeetInRounds(key.id, variable(leaf, 0)->number(), other->number())) {
        return false;
      }
    }
    return true;
  }

  // The chosen ids of CTAs lie within the chosen grid.
  bool isGridPossible() const {
    const auto special = [&](const Variable& variable) -> std::string_view {
      const LeafKey& key = forms_.leaf(variable.leaf).key;
      return key.kind == LeafKind::Special ? isa::specialRegisters()[key.id / 4].name : "";
    };
    for (const Variable& cta : variables_) {
      for (const Variable& grid : variables_) {
        if (special(cta) != "%ctaid" || special(grid) != "%nctaid") continue;
        const bool isSame = forms_.leaf(cta.leaf).key.id % 4 == forms_.leaf(grid.leaf).key.id % 4;
        if (isSame && cta.number() >= grid.number()) return false;
      }
    }
    return true;
  }

  // Among all pairs of different threads that overlap, finds the one with the smallest sum of ids.
  bool meet() {
    std::vector<std::pair<std::int64_t, std::uint32_t>>& lower = offsets_[1];
    std::ranges::sort(lower);
    const std::int64_t sizes[] = {access(0).size, access(1).size};
    std::uint32_t best = ~std::uint32_t{0};
    std::pair<std::int64_t, std::uint32_t> pair[2];
    for (const auto& upper : offsets_[0]) {
      // Starts at the first byte whose access can overlap.
      const std::int64_t from = upper.first - sizes[1] + 1;
      auto at = std::ranges::lower_bound(lower, std::pair{from, std::uint32_t{0}});
      for (std::size_t seen = 0; at != lower.end() && at->first < upper.first + sizes[0]; ++at) {
        const std::uint32_t sum = at->second + upper.second;
        const bool isOther = question_.areWarpsDifferent
                                 ? at->second / isa::kWarpSize != upper.second / isa::kWarpSize
                                 : at->second != upper.second;
        if (++seen > kMostPartners) break;
        if (!isOther || sum >= best) continue;
        best = sum;
        pair[0] = upper;
        pair[1] = *at;
      }
    }
    if (best == ~std::uint32_t{0}) return false;
    tell(pair[0], pair[1]);
    return true;
  }

  void tell(const std::pair<std::int64_t, std::uint32_t>& upper,
            const std::pair<std::int64_t, std::uint32_t>& lower) {
    const auto side = [&](std::size_t k, const std::pair<std::int64_t, std::uint32_t>& at) {
      ConflictWitness::Side result;
      result.thread = idOf(at.second);
      result.bytes = {at.first, at.first + std::int64_t{access(k).size} - 1};
      result.base = sides_[k].base();
      return result;
    };
    found_.first = side(0, upper);
    found_.second = side(1, lower);
    found_.isSameBase = isSameBase_;
    if (!question_.first->origin->shape().block) found_.block = block_;
    for (const Variable& variable : variables_) {
      auto at = std::ranges::find(found_.choices, variable.leaf, &ConflictWitness::Choice::leaf);
      if (at == found_.choices.end()) at = found_.choices.insert(at, {variable.leaf, {}, {}});
      const bool isUniform = forms_.leaf(variable.leaf).uniform;
      if (variable.isOf[0] || isUniform) at->first = variable.number();
      if (variable.isOf[1] || isUniform) at->second = variable.number();
    }
    std::ranges::sort(found_.choices, {}, &ConflictWitness::Choice::leaf);
    found_.isControlKnown = sides_[0].isComplete() && sides_[1].isComplete();
    found_.isCertain = found_.isControlKnown && found_.choices.empty() && isSameBase_;
  }

  const WitnessQuestion& question_;
  const LinearForms& forms_;
  std::array<Side, 2> sides_;
  bool isSameBase_ = true;
  std::vector<Variable> variables_;
  std::array<std::vector<std::size_t>, 2> variableOf_;  // by unknown
  std::array<std::uint32_t, 3> block_{};
  std::vector<WarpOfThreads> warps_;                                            // of the block
  std::array<std::vector<std::pair<std::int64_t, std::uint32_t>>, 2> offsets_;  // and threads
  std::size_t trials_ = 0;
  std::uint64_t work_;
  ConflictWitness found_;
};

}  // namespace

std::optional<ConflictWitness> findWitness(const WitnessQuestion& question, std::uint64_t* spent) {
  if (question.first->origin == nullptr || question.first->origin != question.second->origin) {
    return std::nullopt;
  }
  Search search(question);
  std::optional<ConflictWitness> found = search.run();
  if (spent != nullptr) *spent = question.work - search.workLeft();
  return found;
}

}  // namespace ptxopt::analysis
