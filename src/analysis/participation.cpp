#include "analysis/participation.h"

#include "ir/effect.h"
#include "ir/module.h"

namespace ptxopt::analysis {

namespace {

// Ids that an instruction set with 16 barriers can name.
constexpr std::uint32_t kBarrierCount = 16;

BarrierUse useOf(const ir::Function& function) {
  BarrierUse use;
  for (const ir::Statement& statement : function.body()) {
    const auto* instruction = statement.as<ir::Instruction>();
    if (instruction == nullptr) continue;
    if (const auto barrier = ir::ctaBarrier(*instruction)) {
      use.ids |= barrierIds(*barrier);
      use.hasPartial |= !barrier->isFull();
    } else if (ir::mayBeAnyBarrier(*instruction)) {
      use.mayBeAny = true;
    } else if (ir::effectOf(*instruction) == isa::Effect::Pin) {
      use.hasPin = true;
    }
  }
  return use;
}

// Code that is not in this module, or may be replaced when it is linked (docs/soundness.md A5.2).
constexpr BarrierUse kUnknownUse = {kAllBarrierIds, true, true, true};

}  // namespace

BarrierIds barrierIds(const ir::CtaBarrier& barrier) {
  if (!barrier.id || *barrier.id >= kBarrierCount) return kAllBarrierIds;
  return BarrierIds{1} << *barrier.id;
}

void BarrierUse::merge(const BarrierUse& other) {
  ids |= other.ids;
  mayBeAny |= other.mayBeAny;
  hasPartial |= other.hasPartial;
  hasPin |= other.hasPin;
}

}  // namespace ptxopt::analysis
