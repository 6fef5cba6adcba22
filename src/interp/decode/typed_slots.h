// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Typed access to the slots of a frame.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "interp/program.h"

namespace ptxopt::interp {

// T: an integer of any width, float, double, or bool for predicates.
template <class T>
T get(Frame frame, std::uint32_t slot) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(frame[slot]));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(frame[slot]);
  } else if constexpr (std::is_same_v<T, bool>) {
    return frame[slot] != 0;
  } else {
    return static_cast<T>(frame[slot]);
  }
}

template <class T>
void put(Frame frame, std::uint32_t slot, T value) {
  if constexpr (std::is_same_v<T, float>) {
    frame[slot] = std::bit_cast<std::uint32_t>(value);
  } else if constexpr (std::is_same_v<T, double>) {
    frame[slot] = std::bit_cast<std::uint64_t>(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    frame[slot] = value ? 1 : 0;
  } else {
    frame[slot] = static_cast<std::make_unsigned_t<T>>(value);
  }
}

// Calls choose.operator()<T>() with the C++ type of an integer type of PTX; null for other types.
template <class Choose>
Compute forInteger(isa::Type type, Choose choose) {
  switch (type) {
    case isa::Type::B8:
    case isa::Type::U8:
      return choose.template operator()<std::uint8_t>();
    case isa::Type::B16:
    case isa::Type::U16:
      return choose.template operator()<std::uint16_t>();
    case isa::Type::B32:
    case isa::Type::U32:
      return choose.template operator()<std::uint32_t>();
    case isa::Type::B64:
    case isa::Type::U64:
      return choose.template operator()<std::uint64_t>();
    case isa::Type::S8:
      return choose.template operator()<std::int8_t>();
    case isa::Type::S16:
      return choose.template operator()<std::int16_t>();
    case isa::Type::S32:
      return choose.template operator()<std::int32_t>();
    case isa::Type::S64:
      return choose.template operator()<std::int64_t>();
    default:
      return nullptr;
  }
}
// The same with the unsigned type of that width, for instructions on bits.
template <class Choose>
Compute forBits(isa::Type type, Choose choose) {
  switch (isa::bitWidth(type)) {
    case 8:
      return choose.template operator()<std::uint8_t>();
    case 16:
      return choose.template operator()<std::uint16_t>();
    case 32:
      return choose.template operator()<std::uint32_t>();
    case 64:
      return choose.template operator()<std::uint64_t>();
    default:
      return nullptr;
  }
}

}  // namespace ptxopt::interp
