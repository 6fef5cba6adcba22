// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CTA barriers as their operands make them: which barrier, and who takes part.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/statement.h"

namespace ptxopt::ir {

struct CtaBarrier {
  enum class Kind : std::uint8_t { Sync, Arrive, Reduce };
  Kind kind = Kind::Sync;
  std::optional<std::uint32_t> id;  // none: in a register, so it may be any
  bool hasCount = false;
  std::optional<std::uint32_t> count;  // of threads, if it is a number

  // All threads of the CTA that have not exited take part (docs/soundness/README.md, terms).
  bool isFull() const { return kind != Kind::Arrive && !hasCount && id.has_value(); }
};

// Of an instruction of which it is known that it is one.
CtaBarrier operandsOfCtaBarrier(const Instruction& instruction);

// Of `bar` and `barrier`, but not of `bar.warp` and `barrier.cluster`; none for any other
// instruction, also for one that mayBeAnyBarrier().
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
