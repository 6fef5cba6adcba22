// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include "tools/manuals/completion.h"

namespace ptxopt::manuals {

namespace {

// Within single quotes, and with a backslash before what _arguments takes for its own.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zshAction(const Option& option) {
  switch (option.offer) {
    case Offer::Words:
      return fmt::format("({})", joined(option.words));
    case Offer::List:
      return fmt::format("_sequence compadd - {}", joined(option.words));
    case Offer::Ptx:
      return "_files -g \"*.ptx\"";
    case Offer::File:
      return "_files";
    case Offer::Folder:
      return "_files -/";
    case Offer::Program:
      return "_normal";
    case Offer::Nothing:
      break;
  }
  return " ";
}

std::string argument(const Option& option) {
  return ":" + escaped(option.isPositional ? option.names[0] : option.value) + ":" +
         zshAction(option);
}

// "*--keep-kernel=[help]:KERNEL: "; of several names, each excludes the others.
std::string specification(const Option& option, const std::string& name) {
  std::string text;
  if (option.isRepeatable) {
    text = "*";
  } else if (option.names.size() > 1) {
    text = "(" + joined(option.names) + ")";
  }
  text += name;
  if (!option.value.empty()) text += isShort(name) ? "+" : option.isValueOptional ? "=-" : "=";
  text += "[" + escaped(option.help) + "]";
  if (!option.value.empty()) text += (option.isValueOptional ? ":" : "") + argument(option);
  return text;
}

}  // namespace

std::string zshCompletion(const Command& command) {
  std::string text = fmt::format(
      "#compdef {0}\n# Completion of {0} for zsh, made from its table of options.\n\n"
      "_arguments -s -S",
      command.name);
  for (const Option& option : command.options) {
    if (option.isPositional) continue;
    for (const std::string& name : option.names) {
      text += fmt::format(" \\\n  '{}'", specification(option, name));
    }
  }
  for (const Option& option : command.options) {
    if (!option.isPositional) continue;
    const bool takesRest = option.isRepeatable || option.offer == Offer::Program;
    const std::string place = option.offer == Offer::Program ? "*:" : takesRest ? "*" : "1";
    text += fmt::format(" \\\n  '{}{}'", place, argument(option));
  }
  return text + '\n';
}

}  // namespace ptxopt::manuals
