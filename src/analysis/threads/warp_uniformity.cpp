// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/threads/warp_uniformity.h"

#include <optional>

#include "analysis/threads/warp_numbers.h"
#include "analysis/values/branch_conditions.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;

class Finder {
 public:
  Finder(const Ssa& ssa, const LinearForms& forms, const IdVector<ValueId, FormId>& formOfValue)
      : ssa_(ssa), forms_(forms), formOfValue_(formOfValue) {}

  Uniformity::InstructionSet run() const {
    Uniformity::InstructionSet found;
    for (std::uint32_t n = 0; n < ssa_.instructions().count(); ++n) {
      const Instruction& instruction = ssa_.instructions()[n];
      if (!instruction.desc->known() || instruction.guard ||
          !ssa_.cfg().isReachable(instruction.block)) {
        continue;
      }
      if (agreesInResults(instruction) || agreesInComparison(instruction)) {
        found.insert(&instruction);
      }
    }
    return found;
  }

 private:
  bool agreesInResults(const Instruction& instruction) const {
    bool hasResult = false;
    bool agrees = true;
    ssa_.forEachDefinition(instruction, [&](ValueId value) {
      hasResult = true;
      agrees &= formOfValue_[value] != FormId::None && isOfWarp(forms_, formOfValue_[value]);
    });
    return hasResult && agrees;
  }

  // One side of a comparison.
  struct Side {
    FormId form = FormId::None;
    std::optional<std::uint64_t> number;
  };
  Side side(const Instruction& setp, std::size_t k) const {
    const Operand* operand = setp.operand(k);
    Side side;
    if (operand->kind == OperandKind::Integer) {
      side.number = static_cast<std::uint64_t>(operand->immediate);
    } else if (operand->kind == OperandKind::Register && operand->component == 0) {
      const FormId form = formOfValue_[ssa_.use(setp, *operand)];
      const auto bits = static_cast<unsigned>(isa::bitWidth(setp.desc->type));
      if (form == FormId::None || forms_.form(form).bits != bits) return side;
      side.form = form;
      if (forms_.form(form).isConstant()) side.number = forms_.form(form).constant;
    }
    return side;
  }

  bool agreesInComparison(const Instruction& instruction) const {
    const std::optional<Comparison> comparison = comparisonOf(*instruction.desc);
    // The predicate that it is combined with may differ between lanes.
    if (!comparison || instruction.operand(3) != nullptr) return false;
    const Side left = side(instruction, 1);
    const Side right = side(instruction, 2);
    const auto isAgreed = [&](const Side& of) {
      return of.number || (of.form != FormId::None && isOfWarp(forms_, of.form));
    };
    if (isAgreed(left) && isAgreed(right)) return true;
    return isBetweenWarps(left, *comparison, right) ||
           isBetweenWarps(right, swapped(*comparison), left);
  }

  // A number whose low bits are those of the lane, compared with a bound between two warps.
  bool isBetweenWarps(const Side& number, Comparison comparison, const Side& bound) const {
    if (number.form == FormId::None || !isOfWarpBeyondLane(forms_, number.form) || !bound.number) {
      return false;
    }
    switch (comparison) {
      case Comparison::Less:
      case Comparison::GreaterEqual:
      case Comparison::UnsignedLess:
      case Comparison::UnsignedGreaterEqual:
        return *bound.number % isa::kWarpSize == 0;
      case Comparison::LessEqual:
      case Comparison::Greater:
      case Comparison::UnsignedLessEqual:
      case Comparison::UnsignedGreater:
        return *bound.number % isa::kWarpSize == isa::kWarpSize - 1;
      default:
        return false;
    }
  }

  const Ssa& ssa_;
  const LinearForms& forms_;
  const IdVector<ValueId, FormId>& formOfValue_;
};

}  // namespace

Uniformity::InstructionSet uniformInWarps(const Ssa& ssa, const LaunchShape& shape,
                                          const LinearForms& forms,
                                          const IdVector<ValueId, FormId>& formOfValue) {
  if (!rowsAreWholeWarps(shape)) return {};
  return Finder(ssa, forms, formOfValue).run();
}

}  // namespace ptxopt::analysis
