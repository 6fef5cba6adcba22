// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/source.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace ptxopt {

namespace {
std::unique_ptr<const char[]> padded(std::string_view bytes) {
  auto buffer = std::make_unique_for_overwrite<char[]>(bytes.size() + SourceText::kPadding);
  std::fill_n(std::copy(bytes.begin(), bytes.end(), buffer.get()), SourceText::kPadding, '\0');
  return buffer;
}
}  // namespace

SourceText::SourceText(std::string name, std::string_view bytes)
    : SourceText(std::move(name), padded(bytes), bytes.size()) {}

SourceText::SourceText(std::string name, std::unique_ptr<const char[]> padded, std::size_t size)
    : name_(std::move(name)), bytes_(std::move(padded)), size_(size) {}

LineColumn SourceText::lineColumn(Offset offset) const {
  std::call_once(linesOnce_, [this] {
    lineStarts_.push_back(0);
    const std::string_view all = text();
    for (std::size_t at = all.find('\n'); at != std::string_view::npos;
         at = all.find('\n', at + 1)) {
      lineStarts_.push_back(static_cast<Offset>(at + 1));
    }
  });
  const auto after = std::upper_bound(lineStarts_.begin(), lineStarts_.end(), offset);
  return {static_cast<std::uint32_t>(after - lineStarts_.begin()), offset - *std::prev(after) + 1};
}

}  // namespace ptxopt
