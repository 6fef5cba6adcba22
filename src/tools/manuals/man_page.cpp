// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/manuals/man_page.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "support/version.h"

namespace ptxopt::manuals {

namespace {

// As text for roff: a hyphen would become a typographic one, and a line that begins with a dot or
// a quote would be a request.
std::string escaped(std::string_view text) {
  std::string result;
  bool isLineStart = true;
  for (const char c : text) {
    if (isLineStart && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if (c == '|') {
      result += "|\\:";  // a line may end here
    } else {
      result += c;
    }
    isLineStart = c == '\n';
  }
  return result;
}

std::string bold(std::string_view text) {
  return "\\fB" + escaped(text) + "\\fR";
}

std::string italic(std::string_view text) {
  return "\\fI" + escaped(text) + "\\fR";
}

std::string upperCase(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

// "-j, --jobs=N", with markup.
std::string heading(const Option& option) {
  std::string text;
  for (const std::string& name : option.names) {
    text += (text.empty() ? "" : ", ") + bold(name);
    if (option.isPositional || option.value.empty()) continue;
    const std::string value = (isShort(name) ? "" : "=") + italic(option.value);
    if (isShort(name)) text += " ";
    text += option.isValueOptional ? "[" + value + "]" : value;
  }
  return text;
}

}  // namespace

// Words of options are long: lines that are not filled to the right, and no hyphens of its own.
ManPage::ManPage(const std::string& name, const std::string& summary) : name_(name) {
  text_ = ".TH " + upperCase(name) + " 1 \"\" \"ptxopt " + version() +
          "\" \"User Commands\"\n.ad l\n.nh\n";
  section("Name");
  text_ += escaped(name) + " \\- " + escaped(summary) + '\n';
}

void ManPage::section(std::string_view title) {
  text_ += ".SH " + escaped(upperCase(title)) + '\n';
  isAfterTitle_ = true;
}

void ManPage::subsection(std::string_view title) {
  text_ += ".SS " + escaped(title) + '\n';
  isAfterTitle_ = true;
}

void ManPage::startParagraph() {
  if (!isAfterTitle_) text_ += ".PP\n";
  isAfterTitle_ = false;
}

void ManPage::synopsis(std::string_view name, std::string_view arguments) {
  section("Synopsis");
  text_ += bold(name) + ' ' + escaped(arguments) + '\n';
}

void ManPage::paragraph(std::string_view text) {
  startParagraph();
  text_ += escaped(text) + '\n';
}

void ManPage::item(const std::string& term, std::string_view text) {
  text_ += ".TP\n" + bold(term) + '\n' + escaped(text) + '\n';
}

void ManPage::line(std::string_view text) {
  text_ += ".br\n" + escaped(text) + '\n';
}

void ManPage::option(const Option& option) {
  text_ += ".TP\n" + heading(option) + '\n' + escaped(option.help) + '\n';
}

void ManPage::verbatim(std::string_view lines) {
  startParagraph();
  text_ += ".nf\n" + escaped(lines) + (lines.ends_with('\n') ? "" : "\n") + ".fi\n";
}

void ManPage::seeAlso(const std::vector<std::string>& names) {
  section("See also");
  std::string list;
  for (const std::string& name : names) {
    if (name != name_) list += (list.empty() ? "" : ",\n") + bold(name) + "(1)";
  }
  text_ += list + '\n';
}

void addOptions(ManPage& page, const Command& command) {
  page.section("Options");
  std::string group;
  for (const Option& option : command.options) {
    if (option.group != group && option.group != "Options") page.subsection(option.group);
    group = option.group;
    page.option(option);
  }
}

std::pair<std::string, std::string> splitFooter(const std::string& footer) {
  const std::size_t block = footer.find(":\n  ");
  const std::size_t end = footer.rfind("\n\n", block);
  if (block == std::string::npos || end == std::string::npos) return {footer, ""};
  return {footer.substr(0, end), footer.substr(end + 2)};
}

void addText(ManPage& page, const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  for (std::size_t k = 0; k < lines.size();) {
    const bool hasBlock = k + 1 < lines.size() && lines[k + 1].starts_with("  ");
    const bool isTitle = hasBlock && lines[k].ends_with(':');
    if (isTitle) {
      page.section(std::string_view(lines[k]).substr(0, lines[k].size() - 1));
      ++k;
    }
    const bool isBlock = k < lines.size() && lines[k].starts_with("  ");
    std::string part;
    for (; k < lines.size() && !lines[k].empty() && lines[k].starts_with("  ") == isBlock; ++k) {
      part += lines[k] + '\n';
    }
    if (part.empty()) {
      ++k;
    } else if (isBlock) {
      page.verbatim(part);
    } else {
      page.paragraph(part);
    }
  }
}

std::string synopsisOf(const Command& command) {
  std::string text = "[OPTION]...";
  for (const Option& option : command.options) {
    if (!option.isPositional && option.isRequired) {
      text += " " + option.names[0] + " " + option.value;
    }
  }
  for (const Option& option : command.options) {
    if (!option.isPositional) continue;
    const std::string name = option.names[0] + (option.isRepeatable ? "..." : "");
    text += option.offer == Offer::Program ? " -- " : " ";
    text += option.isRequired ? name : "[" + name + "]";
  }
  return text;
}

}  // namespace ptxopt::manuals
