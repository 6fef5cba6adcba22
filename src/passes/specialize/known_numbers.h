// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that all launches of a kernel have in common, as constants in its code.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/module.h"

namespace ptxopt::passes {

struct KnownNumber {
  const ir::Variable* parameter = nullptr;  // null: a special register
  std::string special;                      // "%nctaid.x"
  isa::Type type = isa::Type::None;
  std::uint64_t bits = 0;
  bool needsTest = true;  // false: a directive or an assumption of the user says it, too
  bool isRead = false;    // the code has it as a constant now
};

class KnownNumbers {
 public:
  void addSpecial(std::string name, std::uint32_t value, bool needsTest);
  // False if another number of the parameter is known.
  bool addParameter(const ir::Variable& parameter, std::uint64_t bits);

  // Puts the numbers in the place of the instructions that read them: a mov from a special register
  // and a plain load of all of a parameter.  Returns whether there were any.  O(statements).
  bool replaceReads(ir::Function& kernel);
  const std::vector<KnownNumber>& all() const { return all_; }

 private:
  bool replaceSpecial(ir::Function& kernel, ir::Instruction& move);
  bool replaceLoad(ir::Function& kernel, ir::Instruction& load);

  std::vector<KnownNumber> all_;
  std::unordered_map<std::string, std::size_t> ofSpecial_;
  std::unordered_map<ir::SymbolId, std::size_t> ofParameter_;
};

}  // namespace ptxopt::passes
