// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "example_module.h"

#include <algorithm>
#include <cctype>

#include "isa/rows.h"
#include "isa/targets.h"

namespace ptxopt::isa {

namespace {

bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%' || c == '$';
}

// True if `statement` uses `name`: as a whole word, or for "%r" as %r and a number.
bool names(std::string_view statement, std::string_view name) {
  for (std::size_t at = statement.find(name); at != std::string_view::npos;
       at = statement.find(name, at + 1)) {
    if (at != 0 && isWordCharacter(statement[at - 1])) continue;
    std::size_t end = at + name.size();
    if (name.front() == '%') {
      const std::size_t digits = end;
      while (end < statement.size() &&
             std::isdigit(static_cast<unsigned char>(statement[end])) != 0) {
        ++end;
      }
      if (end == digits) continue;
    }
    if (end == statement.size() || !isWordCharacter(statement[end])) return true;
  }
  return false;
}

}  // namespace

std::string headerOf(Version version, Target target) {
  std::string text = ".version " + toString(version) + "\n.target " + toString(target) + "\n";
  if (version >= Version{2, 3} && target.sm >= 20) text += ".address_size 64\n";
  return text;
}

ModuleWriter::ModuleWriter(Version version, Target target)
    : hasParameterList_(version >= Version{1, 4}), text_(headerOf(version, target)) {
  line_ = static_cast<int>(std::count(text_.begin(), text_.end(), '\n')) + 1;
}

void ModuleWriter::add(std::size_t index, std::string_view statement) {
  // Lines of the declarations for the module belong to the first statement that needs them.
  std::string parameters;
  std::string locals;
  std::string after;
  for (const PreludeName& entry : kPrelude) {
    if (!names(statement, entry.name)) continue;
    const std::string declaration(entry.declaration);
    switch (entry.place) {
      case PreludeName::Place::Module:
        if (declared_.insert({declaration, true}).second) addLine(declaration, index);
        break;
      case PreludeName::Place::Function:
        // Parameters stand in the body before PTX 1.4, and in a list from then on.
        if (declaration.back() != ';') {
          if (hasParameterList_) {
            parameters += declaration;
          } else {
            locals += declaration + "; ";
          }
        } else {
          locals += declaration + " ";
        }
        break;
      case PreludeName::Place::AfterExample:
        after += declaration + " ";
        break;
    }
  }
  // Lists that name labels.
  if (names(statement, "blist")) after += "L0: L1: ";
  if (names(statement, "clist")) addModuleName("fn", index);
  const std::string list = hasParameterList_ ? "(" + parameters + ")" : "";
  addLine(".entry k" + std::to_string(index) + list + " {", index);
  if (!locals.empty()) addLine(locals, index);
  addLine(std::string(statement), index);
  addLine(after + "ret; }", index);
}

void ModuleWriter::addModuleName(std::string_view name, std::size_t index) {
  for (const PreludeName& entry : kPrelude) {
    if (entry.name != name) continue;
    const std::string declaration(entry.declaration);
    if (declared_.insert({declaration, true}).second) addLine(declaration, index);
  }
}

void ModuleWriter::addLine(const std::string& text, std::size_t index) {
  text_ += text + "\n";
  owners_[line_++] = index;
}

}  // namespace ptxopt::isa
