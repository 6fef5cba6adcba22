// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multicast objects: one address for the same bytes on several simulated devices (PTX ISA 8.2.3),
// and what multimem instructions compute (9.7.10.15).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interp/arithmetic/small_float.h"
#include "isa/isa.h"

namespace ptxopt::interp {

enum class AtomicOperation : std::uint8_t;

// A multicast object as an argument describes it: a buffer for each device.
struct MulticastText {
  struct Member {
    std::string buffer;
    std::uint64_t addend = 0;  // bytes from its start on
  };
  std::vector<Member> members;
};
// "&a,&b+64": what follows "multicast:".  `problem` is set where the text is something else.
std::optional<MulticastText> parseMulticast(std::string_view text, std::string& problem);

struct MulticastObject {
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> replicas;  // the address on each device, in the order of the text
};
// By the first address, which no memory has.
using MulticastTable = std::map<std::uint64_t, MulticastObject>;
// Below all windows, above all memory of a launch.
inline constexpr std::uint64_t kMulticastBase = 0x600000000000;
inline constexpr std::uint64_t kMulticastStep = std::uint64_t{1} << 31;  // no buffer is larger

// The address of the bytes on each device; none: they do not lie in a multicast object.
std::vector<std::uint64_t> replicasOf(const MulticastTable& table, std::uint64_t address,
                                      std::uint64_t size);

// How multimem.ld_reduce combines the replicas of a register.
struct ReplicaReduction {
  AtomicOperation operation{};
  isa::Type type = isa::Type::None;  // of the register
  std::optional<SmallFormat> small;  // the register holds as many numbers of 8 bits as fit
  bool isWide = false;               // sums are kept in the next larger format (.acc)
};
// In the order of the devices: each step rounds to nearest even, to the type itself or, if
// `isWide`, to f32 (of f16 and bf16) or f16 (of 8 bits).  Sums of 8 bits saturate.  None for a
// combination that PTX does not have.
std::optional<std::uint64_t> reduceReplicas(const ReplicaReduction& reduction,
                                            std::span<const std::uint64_t> replicas);

}  // namespace ptxopt::interp
