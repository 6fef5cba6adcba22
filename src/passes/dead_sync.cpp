#include "passes/dead_sync.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <unordered_map>

#include "analysis/barrier_graph.h"
#include "analysis/manager.h"
#include "analysis/polling.h"
#include "passes/barrier_remarks.h"
#include "passes/kept_barriers.h"

namespace ptxopt::passes {

namespace {

using analysis::BarrierBody;
using analysis::BarrierFacts;
using analysis::BarrierGraph;
using analysis::Precision;
using analysis::Standing;
using ir::Instruction;

// Entries in the sets of one group of functions: files that people have stay far below.  Addresses
// make more classes; where they make too many, objects are enough.
constexpr std::uint64_t kMostEntries = 20'000'000;
constexpr std::uint64_t kMostAffineEntries = 5'000'000;

struct Decision {
  const ir::Function* function = nullptr;
  Instruction* instruction = nullptr;
  bool removes = false;
  Remark remark;
};

std::string_view spelling(Precision precision) {
  switch (precision) {
    case Precision::Flags:
      return "flags";
    case Precision::Objects:
      return "objects";
    case Precision::Affine:
      return "affine";
  }
  return {};
}

// Nobody reads what a reduction over the CTA computes.
bool isResultUnused(const ir::Function& function, const Instruction& reduction) {
  ir::RegisterId result = ir::RegisterId::None;
  for (const ir::Operand& operand : reduction.operands()) {
    if (operand.writes) result = operand.reg();
  }
  for (const ir::Statement& statement : function.body()) {
    const auto* instruction = statement.as<Instruction>();
    if (instruction == nullptr) continue;
    bool isRead = instruction->guard.predicate() == result;
    ir::forEachRegister(*instruction, [&](const ir::Operand& operand) {
      isRead |= operand.reads && operand.reg() == result;
    });
    if (isRead) return false;
  }
  const auto& results = function.results;
  return std::none_of(results.begin(), results.end(), [](const ir::Variable* v) {
    return v->space == isa::Space::Reg;  // live where the function returns
  });
}

// A pragma is about what follows it; of these it is known that no barrier is meant (A5.5).
bool isPragmaOfOthers(const ir::Statement& statement) {
  const auto* pragma = statement.as<ir::Pragma>();
  return pragma != nullptr &&
         (pragma->text.starts_with("\"nounroll\"") || pragma->text.starts_with("\"frequency") ||
          pragma->text.starts_with("\"used_bytes_mask"));
}

struct Options {
  Precision precision = Precision::Affine;
  KeptBarriers kept;
};

// The whole engine on one entry, or on entries and the functions that they share.
class Judge {
 public:
  Judge(std::span<const BarrierBody> bodies, const BarrierFacts& facts, const KeptBarriers& kept,
        Precision precision, bool wantRemarks)
      : bodies_(bodies),
        kept_(kept),
        precision_(precision),
        wantRemarks_(wantRemarks),
        graph_(bodies, facts, precision) {
    for (const BarrierBody& body : bodies) {
      remarks_.addFunction(body.cfg->function());
      loops_.emplace_back(*body.cfg, *body.loops, facts.effects, graph_.sharedIsExternal());
    }
  }

  std::vector<Decision> run() {
    analysis::BarrierRegions& regions = graph_.regions();
    regions.solve(precision_ == Precision::Affine ? kMostAffineEntries : kMostEntries);
    std::vector<std::uint32_t> order(graph_.barriers().size());
    for (std::uint32_t k = 0; k < order.size(); ++k) order[k] = k;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return graph_.barriers()[a].depth > graph_.barriers()[b].depth;
    });
    std::vector<Decision> decisions(order.size());
    for (const std::uint32_t k : order) decisions[k] = judge(graph_.barriers()[k]);
    return decisions;
  }

  bool isWithinLimit() { return graph_.regions().isWithinLimit(); }
  // After run(): some barrier is kept for two accesses, and what their addresses are may matter.
  bool isAnyKeptForAccesses() const { return isAnyKeptForAccesses_; }

 private:
  using Barrier = BarrierGraph::Barrier;

  Decision judge(const Barrier& barrier) {
    Decision decision;
    decision.instruction = barrier.instruction;
    decision.function = &functionOf(barrier);
    if (wantRemarks_) {
      decision.remark = remarks_.at(kDeadSync.name, functionOf(barrier), *barrier.instruction);
    }
    if (std::optional<std::string> reason = reasonToKeep(barrier, decision.remark)) {
      if (!wantRemarks_) return decision;
      decision.remark.kind = RemarkKind::Missed;
      decision.remark.message = remarks_.kept(functionOf(barrier), *barrier.instruction, *reason);
      return decision;
    }
    decision.removes = true;
    if (wantRemarks_) {
      decision.remark.kind = RemarkKind::Passed;
      decision.remark.details = whyRemoved(barrier);
      decision.remark.message = remarks_.removed(functionOf(barrier), *barrier.instruction) +
                                remarks_.counts(graph_.regions(), barrier.node, decision.remark);
    }
    graph_.regions().remove(barrier.node);
    loopsHaveChanged_ |= loops_[barrier.body].loseAnchor(barrier.instruction->block);
    return decision;
  }

  // The precision that it takes.  A rule of alias.h is that of one pair; there may be more.
  decltype(Remark::details) whyRemoved(const Barrier& barrier) {
    std::string_view rule = "no conflict";
    Precision needed = precision_;
    if (precision_ == Precision::Affine) {
      if (const auto pair = graph_.regions().conflict(barrier.node, Precision::Objects)) {
        const analysis::AccessClasses& classes = graph_.classes();
        rule = analysis::spelling(
            classes.separation(classes.of(*pair->above), classes.of(*pair->below)));
      } else {
        needed = Precision::Objects;
      }
    }
    return {{"rule", std::string(rule)},
            {"precision", std::string(spelling(needed))},
            {"assumptions", ""}};
  }

  std::optional<std::string> reasonToKeep(const Barrier& barrier, Remark& remark) {
    const Instruction& instruction = *barrier.instruction;
    const ir::Function& function = functionOf(barrier);
    if (barrier.node == analysis::kNone) return notJudged(barrier);
    if (barrier.barrier.kind != ir::CtaBarrier::Kind::Sync &&
        !isResultUnused(function, instruction)) {
      return "its result is data";
    }
    if (const char* reason = kept_.whyKept(function, instruction)) return reason;
    const ir::Statement* before = instruction.previous;
    if (before != nullptr && before->kind == ir::StatementKind::Pragma &&
        !isPragmaOfOthers(*before)) {
      return "a pragma stands before it";
    }
    analysis::BarrierRegions& regions = graph_.regions();
    if (!regions.isWithinLimit()) return "the limit on the work for one kernel is met";
    if ((regions.marksAround(barrier.node) & analysis::kPin) != 0) {
      return !wantRemarks_ ? "" : remarks_.pin(regions, barrier.node, remark);
    }
    if (const auto conflict = regions.conflict(barrier.node)) {
      isAnyKeptForAccesses_ |= conflict->above && conflict->below;
      return !wantRemarks_
                 ? ""
                 : remarks_.conflict(regions, graph_.classes(), barrier.node, *conflict, remark);
    }
    if (!mayLeaveLoops(barrier)) {
      return "a loop around it loads from the same address in each round, and would be left with "
             "nothing that holds the load in it";
    }
    return std::nullopt;
  }

  // docs/soundness.md C2.6, also for the loops around calls.
  bool mayLeaveLoops(const Barrier& barrier) {
    if (!loops_[barrier.body].canLoseAnchor(barrier.instruction->block)) return false;
    if (loopsHaveChanged_) findSafeBodies();
    return isSafe_[barrier.body];
  }

  // Bodies such that no loop around a call of one needs an anchor in it.  Calls stand callers
  // first.
  void findSafeBodies() {
    loopsHaveChanged_ = false;
    isSafe_.assign(bodies_.size(), true);
    for (const BarrierGraph::Call& call : graph_.calls()) {
      const bool isSafe = isSafe_[call.caller] && loops_[call.caller].isSafeWithout(call.block);
      if (!isSafe) isSafe_[call.callee] = false;
    }
  }

  std::string notJudged(const Barrier& barrier) const {
    switch (barrier.standing) {
      case Standing::Partial:
        return "not all threads of the CTA take part in it";
      case Standing::NotUniform:
        return "it is not proved that all threads of the CTA reach it equally often";
      case Standing::Tainted:
        return "its id is, or may be, used by a barrier that not all threads provably take part "
               "in" +
               spoilerOf(barrier);
      case Standing::Judged:
      case Standing::Guarded:
        break;
    }
    return "no path leads to it";
  }

  // Where that barrier is, if it is one of these.
  std::string spoilerOf(const Barrier& barrier) const {
    for (const Barrier& other : graph_.barriers()) {
      const bool spoils =
          other.standing == Standing::Partial || other.standing == Standing::NotUniform;
      const bool mayMeet =
          (analysis::barrierIds(other.barrier) & analysis::barrierIds(barrier.barrier)) != 0;
      if (spoils && mayMeet) return "\nthe other: " + remarks_.textOf(*other.instruction);
    }
    return "";
  }

  const ir::Function& functionOf(const Barrier& barrier) const {
    return bodies_[barrier.body].cfg->function();
  }

  std::span<const BarrierBody> bodies_;
  const KeptBarriers& kept_;
  Precision precision_;
  bool wantRemarks_;
  bool isAnyKeptForAccesses_ = false;
  BarrierGraph graph_;
  BarrierRemarks remarks_;
  std::deque<analysis::PollingLoops> loops_;  // by body
  std::vector<bool> isSafe_;                  // by body
  bool loopsHaveChanged_ = true;
};

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

// Addresses are computed only where spaces and objects leave a barrier for two accesses.
// `addAddresses(bodies)` does it.
template <class AddAddresses>
std::vector<Decision> decide(std::span<BarrierBody> bodies, const BarrierFacts& facts,
                             const Options& options, bool wantRemarks,
                             AddAddresses&& addAddresses) {
  Judge coarse(bodies, facts, options.kept, std::min(options.precision, Precision::Objects),
               wantRemarks);
  std::vector<Decision> decisions = coarse.run();
  if (options.precision != Precision::Affine || !coarse.isAnyKeptForAccesses()) return decisions;
  addAddresses();
  Judge fine(bodies, facts, options.kept, Precision::Affine, wantRemarks);
  std::vector<Decision> refined = fine.run();
  return fine.isWithinLimit() ? refined : decisions;
}

class DeadSync : public Pass {
 public:
  explicit DeadSync(Options options) : options_(std::move(options)) {}

  void prepare(const ir::Module& module, analysis::ModuleAnalyses& analyses) override {
    const auto& graph = analyses.get<analysis::CallGraph>();
    facts_.emplace(module, graph);
    for (const std::vector<ir::Function*>& group : groups(graph, analyses)) judgeGroup(group);
  }

  bool run(ir::Function& function, PassContext& context) const override {
    if (const auto found = decided_.find(&function); found != decided_.end()) {
      return apply(function, found->second, context);
    }
    if (!function.isEntry() || facts_->uses.own(function).ids == 0) return false;
    BarrierBody body = bodyOf(context.analyses);
    return apply(function,
                 decide({&body, 1}, *facts_, options_, context.wantRemarks,
                        [&] { body.addresses = &context.analyses.get<analysis::Addresses>(); }),
                 context);
  }

 private:
  // Functions whose barriers can be judged, with all that call them, callers first.
  std::vector<std::vector<ir::Function*>> groups(const analysis::CallGraph& graph,
                                                 analysis::ModuleAnalyses& analyses) const {
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

  void judgeGroup(const std::vector<ir::Function*>& group) {
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
    for (Decision& decision : decide(bodies, *facts_, options_, true, addAddresses)) {
      decided_.at(decision.function).push_back(std::move(decision));
    }
  }

  bool apply(ir::Function& function, const std::vector<Decision>& decisions,
             PassContext& context) const {
    bool changed = false;
    for (const Decision& decision : decisions) {
      if (decision.removes) {
        if (!context.budget.spend()) continue;
        function.erase(decision.instruction);
        ++context.statistics["barriers-removed"];
        changed = true;
      } else {
        ++context.statistics["barriers-kept"];
      }
      context.remark(decision.remark);
    }
    return changed;
  }

  Options options_;
  std::optional<BarrierFacts> facts_;
  // Of functions that share barriers with others.
  std::unordered_map<const ir::Function*, std::vector<Decision>> decided_;
};

std::unique_ptr<Pass> create(const PassOptions& given, std::string& error) {
  Options options;
  for (const auto& [name, value] : given) {
    if (name == "keep") {
      std::optional<KeptBarriers> kept = KeptBarriers::parse(value, error);
      if (!kept) return nullptr;
      options.kept = std::move(*kept);
    } else if (name != "precision") {
      error = "there is no option '" + name + "'";
      return nullptr;
    } else if (value == spelling(Precision::Flags)) {
      options.precision = Precision::Flags;
    } else if (value == spelling(Precision::Objects)) {
      options.precision = Precision::Objects;
    } else if (value == spelling(Precision::Affine)) {
      options.precision = Precision::Affine;
    } else {
      error = "precision must be flags, objects or affine, not '" + value + "'";
      return nullptr;
    }
  }
  return std::make_unique<DeadSync>(std::move(options));
}

}  // namespace

const PassInfo kDeadSync = {
    "dead-sync",
    "Removes CTA barriers that order nothing, across blocks, loops and functions.",
    "precision=flags|objects|affine, keep=KERNEL[:LINE];...",
    create,
};

}  // namespace ptxopt::passes
