#include "facts/claim_text.h"

#include <array>
#include <charconv>
#include <concepts>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "facts/address_operand.h"
#include "facts/claim_words.h"

namespace ptxopt::facts {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kVersion = 1;

// Of the text, so that nobody checks what was said of another one: FNV-1a, 64 bits.
std::string hashOf(const SourceText& source) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : source.text()) {
    hash ^= static_cast<std::uint8_t>(letter);
    hash *= 0x100000001b3;
  }
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(hash));
  return digits.data();
}

std::string placeText(const LineColumn& place) {
  return std::to_string(place.line) + ":" + std::to_string(place.column);
}

// ---- what is written for each part, by Writer and Reader alike
// ------------------------------------

template <class T, class Part>
concept Is = std::same_as<std::remove_const_t<T>, Part>;

void fields(auto& io, Is<Value> auto& value) {
  io.place("at", value.at);
  io("when", value.moment);
  io.reg(value.reg);
  io.unless("component", value.component, 0);
}

void fields(auto& io, Is<Edge> auto& edge) {
  io.place("at", edge.at);
  io.target(edge.target);
}

void fields(auto& io, Is<Form> auto& form) {
  io("bits", form.bits);
  io.unless("constant", form.constant, 0);
  io("terms", form.terms);
}

void fields(auto& io, Is<Term> auto& term) {
  io("times", term.coefficient);
  io("leaf", term.leaf);
}

void fields(auto& io, Is<Leaf> auto& leaf) {
  io.leafKind(leaf.kind);
  const char* const key = word(leaf.kind).data();
  switch (leaf.kind) {
    case Leaf::Kind::Value:
      io(key, leaf.value);
      break;
    case Leaf::Kind::Special:
      io.special(key, leaf.special, leaf.component);
      break;
    case Leaf::Kind::Parameter:
      io.symbol(key, leaf.symbol);
      io("bits", leaf.bits);
      io.unless("offset", leaf.offset, 0);
      break;
    case Leaf::Kind::Symbol:
      io.symbol(key, leaf.symbol);
      break;
    case Leaf::Kind::Window:
      io(key, leaf.space);
      break;
    case Leaf::Kind::Rounds:
      io.place(key, leaf.header);
      io("back-edges", leaf.backEdges);
      break;
    case Leaf::Kind::Product:
    case Leaf::Kind::ZeroExtended:
    case Leaf::Kind::SignExtended:
      io(key, leaf.factors);
      break;
  }
}

void fields(auto& io, Is<AddressOperand> auto& address) {
  io.place("at", address.at);
  io("number", address.number);
  io.checkNumber(address);
}

void fields(auto& io, Is<Base> auto& base) {
  io("kind", base.kind);
  switch (base.kind) {
    case Base::Kind::Unknown:
      io("spaces", base.spaces);
      break;
    case Base::Kind::Variable:
      io.symbol("variable", base.symbol);
      break;
    case Base::Kind::DynamicShared:
      break;
    case Base::Kind::Parameter:
      io.symbol("parameter", base.symbol);
      io.unless("offset", base.offset, 0);
      break;
  }
}

void fields(auto& io, Is<Range> auto& range) {
  io("bits", range.bits);
  io("lowest", range.lowest);
  io("highest", range.highest);
  io("signed-lowest", range.signedLowest);
  io("signed-highest", range.signedHighest);
  io.unless("zeros", range.zeros, 0);
  io.unless("ones", range.ones, 0);
}

void fields(auto& io, Is<Bounds> auto& bounds) {
  io.unless("lowest", bounds.lowest, INT64_MIN);
  io.unless("highest", bounds.highest, INT64_MAX);
}

template <class T>
concept OfValue =
    Is<T, Uniform> || Is<T, WarpUniform> || Is<T, Stable> || Is<T, OneNumber> || Is<T, DeadValue>;
void fields(auto& io, OfValue auto& claim) {
  io("value", claim.value);
}

void fields(auto& io, Is<InRange> auto& claim) {
  io("value", claim.value);
  io("range", claim.range);
}

void fields(auto& io, Is<EqualsForm> auto& claim) {
  io("value", claim.value);
  io("form", claim.form);
}

void fields(auto& io, Is<EqualsValue> auto& claim) {
  io("value", claim.value);
  io("other", claim.other);
  io.unless("plus", claim.plus, 0);
  io("bits", claim.bits);
}

void fields(auto& io, Is<PointsTo> auto& claim) {
  io("address", claim.address);
  io("bases", claim.bases);
  io("bytes", claim.bytes);
}

void fields(auto& io, Is<Disjoint> auto& claim) {
  io("address", claim.address);
  io("other", claim.other);
  io("threads", claim.threads);
}

template <class T>
concept OfPlace = Is<T, DeadStore> || Is<T, Together> || Is<T, AllExecute>;
void fields(auto& io, OfPlace auto& claim) {
  io.place("at", claim.at);
}

template <class T>
concept OfVariable = Is<T, Unread> || Is<T, OwnBytes>;
void fields(auto& io, OfVariable auto& claim) {
  io.symbol("variable", claim.symbol);
}

void fields(auto& io, Is<NeverTaken> auto& claim) {
  io("edge", claim.edge);
}

void fields(auto& io, Is<NeverFollows> auto& claim) {
  io("edge", claim.edge);
  io("next", claim.next);
}

void fields(auto& io, Is<FormInBounds> auto& claim) {
  io.place("at", claim.at);
  io("form", claim.form);
  io("bounds", claim.bounds);
}

void fields(auto& io, Is<FormsCompare> auto& claim) {
  io.place("at", claim.at);
  io("left", claim.left);
  io("comparison", claim.comparison);
  io("right", claim.right);
}

void fields(auto& io, Is<Leader> auto& claim) {
  io.place("at", claim.at);
  io("mask", claim.mask);
}

void fields(auto&, Is<PureFunction> auto&) {}

void fields(auto& io, Is<Barrier> auto& claim) {
  io.place("at", claim.at);
  io("separator", claim.isSeparator);
  io("gone", claim.isGone);
}

// The function with a body; of a name without one, null.
const ir::Function* findFunction(const ir::Module& module, std::string_view name) {
  for (const ir::Function& function : module.functions()) {
    if (function.hasBody() && function.nameText() == name) return &function;
  }
  return nullptr;
}

// ---- writing
// --------------------------------------------------------------------------------------

class Writer {
 public:
  Writer(const ir::Module& module, const ir::Function* function)
      : module_(&module), function_(function) {}

  Json take() { return std::move(json_); }

  void text(const char* key, std::string_view text) { json_[key] = std::string(text); }
  template <class T>
  void operator()(const char* key, const T& value) {
    json_[key] = made(value);
  }
  template <class T>
  void unless(const char* key, const T& value, std::type_identity_t<T> usual) {
    if (value != usual) (*this)(key, value);
  }
  void place(const char* key, Place place) {
    json_[key] = placeText(module_->source().lineColumn(place));
  }
  void reg(ir::RegisterId id) {
    json_["register"] = function_->registerName(id);
    json_["id"] = static_cast<std::uint32_t>(id);
  }
  void symbol(const char* key, ir::SymbolId id) {
    const auto number = static_cast<std::uint32_t>(id);
    const bool isLocal = (number & ir::Function::kLocalBit) != 0;
    json_[key] = std::string(module_->text(function_->symbolAt(id).name));
    json_["id"] = number & ~ir::Function::kLocalBit;
    if (isLocal) json_["local"] = true;
  }
  void special(const char* key, std::uint32_t index, std::uint8_t component) {
    const isa::SpecialRegister& row = isa::specialRegisters()[index];
    std::string name(row.name);
    if (row.isVector) name += "." + std::string(1, "xyzw"[component]);
    json_[key] = name;
  }
  void target(std::uint32_t target) {
    json_["target"] = target == Edge::kThrough ? Json("through") : Json(target);
  }
  void leafKind(Leaf::Kind) {}
  void checkNumber(const AddressOperand&) {}

 private:
  Json made(std::integral auto number) const { return number; }
  template <class T>
  requires std::is_enum_v<T> Json made(T value)
  const {
    if constexpr (std::same_as<T, isa::Space>) {
      return std::string(isa::spelling(value));
    } else {
      return std::string(word(value));
    }
  }
  template <class T>
  requires std::is_class_v<T> Json made(const T& part)
  const {
    Writer inner(*module_, function_);
    inner.json_ = Json::object();
    fields(inner, part);
    return inner.take();
  }
  template <class T>
  Json made(const std::vector<T>& parts) const {
    Json list = Json::array();
    for (const T& part : parts) list.push_back(made(part));
    return list;
  }

  const ir::Module* module_;
  const ir::Function* function_;
  Json json_;
};

// ---- reading
// --------------------------------------------------------------------------------------

struct Problem {
  std::string message;
};

// Where instructions begin.
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
    if (!place) throw Problem{"'" + text + "' is no place LINE:COLUMN"};
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
    throw Problem{"'" + kind + "' is no kind of claim"};
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

std::string lineOf(const Json& json) {
  // Names in PTX may hold any bytes; JSON must be UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

void write(std::ostream& out, const ir::Module& module, std::span<const Claim> claims) {
  Json header;
  header["version"] = kVersion;
  header["source"] = module.source().name();
  header["hash"] = hashOf(module.source());
  out << lineOf(header) << '\n';
  const ir::Function* function = nullptr;
  for (const Claim& claim : claims) {
    if (function == nullptr || function->nameText() != claim.function) {
      function = findFunction(module, claim.function);
    }
    Writer writer(module, function);
    writer.text("claim", kindWord(claim));
    writer.text("function", claim.function);
    writer.text("by", claim.by);
    std::visit([&](const auto& what) { fields(writer, what); }, claim.what);
    out << lineOf(writer.take()) << '\n';
  }
}

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
