// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ptxas a program that stands before it has to run.
//
// In this order: the value of PTXOPT_PTXAS; the first argument where it is called ptxas, as
// `nvcc --ptxas-prefix` puts it; the ptxas of the wheel that the calling Python has loaded, the
// very one that Triton or XLA would run; PATH; CUDA_HOME, CUDA_PATH and /usr/local/cuda; the wheels
// of the virtual environment.  Files are compared, not names: this program is passed over, and so
// are those that led here before, in this process or in one that started it, so that scripts which
// call it do not make a circle.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptxopt::ptxas {

struct FoundPtxas {
  std::string path;
  std::string from;  // "PATH", "CUDA_HOME", kWheelOfTriton
};
inline constexpr const char* kWheelOfTriton = "the wheel of Triton";

// Takes the program off the arguments of `ptxopt-ptxas /usr/local/cuda/bin/ptxas -arch=sm_90 ...`.
// Empty where none is named, or PATH is to say where it is.
std::string takeProgram(std::vector<std::string>& arguments);

// The first; the environment then names it as visited.  `calledAs` is the first word of the command
// line.  Throws std::runtime_error, which says what to do, where there is none.  O(folders of
// PATH); reads the memory map of the calling process.
FoundPtxas findPtxas(const std::string& named, const std::string& calledAs);

// A program that this one ran as ptxas has called it again: the text is optimized already.
bool isCalledByItself();
// Removes the names of visited programs from the environment.  For a child that is to run as if a
// user had started it.
void forgetVisited();

// Every ptxas that findPtxas() would look at, also those after the first, without PTXOPT_PTXAS and
// without a name.  `folders`: more folders of Python packages.
std::vector<FoundPtxas> allPtxas(const std::vector<std::string>& folders);

// That of the wheel that the calling process has loaded.
std::optional<FoundPtxas> ptxasOfCaller(const std::string& calledAs);
// The folder of Python packages that a path lies in; empty where there is none.
std::string packageFolder(std::string_view path);

struct PtxasVersion {
  unsigned major = 0;
  unsigned minor = 0;
  auto operator<=>(const PtxasVersion&) const = default;
};
std::string text(const PtxasVersion& version);  // "13.0"

// From the answer to --version.
std::optional<PtxasVersion> parseVersion(std::string_view answer);
// Runs it.  Nothing where it does not answer.
std::optional<PtxasVersion> versionOf(const std::string& path);
struct ReleaseDifference {
  bool isOlder = false;
  std::string text;  // "is release 12.4, older than /path/to/own, release 13.0"
};
// Of `path`, compared with `own`; nothing where both are of one release, or one does not answer.
std::optional<ReleaseDifference> otherRelease(const std::string& path, const std::string& own);

// Where XLA looks for its ptxas, the best first, if `packages` is its folder of packages.
std::vector<std::string> programsOfJax(const std::string& packages);

// The same file, also by another name.
bool isSameProgram(const std::string& a, const std::string& b);
// A program of that name on PATH.
std::optional<std::string> findOnPath(std::string_view name);

}  // namespace ptxopt::ptxas
