// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk of `early-cse` over one function: down the dominator tree, with an explicit stack, and
// scoped tables of expressions (expression_key.h), of calls (repeated_calls.h) and of what memory
// is known to hold (available_loads.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/flow/liveness.h"
#include "passes/redundancy/available_loads.h"
#include "passes/redundancy/dead_stores.h"
#include "passes/redundancy/known_bits.h"
#include "passes/redundancy/known_numbers.h"
#include "passes/redundancy/memory_walk.h"
#include "passes/redundancy/module_facts.h"
#include "passes/redundancy/register_contents.h"
#include "passes/redundancy/repeated_calls.h"
#include "passes/redundancy/scoped_table.h"
#include "passes/redundancy/value_replacer.h"

namespace ptxopt::passes {

enum class AcrossBlocks : std::uint8_t {
  No,
  WhereLive,  // where the value is in its register anyway
  Yes,
};

// The pass says what they are by default.
struct EarlyCseOptions {
  bool memorySsa = false;
  std::size_t memorySsaCap = 0;  // queries a block
  std::size_t phiOperands = 0;   // phis with more are not compared
  bool debugHash = false;
  bool mergeCheap = false;
  AcrossBlocks acrossBlocks = AcrossBlocks::No;
};

class EarlyCseWalk {
 public:
  struct Inputs {
    const EarlyCseOptions& options;
    const ModuleFacts& facts;
    const analysis::ValueRanges* ranges = nullptr;  // null without memory SSA
    MemoryWalk* memoryWalk = nullptr;               // null without memory SSA
  };

  // All must outlive the object.
  EarlyCseWalk(SsaRewrite& rewrite, const Inputs& inputs, ValueClaims& claims,
               PassContext& context);

  void run();

  // Scopes of calls that went; nothing but declarations is left in them.
  const std::vector<const ir::Statement*>& emptyScopes() const { return calls_.emptyScopes(); }
  // Masks of used bytes whose loads were removed.  They must go too, or they would apply to other
  // loads (docs/soundness/ E.9.12).
  std::vector<ir::Statement*> masksWithoutLoad() const;

 private:
  using BlockId = analysis::BlockId;
  using ValueId = analysis::ValueId;

  // A block whose dominator subtree the walk is in.
  struct Frame {
    BlockId block;
    std::size_t expressions;  // marks at its beginning
    std::size_t calls;
    std::size_t registers;
    AvailableLoads::Mark atEnd;
    std::uint32_t extendedBlock;
  };
  // What an expression gave, and where: in a function with calls, a value is not kept across one.
  struct Expression {
    ValueId value;  // the first that it defines
    std::uint32_t extendedBlock;
  };
  struct KnownElements;

  std::vector<BlockId> inOrder() const;
  void enterBlock(BlockId b);
  void leaveBlocksBefore(BlockId b);
  void visitBlock(BlockId b);
  void visitPhi(ValueId phi);
  void visit(const ir::Instruction& instruction);
  void visitStore(const ir::Instruction& instruction, const PlainAccess& access);
  void visitOther(const ir::Instruction& instruction);

  void visitExpression(const ir::Instruction& instruction);
  void visitCopy(const ir::Instruction& instruction, ValueId source);
  void visitEqual(const ir::Instruction& instruction, ValueId source);
  bool simplify(const ir::Instruction& instruction);
  bool becomeNumber(const ir::Instruction& instruction, std::uint64_t number);
  bool mayReuse(ValueId found, BlockId block) const;
  bool isHere(ValueId value, BlockId block) const;

  void visitLoad(const ir::Instruction& instruction, const PlainAccess& access);
  bool reuse(const ir::Instruction& instruction, const PlainAccess& access);
  bool loadNumber(const ir::Instruction& instruction, const PlainAccess& access,
                  std::uint64_t number);
  KnownElements knownElements(const ir::Instruction& instruction, const PlainAccess& access);

  void noteHashing();

  SsaRewrite& rewrite_;
  const analysis::Ssa& ssa_;
  const analysis::Cfg& cfg_;
  const analysis::Liveness& liveness_;
  const EarlyCseOptions& options_;
  const ModuleFacts& facts_;
  ValueClaims& claims_;
  PassContext& context_;
  ExpressionKeys keys_;
  MemoryWalk* memoryWalk_;
  AvailableLoads memory_;
  const AvailableLoads::Mark start_;
  DeadStores deadStores_;
  KnownNumbers numbers_;
  KnownBits bits_;
  RegisterContents registers_;
  ValueReplacer replacer_;
  ScopedMap<Expression> expressions_;
  RepeatedCalls calls_;
  std::vector<Frame> frames_;  // from the entry down to the block at hand
  bool hasCalls_ = false;
  std::uint32_t extendedBlock_ = 0;
  std::uint32_t nextExtendedBlock_ = 1;
  std::vector<std::uint64_t> words_;  // of the key at hand
  struct MaskedLoad {
    const ir::Instruction* load;
    ir::Statement* mask;
  };
  std::vector<MaskedLoad> masks_;
  // For claims: loads that went so far, and before each store.
  std::uint32_t loadsGone_ = 0;
  std::unordered_map<const ir::Instruction*, std::uint32_t> loadsGoneBefore_;
};

}  // namespace ptxopt::passes
