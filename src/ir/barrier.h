// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CTA barriers: which barrier an instruction uses and which threads take part, by its operands.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/statement.h"

namespace ptxopt::ir {

// The number of barriers of a CTA.
inline constexpr std::uint32_t kCtaBarriers = 16;

struct CtaBarrier {
  enum class Kind : std::uint8_t { Sync, Arrive, Reduce };
  Kind kind = Kind::Sync;
  std::optional<std::uint32_t> id;        // none: in a register
  std::uint32_t ids = ~std::uint32_t{0};  // a bit for each id that is possible; all if one is none
  bool hasCount = false;
  std::optional<std::uint32_t> count;  // the number of threads, if it is a constant

  // All threads of the CTA that have not exited take part (docs/soundness/README.md, terms).
  bool isFull() const { return kind != Kind::Arrive && !hasCount && id.has_value(); }
};

// For an instruction that is known to be a CTA barrier.
CtaBarrier operandsOfCtaBarrier(const Instruction& instruction);

// For `bar` and `barrier`, but not `bar.warp` and `barrier.cluster`.  None for any other
// instruction, even if mayBeAnyBarrier().
inline std::optional<CtaBarrier> ctaBarrier(const Instruction& instruction) {
  const isa::InstructionDesc& desc = *instruction.desc;
  const bool isOne = desc.effect == isa::Effect::CtaBarrier && desc.known();
  return isOne ? std::optional(operandsOfCtaBarrier(instruction)) : std::nullopt;
}

// docs/soundness/ A7.2: an unknown opcode, or an unknown form of a barrier or control opcode.
inline bool mayBeAnyBarrier(const Instruction& instruction) {
  return instruction.desc->effect == isa::Effect::Unknown;
}

}  // namespace ptxopt::ir
