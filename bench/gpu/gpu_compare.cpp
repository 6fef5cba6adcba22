// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gpu_compare: runs the launches that PTX files describe (docs/ptxrun.md) on a GPU and compares
// what is then in memory with what ptxrun's interpreter computes; on request also the output of
// ptxopt with its input, both on the GPU, and how long both take.
//
// Exit status: 0 all that could be compared is the same, 1 bad input, 2 a difference, 77 no GPU.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cases.h"
#include "device.h"
#include "judge.h"
#include "workers.h"

namespace {

using namespace ptxopt;
using Clock = std::chrono::steady_clock;

constexpr int kGood = 0;
constexpr int kBadInput = 1;
constexpr int kDifferent = 2;
constexpr int kNoGpu = 77;

struct Options {
  std::vector<std::string> files;
  std::string list;  // a file that names more
  std::string kernel;
  std::string output;
  std::string timesOutput;
  bool lists = false;
  bool runsDry = false;
  bool optimizes = false;
  std::vector<int> levels;
  std::vector<std::string> pipelines;
  unsigned processes = 1;
  unsigned limit = 60;    // seconds
  unsigned endAfter = 0;  // seconds; 0: never
  bool byStream = false;
  gpu::JudgeOptions judge;
};

// Lines that come in any order.  A file has them from then on, and in their own order at the end.
class Table {
 public:
  Table(std::string path, const std::string& head) : path_(std::move(path)), head_(head) {
    if (path_.empty()) return;
    file_.open(path_);
    file_ << head_ << std::flush;
    if (!file_) throw gpu::BadInput{"cannot write " + path_};
  }

  void add(std::size_t place, const std::string& line) {
    lines_[place] = line;
    if (!path_.empty()) file_ << line << '\n' << std::flush;
  }

  void finish() {
    if (path_.empty()) {
      write(std::cout);
      return;
    }
    file_.close();
    file_.open(path_, std::ios::trunc);
    write(file_);
    file_.close();
    if (!file_) throw gpu::BadInput{"cannot write " + path_};
  }

 private:
  void write(std::ostream& stream) const {
    stream << head_;
    for (const auto& [place, line] : lines_) stream << line << '\n';
    stream.flush();
  }

  std::string path_;
  std::string head_;
  std::ofstream file_;
  std::map<std::size_t, std::string> lines_;
};

// In a process of its own: the device, if there is to be one.
std::string openDevice(const Options& options, std::unique_ptr<gpu::Device>& device,
                       std::string& problem) {
  if (options.runsDry) return "no device: dry run";
  // Nothing is to be loaded while launches are recorded or measured.
  ::setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  device = gpu::Device::open(problem);
  if (device == nullptr) return {};
  const int version = device->driverVersion();
  return "device: " + device->name() + ", sm_" + std::to_string(device->sm()) + ", driver " +
         std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

// The row of a launch whose process came to an end, or got no turn.
gpu::Row lostRow(const gpu::WorkResult& result) {
  gpu::Row row = gpu::Row::ofLine(result.text);
  const bool isKnown = row.detail.empty();  // what the interpreter computes
  if (row.step == "original" && isKnown) {
    row.verdict = "different";
    row.detail = result.problem;
  } else if (row.step.empty() || row.step == "interpreter" || row.step == "original") {
    row.verdict = "not compared";
    row.detail += (isKnown ? "" : "; ") + result.problem;
  } else {
    row.optimized.push_back("different: " + result.problem);
  }
  return row;
}

struct Measurement {
  std::size_t index = 0;  // of the case
  std::size_t pipeline = 0;
};

// What was the same is worth measuring; once for each text.
std::vector<Measurement> measurements(const std::vector<gpu::Row>& rows, bool withUnchanged) {
  std::vector<Measurement> result;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::vector<std::string>& cells = rows[k].optimized;
    const std::size_t sizeBefore = result.size();
    for (std::size_t p = 0; p < cells.size(); ++p) {
      if (gpu::isSame(cells[p])) result.push_back({k, p});
    }
    const auto unchanged = std::find(cells.begin(), cells.end(), "unchanged");
    if (withUnchanged && result.size() == sizeBefore && unchanged != cells.end()) {
      result.push_back({k, static_cast<std::size_t>(unchanged - cells.begin())});
    }
  }
  return result;
}

class Comparison {
 public:
  Comparison(const Options& options, const std::vector<gpu::Case>& cases)
      : options_(options), cases_(cases) {
    limits_.processes = options.processes;
    limits_.perReport = std::chrono::seconds(options.limit);
    if (options.endAfter != 0) limits_.end = Clock::now() + std::chrono::seconds(options.endAfter);
    start_ = [this](std::string& problem) { return openDevice(options_, device_, problem); };
  }

  int run() {
    const std::string problem = compareAll();
    if (!problem.empty()) {
      std::cerr << "gpu_compare: no GPU here: " << problem << '\n';
      return kNoGpu;
    }
    summarize();
    if (options_.judge.pairs != 0 && !options_.runsDry) measureAll();
    const bool isGood =
        std::all_of(rows_.begin(), rows_.end(), [](const gpu::Row& row) { return row.isGood(); });
    return isGood ? kGood : kDifferent;
  }

 private:
  std::string compareAll() {
    gpu::Workload workload;
    workload.start = start_;
    workload.work = [&](std::size_t job, const gpu::Report& report, bool& isSpent) {
      const gpu::Judge judge(device_.get(), options_.judge);
      return judge
          .compare(
              cases_[job], [&](const gpu::Row& soFar) { report(soFar.line()); }, isSpent)
          .line();
    };
    rows_.resize(cases_.size());
    std::optional<Table> table;
    const auto onStart = [&](const std::string& hello) {
      hello_ = hello;
      std::string head = "# " + hello + "\n# file\tkernel\tmode\tverdict\tdetail";
      for (const gpu::NamedPipeline& pipeline : options_.judge.pipelines) {
        head += '\t' + pipeline.name;
      }
      table.emplace(options_.output, head + '\n');
    };
    const auto onResult = [&](const gpu::WorkResult& result) {
      gpu::Row& row = rows_[result.job];
      row = result.problem.empty() ? gpu::Row::ofLine(result.text) : lostRow(result);
      const gpu::Case& one = cases_[result.job];
      std::string line = one.file + '\t' + one.launch.kernel + '\t' + row.mode + '\t' +
                         row.verdict + '\t' + row.detail;
      for (const std::string& cell : row.optimized) line += '\t' + cell;
      table->add(result.job, line);
    };
    const std::string problem =
        gpu::runInProcesses(cases_.size(), workload, limits_, onStart, onResult);
    if (table) table->finish();
    return problem;
  }

  // One process: nothing else is to run on the device meanwhile.
  void measureAll() {
    const std::vector<Measurement> jobs = measurements(rows_, options_.judge.timesUnchanged);
    gpu::Workload workload;
    workload.start = start_;
    workload.work = [&](std::size_t job, const gpu::Report&, bool& isSpent) {
      const gpu::Judge judge(device_.get(), options_.judge);
      const Measurement& measurement = jobs[job];
      return judge.time(cases_[measurement.index], options_.judge.pipelines[measurement.pipeline],
                        isSpent);
    };
    Table table(options_.timesOutput,
                "# " + hello_ +
                    "\n# microseconds of a launch, medians; the ratio of the two of a pair: median "
                    "and quartiles\n# file\tkernel\tthreads\tpipeline\tbefore\tafter\tratio\tlow\t"
                    "high\tpairs\tlaunches in a batch\tnote\n");
    const auto onResult = [&](const gpu::WorkResult& result) {
      if (result.problem.empty() && result.text.empty()) return;
      const Measurement& measurement = jobs[result.job];
      const gpu::Case& one = cases_[measurement.index];
      const std::string cells =
          result.problem.empty() ? result.text : "\t\t\t\t\t\t\tnot measured: " + result.problem;
      table.add(result.job, one.file + '\t' + one.launch.kernel + '\t' + gpu::shape(one) + '\t' +
                                options_.judge.pipelines[measurement.pipeline].name + '\t' + cells);
    };
    gpu::WorkLimits limits = limits_;
    limits.processes = 1;
    const std::string problem = gpu::runInProcesses(
        jobs.size(), workload, limits, [](const std::string&) {}, onResult);
    if (!problem.empty()) std::cerr << "gpu_compare: nothing measured: " << problem << '\n';
    table.finish();
  }

  void summarize() const {
    std::map<std::string, std::size_t> verdicts;
    std::map<std::string, std::size_t> rewritten;
    for (const gpu::Row& row : rows_) {
      ++verdicts[row.verdict];
      for (const std::string& cell : row.optimized) {
        ++rewritten[cell.starts_with("as ") ? "as another" : cell.substr(0, cell.find(':'))];
      }
    }
    const auto print = [](const char* title, const auto& counts) {
      std::cerr << title;
      for (const auto& [name, count] : counts) std::cerr << "  " << name << ' ' << count;
      std::cerr << '\n';
    };
    print("gpu_compare: launches:", verdicts);
    if (!rewritten.empty()) print("gpu_compare: rewritten:", rewritten);
  }

  const Options& options_;
  const std::vector<gpu::Case>& cases_;
  gpu::WorkLimits limits_;
  std::function<std::string(std::string&)> start_;
  std::unique_ptr<gpu::Device> device_;  // only in the processes that do the work
  std::vector<gpu::Row> rows_;
  std::string hello_;
};

void readList(Options& options) {
  if (options.list.empty()) return;
  std::ifstream list(options.list);
  if (!list) throw gpu::BadInput{"cannot read " + options.list};
  for (std::string line; std::getline(list, line);) {
    if (!line.empty()) options.files.push_back(line);
  }
}

int compareAll(Options& options) {
  readList(options);
  for (const int level : options.levels) {
    options.judge.pipelines.push_back(gpu::pipelineOfLevel(level));
  }
  for (const std::string& text : options.pipelines) {
    options.judge.pipelines.push_back(gpu::pipelineOfText(text));
  }
  const bool rewrites = options.optimizes || options.judge.pairs != 0;
  if (rewrites && options.judge.pipelines.empty()) {
    for (const int level : {1, 2, 3}) {
      options.judge.pipelines.push_back(gpu::pipelineOfLevel(level));
    }
  }
  options.judge.byGraph = !options.byStream;
  const std::vector<gpu::Case> cases = gpu::casesOf(options.files, options.kernel);
  if (cases.empty()) throw gpu::BadInput{"no file describes a launch"};
  if (options.lists) {
    for (const gpu::Case& one : cases) std::cout << gpu::description(one) << '\n';
    return kGood;
  }
  return Comparison(options, cases).run();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Compares what kernels do on a GPU with what ptxrun says.", "gpu_compare");
  app.add_option("files", options.files, "PTX files with launch descriptions");
  app.add_option("--files", options.list, "a file with the names of more of them, one a line");
  app.add_option("--kernel", options.kernel, "only this kernel");
  app.add_flag("--list", options.lists, "only print the launches; needs no GPU");
  app.add_flag("--dry-run", options.runsDry,
               "run them on the CPU and say what would be compared, and how; needs no GPU");
  app.add_flag("--optimize", options.optimizes,
               "also run what ptxopt makes of the files: the results must have the same bits; by "
               "-O1, -O2 and -O3, or by what -O and --pipeline say");
  app.add_option("-O", options.levels, "such a level; may be given several times")
      ->check(CLI::Range(1, 3));
  app.add_option("--pipeline", options.pipelines, "such passes; may be given several times");
  app.add_option("--times", options.judge.pairs,
                 "measure how long what was changed takes, before and after, in as many pairs")
      ->check(CLI::Range(1u, 10000u));
  app.add_flag("--times-of-unchanged", options.judge.timesUnchanged,
               "also measure what was not changed, against itself");
  app.add_flag("--launch-singly", options.byStream,
               "measure launches that the host makes one by one, not graphs of them");
  app.add_option("-j", options.processes, "processes that compare; one measures")
      ->check(CLI::Range(1u, 256u));
  app.add_option("--limit", options.limit,
                 "seconds for a step of one launch (60); then its process is killed")
      ->check(CLI::Range(1u, 100000u));
  app.add_option("--end-after", options.endAfter,
                 "seconds after which nothing more is begun; without it, all is done");
  app.add_option("--schedules", options.judge.schedules,
                 "runs on the CPU; a kernel with a finding or several outcomes is not compared");
  app.add_option("--step-limit", options.judge.stepLimit,
                 "thread-instructions of one run on the CPU (20 million)");
  app.add_flag("--run-unfinished", options.judge.runsUnfinished,
               "run on the GPU what reaches that limit, to compare before and after");
  app.add_option("--tolerance", options.judge.tolerance,
                 "relative error of f32 and f64 where the kernel has approximate functions");
  app.add_option("--output", options.output, "write the table here");
  app.add_option("--times-output", options.timesOutput, "write the table of times here");
  CLI11_PARSE(app, argc, argv);
  try {
    return compareAll(options);
  } catch (const gpu::BadInput& problem) {
    std::cerr << "gpu_compare: " << problem.message << '\n';
    return kBadInput;
  }
}
