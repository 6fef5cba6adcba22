#include "support/source.h"

#include <algorithm>
#include <utility>

namespace ptxopt {

namespace {
std::vector<char> padded(std::string_view bytes) {
  std::vector<char> buffer(bytes.size() + SourceText::kPadding, '\0');
  std::copy(bytes.begin(), bytes.end(), buffer.begin());
  return buffer;
}
}  // namespace

SourceText::SourceText(std::string name, std::string_view bytes)
    : SourceText(std::move(name), padded(bytes)) {}

SourceText::SourceText(std::string name, std::vector<char> paddedBytes)
    : name_(std::move(name)), bytes_(std::move(paddedBytes)) {}

LineColumn SourceText::lineColumn(Offset offset) const {
  std::call_once(linesOnce_, [this] {
    lineStarts_.push_back(0);
    const std::string_view all = text();
    for (std::size_t at = all.find('\n'); at != std::string_view::npos; at = all.find('\n', at + 1)) {
      lineStarts_.push_back(static_cast<Offset>(at + 1));
    }
  });
  const auto after = std::upper_bound(lineStarts_.begin(), lineStarts_.end(), offset);
  return {static_cast<std::uint32_t>(after - lineStarts_.begin()), offset - *std::prev(after) + 1};
}

}  // namespace ptxopt
