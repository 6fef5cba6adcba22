#include "analysis/instruction_numbers.h"

#include <bit>

namespace ptxopt::analysis {

InstructionNumbers::InstructionNumbers(const Cfg& cfg) {
  firstOfBlock_.reserve(cfg.vertexCount() + std::size_t{1});
  for (BlockId b = 0; b < cfg.vertexCount(); ++b) {
    firstOfBlock_.push_back(count());
    for (const ir::Instruction& instruction : cfg.instructions(b)) {
      instructions_.push_back(&instruction);
    }
  }
  firstOfBlock_.push_back(count());

  slots_.resize(std::bit_ceil(2 * instructions_.size() + 1));
  for (std::uint32_t number = 0; number < count(); ++number) {
    slots_[slotOf(*instructions_[number])] = {instructions_[number], number};
  }
}

std::uint32_t InstructionNumbers::of(const ir::Instruction& instruction) const {
  const Slot& slot = slots_[slotOf(instruction)];
  return slot.instruction == nullptr ? kNone : slot.number;
}

// Where `instruction` stands, or the free slot where it would.
std::size_t InstructionNumbers::slotOf(const ir::Instruction& instruction) const {
  // Fibonacci hashing: instructions stand close to each other in their arena.
  const std::uint64_t address = reinterpret_cast<std::uintptr_t>(&instruction);
  std::uint64_t hash = address * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 32;
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].instruction != nullptr && slots_[at].instruction != &instruction) {
    at = (at + 1) & mask;
  }
  return at;
}

}  // namespace ptxopt::analysis
