// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/addresses/offset_classes.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "support/hash_index.h"
#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;
using isa::Opcode;

void normalise(OffsetClasses::Sum& sum) {
  std::ranges::sort(sum.terms, {}, &Term::leaf);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < sum.terms.size();) {
    Term term = sum.terms[k];
    for (++k; k < sum.terms.size() && sum.terms[k].leaf == term.leaf; ++k) {
      term.coefficient += sum.terms[k].coefficient;
    }
    term.coefficient = residue(term.coefficient, sum.bits);
    if (term.coefficient != 0) sum.terms[kept++] = term;
  }
  sum.terms.resize(kept);
  sum.constant = residue(sum.constant, sum.bits);
}

}  // namespace

void OffsetClasses::setSum(Sum& sum, FormId id) const {
  const LinearForm form = forms_.form(id);
  sum.bits = form.bits;
  sum.constant = form.constant;
  sum.terms.assign(form.terms.begin(), form.terms.end());
  if (places_.empty()) return;
  bool isChanged = false;
  for (Term& term : sum.terms) {
    const auto at = places_.find(term.leaf);
    if (at == places_.end() || at->second.first == term.leaf) continue;
    if (forms_.leaf(term.leaf).key.bits < form.bits) continue;
    sum.constant += term.coefficient * at->second.offset;
    term.leaf = at->second.first;
    isChanged = true;
  }
  if (isChanged) normalise(sum);
}

class OffsetClasses::Finder {
 public:
  Finder(OffsetClasses& out, const Addresses& addresses)
      : out_(out), addresses_(addresses), ssa_(addresses.ssa()), forms_(addresses.forms()) {}

  void run() {
    collect();
    bool isChanged = !candidates_.empty();
    for (std::size_t round = 0; isChanged; ++round) {
      if (reaches(round, Limit::OffsetRounds)) {
        out_.places_.clear();
        out_.isCapMet_ = true;
        return;
      }
      isChanged = refine();
    }
  }

 private:
  // Two values with the same words differ by the difference of their `base`.
  struct Key {
    std::vector<std::uint64_t> words;
    std::uint64_t base = 0;
    bool isOpen = true;  // no class of its parts is known yet
  };
  struct Candidate {
    ValueId value = ValueId::None;
    LeafId leaf = LeafId::None;
  };
  struct WordsHash {
    std::size_t operator()(const std::vector<std::uint64_t>& words) const {
      std::uint64_t hash = words.size();
      for (const std::uint64_t word : words) hash = mixedHash(hash, word);
      return hash;
    }
  };

  // Values that cannot be compared with any other remain classes of their own.
  void collect() {
    std::vector<Candidate> ofBlock;
    BlockId block = BlockId::None;
    const auto flush = [&] {
      if (ofBlock.size() > 1) candidates_.insert(candidates_.end(), ofBlock.begin(), ofBlock.end());
      ofBlock.clear();
    };
    for (const ValueId v : ssa_.values()) {
      const LeafId leaf = leafOf(v);
      if (leaf == LeafId::None) continue;
      if (ssa_.isPhi(v)) {
        if (ssa_.block(v) != block) flush();
        block = ssa_.block(v);
        ofBlock.push_back({v, leaf});
      } else if (ssa_.old(v) != ValueId::None) {
        flush();
        candidates_.push_back({v, leaf});
      }
    }
    flush();
    std::ranges::sort(candidates_, {}, &Candidate::value);
    // Initially nothing is known.
    for (const Candidate& candidate : candidates_) out_.places_[candidate.leaf] = {};
  }

  // The leaf, if the form of the value is a single leaf.
  LeafId leafOf(ValueId v) const {
    const FormId id = addresses_.formOf(v);
    if (id == FormId::None) return LeafId::None;
    const LinearForm form = forms_.form(id);
    if (form.bits < 32 || form.constant != 0 || form.terms.size() != 1) return LeafId::None;
    const LeafKey& key = forms_.leaf(form.terms[0].leaf).key;
    const bool isItself = form.terms[0].coefficient == 1 && key.kind == LeafKind::Value &&
                          key.id == indexOf(v) && key.bits == form.bits;
    return isItself ? form.terms[0].leaf : LeafId::None;
  }

  // True if some class differs from that of the previous iteration.
  bool refine() {
    std::unordered_map<std::vector<std::uint64_t>, Place, WordsHash> first;
    bool isChanged = false;
    for (const Candidate& candidate : candidates_) {
      Place place{candidate.leaf, 0};
      if (std::optional<Key> key = keyOf(candidate.value)) {
        // It will be known in the next iteration: on one incoming edge, some operand is already
        // known.
        if (key->isOpen) {
          isChanged = true;
          continue;
        }
        const auto [at, isNew] =
            first.try_emplace(std::move(key->words), Place{candidate.leaf, key->base});
        place = {at->second.first,
                 residue(key->base - at->second.offset, forms_.leaf(candidate.leaf).key.bits)};
      }
      Place& old = out_.places_[candidate.leaf];
      isChanged |= old != place;
      old = place;
    }
    return isChanged;
  }

  std::optional<Key> keyOf(ValueId v) const {
    return ssa_.isPhi(v) ? keyOfPhi(v) : keyOfGuarded(v);
  }

  std::optional<Key> keyOfPhi(ValueId phi) const {
    const unsigned bits = forms_.form(addresses_.formOf(phi)).bits;
    Key key{{indexOf(ssa_.block(phi)), bits}};
    for (const ValueId operand : ssa_.phiOperands(phi)) {
      // An edge that is never taken.
      if (operand == ValueId::None) continue;
      const FormId form = addresses_.formOf(operand);
      if (form == FormId::None || forms_.form(form).bits != bits || !add(key, form)) {
        return std::nullopt;
      }
    }
    return key;
  }

  // For a value written under a guard: the new value, and the previous one.
  std::optional<Key> keyOfGuarded(ValueId v) const {
    const Instruction& instruction = ssa_.instruction(v);
    const FormId before = addresses_.formOf(ssa_.old(v));
    const unsigned bits = forms_.form(addresses_.formOf(v)).bits;
    if (!instruction.guard || before == FormId::None || forms_.form(before).bits != bits) {
      return std::nullopt;
    }
    const ValueId guard = ssa_.guard(instruction);
    if (guard == ValueId::None || ssa_.kind(guard) == Ssa::Kind::Entry) return std::nullopt;
    constexpr std::uint64_t kGuarded = std::uint64_t{1} << 32;
    Key key{{indexOf(guard), kGuarded | std::uint64_t{instruction.guard.negated()} << 8 | bits}};
    if (!add(key, before)) return std::nullopt;
    std::optional<Sum> result = resultOf(instruction, bits);
    if (!result || !add(key, *std::move(result))) return std::nullopt;
    return key;
  }

  // The result of add, sub and mov.
  std::optional<Sum> resultOf(const Instruction& instruction, unsigned bits) const {
    const isa::InstructionDesc& desc = *instruction.desc;
    const auto operands = instruction.operands();
    const bool isSum = desc.opcode == Opcode::Add || desc.opcode == Opcode::Sub;
    if ((!isSum && desc.opcode != Opcode::Mov) || !desc.known() || desc.qualifiers.size() != 1 ||
        isa::isFloat(desc.type) || static_cast<unsigned>(isa::bitWidth(desc.type)) != bits ||
        operands.size() != (isSum ? 3 : 2)) {
      return std::nullopt;
    }
    Sum sum{static_cast<std::uint8_t>(bits), 0, {}};
    for (std::size_t k = 1; k < operands.size(); ++k) {
      const std::uint64_t sign =
          k == 2 && desc.opcode == Opcode::Sub ? ~std::uint64_t{0} : std::uint64_t{1};
      const Operand& operand = operands[k];
      if (operand.kind == OperandKind::Integer) {
        sum.constant += sign * static_cast<std::uint64_t>(operand.immediate);
        continue;
      }
      if (operand.kind != OperandKind::Register || operand.component != 0 || operand.negated) {
        return std::nullopt;
      }
      const ValueId source = ssa_.use(instruction, operand);
      const FormId known = source == ValueId::None ? FormId::None : addresses_.formOf(source);
      if (known == FormId::None || forms_.form(known).bits != bits || !isDefined(known)) {
        return std::nullopt;
      }
      const Sum part = out_.sum(known);
      sum.constant += sign * part.constant;
      for (const Term& term : part.terms) {
        sum.terms.push_back({term.leaf, sign * term.coefficient});
      }
    }
    normalise(sum);
    return sum;
  }

  // An undefined value may differ at each read.
  bool isDefined(FormId id) const {
    return std::ranges::none_of(forms_.form(id).terms, [&](const Term& term) {
      const LeafKey& key = forms_.leaf(term.leaf).key;
      return key.kind == LeafKind::Value && ssa_.kind(ValueId{key.id}) == Ssa::Kind::Entry;
    });
  }

  bool add(Key& key, FormId form) const { return isDefined(form) && add(key, out_.sum(form)); }

  // In the first iteration a leaf may not have a class yet; then it may be anything.
  bool add(Key& key, Sum sum) const {
    const auto isOpen = [](const Term& term) { return term.leaf == LeafId::None; };
    if (std::ranges::any_of(sum.terms, isOpen)) {
      key.words.push_back(~std::uint64_t{0});
      return true;
    }
    if (key.isOpen) key.base = sum.constant;
    key.isOpen = false;
    key.words.push_back(sum.terms.size());
    key.words.push_back(residue(sum.constant - key.base, sum.bits));
    for (const Term& term : sum.terms) {
      key.words.push_back(indexOf(term.leaf));
      key.words.push_back(term.coefficient);
    }
    return true;
  }

  OffsetClasses& out_;
  const Addresses& addresses_;
  const Ssa& ssa_;
  const LinearForms& forms_;
  std::vector<Candidate> candidates_;
};

OffsetClasses::OffsetClasses(const Addresses& addresses) : forms_(addresses.forms()) {
  Finder(*this, addresses).run();
}

}  // namespace ptxopt::analysis
