// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/retarget/restate.h"

#include <algorithm>
#include <optional>
#include <string>

#include "analysis/needs/needs.h"
#include "ir/source_lines.h"
#include "isa/targets.h"

namespace ptxopt::passes {

namespace {

using analysis::Need;

// A version with a target, as a module states them.
struct Stated {
  isa::Version version;
  isa::Target target;

  // The threads of a warp make progress each by itself.
  bool hasIndependentThreads() const {
    return version >= isa::Version{6, 0} && isa::satisfies(target, "70");
  }
};

std::string requirementOf(isa::Target target) {
  return isa::toString(target).substr(std::string_view("sm_").size());
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
        old_{module.version, module.target},
        ownRequirement_(requirementOf(module.target)) {}

  bool run() {
    const std::optional<Stated> next = choose();
    if (!next) return false;
    new_ = *next;
    const std::size_t errors = diagnostics_.errorCount();
    ir::SourceLines lines(module_);
    analysis::forEachNeed(module_, [&](const Need& need) { check(need, lines); });
    if (diagnostics_.errorCount() != errors) return false;
    if (old_.hasIndependentThreads() != new_.hasIndependentThreads()) warnOfThreads();
    write();
    return true;
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

  // What the module states already is not in question, whatever the tables say.
  void check(const Need& need, const ir::SourceLines& lines) {
    std::string missing;
    const isa::Version version = std::min(need.versionFor(new_.target), old_.version);
    if (version > new_.version) missing = "PTX " + isa::toString(version);
    if (!isa::satisfies(new_.target, need.target) &&
        !isa::satisfies(new_.target, ownRequirement_)) {
      missing += (missing.empty() ? "" : " and ") + isa::targetsText(need.target);
    }
    if (!missing.empty()) {
      return report(
          need, lines,
          need.isUnderstood ? "needs " + missing : "is not understood, so it may need " + missing);
    }
    const auto isGoneFrom = [&](const Stated& at) {
      return need.withdrawn.holds(at.version, at.target);
    };
    if (isGoneFrom(new_) && !isGoneFrom(old_)) {
      // Of some targets no version ever had it.
      const std::string versions =
          need.withdrawn.version > need.version
              ? "in PTX " + isa::toString(need.withdrawn.version) + " and later "
              : "";
      report(need, lines,
             "does not exist " + versions + "for " + isa::targetsText(need.withdrawn.target) +
                 " and later");
    }
  }

  void report(const Need& need, const ir::SourceLines& lines, const std::string& why) {
    std::string text = '\'' + std::string(need.what) + "' " + why;
    if (const auto written = lines.written(need.at)) text += " (" + ir::shortText(*written) + ')';
    text += "; --for=" + request_.text + " gives PTX " + isa::toString(new_.version) + " and " +
            isa::toString(new_.target);
    diagnostics_.report(Severity::Error, module_.source(), need.at, std::move(text));
  }

  void warnOfThreads() {
    diagnostics_.report(
        Severity::Warning, module_.source().name(),
        new_.hasIndependentThreads()
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

  void writeTarget(ir::Directive& directive) {
    for (std::string_view& word : module_.targetWords) {
      if (isa::parseTarget(word) != old_.target) continue;
      // The words are slices of the text of the directive, in the source.
      const std::size_t at = static_cast<std::size_t>(word.data() - directive.text.data());
      if (at >= directive.text.size()) continue;
      const std::size_t size = word.size();
      word = module_.arena().copy(std::string_view(isa::toString(new_.target)));
      return replace(directive, at, size, word);
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
  Stated old_;
  Stated new_;
  std::string ownRequirement_;
};

}  // namespace

bool restate(ir::Module& module, const RetargetRequest& request, Diagnostics& diagnostics) {
  return Restater(module, request, diagnostics).run();
}

}  // namespace ptxopt::passes
