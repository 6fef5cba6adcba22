// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/launch/assumptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "analysis/flow/call_graph.h"
#include "ir/module.h"
#include "isa/block.h"

namespace ptxopt::analysis {

namespace {

constexpr std::string_view kAlone = "none";
constexpr std::string_view kBlanks = " \t\r";

std::string textOf(const std::array<std::uint32_t, 3>& block) {
  return fmt::format("{},{},{}", block[0], block[1], block[2]);
}

// "64", "64,1,1"; none for a shape with which no kernel can be launched.
std::optional<std::array<std::uint32_t, 3>> parseBlock(std::string_view text) {
  std::array<std::uint32_t, 3> block = {1, 1, 1};
  for (std::size_t k = 0;; ++k) {
    const std::string_view part = text.substr(0, text.find(','));
    if (k == block.size()) return std::nullopt;
    const auto [end, problem] = std::from_chars(part.data(), part.data() + part.size(), block[k]);
    if (problem != std::errc() || end != part.data() + part.size()) return std::nullopt;
    if (block[k] < 1 || block[k] > isa::kMostExtents[k]) return std::nullopt;
    if (part.size() == text.size()) break;
    text.remove_prefix(part.size() + 1);
  }
  return block[0] * block[1] * block[2] <= isa::kMostThreads ? std::optional(block) : std::nullopt;
}

std::uint64_t productOf(const ir::Attribute& attribute) {
  std::uint64_t product = 1;
  for (const std::int64_t value : attribute.values) product *= static_cast<std::uint64_t>(value);
  return product;
}

bool holdsGridDependence(const ir::Function& function) {
  return std::ranges::any_of(function.body(), [](const ir::Statement& statement) {
    const auto* instruction = statement.as<ir::Instruction>();
    return instruction != nullptr && instruction->desc->is(isa::kGridDependency);
  });
}

}  // namespace

// ---- one kernel --------------------------------------------------------------------------------

void Assumptions::addBlock(std::array<std::uint32_t, 3> block) {
  add(Assumption::BlockDim);
  block_ = block;
}

void Assumptions::remove(Assumption assumption) {
  bits_ &= static_cast<std::uint16_t>(~bitOf(assumption));
  if (assumption == Assumption::BlockDim) block_.reset();
}

Assumptions Assumptions::common(const Assumptions& other) const {
  Assumptions both = limitedTo(other);
  if (both.block_ != other.block_) both.remove(Assumption::BlockDim);
  both.flatShared |= other.flatShared;
  return both;
}

Assumptions Assumptions::limitedTo(const Assumptions& other) const {
  Assumptions limited = *this;
  limited.bits_ &= other.bits_;
  if (!limited.has(Assumption::BlockDim)) limited.block_.reset();
  return limited;
}

std::vector<std::string> Assumptions::names() const {
  std::vector<std::string> names;
  for (const AssumptionInfo& info : kAssumptions) {
    if (!has(info.assumption)) continue;
    names.emplace_back(info.name);
    if (info.assumption == Assumption::BlockDim) names.back() += '=' + textOf(*block_);
  }
  return names;
}

// ---- assertions of the user --------------------------------------------------------------------

std::optional<std::string> AssumptionTable::add(std::string_view kernel, std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  const bool hasValue = name.size() != word.size();
  const std::string_view value = hasValue ? word.substr(name.size() + 1) : std::string_view();
  Entry* entry = nullptr;
  if (!kernel.empty()) {
    const auto found = kernels_.find(kernel);
    entry = found != kernels_.end() ? &found->second : &kernels_[std::string(kernel)];
  }
  Assumptions& said = entry != nullptr ? entry->said : all_;
  const auto info = std::ranges::find(kAssumptions, name, &AssumptionInfo::name);

  if (word == "assume=cuda") {
    said.add(Assumption::Drf);
    said.add(Assumption::TrustAligned);
    return std::nullopt;
  }
  if (word == "assume=source") {
    said.add(Assumption::TrustSource);
    return std::nullopt;
  }
  if (name == "assume") {
    return fmt::format("'{}' is not a set of assumptions; there are 'cuda' and 'source'", value);
  }
  if (info != kAssumptions.end() && info->assumption == Assumption::BlockDim) {
    if (entry == nullptr) return "block-dim is about one kernel";
    const auto block = parseBlock(value);
    if (!block) return fmt::format("'{}' is not a block shape X,Y,Z", value);
    if (said.block() && *said.block() != *block) {
      return fmt::format("block-dim of '{}' is both {} and {}", kernel, textOf(*said.block()),
                         textOf(*block));
    }
    said.addBlock(*block);
    return std::nullopt;
  }
  if (hasValue) return fmt::format("'{}' takes no value", name);
  if (word == kAlone) {
    if (entry == nullptr) return "'none' is about one kernel";
    entry->isAlone = true;
    return std::nullopt;
  }
  if (word == kFlatShared) {
    said.flatShared = true;
    return std::nullopt;
  }
  if (info == kAssumptions.end()) return fmt::format("there is no assumption '{}'", word);
  said.add(info->assumption);
  return std::nullopt;
}

std::optional<AssumptionError> AssumptionTable::parse(std::string_view text) {
  const auto offsetOf = [&](std::string_view part) {
    return static_cast<Offset>(part.data() - text.data());
  };
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    line = line.substr(0, line.find('#'));
    const auto skipBlanks = [&] {
      line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    };
    skipBlanks();
    if (line.empty()) continue;
    const std::string_view kernel = line.substr(0, line.find_first_of(": \t\r"));
    const std::string_view before = line;
    line.remove_prefix(kernel.size());
    skipBlanks();
    if (kernel.empty() || !line.starts_with(':')) {
      return AssumptionError{offsetOf(before), "a line is 'KERNEL: WORD ...', or '*: WORD ...'"};
    }
    line.remove_prefix(1);
    for (skipBlanks(); !line.empty(); skipBlanks()) {
      const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
      if (const auto message = add(kernel == "*" ? std::string_view() : kernel, word)) {
        return AssumptionError{offsetOf(word), *message};
      }
      line.remove_prefix(word.size());
    }
  }
  return std::nullopt;
}

Assumptions AssumptionTable::of(std::string_view kernel) const {
  const auto found = kernels_.find(kernel);
  if (found == kernels_.end()) return all_;
  Assumptions result = found->second.said;
  if (found->second.isAlone) return result;
  for (std::size_t k = 0; k < kAssumptionCount; ++k) {
    const Assumption assumption{static_cast<std::uint8_t>(k)};
    if (all_.has(assumption)) result.add(assumption);
  }
  result.flatShared |= all_.flatShared;
  return result;
}

// ---- a module ----------------------------------------------------------------------------------

ModuleAssumptions::ModuleAssumptions(const ir::Module&) {}

ModuleAssumptions::ModuleAssumptions(const ir::Module& module, const AssumptionTable& table) {
  if (table.empty()) return;
  const CallGraph graph(module);
  const std::uint32_t count = graph.components().count;
  std::vector<std::vector<Vertex>> members(count);
  for (Vertex v = 0; v < graph.graph().vertexCount(); ++v) {
    members[graph.components().component[v]].push_back(v);
  }
  const auto componentOf = [&](Vertex v) { return graph.components().component[v]; };

  // Callees have smaller component numbers.
  std::vector<bool> mayAwaitGrids(count);
  for (std::uint32_t c = 0; c < count; ++c) {
    for (const Vertex v : members[c]) {
      const ir::Function* function = graph.function(v);
      bool found = function != nullptr && holdsGridDependence(*function);
      for (const Vertex callee : graph.graph().successors(v)) {
        found = found || mayAwaitGrids[componentOf(callee)];
      }
      if (found) mayAwaitGrids[c] = true;
    }
  }
  bool isAnyFlat = false;
  for (const ir::Function& function : module.functions()) {
    if (!function.isEntry()) continue;
    Assumptions said = table.of(function.nameText());
    dropContradictions(function, said);
    // Other grids may write memory that a grid reads before it has waited for them (F10).
    if (mayAwaitGrids[componentOf(graph.vertexOf(function))]) {
      said.remove(Assumption::NcInvariant);
    }
    isAnyFlat |= said.flatShared;
    byFunction_[&function] = said;
  }
  // None: no caller has been visited yet.
  std::vector<std::optional<Assumptions>> ofComponent(count);
  Assumptions ofOutside;
  ofOutside.flatShared = isAnyFlat;
  for (std::uint32_t c = count; c-- > 0;) {
    std::optional<Assumptions>& all = ofComponent[c];
    const auto add = [&](const Assumptions& one) { all = all ? all->common(one) : one; };
    for (const Vertex v : members[c]) {
      if (v == graph.outside()) add(ofOutside);
      for (const Vertex caller : graph.graph().predecessors(v)) {
        const ir::Function* of = graph.function(caller);
        if (of != nullptr && of->isEntry()) {
          add(byFunction_.at(of));
        } else if (ofComponent[componentOf(caller)]) {
          add(*ofComponent[componentOf(caller)]);
        }
      }
    }
    if (!all) continue;
    for (const Vertex v : members[c]) {
      const ir::Function* function = graph.function(v);
      if (function != nullptr && !function->isEntry()) byFunction_[function] = *all;
    }
  }
}

const Assumptions& ModuleAssumptions::of(const ir::Function& function) const {
  static const Assumptions kNothing;
  const auto found = byFunction_.find(&function);
  return found == byFunction_.end() ? kNothing : found->second;
}

void ModuleAssumptions::dropContradictions(const ir::Function& kernel, Assumptions& assumptions) {
  const auto required = kernel.requiredBlock();
  if (required && (*required)[1] * (*required)[2] != 1) assumptions.remove(Assumption::OneRow);
  if (!assumptions.block()) return;
  const std::array<std::uint32_t, 3> block = *assumptions.block();
  if (block[1] * block[2] != 1) assumptions.remove(Assumption::OneRow);  // of all kernels
  const ir::Attribute* most = kernel.attribute(".maxntid");
  std::string directive;
  if (required && *required != block) {
    directive = ".reqntid " + textOf(*required);
  } else if (most != nullptr && productOf(*most) < std::uint64_t{block[0]} * block[1] * block[2]) {
    directive = std::string(most->text);
  } else {
    return;
  }
  assumptions.remove(Assumption::BlockDim);
  contradictions_.push_back(
      {&kernel, fmt::format("kernel '{}' has {}, so block-dim={} cannot be: it is not assumed",
                            kernel.nameText(), directive, textOf(block))});
}

}  // namespace ptxopt::analysis
