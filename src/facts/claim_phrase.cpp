// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "facts/claim_phrase.h"

#include "facts/claim_fields.h"
#include "support/hexadecimal.h"

namespace ptxopt::facts {

namespace {

std::string spelled(Comparison comparison) {
  static constexpr std::string_view kWords[] = {"equal to",
                                                "not equal to",
                                                "less than",
                                                "at most",
                                                "greater than",
                                                "at least",
                                                "less than (unsigned)",
                                                "at most (unsigned)",
                                                "greater than (unsigned)",
                                                "at least (unsigned)"};
  return std::string(kWords[static_cast<std::size_t>(comparison)]);
}

std::string spelled(Threads threads) {
  static constexpr std::string_view kWords[] = {"by one thread", "by two threads of a CTA",
                                                "by threads of two warps", "in one CTA"};
  return std::string(kWords[static_cast<std::size_t>(threads)]);
}

class Phrases {
 public:
  Phrases(const ir::Module& module, const Claim& claim)
      : module_(module), function_(findFunction(module, claim.function)) {}

  std::string of(const Uniform& claim) const {
    return of(claim.value) + " is the same in all threads of a CTA, visit by visit";
  }
  std::string of(const WarpUniform& claim) const {
    return of(claim.value) + " is the same in all threads of a warp, visit by visit";
  }
  std::string of(const Stable& claim) const {
    return of(claim.value) + " is one number in each thread";
  }
  std::string of(const OneNumber& claim) const {
    return of(claim.value) + " is one number in all threads of a CTA";
  }
  std::string of(const InRange& claim) const {
    const Range& range = claim.range;
    std::string text = of(claim.value) + " is in " + std::to_string(range.lowest) + " .. " +
                       std::to_string(range.highest) + ", signed in " +
                       std::to_string(range.signedLowest) + " .. " +
                       std::to_string(range.signedHighest);
    if (range.zeros != 0) text += ", bits " + hexadecimal(range.zeros) + " 0";
    if (range.ones != 0) text += ", bits " + hexadecimal(range.ones) + " 1";
    return text;
  }
  std::string of(const EqualsForm& claim) const {
    return of(claim.value) + " is " + of(claim.form);
  }
  std::string of(const EqualsValue& claim) const {
    std::string text = of(claim.value) + " is " + of(claim.other);
    if (claim.plus != 0) text += " + " + std::to_string(claim.plus);
    return text + " (" + std::to_string(claim.bits) + " bits)";
  }
  std::string of(const DeadValue& claim) const {
    return "nothing that counts reads " + of(claim.value);
  }
  std::string of(const PointsTo& claim) const {
    std::string text = of(claim.address) + " points into ";
    for (std::size_t k = 0; k < claim.bases.size(); ++k) {
      text += (k == 0 ? "" : " or ") + of(claim.bases[k]);
    }
    return text + of(claim.bytes, ", bytes ");
  }
  std::string of(const Disjoint& claim) const {
    return of(claim.address) + " and " + of(claim.other) + " touch no common byte " +
           spelled(claim.threads);
  }
  std::string of(const DeadStore& claim) const {
    return "nobody reads what the store at " + at(claim.at) + " writes";
  }
  std::string of(const Unread& claim) const { return "nothing reads " + name(claim.symbol); }
  std::string of(const OwnBytes& claim) const {
    return "no two threads of a CTA touch a common byte of " + name(claim.symbol);
  }
  std::string of(const NeverTaken& claim) const {
    return "control never follows " + of(claim.edge);
  }
  std::string of(const NeverFollows& claim) const {
    return "control never follows " + of(claim.next) + " right after " + of(claim.edge);
  }
  std::string of(const Together& claim) const {
    return "all threads of a CTA come to " + at(claim.at) + " together";
  }
  std::string of(const AllExecute& claim) const {
    return "all threads of a CTA come to " + at(claim.at);
  }
  std::string of(const FormInBounds& claim) const {
    return of(claim.form) + of(claim.bounds, " is in ") + " where " + at(claim.at) + " is executed";
  }
  std::string of(const FormsCompare& claim) const {
    return of(claim.left) + " is " + spelled(claim.comparison) + " " + of(claim.right) + " where " +
           at(claim.at) + " is executed";
  }
  std::string of(const Leader& claim) const {
    return "one thread of each warp, that of mask " + hexadecimal(claim.mask) +
           ", alone executes " + at(claim.at);
  }
  std::string of(const PureFunction&) const {
    return "'" + (function_ != nullptr ? std::string(function_->nameText()) : "?") + "' is pure";
  }
  std::string of(const Barrier& claim) const {
    return "the barrier at " + at(claim.at) + (claim.isGone ? " can go" : " stays") +
           (claim.isSeparator ? " and separates" : "");
  }

  std::string of(const Form& form) const {
    return sum(form) + " (" + std::to_string(form.bits) + " bits)";
  }

 private:
  std::string at(Place place) const {
    const LineColumn found = module_.source().lineColumn(place);
    return std::to_string(found.line) + ":" + std::to_string(found.column);
  }
  std::string name(ir::SymbolId symbol) const {
    if (function_ == nullptr) return "?";
    return "'" + std::string(module_.text(function_->symbolAt(symbol).name)) + "'";
  }
  std::string of(const Value& value) const {
    std::string text = function_ != nullptr ? function_->registerName(value.reg) : "?";
    if (value.component != 0) text += "." + std::string(1, "xyzw"[(value.component - 1) % 4]);
    return text + " " + std::string(word(value.moment)) + " " + at(value.at);
  }
  std::string of(const Edge& edge) const {
    if (edge.target == Edge::kThrough) return "the path through " + at(edge.at);
    return "the edge from " + at(edge.at) + " to target " + std::to_string(edge.target);
  }
  std::string of(const AddressOperand& address) const {
    return "address " + std::to_string(address.number) + " of " + at(address.at);
  }
  std::string of(const Base& base) const {
    switch (base.kind) {
      case Base::Kind::Unknown: {
        std::string text;
        for (const isa::Space space : base.spaces) {
          text += (text.empty() ? "" : " or ") + std::string(isa::spelling(space));
        }
        return text;
      }
      case Base::Kind::Variable:
        return name(base.symbol);
      case Base::Kind::DynamicShared:
        return "dynamic shared memory";
      case Base::Kind::Parameter:
        return "what the pointer in " + name(base.symbol) + " + " + std::to_string(base.offset) +
               " points to";
    }
    return "?";
  }
  static std::string of(const Bounds& bounds, const std::string& before) {
    if (bounds == Bounds{}) return {};
    const std::string low = bounds.lowest == INT64_MIN ? "" : std::to_string(bounds.lowest) + " ";
    const std::string high =
        bounds.highest == INT64_MAX ? "" : " " + std::to_string(bounds.highest);
    return before + low + ".." + high;
  }

  std::string sum(const Form& form) const {
    std::string text;
    for (const Term& term : form.terms) {
      if (!text.empty()) text += " + ";
      if (term.coefficient != 1) text += number(term.coefficient, form.bits) + " * ";
      text += of(term.leaf);
    }
    if (form.constant == 0 && !text.empty()) return text;
    return text + (text.empty() ? "" : " + ") + number(form.constant, form.bits);
  }
  static std::string number(std::uint64_t value, unsigned bits) {
    const unsigned spare = 64 - bits;
    return std::to_string(static_cast<std::int64_t>(value << spare) >> spare);
  }
  std::string of(const Leaf& leaf) const {
    switch (leaf.kind) {
      case Leaf::Kind::Value:
        return "(" + of(leaf.value) + ")";
      case Leaf::Kind::Special: {
        const isa::SpecialRegister& row = isa::specialRegisters()[leaf.special];
        return std::string(row.name) +
               (row.isVector ? "." + std::string(1, "xyzw"[leaf.component]) : "");
      }
      case Leaf::Kind::Parameter:
        return name(leaf.symbol) +
               (leaf.offset != 0 ? "[" + std::to_string(leaf.offset) + "]" : "");
      case Leaf::Kind::Symbol:
        return "&" + name(leaf.symbol);
      case Leaf::Kind::Window:
        return "window(" + std::string(isa::spelling(leaf.space)) + ")";
      case Leaf::Kind::Rounds:
        return "rounds(" + at(leaf.header) + ")";
      case Leaf::Kind::Product:
        return list(leaf, " * ");
      case Leaf::Kind::ZeroExtended:
        return "zext" + list(leaf, "");
      case Leaf::Kind::SignExtended:
        return "sext" + list(leaf, "");
    }
    return "?";
  }
  std::string list(const Leaf& leaf, const std::string& between) const {
    std::string text = "(";
    for (std::size_t k = 0; k < leaf.factors.size(); ++k) {
      text += (k == 0 ? "" : between) + sum(leaf.factors[k]);
    }
    return text + ")";
  }

  const ir::Module& module_;
  const ir::Function* function_;
};

}  // namespace

std::string phrase(const ir::Module& module, const Claim& claim) {
  const Phrases phrases(module, claim);
  return "'" + claim.by + "' claims that " +
         std::visit([&](const auto& what) { return phrases.of(what); }, claim.what);
}

}  // namespace ptxopt::facts
