// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/tensor_memory.h"

#include <algorithm>
#include <bit>

#include "interp/arithmetic/floating.h"

namespace ptxopt::interp {

namespace {

constexpr std::uint64_t kBytes =
    std::uint64_t{TensorMemory::kLanes} * TensorMemory::kColumns * TensorMemory::kWordBytes;

}  // namespace

TensorMemory::TensorMemory(const Places* places) {
  segment_.name = kName;
  segment_.bytes.resize(kBytes);
  if (places == nullptr) return;
  segment_.written = WrittenBytes(kBytes);
  segment_.shadow = std::make_unique<Shadow>(*places);
}

// ---- allocation ---------------------------------------------------------------------------------

bool TensorMemory::isSize(std::uint32_t columns, bool isExclusive) {
  const bool isKnown = isExclusive ? columns % kFewestColumns == 0 : std::has_single_bit(columns);
  return isKnown && columns >= kFewestColumns && columns <= kColumns;
}

std::optional<std::uint32_t> TensorMemory::findRoom(std::uint32_t columns, bool isExclusive) const {
  if (isExclusive_ || (isExclusive && hasAllocations())) return std::nullopt;
  for (std::uint32_t first = 0; first + columns <= kColumns; first += columns) {
    const auto* const begin = owner_.data() + first;
    if (std::all_of(begin, begin + columns, [](auto owner) { return owner == 0; })) return first;
  }
  return std::nullopt;
}

void TensorMemory::allocate(std::uint32_t first, std::uint32_t columns, bool isExclusive) {
  isExclusive_ = isExclusive;
  const auto owner = static_cast<std::uint16_t>(first + 1);
  std::fill_n(owner_.begin() + first, columns, owner);
}

bool TensorMemory::free(std::uint32_t first, std::uint32_t columns, bool isExclusive) {
  if (first >= kColumns || owner_[first] != first + 1 || isExclusive != isExclusive_) return false;
  const auto all = std::count(owner_.begin(), owner_.end(), owner_[first]);
  if (static_cast<std::uint32_t>(all) != columns) return false;
  std::fill_n(owner_.begin() + first, columns, std::uint16_t{0});
  isExclusive_ = false;
  if (segment_.written.empty()) return true;
  // Who allocates them again finds nothing there.
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    const std::uint64_t begin = offsetOf({lane, first});
    for (std::uint32_t k = 0; k < columns * kWordBytes; ++k) segment_.written.reset(begin + k);
  }
  return true;
}

bool TensorMemory::hasAllocations() const {
  return std::any_of(owner_.begin(), owner_.end(), [](auto owner) { return owner != 0; });
}

// ---- content ------------------------------------------------------------------------------------

std::uint32_t TensorMemory::read(const TensorWord& word) const {
  return static_cast<std::uint32_t>(valueAt(segment_.bytes.data() + offsetOf(word), kWordBytes));
}

void TensorMemory::write(const TensorWord& word, std::uint32_t value) {
  const std::uint64_t offset = offsetOf(word);
  putAt(segment_.bytes.data() + offset, value, kWordBytes);
  if (!segment_.written.empty()) segment_.written.set(offset, kWordBytes);
}

// ---- fragments ----------------------------------------------------------------------------------

namespace {

// Registers of a thread for each repetition.
std::uint32_t registersOf(FragmentShape shape) {
  switch (shape) {
    case FragmentShape::Lanes16x128:
      return 2;
    case FragmentShape::Lanes16x256:
      return 4;
    default:
      return 1;
  }
}

std::uint32_t columnsOf(FragmentShape shape) {
  switch (shape) {
    case FragmentShape::Lanes16x64:
      return 2;
    case FragmentShape::Lanes16x128:
      return 4;
    case FragmentShape::Lanes16x256:
      return 8;
    default:
      return 1;
  }
}

}  // namespace

std::uint32_t TensorFragment::registers() const {
  return registersOf(shape) * repetitions;
}

TensorWord TensorFragment::wordOf(std::uint32_t thread, std::uint32_t reg) const {
  const std::uint32_t r = reg % registersOf(shape);
  TensorWord word;
  std::uint32_t shift = 0;  // columns that .pack::16b does not double
  switch (shape) {
    case FragmentShape::Lanes32x32:
      word = {thread, 0};
      break;
    case FragmentShape::Lanes16x64:
      word = {thread / 4 + 8 * (thread % 2), thread / 2 % 2};
      break;
    case FragmentShape::Lanes16x128:
      word = {thread / 4 + 8 * r, thread % 4};
      break;
    case FragmentShape::Lanes16x256:
      word = {thread / 4 + 8 * (r / 2), 2 * (thread % 4) + r % 2};
      break;
    case FragmentShape::Lanes16x32x2:
      word = {thread % 16, 0};
      shift = thread / 16 * split;
      break;
  }
  word.column += reg / registersOf(shape) * columnsOf(shape);
  if (isPacked) word.column *= 2;
  word.column += shift;
  return word;
}

// ---- reductions ---------------------------------------------------------------------------------

std::uint32_t TensorReduction::of(std::span<const std::uint32_t> words) const {
  const auto choose = [&](auto a, auto b) { return isMaximum ? std::max(a, b) : std::min(a, b); };
  const auto number = [&](std::uint32_t bits) {
    return std::bit_cast<float>(isAbsolute ? bits & 0x7fffffff : bits);
  };
  std::uint32_t result = words[0];
  for (const std::uint32_t word : words) {
    switch (type) {
      case Type::U32:
        result = choose(result, word);
        break;
      case Type::S32:
        result = static_cast<std::uint32_t>(
            choose(static_cast<std::int32_t>(result), static_cast<std::int32_t>(word)));
        break;
      case Type::F32: {
        const float both = isMaximum ? maximum(number(result), number(word), propagatesNaN)
                                     : minimum(number(result), number(word), propagatesNaN);
        result = std::bit_cast<std::uint32_t>(both);
        break;
      }
    }
  }
  return result;
}

}  // namespace ptxopt::interp
