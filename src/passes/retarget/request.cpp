// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/retarget/request.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "isa/targets.h"

namespace ptxopt::passes {

namespace {

[[noreturn]] void fail(std::string_view word, std::string_view what) {
  throw std::invalid_argument('\'' + std::string(word) + "' " + std::string(what));
}

std::optional<unsigned> parseNumber(std::string_view digits) {
  unsigned value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [last, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc() || last != end) return std::nullopt;
  return value;
}

isa::Version versionOfCuda(std::string_view word, isa::Version cuda) {
  if (const auto version = isa::ptxOfCuda(cuda)) return *version;
  fail(word, "is older than CUDA " + isa::toString(isa::releases().front().cuda) +
                 ", the oldest release that is known");
}

// "535.104.05" or "535": a driver; "12020": the CUDA 12.2 of cuDriverGetVersion.
isa::Version versionOfDriver(std::string_view word, std::string_view text) {
  constexpr unsigned kMajor = 1000;
  constexpr unsigned kMinor = 10;
  const std::optional<unsigned> number = parseNumber(text.substr(0, text.find('.')));
  if (!number) fail(word, "is not driver:VERSION, like driver:535.104 or driver:12020");
  if (*number >= kMajor && text.find('.') == std::string_view::npos) {
    return versionOfCuda(word, {static_cast<std::uint8_t>(std::min(*number / kMajor, 255u)),
                                static_cast<std::uint8_t>(*number % kMajor / kMinor)});
  }
  if (const auto version = isa::ptxOfDriver(*number)) return *version;
  fail(word, "is older than driver " + std::to_string(isa::releases().front().driver) +
                 ", the oldest that is known");
}

// "12.2" of "12.2.140".
std::string_view withoutBuild(std::string_view release) {
  const std::size_t dot = release.rfind('.');
  const std::string_view build = dot == std::string_view::npos ? "" : release.substr(dot + 1);
  const bool isNumber =
      !build.empty() && build.find_first_not_of("0123456789") == std::string_view::npos;
  return isNumber && std::ranges::count(release, '.') == 2 ? release.substr(0, dot) : release;
}

// The highest version that a reader of this kind takes; nothing for a word of another kind.
std::optional<isa::Version> versionOf(std::string_view word) {
  const auto after = [&](std::string_view prefix) { return word.substr(prefix.size()); };
  if (word.starts_with("ptx")) {
    const auto most = isa::parseVersion(after("ptx"));
    const auto version = most ? isa::newestVersion(*most) : std::nullopt;
    if (!version) fail(word, "is no version of PTX, like ptx8.2");
    return version;
  }
  if (word.starts_with("cuda:")) {
    const auto cuda = isa::parseVersion(withoutBuild(after("cuda:")));
    if (!cuda) fail(word, "is no release of CUDA, like cuda:12.2");
    return versionOfCuda(word, *cuda);
  }
  if (word.starts_with("driver:")) return versionOfDriver(word, after("driver:"));
  return std::nullopt;
}

void add(RetargetRequest& request, std::string_view word) {
  if (const auto version = versionOf(word)) {
    request.version = std::min(request.version.value_or(*version), *version);
    return;
  }
  const std::optional<isa::Target> target = isa::parseTarget(word);
  if (!target) fail(word, "is none of ptxX.Y, cuda:X.Y, driver:VERSION, sm_NN");
  if (!isa::firstVersion(*target))
    fail(word, "is no target of PTX " + isa::toString(isa::kNewestVersion));
  if (request.target && request.target != target) fail(word, "is a second target");
  request.target = target;
}

}  // namespace

RetargetRequest parseRetargetRequest(std::string_view text) {
  RetargetRequest request;
  request.text = text;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    add(request, text.substr(at, end - at));
    at = end + 1;
  }
  return request;
}

}  // namespace ptxopt::passes
