// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads, stores, atomics, copies, barriers and collectives of a warp.
#include <algorithm>

#include "interp/decode/bind.h"
#include "interp/decode/decoder.h"
#include "interp/decode/words.h"
#include "support/residue.h"

namespace ptxopt::interp {

using isa::Opcode;
using isa::Space;
using isa::Type;

Space Decoder::resolveSpace(Space space, const ir::Operand& address) const {
  if (space != Space::Param && space != Space::ParamEntry && space != Space::ParamFunc) {
    return space;
  }
  if (const ir::SymbolId id = address.symbol(); id != ir::SymbolId::None) {
    const ir::Symbol& symbol = function_->symbolAt(id);
    const bool isVariable =
        symbol.kind == ir::SymbolKind::Variable || symbol.kind == ir::SymbolKind::Parameter;
    return isVariable && localOffsets_.contains(symbol.variable) ? Space::Local : Space::ParamEntry;
  }
  return Space::Param;  // the address decides between the two spaces
}

void Decoder::decodeLoad(const ir::Instruction& instruction, Op op) {
  const ir::Operand& to = operand(instruction, 0);
  const ir::Operand& from = operand(instruction, 1);
  op.action = Action::Load;
  op.width = static_cast<std::uint8_t>(widthOf(to));
  std::vector<std::uint32_t> slots = elements(to, op.type, true);
  if (op.type == Type::B128) {
    op.flags |= kWide;
    op.type = Type::B64;
    op.width = 64;
  }
  op.a = address(from, op, op.immediate);
  op.space = resolveSpace(op.space, from);
  op.count = static_cast<std::uint8_t>(slots.size());
  const int bits = isa::bitWidth(op.type);
  if ((isa::isSigned(op.type) && bits < op.width) || bits > op.width) op.flags |= kSecond;
  op.detail = instruction.desc->has(".nc") || instruction.desc->has(".proxy::readonly") ? 1 : 0;
  op.d = slots.front();
  op.index = addList(slots);
  emit(op);
  if (usedBytes_ && instruction.is(Opcode::Ld)) spoilUnusedBytes(op, slots);
}

// What the mask of a load leaves out may hold anything: it becomes the opposite of what is in
// memory.
void Decoder::spoilUnusedBytes(const Op& load, const std::vector<std::uint32_t>& slots) {
  const auto bits = static_cast<unsigned>(isa::bitWidth(load.type));
  std::uint64_t used = *usedBytes_;
  for (const std::uint32_t slot : slots) {
    std::uint64_t unused = 0;
    for (unsigned bit = 0; bit < bits; bit += 8, used >>= 1) {
      if ((used & 1) == 0) unused |= std::uint64_t{0xff} << bit;
    }
    if (unused == 0) continue;
    // The bits above a signed number are those of its sign.
    if (isa::isSigned(load.type)) {
      unused = residue(static_cast<std::uint64_t>(signedResidue(unused, bits)), load.width);
    }
    Op op = prototype_;
    op.guard = load.guard;
    op.guardExpected = load.guardExpected;
    op.compute = invertBits();
    op.d = slot;
    op.immediate = static_cast<std::int64_t>(unused);
    emit(op);
  }
}

void Decoder::decodeStore(const ir::Instruction& instruction, Op op) {
  if (instruction.desc->has(".bulk")) return decodeFill(instruction, op);
  if (instruction.desc->has(".async")) return decodeStoreAsync(instruction, op);
  const ir::Operand& to = operand(instruction, 0);
  std::vector<std::uint32_t> slots = elements(operand(instruction, 1), op.type, false);
  if (op.type == Type::B128) {
    op.flags |= kWide;
    op.type = Type::B64;
  }
  op.action = Action::Store;
  op.a = address(to, op, op.immediate);
  op.space = resolveSpace(op.space, to);
  op.count = static_cast<std::uint8_t>(slots.size());
  op.b = slots.front();
  op.index = addList(slots);
  emit(op);
}

void Decoder::decodeAtomic(const ir::Instruction& instruction, Op op) {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (desc.has(".async")) return decodeStoreAsync(instruction, op);
  const AtomicOperation* operation = findWord(desc, kAtomicOperations);
  if (operation == nullptr || op.type == Type::Other) {
    throw Problem{"this form is not implemented"};
  }
  op.action = Action::Atomic;
  op.detail = static_cast<std::uint8_t>(*operation);
  // lists: the elements of d, then those of b, then those of c.
  const bool swaps = *operation == AtomicOperation::CompareAndSwap;
  std::vector<std::uint32_t> d, b, c;
  std::size_t k = 0;
  if (desc.opcode == Opcode::Red) {
    op.flags |= kIsReduction;
    op.width = 64;
  } else {
    op.width = static_cast<std::uint8_t>(widthOf(operand(instruction, k)));
    d = elements(operand(instruction, k++), op.type, true);
  }
  op.a = address(operand(instruction, k++), op, op.immediate);
  b = elements(operand(instruction, k++), op.type, false);
  if (d.empty()) d.assign(b.size(), scratch_);
  c = swaps ? elements(operand(instruction, k), op.type, false) : b;
  if (d.size() != b.size() || c.size() != b.size()) throw Problem{"operands that do not fit"};
  // Each element is done by itself: its result must not be a source of the next one.
  for (std::vector<std::uint32_t>* const sources : {&b, &c}) {
    for (std::uint32_t& slot : *sources) {
      if (b.size() == 1 || std::ranges::find(d, slot) == d.end()) continue;
      const std::uint32_t copy = temporary();
      emitCopy(prototype_, copy, slot);
      slot = copy;
    }
  }
  op.count = static_cast<std::uint8_t>(b.size());
  op.d = d.front();
  op.b = b.front();
  op.c = c.front();
  d.insert(d.end(), b.begin(), b.end());
  d.insert(d.end(), c.begin(), c.end());
  op.index = addList(d);
  emit(op);
}

// st.bulk writes zeros; discard leaves arbitrary bytes.
void Decoder::decodeFill(const ir::Instruction& instruction, Op op) {
  constexpr std::uint8_t kDiscarded = 0xdb;
  op.action = Action::Fill;
  op.detail = instruction.is(Opcode::Discard) ? kDiscarded : 0;
  op.a = address(operand(instruction, 0), op, op.immediate);
  op.c = source(operand(instruction, 1), Type::U64);
  emit(op);
}

void Decoder::decodeStack(const ir::Instruction& instruction, Op op) {
  op.action = Action::Stack;
  switch (instruction.desc->opcode) {
    case Opcode::Stacksave:
      op.detail = static_cast<std::uint8_t>(StackKind::Save);
      op.d = destination(operand(instruction, 0));
      break;
    case Opcode::Stackrestore:
      op.detail = static_cast<std::uint8_t>(StackKind::Restore);
      op.a = source(operand(instruction, 0), op.type);
      break;
    default: {
      constexpr std::uint64_t kDefaultAlignment = 8;
      op.detail = static_cast<std::uint8_t>(StackKind::Allocate);
      op.d = destination(operand(instruction, 0));
      op.a = source(operand(instruction, 1), op.type);
      const ir::Operand* alignment = instruction.operand(2);
      op.b = alignment != nullptr ? source(*alignment, Type::U32) : constant(kDefaultAlignment);
      break;
    }
  }
  emit(op);
}

void Decoder::decodeBarrier(const ir::Instruction& instruction, Op op) {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (desc.has(".warp")) return decodeCollective(instruction, op);
  if (desc.has(".cluster")) {
    op.action = Action::ClusterBarrier;
    if (desc.has(".wait")) op.flags |= kWait;
    return emit(op);
  }
  if (desc.opcode == Opcode::Bar) op.flags |= kAligned;
  op.action = Action::Barrier;
  if (!desc.has(".red")) {
    const bool arrives = desc.has(".arrive");
    op.detail = static_cast<std::uint8_t>(arrives ? BarrierKind::Arrive : BarrierKind::Sync);
    op.a = source(operand(instruction, 0), Type::U32);
    if (const ir::Operand* count = instruction.operand(1)) {
      op.b = source(*count, Type::U32);
      op.flags |= kHasCount;
    }
    return emit(op);
  }
  static constexpr Word<BarrierKind> kKinds[] = {
      {".popc", BarrierKind::Popc}, {".and", BarrierKind::And}, {".or", BarrierKind::Or}};
  op.detail = static_cast<std::uint8_t>(*findWord(desc, kKinds));
  op.d = destination(operand(instruction, 0));
  op.a = source(operand(instruction, 1), Type::U32);
  std::size_t last = 2;
  if (desc.shape.size() == 4) {
    op.b = source(operand(instruction, last++), Type::U32);
    op.flags |= kHasCount;
  }
  op.c = source(operand(instruction, last), Type::Pred);
  emit(op);
}

void Decoder::decodeCollective(const ir::Instruction& instruction, Op op) {
  const isa::InstructionDesc& desc = *instruction.desc;
  op.action = Action::Collective;
  const auto put = [&](CollectiveKind kind) { op.detail = static_cast<std::uint8_t>(kind); };
  const auto result = [&](const ir::Operand& target) {
    if (target.kind == ir::OperandKind::Pair) {
      const auto both = ir::members(target);
      op.d = destination(both[0]);
      op.q = destination(both[1]);
    } else {
      op.d = destination(target);
    }
  };
  if (desc.has(".sync")) op.flags |= kHasMask;
  std::size_t mask = 0;  // the index of the operand with the mask
  switch (desc.opcode) {
    case Opcode::Bar:
      put(CollectiveKind::WarpSync);
      break;
    case Opcode::Activemask:
      put(CollectiveKind::ActiveMask);
      result(operand(instruction, 0));
      break;
    case Opcode::Elect:
      put(CollectiveKind::Elect);
      result(operand(instruction, 0));
      mask = 1;
      break;
    case Opcode::Shfl: {
      static constexpr Word<CollectiveKind> kKinds[] = {{".up", CollectiveKind::ShuffleUp},
                                                        {".down", CollectiveKind::ShuffleDown},
                                                        {".bfly", CollectiveKind::ShuffleButterfly},
                                                        {".idx", CollectiveKind::ShuffleIndex}};
      put(*findWord(desc, kKinds));
      result(operand(instruction, 0));
      op.a = source(operand(instruction, 1), Type::B32);
      op.b = source(operand(instruction, 2), Type::U32);
      op.c = source(operand(instruction, 3), Type::U32);
      mask = 4;
      break;
    }
    case Opcode::Vote: {
      static constexpr Word<CollectiveKind> kKinds[] = {{".all", CollectiveKind::VoteAll},
                                                        {".any", CollectiveKind::VoteAny},
                                                        {".uni", CollectiveKind::VoteUniform},
                                                        {".ballot", CollectiveKind::VoteBallot}};
      put(*findWord(desc, kKinds));
      result(operand(instruction, 0));
      op.a = source(operand(instruction, 1), Type::Pred);
      mask = 2;
      break;
    }
    case Opcode::Match:
      put(desc.has(".all") ? CollectiveKind::MatchAll : CollectiveKind::MatchAny);
      result(operand(instruction, 0));
      op.a = source(operand(instruction, 1), op.type);
      mask = 2;
      break;
    case Opcode::Redux: {
      static constexpr Word<CollectiveKind> kKinds[] = {
          {".add", CollectiveKind::ReduceAdd},     {".min", CollectiveKind::ReduceMinimum},
          {".max", CollectiveKind::ReduceMaximum}, {".and", CollectiveKind::ReduceAnd},
          {".or", CollectiveKind::ReduceOr},       {".xor", CollectiveKind::ReduceXor}};
      put(*findWord(desc, kKinds));
      result(operand(instruction, 0));
      op.a = source(operand(instruction, 1), op.type);
      mask = 2;
      break;
    }
    default:
      throw Problem{"this form is not implemented"};
  }
  if (op.is(kHasMask)) op.e = source(operand(instruction, mask), Type::B32);
  emit(op);
}

}  // namespace ptxopt::interp
