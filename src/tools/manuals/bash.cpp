// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include "tools/manuals/completion.h"

namespace ptxopt::manuals {

namespace {

// @NAME@, @FUNCTION@, @VALUES@, @FLAGS@, @OPTIONS@ and @OTHERS@ are filled in.
constexpr const char* kTemplate =
    R"(# Completion of @NAME@ for bash, made from its table of options.

@FUNCTION@_files() {  # the patterns of files, or none for all
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -d -- "$word"; if [ $# -eq 0 ]; then compgen -f -- "$word";
    else compgen -f -X "!$1" -- "$word"; fi)
}

@FUNCTION@_list() {  # one more of the words after the last comma
  local before=
  case $word in *,*) before=${word%,*}, ;; esac
  compopt -o nospace 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${word##*,}")
}

@FUNCTION@() {
  local word=${COMP_WORDS[COMP_CWORD]} option= is_joined= k
  COMPREPLY=()
  # Readline splits "--option=value" into three words.
  if [ "$word" = = ]; then
    option=${COMP_WORDS[COMP_CWORD - 1]} word= is_joined=yes
  elif [ "${COMP_WORDS[COMP_CWORD - 1]}" = = ] && [ "$COMP_CWORD" -ge 3 ]; then
    option=${COMP_WORDS[COMP_CWORD - 2]} is_joined=yes
  else
    option=${COMP_WORDS[COMP_CWORD - 1]}
  fi
  for ((k = 1; k < COMP_CWORD; ++k)); do
    [ "${COMP_WORDS[k]}" = -- ] || continue
    @AFTER_DASHES@
    return
  done
  case $option in
@VALUES@  esac
  if [ -n "$is_joined" ]; then
    case $option in
@FLAGS@    *) ;;
    esac
    return
  fi
  case $word in
    -*)
      mapfile -t COMPREPLY < <(compgen -W '@OPTIONS@' -- "$word")
      case ${COMPREPLY[0]} in *=) compopt -o nospace 2>/dev/null ;; esac
      ;;
    *) @FUNCTION@_files '*.ptx' ;;
  esac
}

complete -F @FUNCTION@ @NAME@
)";

std::string replaced(std::string text, const std::string& name, const std::string& value) {
  for (std::size_t at = text.find(name); at != std::string::npos;
       at = text.find(name, at + value.size())) {
    text.replace(at, name.size(), value);
  }
  return text;
}

std::string bashAction(const Option& option) {
  switch (option.offer) {
    case Offer::Words:
      return fmt::format("mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$word\")",
                         joined(option.words));
    case Offer::List:
      return fmt::format("@FUNCTION@_list '{}'", joined(option.words));
    case Offer::Ptx:
      return "@FUNCTION@_files '*.ptx'";
    case Offer::File:
      return "@FUNCTION@_files";
    case Offer::Folder:
      return "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- \"$word\")";
    case Offer::Program:
      return "mapfile -t COMPREPLY < <(compgen -c -- \"$word\"; compgen -f -- \"$word\")";
    case Offer::Nothing:
      break;
  }
  return ":";
}

}  // namespace

std::string joined(const std::vector<std::string>& words, const std::string& separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

std::string bashCompletion(const Command& command) {
  std::string values;
  std::string flags;
  std::string afterDashes = "@FUNCTION@_files '*.ptx'";
  std::vector<std::string> names;
  for (const Option& option : command.options) {
    if (option.offer == Offer::Program) afterDashes = bashAction(option);
    if (option.isPositional) continue;
    for (const std::string& name : option.names) {
      const bool hasValue = !option.value.empty();
      names.push_back(name);
      if (hasValue && !isShort(name) && !option.isValueOptional) names.back() += "=";
      if (hasValue && !isShort(name) && option.isValueOptional) names.push_back(name + "=");
      if (hasValue && isShort(name)) {
        for (const std::string& word : option.words) names.push_back(name + word);
      }
    }
    if (option.value.empty()) continue;
    const std::string pattern = joined(option.names, " | ");
    if (option.isValueOptional) {
      flags += fmt::format("    {}) {} ;;\n", pattern, bashAction(option));
    } else {
      values += fmt::format("    {}) {}; return ;;\n", pattern, bashAction(option));
    }
  }
  std::string function = "_" + command.name;
  std::string text = replaced(kTemplate, "@VALUES@", values);
  text = replaced(std::move(text), "@FLAGS@", flags);
  text = replaced(std::move(text), "@AFTER_DASHES@", afterDashes);
  text = replaced(std::move(text), "@OPTIONS@", joined(names));
  text = replaced(std::move(text), "@FUNCTION@", function);
  return replaced(std::move(text), "@NAME@", command.name);
}

}  // namespace ptxopt::manuals
