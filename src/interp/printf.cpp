// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/printf.h"

#include <bit>
#include <cstdio>
#include <optional>
#include <string_view>

namespace ptxopt::interp {

namespace {

template <class T>
std::string print(const std::string& format, T value) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int size = std::snprintf(nullptr, 0, format.c_str(), value);
  std::string text(size > 0 ? static_cast<std::size_t>(size) : 0, '\0');
  std::snprintf(text.data(), text.size() + 1, format.c_str(), value);
#pragma GCC diagnostic pop
  return text;
}

using NextArgument = std::function<std::uint64_t(std::uint32_t)>;
using StringAt = std::function<std::string(std::uint64_t)>;

// %[flags][width][.precision][size]conversion
struct PrintfConversion {
  std::string head;  // without the size
  bool isLong = false;
  char letter = '\0';   // none: the format ends here
  std::size_t end = 0;  // in the format
};

// `at`: behind the %.  A * takes a number from the arguments.
PrintfConversion conversionAt(const std::string& format, std::size_t at, const NextArgument& next) {
  PrintfConversion found{"%"};
  const auto isIn = [&](std::string_view set) {
    return at < format.size() && set.find(format[at]) != std::string_view::npos;
  };
  for (const std::string_view set : {"-+ #0", "0123456789*", ".0123456789*"}) {
    for (; isIn(set); ++at) {
      if (format[at] == '*') {
        found.head += std::to_string(static_cast<std::int32_t>(next(4)));
      } else {
        found.head += format[at];
      }
    }
  }
  for (; isIn("hlLqjzt"); ++at) found.isLong = found.isLong || format[at] != 'h';
  if (at < format.size()) found.letter = format[at];
  found.end = at + 1;
  return found;
}

// None if it takes no argument.
std::optional<std::string> print(const PrintfConversion& conversion, const NextArgument& next,
                                 const StringAt& text) {
  const std::string& head = conversion.head;
  const std::uint32_t size = conversion.isLong ? 8 : 4;
  switch (conversion.letter) {
    case 'd':
    case 'i': {
      const std::uint64_t bits = next(size);
      const long long value =
          conversion.isLong ? static_cast<long long>(bits) : static_cast<std::int32_t>(bits);
      return print(head + "lld", value);
    }
    case 'u':
    case 'o':
    case 'x':
    case 'X': {
      const unsigned long long value = next(size);
      return print(head + "ll" + conversion.letter, value);
    }
    case 'c':
      return print(head + "c", static_cast<int>(next(4)));
    case 'p':
      return print(head + "#llx", static_cast<unsigned long long>(next(8)));
    case 's':
      return print(head + "s", text(next(8)).c_str());
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return print(head + conversion.letter, std::bit_cast<double>(next(8)));
    default:
      return std::nullopt;
  }
}

}  // namespace

PrintfResult formatPrintf(const std::string& format, const NextArgument& next,
                          const StringAt& text) {
  PrintfResult result;
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      result.text += format[at++];
      continue;
    }
    const PrintfConversion conversion = conversionAt(format, at + 1, next);
    at = conversion.end;
    if (const auto printed = print(conversion, next, text)) {
      result.text += *printed;
      ++result.conversions;
    } else if (conversion.letter == '%') {
      result.text += '%';
    } else {
      result.text += conversion.head;
      if (conversion.letter != '\0') result.text += conversion.letter;
    }
  }
  return result;
}

}  // namespace ptxopt::interp
