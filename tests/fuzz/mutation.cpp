#include "mutation.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "parse/parser.h"

namespace ptxopt::fuzz {

std::vector<Mutant> deleteNeeded(const RandomKernel& kernel) {
  std::vector<Mutant> mutants;
  const std::string text = kernel.text();
  std::size_t line = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin) + 1;
    const std::string_view content = std::string_view(text).substr(begin, end - 1 - begin);
    ++line;
    const bool isBarrier = content.ends_with(RandomKernel::kNeededBarrier);
    if (isBarrier || content.ends_with(RandomKernel::kNeededStore)) {
      mutants.push_back({line, isBarrier, text.substr(0, begin) + text.substr(end), false});
    }
    begin = end;
  }
  return mutants;
}

namespace {

// Those in whose place a run comes: a trap there shows.
std::vector<Mutant> onlyExecuted(const std::string& name, const std::string& text,
                                 std::vector<Mutant> mutants,
                                 const std::vector<std::string>& trapped,
                                 const CheckOptions& options) {
  CheckOptions once = options;
  once.schedules = 1;
  const std::vector<bool> isExecuted = tellsApart(name, text, trapped, once);
  std::vector<Mutant> executed;
  for (std::size_t k = 0; k < mutants.size(); ++k) {
    if (isExecuted[k]) executed.push_back(std::move(mutants[k]));
  }
  return executed;
}

}  // namespace

std::vector<Mutant> deleteEach(const std::string& name, const std::string& text,
                               const CheckOptions& options) {
  Diagnostics diagnostics;
  const auto source = std::make_shared<const SourceText>(name, text);
  const auto module = parse::parse(source, diagnostics);
  if (module == nullptr) throw std::runtime_error(name + ": not understood as PTX");
  std::vector<Mutant> mutants;
  std::vector<std::string> trapped;
  for (const ir::Function& function : module->functions()) {
    for (const ir::Statement& statement : function.body()) {
      const auto* instruction = statement.as<ir::Instruction>();
      if (instruction == nullptr) continue;
      const isa::Form& form = *instruction->form;
      const bool isBarrier =
          (instruction->is(isa::Opcode::Bar) || instruction->is(isa::Opcode::Barrier)) &&
          form.has(".sync") && !form.has(".warp") && !form.has(".cluster");
      const bool isStore =
          instruction->is(isa::Opcode::St) && !form.has(".local") && !form.has(".param");
      if (!isBarrier && !isStore) continue;
      const SourceRange range = statement.source;
      const std::string before = text.substr(0, range.begin);
      const std::string after = text.substr(range.end);
      mutants.push_back({source->lineColumn(range.begin).line, isBarrier, before + after, false});
      const std::string_view content = source->slice(range);
      const std::string_view guard =
          content.starts_with('@') ? content.substr(0, content.find_first_of(" \t")) : "";
      trapped.push_back(before + std::string(guard) + " trap;" + after);
    }
  }
  return onlyExecuted(name, text, std::move(mutants), trapped, options);
}

std::vector<Mutant> deleteKept(const std::string& name, const std::string& text,
                               const std::string& pipeline, const CheckOptions& options,
                               std::string& output) {
  const driver::OptimizeResult made = optimize(name, text, pipeline, options);
  if (!made.ok) throw std::runtime_error(name + ": " + pipeline + " fails");
  // Blanks instead of what is deleted, so that places stay.
  const auto without = [](std::string from, SourceRange range) {
    std::fill_n(from.begin() + range.begin, range.end - range.begin, ' ');
    return from;
  };
  output = text;
  for (const passes::Remark& remark : made.run.remarks) {
    if (remark.kind == passes::RemarkKind::Passed) output = without(output, remark.place);
  }
  std::vector<Mutant> mutants;
  std::vector<std::string> trapped;
  for (const passes::Remark& remark : made.run.remarks) {
    const auto has = [&](std::string_view key) {
      return std::ranges::any_of(remark.details,
                                 [&](const auto& detail) { return detail.first == key; });
    };
    if (remark.kind != passes::RemarkKind::Missed || !has("above")) continue;
    const SourceRange range = remark.place;
    const std::string_view content = made.source->slice(range);
    const std::string_view guard =
        content.starts_with('@') ? content.substr(0, content.find_first_of(" \t")) : "";
    mutants.push_back({made.source->lineColumn(range.begin).line, true, without(output, range),
                       false, remark.message, has("above_address") && has("below_address")});
    trapped.push_back(output.substr(0, range.begin) + std::string(guard) + " trap;" +
                      output.substr(range.end));
  }
  return onlyExecuted(name, output, std::move(mutants), trapped, options);
}

void judge(const std::string& name, const std::string& text, std::vector<Mutant>& mutants,
           const CheckOptions& options) {
  std::vector<std::string> texts;
  for (const Mutant& mutant : mutants) texts.push_back(mutant.text);
  const std::vector<bool> caught = tellsApart(name, text, texts, options);
  for (std::size_t k = 0; k < mutants.size(); ++k) mutants[k].caught = caught[k];
}

}  // namespace ptxopt::fuzz
