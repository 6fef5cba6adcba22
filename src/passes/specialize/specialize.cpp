// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/specialize/specialize.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "passes/specialize/kernel_names.h"

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

}  // namespace

Specialization::Specialization(ir::Module& module, const LaunchFacts& facts,
                               const std::vector<std::string>& keptKernels,
                               analysis::AssumptionTable& assumptions, Diagnostics& diagnostics)
    : module_(&module),
      isEnforced_(facts.isEnforced),
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
  KnownNumbers numbers;
  applyBlock(kernel, facts, numbers);
  for (std::size_t k = 0; k < 3 && facts.grid; ++k) {
    numbers.addSpecial(fmt::format("%nctaid.{}", kExtents[k]), (*facts.grid)[k], true);
  }
  if (facts.dynamicShared) {
    numbers.addSpecial("%dynamic_smem_size", *facts.dynamicShared, true);
  }
  for (const KernelFacts::Parameter& known : facts.parameters) addParameter(kernel, known, numbers);
  changed_ |= numbers.replaceReads(kernel);
  for (const KnownNumber& number : numbers.all()) {
    if (number.isRead && number.needsTest) tested_.push_back({&kernel, number});
  }
  if (!facts.hasDistinctPointers) return;
  if (isEnforced_) {
    warn(kernel, "no test can show that its pointers are distinct; --noalias-params assumes it");
  } else {
    assumptions_->add(kernel.nameText(), "noalias-params");
  }
}

void Specialization::applyBlock(ir::Function& kernel, const KernelFacts& facts,
                                KnownNumbers& numbers) {
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
const ir::Variable* Specialization::parameterOf(const ir::Function& kernel,
                                                const KernelFacts::Parameter& known) {
  const ir::Variable* byName = nullptr;
  const ir::Variable* byIndex = nullptr;
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    const ir::Variable& candidate = *kernel.parameters[k];
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
  const ir::Variable* const parameter = byName != nullptr ? byName : byIndex;
  if (parameter == nullptr) warn(kernel, fmt::format("it has no parameter '{}'", known.name));
  return parameter;
}

void Specialization::addParameter(const ir::Function& kernel, const KernelFacts::Parameter& known,
                                  KnownNumbers& numbers) {
  const ir::Variable* const parameter = parameterOf(kernel, known);
  if (parameter == nullptr) return;
  const bool isScalar = parameter->dimensions.empty() && parameter->vectorWidth == 1 &&
                        !parameter->isParametrised && isa::bitWidth(parameter->type) <= 64;
  const auto bits = isScalar ? known.value.as(parameter->type) : std::nullopt;
  if (!bits) {
    warn(kernel,
         fmt::format("parameter '{}' cannot have the value given; it is ignored", known.name));
  } else if (!numbers.addParameter(*parameter, *bits)) {
    warn(kernel, fmt::format("parameter '{}' is given twice; the first value holds", known.name));
  }
}

}  // namespace ptxopt::passes
