// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/async/expected_bytes.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "analysis/async/mbarrier_operand.h"
#include "ir/statement.h"
#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;
using ir::Operand;
using isa::AsyncRole;

// None for a number that only the launch knows.
std::optional<std::int64_t> numberIn(const Operand* operand) {
  const bool isNumber = operand != nullptr && operand->kind == ir::OperandKind::Integer;
  return isNumber ? std::optional(operand->immediate) : std::nullopt;
}

// What may have happened to one mbarrier since the last wait: a bit for each.
enum Seen : std::uint8_t { kNothing = 1, kCopied = 2, kExpected = 4, kBoth = 8 };

// Then `one` happens as well.
std::uint8_t withAnother(std::uint8_t seen, Seen one) {
  const bool isAlone = (seen & (kNothing | one)) != 0;
  const bool isWithOther = (seen & ~(kNothing | one)) != 0;
  return static_cast<std::uint8_t>((isAlone ? one : 0) | (isWithOther ? kBoth : 0));
}

// As an operand names it: two names may be of one mbarrier, and its bytes are then those of both.
struct Name {
  explicit Name(const Operand& operand)
      : base(operand.base), id(operand.id), offset(operand.immediate) {}
  bool isIn(const Operand& written) const {
    return base == ir::AddressBase::Register && id == written.id;
  }
  friend bool operator==(const Name&, const Name&) = default;

  ir::AddressBase base;
  std::uint32_t id;
  std::int64_t offset;
};

struct Balance {
  Name of;
  std::int64_t bytes = 0;  // expected, and not copied
  std::uint8_t seen = kNothing;

  bool isEven() const { return (seen & (kCopied | kExpected)) == 0; }
  friend bool operator==(const Balance&, const Balance&) = default;
};
using Balances = std::vector<Balance>;

Balance* find(Balances& balances, const Name& of) {
  const auto found = std::ranges::find(balances, of, &Balance::of);
  return found == balances.end() ? nullptr : &*found;
}

class Flow {
 public:
  explicit Flow(const Cfg& cfg) : cfg_(cfg), atEntry_(cfg.blockCount() + std::size_t{1}) {}

  ExpectedBytes run() {
    atEntry_[cfg_.entry()].emplace();
    std::vector<BlockId> work{cfg_.entry()};
    while (!work.empty() && isEven_) {
      const BlockId block = work.back();
      work.pop_back();
      Balances balances = *atEntry_[block];
      for (const Instruction& instruction : cfg_.instructions(block)) pass(instruction, balances);
      for (const BlockId next : cfg_.successors(block)) {
        if (next != cfg_.exit() && enter(next, balances)) work.push_back(next);
      }
    }
    if (!isEven_) return ExpectedBytes::Other;
    if (!areSized_) return ExpectedBytes::Somewhere;
    return isExact_ ? ExpectedBytes::Exact : ExpectedBytes::Other;
  }

 private:
  void pass(const Instruction& instruction, Balances& balances) {
    const AsyncRole role = isa::asyncRoleOf(*instruction.desc);
    if (role == AsyncRole::Wait) {
      for (const Balance& balance : balances) settle(balance);
      balances.clear();
    } else if (role == AsyncRole::ArriveExpect || role == AsyncRole::CopyIn) {
      count(instruction, role, balances);
    }
    if (balances.empty()) return;
    // From now on such an operand names another mbarrier.
    ir::forEachRegister(instruction, [&](const Operand& operand) {
      if (!operand.writes) return;
      std::erase_if(balances, [&](const Balance& balance) {
        if (balance.of.isIn(operand)) settle(balance);
        return balance.of.isIn(operand);
      });
    });
  }

  void count(const Instruction& instruction, AsyncRole role, Balances& balances) {
    const Name of(*mbarrierOperand(instruction, role));
    Balance* balance = find(balances, of);
    if (balance == nullptr) {
      isEven_ &= !reaches(balances.size(), Limit::OpenMbarriers);
      balance = &balances.emplace_back(Balance{of});
    }
    const bool isCopy = role == AsyncRole::CopyIn;
    const bool isTensor = instruction.desc->has(".tensor");
    const auto bytes = isTensor ? std::nullopt : numberIn(instruction.operand(2));
    areSized_ &= bytes.has_value();
    balance->bytes += isCopy ? -bytes.value_or(0) : bytes.value_or(0);
    balance->seen = withAnother(balance->seen, isCopy ? kCopied : kExpected);
  }

  void settle(const Balance& balance) {
    isEven_ &= balance.isEven();
    isExact_ &= balance.bytes == 0;
  }

  // Returns whether that is new.
  bool enter(BlockId block, const Balances& balances) {
    std::optional<Balances>& known = atEntry_[block];
    if (!known) {
      known = balances;
      return true;
    }
    // Where one path has no balance of an mbarrier, nothing has happened to it there.
    const Balances before = *known;
    for (Balance& balance : *known) {
      const auto other = std::ranges::find(balances, balance.of, &Balance::of);
      const bool isIn = other != balances.end();
      balance.seen |= isIn ? other->seen : std::uint8_t{kNothing};
      isExact_ &= balance.bytes == (isIn ? other->bytes : 0);
    }
    for (const Balance& balance : balances) {
      if (find(*known, balance.of) != nullptr) continue;
      known->push_back(balance);
      known->back().seen |= kNothing;
      isExact_ &= balance.bytes == 0;
    }
    return before != *known;
  }

  const Cfg& cfg_;
  IdVector<BlockId, std::optional<Balances>> atEntry_;
  bool isEven_ = true;   // there is an expectation if and only if there is a copy
  bool isExact_ = true;  // and the known sizes are the same
  bool areSized_ = true;
};

}  // namespace

ExpectedBytes expectedBytes(const Cfg& cfg) {
  return Flow(cfg).run();
}

}  // namespace ptxopt::analysis
