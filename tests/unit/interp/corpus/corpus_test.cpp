// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel of the corpus is run.  Those that a launch description comes with must leave what
// plain C++ computes (corpus_reference.h); of the others only that they run is known.
//
// PTXOPT_TEST_SCHEDULES=14 runs each kernel so many times, every time under another schedule; by
// default each runs three times, and the schedules are dealt out over the kernels.
// PTXOPT_UPDATE_TABLES=1 writes corpus/expected/run.tsv instead of comparing it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "../run_ptx.h"
#include "reference.h"

namespace ptxopt::interp {
namespace {

namespace fs = std::filesystem;

fs::path corpusDir() {
  const char* root = std::getenv("PTXOPT_SOURCE_DIR");
  return fs::path(root != nullptr ? root : ".") / "corpus";
}

std::string readFile(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<fs::path> ptxFiles() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(corpusDir() / "ptx")) {
    if (entry.path().extension() == ".ptx") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::uint32_t schedulesPerKernel() {
  const char* text = std::getenv("PTXOPT_TEST_SCHEDULES");
  return text == nullptr ? 3 : static_cast<std::uint32_t>(std::max(1, std::atoi(text)));
}

// "nvcc", "clang" and so on.
std::string producerOf(const fs::path& file) {
  return fs::relative(file, corpusDir() / "ptx").begin()->string();
}

// Is `kernel` what a compiler makes of the C++ function `name`?
bool isMangled(const std::string& kernel, const std::string& name) {
  const std::string prefix = "_Z" + std::to_string(name.size()) + name;
  return kernel.starts_with(prefix);
}

const Reference* findReference(const fs::path& file, const std::string& kernel) {
  const std::string producer = producerOf(file);
  const std::string stem = file.stem().string();
  const bool isCuda = producer == "nvcc" || producer == "nvcc-new" || producer == "clang";
  for (const auto& references :
       {algorithmReferences(), asynchronousReferences(), cooperationReferences(),
        handwrittenReferences(), imageReferences(), matrixReferences(), numericReferences(),
        producerReferences(), reductionReferences(), simulationReferences(),
        synchronisationReferences(), textureReferences(), tritonProductReferences(),
        tritonRowReferences()}) {
    for (const Reference& reference : references) {
      const std::string name(reference.name);
      if (isCuda) {
        if (name.starts_with(stem + "/") && isMangled(kernel, name.substr(stem.size() + 1))) {
          return &reference;
        }
      } else if (name == producer + "/" + stem || name == producer + "/" + kernel) {
        return &reference;
      }
    }
  }
  return nullptr;
}

struct KernelRun {
  std::string kernel;
  bool isDescribed = false;
  bool isComplete = false;  // is all of its result compared?
  std::string refusal;      // the message of the instruction that is not supported
  std::string problem;      // what is wrong with a described one
};
struct FileRun {
  fs::path path;
  std::string name;  // below corpus/
  std::string target;
  std::vector<KernelRun> kernels;
};

KernelRun runDescribed(const ir::Module& module, const fs::path& file, const Launch& launch,
                       const MachineOptions& options) {
  KernelRun result{launch.kernel, true, true, {}, {}};
  const Reference* reference = findReference(file, launch.kernel);
  if (reference == nullptr) {
    result.problem = "no reference";
    return result;
  }
  Call call(module, launch);
  reference->compute(call);
  result.isComplete = call.isComplete();
  std::set<FindingKind> found;
  for (std::uint32_t k = 0; k < schedulesPerKernel(); ++k) {
    std::string error;
    const auto outcome = run(module, launch, schedule(options, k), error);
    if (!outcome) {
      result.problem = error;
      return result;
    }
    for (const Finding& finding : outcome->findings) {
      if (finding.kind == FindingKind::Unsupported) {
        result.refusal = finding.message;
        return result;
      }
      found.insert(finding.kind);
      if (std::count(launch.expected.begin(), launch.expected.end(), finding.kind) == 0) {
        result.problem = format(module, finding);
        return result;
      }
    }
    if (!outcome->completed) result.problem = "did not end";
    if (outcome->completed && !launch.isBroken) result.problem = call.compare(*outcome);
    if (!result.problem.empty()) return result;
  }
  // Not every schedule brings about each of them.
  if (found.empty() && !launch.expected.empty()) {
    result.problem = "found no " + std::string(spelling(launch.expected[0]));
  }
  return result;
}

KernelRun runGuessed(const ir::Module& module, const ir::Function& kernel) {
  constexpr std::uint64_t kEnough = 2'000'000;
  KernelRun result{std::string(kernel.nameText()), false, false, {}, {}};
  Launch launch;
  launch.kernel = result.kernel;
  launch.arguments = guessArguments(kernel);
  if (const ir::Attribute* cluster = kernel.attribute(".reqnctapercluster")) {
    if (!cluster->values.empty()) launch.grid.x = static_cast<std::uint32_t>(cluster->values[0]);
  }
  MachineOptions options;
  options.stepLimit = kEnough;
  std::string error;
  const auto outcome = run(module, launch, options, error);
  if (!outcome) {
    result.refusal = error;
    return result;
  }
  for (const Finding& finding : outcome->findings) {
    // No guess makes a tensor map or a texture.
    const bool isRefused = finding.kind == FindingKind::Unsupported ||
                           finding.kind == FindingKind::TensorMap ||
                           finding.kind == FindingKind::Texture;
    if (isRefused) result.refusal = finding.message;
  }
  return result;
}

std::string targetOf(const std::string& text) {
  for (std::size_t at = text.find(".target"); at != std::string::npos;
       at = text.find(".target", at + 1)) {
    const std::size_t line = text.rfind('\n', at) + 1;
    if (text.substr(line, at - line).find("//") != std::string::npos) continue;
    const std::size_t begin = text.find("sm_", at);
    return text.substr(begin, text.find_first_of(" \t\r\n,;", begin) - begin);
  }
  return {};
}

// Every kernel of every file, once for all tests.
const std::vector<FileRun>& corpusRuns() {
  static const std::vector<FileRun> runs = [] {
    std::vector<FileRun> result;
    std::uint32_t dealt = 0;
    for (const fs::path& path : ptxFiles()) {
      const std::string text = readFile(path);
      FileRun file{path, fs::relative(path, corpusDir()).string(), targetOf(text), {}};
      std::unique_ptr<ir::Module> module;
      try {
        module = parseText(path.string(), text);
      } catch (const std::exception&) {
        continue;  // refused on purpose, see the manifest
      }
      std::string error;
      std::set<std::string> described;
      for (const Launch& launch : findLaunches(text, error)) {
        file.kernels.push_back(runDescribed(*module, path, launch, schedule({}, dealt++)));
        described.insert(launch.kernel);
      }
      EXPECT_EQ(error, "") << file.name;
      for (const ir::Function& function : module->functions()) {
        if (!function.isEntry() || !function.hasBody()) continue;
        if (described.count(std::string(function.nameText())) != 0) continue;
        file.kernels.push_back(runGuessed(*module, function));
      }
      result.push_back(std::move(file));
    }
    return result;
  }();
  return runs;
}

TEST(Corpus, DescribedLaunchesGiveWhatPlainCppComputes) {
  const bool isInstalled = fs::exists(corpusDir());
  ASSERT_TRUE(isInstalled) << "PTXOPT_SOURCE_DIR must name the checkout";
  std::size_t checked = 0;
  for (const FileRun& file : corpusRuns()) {
    for (const KernelRun& kernel : file.kernels) {
      if (!kernel.isDescribed || !kernel.refusal.empty()) continue;
      ++checked;
      EXPECT_EQ(kernel.problem, "") << file.name << " " << kernel.kernel;
    }
  }
  std::printf("%zu kernels, %u schedules each\n", checked, schedulesPerKernel());
  EXPECT_GT(checked, 1000u);
}

// ---- which kernels run --------------------------------------------------------------------------

// From sm_75 to sm_90 and sm_90a.
bool isCounted(const std::string& target) {
  const int number = target.size() > 3 ? std::atoi(target.c_str() + 3) : 0;
  return number >= 75 && number <= 90;
}

std::string runTable() {
  std::size_t described = 0, guessed = 0, refused = 0;
  std::ostringstream lines;
  for (const FileRun& file : corpusRuns()) {
    std::size_t own[3] = {};
    for (const KernelRun& kernel : file.kernels) {
      ++own[!kernel.refusal.empty() ? 2 : kernel.isDescribed ? 0 : 1];
    }
    lines << file.name << '\t' << own[0] << '\t' << own[1] << '\t' << own[2] << '\n';
    for (const KernelRun& kernel : file.kernels) {
      if (!kernel.refusal.empty()) lines << '\t' << kernel.kernel << '\t' << kernel.refusal << '\n';
    }
    if (!isCounted(file.target)) continue;
    described += own[0];
    guessed += own[1];
    refused += own[2];
  }
  const std::size_t all = described + guessed + refused;
  std::ostringstream table;
  table.precision(3);
  table << "# Which kernels of the corpus ptxrun runs: by their description, with made-up "
           "arguments,\n"
           "# or not; below each file the kernels that it refuses, with the instruction that it "
           "lacks.\n"
        << "# Of the " << all << " for sm_75 to sm_90: " << described << " described, " << guessed
        << " guessed, " << refused << " refused; "
        << 100.0 * static_cast<double>(all - refused) / static_cast<double>(all) << " % run.\n"
        << "# Made by PTXOPT_UPDATE_TABLES=1 corpus_test.\n"
        << "file\tdescribed\tguessed\trefused\n"
        << lines.str();
  return table.str();
}

TEST(Corpus, TheTableOfKernelsThatRunIsUpToDate) {
  const fs::path path = corpusDir() / "expected" / "run.tsv";
  const std::string table = runTable();
  if (std::getenv("PTXOPT_UPDATE_TABLES") != nullptr) {
    std::ofstream(path, std::ios::binary) << table;
    GTEST_SKIP() << "wrote " << path;
  }
  const auto lines = [](const std::string& text) {
    std::multiset<std::string> result;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) result.insert(line);
    return result;
  };
  const auto is = lines(table), must = lines(readFile(path));
  std::vector<std::string> added, missing;
  std::set_difference(is.begin(), is.end(), must.begin(), must.end(), std::back_inserter(added));
  std::set_difference(must.begin(), must.end(), is.begin(), is.end(), std::back_inserter(missing));
  for (const std::string& line : added) ADD_FAILURE() << "not in " << path << ": " << line;
  for (const std::string& line : missing) ADD_FAILURE() << "only in " << path << ": " << line;
}

// ---- can it fail? -------------------------------------------------------------------------------

// Where the stores of a kernel stand in its text that other threads can see.
std::vector<SourceRange> storesOf(const ir::Module& module, const std::string& kernel) {
  std::vector<SourceRange> stores;
  for (const ir::Function& function : module.functions()) {
    if (function.nameText() != kernel) continue;
    for (const ir::Statement& statement : function.body()) {
      const auto* instruction = statement.as<ir::Instruction>();
      if (instruction == nullptr || !instruction->is(isa::Opcode::St)) continue;
      const isa::Space space = instruction->desc->space;
      if (space == isa::Space::Shared || space == isa::Space::Global || space == isa::Space::None) {
        stores.push_back(statement.source);
      }
    }
  }
  return stores;
}

// The text with another instruction in place of a store, under the same guard.
std::string withInstead(std::string text, SourceRange store, const std::string& instruction) {
  const std::string old = text.substr(store.begin, store.end - store.begin);
  const std::string guard = old[0] == '@' ? old.substr(0, old.find_first_of(" \t") + 1) : "";
  const std::string tail = old.back() == ';' ? ";" : "";
  return text.replace(store.begin, old.size(), guard + instruction + tail);
}

// A test that cannot fail proves nothing: without one of the stores that it executes, a kernel must
// give another result, or be found to read what nobody wrote.
TEST(Corpus, ADeletedStoreIsCaught) {
  constexpr std::size_t kStoresPerKernel = 2, kMostTries = 6;
  MachineOptions options;
  options.stepLimit = 3'000'000;  // a kernel may wait for what is no longer written
  std::size_t mutants = 0, caught = 0;
  for (const fs::path& path : ptxFiles()) {
    if (path.parent_path() != corpusDir() / "ptx" / "nvcc" / "sm_80") continue;
    const std::string text = readFile(path);
    const auto module = parseText(path.string(), text);
    std::string error;
    for (const Launch& launch : findLaunches(text, error)) {
      const KernelRun original = runDescribed(*module, path, launch, options);
      if (!original.isComplete || !original.refusal.empty()) continue;
      const std::vector<SourceRange> stores = storesOf(*module, launch.kernel);
      std::size_t executed = 0;
      for (std::size_t k = 0; k < std::min(stores.size(), kMostTries); ++k) {
        const auto trapped = parseText("trap", withInstead(text, stores[k], "trap"));
        if (runDescribed(*trapped, path, launch, options).problem.find("[trap]") ==
            std::string::npos) {
          continue;
        }
        const auto mutant = parseText("mutant", withInstead(text, stores[k], "membar.cta"));
        ++mutants;
        if (!runDescribed(*mutant, path, launch, options).problem.empty()) {
          ++caught;
        } else {
          std::printf("survived: %s %s, store %zu\n", path.stem().c_str(), launch.kernel.c_str(),
                      k);
        }
        if (++executed == kStoresPerKernel) break;
      }
    }
  }
  std::printf("%zu of %zu deleted stores caught\n", caught, mutants);
  EXPECT_GT(mutants, 200u);
  EXPECT_GE(caught * 100, mutants * 95);
}

}  // namespace
}  // namespace ptxopt::interp
