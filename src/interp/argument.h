// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments of a kernel, and contents of buffers and variables, as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interp/multicast.h"
#include "interp/texture.h"
#include "isa/isa.h"

namespace ptxopt::interp {

//   u32:5  s64:-1  f32:1.5  f16:0.5  pred:1      a scalar; `int`, `float` and the like are types
//   too 5  -1  1.5                                   a scalar of the type of its parameter &NAME
//   &NAME+8                               an address, as below zero:64 64 zero bytes by value (a
//   structure) values:u32:1,2,0x10                          by value, one element after the other
//   struct:u32:5,f32:1.5,&in                     by value, fields of several types, laid out as in
//   C buffer:4096  buffer:4K                       the address of 4096 zero bytes
//   buffer:4K:iota:u32:5:2                       5, 7, 9, ...; without the two: 0, 1, 2, ...
//   buffer:4K:random:f32:7                       in [-1, 1), or any bits of an integer type; seed 7
//   buffer:4K:small:u32:7:64                     in 0 .. 63; seed 7; 64 and 1 are the defaults
//   buffer:4K:fill:f32:1.5
//   buffer:4K:values:u32:1,2,3*10                3 ten times, zeros after
//   buffer:4K:file:PATH                          the content of a file, zeros after
//   tensormap:&in:f16:64,32:box=64,8             a tensor map (tensor_map.h) of a buffer, by value
//   tensormap:&in:u8:64:box=64;&out:u8:64:box=64     several, one after the other
//   buffer:128:tensormap:&in:...                 the address of a tensor map
//   texture:&in:f32x4:64,32:filter=linear        a texture (texture.h) of a buffer, by its handle;
//   surface:&in:u8x4:64,32, sampler:filter=linear    the same for surfaces and samplers
//   multicast:&a,&b+64                           a multimem address (multicast.h) of buffers
// An element of `values` and a field may be an address: &NAME of a buffer, of a variable or a
// function of the module, &argK of the buffer of argument K, all with +N bytes after it.
struct Argument {
  struct Address {
    std::size_t offset = 0;  // of the eight bytes that hold it
    std::string name;
    std::uint64_t addend = 0;
  };
  std::vector<std::uint8_t> bytes;   // of the value, or of the buffer
  std::vector<Address> addresses;    // filled in when the launch is run
  isa::Type type = isa::Type::None;  // of the elements; None: bytes
  bool isBuffer = false;
  bool isBare = false;  // a number without a type: `bytes` is empty
  // `bytes` is then its handle or address, which the launch makes.
  std::optional<TextureText> texture;
  std::optional<MulticastText> multicast;
  std::string text;
};
// Sets `error` where the text is none of these.
std::optional<Argument> parseArgument(std::string_view text, std::string& error);
// " --arg TEXT --arg TEXT", to paste.
std::string textOf(const std::vector<Argument>& arguments);
// The forms, one on each line, for help and messages.
std::string_view argumentForms();
// The bytes of a number of this type; none if it is no such number.
std::optional<std::vector<std::uint8_t>> bytesOfNumber(isa::Type type, std::string_view number);

std::vector<std::string_view> split(std::string_view text, char separator);
// "5", "-1", "0x10", "4K", "1M".
std::optional<std::uint64_t> parseNumber(std::string_view text);
std::optional<double> parseReal(std::string_view text);
// "u32", "int"; none but types of 8 to 64 bits and pred.
std::optional<isa::Type> parseElementType(std::string_view word);
// The text of an element, as `values` takes it.
std::string elementText(isa::Type type, std::uint64_t bits);
double elementValue(isa::Type type, std::uint64_t bits);

}  // namespace ptxopt::interp
