// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Available loads and stores: the contents of memory that are known during a walk down the
// dominator tree.
//
// An extended basic block is a chain of blocks in which each block is the only predecessor of the
// next.  A load or store earlier in the chain was executed on every path, once.  Where paths join,
// or an instruction orders memory (docs/soundness/ D1.3), a new extended basic block begins for the
// affected spaces.  The stores of the extended basic block are kept in a list.  A value remains
// known as long as no later store may have overwritten its bytes.  Values of memory that nobody
// writes are known in all dominated blocks (D1.11).  If a value is not known in this way, a
// MemoryWalk, if there is one, may still find it.  With ranges, a store of a number that fits in
// fewer bytes than its register also gives the value of a narrower load (D1.13).
//
// Cost: O(1) for each access, up to Limit::StoresBetween comparisons of addresses when a value is
// found, and the cost of the MemoryWalk.  What is stored may also be a number that no register
// holds.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/values/value_range.h"
#include "passes/redundancy/async_copies.h"
#include "passes/redundancy/expression_key.h"
#include "passes/redundancy/known_numbers.h"
#include "passes/redundancy/memory_walk.h"
#include "passes/redundancy/plain_access.h"
#include "passes/redundancy/scoped_table.h"
#include "passes/ssa/ssa_rewrite.h"

namespace ptxopt::passes {

class AvailableLoads {
 public:
  using ValueId = analysis::ValueId;

  enum class BaseKind : std::uint8_t { Value, Symbol };
  struct Base {
    BaseKind kind = BaseKind::Value;
    std::uint32_t id = 0;
    std::int64_t offset = 0;
  };
  struct Bytes {
    isa::Space space = isa::Space::None;
    Base base;
    std::uint32_t size = 0;
  };

  // `ncIsInvariant`: nobody writes the memory that .nc loads read.  `walk` and `ranges` may be
  // null.
  AvailableLoads(const SsaRewrite& rewrite, const ExpressionKeys& keys, AsyncWrites copies,
                 bool ncIsInvariant, MemoryWalk* walk, const analysis::ValueRanges* ranges);

  // ---- addresses --------------------------------------------------------------------------------
  // Records that the register that `instruction` defines equals another register, or a symbol, plus
  // a number.
  void noteAddress(const ir::Instruction& instruction);

  // The bytes that the access touches when it is executed.
  Bytes allBytesOf(const ir::Instruction& instruction, const PlainAccess& access) const;
  bool mayOverlap(const Bytes& a, const Bytes& b) const;
  // True if `a` certainly contains every byte of `b`.
  static bool covers(const Bytes& a, const Bytes& b);

  // ---- the walk ---------------------------------------------------------------------------------
  struct Mark {
    std::uint64_t outer;
    std::uint64_t local;
    std::size_t stores;
    std::size_t known;
  };
  Mark mark() const { return {outer_, local_, stores_.size(), table_.mark()}; }
  // Continues where a mark was set: in its extended basic block, or in a new one.
  void goBack(const Mark& mark, bool sameExtendedBlock);
  // Removes the knowledge that an instruction which is not a plain access may invalidate.
  void pass(const ir::Instruction& instruction);

  struct Known {
    ValueId value = ValueId::None;  // None: `number`
    std::uint64_t number = 0;       // what the register of the load then holds
    bool isStored = false;
    bool isInExtendedBlock = false;  // no paths have joined since
    bool isAfterCall = false;        // a call may have been executed since
    bool isOwn = false;              // of local memory, also through a generic address
    bool needsInvariance = false;    // relies on the assumption that nobody writes .nc memory
  };
  // Finds the value of one element of a load, under the guard of the load.
  std::optional<Known> find(const ir::Instruction& instruction, const PlainAccess& access,
                            std::uint32_t element);
  // Called after the load or store.
  void noteLoad(const ir::Instruction& instruction, const PlainAccess& access);
  void noteStore(const ir::Instruction& instruction, const PlainAccess& access,
                 const KnownNumbers& numbers);

 private:
  struct Fact {
    ValueId value;               // None: `number`
    std::uint64_t number;        // the bytes in memory, with zeros above them
    std::uint64_t outer, local;  // extended basic blocks
    std::size_t stores;          // the number of stores before it
    ValueId guard;               // None if unguarded
    bool isNegated;
    bool isStored;
    const ir::Instruction* instruction;
  };

  Base baseOf(const ir::Instruction& instruction, const ir::Operand& address) const;
  Base baseOf(ValueId value) const;
  Bytes bytesOf(const ir::Instruction& instruction, const PlainAccess& access,
                std::uint32_t element) const;
  bool isObject(const Bytes& bytes) const;
  bool isTracked(const PlainAccess& access);
  bool isUnchanged(const Fact& fact, const PlainAccess& access, const Bytes& bytes) const;
  void makeKey(const Bytes& bytes, std::uint32_t extension);
  std::uint32_t extensionOf(const PlainAccess& access, const ir::Operand& data) const;
  void enter(const ir::Instruction& instruction, const PlainAccess& access, ValueId value,
             std::uint32_t element, bool isStored);
  void enter(const ir::Instruction& instruction, const Bytes& bytes, std::uint32_t extension,
             ValueId value, bool isStored, std::uint64_t number = 0);
  std::optional<Known> findByKey(const ir::Instruction& instruction, const PlainAccess& access,
                                 const Bytes& bytes);
  void enterNumber(const ir::Instruction& instruction, const PlainAccess& access,
                   std::uint32_t element, const KnownNumbers& numbers);
  void enterNarrower(const ir::Instruction& instruction, const PlainAccess& access,
                     std::uint32_t element);

  const SsaRewrite& rewrite_;
  const ExpressionKeys& keys_;
  AsyncWrites copies_;
  const bool ncIsInvariant_;
  MemoryWalk* walk_;
  const analysis::ValueRanges* ranges_;
  IdVector<ValueId, Base> bases_;
  ScopedTable table_;
  std::vector<Fact> facts_;    // by entry of table_
  bool hasNumbers_ = false;    // a number was entered
  std::vector<Bytes> stores_;  // of the extended basic blocks that the walk is in
  std::vector<std::uint64_t> key_;
  std::uint64_t outer_ = 0;  // the extended basic block for all memory except local
  std::uint64_t local_ = 0;
  std::uint64_t next_ = 1;
};

}  // namespace ptxopt::passes
