// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pages for man(1), in the macros of man(7).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/manuals/command.h"

namespace ptxopt::manuals {

// Writes a page piece by piece; texts are plain, without markup.
class ManPage {
 public:
  // `summary` without a full stop.
  ManPage(const std::string& name, const std::string& summary);

  void section(std::string_view title);
  void subsection(std::string_view title);
  void synopsis(std::string_view name, std::string_view arguments);
  void paragraph(std::string_view text);
  void item(const std::string& term, std::string_view text);  // the term in bold
  void line(std::string_view text);                           // one more of an item
  void option(const Option& option);
  void verbatim(std::string_view lines);
  void seeAlso(const std::vector<std::string>& names);

  const std::string& text() const { return text_; }

 private:
  void startParagraph();

  std::string name_;
  std::string text_;
  bool isAfterTitle_ = false;
};

void addOptions(ManPage& page, const Command& command);
// The part of a footer that follows its description, and the rest: from the first title on.
std::pair<std::string, std::string> splitFooter(const std::string& footer);
// "Title:" with indented lines below becomes a section, the rest a paragraph.
void addText(ManPage& page, const std::string& text);
// "[OPTION]... -o FILE file [--] command..."
std::string synopsisOf(const Command& command);

}  // namespace ptxopt::manuals
