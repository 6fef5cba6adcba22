// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/memory/object_uses.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "analysis/flow/callee.h"
#include "analysis/memory/address_step.h"
#include "ir/module.h"
#include "support/digraph.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using ir::Operand;
using ir::OperandKind;
using isa::Opcode;
using isa::Space;

constexpr std::uint32_t kNoVariable = ~0u;

// What a register may contain, with respect to addresses.
struct Pointer {
  enum class State : std::uint8_t {
    None,    // no address of a variable has reached it
    Offset,  // the variable plus `offset`
    Object,  // the variable plus something
    Lost,    // of several variables
    Mixed,   // of variables, or a value that is not an address
  };
  State state = State::None;
  bool isGeneric = false;
  std::uint32_t variable = kNoVariable;
  std::int64_t offset = 0;

  bool isAddress() const { return state == State::Offset || state == State::Object; }
  friend bool operator==(const Pointer&, const Pointer&) = default;
};

constexpr Pointer kLost = {Pointer::State::Lost, false, kNoVariable, 0};
constexpr Pointer kMixed = {Pointer::State::Mixed, false, kNoVariable, 0};

Pointer join(const Pointer& a, const Pointer& b) {
  if (a.state == Pointer::State::None) return b;
  if (b.state == Pointer::State::None || a == b) return a;
  if (a == kMixed || b == kMixed) return kMixed;
  const bool isSame =
      a.isAddress() && b.isAddress() && a.variable == b.variable && a.isGeneric == b.isGeneric;
  return isSame ? Pointer{Pointer::State::Object, a.isGeneric, a.variable, 0} : kLost;
}

bool mayBeNoVariable(const Pointer& pointer) {
  return pointer.state == Pointer::State::None || pointer.state == Pointer::State::Mixed;
}

bool isTracked(const ir::Variable& variable) {
  return variable.space == Space::Global || variable.space == Space::Const ||
         variable.space == Space::Shared || variable.space == Space::Local;
}

bool isPlainAccess(const Instruction& instruction) {
  const isa::InstructionDesc& desc = *instruction.desc;
  const bool isOther = desc.is(isa::kCollective) || desc.has(".async") || desc.has(".bulk");
  return desc.isAccess() && !isOther && isa::bitWidth(desc.type) >= 8;
}

// One of its addresses is in shared memory.
bool isShared(const Instruction& instruction) {
  const auto isOne = [](Space space) {
    return space == Space::Shared || space == Space::SharedCluster;
  };
  const isa::InstructionDesc& desc = *instruction.desc;
  if (isOne(desc.space) || desc.isAccess()) return isOne(desc.space);
  // Copies have two state spaces.
  return std::ranges::any_of(desc.qualifiers, [&](std::string_view word) {
    const std::optional<Space> space = isa::parseSpace(word);
    return space && isOne(*space);
  });
}

}  // namespace

class ObjectUses::Builder {
 public:
  Builder(ObjectUses& result, ir::Function& function) : result_(result), function_(function) {}

  void run() {
    bool namesVariable = false;
    for (ir::Statement& statement : function_.body()) {
      if (auto* instruction = statement.as<Instruction>()) {
        namesVariable |= collectSymbols(*instruction);
        // Rows of wmma need an alignment of 32 bytes and tensor maps one of 128, and swizzled tiles
        // repeat every 128 to 1,024 bytes.
        result_.usesTiles_ |= instruction->desc->is(isa::kTiles);
      } else if (const auto* list = statement.as<ir::TargetList>()) {
        for (const ir::SymbolId target : list->targets) addFunction(target);
      } else if (const auto* declaration = statement.as<ir::VariableDeclaration>()) {
        for (const ir::Variable* variable : declaration->variables) collectInitializer(*variable);
      }
    }
    std::sort(result_.functions_.begin(), result_.functions_.end());
    const auto unique = std::unique(result_.functions_.begin(), result_.functions_.end());
    result_.functions_.erase(unique, result_.functions_.end());
    if (!namesVariable) {
      result_.hasUnknownShared_ = anyInstruction(isShared);
      return;
    }
    values_.assign(function_.registerCount(), {});
    listReaders();
    propagate();
    mix();
    forEachInstruction([&](Instruction& instruction) { judge(instruction); });
  }

 private:
  // ---- names in the body -----------------------------------------------------------------------

  std::uint32_t variableOf(ir::SymbolId id) {
    const ir::Symbol& symbol = function_.symbolAt(id);
    if (symbol.kind != ir::SymbolKind::Variable || !isTracked(*symbol.variable)) return kNoVariable;
    const auto [at, isNew] = result_.index_.try_emplace(symbol.variable, result_.uses_.size());
    if (isNew) {
      result_.uses_.emplace_back();
      result_.uses_.back().variable = symbol.variable;
    }
    return static_cast<std::uint32_t>(at->second);
  }

  void addFunction(ir::SymbolId symbol) {
    if (const ir::Function* named = functionOf(function_, symbol)) {
      result_.functions_.push_back(named);
    }
  }

  void escape(std::uint32_t variable, const char* reason) {
    if (variable == kNoVariable) return;
    VariableUses& uses = result_.uses_[variable];
    if (uses.escape == nullptr) uses.escape = reason;
  }

  bool collectSymbols(Instruction& instruction) {
    bool namesVariable = false;
    for (const Operand& operand : instruction.operands()) {
      if (operand.kind == OperandKind::SpecialRegister) {
        const std::string_view name = function_.module().text(NameId{operand.id});
        result_.readsSharedSize_ |= name.find("smem") != std::string_view::npos;
        result_.readsRow_ |= name == "%tid.y";
      }
      if (operand.symbol() == ir::SymbolId::None) continue;
      addFunction(operand.symbol());
      namesVariable |= variableOf(operand.symbol()) != kNoVariable;
    }
    return namesVariable;
  }

  void collectInitializer(const ir::Variable& variable) {
    if (variable.initializer == nullptr) return;
    const auto add = [&](ir::SymbolId symbol) {
      if (symbol == ir::SymbolId::None) return;
      addFunction(symbol);
      escape(variableOf(symbol), "an initialiser holds its address");
    };
    for (const ir::Relocation& relocation : variable.initializer->relocations) {
      add(relocation.symbol);
    }
    for (const ir::SymbolId symbol : variable.initializer->opaqueSymbols) add(symbol);
  }

  // ---- instructions that compute addresses from registers --------------------------------------

  template <class Visitor>
  void forEachInstruction(Visitor&& visit) {
    for (ir::Statement& statement : function_.body()) {
      if (auto* instruction = statement.as<Instruction>()) visit(*instruction);
    }
  }
  template <class Predicate>
  bool anyInstruction(Predicate&& predicate) {
    for (ir::Statement& statement : function_.body()) {
      const auto* instruction = statement.as<Instruction>();
      if (instruction != nullptr && predicate(*instruction)) return true;
    }
    return false;
  }
  struct Reader {
    Instruction* instruction = nullptr;
    std::uint32_t next = kNone;  // the one below it of the same register
  };

  void listReaders() {
    firstReader_.assign(function_.registerCount(), kNone);
    for (ir::Statement* at = function_.body().back(); at != nullptr; at = at->previous) {
      auto* instruction = at->as<Instruction>();
      if (instruction == nullptr || !mayComputeAddress(*instruction->desc)) continue;
      ir::forEachRegister(*instruction, [&](const Operand& operand) {
        if (!operand.reads) return;
        std::uint32_t& first = firstReader_[operand.id];
        readers_.push_back({instruction, first});
        first = static_cast<std::uint32_t>(readers_.size() - 1);
      });
    }
  }

  // ---- values ----------------------------------------------------------------------------------

  Pointer valueOf(const Operand& operand) {
    if (operand.kind == OperandKind::Register) return values_[operand.id];
    if (operand.kind != OperandKind::Symbol) return {};
    const std::uint32_t variable = variableOf(operand.symbol());
    if (variable == kNoVariable) return {};
    return {Pointer::State::Offset, false, variable, operand.immediate};
  }

  // `pointer` plus or minus `number`, in the ring of the instruction.
  static Pointer moved(Pointer pointer, const Operand& number, bool isMinus, int bits) {
    if (!pointer.isAddress()) return pointer;
    if (number.kind != OperandKind::Integer) {
      pointer.state = Pointer::State::Object;
      pointer.offset = 0;
    } else if (pointer.state == Pointer::State::Offset) {
      const auto base = static_cast<std::uint64_t>(pointer.offset);
      const auto step = static_cast<std::uint64_t>(number.immediate);
      const std::uint64_t sum = isMinus ? base - step : base + step;
      pointer.offset = bits == 32 ? static_cast<std::int32_t>(sum) : static_cast<std::int64_t>(sum);
    }
    return pointer;
  }

  // The result of the instruction: None if it has nothing to do with an address, or if the
  // instruction uses an address in a way that is not followed.
  Pointer resultOf(const Instruction& instruction) {
    const AddressStep step = addressStep(instruction);
    using Step = AddressStep::Kind;
    switch (step.kind) {
      case Step::Copy:
        return valueOf(*step.a);
      case Step::Sum:
      case Step::Difference: {
        const Pointer a = valueOf(*step.a);
        const Pointer b = valueOf(*step.b);
        const bool isMinus = step.kind == Step::Difference;
        if (b.state == Pointer::State::None) return moved(a, *step.b, isMinus, step.bits);
        if (a.state != Pointer::State::None || isMinus) return {};
        return moved(b, *step.a, false, step.bits);
      }
      case Step::ScaledSum: {
        if (valueOf(*step.a) != Pointer{} || valueOf(*step.b) != Pointer{}) return {};
        const Pointer sum = valueOf(*step.c);
        if (!sum.isAddress()) return sum;
        return {Pointer::State::Object, sum.isGeneric, sum.variable, 0};
      }
      case Step::ToGeneric:
        return converted(valueOf(*step.a), step.space, true);
      case Step::FromGeneric:
        return converted(valueOf(*step.a), step.space, false);
      case Step::Resize:
        return step.isZeroExtension ? resized(valueOf(*step.a)) : Pointer{};
      case Step::Select:
      case Step::None:
        break;
    }
    return {};
  }

  Pointer converted(Pointer pointer, Space space, bool toGeneric) const {
    if (!pointer.isAddress()) return pointer;
    const bool fits = space == variable(pointer).space && pointer.isGeneric != toGeneric;
    pointer.isGeneric = toGeneric;
    return fits ? pointer : Pointer{};
  }

  // Shared memory is smaller than 2^32 bytes, so only an offset that has wrapped would change in 64
  // bits.
  Pointer resized(const Pointer& pointer) const {
    if (!pointer.isAddress()) return pointer;
    const bool isInside = pointer.state == Pointer::State::Object ||
                          (pointer.offset >= 0 &&
                           static_cast<std::uint64_t>(pointer.offset) <= variable(pointer).size);
    const bool fits = variable(pointer).space == Space::Shared && !pointer.isGeneric && isInside;
    return fits ? pointer : Pointer{};
  }

  const ir::Variable& variable(const Pointer& pointer) const {
    return *result_.uses_[pointer.variable].variable;
  }

  // The only register that an instruction defines, if resultOf() follows the instruction.
  static std::uint32_t resultRegister(const Instruction& instruction) {
    const std::span<const Operand> operands = instruction.operands();
    const bool isRegister = !operands.empty() && operands[0].kind == OperandKind::Register;
    return isRegister ? operands[0].id : static_cast<std::uint32_t>(ir::RegisterId::None);
  }

  // An operand is an address, or may be one.
  bool namesAddress(const Instruction& instruction) const {
    return std::ranges::any_of(instruction.operands(), [&](const Operand& operand) {
      return operand.kind == OperandKind::Address || operand.kind == OperandKind::Symbol ||
             (operand.kind == OperandKind::Register &&
              values_[operand.id].state != Pointer::State::None);
    });
  }

  void raise(std::uint32_t reg, const Pointer& value) {
    const Pointer next = join(values_[reg], value);
    if (next == values_[reg]) return;
    for (const Pointer& lost : {values_[reg], value}) {
      if (!next.isAddress() && lost.isAddress()) {
        escape(lost.variable, "a register holds its address or something else");
      }
    }
    values_[reg] = next;
    for (std::uint32_t k = firstReader_[reg]; k != kNone; k = readers_[k].next) {
      work_.push_back(readers_[k].instruction);
    }
  }

  void drain() {
    while (!work_.empty()) {
      const Instruction* instruction = work_.back();
      work_.pop_back();
      const Pointer result = resultOf(*instruction);
      if (result.state != Pointer::State::None) raise(resultRegister(*instruction), result);
    }
  }

  void propagate() {
    forEachInstruction([&](Instruction& instruction) {
      const auto operands = instruction.operands();
      const bool names = std::ranges::any_of(
          operands, [&](const Operand& operand) { return operand.kind == OperandKind::Symbol; });
      if (names) work_.push_back(&instruction);
    });
    drain();
  }

  // A register with another definition holds an address only on some paths.
  void mix() {
    const auto mixIn = [&](std::uint32_t reg) {
      raise(reg, kMixed);
      drain();
    };
    const auto holdsAddress = [&](std::uint32_t reg) {
      return values_[reg].state != Pointer::State::None;
    };
    // Callers also set or read a result or parameter that is a register.
    for (const ir::RegisterRange& range : function_.registers()) {
      for (std::uint32_t k = 0; range.isParameter && k < range.count; ++k) {
        if (holdsAddress(range.first + k)) mixIn(range.first + k);
      }
    }
    forEachInstruction([&](const Instruction& instruction) {
      for (const Operand& operand : instruction.operands()) {
        if (!operand.writes || !holdsAddress(operand.id)) continue;
        if (!resultOf(instruction).isAddress()) mixIn(operand.id);
      }
    });
  }

  // ---- uses of addresses -----------------------------------------------------------------------

  void judge(Instruction& instruction) {
    bool computes = false;
    const bool isConversion = instruction.is(Opcode::Cvta);
    if (!isConversion && !namesAddress(instruction)) return;
    const Pointer result = resultOf(instruction);
    if (result.isAddress() && values_[resultRegister(instruction)].isAddress()) {
      result_.uses_[result.variable].computations.push_back(&instruction);
      computes = true;
    }
    std::size_t groupEnd = 0;  // operands before it are inside a group
    const std::span<Operand> operands = instruction.operands();
    for (std::size_t at = 0; at < operands.size(); ++at) {
      Operand& operand = operands[at];
      if (operand.isGroup()) {
        groupEnd = std::max<std::size_t>(groupEnd, at + operand.extent());
        continue;
      }
      if (operand.kind == OperandKind::Address) {
        judgeAddress(instruction, operand, at < groupEnd);
        continue;
      }
      const bool isSource = operand.kind == OperandKind::Symbol ||
                            operand.kind == OperandKind::Integer ||
                            (operand.kind == OperandKind::Register && operand.reads);
      if (!isSource || computes) continue;
      const Pointer value = valueOf(operand);
      // A generic address in shared memory that does not come from a variable.
      result_.hasUnknownShared_ |= isConversion && isShared(instruction) && mayBeNoVariable(value);
      if (value.isAddress()) escape(value.variable, "its address is used as a value");
    }
  }

  void judgeAddress(Instruction& instruction, Operand& operand, bool isInGroup) {
    Pointer pointer;
    if (operand.base == ir::AddressBase::Register) {
      pointer = values_[operand.id];
      pointer.offset += operand.immediate;
    } else if (operand.base == ir::AddressBase::Symbol) {
      const ir::Symbol& symbol = function_.symbolAt(operand.symbol());
      if (symbol.kind == ir::SymbolKind::Parameter || symbol.kind == ir::SymbolKind::Label) return;
      if (symbol.kind == ir::SymbolKind::Variable && !isTracked(*symbol.variable)) return;
      pointer = {Pointer::State::Offset, false, variableOf(operand.symbol()), operand.immediate};
      if (pointer.variable == kNoVariable) pointer = {};
    }
    const isa::InstructionDesc& desc = *instruction.desc;
    if (!pointer.isAddress()) {
      result_.hasUnknownShared_ |= isShared(instruction) && mayBeNoVariable(pointer);
      return;
    }
    const ir::Variable& object = variable(pointer);
    if (isInGroup || !isPlainAccess(instruction)) {
      return escape(pointer.variable, "an instruction other than a plain access uses its address");
    }
    const bool isNamed = desc.space == object.space && !pointer.isGeneric;
    const bool isGeneric =
        desc.space == Space::None && pointer.isGeneric && !desc.is(isa::kUniformAddress);
    if (!isNamed && !isGeneric) {
      return escape(pointer.variable, "it is accessed as if it were in another space");
    }
    VariableAccess access;
    access.isGeneric = isGeneric;
    access.instruction = &instruction;
    access.address = &operand;
    if (pointer.state == Pointer::State::Offset) access.offset = pointer.offset;
    access.bytes = static_cast<std::uint32_t>(isa::bitWidth(desc.type)) / 8 * desc.vectorWidth;
    access.isLoad = desc.isLoad();
    access.isStore = desc.isStore();
    access.isWeak = (access.isLoad || access.isStore) && (desc.semantics == isa::Semantics::None ||
                                                          desc.semantics == isa::Semantics::Weak);
    result_.uses_[pointer.variable].accesses.push_back(access);
  }

  ObjectUses& result_;
  ir::Function& function_;
  std::vector<std::uint32_t> firstReader_;  // by register: in readers_
  std::vector<Reader> readers_;
  std::vector<Pointer> values_;  // by register
  std::vector<Instruction*> work_;
};

ObjectUses::ObjectUses(ir::Function& function) {
  Builder(*this, function).run();
}

const VariableUses* ObjectUses::of(const ir::Variable& variable) const {
  const auto found = index_.find(&variable);
  return found == index_.end() ? nullptr : &uses_[found->second];
}

}  // namespace ptxopt::analysis
