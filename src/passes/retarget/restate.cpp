// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/retarget/restate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "ir/source_lines.h"
#include "isa/targets.h"
#include "passes/retarget/fit.h"
#include "passes/retarget/leave_out.h"

namespace ptxopt::passes {

namespace {

using analysis::Need;

// The threads of a warp make progress each by itself.
bool hasIndependentThreads(const Stated& stated) {
  return stated.version >= isa::Version{6, 0} && isa::satisfies(stated.target, "70");
}

// The last target that is no higher than `most` and that `version` has, without features of its
// own.
std::optional<isa::Target> portableTarget(isa::Version version, isa::Target most) {
  std::optional<isa::Target> found;
  for (const isa::KnownTarget& known : isa::knownTargets()) {
    const bool isLower = known.target.suffix == 0 && known.target.sm <= most.sm;
    if (isLower && known.version <= version) found = known.target;
  }
  return found;
}

class Restater {
 public:
  Restater(ir::Module& module, const RetargetRequest& request, Diagnostics& diagnostics)
      : module_(module),
        request_(request),
        diagnostics_(diagnostics),
        lines_(module),
        old_{module.version, module.target} {}

  Restated run() {
    const std::optional<Stated> next = choose();
    if (!next) return {};
    new_ = *next;
    Fit fit = passes::fit(module_, new_);
    if (!fit.problems.empty() && !(request_.isLenient && leaveOut(fit))) {
      for (const Problem& problem : fit.problems) report(Severity::Error, problem, "");
      return {};
    }
    for (const Change& change : fit.changes) apply(module_, change);
    noteChanges(fit.changes);
    if (hasIndependentThreads(old_) != hasIndependentThreads(new_)) warnOfThreads();
    write();
    return {.isDone = true, .lowered = fit.changes.size() + leftOut_};
  }

 private:
  void fail(std::string message) {
    diagnostics_.report(Severity::Error, module_.source().name(), std::move(message));
  }

  // What the module will state if nothing in it needs more: what it states now, as far as the
  // request allows that.
  std::optional<Stated> choose() {
    if (old_.target.sm == 0) {
      fail("its .target names no SM");
      return std::nullopt;
    }
    const isa::Version limit = request_.version.value_or(isa::kNewestVersion);
    Stated next{std::min(old_.version, limit), request_.target.value_or(old_.target)};
    if (!request_.target && isa::firstVersion(next.target).value_or(isa::Version{}) > limit) {
      const auto portable = portableTarget(limit, next.target);
      next.target = portable.value_or(next.target);
    }
    const isa::Version first = isa::firstVersion(next.target).value_or(isa::Version{});
    if (first > limit) {
      fail(isa::toString(next.target) + " needs PTX " + isa::toString(first) + ", but " +
           request_.text + " takes only PTX " + isa::toString(limit));
      return std::nullopt;
    }
    next.version = std::max(next.version, first);
    return next;
  }

  void report(Severity severity, const Problem& problem, const std::string& consequence) {
    const Need& need = problem.need;
    std::string text = consequence + '\'' + std::string(need.what) + "' " + problem.why;
    const auto written = need.function != nullptr ? lines_.written(need.at) : std::nullopt;
    if (written) text += " (" + ir::shortText(*written) + ')';
    text += "; --for=" + request_.text + " gives PTX " + isa::toString(new_.version) + " and " +
            isa::toString(new_.target);
    diagnostics_.report(severity, module_.source(), need.at, std::move(text));
  }

  // Removes the functions with problems; false if that is not enough.
  bool leaveOut(Fit& fit) {
    std::map<const ir::Function*, const Problem*> firsts;
    std::vector<const ir::Function*> functions;
    for (const Problem& problem : fit.problems) {
      if (problem.need.function == nullptr) return false;
      if (firsts.emplace(problem.need.function, &problem).second) {
        functions.push_back(problem.need.function);
      }
    }
    const LeftOut left = withUsers(module_, functions);
    if (!left.variables.empty()) {
      fail(fmt::format("'{}' has the address of a function that would be left out",
                       left.variables.front()));
      return false;
    }
    const std::unordered_set<const ir::Function*> gone(left.functions.begin(),
                                                       left.functions.end());
    const auto isKernel = [](const ir::Function& f) { return f.isEntry() && f.hasBody(); };
    const auto kernels = std::ranges::count_if(module_.functions(), isKernel);
    if (kernels != 0 && std::ranges::count_if(left.functions, [&](const ir::Function* function) {
                          return isKernel(*function);
                        }) == kernels) {
      fail("no kernel would be left");
      return false;
    }
    for (const ir::Function* function : left.functions) {
      if (function->hasBody()) warnOfMissing(*function, firsts);
    }
    const std::unordered_set<const ir::Statement*> goneAliases(left.aliases.begin(),
                                                               left.aliases.end());
    std::erase_if(fit.changes, [&](const Change& change) {
      return gone.contains(change.function) || goneAliases.contains(change.statement);
    });
    module_.remove(left.functions);
    for (ir::Statement* alias : left.aliases) module_.erase(alias);
    leftOut_ = left.functions.size();
    return true;
  }

  void warnOfMissing(const ir::Function& function,
                     const std::map<const ir::Function*, const Problem*>& firsts) {
    const std::string name = fmt::format(
        "{} '{}' is left out: ", function.isEntry() ? "kernel" : "function", function.nameText());
    if (const auto found = firsts.find(&function); found != firsts.end()) {
      return report(Severity::Warning, *found->second, name);
    }
    diagnostics_.report(Severity::Warning, module_.source(), function.item->source.begin,
                        name + "it uses a function that is left out");
  }

  // One note for each kind of statement that was changed.
  void noteChanges(const std::vector<Change>& changes) {
    std::map<std::string_view, std::size_t> counts;
    for (const Change& change : changes) ++counts[change.need.what];
    for (const Change& change : changes) {
      const auto found = counts.find(change.need.what);
      if (found == counts.end()) continue;
      std::string text =
          fmt::format("'{}' is {}", found->first, change.text.empty() ? "left out" : "lowered");
      const std::size_t others = found->second - 1;
      if (others != 0) {
        text += fmt::format(", and in {} more place{}", others, others == 1 ? "" : "s");
      }
      counts.erase(found);
      diagnostics_.report(Severity::Note, module_.source(), change.need.at, std::move(text));
    }
  }

  void warnOfThreads() {
    diagnostics_.report(
        Severity::Warning, module_.source().name(),
        hasIndependentThreads(new_)
            ? "from sm_70 and PTX 6.0 on the threads of a warp do not run in lockstep: code that "
              "relies on that needs bar.warp.sync"
            : "before sm_70 and PTX 6.0 the threads of a warp do not make progress each by itself: "
              "code that waits for another thread of its warp may hang");
  }

  void write() {
    for (ir::Statement& item : module_.items()) {
      auto* directive = item.as<ir::Directive>();
      if (directive == nullptr) continue;
      if (directive->which == ir::DirectiveKind::Version && new_.version != old_.version) {
        const std::size_t number = directive->text.find_last_not_of("0123456789.") + 1;
        replace(*directive, number, directive->text.size() - number, isa::toString(new_.version));
      }
      if (directive->which == ir::DirectiveKind::Target && new_.target != old_.target) {
        writeTarget(*directive);
      }
    }
    module_.version = new_.version;
    module_.target = new_.target;
  }

  // Every target that the directive names: ptxas takes several.
  void writeTarget(ir::Directive& directive) {
    const std::string_view written = directive.text;
    const std::string_view name =
        module_.arena().copy(std::string_view(isa::toString(new_.target)));
    // From the last to the first, so that the offsets of the others stay.
    for (std::size_t k = module_.targetWords.size(); k-- > 0;) {
      std::string_view& word = module_.targetWords[k];
      if (!isa::parseTarget(word)) continue;
      // The words are slices of the text of the directive, in the source.
      const std::size_t at = static_cast<std::size_t>(word.data() - written.data());
      if (at >= written.size()) continue;
      replace(directive, at, word.size(), name);
      word = name;
    }
  }

  void replace(ir::Directive& directive, std::size_t at, std::size_t size, std::string_view by) {
    std::string text(directive.text);
    text.replace(at, size, by);
    directive.text = module_.arena().copy(std::string_view(text));
    module_.markChanged(&directive);
  }

  ir::Module& module_;
  const RetargetRequest& request_;
  Diagnostics& diagnostics_;
  ir::SourceLines lines_;
  Stated old_;
  Stated new_;
  std::size_t leftOut_ = 0;  // functions
};

}  // namespace

Restated restate(ir::Module& module, const RetargetRequest& request, Diagnostics& diagnostics) {
  return Restater(module, request, diagnostics).run();
}

}  // namespace ptxopt::passes
