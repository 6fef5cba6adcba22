// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "async_plan.h"

namespace ptxopt::fuzz::async {

bool Who::has(std::uint32_t thread, std::uint32_t elected) const {
  const std::uint32_t warp = thread / kWarp;
  switch (kind) {
    case Kind::All:
      return true;
    case Kind::Thread:
      return thread == first;
    case Kind::Warps:
      return first <= warp && warp < last;
    case Kind::FirstLanes:
      return first <= warp && warp < last && thread % kWarp == 0;
    case Kind::Below:
      return thread < first;
    case Kind::Elected:
      return thread == first * kWarp + elected;
  }
  return false;
}

Who all() {
  return {};
}
Who thread(std::uint32_t number) {
  return {Who::Kind::Thread, number, 0};
}
Who warps(std::uint32_t first, std::uint32_t last) {
  return {Who::Kind::Warps, first, last};
}

std::uint32_t Address::of(std::uint32_t thread, std::uint32_t threads, std::uint32_t round) const {
  const std::uint32_t lane = thread % kWarp;
  const std::uint32_t start = offset + stageBytes * (round % stages);
  switch (form) {
    case Form::Uniform:
      return start;
    case Form::Own:
      return start + pitch * thread;
    case Form::Reverse:
      return start + pitch * (threads - 1 - thread);
    case Form::Rotate:
      return start + pitch * ((thread + by) % threads);
    case Form::InWarp:
      return start + pitch * (thread - lane + (lane + by) % kWarp);
    case Form::Lane:
      return start + pitch * lane;
    case Form::Swizzle:
      return start + ((16 * thread) ^ (16 * (thread / 8 % 8)));
  }
  return start;
}

}  // namespace ptxopt::fuzz::async
