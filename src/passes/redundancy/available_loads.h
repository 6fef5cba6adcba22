// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which loads and stores are available: what memory is known to hold, along a walk down the
// dominator tree.
//
// An extended basic block is a chain of blocks each of which has the one before it as its only
// predecessor: what was loaded or stored earlier in it was so on every path, once.  Where paths
// meet, or something orders memory (docs/soundness/ D1.3), a new one begins for the spaces
// concerned.  Stores of the extended basic block are kept in a list; a value is known as long as
// none of them since may have touched its bytes.  Of memory that nobody writes, values are known in
// all that is dominated (D1.11). What is not known so may be known to a MemoryWalk, where there is
// one.  Where there are ranges, a store of a number that fits in fewer bytes than its register says
// what a narrower load gives (D1.13).
//
// Cost: O(1) for each access, and up to kMostStores comparisons of addresses when a value is found;
// that of the walk.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/values/value_range.h"
#include "passes/redundancy/expression_key.h"
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

  // `sharedIsWrittenAsynchronously`: asynchronous copies may write shared memory at any time
  // (D1.1). `ncIsInvariant`: nobody writes what .nc loads read.  `walk` and `ranges` may be null.
  AvailableLoads(const SsaRewrite& rewrite, const ExpressionKeys& keys,
                 bool sharedIsWrittenAsynchronously, bool ncIsInvariant, MemoryWalk* walk,
                 const analysis::ValueRanges* ranges);

  // ---- addresses --------------------------------------------------------------------------------
  // Notes that the register that `instruction` defines is another one, or a symbol, plus a number.
  void noteAddress(const ir::Instruction& instruction);

  // What an access touches, where it is executed.
  Bytes allBytesOf(const ir::Instruction& instruction, const PlainAccess& access) const;
  bool mayOverlap(const Bytes& a, const Bytes& b) const;
  // Every byte of `b` is one of `a`, for certain.
  static bool covers(const Bytes& a, const Bytes& b);

  // ---- the walk ---------------------------------------------------------------------------------
  struct Mark {
    std::uint64_t outer;
    std::uint64_t local;
    std::size_t stores;
    std::size_t known;
  };
  Mark mark() const { return {outer_, local_, stores_.size(), table_.mark()}; }
  // Goes on where a mark was set: in its extended basic block, or in a new one.
  void goBack(const Mark& mark, bool sameExtendedBlock);
  // What an instruction that is no plain access does to what is known.
  void pass(const ir::Instruction& instruction);

  struct Known {
    ValueId value = kNone;
    bool isStored = false;
    bool isInExtendedBlock = false;  // no paths have met since
    bool isAfterCall = false;        // a call may have been executed since
    bool isOwn = false;              // of local memory, through a generic address too
    bool needsInvariance = false;    // it is known because .nc memory is assumed not to be written
  };
  // Of an element of a load that has the guard of its instruction.
  std::optional<Known> find(const ir::Instruction& instruction, const PlainAccess& access,
                            std::uint32_t element);
  // After the load or store.
  void noteLoad(const ir::Instruction& instruction, const PlainAccess& access);
  void noteStore(const ir::Instruction& instruction, const PlainAccess& access);

 private:
  struct Fact {
    ValueId value;
    std::uint64_t outer, local;  // extended basic blocks
    std::size_t stores;          // before it
    ValueId guard;               // kNone: without one
    bool isNegated;
    bool isStored;
    const ir::Instruction* instruction;
  };
  static constexpr std::size_t kMostStores = 64;

  Base baseOf(const ir::Instruction& instruction, const ir::Operand& address) const;
  Base baseOf(ValueId value) const;
  Bytes bytesOf(const ir::Instruction& instruction, const PlainAccess& access,
                std::uint32_t element) const;
  bool isObject(const Bytes& bytes) const;
  bool isTracked(const PlainAccess& access) const;
  bool isUnchanged(const Fact& fact, const PlainAccess& access, const Bytes& bytes) const;
  void makeKey(const Bytes& bytes, std::uint32_t extension);
  std::uint32_t extensionOf(const PlainAccess& access, const ir::Operand& data) const;
  void enter(const ir::Instruction& instruction, const PlainAccess& access, ValueId value,
             std::uint32_t element, bool isStored);
  void enter(const ir::Instruction& instruction, const Bytes& bytes, std::uint32_t extension,
             ValueId value, bool isStored);
  void enterNarrower(const ir::Instruction& instruction, const PlainAccess& access,
                     std::uint32_t element);

  const SsaRewrite& rewrite_;
  const ExpressionKeys& keys_;
  const bool sharedIsWrittenAsynchronously_;
  const bool ncIsInvariant_;
  MemoryWalk* walk_;
  const analysis::ValueRanges* ranges_;
  std::vector<Base> bases_;  // by value
  ScopedTable table_;
  std::vector<Fact> facts_;    // by entry of table_
  std::vector<Bytes> stores_;  // of the extended basic blocks that the walk is in
  std::vector<std::uint64_t> key_;
  std::uint64_t outer_ = 0;  // extended basic block of all but local memory
  std::uint64_t local_ = 0;
  std::uint64_t next_ = 1;
};

}  // namespace ptxopt::passes
