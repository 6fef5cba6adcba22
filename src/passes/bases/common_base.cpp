// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// common-base: addresses that differ by a constant share a register and take immediate offsets.
//
// AddressGroups finds the addresses that differ by constants and the registers that hold them, and
// BasePlan chooses the bases.  This file edits the text: accesses become [base+offset], new bases
// are computed, and unneeded computations of addresses are erased.  The names of new registers show
// their purpose: %scevcgp_N for a base, %scevcgptmp_N for an intermediate value, %baseValue_N for
// the address of a variable in the entry block, %bitCastEnd_N for the lower half of a 64-bit base.
//
// docs/soundness/ D4, E.11.  Cost: O(operands), and that of Addresses.
#include "passes/bases/common_base.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/flow/manager.h"
#include "ir/directives.h"
#include "ir/make.h"
#include "passes/bases/address_groups.h"
#include "passes/bases/base_plan.h"
#include "passes/engine/claim_sink.h"
#include "passes/ssa/ssa_rewrite.h"

namespace ptxopt::passes {

namespace {

using analysis::BlockId;
using analysis::Ssa;
using analysis::ValueId;
using ir::Instruction;
using ir::Operand;
using ir::RegisterId;

class Editor {
 public:
  Editor(ir::Function& function, const Ssa& ssa, const AddressGroups& groups, const BasePlan& plan,
         const BaseNumbers& numbers)
      : function_(function),
        ssa_(ssa),
        groups_(groups),
        plan_(plan),
        nextTemporary_(numbers.temporary) {}

  void run() {
    declareRegisters();
    // Must come before any operand changes: values are looked up by the text.
    for (std::uint32_t k = 0; k < plan_.made().size(); ++k) {
      if (plan_.isUsed(k)) compute(k);
    }
    for (const BlockId b : ssa_.dominators().preorder()) {
      for (Instruction& instruction : ssa_.cfg().instructions(b)) edit(instruction);
    }
    for (const auto& [place, made] : inserted_) function_.insertBefore(place, made);
    for (Instruction* instruction : dead_) function_.erase(instruction);
  }

 private:
  // ---- new registers ----------------------------------------------------------------------------

  isa::Type typeOf(ValueId value) const { return function_.rangeOf(ssa_.reg(value)).type; }

  // One declaration for each type.
  void declareRegisters() {
    registers_.resize(plan_.made().size());
    std::map<isa::Type, std::vector<std::pair<std::string, RegisterId*>>> names;
    for (std::uint32_t k = 0; k < plan_.made().size(); ++k) {
      if (!plan_.isUsed(k)) continue;
      const MadeBase& made = plan_.made()[k];
      registers_[k].resize(made.chain.size());
      for (std::size_t at = 0; at < made.chain.size(); ++at) {
        const bool isBase = at + 1 == made.chain.size();
        names[typeOf(made.chain[at])].emplace_back(
            isBase ? made.name : fmt::format("%scevcgptmp_{}", nextTemporary_++),
            &registers_[k][at]);
      }
    }
    for (const auto& [type, members] : names) {
      auto* declaration = function_.arena().create<ir::RegisterDeclaration>(0);
      declaration->kind = ir::StatementKind::RegisterDeclaration;
      declaration->firstRange = static_cast<std::uint32_t>(function_.registers().size());
      declaration->rangeCount = static_cast<std::uint32_t>(members.size());
      for (const auto& [name, id] : members) {
        ir::RegisterRange range;
        range.name = function_.module().name(name);
        range.type = type;
        *id = function_.addRegisters(range);
      }
      function_.insertAfter(nullptr, declaration);
    }
  }

  RegisterId registerOf(ValueId base) const {
    return ssa_.contains(base) ? ssa_.reg(base)
                               : registers_[indexOf(base) - ssa_.valueCount()].back();
  }

  // ---- computing new bases ----------------------------------------------------------------------

  void compute(std::size_t k) {
    const MadeBase& made = plan_.made()[k];
    switch (made.kind) {
      case MadeBase::Kind::Hoisted:
        computeChain(made, registers_[k], endOf(made.block));
        break;
      case MadeBase::Kind::AtEntry:
        computeChain(made, registers_[k],
                     ir::aboveDirectives(*ssa_.cfg().instructions(made.block).begin()));
        break;
      case MadeBase::Kind::Joined:
        copySources(made, registers_[k].back());
        break;
      case MadeBase::Kind::Cast:
        inserted_.emplace_back(
            ssa_.instruction(made.sources[0]).next,
            ir::makeInstruction(function_, "cvt.u32.u64",
                                {Operand::ofRegister(registers_[k].back()),
                                 Operand::ofRegister(ssa_.reg(made.sources[0]))}));
        break;
    }
  }

  // After all computations of the block.
  ir::Statement* endOf(BlockId block) const {
    const analysis::Cfg& cfg = ssa_.cfg();
    if (cfg.block(block).terminator != nullptr) {
      return ir::aboveDirectives(*cfg.block(block).terminator);
    }
    // After the scopes that end there, before the label (docs/soundness/ D6.3, D6.6).
    const analysis::Block& next = cfg.block(cfg.successors(block).front());
    ir::Statement* place = next.first;
    while (place != next.last && place->kind == ir::StatementKind::ScopeEnd) place = place->next;
    return place;
  }

  void computeChain(const MadeBase& made, const std::vector<RegisterId>& registers,
                    ir::Statement* place) {
    for (std::size_t at = 0; at < made.chain.size(); ++at) {
      const Instruction& model = ssa_.instruction(made.chain[at]);
      Instruction* copy = ir::copyInstruction(function_, model);
      std::size_t operandAt = 0;
      for (const Operand& operand : model.operands()) {
        Operand& target = copy->operands()[operandAt++];
        if (operand.kind != ir::OperandKind::Register) continue;
        if (operand.writes) {
          target.id = static_cast<std::uint32_t>(registers[at]);
          continue;
        }
        const ValueId source = plan_.standIn(ssa_.use(model, operand));
        const auto found = std::ranges::find(made.chain, source);
        const RegisterId reg =
            found == made.chain.end()
                ? registerOf(source)
                : registers[static_cast<std::size_t>(found - made.chain.begin())];
        target.id = static_cast<std::uint32_t>(reg);
      }
      inserted_.emplace_back(place, copy);
    }
  }

  void copySources(const MadeBase& made, RegisterId base) {
    const ValueId value = made.chain.back();
    const bool isWide = isa::bitWidth(typeOf(value)) == 64;
    const auto before = ssa_.cfg().predecessors(made.block);
    for (std::size_t k = 0; k < made.sources.size(); ++k) {
      const Operand to = Operand::ofRegister(base);
      const Operand from = Operand::ofRegister(ssa_.reg(made.sources[k]));
      const std::int64_t distance = groups_.distance(made.sources[k], value);
      Instruction* copy =
          distance == 0 ? ir::makeInstruction(function_, isWide ? "mov.b64" : "mov.b32", {to, from})
                        : ir::makeInstruction(function_, isWide ? "add.s64" : "add.s32",
                                              {to, from, Operand::ofInteger(distance)});
      inserted_.emplace_back(endOf(before[k]), copy);
    }
  }

  // ---- accesses ---------------------------------------------------------------------------------

  void edit(Instruction& instruction) {
    bool isDead = false;
    ssa_.forEachDefinition(instruction, [&](ValueId value) { isDead |= plan_.isDead(value); });
    if (isDead) dead_.push_back(&instruction);
    const auto members = groups_.members();
    // Operands that are not members read the stand-in too: other operands, and addresses that
    // cannot have an offset.
    renamed_.clear();
    if (plan_.hasStandIns() && !isDead) findStandIns(instruction);
    for (; member_ < members.size() && members[member_].instruction == &instruction; ++member_) {
      const BasePlan::Place& place = plan_.placeOf(member_);
      if (place.base == members[member_].value || isDead) continue;
      Operand& operand = instruction.operands()[static_cast<std::size_t>(
          members[member_].operand - instruction.operands().data())];
      operand.id = static_cast<std::uint32_t>(registerOf(place.base));
      operand.immediate = place.offset;
      operand.hasOffset = false;
      function_.markChanged(&instruction);
    }
    for (const auto& [operand, reg] : renamed_) operand->id = static_cast<std::uint32_t>(reg);
    if (!renamed_.empty()) function_.markChanged(&instruction);
  }

  void findStandIns(Instruction& instruction) {
    const auto members = groups_.members().subspan(member_);
    const auto isMember = [&](const Operand& operand) {
      for (const BasePlan::Member& member : members) {
        if (member.instruction != &instruction) return false;
        if (member.operand == &operand) return true;
      }
      return false;
    };
    for (Operand& operand : instruction.operands()) {
      if (operand.reg() == RegisterId::None || !operand.reads || isMember(operand)) continue;
      const ValueId value = ssa_.use(instruction, operand);
      if (value == ValueId::None || plan_.standIn(value) == value) continue;
      renamed_.emplace_back(&operand, registerOf(plan_.standIn(value)));
    }
  }

  ir::Function& function_;
  const Ssa& ssa_;
  const AddressGroups& groups_;
  const BasePlan& plan_;
  std::uint32_t nextTemporary_;
  std::vector<std::vector<RegisterId>> registers_;  // by made base, by place in its chain
  std::vector<std::pair<ir::Statement*, Instruction*>> inserted_;
  std::vector<std::pair<Operand*, RegisterId>> renamed_;
  std::vector<Instruction*> dead_;
  std::uint32_t member_ = 0;
};

// ---- claims ------------------------------------------------------------------------------------

// Claims that address operands equal their bases in the input.  A new base is not a value of the
// input.  Instead the claim is about two accesses with the same new base, if the address of one is
// known at the other: they differ by the difference of their offsets.
void claimAddresses(const Ssa& ssa, const AddressGroups& groups, const BasePlan& plan,
                    ValueClaims claims) {
  if (!claims) return;
  const auto members = groups.members();
  std::map<ValueId, std::vector<std::uint32_t>> membersOfMade;
  for (std::uint32_t k = 0; k < members.size(); ++k) {
    const auto& member = members[k];
    const BasePlan::Place& place = plan.placeOf(k);
    if (place.base == member.value) continue;
    const RegisterId reg = ssa.reg(member.value);
    const std::int64_t distance = place.offset - member.operand->immediate;
    if (ssa.contains(place.base)) {
      claims.equalBefore(*member.instruction, reg, place.base, distance);
      continue;
    }
    for (const std::uint32_t other : membersOfMade[place.base]) {
      const auto point = ssa.instructions().of(*member.instruction);
      if (!claims.places().isKnownAt(members[other].value, point)) continue;
      const std::int64_t ofOther = plan.placeOf(other).offset - members[other].operand->immediate;
      claims.equalBefore(*member.instruction, reg, members[other].value, distance - ofOther);
      break;
    }
    membersOfMade[place.base].push_back(k);
  }
  if (!plan.hasStandIns()) return;
  for (const ValueId value : ssa.values()) {
    if (ssa.contains(plan.standIn(value))) claims.equal(value, plan.standIn(value));
  }
}

// ---- the pass ----------------------------------------------------------------------------------

// The first number after all those in names of the module with this prefix.
std::uint32_t firstFree(const ir::Module& module, std::string_view prefix) {
  std::uint32_t free = 0;
  const Interner& names = module.names();
  for (std::uint32_t id = 1; id < names.size(); ++id) {
    const std::string_view name = names.text(NameId{id});
    if (!name.starts_with(prefix)) continue;
    std::uint32_t number = 0;
    std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
    free = std::max(free, number + 1);
  }
  for (const ir::Function& function : module.functions()) {
    for (const ir::RegisterRange& range : function.registers()) {
      const bool isNamed = range.parametrised && module.text(range.name) == prefix;
      if (isNamed) free = std::max(free, range.count);
    }
  }
  return free;
}

class CommonBase : public Pass {
 public:
  explicit CommonBase(const CommonBaseOptions& options) : options_(options) {}

  void prepare(const ir::Module& module, analysis::ModuleAnalyses&) override {
    numbers_.merged = firstFree(module, "%scevcgp_");
    numbers_.temporary = firstFree(module, "%scevcgptmp_");
    numbers_.atEntry = firstFree(module, "%baseValue_");
    numbers_.cast = firstFree(module, "%bitCastEnd_");
  }

  // No other pass makes registers with these names.
  bool isLocal(const ir::Function&) const override { return true; }

  bool run(ir::Function& function, PassContext& context) const override {
    if (!options_.isEnabled) return false;
    const Ssa& ssa = context.analyses.get<Ssa>();
    const SsaRewrite rewrite(function, ssa);
    const AddressGroups groups(
        rewrite, context.analyses.get<analysis::Addresses>(),
        context.analyses.get<analysis::Liveness>(), [&](std::size_t block, std::size_t blocks) {
          if (context.progress == nullptr) return;
          (*context.progress)(fmt::format("{}: function {}, block {} of {}", kCommonBase.name,
                                          function.nameText(), block, blocks));
        });
    if (groups.areAllAlone() && !groups.areRoundsMet()) {
      const std::size_t addresses = groups.members().size();
      if (addresses != 0) context.found["addresses"] += addresses;
      return false;
    }
    BasePlan plan(rewrite, groups, options_, numbers_, context);
    plan.run();
    if (!plan.isChanged()) return false;
    claimAddresses(ssa, groups, plan,
                   ValueClaims(ssa, ClaimSink(kCommonBase.name, function, context.claims)));
    Editor(function, ssa, groups, plan, numbers_).run();
    return true;
  }

 private:
  CommonBaseOptions options_;
  BaseNumbers numbers_;
};

using Kind = PassOption::Kind;
constexpr PassOption kOptions[] = {
    {.name = "cbe-enable",
     .kind = Kind::Number,
     .most = 1,
     .preset = 1,
     .flag = "cbe-enable",
     .help = "0: the pass does nothing"},
    {.name = "cbe-max-depth",
     .kind = Kind::Number,
     .most = 64,
     .preset = 8,
     .flag = "cbe-max-depth",
     .help = "Most instructions that compute a base, and most levels of the\n"
             "dominator tree between it and its accesses"},
    {.name = "cbe-max-iter",
     .kind = Kind::Number,
     .most = 1000,
     .preset = 16,
     .flag = "cbe-max-iter",
     .help = "Rounds that merge the addresses of a group"},
    {.name = "cbe-min-uses",
     .kind = Kind::Number,
     .least = 1,
     .most = 1000,
     .preset = 2,
     .flag = "cbe-min-uses",
     .help = "Accesses that a new base must serve"},
    {.name = "cbe-clone-allocas",
     .kind = Kind::Number,
     .most = 1,
     .preset = 1,
     .flag = "cbe-clone-allocas",
     .help = "1: compute the address of a variable once, in the entry block if no\n"
             "nearer place is possible"},
};

std::unique_ptr<Pass> makeCommonBase(const OptionValues& given, std::string&) {
  const auto number = [&](std::string_view name) {
    return static_cast<unsigned>(given.number(name));
  };
  CommonBaseOptions ways;
  ways.isEnabled = number("cbe-enable") != 0;
  ways.maxDepth = number("cbe-max-depth");
  ways.maxIterations = number("cbe-max-iter");
  ways.minUses = number("cbe-min-uses");
  ways.clonesAllocas = number("cbe-clone-allocas") != 0;
  return std::make_unique<CommonBase>(ways);
}

}  // namespace

const PassInfo kCommonBase = {
    "common-base",
    "Lets addresses that differ by a constant share a register.",
    kOptions,
    makeCommonBase,
};

}  // namespace ptxopt::passes
