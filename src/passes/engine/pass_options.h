// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of passes.  Each option is declared once; the parser of pipeline texts,
// --list-passes, the flags of ptxopt and the random tests all use this declaration.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptxopt::passes {

struct PassOption {
  enum class Kind : std::uint8_t {
    Flag,          // guard
    Number,        // max-work=N, from `least` to `most`
    Choice,        // precision=flags|objects|affine
    Text,          // keep=KERNEL[:LINE];...
    OptionalText,  // Text, or the name alone
  };
  // What a flag of ptxopt says to all passes that have such an option.
  enum class Shared : std::uint8_t {
    None,
    KeptBarriers,  // --keep-barriers=TEXT; several are separated by ;
    HostSymbols,   // --host-symbols: names, separated by ;
  };
  std::string_view name;
  Kind kind = Kind::Flag;
  // For a Choice: its values, separated by |. For a Text: a description of its syntax.
  std::string_view values{};
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  // What holds if it is not given: of a Number its value, of a Choice the index of it.
  std::uint64_t preset = 0;
  // The corresponding flag of ptxopt, without its dashes; empty if there is none.
  std::string_view flag{};
  std::string_view help{};     // of the flag
  bool printsReports = false;  // the flag also prints Remark::isReport to standard error
  Shared shared = Shared::None;
};

// "precision=flags|objects|affine", "coalesce=0|1|2", "max-work=N"
std::string spelling(const PassOption& option);
// "affine", "16"; empty for an option without a value.
std::string presetText(const PassOption& option);
// "coalesce=0|1|2 (default: 2)"
std::string summary(const PassOption& option);
// The help of its flag, with the default, in lines of about the same length.
std::string helpText(const PassOption& option);
// The values of a Choice, and of a Number with few values; empty for any other option.
std::vector<std::string> valuesOf(const PassOption& option);

// The options in a pipeline text: `dead-sync<precision=flags,guard>` gives {precision, flags},
// {guard, ""}.
using PassOptions = std::map<std::string, std::string, std::less<>>;

// Options that have been checked.
class OptionValues {
 public:
  // None, and a message in `error`, if an option is unknown or its value is invalid.
  static std::optional<OptionValues> read(std::span<const PassOption> known,
                                          const PassOptions& given, std::string& error);

  bool has(std::string_view name) const { return given_.contains(name); }
  // As it is given, or else the default.  The name must be one of `known`.
  std::uint64_t number(std::string_view name) const;
  // The index of the value in the list of a Choice.
  std::size_t choice(std::string_view name) const { return number(name); }
  std::string_view text(std::string_view name) const;  // empty if it is not given

 private:
  struct Value {
    std::string text;
    std::uint64_t number = 0;  // for a Choice: the index
  };
  std::span<const PassOption> known_;
  std::map<std::string, Value, std::less<>> given_;
};

}  // namespace ptxopt::passes
