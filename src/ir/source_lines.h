// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where code comes from in the program that was compiled: the .loc and .file directives.
//
// Inlined code has a chain of places.  `.loc 4 98 3, function_name F, inlined_at 3 87 13` says that
// line 98 of file 4 is in F, and that line 87 of file 3 calls F.  That call is the place of another
// .loc of the same function, above it, and may be inlined itself.  Most readers want to know none
// of this: they want the line that they wrote.  That is the innermost place of the chain that is in
// the same file as the outermost one, where the kernel is.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/module.h"

namespace ptxopt::ir {

struct SourcePlace {
  std::string_view file;  // as .file has it; empty: the number of the file has no name
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  // The symbol of the function that the line is in, if that was inlined and its name is known:
  // "_Z4swapPiS_".
  std::string function;
};

// "k.cu:31", without the folders of the file; "line 31" if the file has no name.
std::string shortText(const SourcePlace& place);

// Not thread-safe.  The module must outlive the object and may change; directives that are added
// later are not seen.
class SourceLines {
 public:
  // O(statements).
  explicit SourceLines(const Module& module);
  // Answers for these functions of the module only, none of which may be null.
  SourceLines(const Module& module, std::span<const Function* const> functions);

  // The .loc that holds for the code at a position of the text; null if none does.  O(log n).
  const Location* at(Offset offset) const;
  // The same for a position in the function.  Before its first .loc that has a line, and outside of
  // its body, that first one; null if it has none.
  const Location* in(const Function& function, Offset offset) const;

  // Innermost place first.  Places with line 0, which compilers give to code of their own, are left
  // out; so the chain may be empty.
  std::vector<SourcePlace> chain(const Location& location) const;
  // The line that the user wrote, without the name of its function.
  std::optional<SourcePlace> written(const Location& location) const;
  std::optional<SourcePlace> written(Offset offset) const;

 private:
  struct Entry {
    Offset begin = 0;
    const Location* location = nullptr;  // null at the start of a function
  };
  struct Numbers {
    std::uint32_t file = 0, line = 0, column = 0;
    auto operator<=>(const Numbers&) const = default;
  };
  struct Step {
    Numbers at;
    std::string_view function;  // "$L__info_string0", or "$L__info_string0+12"; may be empty
  };
  // The place of the call of an inlined place, and the function that is called there.
  static std::optional<Step> inlinedAt(const Location& location);
  // The places of chain().
  std::vector<Step> steps(const Location& location) const;
  void add(const Function& function);
  std::string_view fileName(std::uint32_t file) const;
  std::string functionName(std::string_view label) const;
  SourcePlace place(const Numbers& numbers) const;

  const Module& module_;
  std::vector<Entry> entries_;  // in the order of the text
  // For an inlined place that is the .loc of its call.
  std::unordered_map<const Location*, const Location*> callOf_;
  mutable std::optional<std::map<std::uint32_t, std::string_view>> files_;
};

}  // namespace ptxopt::ir
