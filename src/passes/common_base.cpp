// common-base: addresses that differ by a constant share a register and take immediate offsets.
//
// An address that nothing but accesses needs goes if, at all of these, a register holds another one
// from which it differs by a constant (address_groups.h): they become [base+offset], and what only
// computed the address goes.
//
// docs/soundness.md D4, E.11.  Cost: O(operands), and that of Addresses.
#include "passes/common_base.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/manager.h"
#include "passes/address_groups.h"
#include "passes/dead_values.h"
#include "passes/ssa_rewrite.h"

namespace ptxopt::passes {

namespace {

using analysis::BlockId;
using analysis::kNone;
using analysis::Ssa;
using analysis::ValueId;
using ir::Instruction;

// What an immediate of SASS holds (docs/soundness.md D4.3).
constexpr std::int64_t kMostOffset = (std::int64_t{1} << 23) - 1;

struct CommonBaseOptions {
  bool isEnabled = true;
};

// Which values go, and what takes their places.
class BasePlan {
 public:
  using Member = AddressGroups::Member;
  struct Place {
    ValueId base = kNone;
    std::int64_t offset = 0;
  };

  BasePlan(const SsaRewrite& rewrite, const AddressGroups& groups, PassContext& context)
      : rewrite_(rewrite),
        ssa_(rewrite.ssa()),
        groups_(groups),
        context_(context),
        readers_(ssa_.valueCount()),
        firstMember_(ssa_.valueCount(), kNone),
        memberCount_(ssa_.valueCount()),
        nextMember_(groups.members().size(), kNone),
        places_(groups.members().size()),
        isDead_(ssa_.valueCount()),
        lostReader_(ssa_.valueCount()) {
    countReaders();
    const std::span<const Member> members = groups_.members();
    for (std::uint32_t m = 0; m < members.size(); ++m) {
      places_[m] = {members[m].value, members[m].operand->immediate};
      addMember(members[m].value, m);
    }
  }

  // Users before what they use: an operand has a smaller number.
  void run() {
    for (ValueId v = ssa_.valueCount(); v-- > 0 && !isStopped_;) {
      if (!mayGo(v)) continue;
      if (readers_[v] == 0) {
        if (lostReader_.test(v) && spend()) kill(v);
      } else if (readers_[v] == memberCount_[v]) {
        const ValueId base = baseFor(v);
        if (base != kNone && spend()) move(v, base);
      }
    }
  }

  bool isChanged() const { return isChanged_; }
  bool isDead(ValueId value) const { return isDead_.test(value); }
  const Place& placeOf(std::uint32_t member) const { return places_[member]; }

 private:
  void countReaders() {
    const auto count = [&](ValueId value) {
      if (value != kNone) ++readers_[value];
    };
    for (const BlockId b : ssa_.dominators().preorder()) {
      for (const Instruction& instruction : ssa_.cfg().instructions(b)) {
        ssa_.forEachUse(instruction, count);
      }
    }
    for (ValueId v = 0; v < ssa_.valueCount(); ++v) {
      if (ssa_.isPhi(v)) {
        for (const ValueId operand : ssa_.phiOperands(v)) count(operand);
      } else {
        count(ssa_.old(v));
      }
    }
  }

  void addMember(ValueId value, std::uint32_t member) {
    nextMember_[member] = firstMember_[value];
    firstMember_[value] = member;
    ++memberCount_[value];
  }

  bool spend() {
    isStopped_ = !context_.budget.spend();
    return !isStopped_;
  }

  // Its instruction computes it and nothing else, and can go without it.
  bool mayGo(ValueId v) const {
    if (!ssa_.isDefinition(v) || ssa_.isCarry(v)) return false;
    if (memberCount_[v] == 0 && !lostReader_.test(v)) return false;
    const Instruction& instruction = ssa_.instruction(v);
    std::size_t count = 0;
    ssa_.forEachDefinition(instruction, [&](ValueId) { ++count; });
    return count == 1 && isRemovable(rewrite_, instruction);
  }

  ValueId baseFor(ValueId v) const {
    const std::span<const Member> members = groups_.members();
    for (const AddressGroups::Candidate& candidate :
         groups_.candidates(members[firstMember_[v]])) {
      if (candidate.value < v && !isDead_.test(candidate.value) && servesAll(candidate.value, v)) {
        return candidate.value;
      }
    }
    return kNone;
  }

  bool servesAll(ValueId base, ValueId v) const {
    const std::int64_t distance = groups_.distance(base, v);
    for (std::uint32_t m = firstMember_[v]; m != kNone; m = nextMember_[m]) {
      const auto candidates = groups_.candidates(groups_.members()[m]);
      const auto isBase = [&](const AddressGroups::Candidate& candidate) {
        return candidate.value == base && candidate.isNear;
      };
      std::int64_t offset = 0;
      if (__builtin_add_overflow(distance, places_[m].offset, &offset) || offset > kMostOffset ||
          offset < -kMostOffset || std::ranges::none_of(candidates, isBase)) {
        return false;
      }
    }
    return true;
  }

  void move(ValueId v, ValueId base) {
    note(v, base);
    const std::int64_t distance = groups_.distance(base, v);
    context_.statistics["accesses"] += memberCount_[v];
    readers_[base] += memberCount_[v];
    readers_[v] = memberCount_[v] = 0;
    for (std::uint32_t m = firstMember_[v]; m != kNone;) {
      const std::uint32_t next = nextMember_[m];
      places_[m] = {base, places_[m].offset + distance};
      addMember(base, m);
      m = next;
    }
    firstMember_[v] = kNone;
    kill(v);
  }

  void kill(ValueId v) {
    isChanged_ = true;
    isDead_.set(v);
    ++context_.statistics["instructions"];
    const auto lose = [&](ValueId value) {
      if (value == kNone) return;
      --readers_[value];
      lostReader_.set(value);
    };
    ssa_.forEachUse(ssa_.instruction(v), lose);
    lose(ssa_.old(v));
  }

  void note(ValueId v, ValueId base) {
    if (!context_.wantRemarks) return;
    const ir::Function& function = rewrite_.function();
    Remark remark;
    remark.pass = kCommonBase.name;
    remark.kind = RemarkKind::Passed;
    remark.function = &function;
    remark.place = ssa_.instruction(v).source;
    remark.message =
        fmt::format("{}: {} through {}{:+}", function.registerName(ssa_.reg(v)),
                    memberCount_[v] == 1 ? "its access goes"
                                         : fmt::format("its {} accesses go", memberCount_[v]),
                    function.registerName(ssa_.reg(base)), groups_.distance(base, v));
    remark.details.emplace_back("accesses", std::to_string(memberCount_[v]));
    context_.remark(std::move(remark));
  }

  const SsaRewrite& rewrite_;
  const Ssa& ssa_;
  const AddressGroups& groups_;
  PassContext& context_;
  std::vector<std::uint32_t> readers_;      // by value; accesses are among them
  std::vector<std::uint32_t> firstMember_;  // by value
  std::vector<std::uint32_t> memberCount_;  // by value
  std::vector<std::uint32_t> nextMember_;   // by member
  std::vector<Place> places_;               // by member
  BitSet isDead_;
  BitSet lostReader_;
  bool isChanged_ = false;
  bool isStopped_ = false;
};

// ---- edits -------------------------------------------------------------------------------------

void edit(ir::Function& function, const Ssa& ssa, const AddressGroups& groups,
          const BasePlan& plan) {
  std::vector<Instruction*> dead;
  std::uint32_t m = 0;
  for (const BlockId b : ssa.dominators().preorder()) {
    for (Instruction& instruction : ssa.cfg().instructions(b)) {
      bool isDead = false;
      ssa.forEachDefinition(instruction, [&](ValueId value) { isDead |= plan.isDead(value); });
      if (isDead) dead.push_back(&instruction);
      const auto members = groups.members();
      for (; m < members.size() && members[m].instruction == &instruction; ++m) {
        const BasePlan::Place& place = plan.placeOf(m);
        if (place.base == members[m].value) continue;
        ir::Operand& operand =
            instruction.operands()[static_cast<std::size_t>(members[m].operand -
                                                            instruction.operands().data())];
        operand.id = static_cast<std::uint32_t>(ssa.reg(place.base));
        operand.immediate = place.offset;
        operand.hasOffset = false;
        function.markChanged(&instruction);
      }
    }
  }
  for (Instruction* instruction : dead) function.erase(instruction);
}

class CommonBase : public Pass {
 public:
  explicit CommonBase(const CommonBaseOptions& options) : options_(options) {}

  bool run(ir::Function& function, PassContext& context) const override {
    if (!options_.isEnabled) return false;
    const Ssa& ssa = context.analyses.get<Ssa>();
    const SsaRewrite rewrite(function, ssa);
    const AddressGroups groups(rewrite, context.analyses.get<analysis::Addresses>(),
                               context.analyses.get<analysis::Liveness>());
    BasePlan plan(rewrite, groups, context);
    plan.run();
    if (!plan.isChanged()) return false;
    edit(function, ssa, groups, plan);
    return true;
  }

 private:
  CommonBaseOptions options_;
};

std::unique_ptr<Pass> create(const PassOptions& options, std::string& error) {
  CommonBaseOptions ways;
  for (const auto& [name, value] : options) {
    if (name == "cbe-enable" && (value == "0" || value == "1")) {
      ways.isEnabled = value == "1";
    } else {
      error = fmt::format("there is no option '{}'", name);
      return nullptr;
    }
  }
  return std::make_unique<CommonBase>(ways);
}

}  // namespace

const PassInfo kCommonBase = {
    "common-base", "Lets addresses that differ by a constant share a register.", "cbe-enable=0|1",
    create};

}  // namespace ptxopt::passes
