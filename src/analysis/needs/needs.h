// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which version of PTX and which target a module needs, and what in it needs them.
//
// The facts are those of the tables of src/isa/: of instructions, special registers, and
// constructs. What no table knows is assumed to need what the module states (docs/soundness/ A7).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "isa/isa.h"

namespace ptxopt::analysis {

// What one statement needs, or one thing that it names.
struct Need {
  isa::Version version;
  std::string_view target;    // isa::satisfies()
  std::uint8_t unproven = 0;  // isa::Unproven: what ptxas does not check
  isa::Since withdrawn = {};  // where it does not exist any longer
  isa::Since earlier = {};    // targets that had it before `version`
  bool isUnderstood = true;   // false: no table knows it
  std::string_view what;      // "ld.global.nc.f32", "%cluster_ctarank", ".maxclusterrank"
  const ir::Function* function = nullptr;  // null: it stands in no function
  // The instruction, pragma, location, declaration, alias, prototype or section that is `what` or
  // has it; null if that is something else that a statement names.
  const ir::Statement* statement = nullptr;
  std::string_view attribute = {};  // the text of the attribute of `function` that is or holds it
  Offset at = 0;                    // in the source text

  isa::Version versionFor(isa::Target chosen) const;
};

// What an instruction needs if it is spelled as `desc`, which must be known(): its row, and what
// its words and operands need besides.  Without the place.
Need needOf(const ir::Function& function, const ir::Instruction& instruction,
            const isa::InstructionDesc& desc);

// In the order of the text; several for a statement that names several things.  O(statements).
void forEachNeed(const ir::Module& module, const std::function<void(const Need&)>& visit);

// The order in which targets are preferred: by SM, and sm_100 before sm_100f before sm_100a.
std::vector<isa::Target> targetsByPreference();

// What a set of needs comes to.
class NeedSum {
 public:
  void add(const Need& need);

  // The first target that has everything, in the order above; of the targets with the same number,
  // one that the lowest version has.  None if nothing has everything, like 90a and 100a.
  std::optional<isa::Target> target() const;
  // The lowest version with everything, and with `target`.
  isa::Version version(isa::Target target) const;
  // The targets of the needs, each once.
  const std::vector<std::string_view>& targets() const { return targets_; }
  // The lowest version with which there may be such a target.
  isa::Version version() const;
  // The last target before this one in the order above that lacks something.
  std::optional<isa::Target> targetBelow(isa::Target target) const;

 private:
  bool satisfiesAll(isa::Target target) const;

  isa::Version version_ = {1, 0};
  std::vector<Need> exceptions_;           // with `earlier`, all different; not in version_
  std::vector<std::string_view> targets_;  // all different
};

}  // namespace ptxopt::analysis
