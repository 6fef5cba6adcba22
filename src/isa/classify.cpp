// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "isa/classify.h"

#include <algorithm>

#include "isa/async_role.h"
#include "isa/row_index.h"
#include "isa/wait_role.h"

namespace ptxopt::isa {
namespace {

// ---- qualifiers --------------------------------------------------------------------------------

struct ScopeWord {
  std::string_view word;
  Scope scope;
};

constexpr ScopeWord kScopes[] = {
    {".cta", Scope::Cta}, {".cluster", Scope::Cluster}, {".gpu", Scope::Gpu},
    {".gl", Scope::Gpu},  {".sys", Scope::Sys},
};

struct SemanticsWord {
  std::string_view word;
  Semantics semantics;
};

constexpr SemanticsWord kSemantics[] = {
    {".weak", Semantics::Weak},       {".volatile", Semantics::Volatile},
    {".relaxed", Semantics::Relaxed}, {".acquire", Semantics::Acquire},
    {".release", Semantics::Release}, {".acq_rel", Semantics::AcqRel},
    {".sc", Semantics::Sc},           {".mmio", Semantics::Mmio},
};

void readQualifiers(InstructionDesc& desc) {
  for (const std::string_view word : desc.qualifiers) {
    if (desc.space == Space::None) {
      desc.space = parseSpace(word).value_or(Space::None);
    }
    if (desc.scope == Scope::None) {
      for (const ScopeWord& entry : kScopes) {
        if (entry.word == word) desc.scope = entry.scope;
      }
    }
    for (const SemanticsWord& entry : kSemantics) {
      // `.mmio.relaxed`: .mmio takes precedence over the other word.
      if (entry.word == word && desc.semantics != Semantics::Mmio) desc.semantics = entry.semantics;
    }
    if (word == ".v2") desc.vectorWidth = 2;
    if (word == ".v4") desc.vectorWidth = 4;
    if (word == ".v8") desc.vectorWidth = 8;
    if (word == ".cc") desc.writesCarry = true;
  }
}

// ---- families ----------------------------------------------------------------------------------

// docs/soundness/ A2.6: families that are opaque synchronisation with all qualifiers.
bool isSynchronizationFamily(const InstructionDesc& desc) {
  switch (desc.opcode) {
    case Opcode::Fence:
    case Opcode::Membar:
    case Opcode::Griddepcontrol:
    case Opcode::Mbarrier:
    case Opcode::Multimem:
    case Opcode::Tensormap:
    case Opcode::Clusterlaunchcontrol:
    case Opcode::Tcgen05:
    case Opcode::Wgmma:
    case Opcode::Fabric:
      return true;
    case Opcode::Cp:
      return desc.has(".bulk") || desc.has(".reduce") || desc.has(".mbarrier");
    case Opcode::St:
    case Opcode::Red:
    case Opcode::Applypriority:
      return desc.has(".async");
    default:
      return false;
  }
}

// `membar.cta`, and those fences whose qualifiers are exactly one of sc, acq_rel, acquire, release
// and .cta (docs/soundness/ A2.7).
bool isCtaFence(const InstructionDesc& desc) {
  if (desc.opcode == Opcode::Membar) return desc.qualifiers.size() == 1 && desc.has(".cta");
  if (desc.opcode != Opcode::Fence || desc.qualifiers.size() != 2 || !desc.has(".cta"))
    return false;
  return desc.has(".sc") || desc.has(".acq_rel") || desc.has(".acquire") || desc.has(".release");
}

// Shared memory that this instruction can reach, or makes reachable for others, is not private to
// the CTA (docs/soundness/ C3.6 and README.md, "external memory").
bool makesSharedExternal(const InstructionDesc& desc) {
  switch (desc.opcode) {
    case Opcode::Mapa:
    case Opcode::Mbarrier:
    case Opcode::Wgmma:
    case Opcode::Tcgen05:
    case Opcode::Clusterlaunchcontrol:
    case Opcode::Multimem:
    case Opcode::Tensormap:
    case Opcode::Fabric:
      return true;
    case Opcode::Cp:
      if (isSynchronizationFamily(desc)) return true;
      break;
    case Opcode::St:
    case Opcode::Red:
    case Opcode::Applypriority:
      if (desc.has(".async")) return true;
      break;
    default:
      break;
  }
  return std::any_of(desc.qualifiers.begin(), desc.qualifiers.end(), [](std::string_view word) {
    return word == ".cluster" || word == ".shared::cluster" || word == ".cta_group::2" ||
           word.starts_with(".multicast");
  });
}

// Traits of all rows of an opcode.
Traits traitsOfRows(Opcode opcode) {
  switch (opcode) {
    case Opcode::Ld:
      return kLoad;
    case Opcode::Ldu:
      return kLoad | kUniformAddress;
    case Opcode::St:
      return kStore;
    case Opcode::Atom:
    case Opcode::Red:
      return kAtomic;
    case Opcode::Cp:
      return kCopy;
    case Opcode::Tex:
      return kTextureRead;
    case Opcode::Nanosleep:
    case Opcode::Pmevent:
      return kTimer;
    default:
      return 0;
  }
}

// Traits of all instructions with an opcode, also of those without a row.
Traits traitsOfOpcode(const InstructionDesc& desc) {
  switch (desc.opcode) {
    case Opcode::Fence:
    case Opcode::Membar:
      return kFence;
    case Opcode::Griddepcontrol:
      return kGridDependency;
    case Opcode::Call:
      return kTakesLists;
    case Opcode::Wgmma:
    case Opcode::Tcgen05:
    case Opcode::Wmma:
    case Opcode::Tensormap:
      return kTiles;
    case Opcode::Cp:
      return (desc.has(".tensor") ? Traits{kTiles} : 0) |
             (desc.known() ? 0 : Traits{kMayCopyAsync});
    case Opcode::Unknown:
      return kMayCopyAsync;
    default:
      return 0;
  }
}

// ---- refinement of a row -----------------------------------------------------------------------

// docs/soundness/ A2.9 to A2.12 and, for acquire, release and .mmio, A2.5.2.  Plain `.param` is
// private and not immutable: only code that knows the function can distinguish a kernel parameter
// from one of a call sequence.
Effect accessEffect(const InstructionDesc& desc, Effect ofRow) {
  if (desc.semantics == Semantics::Mmio) return Effect::Sync;
  switch (desc.space) {
    case Space::Local:
    case Space::Param:
    case Space::ParamFunc:
      return Effect::Private;
    case Space::Const:
    case Space::ParamEntry:
      return desc.is(kMemoryWrite) ? Effect::Unknown : Effect::ImmutableRead;
    default:
      break;
  }
  switch (desc.semantics) {
    case Semantics::Acquire:
    case Semantics::Release:
    case Semantics::AcqRel:
    case Semantics::Sc:
      return Effect::Sync;
    case Semantics::Volatile:
    case Semantics::Relaxed:
      return Effect::Strong;
    default:
      break;
  }
  // These are formally weak hints that request the value in memory.
  if (desc.has(".cv") || desc.has(".wt")) return Effect::Strong;
  if (ofRow == Effect::Weak && (desc.has(".nc") || desc.has(".proxy::readonly"))) {
    return Effect::InvariantRead;
  }
  return ofRow;
}

Effect refine(const InstructionDesc& desc, Effect ofRow) {
  if (desc.isAccess()) return ofRow == Effect::Sync ? ofRow : accessEffect(desc, ofRow);
  switch (desc.opcode) {
    case Opcode::Fence:
    case Opcode::Membar:
      return isCtaFence(desc) ? Effect::CtaFence : Effect::Sync;
    default:
      return ofRow;
  }
}

void refineSigns(InstructionDesc& desc) {
  switch (desc.opcode) {
    case Opcode::Setp:
      if (desc.signedSources() != 0 && (desc.has(".eq") || desc.has(".ne"))) {
        desc.traits |= kIgnoresSign;
      }
      break;
    case Opcode::Cvt:
      // To as many bits or fewer, the type says how the rest of a wider register is filled.
      if (bitWidth(desc.type) <= bitWidth(desc.sourceType)) desc.traits &= ~signs(3);
      break;
    default:
      break;
  }
}

// ---- instructions without a row (docs/soundness/ A7) -------------------------------------------

bool mayBeBarrier(Opcode opcode) {
  switch (opcode) {
    case Opcode::Unknown:
    case Opcode::Bar:
    case Opcode::Barrier:
    case Opcode::Bra:
    case Opcode::Brx:
    case Opcode::Call:
    case Opcode::Ret:
    case Opcode::Exit:
    case Opcode::Trap:
      return true;
    default:
      return false;
  }
}

// All rows of the opcode are arithmetic: no memory, no control flow, not convergent.
bool isArithmetic(Opcode opcode) {
  const std::span<const std::uint16_t> indices = rowsOf(opcode);
  return !indices.empty() && std::all_of(indices.begin(), indices.end(), [](std::uint16_t index) {
    const Row& row = rowAt(index);
    return row.effect == Effect::Neutral && row.control == Control::None &&
           (row.traits & (kConvergent | kMemoryRead | kMemoryWrite | kMayTrap)) == 0;
  });
}

void classifyUnknown(InstructionDesc& desc) {
  for (std::size_t i = 0; i < desc.shape.size(); ++i) {
    // A7.3: a use and a may-definition; inside brackets only a use.
    desc.roles.push_back({.reads = true, .writes = desc.shape[i] != OperandShape::Address});
  }
  desc.readsCarry = desc.writesCarry = true;
  desc.traits = kConvergent | traitsOfOpcode(desc);
  if (isArithmetic(desc.opcode) && desc.addressOperand() == desc.shape.size()) {
    desc.effect = Effect::NeutralFrozen;
    return;
  }
  desc.traits |= kMemoryRead | kMemoryWrite | kMayTrap | kClusterFeature;
  if (mayBeBarrier(desc.opcode)) {
    desc.effect = Effect::Unknown;
  } else if (isCtaFence(desc)) {
    desc.effect = Effect::CtaFence;
  } else {
    desc.effect = Effect::Sync;
  }
}

void classifyKnown(InstructionDesc& desc) {
  desc.traits = desc.row->traits | traitsOfRows(desc.opcode) | traitsOfOpcode(desc);
  // `bar` is short for `barrier.aligned`.
  const bool isShort = desc.opcode == Opcode::Bar && !desc.has(".warp");
  if (isShort || desc.has(".aligned")) desc.traits |= kAligned;
  refineSigns(desc);
  desc.control = desc.row->control;
  desc.readsCarry = desc.is(kReadsCarry);
  desc.effect = isSynchronizationFamily(desc) && desc.row->effect != Effect::Neutral
                    ? Effect::Sync
                    : desc.row->effect;
  desc.effect = refine(desc, desc.effect);
  if (desc.effect == Effect::AsyncCopy) desc.traits |= kMayCopyAsync;
  if (makesSharedExternal(desc)) desc.traits |= kClusterFeature;
}

}  // namespace

void classify(InstructionDesc& desc) {
  readQualifiers(desc);
  if (desc.row == nullptr) {
    classifyUnknown(desc);
  } else {
    classifyKnown(desc);
  }
  desc.asyncRole = findAsyncRole(desc);
  desc.waitRole = findWaitRole(desc);
}

}  // namespace ptxopt::isa
