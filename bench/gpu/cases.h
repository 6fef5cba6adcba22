// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What there is to compare: the launches of files, and the pipelines that their text goes through.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device.h"
#include "interp/launch.h"
#include "ir/module.h"
#include "passes/engine/pipeline.h"

namespace ptxopt::gpu {

struct BadInput {
  std::string message;
};

// One launch of one file.
struct Case {
  std::string file;
  std::shared_ptr<const SourceText> source;
  std::shared_ptr<const ir::Module> module;
  const ir::Function* kernel = nullptr;
  interp::Launch launch;
};
// Of all files, or of one kernel.  Throws BadInput.
std::vector<Case> casesOf(const std::vector<std::string>& files, const std::string& kernel);

// "k.ptx: reduce grid 2,1,1 block 256,1,1 shared 1024 buffer:4096 u32:5"
std::string description(const Case& one);
// "2x1x1 of 256x1x1"
std::string shape(const Case& one);

// The buffers and the writable module variables of a launch, as interp::Outcome::memory names them,
// with initial bytes.
std::vector<interp::NamedBytes> objectsOf(const Case& one);

struct NamedPipeline {
  std::string name;  // "-O2", or its text
  std::vector<passes::PipelineStep> steps;
};
// Throw BadInput.
NamedPipeline pipelineOfLevel(int level);
NamedPipeline pipelineOfText(const std::string& text);

// What a pipeline makes of the file of a case.
struct Variant {
  std::string text;            // empty: the file cannot be optimized
  bool isChanged = false;      // something that the kernel may use is not as it was
  bool isCodeChanged = false;  // its code or that of a function is not as it was
};
Variant optimize(const Case& one, const NamedPipeline& pipeline);

}  // namespace ptxopt::gpu
