// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "corpus_mutants.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <regex>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "driver/files.h"
#include "interp/launch.h"
#include "ir/barrier.h"
#include "ir/effect.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "ir/verifier.h"
#include "parse/parser.h"
#include "random.h"

namespace ptxopt::fuzz {

namespace {

constexpr std::uintmax_t kMostBytes = 64 * 1024;
constexpr int kTries = 12;
constexpr int kBaseTries = 40;
constexpr std::string_view kLaunch = "// LAUNCH:";

using ir::Instruction;

struct Change {
  SourceRange range;
  std::string text;
};

std::unique_ptr<ir::Module> parsed(const std::string& text) {
  Diagnostics diagnostics;
  auto module = parse::parse(std::make_shared<const SourceText>("mutant", text), diagnostics);
  if (module == nullptr || !diagnostics.all().empty()) return nullptr;
  for (const ir::Function& function : module->functions()) {
    if (!ir::verify(function).empty()) return nullptr;
  }
  return module;
}

// ---- tokens ------------------------------------------------------------------------------------

struct Token {
  std::size_t begin = 0;
  std::string text;
};

bool isWordLetter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '$' ||
         letter == '%' || letter == '.';
}

// Words (".u32" and "st.shared.u32" are one each), and single letters of everything else.
std::vector<Token> tokensOf(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    if (isWordLetter(text[at])) {
      const auto goesOn = [&](std::size_t k) {
        return isWordLetter(text[k]) || (text.substr(k, 2) == "::") ||
               (text[k] == ':' && text[k - 1] == ':');
      };
      while (end < text.size() && goesOn(end)) ++end;
    }
    tokens.push_back({at, std::string(text.substr(at, end - at))});
    at = end;
  }
  return tokens;
}

bool isNumber(const std::string& word) {
  return !word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) != 0 &&
         word.find('.') == std::string::npos && !word.starts_with("0f") &&
         !word.starts_with("0d") && !word.starts_with("0F") && !word.starts_with("0D");
}

// ---- changes -----------------------------------------------------------------------------------

class Mutator {
 public:
  Mutator(const ir::Module& module, Random& random)
      : module_(module), random_(random), text_(module.source().text()) {
    for (const ir::Function& function : module.functions()) {
      for (const ir::Statement& statement : function.body()) {
        if (const auto* instruction = statement.as<Instruction>()) {
          places_.push_back({&function, instruction});
        }
      }
    }
  }

  // None where it does not suit the place that was chosen.
  std::optional<Change> change(std::string& what) {
    if (places_.empty()) return std::nullopt;
    struct Kind {
      std::uint32_t weight;
      const char* name;
      std::optional<Change> (Mutator::*make)();
    };
    constexpr Kind kKinds[] = {{10, "a constant", &Mutator::constant},
                               {8, "a guard more", &Mutator::addGuard},
                               {4, "a guard less", &Mutator::dropGuard},
                               {5, "a guard negated", &Mutator::negateGuard},
                               {7, "another type", &Mutator::type},
                               {8, "an offset", &Mutator::offset},
                               {8, "two instructions swapped", &Mutator::swapNeighbours},
                               {6, "a barrier less", &Mutator::deleteBarrier},
                               {8, "a barrier more", &Mutator::insertBarrier},
                               {4, "an instruction twice", &Mutator::duplicate},
                               {3, "an instruction less", &Mutator::erase},
                               {6, "operands swapped", &Mutator::swapOperands},
                               {10, "another register", &Mutator::otherRegister},
                               {8, "another space", &Mutator::otherSpace},
                               {6, "another comparison", &Mutator::comparison}};
    std::uint32_t total = 0;
    for (const Kind& kind : kKinds) total += kind.weight;
    std::uint32_t at = random_.below(total);
    for (const Kind& kind : kKinds) {
      if (at >= kind.weight) {
        at -= kind.weight;
        continue;
      }
      place_ = somePlace();
      const auto made = (this->*kind.make)();
      if (made) {
        what = fmt::format("line {}: {}",
                           module_.source().lineColumn(place_.instruction->source.begin).line,
                           kind.name);
      }
      return made;
    }
    return std::nullopt;
  }

 private:
  struct Place {
    const ir::Function* function = nullptr;
    const Instruction* instruction = nullptr;
  };

  Place somePlace() { return random_.pick(places_); }
  // One of those that `test` holds for.
  template <class Test>
  bool choose(Test&& test) {
    std::vector<Place> found;
    for (const Place& place : places_) {
      if (test(*place.instruction)) found.push_back(place);
    }
    if (found.empty()) return false;
    place_ = random_.pick(found);
    return true;
  }
  std::string_view content(const Instruction& instruction) const {
    return text_.substr(instruction.source.begin,
                        instruction.source.end - instruction.source.begin);
  }
  std::string_view content() const { return content(*place_.instruction); }
  // With a token of the chosen instruction replaced.
  Change replaced(const Token& token, std::string text) const {
    const auto begin = static_cast<std::uint32_t>(place_.instruction->source.begin + token.begin);
    return {{begin, static_cast<std::uint32_t>(begin + token.text.size())}, std::move(text)};
  }
  Change whole(std::string text) const { return {place_.instruction->source, std::move(text)}; }
  // Where the opcode stands, after a guard.
  std::size_t opcodeAt(const std::vector<Token>& tokens) const {
    if (tokens.empty() || tokens[0].text != "@") return 0;
    return tokens.size() > 1 && tokens[1].text == "!" ? 3 : 2;
  }

  std::optional<Change> number(bool inAddress) {
    const std::vector<Token> tokens = tokensOf(content());
    std::vector<std::size_t> found;
    bool isInside = false;
    for (std::size_t k = 0; k < tokens.size(); ++k) {
      if (tokens[k].text == "[") isInside = true;
      if (tokens[k].text == "]") isInside = false;
      if (isNumber(tokens[k].text) && isInside == inAddress) found.push_back(k);
    }
    if (found.empty()) return std::nullopt;
    const Token& token = tokens[random_.pick(found)];
    std::uint64_t value = 0;
    try {
      value = std::stoull(token.text, nullptr, 0);
    } catch (const std::exception&) {
      return std::nullopt;
    }
    const std::uint64_t step = inAddress ? 4 : 1;
    const std::uint64_t values[] = {value + step, value < step ? value + 2 * step : value - step,
                                    value * 2,    value / 2,
                                    value ^ 4,    0,
                                    step,         32,
                                    31,           value + 16};
    const std::uint64_t chosen = random_.pick(values);
    if (chosen == value) return std::nullopt;
    return replaced(token, std::to_string(chosen));
  }

  std::optional<Change> constant() { return number(false); }
  std::optional<Change> offset() {
    if (!choose(
            [&](const Instruction& i) { return content(i).find('[') != std::string_view::npos; })) {
      return std::nullopt;
    }
    if (auto made = number(true)) return made;
    const std::vector<Token> tokens = tokensOf(content());
    const auto end = std::ranges::find(tokens, "]", &Token::text);
    if (end == tokens.end()) return std::nullopt;
    return replaced(*end, fmt::format("+{}]", 4u << random_.below(4)));
  }

  std::map<std::string, std::pair<isa::Type, std::uint8_t>> registers() const {
    std::map<std::string, std::pair<isa::Type, std::uint8_t>> found;
    for (const Place& place : places_) {
      if (place.function != place_.function) continue;
      ir::forEachRegister(*place.instruction, [&](const ir::Operand& operand) {
        const ir::RegisterRange& range = place.function->rangeOf(operand.reg());
        found.emplace(place.function->registerName(operand.reg()),
                      std::pair{range.type, range.vectorWidth});
      });
    }
    return found;
  }

  std::optional<Change> addGuard() {
    if (place_.instruction->guard) return std::nullopt;
    std::vector<std::string> predicates;
    for (const auto& [name, kind] : registers()) {
      if (kind.first == isa::Type::Pred) predicates.push_back(name);
    }
    if (predicates.empty()) return std::nullopt;
    return whole(fmt::format("@{}{} {}", random_.percent(50) ? "!" : "", random_.pick(predicates),
                             content()));
  }
  std::optional<Change> dropGuard() {
    if (!choose([](const Instruction& i) { return bool{i.guard}; })) return std::nullopt;
    const std::vector<Token> tokens = tokensOf(content());
    return whole(std::string(content().substr(tokens[opcodeAt(tokens)].begin)));
  }
  std::optional<Change> negateGuard() {
    if (!choose([](const Instruction& i) { return bool{i.guard}; })) return std::nullopt;
    const std::vector<Token> tokens = tokensOf(content());
    if (tokens.size() < 3) return std::nullopt;
    if (tokens[1].text == "!") return replaced(tokens[1], "");
    return replaced(tokens[0], "@!");
  }

  static bool isMemoryAccess(const Instruction& i) {
    return i.is(isa::Opcode::Ld) || i.is(isa::Opcode::St) || i.is(isa::Opcode::Atom) ||
           i.is(isa::Opcode::Red);
  }

  std::optional<Change> type() {
    if (!choose(isMemoryAccess)) return std::nullopt;
    const std::vector<Token> tokens = tokensOf(content());
    const Token& opcode = tokens[opcodeAt(tokens)];
    const std::size_t dot = opcode.text.rfind('.');
    if (dot == std::string::npos) return std::nullopt;
    constexpr std::string_view kTypes[] = {".u8",  ".s8",  ".u16", ".s16", ".b16", ".u32",
                                           ".s32", ".b32", ".f32", ".u64", ".b64", ".f64"};
    std::string changed = opcode.text.substr(0, dot) + std::string(random_.pick(kTypes));
    if (changed == opcode.text) return std::nullopt;
    return replaced(opcode, std::move(changed));
  }

  std::optional<Change> swapNeighbours() {
    const ir::Statement* next = place_.instruction->next;
    if (next == nullptr || next->as<Instruction>() == nullptr) return std::nullopt;
    const SourceRange first = place_.instruction->source;
    const SourceRange second = next->source;
    if (second.begin < first.end) return std::nullopt;
    std::string made(text_.substr(second.begin, second.end - second.begin));
    made += text_.substr(first.end, second.begin - first.end);
    made += text_.substr(first.begin, first.end - first.begin);
    return Change{{first.begin, second.end}, std::move(made)};
  }

  std::optional<Change> deleteBarrier() {
    if (!choose([](const Instruction& i) { return ir::ctaBarrier(i).has_value(); })) {
      return std::nullopt;
    }
    return whole("");
  }
  std::optional<Change> insertBarrier() {
    return whole(fmt::format("bar.sync 0;\n\t{}", content()));
  }
  std::optional<Change> duplicate() { return whole(fmt::format("{}\n\t{}", content(), content())); }
  std::optional<Change> erase() { return whole(""); }

  // Where the operands begin and end, commas within brackets and braces not counted.
  std::vector<std::pair<std::size_t, std::size_t>> operandsOf(const std::string& text,
                                                              std::size_t begin) const {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    int depth = 0;
    std::size_t from = begin;
    for (std::size_t k = begin; k < text.size(); ++k) {
      if (text[k] == '[' || text[k] == '{' || text[k] == '(') ++depth;
      if (text[k] == ']' || text[k] == '}' || text[k] == ')') --depth;
      if (depth != 0 || (text[k] != ',' && text[k] != ';')) continue;
      while (from < k && text[from] == ' ') ++from;
      found.emplace_back(from, k);
      from = k + 1;
    }
    return found;
  }

  std::optional<Change> swapOperands() {
    const std::vector<Token> tokens = tokensOf(content());
    const Token& opcode = tokens[opcodeAt(tokens)];
    std::string text(content());
    const auto operands = operandsOf(text, opcode.begin + opcode.text.size());
    if (operands.size() < 3) return std::nullopt;
    const std::size_t first = 1 + random_.below(operands.size() - 2);
    const auto [a, aEnd] = operands[first];
    const auto [b, bEnd] = operands[first + 1];
    const std::string left = text.substr(a, aEnd - a);
    const std::string right = text.substr(b, bEnd - b);
    if (left == right) return std::nullopt;
    text.replace(b, bEnd - b, left);
    text.replace(a, aEnd - a, right);
    return whole(std::move(text));
  }

  std::optional<Change> otherRegister() {
    const auto known = registers();
    const std::vector<Token> tokens = tokensOf(content());
    std::vector<const Token*> found;
    for (const Token& token : tokens) {
      if (known.contains(token.text)) found.push_back(&token);
    }
    if (found.empty()) return std::nullopt;
    const Token& token = *random_.pick(found);
    const auto kind = known.at(token.text);
    std::vector<std::string> same;
    for (const auto& [name, other] : known) {
      if (other == kind && name != token.text) same.push_back(name);
    }
    if (same.empty()) return std::nullopt;
    return replaced(token, random_.pick(same));
  }

  // .shared becomes generic with cvta; .global becomes generic or the other way round.
  std::optional<Change> otherSpace() {
    if (!choose([](const Instruction& i) {
          const isa::InstructionDesc& desc = *i.desc;
          return isMemoryAccess(i) &&
                 (desc.space == isa::Space::Shared || desc.space == isa::Space::Global ||
                  desc.space == isa::Space::None);
        })) {
      return std::nullopt;
    }
    const Instruction& instruction = *place_.instruction;
    std::string text(content());
    const std::vector<Token> tokens = tokensOf(text);
    const std::size_t at = opcodeAt(tokens);
    Token opcode = tokens[at];
    const auto without = [&](std::string_view word) {
      const std::size_t found = opcode.text.find(word);
      if (found != std::string::npos) opcode.text.erase(found, word.size());
      return found != std::string::npos;
    };
    const std::size_t size = opcode.text.size();
    if (instruction.desc->space == isa::Space::Global) {
      if (opcode.text.find(".nc") != std::string::npos || !without(".global")) return std::nullopt;
      return replaced({opcode.begin, std::string(size, ' ')}, opcode.text);
    }
    if (instruction.desc->space == isa::Space::None) {
      const std::size_t dot = opcode.text.find('.');
      opcode.text.insert(dot, ".global");
      return replaced({opcode.begin, std::string(size, ' ')}, opcode.text);
    }
    // The address first: a register of either width, or a name.
    const auto open = std::ranges::find(tokens, "[", &Token::text);
    if (open == tokens.end() || open + 1 == tokens.end()) return std::nullopt;
    const Token& base = *(open + 1);
    const auto known = registers();
    const auto is = known.find(base.text);
    const bool isRegister = is != known.end();
    if (!isRegister && base.text.starts_with('%')) return std::nullopt;
    const std::string move = !isRegister                             ? "mov.u64"
                             : isa::bitWidth(is->second.first) == 32 ? "cvt.u64.u32"
                                                                     : "mov.b64";
    if (!without(".shared::cta") && !without(".shared")) return std::nullopt;
    text.replace(base.begin, base.text.size(), "%generic_address");
    text.replace(tokens[at].begin, size, opcode.text);
    constexpr std::string_view kWindows[] = {".shared", ".shared::cta"};
    return whole(
        fmt::format("{{\n\t.reg .b64 %generic_address;\n\t{} %generic_address, {};\n\tcvta{}.u64 "
                    "%generic_address, %generic_address;\n\t{}\n\t}}",
                    move, base.text, random_.pick(kWindows), text));
  }

  std::optional<Change> comparison() {
    if (!choose([](const Instruction& i) { return i.is(isa::Opcode::Setp); })) return std::nullopt;
    const std::vector<Token> tokens = tokensOf(content());
    const Token& opcode = tokens[opcodeAt(tokens)];
    constexpr std::string_view kComparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    const std::string changed =
        "setp." + std::string(random_.pick(kComparisons)) +
        opcode.text.substr(std::min(opcode.text.size(), opcode.text.find('.', 5)));
    if (changed == opcode.text) return std::nullopt;
    return replaced(opcode, changed);
  }

  const ir::Module& module_;
  Random& random_;
  std::string_view text_;
  std::vector<Place> places_;
  Place place_;
};

// Without the kernels that are not launched.
std::string onlyKernel(const std::string& text, const ir::Module& module,
                       const std::string& kernel) {
  std::string result = text;
  std::vector<SourceRange> others;
  for (const ir::Function& function : module.functions()) {
    if (function.isEntry() && function.nameText() != kernel && function.item != nullptr) {
      others.push_back(function.item->source);
    }
  }
  std::ranges::sort(others, std::ranges::greater(), &SourceRange::begin);
  for (const SourceRange& range : others) result.erase(range.begin, range.end - range.begin);
  return result;
}

// None where the launch does not fit, or does not come to an end.
std::optional<std::uint64_t> stepsOf(const std::string& text, std::uint64_t limit) {
  const auto module = parsed(text);
  std::string error;
  if (module == nullptr) return std::nullopt;
  const auto launch = interp::findLaunch(text, "", error);
  if (!launch || launch->isBroken) return std::nullopt;
  interp::MachineOptions options;
  options.stepLimit = limit;
  const auto outcome = interp::run(*module, *launch, options, error);
  if (!outcome || !outcome->completed || outcome->steps >= limit) return std::nullopt;
  return outcome->steps;
}

}  // namespace

Corpus::Corpus(const std::string& folder, std::uint64_t mostSteps) : mostSteps_(mostSteps) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const bool isPtx = entry.is_regular_file() && entry.path().extension() == ".ptx";
    if (isPtx && entry.file_size() <= kMostBytes) paths.push_back(entry.path().string());
  }
  std::ranges::sort(paths);
  for (const std::string& path : paths) {
    const std::string text(driver::readSource(path)->text());
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string line = text.substr(at, end - at);
      if (line.starts_with(kLaunch)) bases_.push_back({path, line});
      at = end + 1;
    }
  }
  if (bases_.empty()) throw std::runtime_error(folder + ": no file with a launch description");
}

void Corpus::prepare(Base& base) const {
  std::string text(driver::readSource(base.path)->text());
  std::string rest;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string line = text.substr(at, end - at);
    if (!line.starts_with(kLaunch)) rest += line;
    at = end;
  }
  const auto module = parsed(rest);
  std::string error;
  const auto launch = interp::findLaunch(base.launch, "", error);
  if (module == nullptr || !launch) return;
  base.kernel = launch->kernel;
  for (const ir::Function& function : module->functions()) {
    if (base.kernel.empty() && function.isEntry()) base.kernel = function.nameText();
  }
  rest = onlyKernel(rest, *module, base.kernel);
  // A smaller grid where it takes too long.
  const std::regex grid("\"grid\": *(\\[[^\\]]*\\]|[0-9]+)");
  for (const std::string& description :
       {base.launch, std::regex_replace(base.launch, grid, "\"grid\": 1")}) {
    const std::string made = description + "\n" + rest;
    if (!stepsOf(made, mostSteps_)) continue;
    base.text = made;
    return;
  }
}

const Corpus::Base& Corpus::prepared(std::size_t k) {
  const std::lock_guard lock(mutex_);
  Base& base = bases_[k];
  if (!std::exchange(base.isPrepared, true)) prepare(base);
  return base;
}

std::optional<CorpusMutant> Corpus::make(std::uint64_t seed) {
  Random random(seed);
  const Base* base = nullptr;
  for (int k = 0; k < kBaseTries && (base == nullptr || base->text.empty()); ++k) {
    base = &prepared(random.below(bases_.size()));
  }
  if (base->text.empty()) return std::nullopt;
  CorpusMutant mutant{base->path + ":" + base->kernel, base->text, {}};
  constexpr std::size_t kCounts[] = {1, 1, 1, 1, 2, 2, 2, 3, 3, 4};
  const std::size_t count = random.pick(kCounts);
  auto module = parsed(mutant.text);
  for (int k = 0; k < kTries && mutant.changes.size() < count; ++k) {
    std::string what;
    const auto change = Mutator(*module, random).change(what);
    if (!change) continue;
    std::string text = mutant.text;
    text.replace(change->range.begin, change->range.end - change->range.begin, change->text);
    auto changed = parsed(text);
    if (changed == nullptr) continue;
    module = std::move(changed);
    mutant.text = std::move(text);
    mutant.changes.push_back(std::move(what));
  }
  if (mutant.changes.empty()) return std::nullopt;
  return mutant;
}

}  // namespace ptxopt::fuzz
