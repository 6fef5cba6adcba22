// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <map>
#include <tuple>

#include "interp/report.h"
#include "support/diagnostics.h"

namespace ptxopt::interp {

namespace {

// A line of the kernel, followed by the lines of its file that are inlined there; a line of the PTX
// where there is no .loc.
using Line = std::pair<std::string, std::vector<std::uint32_t>>;

Line lineOf(const ir::Module& module, const ir::SourceLines& lines,
            const ir::Instruction* instruction) {
  if (instruction == nullptr) return {};
  const std::vector<ir::SourcePlace> chain = sourceChain(lines, *instruction);
  if (chain.empty()) return {"", {module.source().lineColumn(instruction->source.begin).line}};
  Line line(std::string(chain.back().file), {});
  for (const ir::SourcePlace& place : chain) {
    if (place.file == chain.back().file) line.second.push_back(place.line);
  }
  return line;
}

// Findings of a lower rank may be the cause of those above.
int rankOf(FindingKind kind) {
  switch (kind) {
    case FindingKind::BarrierDivergence:
    case FindingKind::BarrierMismatch:
      return 0;
    case FindingKind::Deadlock:
      return 2;
    default:
      return 1;
  }
}

std::string counted(std::size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

// "a/b/scan.cuh" ends with "scan.cuh" and "b/scan.cuh", and not with "can.cuh".
bool endsWithPath(std::string_view path, std::string_view end) {
  if (!path.ends_with(end)) return false;
  const std::size_t rest = path.size() - end.size();
  return rest == 0 || path[rest - 1] == '/' || end.front() == '/';
}

}  // namespace

std::size_t ctasOf(const std::set<ThreadNumber>& threads) {
  std::size_t ctas = 0;
  for (auto at = threads.begin(); at != threads.end(); ++ctas) {
    const std::uint64_t cta = at->first;
    at = std::find_if(at, threads.end(), [&](const auto& one) { return one.first != cta; });
  }
  return ctas;
}

std::vector<FindingGroup> groupFindings(const ir::Module& module, const ir::SourceLines& lines,
                                        const std::vector<Finding>& findings) {
  // A claim that is false is one finding, wherever it fails.
  using Key = std::tuple<FindingKind, std::uint32_t, Line, Line>;
  std::map<Key, std::size_t> indices;
  std::vector<FindingGroup> groups;
  std::vector<std::set<ThreadNumber>> threads;
  for (std::size_t k = 0; k < findings.size(); ++k) {
    const Finding& finding = findings[k];
    // Which of two accesses comes second depends on the schedule.
    const auto pair =
        std::minmax({lineOf(module, lines, finding.place), lineOf(module, lines, finding.other)});
    const Key key{finding.kind, finding.claim, pair.first, pair.second};
    const auto [at, isNew] = indices.try_emplace(key, groups.size());
    if (isNew) {
      groups.push_back({{}, &finding});
      threads.emplace_back();
    }
    groups[at->second].members.push_back(k);
    threads[at->second].insert(finding.threads.begin(), finding.threads.end());
  }
  for (std::size_t k = 0; k < groups.size(); ++k) {
    groups[k].threads = threads[k].size();
    groups[k].ctas = ctasOf(threads[k]);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const auto& one, const auto& other) {
    return rankOf(one.example->kind) < rankOf(other.example->kind);
  });
  return groups;
}

std::string format(const ir::Module& module, const ir::SourceLines& lines,
                   const FindingGroup& group) {
  std::string text = format(module, lines, *group.example);
  if (group.threads == 0 && group.members.size() == 1) return text;
  Diagnostic note;
  note.severity = Severity::Note;
  note.file = module.source().name();
  if (const ir::Instruction* place = group.example->place) {
    note.place = module.source().lineColumn(place->source.begin);
  }
  note.message = "in all at " + counted(group.members.size(), "place");
  if (group.threads != 0) {
    note.message +=
        ", by " + counted(group.threads, "thread") + " of " + counted(group.ctas, "CTA");
  }
  return text + "\n" + ptxopt::format(note);
}

std::string summaryOf(const std::vector<FindingGroup>& groups) {
  std::array<std::size_t, kFindingKinds> counts{};
  std::size_t findings = 0;
  std::string limits;
  for (const FindingGroup& group : groups) {
    const FindingKind kind = group.example->kind;
    if (isLimit(kind)) {
      limits = ", stopped: " + std::string(spelling(kind));
      continue;
    }
    ++counts[static_cast<std::size_t>(kind)];
    ++findings;
  }
  if (findings == 0) return "no findings" + limits;
  std::string text = counted(findings, "finding");
  const char* separator = ": ";
  for (std::size_t k = 0; k < kFindingKinds; ++k) {
    if (counts[k] == 0) continue;
    text += separator + std::to_string(counts[k]) + " " +
            std::string(spelling(static_cast<FindingKind>(k)));
    separator = ", ";
  }
  return text + limits;
}

std::optional<IgnoredFinding> parseIgnored(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto kind = parseFindingKind(text.substr(0, colon));
  if (!kind || isLimit(*kind)) return std::nullopt;
  if (colon == std::string_view::npos) return IgnoredFinding{*kind, {}};
  const std::string_view file = text.substr(colon + 1);
  if (file.empty()) return std::nullopt;
  return IgnoredFinding{*kind, std::string(file)};
}

bool isIgnored(const ir::Module& module, const ir::SourceLines& lines, const Finding& finding,
               const IgnoredFinding& ignored) {
  if (finding.kind != ignored.kind) return false;
  if (ignored.file.empty()) return true;
  for (const ir::Instruction* place : {finding.place, finding.other}) {
    if (place == nullptr) continue;
    const std::vector<ir::SourcePlace> chain = sourceChain(lines, *place);
    const bool isThere =
        chain.empty() ? endsWithPath(module.source().name(), ignored.file)
                      : std::any_of(chain.begin(), chain.end(), [&](const ir::SourcePlace& source) {
                          return endsWithPath(source.file, ignored.file);
                        });
    if (!isThere) return false;
  }
  return true;
}

}  // namespace ptxopt::interp
