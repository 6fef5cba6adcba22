// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "facts/address_operand.h"
#include "facts/claim_fields.h"
#include "facts/claim_text.h"

namespace ptxopt::facts {

namespace {

using Json = nlohmann::ordered_json;

struct Problem {
  std::string message;
};

// The positions at which instructions begin.
class Places {
 public:
  explicit Places(const ir::Module& module) {
    for (const ir::Function& function : module.functions()) {
      for (const ir::Statement& statement : function.body()) {
        const auto* instruction = statement.as<ir::Instruction>();
        if (instruction == nullptr || !instruction->source.valid()) continue;
        const LineColumn at = module.source().lineColumn(instruction->source.begin);
        instructions_[keyOf(at)] = {&function, instruction};
      }
    }
  }

  const ir::Instruction& at(const std::string& text, const ir::Function& function) const {
    const std::optional<LineColumn> place = parsed(text);
    if (!place) throw Problem{"'" + text + "' is not a position LINE:COLUMN"};
    const auto found = instructions_.find(keyOf(*place));
    if (found == instructions_.end() || found->second.first != &function) {
      throw Problem{"no instruction of '" + std::string(function.nameText()) + "' begins at " +
                    text};
    }
    return *found->second.second;
  }

 private:
  static std::uint64_t keyOf(const LineColumn& at) {
    return std::uint64_t{at.line} << 32 | at.column;
  }
  static std::optional<LineColumn> parsed(std::string_view text) {
    const char* const end = text.data() + text.size();
    LineColumn place;
    const auto line = std::from_chars(text.data(), end, place.line);
    if (line.ec != std::errc{} || line.ptr == end || *line.ptr != ':') return std::nullopt;
    const auto column = std::from_chars(line.ptr + 1, end, place.column);
    if (column.ec != std::errc{} || column.ptr != end) return std::nullopt;
    return place;
  }

  std::unordered_map<std::uint64_t, std::pair<const ir::Function*, const ir::Instruction*>>
      instructions_;
};

class Reader {
 public:
  Reader(const Json& json, const Places& places, const ir::Function& function)
      : json_(&json), places_(&places), function_(&function) {
    if (!json.is_object()) throw Problem{"'" + json.dump() + "' is no object"};
  }

  template <class T>
  void operator()(const char* key, T& value) const {
    take(key, member(key), value);
  }
  template <class T>
  void unless(const char* key, T& value, std::type_identity_t<T> usual) const {
    value = usual;
    if (json_->contains(key)) (*this)(key, value);
  }
  void place(const char* key, Place& place) const {
    place = places_->at(textOf(key), *function_).source.begin;
  }
  void reg(ir::RegisterId& id) const {
    const std::string name = textOf("register");
    std::uint32_t number = 0;
    (*this)("id", number);
    if (number >= function_->registerCount()) {
      throw Problem{"'" + std::string(function_->nameText()) + "' has no register with id " +
                    std::to_string(number)};
    }
    id = ir::RegisterId{number};
    if (function_->registerName(id) != name) {
      throw Problem{"register " + std::to_string(number) + " is '" + function_->registerName(id) +
                    "', not '" + name + "'"};
    }
  }
  void symbol(const char* key, ir::SymbolId& id) const {
    const std::string name = textOf(key);
    std::uint32_t number = 0;
    bool isLocal = false;
    (*this)("id", number);
    unless("local", isLocal, false);
    const ir::Module& module = function_->module();
    const std::size_t count = isLocal ? function_->localSymbols().size() : module.symbolCount();
    if (number >= count) throw Problem{"no symbol has id " + std::to_string(number)};
    id = ir::SymbolId{isLocal ? number | ir::Function::kLocalBit : number};
    const ir::Symbol& symbol = function_->symbolAt(id);
    const bool isVariable =
        symbol.kind == ir::SymbolKind::Variable || symbol.kind == ir::SymbolKind::Parameter;
    if (module.text(symbol.name) != name) {
      throw Problem{"symbol " + std::to_string(number) + " is '" +
                    std::string(module.text(symbol.name)) + "', not '" + name + "'"};
    }
    if (!isVariable) throw Problem{"'" + name + "' is no variable or parameter"};
  }
  void special(const char* key, std::uint32_t& index, std::uint8_t& component) const {
    const std::string name = textOf(key);
    const auto rows = isa::specialRegisters();
    for (index = 0; index < rows.size(); ++index) {
      const isa::SpecialRegister& row = rows[index];
      component = 0;
      if (!row.isVector) {
        if (row.name == name) return;
        continue;
      }
      if (!name.starts_with(row.name) || name.size() != row.name.size() + 2) continue;
      const std::size_t letter = std::string_view("xyzw").find(name.back());
      if (name[row.name.size()] != '.' || letter == std::string_view::npos) continue;
      component = static_cast<std::uint8_t>(letter);
      return;
    }
    throw Problem{"no special register '" + name + "'"};
  }
  void target(std::uint32_t& target) const {
    const Json& value = member("target");
    target = Edge::kThrough;
    if (value != "through") take("target", value, target);
  }
  void leafKind(Leaf::Kind& kind) const {
    const auto known = words(kind);
    for (std::size_t k = 0; k < known.size(); ++k) {
      kind = static_cast<Leaf::Kind>(k);
      if (json_->contains(std::string(known[k]))) return;
    }
    throw Problem{"'" + json_->dump() + "' is no leaf that is known"};
  }
  void checkNumber(const AddressOperand& address) const {
    const ir::Instruction& instruction = places_->at(textOf("at"), *function_);
    if (addressOperand(instruction, address.number) != nullptr) return;
    throw Problem{"the instruction at " + textOf("at") + " has no address operand " +
                  std::to_string(address.number)};
  }

 private:
  const Json& member(const char* key) const {
    const auto found = json_->find(key);
    if (found == json_->end()) throw Problem{"no '" + std::string(key) + "'"};
    return *found;
  }
  std::string textOf(const char* key) const { return textOf(key, member(key)); }
  static std::string textOf(const char* key, const Json& value) {
    if (!value.is_string()) throw Problem{"'" + std::string(key) + "' is no text"};
    return value.get<std::string>();
  }

  void take(const char* key, const Json& value, bool& flag) const {
    if (!value.is_boolean()) throw Problem{"'" + std::string(key) + "' is not true or false"};
    flag = value.get<bool>();
  }
  template <std::unsigned_integral T>
  void take(const char* key, const Json& value, T& number) const {
    const bool fits =
        value.is_number_unsigned() && value.get<std::uint64_t>() <= std::numeric_limits<T>::max();
    if (!fits) throw Problem{"'" + std::string(key) + "' is no number that fits"};
    number = value.get<T>();
  }
  void take(const char* key, const Json& value, std::int64_t& number) const {
    const bool fits = value.is_number_unsigned() ? value.get<std::uint64_t>() <= INT64_MAX
                                                 : value.is_number_integer();
    if (!fits) throw Problem{"'" + std::string(key) + "' is no number that fits"};
    number = value.get<std::int64_t>();
  }
  template <class T>
  requires std::is_enum_v<T>
  void take(const char* key, const Json& value, T& result) const {
    const std::string text = textOf(key, value);
    const auto known = words(result);
    for (std::size_t k = 0; k < known.size(); ++k) {
      result = static_cast<T>(k);
      if (known[k] == text) return;
    }
    throw Problem{"'" + text + "' is no '" + key + "'"};
  }
  void take(const char* key, const Json& value, isa::Space& space) const {
    const auto parsed = isa::parseSpace(textOf(key, value));
    if (!parsed) throw Problem{"'" + value.get<std::string>() + "' is no state space"};
    space = *parsed;
  }
  template <class T>
  requires std::is_class_v<T>
  void take(const char*, const Json& value, T& part) const {
    const Reader inner(value, *places_, *function_);
    fields(inner, part);
  }
  template <class T>
  void take(const char* key, const Json& value, std::vector<T>& parts) const {
    if (!value.is_array()) throw Problem{"'" + std::string(key) + "' is no list"};
    for (const Json& element : value) take(key, element, parts.emplace_back());
  }

  const Json* json_;
  const Places* places_;
  const ir::Function* function_;
};

template <std::size_t k = 0>
What whatOfKind(const std::string& kind) {
  if constexpr (k == std::variant_size_v<What>) {
    throw Problem{"'" + kind + "' is not a kind of claim"};
  } else {
    if (kindWords()[k] == kind) return What(std::in_place_index<k>);
    return whatOfKind<k + 1>(kind);
  }
}

std::string textIn(const Json& json, const char* key) {
  if (!json.is_object() || !json.contains(key) || !json[key].is_string()) {
    throw Problem{"no '" + std::string(key) + "' that is a text"};
  }
  return json[key].get<std::string>();
}

Claim claimOf(const Json& json, const Places& places, const ir::Module& module) {
  Claim claim;
  claim.what = whatOfKind(textIn(json, "claim"));
  claim.function = textIn(json, "function");
  claim.by = textIn(json, "by");
  const ir::Function* function = findFunction(module, claim.function);
  if (function == nullptr) throw Problem{"no function '" + claim.function + "' with a body"};
  const Reader reader(json, places, *function);
  std::visit([&](auto& what) { fields(reader, what); }, claim.what);
  return claim;
}

void checkHeader(const Json& json, const ir::Module& module) {
  if (!json.is_object() || !json.contains("version")) {
    throw Problem{R"(a file of facts begins with {"version": 1, ...})"};
  }
  if (json["version"] != kVersion) {
    throw Problem{"facts of version " + json["version"].dump() + "; this is version " +
                  std::to_string(kVersion)};
  }
  if (textIn(json, "hash") != hashOf(module.source())) {
    throw Problem{"these are facts of another text ('" + textIn(json, "source") + "') than '" +
                  module.source().name() + "'"};
  }
}

}  // namespace

std::optional<std::vector<Claim>> read(const SourceText& text, const ir::Module& module,
                                       std::string& error) {
  const Places places(module);
  std::vector<Claim> claims;
  std::string_view rest = text.text();
  for (std::uint32_t number = 1; !rest.empty() || number == 1; ++number) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    try {
      const Json json = Json::parse(line, nullptr, false);
      if (json.is_discarded()) throw Problem{"this is no JSON"};
      if (number == 1) {
        checkHeader(json, module);
      } else {
        claims.push_back(claimOf(json, places, module));
      }
    } catch (const Problem& problem) {
      error = text.name() + ":" + std::to_string(number) + ": error: " + problem.message;
      return std::nullopt;
    }
  }
  return claims;
}

}  // namespace ptxopt::facts
