// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/races/missing_fences.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/barrier.h"
#include "ir/effect.h"
#include "support/bit_set.h"
#include "support/limits.h"

namespace ptxopt::analysis {

namespace {

using ir::Instruction;

bool isWeakAccess(const Instruction& instruction) {
  return ir::effectOf(instruction) == isa::Effect::Weak;
}
bool isWeakStore(const Instruction& instruction) {
  return isWeakAccess(instruction) && instruction.desc->is(isa::kMemoryWrite);
}
bool isWeakLoad(const Instruction& instruction) {
  return isWeakAccess(instruction) && instruction.desc->is(isa::kMemoryRead);
}

bool writesRegister(const Instruction& instruction) {
  return std::ranges::any_of(instruction.operands(),
                             [](const ir::Operand& operand) { return operand.writes; });
}

bool isFlagStore(const Instruction& instruction) {
  return ir::effectOf(instruction) == isa::Effect::Strong &&
         instruction.desc->is(isa::kMemoryWrite);
}
bool isFlagRead(const Instruction& instruction) {
  const isa::Effect effect = ir::effectOf(instruction);
  const bool isOne = effect == isa::Effect::Strong || effect == isa::Effect::Sync;
  return isOne && instruction.desc->is(isa::kMemoryRead) && writesRegister(instruction);
}

// From shared to global memory.
bool isCopyFromShared(const Instruction& instruction) {
  const isa::InstructionDesc& desc = *instruction.desc;
  return desc.known() && desc.has(".bulk") && desc.is(isa::kCopy) &&
         desc.mnemonic.find(".global.shared::cta") != std::string_view::npos;
}

bool isAsyncProxyFence(const Instruction& instruction) {
  return instruction.desc->is(isa::kFence) &&
         instruction.desc->mnemonic.starts_with("fence.proxy.async");
}

// For copies of its thread, or what is not understood.
bool waits(const Instruction& instruction) {
  const isa::InstructionDesc& desc = *instruction.desc;
  return !desc.known() || desc.effect == isa::Effect::AsyncWait ||
         desc.control == isa::Control::Call || desc.mnemonic.starts_with("cp.async.mbarrier");
}

// For threads that see the flag: of the same CTA, or anywhere.
bool isFenceFor(const Instruction& instruction, bool isOfCta) {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (!desc.known()) return true;
  if (desc.control == isa::Control::Call) return true;  // it may have one
  if (isOfCta && ir::ctaBarrier(instruction)) return true;
  const bool releases = desc.semantics == isa::Semantics::Release ||
                        desc.semantics == isa::Semantics::AcqRel ||
                        desc.semantics == isa::Semantics::Sc;
  if (!desc.is(isa::kFence) && !releases) return false;
  if (desc.mnemonic.starts_with("fence.proxy")) return false;
  return isOfCta || desc.scope != isa::Scope::Cta;
}

// Visits the instructions on all ways from `start` backwards, or onwards, until visit() returns
// false for that way.
class Walk {
 public:
  explicit Walk(const Cfg& cfg) : cfg_(cfg) {}

  using Visit = std::function<bool(const Instruction&)>;
  void backwards(const Instruction& start, const Visit& visit) const { run(start, visit, true); }
  void onwards(const Instruction& start, const Visit& visit) const { run(start, visit, false); }
  bool isLimitMet() const { return visited_ > most(Limit::FenceVisits); }

 private:
  bool through(BlockId block, const Instruction* start, const Visit& visit, bool isBack) const {
    const auto& all = instructionsOf(block);
    bool isOnWay = start == nullptr;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (reaches(visited_++, Limit::FenceVisits)) return false;
      const Instruction* const instruction = all[isBack ? all.size() - 1 - k : k];
      if (isOnWay && !visit(*instruction)) return false;
      isOnWay |= instruction == start;
    }
    return true;
  }
  const std::vector<const Instruction*>& instructionsOf(BlockId block) const {
    std::vector<const Instruction*>& all = instructions_[block];
    if (all.empty()) {
      for (const Instruction& instruction : cfg_.instructions(block)) all.push_back(&instruction);
    }
    return all;
  }
  void run(const Instruction& start, const Visit& visit, bool isBack) const {
    BitSet seen(cfg_.vertexCount());
    std::vector<BlockId> work;
    const auto goOn = [&](BlockId block) {
      const auto reach = [&](BlockId next) {
        if (next != cfg_.exit() && seen.set(indexOf(next))) work.push_back(next);
      };
      if (isBack) {
        for (const EdgeId e : cfg_.inEdges(block)) {
          const bool isBackEdge = cfg_.source(e) >= block;  // blocks have the order of the text
          if (!isBackEdge) reach(cfg_.source(e));
        }
      } else {
        for (EdgeId e = cfg_.firstOutEdge(block); e != cfg_.endOutEdge(block); ++e)
          reach(cfg_.target(e));
      }
    };
    if (through(start.block, &start, visit, isBack)) goOn(start.block);
    while (!work.empty()) {
      const BlockId block = work.back();
      work.pop_back();
      if (through(block, nullptr, visit, isBack)) goOn(block);
    }
  }

  const Cfg& cfg_;
  mutable std::unordered_map<BlockId, std::vector<const Instruction*>> instructions_;
  mutable std::size_t visited_ = 0;  // by all walks
};

class Finder {
 public:
  Finder(const Cfg& cfg, const Addresses& addresses)
      : cfg_(cfg), addresses_(addresses), walk_(cfg) {}

  MissingFences run() {
    std::vector<const Instruction*> flagStores;
    for (const BlockId b : cfg_.blocks()) {
      if (!cfg_.isReachable(b)) continue;
      for (const Instruction& instruction : cfg_.instructions(b)) {
        if (isFlagStore(instruction)) flagStores.push_back(&instruction);
        if (isFlagRead(instruction)) flagReads_.push_back(&instruction);
        if (isCopyFromShared(instruction)) checkCopy(instruction);
        if (instruction.desc->effect == isa::Effect::AsyncCopy) checkWait(instruction);
      }
    }
    for (const Instruction* flag : flagStores) checkFlag(*flag);
    for (const Instruction* read : flagReads_) checkFlagRead(*read, flagStores);
    return {std::move(found_), walk_.isLimitMet()};
  }

 private:
  // Where it goes, if that is one variable or pointer.
  const MemoryBase* baseOf(const Instruction& instruction) const {
    const auto accesses = addresses_.of(instruction);
    const bool isOne = accesses.size() == 1 && accesses[0].bases.size() == 1 &&
                       accesses[0].bases[0].kind != MemoryBase::Kind::Unknown;
    return isOne ? &accesses[0].bases[0] : nullptr;
  }
  bool isShared(const Instruction& instruction) const {
    return instruction.desc->space == isa::Space::Shared;
  }

  void checkFlag(const Instruction& flag) {
    const MemoryBase* const of = baseOf(flag);
    if (of == nullptr) return;
    const bool isOfCta = isShared(flag) || flag.desc->scope == isa::Scope::Cta;
    const Instruction* found = nullptr;
    const Instruction* reader = nullptr;
    walk_.backwards(flag, [&](const Instruction& instruction) {
      if (found != nullptr || isFenceFor(instruction, isOfCta)) return false;
      const bool isStored = isWeakStore(instruction) && (isOfCta || !isShared(instruction));
      if (!isStored) return true;
      reader = readerAfterFlag(*of, instruction);
      if (reader != nullptr) found = &instruction;
      return found == nullptr;
    });
    if (found != nullptr) found_.push_back({MissingFence::Kind::Flag, found, &flag, reader});
  }

  // The thread that has read the flag loads without a fence, nor a barrier, what another one stores
  // before it sets the flag.
  void checkFlagRead(const Instruction& read, const std::vector<const Instruction*>& flagStores) {
    const MemoryBase* const of = baseOf(read);
    if (of == nullptr || ir::effectOf(read) != isa::Effect::Strong) return;
    const bool isOfCta = isShared(read) || read.desc->scope == isa::Scope::Cta;
    for (const Instruction* flag : flagStores) {
      const MemoryBase* const set = flag == &read ? nullptr : baseOf(*flag);
      if (set == nullptr || *set != *of) continue;
      const Instruction* load = nullptr;
      const Instruction* store = nullptr;
      walk_.onwards(read, [&](const Instruction& instruction) {
        if (load != nullptr || isFenceFor(instruction, isOfCta) || ir::ctaBarrier(instruction)) {
          return false;
        }
        const MemoryBase* const base = isWeakLoad(instruction) ? baseOf(instruction) : nullptr;
        if (base == nullptr || *base == *of) return true;
        store = storeBeforeFlag(*flag, *base);
        if (store != nullptr) load = &instruction;
        return load == nullptr;
      });
      if (load == nullptr) continue;
      found_.push_back({MissingFence::Kind::FlagRead, store, &read, load});
      return;
    }
  }

  // A weak store to what the base points to, on a way to the flag.
  const Instruction* storeBeforeFlag(const Instruction& flag, const MemoryBase& to) const {
    const Instruction* store = nullptr;
    walk_.backwards(flag, [&](const Instruction& instruction) {
      const MemoryBase* const base = isWeakStore(instruction) ? baseOf(instruction) : nullptr;
      if (base != nullptr && *base == to) store = &instruction;
      return store == nullptr;
    });
    return store;
  }

  // A weak load of what `store` writes, after a read of the flag.
  const Instruction* readerAfterFlag(const MemoryBase& flag, const Instruction& store) const {
    const MemoryBase* const stored = baseOf(store);
    const Instruction* reader = nullptr;
    if (stored == nullptr || *stored == flag) return nullptr;
    for (const Instruction* read : flagReads_) {
      const MemoryBase* const of = baseOf(*read);
      if (of == nullptr || *of != flag) continue;
      walk_.onwards(*read, [&](const Instruction& instruction) {
        const MemoryBase* const base = isWeakLoad(instruction) ? baseOf(instruction) : nullptr;
        if (base != nullptr && *base == *stored) reader = &instruction;
        return reader == nullptr;
      });
      if (reader != nullptr) break;
    }
    return reader;
  }

  void checkCopy(const Instruction& copy) {
    const Instruction* found = nullptr;
    walk_.backwards(copy, [&](const Instruction& instruction) {
      const bool ends = !instruction.desc->known() || isAsyncProxyFence(instruction) ||
                        instruction.desc->control == isa::Control::Call;
      if (found != nullptr || ends) return false;
      if (isWeakStore(instruction) && isShared(instruction)) found = &instruction;
      return found == nullptr;
    });
    if (found != nullptr) {
      found_.push_back({MissingFence::Kind::AsyncProxy, found, nullptr, &copy});
    }
  }

  // A load of what cp.async writes, before anything waits for it.
  void checkWait(const Instruction& copy) {
    const auto accesses = addresses_.of(copy);
    if (accesses.empty() || accesses[0].bases.size() != 1) return;
    const MemoryBase& to = accesses[0].bases[0];
    const Instruction* load = nullptr;
    const auto isLoad = [&](const Instruction& instruction) {
      const MemoryBase* const base = isWeakLoad(instruction) ? baseOf(instruction) : nullptr;
      if (base != nullptr && *base == to) load = &instruction;
      return load != nullptr;
    };
    std::vector<const Instruction*> barriers;
    walk_.onwards(copy, [&](const Instruction& instruction) {
      if (load != nullptr || waits(instruction)) return false;
      if (!ir::ctaBarrier(instruction)) return !isLoad(instruction);
      barriers.push_back(&instruction);
      return false;
    });
    for (std::size_t k = 0; k < barriers.size() && load == nullptr; ++k) {
      walk_.onwards(*barriers[k], [&](const Instruction& instruction) {
        return !ir::ctaBarrier(instruction) && !isLoad(instruction);
      });
    }
    if (load != nullptr) found_.push_back({MissingFence::Kind::Wait, &copy, nullptr, load});
  }

  const Cfg& cfg_;
  const Addresses& addresses_;
  Walk walk_;
  std::vector<const Instruction*> flagReads_;
  std::vector<MissingFence> found_;
};

}  // namespace

MissingFences findMissingFences(const Cfg& cfg, const Addresses& addresses) {
  return Finder(cfg, addresses).run();
}

}  // namespace ptxopt::analysis
