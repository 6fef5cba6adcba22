// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// make_manuals FOLDER: writes the manual pages and the completions of all programs below FOLDER, as
// they are installed below share/.  They are made from the tables that --help prints, so that they
// cannot say anything else.  Runs when ptxopt is built; it is not installed.
#include <fmt/format.h>

#include <cctype>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "check/command_options.h"
#include "driver/options.h"
#include "driver/ptxas_command.h"
#include "driver/ptxas_drop_in.h"
#include "passes/registry.h"
#include "tools/manuals/command.h"
#include "tools/manuals/completion.h"
#include "tools/manuals/man_page.h"
#include "tools/ptxreduce_options.h"
#include "tools/ptxrun_options.h"

namespace {

using namespace ptxopt;
using namespace ptxopt::manuals;

const std::vector<std::string> kPrograms = {"ptxcheck", "ptxopt", "ptxopt-ptxas", "ptxreduce",
                                            "ptxrun"};

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

// "Runs it." -> "runs it"
std::string asSummary(std::string sentence) {
  if (sentence.ends_with('.')) sentence.pop_back();
  sentence[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(sentence[0])));
  return sentence;
}

NamedWords namedWords() {
  std::vector<std::string> names;
  for (const passes::PassInfo* pass : passes::allPasses()) names.emplace_back(pass->name);
  return {{"PASS", names}, {"PASS,...", names}};
}

void addPasses(ManPage& page) {
  page.section("Passes");
  for (const passes::PassInfo* pass : passes::allPasses()) {
    page.item(std::string(pass->name), pass->description);
    std::vector<std::string> options;
    for (const passes::PassOption& option : pass->options) {
      options.push_back(passes::summary(option));
    }
    if (!options.empty()) page.line("Options: " + joined(options, ", "));
    if (!pass->note.empty()) page.line(pass->note);
  }
  page.section("Levels");
  for (int level = 0; level <= 3; ++level) {
    std::string steps;  // lines break at blanks
    for (const char c : passes::pipelineOfLevel(level)) {
      steps += c;
      if (c == ',') steps += ' ';
    }
    page.item(fmt::format("-O{}", level), steps.empty() ? "nothing" : steps);
  }
}

std::string manPage(const Command& command) {
  ManPage page(command.name, asSummary(command.summary));
  page.synopsis(command.name, synopsisOf(command));
  page.section("Description");
  page.paragraph(command.summary);
  const auto [more, rest] = splitFooter(command.footer);
  addText(page, more);
  addOptions(page, command);
  if (command.name == "ptxopt") addPasses(page);
  addText(page, rest);
  page.seeAlso(kPrograms);
  return page.text();
}

std::string dropInPage() {
  ManPage page("ptxopt-ptxas", "takes the place of ptxas in a compiler, and optimizes the PTX");
  page.synopsis("ptxopt-ptxas", "[PTXAS] [OPTION of ptxas | FILE]...");
  page.section("Description");
  page.paragraph(
      "Optimizes the PTX among its arguments and runs the real ptxas on the result. Options, exit "
      "status and messages are those of ptxas. Texts that nothing changes in reach ptxas as they "
      "are.");
  page.paragraph(
      "Under its second name, ptxopt-ptxas-blackwell, it takes the place of Triton's "
      "ptxas-blackwell.");
  std::vector<std::string> options;
  for (const std::string_view option : ptxas::optionsThatForbidChanges()) {
    options.push_back("-" + std::string(option));
  }
  page.paragraph("With these options of ptxas every text stays as it is: " + joined(options, ", ") +
                 ".");
  page.section("Options of its own");
  page.paragraph("Each stands alone on the command line.");
  for (const ptxas::Variable& option : ptxas::kOwnOptions) page.item(option.name, option.meaning);
  page.section("Environment");
  for (const ptxas::Variable& variable : ptxas::kVariables) {
    page.item(variable.name, variable.meaning);
  }
  page.seeAlso(kPrograms);
  return page.text();
}

std::string makeNvccBinPage() {
  ManPage page("ptxopt-make-nvcc-bin", "makes a folder with an nvcc that calls ptxopt-ptxas");
  page.synopsis("ptxopt-make-nvcc-bin", "FOLDER [NVCC [PTXOPT-PTXAS]]");
  page.section("Description");
  page.paragraph(
      "Makes FOLDER, whose nvcc assembles through ptxopt-ptxas, for build systems that cannot be "
      "told to call nvcc with --ptxas-prefix. Everything else in it is a link to the toolkit of "
      "NVCC.");
  page.section("Arguments");
  page.item("FOLDER", "The folder to make. Call its nvcc, or put it on PATH.");
  page.item("NVCC", "The nvcc to use; by default the one on PATH.");
  page.item("PTXOPT-PTXAS", "By default the one beside this program, or else the one on PATH.");
  page.seeAlso(kPrograms);
  return page.text();
}

std::string corpusPage() {
  ManPage page("ptxopt-corpus", "runs ptxopt over all the PTX that you own");
  page.synopsis("ptxopt-corpus", "COMMAND ...");
  page.section("Description");
  page.paragraph(
      "Collects PTX from folders, binaries and caches, runs ptxopt and checks of it over all of "
      "that, compares runs, and writes a report for a browser.");
  page.section("Commands");
  page.item("add PATH...",
            "Collects PTX: each distinct text once, with the places where it was found.");
  page.item("run", "Runs ptxopt and the checks asked for, and keeps the results.");
  page.item("compare OLD NEW", "Says what moved between two runs.");
  page.item("bisect FILE", "Finds the change that makes a check fail.");
  page.item("report DIR", "Writes static pages that show the results.");
  page.paragraph("ptxopt-corpus COMMAND --help has the options of each.");
  page.seeAlso(kPrograms);
  return page.text();
}

std::string launchesPage() {
  ManPage page("ptxopt-launches", "writes what profiles say about the launches of kernels");
  page.synopsis("ptxopt-launches", "[-o FILE] PROFILE...");
  page.section("Description");
  page.paragraph(
      "Reads exports of Nsight Systems (nsys export --type=sqlite), tables of Nsight Compute (ncu "
      "--csv) and the metadata of Triton kernels (KERNEL.json in Triton's cache), and writes a "
      "file for ptxopt --launch: the blocks, grids and dynamic shared memory that all launches of "
      "a kernel had, and how many launches there were. Use the file with ptxopt --enforce, since "
      "other launches may differ.");
  page.section("Options");
  page.item("-o FILE", "The file to write; standard output by default.");
  page.seeAlso(kPrograms);
  return page.text();
}

void writeAll(const std::filesystem::path& folder) {
  const NamedWords words = namedWords();
  const auto writeOne = [&](CLI::App& app) {
    const Command command = describe(app, words);
    write(folder / "man/man1" / (command.name + ".1"), manPage(command));
    write(folder / "bash-completion/completions" / command.name, bashCompletion(command));
    write(folder / "zsh/site-functions" / ("_" + command.name), zshCompletion(command));
    write(folder / "fish/vendor_completions.d" / (command.name + ".fish"), fishCompletion(command));
  };
  driver::describeCommandLine(writeOne);
  {
    CLI::App app;
    check::CommandOptions options;
    check::declareOptions(app, options);
    writeOne(app);
  }
  {
    CLI::App app;
    ptxrun::Options options;
    ptxrun::declareOptions(app, options);
    writeOne(app);
  }
  {
    CLI::App app;
    ptxreduce::Options options;
    ptxreduce::declareOptions(app, options);
    writeOne(app);
  }
  write(folder / "man/man1/ptxopt-ptxas.1", dropInPage());
  write(folder / "man/man1/ptxopt-ptxas-blackwell.1", ".so man1/ptxopt-ptxas.1\n");
  write(folder / "man/man1/ptxopt-make-nvcc-bin.1", makeNvccBinPage());
  write(folder / "man/man1/ptxopt-corpus.1", corpusPage());
  write(folder / "man/man1/ptxopt-launches.1", launchesPage());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_manuals FOLDER\n", stderr);
    return 1;
  }
  try {
    writeAll(argv[1]);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "make_manuals: %s\n", problem.what());
    return 1;
  }
  return 0;
}
