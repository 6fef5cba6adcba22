// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HTML documents that need no network.
#pragma once

#include <string>
#include <string_view>

namespace ptxopt::driver {

// With &, <, >, " and ' as character references.
std::string escaped(std::string_view text);

// All rules for the pages of ptxopt; `ptxopt-corpus report` uses them too.
std::string_view styleSheet();

// `style`: a <style> or <link> element.
std::string document(std::string_view title, std::string_view style, std::string_view body);

}  // namespace ptxopt::driver
