// gpu_compare: runs the launches that PTX files describe (docs/ptxrun.md) on a GPU and compares
// what is then in memory with what ptxrun's interpreter computes; on request also the output of
// ptxopt with its input, both on the GPU.
//
// Exit status: 0 all that could be compared is the same, 1 bad input, 2 a difference, 77 no GPU.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compare_bytes.h"
#include "device.h"
#include "driver/driver.h"
#include "driver/files.h"
#include "interp/compare.h"
#include "interp/launch.h"
#include "parse/parser.h"

namespace {

using namespace ptxopt;

constexpr int kGood = 0;
constexpr int kBadInput = 1;
constexpr int kDifferent = 2;
constexpr int kNoGpu = 77;
constexpr std::uint64_t kStepLimit = 20'000'000;  // thread-instructions of a launch on the CPU

struct Options {
  std::vector<std::string> files;
  std::string kernel;
  std::string output;
  bool lists = false;
  bool runsDry = false;
  bool optimizes = false;
  std::uint32_t schedules = 3;
  double tolerance = 1e-5;
};

struct Row {
  std::string file;
  std::string kernel;
  std::string mode;  // "exact", or "within 1e-05"
  std::string verdict;
  std::string detail;
  std::string optimized;
};

// One launch of one file.
struct Case {
  std::string file;
  std::shared_ptr<const SourceText> source;
  std::shared_ptr<const ir::Module> module;
  const ir::Function* kernel = nullptr;
  interp::Launch launch;
};

struct BadInput {
  std::string message;
};

std::string spelling(const interp::Dim3& size) {
  return std::to_string(size.x) + "," + std::to_string(size.y) + "," + std::to_string(size.z);
}

const ir::Function* findKernel(const ir::Module& module, const std::string& name) {
  for (const ir::Function& function : module.functions()) {
    const bool isMeant = name.empty() || function.nameText() == name;
    if (function.isEntry() && function.hasBody() && isMeant) return &function;
  }
  return nullptr;
}

std::vector<Case> casesOf(const Options& options) {
  std::vector<Case> cases;
  for (const std::string& file : options.files) {
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
      if (!options.kernel.empty() && launch.kernel != options.kernel) continue;
      const ir::Function* kernel = findKernel(*module, launch.kernel);
      if (kernel == nullptr) throw BadInput{file + ": no kernel '" + launch.kernel + "'"};
      launch.kernel = kernel->nameText();
      cases.push_back({file, source, module, kernel, std::move(launch)});
    }
    if (!error.empty()) throw BadInput{file + ": " + error};
  }
  return cases;
}

void list(const Case& one) {
  const interp::Geometry geometry = gpu::geometryOf(*one.kernel, one.launch);
  std::printf("%s: %s grid %s block %s", one.file.c_str(), one.launch.kernel.c_str(),
              spelling(geometry.grid).c_str(), spelling(geometry.block).c_str());
  if (geometry.isExplicitCluster) std::printf(" cluster %s", spelling(geometry.cluster).c_str());
  if (geometry.dynamicShared != 0) {
    std::printf(" shared %llu", static_cast<unsigned long long>(geometry.dynamicShared));
  }
  for (const interp::Argument& argument : one.launch.arguments) {
    std::printf(" %s", argument.text.c_str());
  }
  std::printf("\n");
}

// What the interpreter computes; none, with the row saying why, where that is no yardstick.
std::optional<interp::Outcome> expectation(const Case& one, const Options& options, Row& row) {
  std::string error;
  interp::MachineOptions machine;
  machine.stepLimit = kStepLimit;
  auto survey = interp::survey(*one.module, one.launch, machine, options.schedules, error);
  row.verdict = "not compared";
  if (!survey) {
    row.detail = error;
  } else if (!survey->findings.empty()) {
    row.detail = interp::spelling(survey->findings.front().kind);
  } else if (survey->distinct.size() != 1) {
    row.detail = "several outcomes";
  } else {
    return std::move(survey->distinct.front());
  }
  return std::nullopt;
}

// Offsets of the addresses that the launch puts into a buffer: they differ between machines.
std::vector<std::size_t> addressesIn(const interp::Launch& launch, const std::string& object) {
  std::vector<std::size_t> offsets;
  const auto collect = [&](const std::string& name, const interp::Argument& argument) {
    if (name != object) return;
    for (const auto& address : argument.addresses) offsets.push_back(address.offset);
  };
  for (std::size_t k = 0; k < launch.arguments.size(); ++k) {
    collect("argument " + std::to_string(k), launch.arguments[k]);
  }
  for (const auto& [name, content] : launch.globals) collect(name, content);
  return offsets;
}

// The verdict of comparing `actual` with the objects of the same names in `expected`.
bool compare(const Case& one, const std::vector<interp::NamedBytes>& expected,
             const std::vector<interp::NamedBytes>& actual, const gpu::Tolerance& tolerance,
             std::string& detail) {
  double largest = 0;
  std::size_t bytes = 0;
  for (const interp::NamedBytes& object : actual) {
    const auto same = std::find_if(expected.begin(), expected.end(),
                                   [&](const auto& other) { return other.name == object.name; });
    if (same == expected.end()) continue;
    const auto result = gpu::compareBytes(same->bytes, object.bytes, tolerance,
                                          addressesIn(one.launch, object.name));
    if (!result.isSame()) {
      detail = object.name + " differs at byte " + std::to_string(*result.firstDifference);
      return false;
    }
    largest = std::max(largest, result.largestError);
    bytes += object.bytes.size();
  }
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%zu bytes, error %.3g", bytes, largest);
  detail = text.data();
  if (actual.size() < expected.size()) {
    detail += ", " + std::to_string(expected.size() - actual.size()) + " variables not readable";
  }
  return true;
}

// What -O2 makes of the file.
std::string optimized(const Case& one) {
  driver::OptimizeOptions options;
  options.run.pipeline = passes::parsePipeline(passes::pipelineOfLevel(2));
  const driver::OptimizeResult result = driver::optimize(one.source, options);
  if (!result.ok) return {};
  std::string text;
  for (const std::string_view piece : result.output.pieces()) text += piece;
  return text;
}

Row runOne(gpu::Device* device, const Case& one, const Options& options) {
  const gpu::Tolerance tolerance = gpu::toleranceFor(*one.module, *one.kernel, options.tolerance);
  Row row{one.file, one.launch.kernel, "exact", "", "", ""};
  if (!tolerance.isExact()) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "within %.3g", options.tolerance);
    row.mode = text.data();
  }
  const auto expected = expectation(one, options, row);
  if (!expected) return row;
  if (device == nullptr) {
    row.verdict = "to be compared";
    row.detail = std::to_string(expected->memory.size()) + " objects";
    return row;
  }
  std::string error;
  const std::string text(one.source->text());
  const auto actual = device->run(text, *one.kernel, one.launch, expected->memory, error);
  if (!actual) {
    row.detail = error;
    return row;
  }
  const bool isSame = compare(one, expected->memory, *actual, tolerance, row.detail);
  row.verdict = isSame ? "same" : "different";
  if (!options.optimizes) return row;
  const std::string better = optimized(one);
  if (better.empty() || better == text) {
    row.optimized = "unchanged";
    return row;
  }
  const auto after = device->run(better, *one.kernel, one.launch, expected->memory, error);
  std::string detail;
  if (!after) {
    row.optimized = "different: " + error;
  } else {
    row.optimized = compare(one, *actual, *after, {}, detail) ? "same" : "different: " + detail;
  }
  return row;
}

void write(std::ostream& stream, const gpu::Device* device, const std::vector<Row>& rows) {
  if (device == nullptr) {
    stream << "# no device: dry run\n";
  } else {
    stream << "# device: " << device->name() << ", sm_" << device->sm() << ", driver "
           << device->driverVersion() / 1000 << '.' << device->driverVersion() % 1000 / 10 << '\n';
  }
  stream << "# file\tkernel\tmode\tverdict\tdetail\toptimized\n";
  for (const Row& row : rows) {
    stream << row.file << '\t' << row.kernel << '\t' << row.mode << '\t' << row.verdict << '\t'
           << row.detail << '\t' << row.optimized << '\n';
  }
}

int compareAll(const Options& options) {
  const std::vector<Case> cases = casesOf(options);
  if (cases.empty()) throw BadInput{"no file describes a launch"};
  if (options.lists) {
    for (const Case& one : cases) list(one);
    return kGood;
  }
  std::unique_ptr<gpu::Device> device;
  if (!options.runsDry) {
    std::string problem;
    device = gpu::Device::open(problem);
    if (device == nullptr) {
      std::cerr << "gpu_compare: no GPU here: " << problem << '\n';
      return kNoGpu;
    }
  }
  std::vector<Row> rows;
  bool isGood = true;
  for (const Case& one : cases) {
    rows.push_back(runOne(device.get(), one, options));
    isGood = isGood && rows.back().verdict != "different" &&
             !rows.back().optimized.starts_with("different");
  }
  if (options.output.empty()) {
    write(std::cout, device.get(), rows);
  } else {
    std::ofstream file(options.output);
    write(file, device.get(), rows);
    if (!file) throw BadInput{"cannot write " + options.output};
  }
  return isGood ? kGood : kDifferent;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Compares what kernels do on a GPU with what ptxrun says.", "gpu_compare");
  app.add_option("files", options.files, "PTX files with launch descriptions")->required();
  app.add_option("--kernel", options.kernel, "only this kernel");
  app.add_flag("--list", options.lists, "only print the launches; needs no GPU");
  app.add_flag("--dry-run", options.runsDry,
               "run them on the CPU and say what would be compared, and how; needs no GPU");
  app.add_flag("--optimize", options.optimizes,
               "also run what ptxopt -O2 makes of the file: its results must have the same bits");
  app.add_option("--schedules", options.schedules,
                 "runs on the CPU; a kernel with a finding or several outcomes is not compared");
  app.add_option("--tolerance", options.tolerance,
                 "relative error of f32 and f64 where the kernel has approximate functions");
  app.add_option("--output", options.output, "write the table here");
  CLI11_PARSE(app, argc, argv);
  try {
    return compareAll(options);
  } catch (const BadInput& problem) {
    std::cerr << "gpu_compare: " << problem.message << '\n';
    return kBadInput;
  }
}
