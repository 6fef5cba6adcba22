// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves between slots, and address arithmetic between state spaces (PTX ISA 9.7.10).
#include "interp/arithmetic/conversion.h"
#include "interp/decode/bind.h"
#include "interp/decode/typed_slots.h"

namespace ptxopt::interp {

using isa::Opcode;
using isa::Space;

std::uint64_t windowOf(Space space, const Windows& windows) {
  switch (space) {
    case Space::Shared:
    case Space::SharedCluster:
      return windows.shared;
    case Space::Local:
      return windows.local;
    case Space::Param:
    case Space::ParamEntry:
      return windows.parameter;
    default:
      return 0;
  }
}

Compute copySlot() {
  return [](Frame r, const Op& o) { r[o.d] = r[o.a]; };
}
Compute negatePredicate() {
  return [](Frame r, const Op& o) { r[o.d] = r[o.a] ^ 1; };
}
Compute extractBits() {
  return [](Frame r, const Op& o) { r[o.d] = truncated(r[o.a] >> o.immediate, o.width); };
}
Compute insertBits() {
  return [](Frame r, const Op& o) { r[o.d] |= truncated(r[o.a], o.width) << o.immediate; };
}
Compute invertBits() {
  return [](Frame r, const Op& o) { r[o.d] ^= static_cast<Slot>(o.immediate); };
}
Compute clearSlot() {
  return [](Frame r, const Op& o) { r[o.d] = 0; };
}

Compute bindAddress(const isa::InstructionDesc& desc, Op& op, const Windows& windows) {
  op.immediate = static_cast<std::int64_t>(windowOf(desc.space, windows));
  op.width = static_cast<std::uint8_t>(isa::bitWidth(op.type));
  switch (desc.opcode) {
    case Opcode::Cvta:
      if (desc.has(".to")) op.immediate = -op.immediate;
      return [](Frame r, const Op& o) {
        r[o.d] = truncated(r[o.a] + static_cast<Slot>(o.immediate), o.width);
      };
    case Opcode::Isspacep:
      // A generic address below every window is global.
      if (desc.space == Space::Const) return nullptr;
      op.detail = op.immediate == 0 ? 1 : 0;
      if (op.detail != 0) op.immediate = static_cast<std::int64_t>(windows.parameter);
      return [](Frame r, const Op& o) {
        const Slot base = static_cast<Slot>(o.immediate);
        constexpr Slot kWindow = Slot{1} << 28;
        put(r, o.d, o.detail != 0 ? r[o.a] < base : r[o.a] - base < kWindow);
      };
    case Opcode::Mapa:
      // Keeps the window of a generic address; the rank is in bits 24 and up.
      return [](Frame r, const Op& o) {
        constexpr Slot kOffset = (Slot{1} << kRankShift) - 1;
        constexpr Slot kRank = Slot{0xf} << kRankShift;
        r[o.d] =
            (r[o.a] & ~(kOffset | kRank)) | (r[o.a] & kOffset) | (r[o.b] << kRankShift & kRank);
      };
    case Opcode::Getctarank:
      return [](Frame r, const Op& o) { r[o.d] = r[o.a] >> kRankShift & 0xf; };
    default:
      return nullptr;
  }
}

}  // namespace ptxopt::interp
