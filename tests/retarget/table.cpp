// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the table of docs/passes/retarget_forms.md: each row of the instruction table that PTX 6.0
// or sm_50 does not have, and what --for makes of it for older targets.
//
// For each form of a row, up to 60, it asks --for about a kernel with only that statement.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "example_module.h"
#include "expand.h"
#include "isa/targets.h"
#include "parse/parser.h"
#include "passes/retarget/lowering.h"
#include "passes/retarget/restate.h"

using namespace ptxopt;

namespace {

constexpr isa::Version kOldest = {6, 0};
constexpr std::array<isa::Target, 8> kTargets = {
    {{50, 0}, {53, 0}, {61, 0}, {70, 0}, {75, 0}, {80, 0}, {89, 0}, {90, 0}}};
constexpr std::size_t kMostForms = 60;

// A target that has the form.
isa::Target targetOf(std::string_view requirement) {
  for (const isa::KnownTarget& known : isa::knownTargets()) {
    if (isa::satisfies(known.target, requirement)) return known.target;
  }
  return {100, 0};
}

// The first that has the target.
isa::Version versionFor(isa::Target target) {
  return std::max(kOldest, isa::firstVersion(target).value_or(kOldest));
}

// Whether --for writes the statement for this target, in an older version too.
bool isWritten(const ExpandedForm& form, isa::Target target) {
  const isa::Target own = targetOf(form.desc->row->target);
  Diagnostics diagnostics;
  isa::ModuleWriter writer(isa::kNewestVersion, own);
  writer.add(0, form.statement);
  const auto module =
      parse::parse(std::make_shared<const SourceText>("form", writer.text()), diagnostics);
  if (module == nullptr || diagnostics.hasErrors()) return false;
  passes::RetargetRequest request;
  request.version = versionFor(target);
  request.target = target;
  request.text = "table";
  return passes::restate(*module, request, diagnostics).isDone;
}

struct Answer {
  std::optional<isa::Target> lowest;  // of the first form that can be lowered
  std::string becomes;
  std::size_t lowered = 0;
  std::size_t all = 0;
};

std::string meaning(const ExpandedForm& form, isa::Target target) {
  for (const passes::Lowering& row : passes::lowerings()) {
    if (passes::isFor(row, *form.desc) && isa::satisfies(target, row.target)) {
      return std::string(row.becomes);
    }
  }
  return "the same, under older names or without hints";
}

Answer ask(const isa::Row& row, isa::InstructionTable& table) {
  Answer answer;
  for (const ExpandedForm& form : expand(row.syntax, row.sets, row.example, table, kMostForms)) {
    if (form.desc->row != &row) continue;
    ++answer.all;
    for (const isa::Target target : kTargets) {
      if (isa::satisfies(target, row.target) && row.version <= versionFor(target)) break;
      if (!isWritten(form, target)) continue;
      ++answer.lowered;
      if (!answer.lowest || target.sm < answer.lowest->sm) {
        answer.lowest = target;
        answer.becomes = meaning(form, target);
      }
      break;
    }
  }
  return answer;
}

}  // namespace

int main() {
  isa::InstructionTable table;
  for (const isa::Row& row : isa::rows()) {
    if (row.version <= kOldest && isa::satisfies({50, 0}, row.target)) continue;
    if (!row.withdrawn.isNever()) continue;
    const Answer answer = ask(row, table);
    std::string mnemonic(row.syntax.substr(0, row.syntax.find(' ')));
    std::string result = "error";
    if (answer.lowest) {
      result = fmt::format("{}from {}: {}", answer.lowered == answer.all ? "" : "partly, ",
                           isa::toString(*answer.lowest), answer.becomes);
    }
    fmt::print("| {} | `{}` | PTX {}, {} | {} |\n", row.section, mnemonic,
               isa::toString(row.version), isa::targetsText(row.target), result);
  }
}
