// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cases.h"

#include <algorithm>
#include <stdexcept>

#include "driver/driver.h"
#include "driver/files.h"
#include "interp/image.h"
#include "parse/parser.h"
#include "passes/registry.h"

namespace ptxopt::gpu {

namespace {

std::string spelling(const interp::Dim3& size, char separator) {
  return std::to_string(size.x) + separator + std::to_string(size.y) + separator +
         std::to_string(size.z);
}

const ir::Function* findKernel(const ir::Module& module, const std::string& name) {
  for (const ir::Function& function : module.functions()) {
    const bool isMeant = name.empty() || function.nameText() == name;
    if (function.isEntry() && function.hasBody() && isMeant) return &function;
  }
  return nullptr;
}

// The text without the bodies of other kernels.
std::string withoutOtherKernels(const SourceText& source, const ir::Module& module,
                                const std::string& kernel) {
  std::vector<SourceRange> others;
  for (const ir::Function& function : module.functions()) {
    if (!function.isEntry() || !function.hasBody() || function.nameText() == kernel) continue;
    others.push_back(function.bodySource);
  }
  std::sort(others.begin(), others.end(),
            [](const auto& a, const auto& b) { return a.begin < b.begin; });
  std::string text;
  Offset from = 0;
  for (const SourceRange& body : others) {
    text += source.slice({from, body.begin});
    from = body.end;
  }
  text += source.text().substr(from);
  return text;
}

// True if the body of the kernel, or of a function that both have, differs.
bool differInCode(const SourceText& before, const ir::Module& moduleBefore, const SourceText& after,
                  const ir::Module& moduleAfter, const std::string& kernel) {
  for (const ir::Function& function : moduleAfter.functions()) {
    if (!function.hasBody() || (function.isEntry() && function.nameText() != kernel)) continue;
    for (const ir::Function& same : moduleBefore.functions()) {
      if (!same.hasBody() || same.nameText() != function.nameText()) continue;
      if (before.slice(same.bodySource) != after.slice(function.bodySource)) return true;
    }
  }
  return false;
}

void addCases(const std::string& file, const std::string& only, std::vector<Case>& cases) {
  Diagnostics diagnostics;
  std::shared_ptr<const SourceText> source;
  try {
    source = driver::readSource(file);
  } catch (const driver::FileError& error) {
    throw BadInput{file + ": " + error.what()};
  }
  const std::shared_ptr<const ir::Module> module = parse::parse(source, diagnostics);
  if (module == nullptr) throw BadInput{file + ": not understood as PTX"};
  std::string error;
  for (interp::Launch& launch : interp::findLaunches(source->text(), error)) {
    if (!only.empty() && launch.kernel != only) continue;
    const ir::Function* kernel = findKernel(*module, launch.kernel);
    if (kernel == nullptr) throw BadInput{file + ": no kernel '" + launch.kernel + "'"};
    launch.kernel = kernel->nameText();
    cases.push_back({file, source, module, kernel, std::move(launch)});
  }
  if (!error.empty()) throw BadInput{file + ": " + error};
}

}  // namespace

std::vector<Case> casesOf(const std::vector<std::string>& files, const std::string& kernel) {
  std::vector<Case> cases;
  for (const std::string& file : files) addCases(file, kernel, cases);
  return cases;
}

std::string description(const Case& one) {
  const interp::Geometry geometry = geometryOf(*one.kernel, one.launch);
  std::string text = one.file + ": " + one.launch.kernel + " grid " + spelling(geometry.grid, ',') +
                     " block " + spelling(geometry.block, ',');
  if (geometry.isExplicitCluster) text += " cluster " + spelling(geometry.cluster, ',');
  if (geometry.dynamicShared != 0) text += " shared " + std::to_string(geometry.dynamicShared);
  for (const interp::Argument& argument : one.launch.arguments) text += " " + argument.text;
  return text;
}

std::string shape(const Case& one) {
  const interp::Geometry geometry = geometryOf(*one.kernel, one.launch);
  return spelling(geometry.grid, 'x') + " of " + spelling(geometry.block, 'x');
}

std::vector<interp::NamedBytes> objectsOf(const Case& one) {
  std::vector<interp::NamedBytes> objects;
  for (std::size_t k = 0; k < one.launch.arguments.size(); ++k) {
    const interp::Argument& argument = one.launch.arguments[k];
    if (argument.isBuffer) objects.push_back({"argument " + std::to_string(k), argument.bytes});
  }
  const interp::Image image(*one.module);
  for (const interp::ImageObject& object : image.objects()) {
    if (!object.isConstant && !object.bytes.empty()) objects.push_back({object.name, object.bytes});
  }
  return objects;
}

NamedPipeline pipelineOfLevel(int level) {
  return {"-O" + std::to_string(level), passes::parsePipeline(passes::pipelineOfLevel(level))};
}

NamedPipeline pipelineOfText(const std::string& text) {
  try {
    return {text, passes::parsePipeline(text)};
  } catch (const std::invalid_argument& problem) {
    throw BadInput{problem.what()};
  }
}

Variant optimize(const Case& one, const NamedPipeline& pipeline) {
  driver::OptimizeOptions options;
  options.run.pipeline = pipeline.steps;
  options.countCode = false;
  const driver::OptimizeResult result = driver::optimize(one.source, options);
  if (!result.ok) return {};
  Variant variant;
  variant.text = result.output.text();
  if (variant.text == one.source->text()) return variant;
  const auto source = std::make_shared<const SourceText>(one.file, variant.text);
  Diagnostics diagnostics;
  const auto module = parse::parse(source, diagnostics);
  if (module == nullptr) return {};
  const std::string& kernel = one.launch.kernel;
  variant.isChanged = withoutOtherKernels(*source, *module, kernel) !=
                      withoutOtherKernels(*one.source, *one.module, kernel);
  variant.isCodeChanged =
      variant.isChanged && differInCode(*one.source, *one.module, *source, *module, kernel);
  return variant;
}

}  // namespace ptxopt::gpu
