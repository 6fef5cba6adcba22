// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/memory.h"

#include "interp/image.h"

namespace ptxopt::interp {

Segment& GlobalMemory::place(std::string name, std::uint64_t base, std::vector<std::uint8_t> bytes,
                             bool isReadOnly) {
  Segment& segment = segments_.emplace_back();
  segment.name = std::move(name);
  segment.base = base;
  segment.bytes = std::move(bytes);
  segment.isReadOnly = isReadOnly;
  byBase_[base] = &segment;
  return segment;
}

Segment& GlobalMemory::allocate(std::string name, std::uint64_t size) {
  constexpr std::uint64_t kAlignment = 256;
  constexpr std::uint64_t kGap = 4096;
  const std::uint64_t base = alignUp(next_, kAlignment);
  next_ = base + size + kGap;
  return place(std::move(name), base, std::vector<std::uint8_t>(size), false);
}

Segment* GlobalMemory::find(std::uint64_t address, std::uint64_t size, Segment*& last) const {
  if (last != nullptr && last->contains(address, size)) return last;
  auto above = byBase_.upper_bound(address);
  if (above == byBase_.begin()) return nullptr;
  Segment* found = std::prev(above)->second;
  if (!found->isLive || !found->contains(address, size)) return nullptr;
  return last = found;
}

const Segment* GlobalMemory::nearest(std::uint64_t address) const {
  const auto above = byBase_.upper_bound(address);
  return above == byBase_.begin() ? nullptr : std::prev(above)->second;
}

}  // namespace ptxopt::interp
