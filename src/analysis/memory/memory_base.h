// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// State spaces and objects that addresses point into.
#pragma once

#include <cstdint>

#include "ir/function.h"
#include "isa/isa.h"
#include "support/limits.h"
#include "support/short_list.h"

namespace ptxopt::analysis {

// A set of state spaces: a generic access may go to several.  The cluster window includes the
// shared memory of the CTA itself, so a set with .shared::cluster also has .shared (docs/soundness/
// C3.8).
class Spaces {
 public:
  constexpr Spaces() = default;
  constexpr Spaces(isa::Space space)  // NOLINT: a space is the set of itself
      : bits_(bit(space) | (space == isa::Space::SharedCluster ? bit(isa::Space::Shared) : 0)) {}
  // The spaces that a generic address can point to.
  static constexpr Spaces generic() {
    return Spaces(isa::Space::SharedCluster) | isa::Space::Global | isa::Space::Local |
           isa::Space::Const | isa::Space::Param;
  }

  constexpr bool contains(isa::Space space) const { return intersects(space); }
  constexpr bool isOnly(isa::Space space) const { return *this == Spaces(space); }
  constexpr bool intersects(Spaces other) const { return (bits_ & other.bits_) != 0; }
  constexpr Spaces without(Spaces other) const {
    Spaces rest;
    rest.bits_ = bits_ & ~other.bits_;
    return rest;
  }
  constexpr bool isEmpty() const { return bits_ == 0; }
  friend constexpr Spaces operator|(Spaces a, Spaces b) {
    a.bits_ |= b.bits_;
    return a;
  }
  friend constexpr bool operator==(Spaces, Spaces) = default;

 private:
  static constexpr std::uint32_t bit(isa::Space space) {
    return 1u << static_cast<unsigned>(space);
  }
  std::uint32_t bits_ = 0;
};

// The object that an address points into.
struct MemoryBase {
  enum class Kind : std::uint8_t {
    Unknown,        // anything in `spaces`
    Variable,       // `variable`
    DynamicShared,  // the shared memory after the static objects: every unsized .extern (C3.3.8)
    Parameter,  // the memory that the pointer in the entry parameter `variable` points to (C3.4)
  };
  Kind kind = Kind::Unknown;
  Spaces spaces;
  // For DynamicShared: the name that the address uses.  Different names do not mean different
  // objects.
  const ir::Variable* variable = nullptr;
  std::uint32_t offset = 0;  // of the pointer in a Parameter
  friend bool operator==(const MemoryBase&, const MemoryBase&) = default;
};

using MemoryBases = ShortList<MemoryBase, most(Limit::MemoryBases)>;

}  // namespace ptxopt::analysis
