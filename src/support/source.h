// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A source text with its name, and positions in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ptxopt {

// Byte offsets from the start of the text.  Texts of 4 GiB and more are rejected on loading.
using Offset = std::uint32_t;
inline constexpr Offset kNoOffset = ~Offset{0};

struct SourceRange {
  Offset begin = kNoOffset;
  Offset end = kNoOffset;
  bool valid() const { return begin != kNoOffset; }
};

struct LineColumn {
  std::uint32_t line = 0;    // from 1; 0 if there is no position
  std::uint32_t column = 0;  // from 1, in bytes
};

// Owns the bytes.  They are followed by `kPadding` zero bytes, so that a scanner may read past the
// end without a test.  Immutable, so all members are thread-safe.
class SourceText {
 public:
  static constexpr std::size_t kPadding = 16;

  SourceText(std::string name, std::string_view bytes);
  // Takes ownership of a buffer in which kPadding zero bytes follow the `size` bytes of the text.
  SourceText(std::string name, std::unique_ptr<const char[]> padded, std::size_t size);

  const std::string& name() const { return name_; }
  std::string_view text() const { return {bytes_.get(), size_}; }
  std::string_view slice(SourceRange range) const {
    return text().substr(range.begin, range.end - range.begin);
  }

  // The first call costs one pass over the text; later ones a binary search.
  LineColumn lineColumn(Offset offset) const;

 private:
  std::string name_;
  std::unique_ptr<const char[]> bytes_;
  std::size_t size_;
  mutable std::once_flag linesOnce_;
  mutable std::vector<Offset> lineStarts_;
};

}  // namespace ptxopt
