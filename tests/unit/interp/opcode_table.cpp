// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "opcode_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iomanip>
#include <random>
#include <set>
#include <sstream>

#include "run_ptx.h"

namespace ptxopt::interp {

namespace {

constexpr std::size_t kInputs = 4;
constexpr std::size_t kOutputs = 2;
constexpr std::size_t kScratchBytes = 64;
constexpr std::size_t kBlock = 128;

// How a class of registers is loaded and stored.
struct RegisterClass {
  std::string_view name;
  std::string_view type;
};
constexpr RegisterClass kClasses[] = {{"p", ".pred"}, {"b", ".b8"},   {"h", ".b16"},
                                      {"r", ".b32"},  {"rd", ".b64"}, {"q", ".b128"}};

// "%rd4" for every register that the text names.
std::set<std::string> registersIn(const std::string& text) {
  std::set<std::string> result;
  for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])) != 0) ++end;
    result.insert(text.substr(at, end - at));
  }
  return result;
}

// Statements that move column `column` of the buffer at %name into the registers of that digit, or
// those of a result back.
std::string transfers(const std::set<std::string>& used, char digit, std::size_t column,
                      bool stores) {
  std::string result;
  const std::string offset = std::to_string(column * 8);
  for (const RegisterClass& kind : kClasses) {
    const std::string name = "%" + std::string(kind.name) + digit;
    if (!used.contains(name) || kind.name == "q") continue;
    const std::string type(kind.type);
    if (stores) {
      result += kind.name == "p" ? "  selp.b32 %word, 1, 0, " + name + ";\n  st.global.b32 [%out+" +
                                       offset + "], %word;\n"
                                 : "  st.global" + type + " [%out+" + offset + "], " + name + ";\n";
    } else {
      result += kind.name == "p" ? "  ld.global.b32 %word, [%in+" + offset + "];\n  setp.ne.b32 " +
                                       name + ", %word, 0;\n"
                                 : "  ld.global" + type + " " + name + ", [%in+" + offset + "];\n";
    }
  }
  return result;
}

std::string kernelText(std::size_t index, const std::string& text) {
  const std::set<std::string> used = registersIn(text);
  std::ostringstream out;
  out << ".visible .entry k" << index
      << "(.param .u64 in, .param .u64 out, .param .u64 scratch)\n{\n";
  for (const RegisterClass& kind : kClasses) {
    out << "  .reg " << kind.type << " %" << kind.name << "<10>;\n";
  }
  out << "  .reg .b32 %word, %thread, %smem, %lmem;\n  .reg .b64 %in, %out, %mem;\n";
  out << "  mov.u32 %word, %ctaid.x;\n  mov.u32 %thread, %tid.x;\n"
         "  mad.lo.u32 %thread, %word, "
      << kBlock << ", %thread;\n";
  const auto base = [&](const char* parameter, const char* target, std::size_t bytes) {
    out << "  ld.param.u64 " << target << ", [" << parameter << "];\n  mad.wide.u32 " << target
        << ", %thread, " << bytes << ", " << target << ";\n";
  };
  base("in", "%in", kInputs * 8);
  base("out", "%out", kOutputs * 8);
  if (used.contains("%mem")) base("scratch", "%mem", kScratchBytes);
  if (used.contains("%smem")) {
    out << "  .shared .align 16 .b8 smem[" << kBlock * kScratchBytes << "];\n"
        << "  mov.u32 %word, %tid.x;\n  mov.u32 %smem, smem;\n  mad.lo.u32 %smem, %word, "
        << kScratchBytes << ", %smem;\n";
  }
  if (used.contains("%lmem")) {
    out << "  .local .align 16 .b8 lmem[" << kScratchBytes << "];\n  mov.u32 %lmem, lmem;\n";
  }
  for (std::size_t k = 0; k < kInputs; ++k) {
    out << transfers(used, static_cast<char>('1' + k), k, false);
  }
  out << "  " << text << "\n";
  out << transfers(used, '0', 0, true) << transfers(used, '9', 1, true);
  out << "  ret;\n}\n";
  return out.str();
}

Argument buffer(std::vector<std::uint8_t> bytes) {
  Argument argument;
  argument.bytes = std::move(bytes);
  argument.isBuffer = true;
  return argument;
}

std::size_t checks = 0;

// Says how many there were, and that they were not left out.
class CheckCount : public testing::Environment {
 public:
  void TearDown() override {
    const testing::UnitTest& all = *testing::UnitTest::GetInstance();
    std::cout << checks << " checks of single instructions\n";
    constexpr std::size_t kFewest = 1500;
    if (all.test_to_run_count() != all.total_test_count()) return;
    EXPECT_GE(checks, kFewest);
  }
};
const testing::Environment* const kCount = testing::AddGlobalTestEnvironment(new CheckCount);

}  // namespace

void countChecks(std::size_t number) {
  checks += number;
}

void OpcodeTable::add(std::string text, std::vector<Row> rows, Accept accept) {
  entries_.push_back({std::move(text), std::move(rows), std::move(accept)});
}

void OpcodeTable::addWithNaNs(std::string text, std::vector<Row> rows, int exponentBits,
                              int fractionBits) {
  const std::uint64_t sign = std::uint64_t{1} << (exponentBits + fractionBits);
  const std::uint64_t infinity = sign - (std::uint64_t{1} << fractionBits);
  add(std::move(text), std::move(rows), [=](const Row& row, const Outputs& got) {
    const bool wantsNaN = (row.expected[0] & (sign - 1)) > infinity;
    return wantsNaN ? (sign >> 63 != 0 || got[0] < 2 * sign) && (got[0] & (sign - 1)) > infinity
                    : got == row.expected;
  });
}

void OpcodeTable::approximate(
    std::string text, const Values& a,
    const std::function<bool(std::uint64_t in, std::uint64_t got)>& accept) {
  std::vector<Row> rows;
  for (const std::uint64_t x : a) rows.push_back({{x}, {}});
  add(std::move(text), std::move(rows),
      [accept](const Row& row, const Outputs& got) { return accept(row.in[0], got[0]); });
}

void OpcodeTable::run() const {
  std::string text = ".version 9.4\n.target sm_107a\n.address_size 64\n" + declarations_;
  for (std::size_t k = 0; k < entries_.size(); ++k) text += kernelText(k, entries_[k].text);
  const std::unique_ptr<ir::Module> module = parseText("opcodes.ptx", text);

  for (std::size_t k = 0; k < entries_.size(); ++k) {
    const Entry& entry = entries_[k];
    ASSERT_FALSE(entry.rows.empty()) << entry.text;
    const std::size_t blocks = (entry.rows.size() + kBlock - 1) / kBlock;
    const std::size_t threads = blocks * kBlock;
    std::vector<std::uint8_t> in(threads * kInputs * 8);
    for (std::size_t thread = 0; thread < threads; ++thread) {
      // More threads than rows begin again, so that warps stay whole.
      const Row& row = entry.rows[thread % entry.rows.size()];
      std::memcpy(in.data() + thread * kInputs * 8, row.in.data(), kInputs * 8);
    }
    Launch launch;
    launch.kernel = "k" + std::to_string(k);
    launch.grid.x = static_cast<std::uint32_t>(blocks);
    launch.block = Dim3{kBlock};
    launch.arguments.push_back(buffer(std::move(in)));
    launch.arguments.push_back(buffer(std::vector<std::uint8_t>(threads * kOutputs * 8)));
    launch.arguments.push_back(buffer(std::vector<std::uint8_t>(threads * kScratchBytes)));
    MachineOptions options;
    options.detectsRaces = false;
    std::string error;
    const std::optional<Outcome> outcome = interp::run(*module, launch, options, error);
    ASSERT_TRUE(outcome) << entry.text << ": " << error;
    if (!outcome->findings.empty()) {
      ADD_FAILURE() << entry.text << ": " << format(*module, outcome->findings.front());
      continue;
    }
    std::vector<std::uint64_t> results(threads * kOutputs);
    std::memcpy(results.data(), outcome->memory[1].bytes.data(), threads * kOutputs * 8);
    check(entry, results);
  }
}

void OpcodeTable::check(const Entry& entry, const std::vector<std::uint64_t>& results) const {
  constexpr int kShown = 4;
  int failures = 0;
  for (std::size_t k = 0; k < entry.rows.size(); ++k) {
    ++checks;
    const Row& row = entry.rows[k];
    const Outputs got = {results[k * kOutputs], results[k * kOutputs + 1]};
    if (entry.accept ? entry.accept(row, got) : got == row.expected) continue;
    if (++failures > kShown) continue;
    std::ostringstream message;
    message << std::hex << entry.text << "\n  of";
    for (const std::uint64_t value : row.in) message << " 0x" << value;
    message << "\n  gives 0x" << got[0] << " 0x" << got[1];
    message << "\n  not   0x" << row.expected[0] << " 0x" << row.expected[1];
    ADD_FAILURE() << message.str();
  }
  if (failures > kShown) {
    ADD_FAILURE() << entry.text << ": " << failures << " of " << entry.rows.size()
                  << " rows are wrong";
  }
}

Values randomBits(int width, int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Values result;
  for (int k = 0; k < count; ++k) {
    // A random number of random bits: small numbers come up as well.
    const int bits =
        k % 2 == 0 ? width : static_cast<int>(random() % static_cast<unsigned>(width)) + 1;
    result.push_back(random() >> (64 - bits));
  }
  return result;
}

Values integers(int width, int random) {
  const std::uint64_t all = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  Values result = {0,
                   1,
                   2,
                   3,
                   7,
                   10,
                   all,
                   all - 1,
                   all - 2,
                   all - 9,
                   sign,
                   sign - 1,
                   sign + 1,
                   sign - 2,
                   all / 3,
                   all / 3 * 2,
                   std::uint64_t{1} << (width / 2),
                   (std::uint64_t{1} << (width / 2)) - 1,
                   all ^ (all >> (width / 2))};
  return result + randomBits(width, random, 11);
}

Values fewIntegers(int width) {
  const std::uint64_t all = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  return Values{0, 1, 5, all, all - 6, sign, sign - 1} + randomBits(width, 3, 12);
}

Values floats(int exponentBits, int fractionBits, int random) {
  const int width = 1 + exponentBits + fractionBits;
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  const std::uint64_t least = std::uint64_t{1} << fractionBits;  // the smallest normal number
  const std::uint64_t infinity = sign - least;
  const std::uint64_t one = ((std::uint64_t{1} << (exponentBits - 1)) - 1) << fractionBits;
  Values result;
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{1}, least - 1, least, least + 1, least / 2, one, one + 1,
        one - 1, one + least, one + least + least / 2, one - least, infinity - 1, infinity - least,
        infinity, infinity + least / 2, infinity + 1}) {
    result.push_back(value);
    result.push_back(value | sign);
  }
  std::mt19937_64 source(13);
  for (int k = 0; k < random; ++k) {
    std::uint64_t bits = source() >> (64 - width);
    if (k % 2 != 0) {
      // Within a few powers of two of 1.
      const std::uint64_t exponent = (one >> fractionBits) - 4 + source() % 8;
      bits = (bits & (sign | (least - 1))) | exponent << fractionBits;
    }
    result.push_back(bits);
  }
  return result;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace ptxopt::interp
