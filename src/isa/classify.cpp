#include "isa/classify.h"

#include <algorithm>

#include "isa/row_index.h"

namespace ptxopt::isa {
namespace {

// ---- what the qualifiers say -------------------------------------------------------------------

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

void readQualifiers(Form& form) {
  for (const std::string_view word : form.qualifiers) {
    if (form.space == Space::None) {
      form.space = parseSpace(word).value_or(Space::None);
    }
    if (form.scope == Scope::None) {
      for (const ScopeWord& entry : kScopes) {
        if (entry.word == word) form.scope = entry.scope;
      }
    }
    for (const SemanticsWord& entry : kSemantics) {
      // `.mmio.relaxed`: .mmio says more than what stands beside it.
      if (entry.word == word && form.semantics != Semantics::Mmio) form.semantics = entry.semantics;
    }
    if (word == ".v2") form.vectorWidth = 2;
    if (word == ".v4") form.vectorWidth = 4;
    if (word == ".v8") form.vectorWidth = 8;
    if (word == ".cc") form.writesCarry = true;
  }
}

// ---- families ----------------------------------------------------------------------------------

// docs/soundness/ A2.6: the families that are opaque synchronisation whatever their qualifiers.
bool isSynchronizationFamily(const Form& form) {
  switch (form.opcode) {
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
      return form.has(".bulk") || form.has(".reduce") || form.has(".mbarrier");
    case Opcode::St:
    case Opcode::Red:
    case Opcode::Applypriority:
      return form.has(".async");
    default:
      return false;
  }
}

// `membar.cta`, and those fences whose qualifiers are exactly one of sc, acq_rel, acquire, release
// and .cta (docs/soundness/ A2.7).
bool isCtaFence(const Form& form) {
  if (form.opcode == Opcode::Membar) return form.qualifiers.size() == 1 && form.has(".cta");
  if (form.opcode != Opcode::Fence || form.qualifiers.size() != 2 || !form.has(".cta"))
    return false;
  return form.has(".sc") || form.has(".acq_rel") || form.has(".acquire") || form.has(".release");
}

// Shared memory that this instruction can reach, or lets others reach, is not that of the CTA alone
// (docs/soundness/ C3.6 and README.md, "external memory").
bool makesSharedExternal(const Form& form) {
  switch (form.opcode) {
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
      if (isSynchronizationFamily(form)) return true;
      break;
    case Opcode::St:
    case Opcode::Red:
    case Opcode::Applypriority:
      if (form.has(".async")) return true;
      break;
    default:
      break;
  }
  return std::any_of(form.qualifiers.begin(), form.qualifiers.end(), [](std::string_view word) {
    return word == ".cluster" || word == ".shared::cluster" || word == ".cta_group::2" ||
           word.starts_with(".multicast");
  });
}

// ---- refinement of a row -----------------------------------------------------------------------

// docs/soundness/ A2.9 to A2.12 and, for acquire, release and .mmio, A2.5.2.  Plain `.param` is
// private and not immutable: only who knows the function around can tell a kernel parameter from
// one of a call sequence.
Effect accessEffect(const Form& form, Effect ofRow) {
  if (form.semantics == Semantics::Mmio) return Effect::Sync;
  switch (form.space) {
    case Space::Local:
    case Space::Param:
    case Space::ParamFunc:
      return Effect::Private;
    case Space::Const:
    case Space::ParamEntry:
      return form.is(kMemoryWrite) ? Effect::Unknown : Effect::ImmutableRead;
    default:
      break;
  }
  switch (form.semantics) {
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
  // Hints, formally weak, that ask for the value in memory.
  if (form.has(".cv") || form.has(".wt")) return Effect::Strong;
  if (ofRow == Effect::Weak && (form.has(".nc") || form.has(".proxy::readonly"))) {
    return Effect::InvariantRead;
  }
  return ofRow;
}

Effect refine(const Form& form, Effect ofRow) {
  switch (form.opcode) {
    case Opcode::Ld:
    case Opcode::Ldu:
    case Opcode::St:
    case Opcode::Atom:
    case Opcode::Red:
      return ofRow == Effect::Sync ? ofRow : accessEffect(form, ofRow);
    case Opcode::Fence:
    case Opcode::Membar:
      return isCtaFence(form) ? Effect::CtaFence : Effect::Sync;
    default:
      return ofRow;
  }
}

// ---- what no row fits (docs/soundness/ A7) ------------------------------------------------------

bool hasAddress(Shape shape) {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == OperandShape::Address) return true;
  }
  return false;
}

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

// Every row of the opcode is arithmetic: no memory, no control, no company needed.
bool isArithmetic(Opcode opcode) {
  const std::span<const std::uint16_t> indices = rowsOf(opcode);
  return !indices.empty() && std::all_of(indices.begin(), indices.end(), [](std::uint16_t index) {
    const Row& row = rowAt(index);
    return row.effect == Effect::Neutral && row.control == Control::None &&
           (row.traits & (kConvergent | kMemoryRead | kMemoryWrite | kMayTrap)) == 0;
  });
}

void classifyUnknown(Form& form) {
  for (std::size_t i = 0; i < form.shape.size(); ++i) {
    // A7.3: a use and a may-definition, inside brackets a use.
    form.roles.push_back({.reads = true, .writes = form.shape[i] != OperandShape::Address});
  }
  form.readsCarry = form.writesCarry = true;
  form.traits = kConvergent;
  if (isArithmetic(form.opcode) && !hasAddress(form.shape)) {
    form.effect = Effect::NeutralFrozen;
    return;
  }
  form.traits |= kMemoryRead | kMemoryWrite | kMayTrap | kClusterFeature;
  if (mayBeBarrier(form.opcode)) {
    form.effect = Effect::Unknown;
  } else if (isCtaFence(form)) {
    form.effect = Effect::CtaFence;
  } else {
    form.effect = Effect::Sync;
  }
}

}  // namespace

void classify(Form& form) {
  readQualifiers(form);
  if (form.row == nullptr) {
    classifyUnknown(form);
    return;
  }
  form.traits = form.row->traits;
  form.control = form.row->control;
  form.readsCarry = form.is(kReadsCarry);
  form.effect = isSynchronizationFamily(form) && form.row->effect != Effect::Neutral
                    ? Effect::Sync
                    : form.row->effect;
  form.effect = refine(form, form.effect);
  if (makesSharedExternal(form)) form.traits |= kClusterFeature;
}

}  // namespace ptxopt::isa
