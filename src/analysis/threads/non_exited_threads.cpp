// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/threads/non_exited_threads.h"

#include <algorithm>
#include <vector>

namespace ptxopt::analysis {

namespace {

using ir::Instruction;

bool mayEndInside(const Cfg& cfg, const CallEffects& effects) {
  for (const BlockId b : cfg.blocks()) {
    for (const Instruction& instruction : cfg.instructions(b)) {
      const bool isKnown = instruction.desc->known();
      if (isKnown && instruction.desc->control != isa::Control::Call) continue;
      if (!isKnown || effects.ofCall(cfg.function(), instruction).mayEndThread) return true;
    }
  }
  return false;
}

// The edge ends the thread; a trap does not count, since it ends the whole grid.
bool endsThread(EdgeKind kind) {
  return kind == EdgeKind::Return || kind == EdgeKind::Exit || kind == EdgeKind::NoReturn ||
         kind == EdgeKind::UnknownExit;
}

// The transitive closure of `found` in the given direction, including `found`.
void close(const Cfg& cfg, BitSet& found, bool forward) {
  std::vector<BlockId> work;
  found.forEach([&](std::size_t b) { work.push_back(static_cast<BlockId>(b)); });
  while (!work.empty()) {
    const BlockId b = work.back();
    work.pop_back();
    for (const BlockId n : forward ? cfg.successors(b) : cfg.predecessors(b)) {
      if (found.set(n)) work.push_back(n);
    }
  }
}

}  // namespace

NonExitedThreads::NonExitedThreads(const Cfg& cfg, const Liveness& liveness,
                                   const CallEffects& effects,
                                   const Uniformity::InstructionSet& broadcasts)
    : all_(cfg.vertexCount()) {
  if (!mayEndInside(cfg, effects)) find(cfg, liveness, {}, broadcasts);
}

NonExitedThreads::NonExitedThreads(const Cfg& cfg, const Liveness& liveness,
                                   const Uniformity::InstructionSet& agree)
    : all_(cfg.vertexCount()) {
  find(cfg, liveness, agree);
}

void NonExitedThreads::find(const Cfg& cfg, const Liveness& liveness,
                            const Uniformity::InstructionSet& agree,
                            const Uniformity::InstructionSet& broadcasts) {
  BitSet everywhere(cfg.vertexCount());
  for (const BlockId b : cfg.blocksAndExit()) everywhere.set(b);
  const Uniformity uniformity(cfg, liveness, everywhere, agree, {}, broadcasts);

  // Threads may diverge at these.
  const auto decides = [&](BlockId b) {
    if (cfg.successors(b).size() < 2) return false;
    const Instruction* decision = cfg.block(b).terminator;
    if (!uniformity.isUniform(b) || decision == nullptr || !decision->desc->known()) return true;
    bool varies = decision->guard && !uniformity.isUniform(decision->guard.predicate());
    ir::forEachRegister(*decision, [&](const ir::Operand& operand) {
      varies |= operand.reads && !uniformity.isUniform(operand.reg());
    });
    return varies;
  };
  // After these blocks, some threads have ended before others.
  BitSet apart(cfg.vertexCount());
  for (const EdgeId e : cfg.inEdges(cfg.exit())) {
    const BlockId b = cfg.source(e);
    if (!endsThread(cfg.kind(e)) || !cfg.isReachable(b)) continue;
    if (!uniformity.isUniform(b) || decides(b)) apart.set(b);
  }
  close(cfg, apart, false);
  BitSet parted(cfg.vertexCount());
  apart.forEach([&](std::size_t b) {
    if (decides(static_cast<BlockId>(b))) parted.set(b);
  });
  close(cfg, parted, true);
  for (const BlockId b : cfg.blocks()) {
    // If the last statement ends the thread, that is after the other statements of the block.
    const bool isParted =
        std::ranges::any_of(cfg.predecessors(b), [&](BlockId p) { return parted.test(p); });
    if (uniformity.isUniform(b) && !isParted) all_.set(b);
  }
}

}  // namespace ptxopt::analysis
