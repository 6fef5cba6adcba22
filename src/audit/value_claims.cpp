// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Claims about values: `range` for every integer at its definition, and at a use if a branch above
// it tells more; for the values in addresses and branches also `form`, and `stable` or
// `one-number`.
#include "analysis/addresses/address.h"
#include "analysis/values/value_range.h"
#include "audit/families.h"

namespace ptxopt::audit {

namespace {

using analysis::FormId;
using analysis::LeafId;
using analysis::ValueId;
using analysis::ValueRange;

constexpr std::string_view kRanges = "value-range";
constexpr std::string_view kForms = "value-forms";

facts::Range rangeOf(const ValueRange& range) {
  return {range.bits,          range.lowest, range.highest, range.signedLowest,
          range.signedHighest, range.zeros,  range.ones};
}

bool saysAnything(const ValueRange& range) {
  return range.bits != 0 && range != ValueRange::all(range.bits);
}

class ValueCollector {
 public:
  ValueCollector(const Subject& subject, const analysis::TextPlaces& places, const Forms& forms)
      : subject_(subject),
        places_(places),
        forms_(forms),
        ssa_(places.ssa()),
        addresses_(subject.get<analysis::Addresses>()),
        ranges_(subject.get<analysis::ValueRanges>()) {}

  void run() const {
    for (const ValueId value : ssa_.values()) {
      const std::optional<facts::Value> place = places_.of(value);
      if (!place) continue;
      claimRange(*place, ranges_.of(value));
      if (addresses_.formOf(value) != FormId::None) claimForm(value, *place);
    }
    const analysis::LinearForms& forms = addresses_.forms();
    for (const LeafId leaf : forms.leaves()) claimLeaf(leaf);
    for (std::uint32_t n = 0; n < ssa_.instructions().count(); ++n) {
      const ir::Instruction& instruction = ssa_.instructions()[n];
      if (ssa_.cfg().isReachable(instruction.block)) claimUses(instruction);
    }
  }

 private:
  void claimRange(const facts::Value& place, const ValueRange& range) const {
    if (saysAnything(range)) subject_.claim(kRanges, facts::InRange{place, rangeOf(range)});
  }

  void claimAgreement(const facts::Value& place, bool stable, bool uniform) const {
    if (uniform) {
      subject_.claim(kForms, facts::OneNumber{place});
    } else if (stable) {
      subject_.claim(kForms, facts::Stable{place});
    }
  }

  void claimForm(ValueId value, const facts::Value& place) const {
    const analysis::LinearForms& forms = addresses_.forms();
    const FormId id = addresses_.formOf(value);
    const analysis::LinearForm form = forms.form(id);
    // Its range already says so.
    if (form.isConstant() && ranges_.of(value).isConstant()) return;
    claimAgreement(place, forms.isStable(id), forms.isUniform(id));
    claimAlternatives(form, place);
    if (forms_.isItself(value)) return;
    std::optional<facts::Form> expressed = forms_.at(places_.pointOf(value), id);
    if (!expressed) return;
    // The form is the value itself, the representative of an operation.
    const bool isOwn = expressed->constant == 0 && expressed->terms.size() == 1 &&
                       expressed->terms[0].coefficient == 1 &&
                       expressed->terms[0].leaf.kind == facts::Leaf::Kind::Value &&
                       expressed->terms[0].leaf.value == place;
    if (!isOwn) subject_.claim(kForms, facts::EqualsForm{place, std::move(*expressed)});
  }

  // The value is one of several numbers.
  void claimAlternatives(const analysis::LinearForm& form, const facts::Value& place) const {
    const analysis::LinearForms& forms = addresses_.forms();
    if (form.constant != 0 || form.terms.size() != 1 || form.terms[0].coefficient != 1) return;
    const auto* alternatives = forms.alternatives(form.terms[0].leaf);
    if (alternatives == nullptr || forms.leaf(form.terms[0].leaf).key.bits != form.bits) return;
    std::optional<ValueRange> all;
    for (const FormId id : alternatives->forms) {
      const analysis::LinearForm one = forms.form(id);
      if (!one.isConstant() || one.bits != form.bits) return;
      const ValueRange number = ValueRange::of(one.constant, one.bits);
      all = all ? join(*all, number) : number;
    }
    if (all) claimRange(place, *all);
  }

  // Claims the agreement of a leaf that is not a value by itself, but occurs in other values.
  void claimLeaf(LeafId id) const {
    const analysis::Leaf& leaf = addresses_.forms().leaf(id);
    if (!leaf.stable && !leaf.uniform) return;
    for (const ValueId value : forms_.valuesOf(id)) {
      const std::optional<facts::Value> place = places_.of(value);
      const bool isSaid = leaf.key.kind != analysis::LeafKind::Value || forms_.isItself(value);
      if (place && !isSaid) claimAgreement(*place, leaf.stable, leaf.uniform);
    }
  }

  void claimUses(const ir::Instruction& instruction) const {
    std::vector<ir::RegisterId> seen;
    ssa_.forEachUse(instruction, [&](ValueId value) {
      if (value == ValueId::None || ssa_.isCarry(value) || ranges_.of(value).bits == 0) return;
      if (std::ranges::find(seen, ssa_.reg(value)) != seen.end()) return;
      seen.push_back(ssa_.reg(value));
      const ValueRange here = ranges_.at(value, instruction.block);
      if (here == ranges_.of(value)) return;
      claimRange(analysis::TextPlaces::before(instruction, ssa_.reg(value)), here);
    });
  }

  const Subject& subject_;
  const analysis::TextPlaces& places_;
  const Forms& forms_;
  const analysis::Ssa& ssa_;
  const analysis::Addresses& addresses_;
  const analysis::ValueRanges& ranges_;
};

}  // namespace

void collectValues(const Subject& subject, const analysis::TextPlaces& places, const Forms& forms) {
  ValueCollector(subject, places, forms).run();
}

}  // namespace ptxopt::audit
