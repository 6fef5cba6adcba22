// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "isa/rows.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "isa/isa.h"
#include "isa/row_index.h"

namespace ptxopt::isa {
namespace {

using enum Effect;
using enum Element;

constexpr Row kRows[] = {
// clang-format off
#include "isa/rows/integer.inc"
#include "isa/rows/extended.inc"
#include "isa/rows/float.inc"
#include "isa/rows/half.inc"
#include "isa/rows/compare.inc"
#include "isa/rows/logic.inc"
#include "isa/rows/move.inc"
#include "isa/rows/convert.inc"
#include "isa/rows/memory.inc"
#include "isa/rows/texture.inc"
#include "isa/rows/control.inc"
#include "isa/rows/barrier.inc"
#include "isa/rows/atomic.inc"
#include "isa/rows/warp.inc"
#include "isa/rows/video.inc"
#include "isa/rows/misc.inc"
#include "isa/rows/async.inc"
#include "isa/rows/mbarrier.inc"
#include "isa/rows/matrix.inc"
#include "isa/rows/tcgen05.inc"
#include "isa/rows/tensormap.inc"
#include "isa/rows/fabric.inc"
#include "isa/rows/multimem.inc"
#include "isa/rows/additions.inc"
    // clang-format on
};

constexpr std::string_view kOpcodeWords[] = {
    "",
#define PTXOPT_OPCODE(name, text) text,
#include "isa/opcodes.def"
#undef PTXOPT_OPCODE
};
constexpr std::size_t kOpcodeCount = std::size(kOpcodeWords);

consteval std::size_t opcodeOf(const Row& row) {
  const std::string_view word = row.syntax.substr(0, row.syntax.find_first_of(".{ "));
  std::size_t low = 1;
  std::size_t high = kOpcodeCount;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (kOpcodeWords[middle] < word) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  // A row whose first word is not in opcodes.def stops the build here.
  if (low == kOpcodeCount || kOpcodeWords[low] != word) {
    throw word;  // NOLINT(misc-throw-by-value-catch-by-reference): nothing runs
  }
  return low;
}

// A counting sort of the rows by opcode, done by the compiler; stable, so that the rows of one
// opcode keep their order.
struct RowIndex {
  std::array<std::uint16_t, kOpcodeCount + 1> first{};
  std::array<std::uint16_t, std::size(kRows)> order{};
};

consteval RowIndex makeIndex() {
  RowIndex index;
  std::array<std::size_t, std::size(kRows)> opcodes{};
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    opcodes[i] = opcodeOf(kRows[i]);
    ++index.first[opcodes[i] + 1];
  }
  for (std::size_t i = 1; i < index.first.size(); ++i) {
    index.first[i] = static_cast<std::uint16_t>(index.first[i] + index.first[i - 1]);
  }
  auto next = index.first;
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    index.order[next[opcodes[i]]++] = static_cast<std::uint16_t>(i);
  }
  return index;
}

constexpr RowIndex kIndex = makeIndex();

}  // namespace

std::span<const Row> rows() {
  return kRows;
}

const Row& rowAt(std::uint16_t index) {
  return kRows[index];
}

std::span<const std::uint16_t> rowsOf(Opcode opcode) {
  const auto at = static_cast<std::size_t>(opcode);
  return {kIndex.order.data() + kIndex.first[at], kIndex.order.data() + kIndex.first[at + 1]};
}

}  // namespace ptxopt::isa
