// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/decode/audit_emitter.h"

#include <algorithm>

#include "facts/address_operand.h"
#include "interp/decode/bind.h"

namespace ptxopt::interp {

namespace {

using facts::Moment;
using isa::Opcode;
using isa::Type;

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <class... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

// Touches memory, or makes what was begun earlier touch it.
bool touchesMemory(const Op& op) {
  switch (op.action) {
    case Action::Load:
    case Action::Store:
    case Action::Atomic:
    case Action::Fill:
    case Action::CopyAsync:
    case Action::WaitAsync:
    case Action::ArriveAsync:
    case Action::Bulk:
    case Action::ReplaceField:
      return true;
    case Action::Mbarrier:
      return static_cast<MbarrierKind>(op.detail) != MbarrierKind::PendingCount;
    case Action::Collective: {
      const auto kind = static_cast<CollectiveKind>(op.detail);
      return kind == CollectiveKind::MatrixLoad || kind == CollectiveKind::MatrixStore ||
             kind == CollectiveKind::FragmentLoad || kind == CollectiveKind::FragmentStore ||
             kind == CollectiveKind::TensorMapCopy;
    }
    default:
      return false;
  }
}

// An operand of a register, or of an element of one, is about what a value is about.
bool overlaps(const ir::Operand& operand, const facts::Value& value) {
  if (operand.reg() != value.reg) return false;
  return operand.component == 0 || value.component == 0 || operand.component == value.component;
}

}  // namespace

// ---- what the claims need -----------------------------------------------------------------------

AuditEmitter::AuditEmitter(Decoder& decoder, const AuditClaims& claims)
    : decoder_(&decoder), claims_(&claims) {
  for (const ClaimId id : claims.of(decoder.function_->nameText())) prepare(id);
}

void AuditEmitter::prepare(ClaimId id) {
  const auto executed = [&](facts::Place at) { places_[at].executed.push_back(id); };
  const auto ofValue = [&](const auto& what) { place(what.value, id); };
  std::visit(Overloaded{
                 [&](const facts::Uniform& what) { ofValue(what); },
                 [&](const facts::WarpUniform& what) { ofValue(what); },
                 [&](const facts::Stable& what) { ofValue(what); },
                 [&](const facts::OneNumber& what) { ofValue(what); },
                 [&](const facts::InRange& what) { ofValue(what); },
                 [&](const facts::EqualsForm& what) {
                   ofValue(what);
                   prepare(what.form);
                 },
                 [&](const facts::EqualsValue& what) {
                   ofValue(what);
                   remember(what.other);
                 },
                 [&](const facts::DeadValue& what) {
                   const facts::Value& value = what.value;
                   const auto reg = static_cast<std::uint32_t>(value.reg);
                   ofValue(what);
                   deadValues_[reg].push_back({id, decoder_->temporary()});
                   if (value.moment == Moment::After)
                     deadResults_.insert({value.at, reg, value.component});
                 },
                 [&](const facts::PointsTo& what) {
                   places_[what.address.at].pointsTo.emplace_back(what.address.number, id);
                 },
                 [&](const facts::Disjoint& what) {
                   places_[what.address.at];
                   places_[what.other.at];
                 },
                 [&](const facts::DeadStore& what) { places_[what.at].deadStores.push_back(id); },
                 [&](const facts::Unread&) { unread_.push_back(id); },
                 [&](const facts::OwnBytes&) {},
                 [&](const facts::NeverTaken& what) {
                   Way way;
                   way.target = what.edge.target;
                   way.claim = id;
                   places_[what.edge.at].ways.push_back(way);
                 },
                 [&](const facts::NeverFollows& what) {
                   Way first;
                   first.kind = Way::Kind::First;
                   first.target = what.edge.target;
                   first.flag = decoder_->temporary();
                   Way second;
                   second.kind = Way::Kind::Second;
                   second.target = what.next.target;
                   second.claim = id;
                   second.flag = first.flag;
                   second.slot = decoder_->temporary();
                   places_[what.edge.at].ways.push_back(first);
                   places_[what.next.at].ways.push_back(second);
                 },
                 [&](const facts::Together& what) { places_[what.at].atComing.push_back(id); },
                 [&](const facts::AllExecute& what) { places_[what.at].atComing.push_back(id); },
                 [&](const facts::FormInBounds& what) {
                   executed(what.at);
                   prepare(what.form);
                 },
                 [&](const facts::FormsCompare& what) {
                   executed(what.at);
                   prepare(what.left);
                   prepare(what.right);
                 },
                 [&](const facts::Leader& what) { executed(what.at); },
                 [&](const facts::PureFunction&) { pure_.push_back(id); },
                 [&](const facts::Barrier& what) { executed(what.at); },
             },
             claim(id).what);
}

void AuditEmitter::place(const facts::Value& value, ClaimId id) {
  Place& at = places_[value.at];
  (value.moment == Moment::Before ? at.atComing : at.atLeaving).push_back(id);
}

void AuditEmitter::prepare(const facts::Form& form) {
  for (const facts::Term& term : form.terms) {
    if (term.leaf.kind == facts::Leaf::Kind::Value) remember(term.leaf.value);
    if (term.leaf.kind == facts::Leaf::Kind::Rounds) roundsOf(term.leaf);
    for (const facts::Form& factor : term.leaf.factors) prepare(factor);
  }
}

void AuditEmitter::remember(const facts::Value& value) {
  const auto key = std::make_tuple(value.at, value.moment, static_cast<std::uint32_t>(value.reg),
                                   value.component);
  const auto [at, isNew] = remembered_.try_emplace(key);
  if (!isNew) return;
  AuditNumber& number = at->second;
  number.slot = decoder_->temporary();
  number.known = decoder_->temporary();
  number.bits = static_cast<std::uint8_t>(decoder_->registerWidth(value.reg));
  Place& place = places_[value.at];
  (value.moment == Moment::Before ? place.before : place.after).push_back({value, number});
}

AuditEmitter::Rounds AuditEmitter::roundsOf(const facts::Leaf& leaf) {
  for (const auto& [known, rounds] : rounds_) {
    if (known.header == leaf.header && known.backEdges == leaf.backEdges) return rounds;
  }
  const Rounds rounds{decoder_->temporary(), decoder_->temporary()};
  rounds_.emplace_back(leaf, rounds);
  places_[leaf.header].headerOf.push_back(rounds);
  for (const facts::Edge& edge : leaf.backEdges) {
    Way way;
    way.kind = Way::Kind::Round;
    way.target = edge.target;
    way.slot = rounds.count;
    way.flag = rounds.flag;
    places_[edge.at].ways.push_back(way);
  }
  return rounds;
}

// ---- ops ----------------------------------------------------------------------------------------

const AuditEmitter::Place* AuditEmitter::placeOf(const ir::Instruction& instruction) const {
  const auto found = places_.find(instruction.source.begin);
  return found == places_.end() ? nullptr : &found->second;
}

// Throws a Problem where the claim is about something that the machine does not have.
AuditStep AuditEmitter::stepOf(ClaimId id) {
  AuditStep step;
  step.claim = id;
  std::visit(
      [&](const auto& what) {
        using What = std::remove_cvref_t<decltype(what)>;
        if constexpr (requires { what.value; }) step.number = numberOf(what.value);
        if constexpr (requires { what.form; }) step.forms.push_back(formOf(what.form));
        if constexpr (std::is_same_v<What, facts::EqualsValue>) {
          step.other = rememberedOf(what.other);
        }
        if constexpr (std::is_same_v<What, facts::FormsCompare>) {
          step.forms.push_back(formOf(what.left));
          step.forms.push_back(formOf(what.right));
        }
      },
      claim(id).what);
  return step;
}

void AuditEmitter::emitStep(AuditStep step, const Op& like) {
  Op op = decoder_->prototype_;
  op.guard = like.guard;
  op.guardExpected = like.guardExpected;
  op.action = Action::Audit;
  op.index = static_cast<std::uint32_t>(decoder_->code_->audits.size());
  decoder_->code_->audits.push_back(std::move(step));
  decoder_->emit(op);
}

void AuditEmitter::emitCopy(std::uint32_t to, std::uint32_t from, const Op& like) {
  Op op = decoder_->prototype_;
  op.guard = like.guard;
  op.guardExpected = like.guardExpected;
  decoder_->emitCopy(op, to, from);
}

void AuditEmitter::emitClear(std::uint32_t slot) {
  Op op = decoder_->prototype_;
  op.compute = clearSlot();
  op.d = slot;
  decoder_->emit(op);
}

void AuditEmitter::emitRemembered(const std::vector<Remembered>& all) {
  const Op always = decoder_->prototype_;
  for (const Remembered& one : all) {
    try {
      emitCopy(one.number.slot, numberOf(one.value).slot, always);
      emitCopy(one.number.known, decoder_->trueSlot_, always);
    } catch (const Decoder::Problem&) {
      // Its number stays unknown.
    }
  }
}

void AuditEmitter::emitChecks(const std::vector<ClaimId>& claims, const Op& like) {
  for (const ClaimId id : claims) {
    try {
      AuditStep step = stepOf(id);
      emitStep(std::move(step), like);
    } catch (const Decoder::Problem&) {
      continue;  // it is never put to the test, and the summary says so
    }
    const auto* dead = std::get_if<facts::DeadValue>(&claim(id).what);
    if (dead == nullptr) continue;
    for (const DeadValue& known : deadValues_.at(static_cast<std::uint32_t>(dead->value.reg))) {
      if (known.claim == id) emitCopy(known.flag, decoder_->trueSlot_, decoder_->prototype_);
    }
  }
}

void AuditEmitter::atStart() {
  emitPure(AuditStep::Kind::Enter, decoder_->prototype_);
}

void AuditEmitter::emitPure(AuditStep::Kind kind, const Op& op) {
  for (const ClaimId id : pure_) {
    AuditStep step;
    step.kind = kind;
    step.claim = id;
    emitStep(std::move(step), op);
  }
}

void AuditEmitter::inFront(const ir::Instruction& instruction, const Op& op) {
  const Op always = decoder_->prototype_;
  const Place* place = placeOf(instruction);
  if (place != nullptr) {
    for (const Rounds& rounds : place->headerOf) {
      // The first round, unless a back edge led here.
      Op reset = always;
      reset.guard = rounds.flag;
      reset.guardExpected = 0;
      reset.compute = clearSlot();
      reset.d = rounds.count;
      decoder_->emit(reset);
      emitClear(rounds.flag);
    }
    emitRemembered(place->before);
    emitChecks(place->atComing, always);
  }
  emitReadsOfDead(instruction, op);
  if (place != nullptr) {
    emitChecks(place->executed, op);
    emitWays(place->ways, false, instruction, op);
  }
  if (instruction.desc->control == isa::Control::Return) emitReturn(op);
}

void AuditEmitter::after(const ir::Instruction& instruction, const Op& op, std::size_t first) {
  const Place* place = placeOf(instruction);
  emitAccess(instruction, place, first);
  emitWritesOfDead(instruction, op);
  if (place == nullptr) return;
  // What a wgmma writes is there only after a wait.
  if (!instruction.desc->is(isa::kRegistersInFlight)) {
    emitRemembered(place->after);
    emitChecks(place->atLeaving, decoder_->prototype_);
  }
  emitWays(place->ways, true, instruction, op);
}

void AuditEmitter::emitReturn(const Op& op) {
  if (decoder_->function_->isEntry()) return;
  if (claims_->watchesTransfers()) {
    AuditStep results;
    results.kind = AuditStep::Kind::Results;
    emitStep(std::move(results), op);
  }
  emitPure(AuditStep::Kind::Leave, op);
}

void AuditEmitter::atEnd() {
  emitReturn(decoder_->prototype_);
  for (const ClaimId id : unread_) {
    const auto& what = std::get<facts::Unread>(claim(id).what);
    const ir::Variable* variable = decoder_->function_->symbolAt(what.symbol).variable;
    const auto local = decoder_->localOffsets_.find(variable);
    if (local == decoder_->localOffsets_.end()) continue;
    const std::uint64_t size = variable->size * std::max(variable->count, 1u);
    decoder_->code_->auditLocals.push_back({id, local->second, size});
  }
}

// ---- ways ---------------------------------------------------------------------------------------

// An op that runs where control follows this way out of the instruction.
Op AuditEmitter::conditionOf(const Way& way, const ir::Instruction& instruction, const Op& op) {
  if (way.target == facts::Edge::kThrough) return decoder_->prototype_;
  if (!instruction.is(Opcode::Brx)) return op;
  const std::uint32_t isTaken = decoder_->temporary();
  emitClear(isTaken);
  Op compare = decoder_->prototype_;
  compare.guard = op.guard;
  compare.guardExpected = op.guardExpected;
  compare.compute = [](Frame r, const Op& o) {
    r[o.d] = (r[o.a] & 0xffffffffu) == static_cast<Slot>(o.immediate) ? 1 : 0;
  };
  compare.a = decoder_->source(decoder_->operand(instruction, 0), Type::U32);
  compare.immediate = way.target;
  compare.d = isTaken;
  decoder_->emit(compare);
  Op taken = decoder_->prototype_;
  taken.guard = isTaken;
  return taken;
}

void AuditEmitter::emitWay(const Way& way, const Op& taken) {
  AuditStep step;
  step.claim = way.claim;
  switch (way.kind) {
    case Way::Kind::Never:
      return emitStep(std::move(step), taken);
    case Way::Kind::Round: {
      Op count = decoder_->prototype_;
      count.guard = taken.guard;
      count.guardExpected = taken.guardExpected;
      count.compute = [](Frame r, const Op& o) { ++r[o.d]; };
      count.d = way.slot;
      decoder_->emit(count);
      return emitCopy(way.flag, decoder_->trueSlot_, taken);
    }
    case Way::Kind::First:
      return emitCopy(way.flag, decoder_->trueSlot_, taken);
    case Way::Kind::Second: {
      Op both = decoder_->prototype_;
      both.guard = decoder_->temporary();
      emitClear(both.guard);
      emitCopy(both.guard, way.slot, taken);
      return emitStep(std::move(step), both);
    }
  }
}

void AuditEmitter::emitWays(const std::vector<Way>& ways, bool isThrough,
                            const ir::Instruction& instruction, const Op& op) {
  if (!isThrough) {
    // Whichever way is taken: that one was tried, and what led here is over.
    for (const Way& way : ways) {
      AuditStep reached;
      reached.kind = AuditStep::Kind::Reached;
      reached.claim = way.claim;
      if (way.kind == Way::Kind::Never) {
        emitStep(std::move(reached), decoder_->prototype_);
      } else if (way.kind == Way::Kind::Second) {
        emitCopy(way.slot, way.flag, decoder_->prototype_);
        emitClear(way.flag);
        Op follows = decoder_->prototype_;
        follows.guard = way.slot;
        emitStep(std::move(reached), follows);
      }
    }
  }
  for (const bool first : {false, true}) {
    for (const Way& way : ways) {
      const bool setsFlag = way.kind == Way::Kind::First;
      if (setsFlag != first || (way.target == facts::Edge::kThrough) != isThrough) continue;
      emitWay(way, conditionOf(way, instruction, op));
    }
  }
}

// ---- memory -------------------------------------------------------------------------------------

void AuditEmitter::emitAccess(const ir::Instruction& instruction, const Place* place,
                              std::size_t first) {
  auto& ops = decoder_->code_->ops;
  const auto main =
      std::find_if(ops.begin() + static_cast<std::ptrdiff_t>(first), ops.end(),
                   [](const Op& op) { return touchesMemory(op) || op.action == Action::Call; });
  if (main == ops.end()) return;
  AuditStep step;
  step.kind = AuditStep::Kind::Access;
  bool isNeeded = claims_->watchesAllAccesses();
  if (main->action == Action::Call) {
    step.kind = AuditStep::Kind::Arguments;
    isNeeded = claims_->watchesTransfers();
  }
  for (std::uint32_t k = 0; place != nullptr; ++k) {
    if (facts::addressOperand(instruction, k) == nullptr) break;
    AuditAddress address;
    address.operand = k;
    address.site = claims_->siteOf(instruction.source.begin, k);
    for (const auto& [operand, id] : place->pointsTo) {
      if (operand != k) continue;
      try {
        AuditAddress::PointsTo pointsTo{id, {}};
        for (const facts::Base& base : std::get<facts::PointsTo>(claim(id).what).bases) {
          pointsTo.bases.push_back(baseOf(base));
        }
        address.pointsTo.push_back(std::move(pointsTo));
      } catch (const Decoder::Problem&) {
        continue;
      }
    }
    if (address.site || !address.pointsTo.empty()) {
      step.addresses.push_back(std::move(address));
      isNeeded = true;
    }
  }
  if (place != nullptr) step.deadStores = place->deadStores;
  if (!isNeeded) return;
  // Before it, after what computes its operands.
  Op op = decoder_->prototype_;
  op.guard = main->guard;
  op.guardExpected = main->guardExpected;
  op.action = Action::Audit;
  op.index = static_cast<std::uint32_t>(decoder_->code_->audits.size());
  decoder_->code_->audits.push_back(std::move(step));
  ops.insert(main, op);
}

// ---- registers that nothing should read ---------------------------------------------------------

bool AuditEmitter::hasDeadResults(const ir::Instruction& instruction) const {
  const isa::InstructionDesc& desc = *instruction.desc;
  if (!desc.known() || desc.is(isa::kMemoryWrite) || desc.control != isa::Control::None) {
    return false;
  }
  bool hasResult = false;
  bool areDead = true;
  ir::forEachRegister(instruction, [&](const ir::Operand& operand) {
    if (!operand.writes) return;
    hasResult = true;
    const auto isDead = [&](std::uint8_t component) {
      return deadResults_.contains(
          {instruction.source.begin, static_cast<std::uint32_t>(operand.reg()), component});
    };
    areDead = areDead && (isDead(operand.component) || isDead(0));  // 0: the whole register
  });
  return hasResult && areDead;
}

void AuditEmitter::emitReadsOfDead(const ir::Instruction& instruction, const Op& op) {
  if (deadValues_.empty() || hasDeadResults(instruction)) return;
  const auto emitRead = [&](const DeadValue& dead, bool isGuard) {
    Op isDead = decoder_->prototype_;
    isDead.guard = dead.flag;
    if (!isGuard) {
      isDead.guard = decoder_->temporary();
      emitClear(isDead.guard);
      emitCopy(isDead.guard, dead.flag, op);
    }
    AuditStep step;
    step.kind = AuditStep::Kind::Dead;
    step.claim = dead.claim;
    emitStep(std::move(step), isDead);
  };
  const auto deadOf = [&](ir::RegisterId id) -> const std::vector<DeadValue>* {
    const auto found = deadValues_.find(static_cast<std::uint32_t>(id));
    return found == deadValues_.end() ? nullptr : &found->second;
  };
  if (instruction.guard) {
    if (const auto* all = deadOf(instruction.guard.predicate())) {
      for (const DeadValue& dead : *all) emitRead(dead, true);
    }
  }
  ir::forEachRegister(instruction, [&](const ir::Operand& operand) {
    const auto* all = operand.reads ? deadOf(operand.reg()) : nullptr;
    if (all == nullptr) return;
    for (const DeadValue& dead : *all) {
      if (overlaps(operand, std::get<facts::DeadValue>(claim(dead.claim).what).value)) {
        emitRead(dead, false);
      }
    }
  });
  // A function gives its results back in registers.
  if (instruction.desc->control != isa::Control::Return) return;
  for (const ir::RegisterRange& range : decoder_->function_->registers()) {
    const bool isResult =
        range.isParameter &&
        std::ranges::any_of(decoder_->function_->results, [&](const ir::Variable* result) {
          return result->name == range.name && result->space == isa::Space::Reg;
        });
    if (!isResult) continue;
    if (const auto* all = deadOf(ir::RegisterId{range.first})) {
      for (const DeadValue& dead : *all) emitRead(dead, false);
    }
  }
}

void AuditEmitter::emitWritesOfDead(const ir::Instruction& instruction, const Op& op) {
  if (deadValues_.empty()) return;
  // Whether it was executed can be asked of its guard, unless it wrote that itself.
  Op clear = decoder_->prototype_;
  clear.compute = clearSlot();
  clear.guard = op.guard;
  clear.guardExpected = op.guardExpected;
  ir::forEachRegister(instruction, [&](const ir::Operand& operand) {
    if (operand.writes && operand.reg() == instruction.guard.predicate()) {
      clear.guard = decoder_->trueSlot_;
      clear.guardExpected = 1;
    }
  });
  ir::forEachRegister(instruction, [&](const ir::Operand& operand) {
    if (!operand.writes || operand.reads) return;
    const auto found = deadValues_.find(static_cast<std::uint32_t>(operand.reg()));
    if (found == deadValues_.end()) return;
    for (const DeadValue& dead : found->second) {
      const auto& value = std::get<facts::DeadValue>(claim(dead.claim).what).value;
      if (operand.component != 0 && operand.component != value.component) continue;
      clear.d = dead.flag;
      decoder_->emit(clear);
    }
  });
}

}  // namespace ptxopt::interp
