// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "random.h"

namespace ptxopt::fuzz {

namespace {

constexpr std::uint32_t kWord = 4;

// What is known of a piece of memory on the way that the text has taken.
struct Memory {
  std::uint32_t bytes = 0;
  std::vector<bool> written;  // by word
  // Registers with its address, and how far behind its start each points.
  struct Pointer {
    std::string name;
    std::int32_t offset = 0;
    bool isGlobal = false;  // in the window of .global; else generic
  };
  std::vector<Pointer> pointers;
};

class HeapMaker {
 public:
  HeapMaker(std::uint64_t seed, const GeneratorOptions& options)
      : random_(seed), options_(options), name_(fmt::format("k{}", seed)) {}

  RandomKernel make() {
    begin();
    // A pointer in a global variable is part of the outcome if it stays: it must be the same one
    // when other memory is not allocated any more.
    isAlone_ = random_.percent(30);
    const std::uint32_t pieces = isAlone_ ? 0 : 1 + random_.below(std::max(2u, options_.size / 4));
    if (isAlone_) inVariable();
    for (std::uint32_t k = 0; k < pieces; ++k) {
      switch (random_.below(8)) {
        case 0:
          inLoop();
          break;
        case 1:
        case 2:
          inVariable();
          break;
        case 3:
          twoAtOnce();
          break;
        default:
          ownPiece();
      }
    }
    line("st.global.u32 [%out], %sum;");
    line("ret;");
    return finish();
  }

 private:
  // ---- text -------------------------------------------------------------------------------------

  void line(std::string text) { body_ += "  " + std::move(text) + "\n"; }
  std::string address() { return fmt::format("%a{}", addresses_++); }
  std::string label() { return fmt::format("L{}", labels_++); }
  std::string number() { return fmt::format("%r{}", random_.below(kNumbers)); }

  void begin() {
    line("ld.param.u64 %out, [out];");
    line("mov.u32 %t, %tid.x;");
    line("mul.wide.u32 %offset, %t, 4;");
    line("add.s64 %out, %out, %offset;");
    line("ld.param.u32 %n, [n];");
    line("setp.eq.u32 %leader, %t, 0;");
    line("and.b32 %r0, %t, 3;");
    line("setp.eq.u32 %some, %r0, 1;");
    line("mad.lo.u32 %r1, %t, 7, %n;");
    line("xor.b32 %r2, %r1, 1234567;");
    line("mul.wide.u32 %in, %r0, 4;");
    line("mov.u32 %sum, %r2;");
  }

  // ---- calls ------------------------------------------------------------------------------------

  // As compilers print it, or with something that is not of the call.
  std::string allocate(std::uint32_t bytes) {
    const std::string result = address();
    allocateInto(result, bytes);
    return result;
  }

  void allocateInto(const std::string& result, std::uint32_t bytes) {
    const bool isOutside = random_.percent(5);  // the parameters
    if (isOutside) line(fmt::format("{{ .param .b64 s{0}; .param .b64 t{0};", scopes_));
    line("{");
    std::array declarations = {fmt::format(".param .b64 s{};", scopes_),
                               fmt::format(".param .b64 t{};", scopes_)};
    if (random_.percent(20)) std::swap(declarations[0], declarations[1]);
    if (!isOutside) {
      for (const std::string& declaration : declarations) line(declaration);
    }
    if (random_.percent(10)) line(fmt::format(".reg .b32 unused{};", scopes_));
    const bool isRegister = random_.percent(30);
    if (isRegister) line(fmt::format("mov.u64 %size, {};", bytes));
    line(fmt::format("st.param.b64 [s{}], {};", scopes_,
                     isRegister ? "%size" : fmt::format("{}", bytes)));
    line(fmt::format("call{} (t{}), malloc, (s{});", uniform(), scopes_, scopes_));
    if (random_.percent(4)) line("xor.b32 %sum, %sum, 5;");
    line(fmt::format("ld.param.b64 {}, [t{}];", result, scopes_));
    line("}");
    if (isOutside) line("}");
    ++scopes_;
  }

  void release(const Memory& memory) {
    std::vector<std::string> starts;
    for (const Memory::Pointer& pointer : memory.pointers) {
      if (pointer.offset == 0 && !pointer.isGlobal) starts.push_back(pointer.name);
    }
    line("{");
    line(fmt::format(".param .b64 s{};", scopes_));
    line(fmt::format("st.param.b64 [s{}], {};", scopes_, random_.pick(starts)));
    line(fmt::format("call{} free, (s{});", uniform(), scopes_));
    if (random_.percent(4)) line("add.u32 %sum, %sum, 9;");
    line("}");
    ++scopes_;
  }

  std::string_view uniform() { return random_.percent(70) ? ".uni" : ""; }

  // ---- pieces -----------------------------------------------------------------------------------

  Memory newMemory() {
    Memory memory;
    memory.bytes = 16 * (1 + random_.below(6));
    memory.written.resize(memory.bytes / kWord);
    memory.pointers.push_back({allocate(memory.bytes)});
    return memory;
  }

  void ownPiece() {
    Memory memory = newMemory();
    use(memory);
    releaseOnPaths(memory);
  }

  void releaseOnPaths(Memory& memory) {
    const std::uint32_t choice = random_.below(10);
    if (choice == 0) return;  // never
    if (choice > 3) return release(memory);
    const std::string other = label();
    const std::string end = label();
    line(fmt::format("@%{} bra {};", choice == 1 ? "leader" : "some", other));
    Memory copy = memory;
    if (random_.percent(50)) use(copy);
    if (choice != 3) release(copy);  // else only some threads free it
    line(fmt::format("bra {};", end));
    line(other + ":");
    release(memory);
    line(end + ":");
  }

  void inLoop() {
    const std::string head = label();
    const std::string round = fmt::format("%i{}", loops_++);
    line(fmt::format("mov.u32 {}, 0;", round));
    line(head + ":");
    Memory memory = newMemory();
    use(memory);
    release(memory);
    line(fmt::format("add.u32 {0}, {0}, 1;", round));
    line(fmt::format("setp.lt.u32 %more, {}, {};", round, random_.percent(50) ? "%n" : "2"));
    line(fmt::format("@%more bra {};", head));
  }

  // Their sum, which nobody uses, belongs to both; or one register has both pointers in turn.
  void twoAtOnce() {
    if (random_.percent(30)) {
      Memory memory = newMemory();
      use(memory);
      release(memory);
      Memory second;
      second.bytes = 32;
      second.written.resize(8);
      second.pointers.push_back({memory.pointers[0].name});
      allocateInto(second.pointers[0].name, second.bytes);
      use(second);
      return release(second);
    }
    Memory one = newMemory();
    Memory other = newMemory();
    use(one);
    if (random_.percent(60)) {
      line(fmt::format("add.s64 {}, {}, {};", address(), one.pointers[0].name,
                       other.pointers[0].name));
    }
    use(other);
    release(one);
    release(other);
  }

  // One thread keeps the pointer in a variable, and perhaps a function frees it.
  void inVariable() {
    const std::string end = label();
    const bool isShared = !isAlone_;
    const std::string_view space = isShared ? "shared" : "global";
    const std::string variable = fmt::format("{}_v{}", name_, variables_++);
    const bool isSet = !isShared && random_.percent(10);
    globals_ += fmt::format(".{} .align 8 .b64 {}{};\n", space, variable,
                            isSet                              ? " = 3"
                            : random_.percent(10) && !isShared ? " = 0"
                                                               : "");
    line(fmt::format("@!%leader bra {};", end));
    Memory memory = newMemory();
    use(memory);
    const std::string_view how = random_.percent(8) ? "volatile." : "";
    line(fmt::format("st.{}{}.u64 [{}], {};", how, space, variable, memory.pointers[0].name));
    if (random_.percent(50)) use(memory);
    const std::string again = address();
    line(fmt::format("ld.{}.u64 {}, [{}];", space, again, variable));
    memory.pointers = {{again}};
    if (random_.percent(60)) use(memory);
    if (random_.percent(25)) {
      functions_ += fmt::format(
          ".func {0}_free()\n{{\n  .reg .b64 %p;\n  ld.{1}.u64 %p, [{0}];\n  {{\n"
          "  .param .b64 s;\n  st.param.b64 [s], %p;\n  call.uni free, (s);\n  }}\n  ret;\n}}\n",
          variable, space);
      line(fmt::format("call {}_free;", variable));
    } else {
      releaseOnPaths(memory);
    }
    line(end + ":");
  }

  // ---- uses -------------------------------------------------------------------------------------

  void use(Memory& memory) {
    const std::uint32_t count = random_.below(5);
    for (std::uint32_t k = 0; k < count; ++k) {
      const std::uint32_t choice = random_.below(100);
      if (choice < 45) {
        store(memory);
      } else if (choice < 85) {
        move(memory);
      } else if (choice < 92) {
        read(memory);
      } else {
        leak(memory);
      }
    }
  }

  static std::string placeOf(const Memory::Pointer& pointer, std::uint32_t word) {
    return fmt::format("[{}+{}]", pointer.name,
                       static_cast<std::int32_t>(word * kWord) - pointer.offset);
  }

  // To a place that one of the pointers reaches with an offset.
  void store(Memory& memory) {
    const Memory::Pointer pointer = random_.pick(memory.pointers);
    const std::uint32_t at = random_.below(memory.bytes / kWord);
    const std::string place = placeOf(pointer, at);
    const std::string_view space = pointer.isGlobal ? ".global" : "";
    const bool isWide = at % 2 == 0;
    switch (random_.below(isWide ? 8 : 5)) {
      case 0:  // does not count as written: only some threads do
        line(fmt::format("@%some st{}.u32 {}, {};", space, place, number()));
        return;
      case 1:
        line(fmt::format("st{}.u8 {}, {};", space, place, number()));
        return;
      case 2:
        line(fmt::format("st{}{}.u32 {}, {};", random_.percent(30) ? ".volatile" : ".weak", space,
                         place, number()));
        break;
      case 5:
        line(fmt::format("st{}.v2.u32 {}, {{{}, {}}};", space, place, number(), number()));
        memory.written[at + 1] = true;
        break;
      case 6:
        line(fmt::format("st{}.u64 {}, %offset;", space, place));
        memory.written[at + 1] = true;
        break;
      case 7:  // the pointer itself: its bytes are never read
        if (random_.percent(30)) {
          line(fmt::format("st{}.u64 {}, {};", space, place, pointer.name));
          memory.written[at] = memory.written[at + 1] = false;
        }
        return;
      default:
        line(fmt::format("st{}.u32 {}, {};", space, place, number()));
    }
    memory.written[at] = true;
  }

  // Another register with the address.
  void move(Memory& memory) {
    Memory::Pointer pointer = random_.pick(memory.pointers);
    const std::string result = address();
    const auto step = static_cast<std::int32_t>(kWord * random_.below(4));
    switch (random_.below(6)) {
      case 0:
        line(
            fmt::format("mov.{}64 {}, {};", random_.percent(50) ? 'u' : 'b', result, pointer.name));
        break;
      case 1:
        line(fmt::format("cvta{}.global.u64 {}, {};", pointer.isGlobal ? "" : ".to", result,
                         pointer.name));
        pointer.isGlobal = !pointer.isGlobal;
        break;
      case 2:
        line(fmt::format("sub.s64 {}, {}, {};", result, pointer.name, step));
        pointer.offset -= step;
        break;
      case 3:  // by thread: only for a store, of one of the first four words
        line(fmt::format("add.s64 {}, %in, {};", result, pointer.name));
        line(fmt::format("st{}.u32 [{}+{}], {};", pointer.isGlobal ? ".global" : "", result,
                         -pointer.offset, number()));
        return;
      case 4:
        line(fmt::format("add.s64 {}, {}, {};", result, step, pointer.name));
        pointer.offset += step;
        break;
      default:
        line(fmt::format("add.s64 {}, {}, {};", result, pointer.name, step));
        pointer.offset += step;
    }
    pointer.name = result;
    memory.pointers.push_back(std::move(pointer));
  }

  // Where the memory has been written.
  void read(const Memory& memory) {
    const Memory::Pointer& pointer = random_.pick(memory.pointers);
    const std::uint32_t at = random_.below(memory.written.size());
    if (!memory.written[at]) return;
    const std::string place = placeOf(pointer, at);
    const std::string_view space = pointer.isGlobal ? ".global" : "";
    if (random_.percent(25)) {
      line(fmt::format("red{}.add.u32 {}, {};", space, place, number()));
    }
    line(fmt::format("ld{}.u32 %word, {};", space, place));
    line("xor.b32 %sum, %sum, %word;");
  }

  // A use of the address as a number, or by others.
  void leak(const Memory& memory) {
    const Memory::Pointer& pointer = random_.pick(memory.pointers);
    switch (random_.below(5)) {
      case 0:
        line(fmt::format("setp.ne.s64 %more, {}, 0;", pointer.name));
        line("@%more add.u32 %sum, %sum, 3;");
        return;
      case 1:  // malloc aligns
        line(fmt::format("and.b64 %size, {}, 3;", pointer.name));
        line("cvt.u32.u64 %word, %size;");
        line("add.u32 %sum, %sum, %word;");
        return;
      case 2:
        line(fmt::format("st.local.u64 [own], {};", pointer.name));
        return;
      case 3:
        line(fmt::format("{{ .param .b64 q; st.param.b64 [q], {}; call {}_take, (q); }}",
                         pointer.name, name_));
        takes_ = true;
        return;
      default:
        line(fmt::format("@%some mov.u64 %size, {};", pointer.name));
    }
  }

  // ---- the module -------------------------------------------------------------------------------

  RandomKernel finish() {
    RandomKernel kernel;
    kernel.name = name_;
    const std::uint32_t threads = random_.percent(50) ? 32 : 4;
    kernel.launch = fmt::format(
        "// LAUNCH: {{\"kernel\": \"{}\", \"grid\": [1], \"block\": [{}], \"shared\": 0, "
        "\"args\": [\"buffer:{}\", \"u32:{}\"]}}",
        name_, threads, threads * kWord, 1 + random_.below(3));
    kernel.guarantees = {"assume-drf",        "noalias-params",
                         "noalias-variables", "relax-trap",
                         "relax-timing",      "nc-invariant",
                         "assume-1d",         fmt::format("block-dim={},1,1", threads)};
    std::string& text = kernel.definitions;
    text =
        ".extern .func (.param .b64 r) malloc (.param .b64 s);\n"
        ".extern .func free (.param .b64 p);\n" +
        globals_;
    if (takes_) {
      text += fmt::format(
          ".func {}_take(.param .b64 q)\n{{\n  .reg .b64 %p;\n  ld.param.u64 %p, [q];\n"
          "  ret;\n}}\n",
          name_);
    }
    text += functions_;
    text += fmt::format(".visible .entry {}(.param .u64 out, .param .u32 n)\n{{\n", name_);
    text += fmt::format(
        "  .reg .b64 %a<{}>, %out, %offset, %in, %size;\n  .reg .b32 %r<{}>, %i<{}>, %t, %n, "
        "%sum, %word;\n  .reg .pred %leader, %some, %more;\n  .local .align 8 .b8 own[8];\n",
        addresses_ + 1, kNumbers, loops_ + 1);
    text += body_ + "}\n";
    return kernel;
  }

  static constexpr std::uint32_t kNumbers = 3;

  Random random_;
  const GeneratorOptions& options_;
  std::string name_;
  std::string body_;
  std::string globals_;
  std::string functions_;
  bool isAlone_ = false;
  bool takes_ = false;
  std::uint32_t addresses_ = 0;
  std::uint32_t labels_ = 0;
  std::uint32_t loops_ = 0;
  std::uint32_t scopes_ = 0;
  std::uint32_t variables_ = 0;
};

}  // namespace

RandomKernel generateHeap(std::uint64_t seed, const GeneratorOptions& options) {
  return HeapMaker(seed, options).make();
}

}  // namespace ptxopt::fuzz
