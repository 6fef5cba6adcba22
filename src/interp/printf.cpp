// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/printf.h"

#include <bit>
#include <cstdio>
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

}  // namespace

PrintfResult formatPrintf(const std::string& format,
                          const std::function<std::uint64_t(std::uint32_t)>& next,
                          const std::function<std::string(std::uint64_t)>& text) {
  PrintfResult result;
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      result.text += format[at++];
      continue;
    }
    // %[flags][width][.precision][size]conversion; * takes a number from the arguments.
    std::size_t end = at + 1;
    std::string head = "%";
    const auto take = [&](std::string_view set) {
      while (end < format.size() && set.find(format[end]) != std::string_view::npos) {
        if (format[end] == '*') {
          head += std::to_string(static_cast<std::int32_t>(next(4)));
        } else {
          head += format[end];
        }
        ++end;
      }
    };
    take("-+ #0");
    take("0123456789*");
    take(".0123456789*");
    bool isLong = false;
    while (end < format.size() &&
           std::string_view("hlLqjzt").find(format[end]) != std::string_view::npos) {
      isLong = isLong || format[end] != 'h';
      ++end;
    }
    const char conversion = end < format.size() ? format[end] : '\0';
    at = end + 1;
    ++result.conversions;
    switch (conversion) {
      case '%':
        result.text += '%';
        --result.conversions;
        break;
      case 'd':
      case 'i': {
        const std::uint64_t bits = next(isLong ? 8 : 4);
        const long long value =
            isLong ? static_cast<long long>(bits) : static_cast<std::int32_t>(bits);
        result.text += print(head + "lld", value);
        break;
      }
      case 'u':
      case 'o':
      case 'x':
      case 'X': {
        const unsigned long long value = next(isLong ? 8 : 4);
        result.text += print(head + "ll" + conversion, value);
        break;
      }
      case 'c':
        result.text += print(head + "c", static_cast<int>(next(4)));
        break;
      case 'p':
        result.text += print(head + "#llx", static_cast<unsigned long long>(next(8)));
        break;
      case 's':
        result.text += print(head + "s", text(next(8)).c_str());
        break;
      case 'f':
      case 'F':
      case 'e':
      case 'E':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        result.text += print(head + conversion, std::bit_cast<double>(next(8)));
        break;
      default:
        result.text += head;
        if (conversion != '\0') result.text += conversion;
        --result.conversions;
        break;
    }
  }
  return result;
}

}  // namespace ptxopt::interp
