// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "print/printer.h"

#include <algorithm>
#include <memory>

#include "print/statement_text.h"

namespace ptxopt::print {

namespace {

bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

// Replaces a range of the source by a text; an empty range is an insertion.
struct Edit {
  SourceRange range;
  std::string text;
};

// ---- where an edit takes place -----------------------------------------------------------------

// The end of the line after `at` if only blanks and a line comment come before it, else kNoOffset.
Offset restOfLine(std::string_view text, Offset at) {
  while (at < text.size() && isBlank(text[at])) ++at;
  if (text.substr(at, 2) == "//")
    at = static_cast<Offset>(std::min(text.find('\n', at), text.size()));
  return at == text.size() || text[at] == '\n' ? at : kNoOffset;
}

// An erased statement takes its line with it if nothing else is on it, otherwise the blanks on one
// side.
SourceRange withLine(std::string_view text, SourceRange range) {
  Offset begin = range.begin;
  while (begin > 0 && isBlank(text[begin - 1])) --begin;
  const bool startsLine = begin == 0 || text[begin - 1] == '\n';
  if (!startsLine) return {begin, range.end};
  const Offset lineEnd = restOfLine(text, range.end);
  if (lineEnd != kNoOffset) {
    return {begin, static_cast<Offset>(std::min<std::size_t>(lineEnd + 1u, text.size()))};
  }
  Offset end = range.end;
  while (end < text.size() && isBlank(text[end])) ++end;
  return {range.begin, end};
}

// Merges neighbouring ranges with only blanks between them.
std::vector<SourceRange> joined(std::string_view text, std::vector<SourceRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](SourceRange a, SourceRange b) { return a.begin < b.begin; });
  std::vector<SourceRange> result;
  for (const SourceRange range : ranges) {
    if (!result.empty()) {
      const std::string_view gap = text.substr(result.back().end, range.begin - result.back().end);
      if (std::all_of(gap.begin(), gap.end(), isBlank)) {
        result.back().end = range.end;
        continue;
      }
    }
    result.push_back(range);
  }
  return result;
}

// The edits of one list of statements, which begins after `after`.  `editOf` gives the edit for a
// changed or new statement; `blank` is written before each new one.
template <class EditOf>
void collectEdits(const ir::StatementList& statements, std::span<const SourceRange> erased,
                  Offset after, std::string_view blank, std::string_view source, EditOf&& editOf,
                  std::vector<Edit>& edits) {
  for (const SourceRange range : joined(source, {erased.begin(), erased.end()})) {
    edits.push_back({withLine(source, range), {}});
  }
  // A new statement follows the last statement before it that has a source text.
  for (const ir::Statement& statement : statements) {
    if (!statement.source.valid()) {
      const Offset lineEnd = restOfLine(source, after);
      const Offset at = lineEnd != kNoOffset ? lineEnd : after;
      const bool isLabel = statement.kind == ir::StatementKind::Label;
      edits.push_back({{at, at}, (isLabel ? "\n" : std::string(blank)) + editOf(statement).text});
      continue;
    }
    after = statement.source.end;
    if (statement.changed) edits.push_back(editOf(statement));
  }
}

void collectEdits(const ir::Function& function, std::string_view source, std::vector<Edit>& edits) {
  const auto editOf = [&](const ir::Statement& statement) {
    return Edit{statement.source, statementText(function, statement)};
  };
  collectEdits(function.body(), function.erased(), function.bodySource.begin + 1, "\n\t", source,
               editOf, edits);
}

// New attributes, in front of the body.
Edit attributesOf(const ir::Function& function, std::string_view source) {
  Edit edit{{function.bodySource.begin, function.bodySource.begin}, {}};
  for (const ir::Attribute& attribute : function.attributes) {
    const char* const at = attribute.text.data();
    const bool isOfSource = source.data() <= at && at < source.data() + source.size();
    if (!isOfSource) (edit.text += attribute.text) += '\n';
  }
  const Offset at = edit.range.begin;
  const bool startsLine = at > 0 && source[at - 1] == '\n';
  if (!edit.text.empty() && !startsLine) edit.text.insert(0, 1, '\n');
  return edit;
}

void collectEdits(const ir::Module& module, std::string_view source, std::vector<Edit>& edits) {
  const auto editOf = [&](const ir::Statement& item) {
    const auto* const function = item.as<ir::FunctionItem>();
    const bool isDefinition = function != nullptr && function->function->hasBody();
    if (isDefinition && item.source.valid()) return attributesOf(*function->function, source);
    TextWriter writer(module);
    writer.statement(nullptr, item);
    return Edit{item.source, writer.take()};
  };
  collectEdits(module.items(), module.erased(), 0, "\n", source, editOf, edits);
}

}  // namespace

// Merges the edits of all functions with slices of the source.
class SourcePrinter {
 public:
  static Output print(const ir::Module& module) {
    const std::string_view source = module.source().text();
    std::vector<Edit> edits;
    if (module.changed()) collectEdits(module, source, edits);
    for (const ir::Function& function : module.functions()) {
      if (function.changed()) collectEdits(function, source, edits);
    }
    std::stable_sort(edits.begin(), edits.end(),
                     [](const Edit& a, const Edit& b) { return a.range.begin < b.range.begin; });

    Output output;
    const auto add = [&output](std::string_view piece) {
      if (!piece.empty()) output.pieces_.push_back(piece);
    };
    Offset written = 0;
    for (Edit& edit : edits) {
      if (edit.range.begin > written) add(source.substr(written, edit.range.begin - written));
      written = std::max(written, edit.range.end);
      if (edit.text.empty()) continue;
      output.storage_.push_back(std::make_unique<std::string>(std::move(edit.text)));
      add(*output.storage_.back());
    }
    add(source.substr(written));
    return output;
  }
};

Output print(const ir::Module& module) {
  return SourcePrinter::print(module);
}

std::size_t Output::size() const {
  std::size_t bytes = 0;
  for (const std::string_view piece : pieces_) bytes += piece.size();
  return bytes;
}

std::string Output::text() const {
  std::string all;
  all.reserve(size());
  for (const std::string_view piece : pieces_) all += piece;
  return all;
}

std::string statementText(const ir::Function& function, const ir::Statement& statement) {
  TextWriter writer(function.module());
  writer.statement(&function, statement);
  return writer.take();
}

std::string operandText(const ir::Function& function, const ir::Operand& operand) {
  TextWriter writer(function.module());
  writer.operand(function, {&operand, operand.extent()}, 0);
  return writer.take();
}

namespace {

// Labels and braces start a line; everything else is indented.
void reprintBody(const ir::Function& function, TextWriter& writer) {
  writer.raw("\n{\n");
  for (const ir::Statement& statement : function.body()) {
    const bool atMargin = statement.kind == ir::StatementKind::Label ||
                          statement.kind == ir::StatementKind::ScopeBegin ||
                          statement.kind == ir::StatementKind::ScopeEnd;
    if (!atMargin) writer.raw("\t");
    writer.statement(&function, statement);
    writer.raw("\n");
  }
  writer.raw("}\n");
}

}  // namespace

std::string reprint(const ir::Module& module) {
  TextWriter writer(module);
  for (const ir::Statement& item : module.items()) {
    writer.statement(nullptr, item);
    if (const auto* definition = item.as<ir::FunctionItem>()) {
      if (definition->function->hasBody()) {
        reprintBody(*definition->function, writer);
      } else {
        writer.raw(";");
      }
    }
    writer.raw("\n");
  }
  return writer.take();
}

}  // namespace ptxopt::print
