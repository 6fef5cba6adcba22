// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decodes one function.  Internal to Program.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interp/program.h"
#include "ir/function.h"

namespace ptxopt::interp {

class AuditEmitter;

class Decoder {
 public:
  Decoder(Program& program, const ir::Function& function, Code& code);
  ~Decoder();
  void run();

 private:
  friend AuditEmitter;

  // Thrown if something cannot be decoded; caught for each instruction.
  struct Problem {
    std::string message;
  };

  // decoder.cpp
  void layOutFormals();
  void placeLocal(const ir::Variable& variable);
  void decode(const ir::Instruction& instruction);
  void decodeForm(const ir::Instruction& instruction, Op op);
  void decodeKnown(const ir::Instruction& instruction, Op op);
  void decodeControl(const ir::Instruction& instruction, Op op);
  void decodeCall(const ir::Instruction& instruction, Op op);
  void decodeMove(const ir::Instruction& instruction, Op op);
  void decodePure(const ir::Instruction& instruction, Op op);
  void decodePolicy(const ir::Instruction& instruction, Op op);
  void resolveBranches();

  void findUndefinedReads();
  void trackRegisters(const ir::Instruction& instruction, const Op& op);

  // decode_memory.cpp
  void decodeLoad(const ir::Instruction& instruction, Op op);
  void spoilUnusedBytes(const Op& load, const std::vector<std::uint32_t>& slots);
  void decodeStore(const ir::Instruction& instruction, Op op);
  void decodeAtomic(const ir::Instruction& instruction, Op op);
  void decodeFill(const ir::Instruction& instruction, Op op);
  void decodeStack(const ir::Instruction& instruction, Op op);
  void decodeBarrier(const ir::Instruction& instruction, Op op);
  void decodeCollective(const ir::Instruction& instruction, Op op);
  isa::Space resolveSpace(isa::Space space, const ir::Operand& address) const;

  // decode_async.cpp
  void decodeCopyAsync(const ir::Instruction& instruction, Op op);
  void decodeBulk(const ir::Instruction& instruction, Op op);
  void decodeStoreAsync(const ir::Instruction& instruction, Op op);
  void decodeMbarrier(const ir::Instruction& instruction, Op op);
  void decodeMbarrierTest(const ir::Instruction& instruction, Op& op);
  void decodeLaunchControl(const ir::Instruction& instruction, Op op);
  AddressOperand reference(const ir::Operand& operand);
  void emitBulk(Op op, BulkForm bulk);

  // decode_fence.cpp
  void decodeFence(const ir::Instruction& instruction, Op op);
  void decodeGridDependency(const ir::Instruction& instruction, Op op);
  void decodeRegisterLimit(const ir::Instruction& instruction, Op op);

  // decode_multimem.cpp
  void decodeMultimem(const ir::Instruction& instruction, Op op);

  // decode_tensor.cpp
  void decodeTensorCopy(const ir::Instruction& instruction, Op op);
  void decodeTensorMap(const ir::Instruction& instruction, Op op);
  void readMapOperand(const ir::Operand& operand, TensorForm& tensor);

  // decode_texture.cpp
  void decodeTexture(const ir::Instruction& instruction, Op op);
  void decodeFetch(const ir::Instruction& instruction, TextureForm& form);
  void decodeFetchExtras(const ir::Instruction& instruction, TextureForm& form);
  void decodeSurface(const ir::Instruction& instruction, TextureForm& form);
  void readTextureOperand(const ir::Operand& operand, TextureForm& form);
  std::uint32_t handle(const ir::Operand& operand);
  void readCoordinates(const ir::Operand& operand, TextureForm& form);

  // decode_matrix.cpp
  void decodeMatrix(const ir::Instruction& instruction, Op op);
  void decodeTiles(const ir::Instruction& instruction, Op op);
  static void decodeQuadLayouts(const isa::InstructionDesc& desc, MatrixForm& matrix);
  void decodeScales(const ir::Instruction& instruction, std::size_t next, ScaleForm& scales);
  void decodeFragmentMove(const ir::Instruction& instruction, Op op);
  static MatrixForm matrixForm(const isa::InstructionDesc& desc);
  void emitMatrix(Op op, MatrixForm matrix);

  // decode_warpgroup.cpp
  void findFragments();
  void touchFragments(const ir::Instruction& instruction, const Op& op);
  void decodeWarpgroup(const ir::Instruction& instruction, Op op);
  void decodeWarpgroupMultiply(const ir::Instruction& instruction, Op op);

  // decode_tensor_core.cpp
  void decodeTensorCore(const ir::Instruction& instruction, Op op);
  void decodeFragmentTransfer(const ir::Instruction& instruction, TensorCoreForm& form);
  void decodeReduction(const isa::InstructionDesc& desc, TensorCoreForm& form);
  void decodeTensorMemoryCopy(const ir::Instruction& instruction, TensorCoreForm& form);
  AddressOperand tensorMemoryReference(const ir::Operand& operand);

  // decode_tensor_product.cpp
  static ProductContext productContext(const isa::InstructionDesc& desc);
  void decodeTensorProduct(const ir::Instruction& instruction, TensorCoreForm& form);

  // decode_video.cpp
  void decodeVideo(const ir::Instruction& instruction, Op op);
  std::uint32_t videoSource(const ir::Operand& operand, isa::Type type);

  // decode_operands.cpp
  // ---- operands: each returns a slot -----------------------------------------------------------
  // The slot of `operand` as a source of `type`; may emit instructions before the current one.
  std::uint32_t source(const ir::Operand& operand, isa::Type type);
  std::uint32_t destination(const ir::Operand& operand);
  // The slot of the base of an address, whose offset goes into `offset`.
  std::uint32_t address(const ir::Operand& operand, Op& op, std::int64_t& offset);
  // The elements of a vector operand, or of a scalar as a vector of one.
  std::vector<std::uint32_t> elements(const ir::Operand& operand, isa::Type type, bool writes);
  bool isSpecialVector(const ir::Operand& operand) const;
  std::uint32_t registerSlot(ir::RegisterId id, std::uint8_t component) const;
  int registerWidth(ir::RegisterId id) const;
  // Slots of one register of the range: elements of a vector, halves of 128 bits.
  static std::uint32_t slotsOf(const ir::RegisterRange& range) {
    return range.vectorWidth * (range.type == isa::Type::B128 ? 2u : 1u);
  }
  int widthOf(const ir::Operand& operand) const;  // of a register, or the first of a vector
  std::uint32_t symbolSlot(ir::SymbolId symbol, std::int64_t offset);
  std::uint32_t constant(std::uint64_t value);
  std::uint32_t temporary();
  std::uint32_t dynamicSlot(FrameValue::Kind kind, std::uint64_t value);
  std::uint32_t addList(const std::vector<std::uint32_t>& slots);

  const ir::Operand& operand(const ir::Instruction& instruction, std::size_t k) const;
  void emit(Op op) { code_->ops.push_back(op); }
  void emitCopy(const Op& like, std::uint32_t to, std::uint32_t from);
  // The parts of a register of `width` bits, the lowest first, in a temporary slot, which it
  // returns.
  std::uint32_t emitPack(Op op, std::span<const std::uint32_t> parts, int width);
  void emitUnpack(Op op, std::span<const std::uint32_t> parts, std::uint32_t whole, int width);

  Program* program_;
  const ir::Function* function_;
  Code* code_;
  Op prototype_;  // origin of the current instruction, unguarded: for ops emitted before it
  std::vector<std::uint32_t> slotOfRange_;
  std::map<std::uint64_t, std::uint32_t> constants_;
  std::map<std::pair<FrameValue::Kind, std::uint64_t>, std::uint32_t> dynamics_;
  std::map<const ir::Variable*, std::uint64_t> localOffsets_;
  std::map<ir::SymbolId, std::uint32_t> labels_;
  std::vector<std::pair<std::uint32_t, ir::SymbolId>> branches_;  // op to patch, label
  std::vector<std::pair<std::uint32_t, ir::SymbolId>> tables_;    // list entry to patch, label
  // Registers that may be read before they are written: the instructions, and slots that record
  // whether the register was written.
  std::map<const ir::Instruction*, std::vector<ir::RegisterId>> undefinedReads_;
  std::map<ir::RegisterId, std::uint32_t> writtenSlots_;
  // Accumulators of wgmma, registers of its matrix A, and those of tcgen05.ld and tcgen05.st.
  std::set<ir::RegisterId> fragments_;
  // Of the last pragma "used_bytes_mask", until the next instruction that reads memory.
  std::optional<std::uint64_t> usedBytes_;
  std::unique_ptr<AuditEmitter> audit_;  // null: there are no claims
  std::uint32_t trueSlot_ = 0;
  std::uint32_t scratch_ = 0;
  std::uint32_t carry_ = 0;
};

}  // namespace ptxopt::interp
