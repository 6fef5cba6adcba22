// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "facts/claim_fields.h"
#include "facts/claim_text.h"

namespace ptxopt::facts {

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

const ir::Function* findFunction(const ir::Module& module, std::string_view name) {
  for (const ir::Function& function : module.functions()) {
    if (function.hasBody() && function.nameText() == name) return &function;
  }
  return nullptr;
}

namespace {

using Json = nlohmann::ordered_json;

std::string placeText(const LineColumn& place) {
  return std::to_string(place.line) + ":" + std::to_string(place.column);
}

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

}  // namespace ptxopt::facts
