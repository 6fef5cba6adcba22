// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include "tools/manuals/completion.h"

namespace ptxopt::manuals {

namespace {

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

std::string fishAction(const Option& option) {
  switch (option.offer) {
    case Offer::Words:
      return " -x -a " + quoted(joined(option.words));
    case Offer::List:
      return fmt::format(" -x -a '(__fish_complete_list , \"printf %s\\\\\\n {}\")'",
                         joined(option.words, " "));
    case Offer::Ptx:
      return " -k -x -a '(__fish_complete_suffix .ptx)'";
    case Offer::Folder:
      return " -x -a '(__fish_complete_directories)'";
    case Offer::Nothing:
      return " -x";
    case Offer::File:
    case Offer::Program:
      break;
  }
  return " -r -F";
}

}  // namespace

std::string fishCompletion(const Command& command) {
  std::string text = fmt::format(
      "# Completion of {0} for fish, made from its table of options.\n\n", command.name);
  bool takesProgram = false;
  for (const Option& option : command.options) takesProgram |= option.offer == Offer::Program;
  const std::string line = "complete -c " + command.name;
  for (const Option& option : command.options) {
    if (option.isPositional) {
      if (option.offer != Offer::Ptx) continue;
      const std::string when =
          takesProgram ? " -n 'not contains -- -- (commandline -opc)'" : std::string();
      text += line + when + fishAction(option) + '\n';
      continue;
    }
    text += line;
    for (const std::string& name : option.names) {
      text += isShort(name) ? " -s " + name.substr(1) : " -l " + name.substr(2);
    }
    // fish has no values that may be left out; the flag alone comes first.
    if (option.isValueOptional) {
      text += " -d " + quoted(option.help) + '\n' + line + " -l " + option.names[0].substr(2);
    }
    if (!option.value.empty()) text += fishAction(option);
    text += " -d " + quoted(option.help) + '\n';
  }
  return text;
}

}  // namespace ptxopt::manuals
