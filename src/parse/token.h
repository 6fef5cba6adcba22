// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tokens of PTX, and a buffer of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "support/interner.h"
#include "support/source.h"

namespace ptxopt::parse {

// The numbers are those of the lexer and parser that ANTLR generates from grammar/; fast_parser.cpp
// asserts this.
enum class Token : std::uint8_t {
  Bad = 0,  // a character that starts no token
#define PTXOPT_TOKEN(type, text) type,
#include "parse/tokens.def"
#undef PTXOPT_TOKEN
  Refill = 254,  // the window is used up, but not the text
  End = 255,
};

// The name of the token in messages: "';'" or "a name".
std::string_view describe(Token token);

// A window of tokens as a structure of arrays, 13 bytes a token.
//
// The meaning of `value` and `extra` depends on the type:
//   ID, OPCODE, DOTWORD, SPACE, LINKAGE, ALIAS   value: NameId of the text
//   REG   without a component: value: NameId, extra: kWhole; but for a name that ends in a
//         number, "%r57", value is that of its stem "%r" and extra is 57, so that the hundred
//         thousand registers of a function are one name
//         with a component, "%r1.x": value: NameId of the whole text, extra: kComponent
//   INT   the 64-bit value: low half, high half
//   FLOAT, STRING, OPAQUE, DWARF, SOURCE_TEXT    value: length in bytes
struct TokenBuffer {
  static constexpr std::uint32_t kCapacity = 1u << 13;
  static constexpr std::uint32_t kWhole = ~0u;
  static constexpr std::uint32_t kComponent = ~1u;

  // The slots before the window keep the last tokens of the previous window.  The slot after it
  // holds the mark Refill or End.
  static constexpr std::uint32_t kHistory = 2;
  static constexpr std::uint32_t kSlots = kHistory + kCapacity + 1;
  struct Storage {
    Token type[kSlots];
    Offset start[kSlots];
    std::uint32_t value[kSlots];
    std::uint32_t extra[kSlots];
  };

  TokenBuffer() : storage(std::make_unique_for_overwrite<Storage>()) {
    for (std::uint32_t i = 0; i < kHistory; ++i) storage->type[i] = Token::End;
  }

  // Index 0 is the first token of the window, -1 the last one of the previous window (End: none).
  Token* type() { return storage->type + kHistory; }
  Offset* start() { return storage->start + kHistory; }
  std::uint32_t* value() { return storage->value + kHistory; }
  std::uint32_t* extra() { return storage->extra + kHistory; }

  // Before the next window is filled.  The window may have held fewer tokens than are kept.
  void keepHistory() {
    for (std::uint32_t i = 0; i < kHistory; ++i) {
      storage->type[i] = storage->type[i + size];
      storage->start[i] = storage->start[i + size];
      storage->value[i] = storage->value[i + size];
      storage->extra[i] = storage->extra[i + size];
    }
  }

  std::unique_ptr<Storage> storage;
  std::uint32_t size = 0;  // without the mark
};

// Where the token ends that starts at `at` and is of this type, with the value that the scanner
// gave it.
const char* tokenEnd(const char* at, Token type, std::uint32_t value);

}  // namespace ptxopt::parse
