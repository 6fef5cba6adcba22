// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No instruction of the corpus may be unknown to the table.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "isa/isa.h"
#include "statement.h"

namespace ptxopt::isa {
namespace {

namespace fs = std::filesystem;

// Files whose point is what the table does not know.
bool isMadeUp(const fs::path& file) {
  return file.string().find("unknown") != std::string::npos;
}

std::string read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

TEST(Corpus, EveryInstructionHasARow) {
  const fs::path root = PTXOPT_CORPUS_DIR;
  if (!fs::exists(root)) GTEST_SKIP() << "no corpus at " << root;
  InstructionTable table;
  std::map<std::string, std::string> unknown;  // mnemonic and shape -> first place
  std::size_t files = 0;
  std::size_t instructions = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".ptx" || isMadeUp(entry.path())) continue;
    ++files;
    forEachInstruction(read(entry.path()), [&](std::string_view text, int line) {
      ++instructions;
      const Statement statement = parseStatement(text);
      if (table.get(statement.mnemonic, statement.shape).known()) return;
      unknown.emplace(
          statement.mnemonic + "/" + std::to_string(statement.shape.key()),
          entry.path().string() + ":" + std::to_string(line) + ": " + std::string(text));
    });
  }
  for (const auto& [spelling, place] : unknown) ADD_FAILURE() << "no row: " << place;
  std::printf("%zu files, %zu instructions\n", files, instructions);
}

}  // namespace
}  // namespace ptxopt::isa
