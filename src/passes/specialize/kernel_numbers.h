// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known of numbers that a kernel is launched with: they become constants in its code, and
// what its loads say of the others are ranges.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "ir/module.h"

namespace ptxopt::passes {

struct KernelNumber {
  const ir::Variable* parameter = nullptr;  // null: a special register
  std::string special;                      // "%nctaid.x"
  ir::ParameterRange range;                 // of one number: it is that
  bool needsTest = true;  // false: a directive or an assumption of the user says it, too
  bool isRead = false;    // by code that uses what is known

  bool isExact() const { return range.lowest == range.highest; }
};

class KernelNumbers {
 public:
  explicit KernelNumbers(ir::Function& kernel) : kernel_(&kernel) {}

  void addSpecial(std::string name, std::uint32_t value, bool needsTest);
  // False if something else is known of these bytes.
  bool addParameter(const ir::Variable& parameter, const ir::ParameterRange& range);

  // Finds the instructions that read the numbers: a mov from a special register, and loads of all
  // bytes of a number, alone or in a vector.  O(statements).
  void findReads();
  // For registers that say what is known: nothing tells the passes which numbers these divide.
  void forgetMultiples();
  // Puts what is known into them.  Of a number that is not exact, the parameter says it; if there
  // are `tested` registers, one for each number, that register says it.
  void replaceReads(const std::vector<ir::RegisterId>& tested);

  const std::vector<KernelNumber>& all() const { return all_; }
  bool hasReads() const { return !reads_.empty(); }

 private:
  struct Read {
    ir::Instruction* instruction = nullptr;
    ir::RegisterId target = ir::RegisterId::None;
    std::size_t number = 0;  // in all_
  };
  using Place = std::tuple<ir::SymbolId, std::uint32_t, std::uint8_t>;  // parameter, offset, bits

  void findSpecial(ir::Instruction& move);
  void findLoad(ir::Instruction& load);
  void addRead(ir::Instruction& instruction, ir::RegisterId target, std::size_t number);
  void replace(const Read& read, const std::vector<ir::RegisterId>& tested);

  ir::Function* kernel_;
  std::vector<KernelNumber> all_;
  std::map<std::string, std::size_t, std::less<>> ofSpecial_;
  std::map<Place, std::size_t> ofParameter_;
  std::vector<Read> reads_;
};

}  // namespace ptxopt::passes
