// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/static_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/barriers/access_offsets.h"
#include "analysis/barriers/divergence_cause.h"
#include "analysis/launch/special_name.h"
#include "analysis/races/missing_fences.h"
#include "analysis/values/linear_form.h"
#include "driver/explain_words.h"
#include "ir/barrier.h"
#include "passes/barriers/conflict_text.h"

namespace ptxopt::check {

using analysis::Access;
using analysis::Assumption;
using analysis::Assumptions;
using analysis::BarrierBody;
using analysis::ConflictWitness;
using analysis::LeafKind;
using analysis::Race;

namespace {

// Or that of its lane.
bool readsThreadId(const ir::Function& function) {
  using Which = analysis::SpecialName::Which;
  const auto names = analysis::specialNamesIn(function);
  return std::ranges::any_of(names, [](const std::optional<analysis::SpecialName>& name) {
    return !name || name->which == Which::Tid || name->which == Which::LaneId;
  });
}

bool writes(const Race::Side& side) {
  return (side.kinds & analysis::kWrite) != 0;
}

std::string_view placeOf(const Race::Side& side) {
  if (side.instruction->desc->space == isa::Space::Shared) return "shared memory";
  const bool isShared = side.access != nullptr && side.access->spaces.isOnly(isa::Space::Shared);
  return isShared ? "shared memory" : "memory";
}

}  // namespace

StaticCheck::StaticCheck(ir::Module& module)
    : module_(module), calls_(module), facts_(module, calls_), lines_(module) {
  std::map<const ir::Function*, ir::Function*> editable;
  for (ir::Function& function : module.functions()) editable[&function] = &function;
  std::set<const ir::Function*> grouped;
  for (const auto& group : functionsThatShareBarriers(calls_, facts_.withKnownCallers)) {
    Unit& unit = units_.emplace_back();
    for (const ir::Function* function : group) {
      unit.push_back(editable.at(function));
      grouped.insert(function);
    }
  }
  for (ir::Function& function : module.functions()) {
    const bool isAlone = function.isEntry() && function.hasBody() && !grouped.contains(&function);
    if (isAlone && !function.isOpaque) units_.push_back({&function});
  }
}

std::string StaticCheck::lineOf(const ir::Instruction& instruction) const {
  const Offset at = instruction.source.begin;
  std::string text = fmt::format("line {}", module_.source().lineColumn(at).line);
  if (const auto source = lines_.written(at)) text += fmt::format(" ({})", ir::shortText(*source));
  return text;
}

// The analyses of one unit in blocks of one shape.
class StaticCheck::OfUnit {
 public:
  OfUnit(StaticCheck& check, const Unit& unit, const Block& block) : check_(check), block_(block) {
    for (ir::Function* function : unit) {
      Assumptions assumptions;
      assumptions.add(Assumption::NoaliasParams);
      assumptions.add(Assumption::NoaliasVariables);
      assumptions.add(Assumption::TrustAligned);
      assumptions.addBlock(block);
      check.facts_.addEffects(assumptions);
      analyses_.emplace_back(*function).provide(assumptions);
    }
    for (analysis::FunctionAnalyses& of : analyses_) {
      bodies_.push_back({&of.get<analysis::Cfg>(), &of.get<analysis::Liveness>(),
                         &of.get<analysis::PostDominators>(), &of.get<analysis::Loops>(),
                         &of.get<analysis::Addresses>(), of.get<Assumptions>()});
    }
    context_.emplace(bodies_, check.facts_);
    hasBarrier_ = !context_->participation.barriers().empty();
    dependsOnThread_ =
        std::ranges::any_of(unit, [](const ir::Function* of) { return readsThreadId(*of); });
  }

  Fit fit() const {
    const std::vector<analysis::WarpOfThreads> warps = analysis::warpsOf(block_);
    Fit fit = Fit::Good;
    for (const BarrierBody& body : bodies_) {
      for (const Access& access : body.addresses->all()) {
        if (!access.spaces.isOnly(isa::Space::Shared)) continue;
        using Leaves = analysis::AccessOffsets::Leaves;
        analysis::AccessOffsets offsets(access);
        offsets.build(analysis::LeafId::None, body.postDominators);
        const Leaves leaves = offsets.leavesObject(warps);
        if (leaves == Leaves::Surely) return Fit::None;
        if (leaves == Leaves::Maybe) fit = Fit::Maybe;
      }
    }
    return fit;
  }

  std::vector<StaticFinding> run() {
    findDivergentBarriers();
    checkCounts();
    findUnwritten();
    const analysis::RaceSearch search(bodies_, *context_);
    check_.isLimitMet_ |= search.isLimitMet();
    for (const Race& race : search.races()) addRace(race);
    for (const BarrierBody& body : bodies_) {
      const auto fences = analysis::findMissingFences(*body.cfg, *body.addresses);
      check_.isLimitMet_ |= fences.isLimitMet;
      for (const auto& found : fences.all) addFence(body.cfg->function(), found);
    }
    return std::move(found_);
  }

 private:
  StaticFinding& add(Kind kind, const ir::Function& function, const ir::Instruction& place,
                     const ir::Instruction* other, std::string message) {
    StaticFinding& added = found_.emplace_back();
    added.finding.kind = kind;
    added.finding.kernel = &function;
    added.finding.place = &place;
    added.finding.other = other;
    added.finding.message = std::move(message);
    added.block = block_;
    return added;
  }

  // ---- barriers ---------------------------------------------------------------------------------

  void findDivergentBarriers() {
    for (const analysis::Participation::Member& member : context_->participation.barriers()) {
      const ir::Function& function = bodies_[member.body].cfg->function();
      const analysis::Uniformity* uniformity = context_->participation.uniformity(member.body);
      if (member.standing != analysis::Standing::NotUniform || uniformity == nullptr) continue;
      const analysis::DivergenceCauses causes(*bodies_[member.body].cfg, *uniformity);
      const auto cause = causes.of(*member.instruction);
      // Under a condition on data, the threads may agree.
      if (!cause || cause->kind != analysis::DivergenceSource::Special) continue;
      StaticFinding& added = add(Kind::DivergentBarrier, function, *member.instruction, nullptr,
                                 "not all threads of the block reach this barrier");
      const std::string name(function.module().text(NameId{cause->special->id}));
      added.finding.details = {fmt::format("it depends on {}, which differs between threads, at {}",
                                           name, check_.lineOf(*cause->branch))};
      added.isExact = true;
    }
  }

  // All barriers of one id have the same number of threads.
  void checkCounts() {
    std::map<std::uint32_t, std::pair<std::uint32_t, const ir::Instruction*>> known;
    for (const analysis::Participation::Member& member : context_->participation.barriers()) {
      const auto& [instruction, barrier, standing, body] = member;
      if (!barrier.count || !barrier.id) continue;
      const ir::Function& function = bodies_[body].cfg->function();
      const auto [at, isNew] = known.try_emplace(*barrier.id, *barrier.count, instruction);
      if (isNew || at->second.first == *barrier.count) continue;
      add(Kind::BarrierCount, function, *instruction, at->second.second,
          fmt::format("barrier {} waits for {} threads here, and for {} elsewhere", *barrier.id,
                      *barrier.count, at->second.first));
    }
  }

  // ---- unwritten shared memory -----------------------------------------------------------------

  // An instruction may write to shared memory of which the analyses know no place.
  static bool mayWriteAnywhere(const ir::Instruction& instruction,
                               std::span<const Access> accesses) {
    const isa::InstructionDesc& desc = *instruction.desc;
    if (!desc.known() || desc.control == isa::Control::Call) return true;
    if (!desc.is(isa::kMemoryWrite)) return false;
    return accesses.empty()
               ? desc.space != isa::Space::Global && desc.space != isa::Space::Local
               : std::ranges::any_of(accesses, [](const Access& access) {
                   return access.bases.size() == 1 &&
                          access.bases[0].kind == analysis::MemoryBase::Kind::Unknown &&
                          access.spaces.contains(isa::Space::Shared);
                 });
  }

  // What the unit does with its static variables of shared memory.
  struct SharedUse {
    std::set<const ir::Variable*> written;
    std::map<const ir::Variable*, std::pair<const ir::Function*, const Access*>> read;
  };

  static void addUse(SharedUse& use, const ir::Function& function, const Access& access) {
    // Of a copy, either operand.
    const bool isRead = access.instruction->desc->isLoad() && access.bases.size() == 1;
    for (const analysis::MemoryBase& base : access.bases) {
      const bool isStatic = base.kind == analysis::MemoryBase::Kind::Variable &&
                            base.variable->space == isa::Space::Shared;
      if (isStatic && !isRead) use.written.insert(base.variable);
      if (isStatic && isRead) use.read.try_emplace(base.variable, &function, &access);
    }
  }

  // None if some instruction may write any of them.
  std::optional<SharedUse> useOfShared() const {
    SharedUse use;
    for (const BarrierBody& body : bodies_) {
      const ir::Function& function = body.cfg->function();
      for (const analysis::BlockId b : body.cfg->blocks()) {
        for (const ir::Instruction& instruction : body.cfg->instructions(b)) {
          const auto accesses = body.addresses->of(instruction);
          const bool isOfUnit = context_->calleeOf(function, instruction) != kNone;
          if (!isOfUnit && mayWriteAnywhere(instruction, accesses)) return std::nullopt;
          for (const Access& access : accesses) addUse(use, function, access);
        }
      }
    }
    return use;
  }

  // A variable that the unit reads and never writes.
  void findUnwritten() {
    const std::optional<SharedUse> use = useOfShared();
    if (!use) return;
    for (const auto& [variable, where] : use->read) {
      if (use->written.contains(variable)) continue;
      add(Kind::Uninitialised, *where.first, *where.second->instruction, nullptr,
          "this shared memory is read, and nothing in the kernel writes it")
          .isExact = true;
    }
  }

  // ---- fences -----------------------------------------------------------------------------------

  void addFence(const ir::Function& function, const analysis::MissingFence& missing) {
    const auto line = [&](const ir::Instruction* at) { return check_.lineOf(*at); };
    const auto addAt = [&](Kind kind, const ir::Instruction* place, const ir::Instruction* other,
                           const char* message, std::vector<std::string> details) {
      add(kind, function, *place, other, message).finding.details = std::move(details);
    };
    const auto& [kind, store, flag, load] = missing;
    switch (kind) {
      case analysis::MissingFence::Kind::Flag:
        return addAt(Kind::MissingFence, store, flag,
                     "other threads may see the flag before they see this store: there is no fence "
                     "between the two",
                     {fmt::format("the flag is set at {}", line(flag)),
                      fmt::format("a thread that has seen it loads the value at {}", line(load))});
      case analysis::MissingFence::Kind::FlagRead:
        return addAt(
            Kind::MissingFence, load, flag,
            "this load may see the value from before the flag was set: there is no fence "
            "between the read of the flag and the load",
            {fmt::format("the flag is read at {}", line(flag)),
             fmt::format("the value is stored at {}, before the flag is set", line(store))});
      case analysis::MissingFence::Kind::AsyncProxy:
        return addAt(Kind::MissingProxyFence, store, load,
                     "the bulk copy may not see this store: there is no fence.proxy.async between "
                     "the two",
                     {fmt::format("the copy is at {}", line(load))});
      case analysis::MissingFence::Kind::Wait:
        return addAt(Kind::MissingWait, store, load,
                     "what this copy writes is read, and nothing has waited for the copy",
                     {fmt::format("it is read at {}", line(load))});
    }
  }

  // ---- races ------------------------------------------------------------------------------------

  void addRace(const Race& race) {
    const bool isOneAccess = race.first.instruction == race.second.instruction;
    const bool areWrites = writes(race.first) && writes(race.second);
    std::string message =
        fmt::format("two threads {} the same bytes of {}{}", areWrites ? "write" : "write and read",
                    placeOf(race.first),
                    race.areWarpsDifferent ? ", with no barrier of the block between"
                                           : ", with no barrier between");
    StaticFinding& added = add(Kind::Race, *race.first.function, *race.first.instruction,
                               isOneAccess ? nullptr : race.second.instruction, std::move(message));
    added.areWarpsDifferent = race.areWarpsDifferent;
    std::vector<std::string>& details = added.finding.details;
    if (race.witness) {
      describe(race, *race.witness, added);
    } else {
      details = {fmt::format("{} {}", passes::verbOf(race.first.kinds),
                             check_.lineOf(*race.first.instruction)),
                 fmt::format("{} {}", passes::verbOf(race.second.kinds),
                             check_.lineOf(*race.second.instruction)),
                 "the addresses are not known well enough to name two threads"};
    }
    if (race.mayBeOrdered) {
      details.emplace_back("unless fences, atomics or barriers of some of the threads order them");
    }
  }

  void describe(const Race& race, const ConflictWitness& witness, StaticFinding& added) {
    const Access& first = *race.first.access;
    const Access& second = *race.second.access;
    const auto body = std::ranges::find_if(
        bodies_, [&](const BarrierBody& of) { return of.addresses == first.origin; });
    const std::function<std::string(const ir::Instruction&)> line =
        [this](const ir::Instruction& instruction) { return check_.lineOf(instruction); };
    const passes::ConflictExample example =
        passes::ConflictText(witness, first, second,
                             {passes::verbOf(race.first.kinds), passes::verbOf(race.second.kinds)},
                             *body->loops, line)
            .example();
    const auto sides = driver::sidesInElements(example, first.instruction, second.instruction);
    added.finding.details = {sides[0], sides[1]};
    if (!example.given.empty()) added.finding.details.push_back(example.given);
    added.finding.details.push_back(fmt::format("in a block of {} threads", textOf(block_)));
    const bool isOneStore = first.instruction == second.instruction && writes(race.first);
    added.isExact = witness.isControlKnown && witness.isSameBase && !race.mayBeOrdered &&
                    !isOneStore && dependsOnThread_ && (hasBarrier_ || !race.areWarpsDifferent);
    if (isOneStore) added.finding.details.emplace_back("unless they write the same values");
    for (const ConflictWitness::Choice& choice : witness.choices) note(choice, first, added);
    // Several numbers may exclude each other, and a number of rounds may be limited by more than
    // the number that the loop compares with.
    const std::size_t chosen = added.arguments.size();
    added.isExact &= chosen <= 1 && (chosen == 0 || !race.isInFreeRounds);
  }

  // What was chosen for the example.
  void note(const ConflictWitness::Choice& choice, const Access& access, StaticFinding& added) {
    if (choice.leaf == analysis::LeafId::None) return;  // a round of a loop
    const analysis::LeafKey& key = access.origin->forms().leaf(choice.leaf).key;
    const std::int64_t value = choice.first ? *choice.first : *choice.second;
    if (const auto special = specialOf(key)) {
      using Which = analysis::SpecialName::Which;
      const bool isGrid = special->which == Which::Ctaid || special->which == Which::Nctaid;
      added.isExact &= isGrid;
      if (!isGrid) return;
      constexpr std::int64_t kMostBlocks = 64;
      const std::int64_t least = special->which == Which::Ctaid ? value + 1 : value;
      std::uint32_t& extent = added.grid[std::min<std::size_t>(special->component, 2)];
      extent = std::max(
          extent, static_cast<std::uint32_t>(std::clamp<std::int64_t>(least, 1, kMostBlocks)));
      return;
    }
    // A kernel is usually passed how much there is to do, and checks it.  What its addresses are
    // made of, or what memory holds, it may rely on.
    const bool isBound = key.kind == LeafKind::Parameter && key.offset == 0 && !choice.isOfAddress;
    added.isExact &= isBound;
    if (!isBound) return;
    const ir::Function& function = access.origin->ssa().cfg().function();
    const auto& parameters = function.parameters;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      if (parameters[k]->symbol == ir::SymbolId{key.id}) added.arguments.push_back({k, value});
    }
  }

  StaticCheck& check_;
  const Block block_;
  // A kernel without barriers of the block may be launched with one warp, and one that does not
  // read the id of the thread with one thread.
  bool hasBarrier_ = false;
  bool dependsOnThread_ = false;
  std::deque<analysis::FunctionAnalyses> analyses_;
  std::vector<BarrierBody> bodies_;
  std::optional<analysis::BarrierContext> context_;
  std::vector<StaticFinding> found_;
};

const std::vector<StaticFinding>& StaticCheck::run(const Unit& unit, const Block& block) {
  const auto [at, isNew] = found_.try_emplace({&unit, block});
  if (isNew) at->second = OfUnit(*this, unit, block).run();
  return at->second;
}

StaticCheck::Fit StaticCheck::fitOf(const Unit& unit, const Block& block) {
  const auto [at, isNew] = fits_.try_emplace({&unit, block}, Fit::None);
  if (isNew) at->second = OfUnit(*this, unit, block).fit();
  return at->second;
}

StaticCheck::Fitting StaticCheck::fitting(const Unit& unit, std::vector<Block> blocks) {
  // A block of one warp fits most kernels, so it is taken only if no other does.
  Fit best = Fit::None;
  Fit bestOfWarp = Fit::None;
  for (const Block& block : blocks) {
    Fit& known = threadsOf(block) > isa::kWarpSize ? best : bestOfWarp;
    known = std::max(known, fitOf(unit, block));
  }
  if (best == Fit::None) best = bestOfWarp;
  if (best == Fit::None) return {std::move(blocks), false};
  std::erase_if(blocks, [&](const Block& block) { return fitOf(unit, block) < best; });
  return {std::move(blocks), true};
}

}  // namespace ptxopt::check
