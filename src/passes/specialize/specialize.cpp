// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/specialize/specialize.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <variant>

#include "passes/specialize/dead_branches.h"
#include "passes/specialize/kernel_names.h"
#include "passes/specialize/launch_tests.h"
#include "passes/specialize/original_path.h"
#include "support/residue.h"

namespace ptxopt::passes {

namespace {

constexpr std::string_view kExtents[] = {"x", "y", "z"};

// Of a block, by .maxntid.
std::uint64_t mostThreadsOf(const ir::Function& kernel) {
  const ir::Attribute* const most = kernel.attribute(".maxntid");
  if (most == nullptr) return ~std::uint64_t{0};
  std::uint64_t threads = 1;
  for (const std::int64_t extent : most->values) {
    threads = std::min<std::uint64_t>(threads * static_cast<std::uint32_t>(extent),
                                      std::numeric_limits<std::uint32_t>::max());
  }
  return threads;
}

bool needsTest(const KernelNumber& number) {
  return number.isRead && number.needsTest;
}

// The number, or what is known of it; none if no number of the type is so.
std::optional<ir::ParameterRange> exactly(const LaunchNumber& number, isa::Type type) {
  const auto bits = number.as(type);
  if (!bits) return std::nullopt;
  return ir::ParameterRange{0, static_cast<std::uint8_t>(isa::bitWidth(type)), false, *bits, *bits,
                            0};
}

// A bound of 64 bits, with a sign or without.
std::optional<std::uint64_t> boundOf(const LaunchNumber& number, isa::Type type, bool isSigned) {
  const auto bits = number.as(type);
  if (!bits || !isSigned) return bits;
  const std::int64_t bound = signedResidue(*bits, static_cast<unsigned>(isa::bitWidth(type)));
  if (bound < 0 && !number.isNegative()) return std::nullopt;
  return static_cast<std::uint64_t>(bound);
}

std::optional<ir::ParameterRange> between(const LaunchRange& known, isa::Type type) {
  const auto width = static_cast<unsigned>(isa::bitWidth(type));
  const bool isInteger =
      !isa::isFloat(type) && (width == 8 || width == 16 || width == 32 || width == 64);
  if (!isInteger) return std::nullopt;
  ir::ParameterRange range;
  range.bits = static_cast<std::uint8_t>(width);
  range.isSigned = isa::isSigned(type) || (known.least && known.least->isNegative()) ||
                   (known.most && known.most->isNegative());
  range.lowest = range.leastOfAll();
  range.highest = range.mostOfAll();
  range.zeros = known.multipleOf - 1;
  const auto least = known.least ? boundOf(*known.least, type, range.isSigned) : range.lowest;
  const auto most = known.most ? boundOf(*known.most, type, range.isSigned) : range.highest;
  if (!least || !most || residue(range.zeros, width) != range.zeros) return std::nullopt;
  range.lowest = *least;
  range.highest = *most;
  // The greatest multiple.
  const std::uint64_t last = range.highest & ~range.zeros;
  const bool isPossible =
      range.isSigned ? static_cast<std::int64_t>(last) >= static_cast<std::int64_t>(range.lowest)
                     : last >= range.lowest;
  if (!isPossible) return std::nullopt;
  if (range.lowest != range.highest) return range;
  return exactly(LaunchNumber(LaunchNumber::Bits{residue(range.lowest, width)}), type);
}

// Loads of the number may be aligned.
bool fits(const ir::Variable& parameter, const KernelFacts::Member& member) {
  const auto bytes = static_cast<std::uint32_t>(isa::bitWidth(member.type)) / 8;
  const auto natural = static_cast<std::uint32_t>(isa::bitWidth(parameter.type)) / 8;
  const std::uint32_t alignment = parameter.alignment != 0 ? parameter.alignment : natural;
  return std::uint64_t{member.offset} + bytes <= parameter.size && member.offset % bytes == 0 &&
         alignment % bytes == 0;
}

std::optional<ir::ParameterRange> rangeOf(const ir::Variable& parameter,
                                          const KernelFacts::Parameter& known) {
  const bool isScalar = parameter.dimensions.empty() && parameter.vectorWidth == 1;
  const bool isPossible = known.member ? fits(parameter, *known.member) : isScalar;
  if (!isPossible) return std::nullopt;
  const isa::Type type = known.member ? known.member->type : parameter.type;
  const auto* const number = std::get_if<LaunchNumber>(&known.known);
  auto range = number != nullptr ? exactly(*number, type)
                                 : between(std::get<LaunchRange>(known.known), type);
  if (range && known.member) range->offset = known.member->offset;
  return range;
}

}  // namespace

Specialization::Specialization(ir::Module& module, const LaunchFacts& facts,
                               const std::vector<std::string>& keptKernels,
                               analysis::AssumptionTable& assumptions, Diagnostics& diagnostics)
    : module_(&module),
      isEnforced_(facts.isEnforced),
      isDispatched_(facts.isDispatched),
      assumptions_(&assumptions),
      diagnostics_(&diagnostics) {
  if (facts.empty()) return;
  const KernelNames names(module);
  std::set<const ir::Function*> seen;
  for (const KernelFacts& known : facts.kernels) {
    ir::Function* const kernel = names.find(known.kernel);
    if (kernel == nullptr) continue;
    isAboutModule_ = true;
    if (!seen.insert(kernel).second) {
      warn(*kernel, fmt::format("the file names it twice; '{}' is ignored", known.kernel));
    } else if (std::ranges::find(keptKernels, kernel->nameText()) != keptKernels.end()) {
      continue;
    } else if (kernel->isOpaque) {
      warn(*kernel, "its code is not understood; what is known of its launches is ignored");
    } else {
      apply(*kernel, known);
    }
  }
}

void Specialization::warn(const ir::Function& kernel, const std::string& message) {
  diagnostics_->report(Severity::Warning, module_->source(), kernel.item->source.begin,
                       fmt::format("kernel '{}': {}", kernel.nameText(), message));
}

void Specialization::apply(ir::Function& kernel, const KernelFacts& facts) {
  KernelNumbers numbers(kernel);
  applyBlock(kernel, facts, numbers);
  for (std::size_t k = 0; k < 3 && facts.grid; ++k) {
    numbers.addSpecial(fmt::format("%nctaid.{}", kExtents[k]), (*facts.grid)[k], true);
    if ((*facts.grid)[k] == 1) numbers.addSpecial(fmt::format("%ctaid.{}", kExtents[k]), 0, true);
  }
  if (facts.cluster) applyCluster(kernel, *facts.cluster, numbers);
  if (facts.dynamicShared) {
    numbers.addSpecial("%dynamic_smem_size", *facts.dynamicShared, true);
  }
  for (const KernelFacts::Parameter& known : facts.parameters) addParameter(kernel, known, numbers);
  use(kernel, numbers);
  std::vector<const ir::Instruction*> barriers;
  changed_ |= removeDeadBranches(kernel, assumptions_->of(kernel.nameText()), barriers);
  if (!barriers.empty()) remarkOn(kernel, barriers);
  if (!facts.hasDistinctPointers) return;
  if (isEnforced_) {
    warn(kernel, "no test can show that its pointers are distinct; --noalias-params assumes it");
  } else {
    assumptions_->add(kernel.nameText(), "noalias-params");
  }
}

// Of barriers that no launch reaches.
void Specialization::remarkOn(const ir::Function& kernel,
                              std::span<const ir::Instruction* const> barriers) {
  const ir::Function* one[] = {&kernel};
  const ir::SourceLines lines(*module_, one);
  for (const ir::Instruction* const barrier : barriers) {
    Remark& remark = remarks_.emplace_back();
    remark.pass = "launch";
    remark.kind = RemarkKind::Passed;
    remark.function = &kernel;
    remark.place = barrier->source;
    remark.barrier = verdictOn(*barrier);
    remark.barrier->outcome = BarrierOutcome::Removed;
    remark.barrier->rule = BarrierRule{BarrierRule::Kind::NotReached};
    if (!isEnforced_) remark.assumptions.emplace_back("launch");
    locate(remark, lines);
  }
}

void Specialization::use(ir::Function& kernel, KernelNumbers& numbers) {
  numbers.findReads();
  if (!numbers.hasReads()) return;
  changed_ = true;
  std::vector<ir::RegisterId> launched;
  if (isEnforced_ && std::ranges::any_of(numbers.all(), needsTest)) {
    if (isDispatched_ && canDispatch(kernel)) {
      launched = dispatch(kernel, numbers);
    } else {
      Tested tested{&kernel, {}};
      std::ranges::copy_if(numbers.all(), std::back_inserter(tested.numbers), needsTest);
      tested_.push_back(std::move(tested));
    }
  }
  numbers.replaceReads(launched);
}

bool Specialization::canDispatch(const ir::Function& kernel) {
  const std::string problem = cannotBeCopied(kernel);
  if (problem.empty()) return true;
  warn(kernel, problem + ", so there is no second path: a launch with other numbers traps");
  return false;
}

// Returns the registers that hold the numbers.
std::vector<ir::RegisterId> Specialization::dispatch(ir::Function& kernel, KernelNumbers& numbers) {
  std::vector<ir::RegisterId> launched;
  numbers.forgetMultiples();
  if (std::ranges::none_of(numbers.all(), needsTest)) return launched;
  LaunchTests tests(kernel, appendCopyOfBody(kernel));
  for (const KernelNumber& number : numbers.all()) {
    launched.push_back(needsTest(number) ? tests.add(number) : ir::RegisterId::None);
  }
  return launched;
}

void Specialization::addTests() {
  for (const Tested& tested : tested_) {
    LaunchTests tests(*tested.kernel, ir::SymbolId::None);
    for (const KernelNumber& number : tested.numbers) tests.add(number);
  }
}

void Specialization::applyBlock(ir::Function& kernel, const KernelFacts& facts,
                                KernelNumbers& numbers) {
  if (!facts.block) {
    if (facts.mostThreads) applyMostThreads(kernel, *facts.mostThreads);
    return;
  }
  const auto required = kernel.requiredBlock();
  const Extents& block = *facts.block;
  const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2];
  if ((required && *required != block) || threads > mostThreadsOf(kernel)) {
    return warn(kernel, fmt::format("a block of {} contradicts its {}; it is ignored",
                                    textOf(block), required ? ".reqntid" : ".maxntid"));
  }
  if (!isEnforced_) {
    const auto problem = assumptions_->add(kernel.nameText(), "block-dim=" + textOf(block));
    if (problem) return warn(kernel, *problem + "; the latter is ignored");
  } else if (!required) {
    setShape(kernel, ".reqntid", std::array<std::int64_t, 3>{block[0], block[1], block[2]});
  }
  for (std::size_t k = 0; k < 3; ++k) {
    numbers.addSpecial(fmt::format("%ntid.{}", kExtents[k]), block[k], false);
  }
}

void Specialization::applyMostThreads(ir::Function& kernel, std::uint32_t threads) {
  if (kernel.requiredBlock() || threads >= mostThreadsOf(kernel)) return;
  if (!isEnforced_) return warn(kernel, "max_threads has an effect only with --enforce");
  setShape(kernel, ".maxntid", std::array<std::int64_t, 1>{threads});
}

// No directive: the driver would give the cluster of one to a launch that names none.
void Specialization::applyCluster(ir::Function& kernel, const Extents& cluster,
                                  KernelNumbers& numbers) {
  const ir::Attribute* const required = kernel.attribute(".reqnctapercluster");
  for (std::size_t k = 0; k < 3 && required != nullptr; ++k) {
    const std::int64_t extent = k < required->values.size() ? required->values[k] : 1;
    if (extent == cluster[k]) continue;
    return warn(kernel, fmt::format("a cluster of {} contradicts its .reqnctapercluster; it is "
                                    "ignored",
                                    textOf(cluster)));
  }
  for (std::size_t k = 0; k < 3; ++k) {
    numbers.addSpecial(fmt::format("%cluster_nctaid.{}", kExtents[k]), cluster[k], true);
  }
  numbers.addSpecial("%cluster_nctarank", cluster[0] * cluster[1] * cluster[2], true);
}

// In the place of .reqntid and .maxntid, of which there can be only one.
void Specialization::setShape(ir::Function& kernel, std::string_view name,
                              std::span<const std::int64_t> values) {
  std::erase_if(kernel.attributes, [&](const ir::Attribute& attribute) {
    const std::string_view old = module_->text(attribute.name);
    if (old != ".reqntid" && old != ".maxntid") return false;
    const auto begin = static_cast<Offset>(attribute.text.data() - module_->source().text().data());
    module_->eraseText({begin, static_cast<Offset>(begin + attribute.text.size())});
    return true;
  });
  ir::Attribute attribute;
  attribute.name = module_->name(name);
  attribute.known = true;
  attribute.values = module_->arena().copy(values);
  std::string text(name);
  for (std::size_t k = 0; k < values.size(); ++k) {
    text += fmt::format("{} {}", k == 0 ? "" : ",", values[k]);
  }
  attribute.text = module_->text(module_->name(text));
  kernel.attributes.insert(kernel.attributes.begin(), attribute);
  module_->markChanged(kernel.item);
  changed_ = true;
}

// Null, with a warning, if it is none, or not clear which one.
ir::Variable* Specialization::parameterOf(const ir::Function& kernel,
                                          const KernelFacts::Parameter& known) {
  ir::Variable* byName = nullptr;
  ir::Variable* byIndex = nullptr;
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    ir::Variable& candidate = *kernel.parameters[k];
    const bool isNamed = !known.index && module_->text(candidate.name) == known.name;
    if (isNamed) byName = &candidate;
    if (known.index ? k == *known.index : fmt::format("arg{}", k) == known.name) {
      byIndex = &candidate;
    }
  }
  if (byName != nullptr && byIndex != nullptr && byName != byIndex) {
    warn(kernel,
         fmt::format("'{}' is the name of one parameter and the place of another; it is ignored",
                     known.name));
    return nullptr;
  }
  ir::Variable* const parameter = byName != nullptr ? byName : byIndex;
  if (parameter == nullptr) warn(kernel, fmt::format("it has no parameter '{}'", known.name));
  return parameter;
}

void Specialization::addParameter(const ir::Function& kernel, const KernelFacts::Parameter& known,
                                  KernelNumbers& numbers) {
  ir::Variable* const parameter = parameterOf(kernel, known);
  if (parameter == nullptr) return;
  const auto range = rangeOf(*parameter, known);
  const std::string what =
      fmt::format("parameter '{}{}'", known.name,
                  known.member ? fmt::format("+{}", known.member->offset) : std::string());
  if (!range) {
    const bool isNumber = std::holds_alternative<LaunchNumber>(known.known);
    warn(kernel, fmt::format("{} cannot have the {} given; it is ignored", what,
                             isNumber ? "value" : "range"));
    return;
  }
  if (!range->isAll() && !numbers.addParameter(*parameter, *range)) {
    warn(kernel, what + " is given twice; the first value holds");
  }
  const auto* const bounds = std::get_if<LaunchRange>(&known.known);
  if (bounds != nullptr && bounds->bytes) {
    addPointed(kernel, *parameter, *range, *bounds->bytes, what);
  }
}

void Specialization::addPointed(const ir::Function& kernel, ir::Variable& parameter,
                                const ir::ParameterRange& pointer, std::uint64_t bytes,
                                const std::string& what) {
  constexpr unsigned kPointerBits = 64;
  if (pointer.bits != kPointerBits) {
    return warn(kernel, what + " is not as wide as a pointer; the size of its memory is ignored");
  }
  if (isEnforced_) {
    return warn(kernel, fmt::format("no test can check how much memory {} points to; the size is "
                                    "not used",
                                    what));
  }
  if (std::ranges::find(parameter.pointed, pointer.offset, &ir::PointedBytes::offset) !=
      parameter.pointed.end()) {
    return warn(kernel, what + " has two sizes; the first one holds");
  }
  std::vector<ir::PointedBytes> pointed(parameter.pointed.begin(), parameter.pointed.end());
  pointed.push_back({pointer.offset, bytes});
  parameter.pointed = module_->arena().copy(std::span<const ir::PointedBytes>(pointed));
}

}  // namespace ptxopt::passes
