// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/barriers/conflict_witness.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/barriers/access_offsets.h"
#include "analysis/barriers/loop_numbers.h"
#include "ir/function.h"
#include "isa/block.h"
#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

using Kind = MemoryBase::Kind;

// ---- the search --------------------------------------------------------------------------------

// A value to be chosen, for one thread or for both: of a leaf, or the round of a loop in which one
// thread is.
struct Variable {
  LeafId leaf = LeafId::None;
  LoopId loop = LoopId::None;
  std::array<bool, 2> isOf{};
  std::vector<std::int64_t> candidates;
  std::size_t chosen = 0;
  std::int64_t number() const { return candidates[chosen]; }
};

class WitnessSearch {
 public:
  explicit WitnessSearch(const WitnessQuestion& question)
      : question_(question),
        forms_(question.first->origin->forms()),
        sides_{AccessOffsets(*question.first), AccessOffsets(*question.second)},
        work_(question.work) {}

  std::optional<ConflictWitness> run() {
    if (!sides_[0].isGood() || !sides_[1].isGood() || !findBases()) return std::nullopt;
    sides_[0].build(sides_[1].base(), question_.postDominators);
    sides_[1].build(sides_[0].base(), question_.postDominators);
    if (!sides_[0].isGood() || !sides_[1].isGood() || !findVariables()) return std::nullopt;
    for (const std::array<std::uint32_t, 3>& block : shapes()) {
      block_ = block;
      warps_ = warpsOf(block);
      if (!findLoopNumbers()) continue;
      // Blocks of one row are best, and must leave work for the others.
      least_ = work_ / 2;
      for (std::size_t steps = 0; steps <= farthest(); ++steps) {
        if (exceeds(steps, Limit::ExampleSteps)) break;
        if (choose(0, steps)) return found_;
      }
      trials_ = choices_ = 0;
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
    if (a == LeafId::None || b == LeafId::None) return a == b;
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
        const LoopId loop = loopOf(leaf);
        const bool isShared = loop == LoopId::None && forms_.leaf(leaf).uniform;
        const auto at = std::ranges::find_if(variables_, [&](const Variable& variable) {
          return loop != LoopId::None ? variable.loop == loop && variable.isOf[k]
                                      : isShared && variable.leaf == leaf;
        });
        const auto number = static_cast<std::size_t>(at - variables_.begin());
        if (number == variables_.size()) {
          variables_.push_back(loop != LoopId::None ? roundOf(loop, leaf)
                                                    : ofLeaf(leaf, sides_[k].isOfAddress(leaf)));
          if (variables_.back().candidates.empty()) return false;
        }
        variables_[number].isOf[k] = true;
        variableOf_[k].push_back(number);
      }
    }
    return !exceeds(variables_.size(), Limit::ExampleVariables);
  }

  Variable ofLeaf(LeafId leaf, bool isOfAddress) const {
    return {leaf, LoopId::None, {}, candidates(leaf, isOfAddress)};
  }
  Variable roundOf(LoopId loop, LeafId leaf) const {
    Variable variable{LeafId::None, loop, {}, {}};
    for (std::size_t k = 0; k < most(Limit::LoopNumbers); ++k) {
      variable.candidates.push_back(static_cast<std::int64_t>(k));
    }
    const Leaf& of = forms_.leaf(leaf);
    const bool isLong = of.key.kind == LeafKind::Iteration && of.interval.hasHighest() &&
                        of.interval.highest > variable.candidates.back();
    if (isLong) variable.candidates.push_back(of.interval.highest);
    return variable;
  }

  // The loop whose round decides what the leaf is; None where none does.
  LoopId loopOf(LeafId leaf) const {
    const LeafKey& key = forms_.leaf(leaf).key;
    if (key.kind == LeafKind::Iteration) return LoopId{key.id};
    if (question_.loops == nullptr) return LoopId::None;
    const Addresses& addresses = *question_.first->origin;
    const LoopId loop = loopOfVariable(addresses, *question_.loops, leaf);
    // What starts with any number has any number in its first round.
    const bool isFree = loop != LoopId::None && startsAnywhere(addresses, *question_.loops, leaf);
    return isFree ? LoopId::None : loop;
  }

  // The numbers of loop variables for the shape of the block.  False if one is not known.
  bool findLoopNumbers() {
    loopNumbers_.clear();
    for (const AccessOffsets& side : sides_) {
      for (const LeafId leaf : side.unknowns()) {
        const bool isRound = forms_.leaf(leaf).key.kind == LeafKind::Iteration;
        if (isRound || loopOf(leaf) == LoopId::None || loopNumbers_.contains(leaf)) continue;
        const auto numbers = loopNumbers(*question_.first->origin, *question_.loops, leaf, block_);
        if (!numbers) return false;
        loopNumbers_.emplace(leaf, *numbers);
      }
    }
    return true;
  }

  // None if the loop has no such round.
  std::optional<std::int64_t> numberOf(LeafId leaf, const Variable& variable) const {
    const auto numbers = loopNumbers_.find(leaf);
    if (numbers == loopNumbers_.end()) return variable.number();
    const auto round = static_cast<std::size_t>(variable.number());
    const std::vector<std::int64_t>& ofRound = numbers->second.ofRound;
    return round < ofRound.size() ? std::optional(ofRound[round]) : std::nullopt;
  }

  static std::vector<std::int64_t> usualNumbers(const Leaf& leaf, bool isOfAddress) {
    if (leaf.key.kind == LeafKind::Special) return {0, 1, 2, 3};
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
      if (isNew && leaf.interval.contains(number) &&
          !reaches(result.size(), Limit::ExampleNumbers)) {
        result.push_back(number);
      }
    }
    return result;
  }

  // Shapes of blocks: those of one row first, however large, since most kernels are launched so.
  std::vector<std::array<std::uint32_t, 3>> shapes() const {
    const LaunchShape& shape = question_.first->origin->shape();
    if (shape.block) return {*shape.block};
    std::vector<std::array<std::uint32_t, 3>> all;
    for (const std::uint32_t threads : {64u, 256u, isa::kMostThreads})
      all.push_back({threads, 1, 1});
    // The largest one that is allowed.
    if (shape.most[0] < isa::kMostThreads)
      all.push_back({static_cast<std::uint32_t>(shape.most[0]), 1, 1});
    for (const std::array<std::uint32_t, 3>& block :
         std::to_array<std::array<std::uint32_t, 3>>({{32, 2, 1}, {16, 16, 1}, {4, 4, 4}})) {
      if (!question_.isOneRow) all.push_back(block);
    }
    std::erase_if(all, [&](const std::array<std::uint32_t, 3>& block) {
      return !std::ranges::equal(block, shape.most, std::less_equal());
    });
    return all;
  }

  // How many steps all variables together can be away from their first candidates.
  std::size_t farthest() const {
    std::size_t steps = 0;
    for (const Variable& variable : variables_) steps += variable.candidates.size() - 1;
    return steps;
  }

  // Tries all combinations that are `steps` steps away from the first candidates of the variables
  // from `k` on.
  bool choose(std::size_t k, std::size_t steps) {
    if (k == variables_.size()) return steps == 0 && attempt();
    if (reaches(choices_, Limit::ExampleChoices)) return false;
    Variable& variable = variables_[k];
    const std::size_t most = variable.candidates.size() - 1;
    const bool isLast = k + 1 == variables_.size();
    if (isLast && steps > most) return false;
    for (std::size_t mine = isLast ? steps : 0; mine <= std::min(steps, most); ++mine) {
      variable.chosen = mine;
      if (choose(k + 1, steps - mine)) return true;
    }
    variable.chosen = 0;
    return false;
  }

  // ---- threads ----------------------------------------------------------------------------------

  bool attempt() {
    if (reaches(++choices_, Limit::ExampleChoices)) return false;
    if (reaches(trials_, Limit::ExampleTrials)) return false;
    if (!areRoundsPossible() || !isGridPossible()) return false;
    ++trials_;
    const std::uint32_t count = block_[0] * block_[1] * block_[2];
    for (std::size_t k = 0; k < 2; ++k) {
      offsets_[k].clear();
      std::vector<std::int64_t> numbers;
      for (std::size_t n = 0; n < variableOf_[k].size(); ++n) {
        const Variable& variable = variables_[variableOf_[k][n]];
        numbers.push_back(*numberOf(sides_[k].unknowns()[n], variable));
      }
      const std::uint64_t cost = std::uint64_t{count} * sides_[k].work();
      if (exceeds(least_ + cost, work_, Limit::ExampleWork)) return false;
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

  bool areRoundsPossible() const {
    for (std::size_t k = 0; k < 2; ++k) {
      for (std::size_t n = 0; n < variableOf_[k].size(); ++n) {
        const Variable& variable = variables_[variableOf_[k][n]];
        if (!numberOf(sides_[k].unknowns()[n], variable)) return false;
      }
    }
    for (const Variable& mine : variables_) {
      if (mine.loop == LoopId::None) continue;
      const bool isFirst = mine.isOf[0];
      const auto other = std::ranges::find_if(variables_, [&](const Variable& variable) {
        return variable.loop == mine.loop && &variable != &mine;
      });
      if (other != variables_.end() ? isFirst && !mayMeet(mine.loop, mine.number(), other->number())
                                    : !isPossibleAlone(mine, isFirst)) {
        return false;
      }
    }
    return true;
  }

  bool mayMeet(LoopId loop, std::int64_t first, std::int64_t second) const {
    return question_.mayMeetInRounds && question_.mayMeetInRounds(loop, first, second);
  }

  // As far as is known.
  bool isLastRound(const Variable& mine) const {
    for (const std::size_t k : {0, 1}) {
      if (!mine.isOf[k]) continue;
      for (const LeafId leaf : sides_[k].unknowns()) {
        const Leaf& of = forms_.leaf(leaf);
        if (loopOf(leaf) != mine.loop) continue;
        const auto numbers = loopNumbers_.find(leaf);
        if (numbers != loopNumbers_.end()) {
          const auto rounds = static_cast<std::int64_t>(numbers->second.ofRound.size());
          if (!numbers->second.isComplete || mine.number() != rounds - 1) return false;
        } else if (of.interval.hasHighest() && mine.number() != of.interval.highest) {
          return false;
        }
      }
    }
    return true;
  }

  // The address of the other access does not depend on the round.
  bool isPossibleAlone(const Variable& mine, bool isFirst) const {
    const Loops* loops = question_.loops;
    if (loops == nullptr) return true;
    const bool isOtherInLoop =
        loops->contains(mine.loop, access(isFirst ? 1 : 0).instruction->block);
    // A barrier in the loop separates the other access from all rounds but the first, or the last.
    if (!isOtherInLoop) {
      const bool isEdge = isFirst ? isLastRound(mine) : mine.number() == 0;
      return isEdge || !question_.separatesRounds || !question_.separatesRounds(mine.loop);
    }
    for (std::int64_t distance = 0; distance <= mine.number() || isFirst; ++distance) {
      if (distance == static_cast<std::int64_t>(most(Limit::LoopNumbers))) return false;
      const std::int64_t number = mine.number();
      if (isFirst ? mayMeet(mine.loop, number, number + distance)
                  : mayMeet(mine.loop, number - distance, number)) {
        return true;
      }
    }
    return false;
  }

  // The chosen ids of CTAs lie within the chosen grid.
  bool isGridPossible() const {
    using Which = SpecialName::Which;
    const auto componentOf = [&](const Variable& variable, Which which) -> std::optional<unsigned> {
      if (variable.leaf == LeafId::None) return std::nullopt;
      const auto special = specialOf(forms_.leaf(variable.leaf).key);
      return special && special->which == which ? std::optional<unsigned>(special->component)
                                                : std::nullopt;
    };
    for (const Variable& cta : variables_) {
      const auto component = componentOf(cta, Which::Ctaid);
      if (!component) continue;
      for (const Variable& grid : variables_) {
        const bool isSame = componentOf(grid, Which::Nctaid) == component;
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
    const bool areWarpsDifferent =
        question_.areWarpsDifferent || sides_[0].isOfWarp() || sides_[1].isOfWarp();
    for (const auto& upper : offsets_[0]) {
      // Starts at the first byte whose access can overlap.
      const std::int64_t from = upper.first - sizes[1] + 1;
      auto at = std::ranges::lower_bound(lower, std::pair{from, std::uint32_t{0}});
      for (std::size_t seen = 0; at != lower.end() && at->first < upper.first + sizes[0]; ++at) {
        const std::uint32_t sum = at->second + upper.second;
        const bool isOther = areWarpsDifferent
                                 ? at->second / isa::kWarpSize != upper.second / isa::kWarpSize
                                 : at->second != upper.second;
        if (exceeds(++seen, Limit::ExamplePartners)) break;
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
      result.isOfWarp = sides_[k].isOfWarp();
      return result;
    };
    found_.first = side(0, upper);
    found_.second = side(1, lower);
    found_.isSameBase = isSameBase_;
    if (!question_.first->origin->shape().block) found_.block = block_;
    tellChoices();
    found_.isControlKnown = sides_[0].isComplete() && sides_[1].isComplete();
    found_.isCertain = found_.isControlKnown && found_.choices.empty() && isSameBase_;
  }

  void tellChoices() {
    found_.choices.clear();
    for (const Variable& variable : variables_) {
      using Choice = ConflictWitness::Choice;
      auto at = std::ranges::find_if(found_.choices, [&](const Choice& choice) {
        return choice.leaf == variable.leaf && choice.loop == variable.loop;
      });
      if (at == found_.choices.end()) {
        at = found_.choices.insert(at, {variable.leaf, variable.loop, {}, {}, {}, false});
      }
      for (const AccessOffsets& side : sides_) {
        at->isOfAddress |= variable.leaf != LeafId::None && side.isOfAddress(variable.leaf);
      }
      const bool isShared = variable.leaf != LeafId::None && forms_.leaf(variable.leaf).uniform;
      if (variable.isOf[0] || isShared) at->first = variable.number();
      if (variable.isOf[1] || isShared) at->second = variable.number();
    }
    std::ranges::sort(found_.choices, {}, [](const ConflictWitness::Choice& choice) {
      return std::pair(choice.leaf, choice.loop);
    });
    for (ConflictWitness::Choice& choice : found_.choices) {
      for (const auto& [leaf, numbers] : loopNumbers_) {
        if (choice.loop == LoopId::None || loopOf(leaf) != choice.loop) continue;
        ConflictWitness::LoopVariable of{leaf, {}, {}};
        if (choice.first) of.first = numbers.ofRound[static_cast<std::size_t>(*choice.first)];
        if (choice.second) of.second = numbers.ofRound[static_cast<std::size_t>(*choice.second)];
        choice.variables.push_back(of);
      }
    }
  }

  const WitnessQuestion& question_;
  const LinearForms& forms_;
  std::array<AccessOffsets, 2> sides_;
  bool isSameBase_ = true;
  std::vector<Variable> variables_;
  std::array<std::vector<std::size_t>, 2> variableOf_;  // by unknown
  std::array<std::uint32_t, 3> block_{};
  std::vector<WarpOfThreads> warps_;                                            // of the block
  std::array<std::vector<std::pair<std::int64_t, std::uint32_t>>, 2> offsets_;  // and threads
  std::map<LeafId, LoopNumbers> loopNumbers_;                                   // in that block
  std::size_t choices_ = 0;
  std::size_t trials_ = 0;
  std::uint64_t work_;
  std::uint64_t least_ = 0;  // what must be left of it
  ConflictWitness found_;
};

}  // namespace

std::optional<ConflictWitness> findWitness(const WitnessQuestion& question, std::uint64_t* spent) {
  if (question.first->origin == nullptr || question.first->origin != question.second->origin) {
    return std::nullopt;
  }
  WitnessSearch search(question);
  std::optional<ConflictWitness> found = search.run();
  if (spent != nullptr) *spent = question.work - search.workLeft();
  return found;
}

}  // namespace ptxopt::analysis
