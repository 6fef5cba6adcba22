// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/diff.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace ptxopt::driver {

namespace {

// Bytes [oldBegin, oldEnd) of the source became `text`.
struct Region {
  std::size_t oldBegin = 0;
  std::size_t oldEnd = 0;
  std::string text;
};

bool isSlice(std::string_view piece, std::string_view source) {
  const std::less_equal<const char*> before;
  return before(source.data(), piece.data()) &&
         before(piece.data() + piece.size(), source.data() + source.size());
}

std::size_t countLines(std::string_view text) {
  const auto newlines = std::count(text.begin(), text.end(), '\n');
  const bool unfinished = !text.empty() && text.back() != '\n';
  return static_cast<std::size_t>(newlines) + (unfinished ? 1u : 0u);
}

// ---- regions between slices --------------------------------------------------------------------

// Collects edits in the order of the source and widens them to whole lines; edits that share a line
// become one region.
class RegionBuilder {
 public:
  explicit RegionBuilder(std::string_view source) : source_(source) {}

  void edit(std::size_t begin, std::size_t end, std::string_view text) {
    if (begin == end && text.empty()) return;
    const std::size_t first = lineBegin(source_, begin);
    if (!open_ || first >= reach_) {
      close();
      open_ = true;
      region_ = {first, first, {}};
    }
    region_.text += source_.substr(region_.oldEnd, begin - region_.oldEnd);
    region_.text += text;
    region_.oldEnd = end;
    // If the edit does not end at a line end, the rest of the line belongs to the change.
    const bool whole =
        lineBegin(source_, end) == end && (region_.text.empty() || region_.text.back() == '\n');
    reach_ = whole ? end : lineEnd(source_, end);
  }

  std::vector<Region> take() {
    close();
    return std::move(regions_);
  }

 private:
  void close() {
    if (!open_) return;
    region_.text += source_.substr(region_.oldEnd, reach_ - region_.oldEnd);
    region_.oldEnd = reach_;
    regions_.push_back(std::move(region_));
    open_ = false;
  }

  std::string_view source_;
  std::vector<Region> regions_;
  Region region_;
  std::size_t reach_ = 0;  // where the last line of the open region ends
  bool open_ = false;
};

std::vector<Region> regionsOf(std::string_view source, const print::Output& output) {
  RegionBuilder builder(source);
  std::size_t kept = 0;  // the source up to here has been processed
  std::string made;
  for (const std::string_view piece : output.pieces()) {
    const bool slice = isSlice(piece, source);
    const std::size_t at = slice ? static_cast<std::size_t>(piece.data() - source.data()) : 0;
    if (!slice || at < kept) {
      made += piece;
      continue;
    }
    builder.edit(kept, at, made);
    made.clear();
    kept = at + piece.size();
  }
  builder.edit(kept, source.size(), made);
  return builder.take();
}

// ---- lines within a region ----------------------------------------------------------------------

using Lines = std::vector<std::string_view>;

// Marks the lines of a and b without a partner in the other; false if there are too many.  Myers'
// greedy algorithm; the furthest reaching paths of each round d are kept in order to trace the path
// back.
bool compareLines(const Lines& a, const Lines& b, std::vector<bool>& gone,
                  std::vector<bool>& made) {
  constexpr std::ptrdiff_t kMaxDifferences = 1500;  // the rounds need memory for its square
  const auto n = static_cast<std::ptrdiff_t>(a.size());
  const auto m = static_cast<std::ptrdiff_t>(b.size());
  const std::ptrdiff_t limit = std::min(n + m, kMaxDifferences);
  // reach[k + offset]: how far the best path on diagonal k = x - y has advanced in a.
  const std::ptrdiff_t offset = limit + 1;
  std::vector<std::ptrdiff_t> reach(static_cast<std::size_t>(2 * limit + 3), 0);
  const auto reachOf = [&reach, offset](std::ptrdiff_t k) -> std::ptrdiff_t& {
    return reach[static_cast<std::size_t>(k + offset)];
  };
  const auto line = [](const Lines& lines, std::ptrdiff_t k) {
    return lines[static_cast<std::size_t>(k)];
  };
  // Whether the path to diagonal k of round d comes from k + 1, by a line of b.
  const auto takesLineOfB = [](const auto& reached, std::ptrdiff_t d, std::ptrdiff_t k) {
    return k == -d || (k != d && reached(k - 1) < reached(k + 1));
  };

  std::vector<std::vector<std::ptrdiff_t>> rounds;  // diagonals -d - 1 .. d + 1 before round d
  for (std::ptrdiff_t d = 0; d <= limit; ++d) {
    rounds.emplace_back(reach.begin() + (offset - d - 1), reach.begin() + (offset + d + 2));
    for (std::ptrdiff_t k = -d; k <= d; k += 2) {
      std::ptrdiff_t x = takesLineOfB(reachOf, d, k) ? reachOf(k + 1) : reachOf(k - 1) + 1;
      std::ptrdiff_t y = x - k;
      while (x < n && y < m && line(a, x) == line(b, y)) ++x, ++y;
      reachOf(k) = x;
      if (x < n || y < m) continue;
      // Found: trace the path back through the rounds.
      for (std::ptrdiff_t round = d; round > 0; --round) {
        const auto& before = rounds[static_cast<std::size_t>(round)];
        const auto was = [&before, round](std::ptrdiff_t diagonal) {
          return before[static_cast<std::size_t>(diagonal + round + 1)];
        };
        const bool ofB = takesLineOfB(was, round, k);
        k += ofB ? 1 : -1;
        const std::ptrdiff_t fromX = was(k);
        if (ofB) {
          made[static_cast<std::size_t>(fromX - k)] = true;
        } else {
          gone[static_cast<std::size_t>(fromX)] = true;
        }
      }
      return true;
    }
  }
  return false;
}

void changesOf(const Region& region, std::string_view source, std::vector<LineChange>& changes) {
  const Lines a = splitLines(source.substr(region.oldBegin, region.oldEnd - region.oldBegin));
  const Lines b = splitLines(region.text);
  std::vector<bool> gone(a.size(), false);
  std::vector<bool> made(b.size(), false);
  if (!compareLines(a, b, gone, made)) {
    gone.assign(a.size(), true);
    made.assign(b.size(), true);
  }
  std::size_t oldAt = region.oldBegin;
  std::size_t newAt = 0;
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const std::size_t oldBegin = oldAt;
    const std::size_t newBegin = newAt;
    while (i < a.size() && gone[i]) oldAt += a[i++].size();
    while (j < b.size() && made[j]) newAt += b[j++].size();
    if (oldAt != oldBegin || newAt != newBegin) {
      changes.push_back({oldBegin, oldAt, region.text.substr(newBegin, newAt - newBegin)});
    }
    if (i < a.size() && j < b.size()) {
      oldAt += a[i++].size();
      newAt += b[j++].size();
    }
  }
}

// ---- hunks --------------------------------------------------------------------------------------

class HunkWriter {
 public:
  HunkWriter(std::string_view source, const DiffStyle& style) : source_(source), style_(style) {}

  std::string write(const std::vector<LineChange>& changes) {
    paint("\033[1m", "--- " + style_.oldName + '\n');
    paint("\033[1m", "+++ " + style_.newName + '\n');
    for (std::size_t first = 0; first < changes.size();) {
      std::size_t last = first;
      while (last + 1 < changes.size() && areNear(changes[last], changes[last + 1])) ++last;
      hunk(std::span(changes).subspan(first, last - first + 1));
      first = last + 1;
    }
    return std::move(out_);
  }

 private:
  std::string_view old(std::size_t begin, std::size_t end) const {
    return source_.substr(begin, end - begin);
  }

  bool areNear(const LineChange& a, const LineChange& b) const {
    std::size_t at = a.oldEnd;
    for (unsigned line = 0; line <= 2 * style_.context && at < b.oldBegin; ++line) {
      at = lineEnd(source_, at);
    }
    return countLines(old(a.oldEnd, at)) <= 2 * style_.context;
  }

  void hunk(std::span<const LineChange> changes) {
    std::size_t begin = changes.front().oldBegin;
    std::size_t end = changes.back().oldEnd;
    for (unsigned k = 0; k < style_.context; ++k) {
      if (begin > 0) begin = lineBegin(source_, begin - 1);
      if (end < source_.size()) end = lineEnd(source_, end);
    }
    line_ += countLines(old(counted_, begin));
    counted_ = begin;
    const std::size_t oldCount = countLines(old(begin, end));
    std::size_t newCount = oldCount;
    for (const LineChange& change : changes) {
      newCount += countLines(change.text);
      newCount -= countLines(old(change.oldBegin, change.oldEnd));
    }
    const auto span = [](std::size_t line, std::size_t count) {
      // By convention, a side without lines is numbered after the line before it.
      return std::to_string(count == 0 ? line : line + 1) + ',' + std::to_string(count);
    };
    const std::size_t newLine = line_ - removed_ + added_;
    paint("\033[36m", "@@ -" + span(line_, oldCount) + " +" + span(newLine, newCount) + " @@\n");

    std::size_t at = begin;
    for (const LineChange& change : changes) {
      lines(' ', "", old(at, change.oldBegin));
      lines('-', "\033[31m", old(change.oldBegin, change.oldEnd));
      lines('+', "\033[32m", change.text);
      removed_ += countLines(old(change.oldBegin, change.oldEnd));
      added_ += countLines(change.text);
      at = change.oldEnd;
    }
    lines(' ', "", old(at, end));
  }

  void lines(char sign, const char* color, std::string_view text) {
    for (const std::string_view line : splitLines(text)) {
      paint(color, sign + std::string(line));
      if (line.back() != '\n') out_ += "\n\\ No newline at end of file\n";
    }
  }

  // The colour ends before the newline, or a pager would colour the rest of the line.
  void paint(const char* color, std::string_view text) {
    if (!style_.color || *color == '\0') {
      out_ += text;
      return;
    }
    const bool ended = text.ends_with('\n');
    if (ended) text.remove_suffix(1);
    out_ += color;
    out_ += text;
    out_ += "\033[m";
    if (ended) out_ += '\n';
  }

  std::string_view source_;
  const DiffStyle& style_;
  std::string out_;
  std::size_t counted_ = 0;  // bytes of the source whose lines are in line_
  std::size_t line_ = 0;
  std::size_t removed_ = 0;  // lines of the hunks so far
  std::size_t added_ = 0;
};

}  // namespace

std::size_t lineBegin(std::string_view text, std::size_t at) {
  const std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

std::size_t lineEnd(std::string_view text, std::size_t at) {
  const std::size_t newline = text.find('\n', at);
  return newline == std::string_view::npos ? text.size() : newline + 1;
}

std::vector<std::string_view> splitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = lineEnd(text, 0);
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

std::vector<LineChange> lineChanges(std::string_view source, const print::Output& output) {
  std::vector<LineChange> changes;
  for (const Region& region : regionsOf(source, output)) changesOf(region, source, changes);
  return changes;
}

std::string unifiedDiff(std::string_view source, const print::Output& output,
                        const DiffStyle& style) {
  const std::vector<LineChange> changes = lineChanges(source, output);
  if (changes.empty()) return {};
  return HunkWriter(source, style).write(changes);
}

}  // namespace ptxopt::driver
