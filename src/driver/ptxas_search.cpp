// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/ptxas_search.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "driver/ptxas_process.h"
#include "driver/ptxas_triton.h"
#include "driver/ptxas_variables.h"

namespace ptxopt::ptxas {

namespace {

namespace fs = std::filesystem;

// A package of Python that has a ptxas.
struct Package {
  const char* from;
  std::string_view marker;  // a part of the names of the libraries that the package loads
};
constexpr Package kTriton = {kWheelOfTriton, "/triton/"};
constexpr Package kJax = {"the wheel of JAX", "/jax"};

std::optional<std::string> fileIdentity(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return fmt::format("{}:{}", status.st_dev, status.st_ino);
}

bool isProgram(const std::string& path) {
  return access(path.c_str(), X_OK) == 0;
}

// Files that must not be run: this program, and those that called it, as "device:inode
// device:inode".
class Visited {
 public:
  Visited() : text_(environment(kVisitedVariable)) {
    if (const auto self = fileIdentity("/proc/self/exe")) text_ += " " + *self;
  }
  bool has(const std::string& identity) const {
    return (text_ + " ").find(" " + identity + " ") != std::string::npos;
  }
  void add(const std::string& identity) const {
    setenv(kVisitedVariable, (text_ + " " + identity).c_str(), 1);
  }

 private:
  std::string text_;
};

std::vector<std::string> foldersOfPath() {
  const std::string path = environment("PATH");
  std::vector<std::string> folders;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    folders.push_back(end == begin ? "." : path.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
}

// Adds those of the package, the best first.
void addPackage(std::vector<FoundPtxas>& all, const std::string& folder, const Package& package,
                const TritonTool& chosen) {
  const bool isTriton = package.marker == kTriton.marker;
  for (std::string& path : isTriton ? programsOfTriton(folder, chosen) : programsOfJax(folder)) {
    if (fileIdentity(path)) all.push_back({std::move(path), package.from});
  }
}

std::vector<std::string> environmentPackages() {
  std::vector<std::string> folders;
  for (const char* const name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const std::string root = environment(name);
    std::error_code ignored;
    if (root.empty()) continue;
    for (const auto& entry : fs::directory_iterator(root + "/lib", ignored)) {
      if (entry.path().filename().string().starts_with("python")) {
        folders.push_back((entry.path() / "site-packages").string());
      }
    }
  }
  return folders;
}

std::vector<FoundPtxas> afterTheCaller(const std::vector<std::string>& folders) {
  std::vector<FoundPtxas> all;
  for (const std::string& folder : foldersOfPath()) all.push_back({folder + "/ptxas", "PATH"});
  for (const char* const name : {"CUDA_HOME", "CUDA_PATH"}) {
    const std::string root = environment(name);
    if (!root.empty()) all.push_back({root + "/bin/ptxas", name});
  }
  all.push_back({"/usr/local/cuda/bin/ptxas", "its usual place"});
  std::vector<std::string> packages = environmentPackages();
  packages.insert(packages.end(), folders.begin(), folders.end());
  // The newest of a wheel knows all targets.
  for (const std::string& folder : packages) {
    for (const Package& package : {kTriton, kJax}) {
      addPackage(all, folder, package, kTritonBlackwell);
    }
  }
  return all;
}

}  // namespace

std::string takeProgram(std::vector<std::string>& arguments) {
  if (arguments.empty() || fs::path(arguments.front()).filename() != "ptxas") return {};
  const std::string named = arguments.front();
  arguments.erase(arguments.begin());
  return named.find('/') == std::string::npos ? std::string() : named;
}

std::string packageFolder(std::string_view path) {
  for (const std::string_view name : {"/site-packages/", "/dist-packages/"}) {
    const std::size_t at = path.rfind(name);
    if (at != std::string_view::npos) return std::string(path.substr(0, at + name.size() - 1));
  }
  return {};
}

bool isCalledByItself() {
  return !environment(kVisitedVariable).empty();
}

void forgetVisited() {
  unsetenv(kVisitedVariable);
}

std::optional<FoundPtxas> ptxasOfCaller(const std::string& calledAs) {
  std::ifstream map(fmt::format("/proc/{}/maps", getppid()));
  std::vector<std::pair<std::string, Package>> places;
  for (std::string line; std::getline(map, line);) {
    const std::string folder = packageFolder(line.substr(std::min(line.find('/'), line.size())));
    if (folder.empty()) continue;
    for (const Package& package : {kTriton, kJax}) {
      const bool isLoaded =
          line.find(package.marker, line.find(folder) + folder.size()) != std::string::npos;
      const auto isThis = [&](const auto& place) {
        return place.first == folder && place.second.marker == package.marker;
      };
      if (isLoaded && std::ranges::none_of(places, isThis)) places.emplace_back(folder, package);
    }
  }
  std::vector<FoundPtxas> all;
  for (const auto& [folder, package] : places) {
    addPackage(all, folder, package, choiceOfTriton(calledAs).tool);
  }
  const Visited visited;
  for (FoundPtxas& found : all) {
    const auto identity = fileIdentity(found.path);
    if (identity && !visited.has(*identity) && isProgram(found.path)) return std::move(found);
  }
  return std::nullopt;
}

std::vector<std::string> programsOfJax(const std::string& packages) {
  return {packages + "/nvidia/cu13/bin/ptxas", packages + "/nvidia/cuda_nvcc/bin/ptxas"};
}

std::vector<FoundPtxas> allPtxas(const std::vector<std::string>& folders) {
  const Visited visited;
  std::vector<FoundPtxas> all;
  std::vector<std::string> identities;
  for (FoundPtxas& found : afterTheCaller(folders)) {
    const auto identity = fileIdentity(found.path);
    if (!identity || visited.has(*identity) || !isProgram(found.path)) continue;
    if (std::ranges::find(identities, *identity) != identities.end()) continue;
    identities.push_back(*identity);
    all.push_back(std::move(found));
  }
  return all;
}

FoundPtxas findPtxas(const std::string& named, const std::string& calledAs) {
  const Visited visited;
  const std::string variable = environment(kPtxasVariable.name);
  if (const std::string& path = variable.empty() ? named : variable; !path.empty()) {
    const std::string who =
        variable.empty() ? path : fmt::format("{}={}", kPtxasVariable.name, path);
    const auto identity = fileIdentity(path);
    if (!identity || !isProgram(path)) throw std::runtime_error(who + " is not a program");
    if (visited.has(*identity)) throw std::runtime_error(who + " leads back to ptxopt-ptxas");
    visited.add(*identity);
    return {path, variable.empty() ? "the command line" : std::string(kPtxasVariable.name)};
  }
  std::optional<FoundPtxas> found = ptxasOfCaller(calledAs);
  if (!found) {
    std::vector<FoundPtxas> all = allPtxas({});
    if (!all.empty()) found = std::move(all.front());
  }
  if (!found) {
    throw std::runtime_error(
        "no ptxas on PATH, in /usr/local/cuda or in a wheel; install the CUDA toolkit's or name "
        "one in PTXOPT_PTXAS");
  }
  visited.add(*fileIdentity(found->path));
  return *found;
}

std::string text(const PtxasVersion& version) {
  return fmt::format("{}.{}", version.major, version.minor);
}

std::optional<PtxasVersion> parseVersion(std::string_view answer) {
  constexpr std::string_view kRelease = "release ";
  const std::size_t at = answer.find(kRelease);
  if (at == std::string_view::npos) return std::nullopt;
  const char* const end = answer.data() + answer.size();
  PtxasVersion version;
  const auto major = std::from_chars(answer.data() + at + kRelease.size(), end, version.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, version.minor);
  return minor.ec == std::errc() ? std::optional(version) : std::nullopt;
}

std::optional<PtxasVersion> versionOf(const std::string& path) {
  try {
    const ProgramAnswer answer =
        answerOf([&](const Streams& streams) { return runProgram(path, {"--version"}, streams); });
    return answer.status.success() ? parseVersion(answer.out) : std::nullopt;
  } catch (const std::system_error&) {
    return std::nullopt;
  }
}

std::optional<ReleaseDifference> otherRelease(const std::string& path, const std::string& own) {
  const auto ours = versionOf(path);
  const auto theirs = versionOf(own);
  if (!ours || !theirs || *ours == *theirs) return std::nullopt;
  const bool isOlder = *ours < *theirs;
  return ReleaseDifference{isOlder,
                           fmt::format("is release {}, {} than {}, release {}", text(*ours),
                                       isOlder ? "older" : "newer", own, text(*theirs))};
}

bool isSameProgram(const std::string& a, const std::string& b) {
  const auto identity = fileIdentity(a);
  return identity && identity == fileIdentity(b);
}

std::optional<std::string> findOnPath(std::string_view name) {
  for (const std::string& folder : foldersOfPath()) {
    std::string path = fmt::format("{}/{}", folder, name);
    if (fileIdentity(path) && isProgram(path)) return path;
  }
  return std::nullopt;
}

}  // namespace ptxopt::ptxas
