// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/auditor.h"

#include <algorithm>
#include <cstring>

#include "facts/claim_phrase.h"
#include "support/hexadecimal.h"

namespace ptxopt::interp {

namespace {

using Region = AuditAccess::Region;

}  // namespace

Auditor::Auditor(Program& program, const GlobalMemory& memory,
                 const std::vector<std::uint8_t>& parameters, std::uint32_t threadsPerCta,
                 AuditReport::Namer namer)
    : program_(&program),
      memory_(&memory),
      parameters_(&parameters),
      report_(program.module(), *program.audit(), threadsPerCta, std::move(namer)) {
  addVariables();
  for (const facts::Claim& claim : report_.claims().all()) {
    hasBarriers_ = hasBarriers_ || std::holds_alternative<facts::Barrier>(claim.what);
    hasDeadStores_ = hasDeadStores_ || std::holds_alternative<facts::DeadStore>(claim.what);
  }
}

// Variables that threads share; the position of local variables is determined at each call.
void Auditor::addVariables() {
  const auto add = [&](AuditVariables& variables, ClaimId id, ir::SymbolId symbol) {
    const std::string& function = report_.claims().all()[id].function;
    const auto& functions = program_->module().functions();
    const auto found = std::find_if(functions.begin(), functions.end(), [&](const auto& one) {
      return one.hasBody() && one.nameText() == function;
    });
    if (found == functions.end()) return;
    const ir::Variable* variable = found->symbolAt(symbol).variable;
    const std::uint64_t size = variable->size * std::max(variable->count, 1u);
    if (const auto shared = program_->sharedVariables().find(variable);
        shared != program_->sharedVariables().end()) {
      variables.add(Region::Shared, kSharedBase + shared->second,
                    size != 0 ? size : std::uint64_t{1} << kRankShift, id);
    } else if (const ImageObject* object = program_->image().find(*variable)) {
      variables.add(object->isConstant ? Region::Constant : Region::Global, object->address, size,
                    id);
    } else {
      for (const EntryParameter& parameter : program_->parameters()) {
        if (parameter.variable != variable) continue;
        variables.add(Region::Parameter, kParameterBase + parameter.offset, size, id);
      }
    }
  };
  const auto& claims = report_.claims().all();
  for (ClaimId id = 0; id < claims.size(); ++id) {
    if (const auto* unread = std::get_if<facts::Unread>(&claims[id].what)) {
      add(unread_, id, unread->symbol);
    } else if (const auto* own = std::get_if<facts::OwnBytes>(&claims[id].what)) {
      add(own_, id, own->symbol);
    }
  }
}

Auditor::Cta& Auditor::ctaOf(std::uint64_t index) {
  if (last_ != nullptr && lastIndex_ == index) return *last_;
  std::unique_ptr<Cta>& cta = ctas_[index];
  if (cta == nullptr) cta = std::make_unique<Cta>(report_.threadsPerCta());
  last_ = cta.get();
  lastIndex_ = index;
  return *cta;
}

std::string Auditor::name(std::uint64_t cta, const AuditAgent& agent) const {
  return (agent.isWarp ? "the warp of " : "") + report_.threadText(cta, agent.thread);
}

// ---- claims of accesses -------------------------------------------------------------------------

void Auditor::access(const AuditedThread& who, const AuditStep& step, std::uint32_t operand,
                     const AuditAccess& access) {
  for (const AuditAddress& address : step.addresses) {
    if (address.operand != operand) continue;
    if (address.site) ctaOf(who.cta).disjoint.touch(*address.site, access);
    for (const AuditAddress::PointsTo& claim : address.pointsTo) checkPointsTo(who, claim, access);
  }
  checkVariables(access);
  if (hasDeadStores_) checkDeadStores(step, access);
  if (!pureCalls_.empty()) checkPure(who, access);
  const bool isShared = access.region == Region::Global || access.region == Region::Shared;
  if (!hasBarriers_ || !isShared) return;
  const auto conflict = ctaOf(who.cta).barriers.touch(access);
  if (!conflict || report_.isFalse(conflict->claim)) return;
  const auto verb = [](bool writes) { return std::string(writes ? "writes" : "reads"); };
  report_.add(conflict->claim, access.instruction,
              name(who.cta, agentOf(access)) + " " + verb(access.writes) + " the byte at " +
                  hexadecimal(conflict->address) +
                  ", with no barrier that stays between that and " + "another access",
              conflict->instruction,
              name(who.cta, conflict->agent) + " " + verb(conflict->writes) + " it");
}

bool Auditor::isIn(const AuditedThread& who, const AuditBase& base, const AuditAccess& access,
                   std::int64_t& offset) const {
  using isa::Space;
  using Kind = facts::Base::Kind;
  switch (base.base->kind) {
    case Kind::Unknown:
      return std::ranges::any_of(base.base->spaces, [&](Space space) {
        switch (space) {
          case Space::Shared:
            return access.region == Region::Shared && access.isOwnShared;
          case Space::SharedCluster:
            return access.region == Region::Shared;
          case Space::Global:
            return access.region == Region::Global || access.region == Region::Constant;
          case Space::Const:
            return access.region == Region::Constant;
          case Space::Local:
            return access.region == Region::Local;
          case Space::Param:
            return access.region == Region::Local || access.region == Region::Parameter;
          case Space::ParamFunc:
            return access.region == Region::Local;
          case Space::ParamEntry:
            return access.region == Region::Parameter;
          case Space::None:
            return true;
          default:
            return false;
        }
      });
    case Kind::Variable:
    case Kind::DynamicShared: {
      const bool isShared = base.space == Space::Shared;
      const bool isMemory = base.space == Space::Global || base.space == Space::Const;
      const bool isParameter = access.region == Region::Parameter;
      const bool isRegion =
          isShared   ? access.region == Region::Shared && access.isOwnShared
          : isMemory ? access.region == Region::Global || access.region == Region::Constant
                     : access.region == Region::Local || isParameter;
      offset = static_cast<std::int64_t>(access.address - who.frame[base.slot]);
      const bool isInside =
          offset >= 0 && (static_cast<std::uint64_t>(offset) < base.size || base.size == 0);
      return isRegion && isInside;
    }
    case Kind::Parameter: {
      std::uint64_t pointer = 0;
      const std::uint64_t bytes = program_->module().addressSize / 8;
      if (base.offset + bytes > parameters_->size()) return false;
      std::memcpy(&pointer, parameters_->data() + base.offset, bytes);
      offset = static_cast<std::int64_t>(access.address - pointer);
      const Segment* segment = memory_->find(pointer, 1);
      return segment != nullptr && segment == access.segment;
    }
  }
  return false;
}

void Auditor::checkPointsTo(const AuditedThread& who, const AuditAddress::PointsTo& pointsTo,
                            const AuditAccess& access) {
  report_.count(pointsTo.claim);
  if (report_.isFalse(pointsTo.claim)) return;
  const auto& claim = std::get<facts::PointsTo>(report_.claims().all()[pointsTo.claim].what);
  std::int64_t offset = 0;
  const bool isInAny = std::ranges::any_of(
      pointsTo.bases, [&](const AuditBase& base) { return isIn(who, base, access, offset); });
  const auto fail = [&](const std::string& rest) {
    report_.add(pointsTo.claim, access.instruction,
                name(who) + " touches " + std::to_string(access.size) + " bytes at " +
                    hexadecimal(access.address) + rest);
  };
  if (!isInAny) {
    return fail(access.segment != nullptr ? " in " + access.segment->name
                                          : " in memory of its own");
  }
  const bool hasOffset =
      pointsTo.bases.size() == 1 && pointsTo.bases[0].base->kind != facts::Base::Kind::Unknown;
  if (!hasOffset || claim.bytes == facts::Bounds{}) return;
  const std::int64_t last = offset + static_cast<std::int64_t>(access.size) - 1;
  if (offset >= claim.bytes.lowest && last <= claim.bytes.highest) return;
  fail(", which are its bytes " + std::to_string(offset) + " .. " + std::to_string(last));
}

void Auditor::checkVariables(const AuditAccess& access) {
  const auto reads = [&](ClaimId claim) {
    report_.count(claim);
    if (!access.reads) return;
    report_.add(claim, access.instruction,
                report_.threadText(access.cta, access.thread) + " reads " +
                    std::to_string(access.size) + " bytes at " + hexadecimal(access.address));
  };
  // The address within shared memory, whichever CTA of the cluster it belongs to.
  constexpr std::uint64_t kOffset = (std::uint64_t{1} << kRankShift) - 1;
  const std::uint64_t address =
      access.region == Region::Shared ? access.address & kOffset : access.address;
  if (!unread_.empty()) unread_.forEach(access.region, address, access.size, reads);
  if (access.frameOf != nullptr) {
    for (const AuditLocal& local : access.frameOf->auditLocals) {
      const bool overlaps = access.frameOffset < local.offset + local.size &&
                            local.offset < access.frameOffset + access.size;
      if (overlaps) reads(local.claim);
    }
  }
  if (own_.empty()) return;
  own_.forEach(access.region, address, access.size, [&](ClaimId claim) {
    report_.count(claim);
    const auto meeting = ctaOf(access.cta).disjoint.own(claim, access);
    if (!meeting) return;
    report_.add(claim, access.instruction,
                name(access.cta, meeting->agents[1]) + " touches the byte at " +
                    hexadecimal(meeting->address) + ", which " +
                    name(access.cta, meeting->agents[0]) + " has touched");
  });
}

void Auditor::checkDeadStores(const AuditStep& step, const AuditAccess& access) {
  for (const ClaimId claim : step.deadStores) {
    if (access.writes) report_.count(claim);
  }
  const auto store = deadStores_.touch(access, step.deadStores);
  if (!store) return;
  for (const ClaimId claim : *store->claims) {
    report_.add(claim, access.instruction,
                report_.threadText(access.cta, access.thread) + " reads it here",
                store->instruction,
                "what " + report_.threadText(store->cta, store->thread) + " stored here");
  }
}

void Auditor::callBegins(std::uint64_t threadInGrid, std::uint64_t localTop) {
  if (hasDeadStores_) deadStores_.forgetLocal(threadInGrid, localTop);
}

// ---- pure functions -----------------------------------------------------------------------------

void Auditor::enter(const AuditedThread& who, ClaimId claim, std::uint64_t localBase,
                    std::string values) {
  report_.count(claim);
  pureCalls_[{who.cta, who.thread}].push_back({claim, localBase, std::move(values)});
}

void Auditor::leave(const AuditedThread& who, ClaimId claim, const Op& op,
                    const std::string& values) {
  const auto found = pureCalls_.find({who.cta, who.thread});
  if (found == pureCalls_.end()) return;
  std::vector<PureCall>& calls = found->second;
  const auto call = std::find_if(calls.rbegin(), calls.rend(),
                                 [&](const PureCall& one) { return one.claim == claim; });
  if (call == calls.rend()) return;
  const auto [known, isNew] = pureResults_.try_emplace({claim, std::move(call->arguments)},
                                                       PureResult{values, who.cta, who.thread});
  const PureResult& result = known->second;
  if (!isNew && result.results != values) {
    report_.add(claim, op.origin,
                name(who) + " gets other results than " +
                    report_.threadText(result.cta, result.thread) + " from the same arguments");
  }
  calls.erase(std::next(call).base());
  if (calls.empty()) pureCalls_.erase(found);
}

void Auditor::checkPure(const AuditedThread& who, const AuditAccess& access) {
  const auto found = pureCalls_.find({who.cta, who.thread});
  if (found == pureCalls_.end()) return;
  for (const PureCall& call : found->second) {
    const bool isSeen = access.region == Region::Global || access.region == Region::Shared ||
                        (access.region == Region::Local && access.address < call.localBase);
    if (!isSeen) continue;
    report_.add(call.claim, access.instruction,
                name(who) + " touches " + std::to_string(access.size) + " bytes at " +
                    hexadecimal(access.address) + " in a call of it");
  }
}

// ---- the end ------------------------------------------------------------------------------------

void Auditor::threadEnds(std::uint64_t index, std::uint32_t thread) {
  Cta& cta = ctaOf(index);
  cta.ended[thread] = true;
  cta.barriers.end(thread);
  pureCalls_.erase({index, thread});
  if (++cta.endedCount < cta.ended.size()) return;
  judge(index, cta, true);
  last_ = nullptr;
  ctas_.erase(index);
}

void Auditor::judge(std::uint64_t index, const Cta& cta, bool isComplete) {
  for (const AuditDisjoint::Verdict& verdict : cta.disjoint.judge(report_.claims())) {
    report_.count(verdict.claim);
    if (!verdict.meeting) continue;
    const auto& claim = std::get<facts::Disjoint>(report_.claims().all()[verdict.claim].what);
    report_.add(verdict.claim, report_.instructionAt(claim.address.at),
                name(index, verdict.meeting->agents[0]) + " touches the byte at " +
                    hexadecimal(verdict.meeting->address),
                report_.instructionAt(claim.other.at),
                name(index, verdict.meeting->agents[1]) + " touches it here");
  }
  if (!isComplete) return;
  for (const AuditControl::Difference& difference : cta.control.differences()) {
    const auto& claim = std::get<facts::AllExecute>(report_.claims().all()[difference.claim].what);
    const auto visits = [&](int k) {
      return report_.threadText(index, difference.threads[k]) + " comes there " +
             std::to_string(difference.visits[k]) + " times";
    };
    report_.add(difference.claim, report_.instructionAt(claim.at), visits(0) + ", " + visits(1));
  }
}

void Auditor::finish(bool completed) {
  for (const auto& [index, cta] : ctas_) judge(index, *cta, false);
  ctas_.clear();
  last_ = nullptr;
  if (!completed) return;
  for (const auto& [claim, store] : deadStores_.left()) {
    report_.add(claim, store.instruction,
                "what " + report_.threadText(store.cta, store.thread) +
                    " stored is there when the kernel ends");
  }
}

}  // namespace ptxopt::interp
