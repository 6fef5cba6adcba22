// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/bases/variable_bases.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "passes/redundancy/dead_values.h"

namespace ptxopt::passes {

using analysis::BlockId;
using analysis::Ssa;
using analysis::ValueId;
using ir::Instruction;
using ir::OperandKind;

namespace {

class VariableBases {
 public:
  VariableBases(BaseAssignment& bases, const analysis::Loops& loops, const DeclaredAhead& declared)
      : bases_(bases), ssa_(bases.ssa()), loops_(loops), declared_(declared) {}

  void run() {
    for (auto& [key, values] : findCopies()) {
      if (bases_.isStopped()) return;
      share(std::move(values));
    }
  }

 private:
  // Of one variable with one offset, as one type.
  using Key = std::tuple<ir::SymbolId, std::int64_t, isa::Type>;
  using Copies = std::map<Key, std::vector<ValueId>>;

  // Phis join them, or they stay where a guard does not hold.
  BitSet sharedValues() const {
    BitSet isShared(ssa_.valueCount());
    for (const ValueId v : ssa_.values()) {
      const auto share = [&](ValueId value) {
        if (value != ValueId::None) isShared.set(value);
      };
      if (ssa_.isPhi(v)) {
        for (const ValueId operand : ssa_.phiOperands(v)) share(operand);
      } else {
        share(ssa_.old(v));
      }
    }
    return isShared;
  }

  Copies findCopies() const {
    Copies copies;
    for (const ValueId v : ssa_.values()) {
      if (!ssa_.isDefinition(v) || ssa_.isCarry(v) || bases_.readersOf(v) == 0) continue;
      const Instruction& instruction = ssa_.instruction(v);
      const auto operands = instruction.operands();
      if (!instruction.is(isa::Opcode::Mov) || instruction.guard || operands.size() != 2 ||
          operands[1].kind != OperandKind::Symbol || !bases_.groups().isKeptForGood(v) ||
          !isRemovable(bases_.rewrite(), instruction)) {
        continue;
      }
      if (!declared_.contains(operands[1].symbol())) continue;
      const isa::Type type = bases_.rewrite().function().rangeOf(ssa_.reg(v)).type;
      copies[{operands[1].symbol(), operands[1].immediate, type}].push_back(v);
    }
    if (copies.empty()) return copies;
    const BitSet isShared = sharedValues();
    for (auto& [key, values] : copies) {
      std::erase_if(values, [&](ValueId v) { return isShared.test(v); });
    }
    return copies;
  }

  // Makes one of them, where that is worth it.
  void share(std::vector<ValueId> values) {
    const auto isApart = [&](const CallFreePaths::Point& from) {
      return [&](ValueId v) {
        return !bases_.calls().isEmpty() &&
               (bases_.readersOf(v) != bases_.memberCount(v) || !bases_.isCallFree(from, v));
      };
    };
    if (values.size() < 2 || values.size() < bases_.options().minUses) return;
    const BlockId first = ssa_.block(values.front());
    const auto isBelow = [&](ValueId v) {
      return ssa_.dominators().dominates(first, ssa_.block(v));
    };
    const auto isInLoop = [&](ValueId v) {
      return loops_.loopOf(ssa_.block(v)) == loops_.loopOf(first);
    };
    ValueId base = values.front();
    if (std::ranges::all_of(values, isBelow)) {
      // Measured: else kernels lose a step of occupancy.
      if (!std::ranges::all_of(values, isInLoop)) return;
      std::erase_if(values, isApart(bases_.calls().after(base)));
    } else {
      std::erase_if(values, isApart(bases_.calls().beginningOf(ssa_.cfg().entry())));
      if (values.size() < 2 || values.size() < bases_.options().minUses) return;
      if (!bases_.spend()) return;
      MadeBase made;
      made.kind = MadeBase::Kind::AtEntry;
      made.block = ssa_.cfg().entry();
      made.chain = {values.front()};
      base = bases_.addMade(std::move(made));
    }
    for (const ValueId v : values) {
      if (v == base) continue;
      if (!bases_.spend()) return;
      bases_.replace(v, base);
    }
  }

  BaseAssignment& bases_;
  const Ssa& ssa_;
  const analysis::Loops& loops_;
  const DeclaredAhead& declared_;
};

}  // namespace

DeclaredAhead::DeclaredAhead(const SsaRewrite& rewrite) : rewrite_(rewrite) {
  for (const ir::Statement& statement : rewrite.function().body()) {
    if (statement.kind == ir::StatementKind::Instruction ||
        statement.kind == ir::StatementKind::ScopeBegin) {
      break;
    }
    const auto* declaration = statement.as<ir::VariableDeclaration>();
    if (declaration == nullptr) continue;
    for (const ir::Variable* variable : declaration->variables) {
      ofFunction_.push_back(variable->symbol);
    }
  }
  std::ranges::sort(ofFunction_);
}

bool DeclaredAhead::contains(ir::SymbolId id) const {
  const ir::Symbol& symbol = rewrite_.function().symbolAt(id);
  if (symbol.kind != ir::SymbolKind::Variable || !rewrite_.isVisibleEverywhere(id)) return false;
  if (symbol.variable->function != nullptr) return std::ranges::binary_search(ofFunction_, id);
  // The function may declare the name again, also below its code.
  const ir::Function& function = rewrite_.function();
  if (!hiding_) hiding_.emplace(function, ir::DeclaredNames::Where::Anywhere);
  return !hiding_->mayHave(function.module().text(symbol.name));
}

void shareVariables(BaseAssignment& bases, const analysis::Loops& loops,
                    const DeclaredAhead& declared) {
  VariableBases(bases, loops, declared).run();
}

}  // namespace ptxopt::passes
