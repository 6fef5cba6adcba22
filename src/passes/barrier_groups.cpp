#include "passes/barrier_groups.h"

#include <algorithm>
#include <deque>

namespace ptxopt::passes {

using analysis::BarrierBody;
using analysis::BarrierFacts;
using analysis::Precision;

namespace {

// The analyses of a function outside of its turn in the pipeline.
struct GroupMember {
  explicit GroupMember(ir::Function& of) : function(&of), analyses(of) {}
  ir::Function* function;
  analysis::FunctionAnalyses analyses;
};

BarrierBody bodyOf(analysis::FunctionAnalyses& analyses) {
  return {&analyses.get<analysis::Cfg>(), &analyses.get<analysis::Liveness>(),
          &analyses.get<analysis::PostDominators>(), &analyses.get<analysis::Loops>(), nullptr};
}

// Addresses are computed only where spaces and objects leave a barrier for two accesses, or the
// shape of the block counts. `addAddresses(bodies)` does it.
template <class AddAddresses>
std::vector<BarrierDecision> judgeBodies(std::span<BarrierBody> bodies, const BarrierFacts& facts,
                                         const BarrierQuestion& question, bool wantRemarks,
                                         AddAddresses&& addAddresses) {
  const analysis::BarrierGround ground(bodies, facts);
  if (question.aim == BarrierAim::Weaken) {
    addAddresses();
    return BarrierJudge(bodies, ground, question, Precision::Affine, wantRemarks).run();
  }
  BarrierJudge coarse(bodies, ground, question, std::min(question.precision, Precision::Objects),
                      wantRemarks);
  std::vector<BarrierDecision> decisions = coarse.run();
  if (question.precision != Precision::Affine || !coarse.isAnyKeptForAccesses()) return decisions;
  addAddresses();
  BarrierJudge fine(bodies, ground, question, Precision::Affine, wantRemarks);
  std::vector<BarrierDecision> refined = fine.run();
  if (fine.isWithinLimit()) return refined;
  for (BarrierDecision& decision : decisions) {
    if (wantRemarks && decision.fate == BarrierFate::Kept) {
      decision.remark.message += "\naddresses were not compared: the limit on that work is met";
    }
  }
  return decisions;
}

}  // namespace

void BarrierGroups::prepare(const ir::Module& module, analysis::ModuleAnalyses& analyses,
                            bool wantRemarks) {
  const auto& graph = analyses.get<analysis::CallGraph>();
  facts_.emplace(module, graph);
  for (const std::vector<ir::Function*>& group : groups(graph, analyses)) {
    judgeGroup(group, wantRemarks);
  }
}

std::vector<BarrierDecision> BarrierGroups::decide(ir::Function& function,
                                                   analysis::FunctionAnalyses& analyses,
                                                   bool wantRemarks) const {
  if (const auto found = decided_.find(&function); found != decided_.end()) return found->second;
  if (facts_->uses.own(function).ids == 0) return {};
  if (!function.isEntry()) return leaveAlone(function, wantRemarks);
  BarrierBody body = bodyOf(analyses);
  return judgeBodies({&body, 1}, *facts_, question_, wantRemarks,
                     [&] { body.addresses = &analyses.get<analysis::Addresses>(); });
}

// Of a function whose callers are not known.
std::vector<BarrierDecision> BarrierGroups::leaveAlone(ir::Function& function,
                                                       bool wantRemarks) const {
  BarrierRemarks remarks;
  std::string reason;
  if (wantRemarks) {
    remarks.addFunction(function);
    reason = unknownCallers(function, *facts_);
  }
  std::vector<BarrierDecision> decisions;
  for (ir::Statement& statement : function.body()) {
    auto* instruction = statement.as<ir::Instruction>();
    if (instruction == nullptr || !ir::ctaBarrier(*instruction)) continue;
    BarrierDecision& decision = decisions.emplace_back();
    decision.function = &function;
    decision.instruction = instruction;
    if (!wantRemarks) continue;
    decision.remark = remarks.at(question_.pass, function, *instruction);
    decision.remark.kind = RemarkKind::Missed;
    decision.remark.message = remarks.kept(function, *instruction, reason);
    decision.remark.details = {{"fate", std::string(spelling(decision.fate))}};
  }
  return decisions;
}

// Functions whose barriers can be judged, with all that call them, callers first.
std::vector<std::vector<ir::Function*>> BarrierGroups::groups(
    const analysis::CallGraph& graph, analysis::ModuleAnalyses& analyses) const {
  // Disjoint sets of vertices.
  std::vector<analysis::Vertex> leader(graph.graph().vertexCount());
  for (analysis::Vertex v = 0; v < leader.size(); ++v) leader[v] = v;
  const auto find = [&](analysis::Vertex v) {
    while (leader[v] != v) v = leader[v] = leader[leader[v]];
    return v;
  };
  for (analysis::Vertex v = 0; v < leader.size(); ++v) {
    if (!facts_->withKnownCallers.test(v)) continue;
    for (const analysis::Vertex caller : graph.graph().predecessors(v)) {
      leader[find(v)] = find(caller);
    }
  }
  std::unordered_map<const ir::Function*, ir::Function*> editable;
  for (ir::Function& f : analyses.get<ir::Module>().functions()) editable[&f] = &f;
  std::vector<std::vector<ir::Function*>> byLeader(leader.size());
  const std::vector<analysis::Vertex> order = graph.bottomUp();
  for (std::size_t k = order.size(); k-- > 0;) {
    const ir::Function* function = graph.function(order[k]);
    if (function == nullptr || !function->hasBody() || function->isOpaque) continue;
    byLeader[find(order[k])].push_back(editable.at(function));
  }
  std::erase_if(byLeader, [](const auto& group) { return group.size() < 2; });
  return byLeader;
}

void BarrierGroups::judgeGroup(const std::vector<ir::Function*>& group, bool wantRemarks) {
  std::deque<GroupMember> members;
  std::vector<BarrierBody> bodies;
  for (ir::Function* function : group) {
    bodies.push_back(bodyOf(members.emplace_back(*function).analyses));
    decided_[function];
  }
  const auto addAddresses = [&] {
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      bodies[k].addresses = &members[k].analyses.get<analysis::Addresses>();
    }
  };
  for (BarrierDecision& decision :
       judgeBodies(bodies, *facts_, question_, wantRemarks, addAddresses)) {
    decided_.at(decision.function).push_back(std::move(decision));
  }
}

}  // namespace ptxopt::passes
