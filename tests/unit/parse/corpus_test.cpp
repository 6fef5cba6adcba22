// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every file of the corpus: the reference parser accepts it as well, and the statements cover it.
#include <gtest/gtest.h>

#include "parsed.h"
#include "reference.h"

namespace ptxopt::parse {
namespace {

TEST(CorpusTest, ParsesWithoutAnError) {
  for (const std::filesystem::path& path : corpusFiles()) {
    const Parsed parsed = parseText(readFile(path));
    EXPECT_NE(parsed.module, nullptr) << path << "\n" << parsed.messages();
  }
}

TEST(CorpusTest, NothingInItIsUnknownButPragmas) {
  for (const std::filesystem::path& path : corpusFiles()) {
    const Parsed parsed = parseText(readFile(path));
    for (const Diagnostic& diagnostic : parsed.diagnostics.all()) {
      EXPECT_TRUE(diagnostic.message.starts_with("unknown pragma")) << path << format(diagnostic);
    }
  }
}

TEST(CorpusTest, ReferenceParserAcceptsIt) {
  // The reference is slow without optimization; every file is read in an optimized build.
#ifdef NDEBUG
  constexpr std::size_t kStep = 1;
#else
  constexpr std::size_t kStep = 8;
#endif
  const std::vector<std::filesystem::path> files = corpusFiles();
  for (std::size_t k = 0; k < files.size(); k += kStep) {
    std::string text = readFile(files[k]);
    while (text.ends_with('\0')) text.pop_back();
    EXPECT_EQ(referenceError(text), "") << files[k];
  }
}

bool isBlank(std::string_view text) {
  while (!text.empty()) {
    if (text.starts_with("//")) {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    } else if (text.starts_with("/*")) {
      text.remove_prefix(text.find("*/") + 2);
    } else if (std::string_view(" \t\r\n\f\x1a\0", 7).find(text[0]) != std::string_view::npos ||
               text.starts_with("# 1")) {
      text.remove_prefix(1);
    } else {
      return false;
    }
  }
  return true;
}

// Between the statements there are only blanks and comments, so a printer that copies them loses
// nothing.
void expectCovered(const ir::StatementList& statements, const SourceText& source, Offset begin,
                   Offset end) {
  for (const ir::Statement& statement : statements) {
    ASSERT_TRUE(statement.source.valid());
    ASSERT_LE(begin, statement.source.begin);
    ASSERT_LT(statement.source.begin, statement.source.end);
    EXPECT_TRUE(isBlank(source.slice({begin, statement.source.begin})))
        << source.slice({begin, statement.source.begin});
    begin = statement.source.end;
  }
  EXPECT_TRUE(isBlank(source.slice({begin, end}))) << source.slice({begin, end});
}

TEST(CorpusTest, StatementsCoverTheText) {
  for (const std::filesystem::path& path : corpusFiles()) {
    SCOPED_TRACE(path);
    const Parsed parsed = parseText(readFile(path));
    ASSERT_NE(parsed.module, nullptr);
    expectCovered(parsed.module->items(), *parsed.source, 0,
                  static_cast<Offset>(parsed.source->text().size()));
    for (const ir::Function& function : parsed.module->functions()) {
      if (!function.hasBody()) continue;
      expectCovered(function.body(), *parsed.source, function.bodySource.begin + 1,
                    function.bodySource.end - 1);
    }
  }
}

}  // namespace
}  // namespace ptxopt::parse
