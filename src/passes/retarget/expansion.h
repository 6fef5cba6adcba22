// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The PTX that takes the place of one instruction.
//
// A family of lowerings (lowering.h) reads the operands of the instruction here, and writes
// statements with the same meaning.  They stand in a scope of their own, with registers of their
// own:
//
//   { // cvt.rn.f16x2.f32 %r1, %f2, %f3;
//   .reg .b16 %lowered_h<2>;
//   cvt.rn.f16.f32 %lowered_h0, %f2;
//   cvt.rn.f16.f32 %lowered_h1, %f3;
//   mov.b32 %r1, {%lowered_h1, %lowered_h0};
//   }
//
// The guard of the instruction applies to what changes a register of the kernel or memory, or waits
// for other threads: assign() and effect().  Everything else is computed into registers of its own,
// whether or not the guard holds, so it must be free of effects.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/function.h"
#include "ir/statement.h"
#include "passes/retarget/declarations.h"

namespace ptxopt::passes {

class Expansion {
 public:
  // `desc`: that of the instruction, or of the same without hints, whose operands are its last
  // ones.  No name of the module may begin with `prefix`, "lowered_", or with % and it.
  Expansion(const ir::Function& function, const ir::Instruction& instruction,
            const isa::InstructionDesc& desc, std::string_view prefix);

  // ---- the instruction ----------------------------------------------------------------------
  const isa::InstructionDesc& desc() const { return desc_; }
  bool has(std::string_view qualifier) const { return desc().has(qualifier); }
  // The word of `words` that it has, with its dot, or "".
  std::string_view oneOf(std::initializer_list<std::string_view> words) const;
  std::size_t operandCount() const { return desc().shape.size(); }
  // The k-th top-level operand as text: "%r1", "{%r1, %r2}", "[%rd1+4]", "5".
  std::string operand(std::size_t k) const;
  // The members of a vector, list or pair, the components of a vector register; of a scalar only
  // itself.
  std::vector<std::string> elements(std::size_t k) const;
  // What a register or number of 128 bits becomes; none for anything else.
  std::optional<RegisterPair> registerPair(std::size_t k) const;
  // The number of an integer operand.
  std::optional<std::int64_t> number(std::size_t k) const;
  // A register, component or number of `bits` bits: false for a register wider than the type.
  bool hasWidth(std::size_t k, int bits) const;
  bool isGuarded() const { return static_cast<bool>(instruction_.guard); }
  // An address with `bytes` added to it: "[%rd1+20]".
  std::string address(std::size_t k, std::int64_t bytes = 0) const;
  // Whether an address has a register as base, and not a variable.
  bool hasRegisterBase(std::size_t k) const;
  // Bits of an address in its register: that of the base, else those of .address_size.
  int addressBits(std::size_t k) const;

  // ---- registers of its own -----------------------------------------------------------------
  // Each writes `mnemonic d, sources...;` and returns d.  A source is text, or a number.
  template <class... Sources>
  std::string pred(std::string_view mnemonic, const Sources&... sources) {
    return compute(0, mnemonic, sources...);
  }
  template <class... Sources>
  std::string b16(std::string_view mnemonic, const Sources&... sources) {
    return compute(1, mnemonic, sources...);
  }
  template <class... Sources>
  std::string b32(std::string_view mnemonic, const Sources&... sources) {
    return compute(2, mnemonic, sources...);
  }
  template <class... Sources>
  std::string b64(std::string_view mnemonic, const Sources&... sources) {
    return compute(3, mnemonic, sources...);
  }
  template <class... Sources>
  std::string f32(std::string_view mnemonic, const Sources&... sources) {
    return compute(4, mnemonic, sources...);
  }
  // A register of its own that nothing has written yet.
  std::string newPred() { return make(0); }
  std::string newB16() { return make(1); }
  std::string newB32() { return make(2); }
  std::string newB64() { return make(3); }
  // The address of operand k in a register of its own.
  std::string addressRegister(std::size_t k);

  // ---- statements ---------------------------------------------------------------------------
  // One that changes only registers of its own, "mov.b32 {%a, %b}, %c".
  template <class... Sources>
  void own(std::string_view mnemonic, const Sources&... sources) {
    write(false, mnemonic, {word(sources)...});
  }
  // One with another effect: it has the guard of the instruction.
  template <class... Sources>
  void effect(std::string_view mnemonic, const Sources&... sources) {
    write(true, mnemonic, {word(sources)...});
  }
  // The result in operand k is `value`, which is refused if the register has another width.
  // Nothing for `_`.  All operands must have been read before.
  void assign(std::size_t k, std::string_view value) { assignTo(operand(k), value); }
  // The same for one member of a vector or pair.
  void assignTo(const std::string& destination, std::string_view value);
  // The same for all members.  The one that is the guard comes last.
  void assignElements(std::size_t k, const std::vector<std::string>& values);
  // A line as it is: a label, or a statement with a guard of its own.
  void line(std::string text) { lines_.push_back(std::move(text)); }
  // A label of this scope.
  std::string label(std::string_view name) const;
  // "@%p1 ", "@!%p1 ", or "".
  const std::string& guard() const { return guard_; }

  // The text is not to be used.
  bool isRefused() const { return isRefused_; }
  // What was written: one statement, or a scope; "" if nothing was.
  std::string text() const;

 private:
  static constexpr std::size_t kClasses = 5;

  static std::string word(std::string_view text) { return std::string(text); }
  static std::string word(const std::string& text) { return text; }
  static std::string word(const char* text) { return text; }
  static std::string word(std::integral auto number) { return fmt::format("{}", number); }

  // Bits of a register of the instruction; 1 for a predicate, 0 for none.
  int widthOf(const std::string& destination) const;
  std::string make(std::size_t registerClass);
  template <class... Sources>
  std::string compute(std::size_t registerClass, std::string_view mnemonic,
                      const Sources&... sources) {
    std::string made = make(registerClass);
    write(false, mnemonic, {made, word(sources)...});
    return made;
  }
  void write(bool isGuarded, std::string_view mnemonic, std::initializer_list<std::string> words);

  const ir::Function& function_;
  const ir::Instruction& instruction_;
  const isa::InstructionDesc& desc_;
  std::string prefix_;
  std::string guard_;
  std::array<unsigned, kClasses> counts_{};
  std::vector<std::string> lines_;
  bool isRefused_ = false;
};

}  // namespace ptxopt::passes
