// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/manuals/command.h"

#include <algorithm>
#include <sstream>

namespace ptxopt::manuals {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

// "0..3" is 0 1 2 3.
std::vector<std::string> rangeWords(const std::string& text) {
  const std::size_t dots = text.find("..");
  std::vector<std::string> words;
  const int last = std::stoi(text.substr(dots + 2));
  for (int k = std::stoi(text.substr(0, dots)); k <= last; ++k) words.push_back(std::to_string(k));
  return words;
}

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

bool isLiteral(const std::string& word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return c == '-' || (c >= 'a' && c <= 'z') || isDigit(c);
  });
}

// What `option.value` stands for.
void setOffer(Option& option, const NamedWords& named) {
  for (const std::string& name : split(option.value, '|')) {
    const auto found = named.find(name);
    if (name == "FILE" || name == "DIR") {
      option.offer = name == "DIR" && option.offer != Offer::File ? Offer::Folder : Offer::File;
    } else if (found != named.end()) {
      option.words.insert(option.words.end(), found->second.begin(), found->second.end());
      if (name.ends_with(",...")) option.offer = Offer::List;
    } else if (isDigit(name[0]) && name.find("..") != std::string::npos) {
      option.words = rangeWords(name);
    } else if (isLiteral(name)) {
      option.words.push_back(name);
    }
  }
  if (option.offer == Offer::Nothing && !option.words.empty()) option.offer = Offer::Words;
}

// CLI11 has no other way to ask whether there is one.
std::string nameOfCheck(CLI::Option& entry) {
  try {
    return entry.get_validator()->get_name();
  } catch (const CLI::OptionNotFound&) {
    return "";
  }
}

Option describe(CLI::Option& entry, const NamedWords& named) {
  Option option;
  option.isPositional = entry.get_positional();
  option.isRequired = entry.get_required();
  option.isRepeatable = entry.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll ||
                        entry.get_items_expected_max() > 1;
  option.group = entry.get_group();
  option.help = entry.get_description();
  std::ranges::replace(option.help, '\n', ' ');
  if (option.isPositional) {
    option.names = {entry.get_name(true)};
    option.offer = option.names[0] == "command" ? Offer::Program : Offer::Ptx;
    return option;
  }
  for (const std::string& name : entry.get_snames()) option.names.push_back("-" + name);
  for (const std::string& name : entry.get_lnames()) option.names.push_back("--" + name);
  option.value = entry.get_type_name();
  if (option.value.empty()) option.value = nameOfCheck(entry);
  option.isValueOptional = entry.get_expected_min() == 0 && !option.value.empty();
  setOffer(option, named);
  return option;
}

}  // namespace

Command describe(CLI::App& app, const NamedWords& named) {
  Command command;
  command.name = app.get_name();
  command.summary = split(app.get_description(), '\n').at(0);
  command.footer = app.get_footer();
  const auto add = [&](const auto& isMeant) {
    for (CLI::Option* option : app.get_options()) {
      if (isMeant(*option)) command.options.push_back(describe(*option, named));
    }
  };
  add([](const CLI::Option& option) { return option.get_positional(); });
  for (const std::string& group : app.get_groups()) {
    add([&](const CLI::Option& option) {
      return !option.get_positional() && option.get_group() == group;
    });
  }
  return command;
}

}  // namespace ptxopt::manuals
