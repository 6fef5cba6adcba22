// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/kernel_hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <unordered_map>
#include <vector>

#include "analysis/flow/callee.h"
#include "ir/names.h"
#include "support/hash128.h"
#include "support/strong_components.h"

namespace ptxopt::driver {

namespace {

using ir::Operand;
using ir::OperandKind;

// What begins a part of the contents, so that no two sequences of parts look alike.
enum class Mark : std::uint64_t {
  Function,
  Variable,
  Text,
  Known,     // has a number already
  First,     // gets the next number; its contents are elsewhere in the same hash
  Contents,  // gets the next number; the hash of its contents follows
  Named,     // the module does not define it
  DynamicShared,
  Register,
  Statement,
  Operand,
  End,
};

// A text without comments, and with blanks only where two words would become one.
std::string withoutBlanks(std::string_view text) {
  std::string result;
  bool isApart = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    std::size_t length = 1;
    if (rest.starts_with("//") || rest.starts_with("/*")) {
      const std::size_t end = rest[1] == '/' ? rest.find('\n') : rest.find("*/", 2);
      at += end == std::string_view::npos ? rest.size() : end + (rest[1] == '/' ? 1 : 2);
      isApart = true;
      continue;
    }
    if (rest.front() == '"') {
      const std::size_t end = rest.find('"', 1);
      length = end == std::string_view::npos ? rest.size() : end + 1;
    } else if (rest.front() == ' ' || (rest.front() >= '\t' && rest.front() <= '\r')) {
      isApart = true;
      ++at;
      continue;
    }
    const auto isWord = [](char c) { return ir::isNameCharacter(c) || c == '.'; };
    if (isApart && !result.empty() && isWord(result.back()) && isWord(rest.front())) result += ' ';
    isApart = false;
    result += rest.substr(0, length);
    at += length;
  }
  return result;
}

// ---- what of a module refers to what ------------------------------------------------------------

// A function or a variable that the module defines: a vertex.
struct Definition {
  const ir::Function* function = nullptr;
  const ir::Variable* variable = nullptr;
};

bool isDynamicShared(const ir::Variable& variable) {
  return variable.linkage == ir::Linkage::Extern && variable.space == isa::Space::Shared &&
         std::ranges::find(variable.dimensions, -1) != variable.dimensions.end();
}

// Calls visit(SymbolId) for each symbol that the variable or the statement names.
template <class Visitor>
void forEachSymbol(const ir::Variable& variable, Visitor&& visit) {
  if (variable.initializer == nullptr) return;
  for (const ir::Relocation& one : variable.initializer->relocations) visit(one.symbol);
  for (const ir::SymbolId symbol : variable.initializer->opaqueSymbols) visit(symbol);
}

template <class Visitor>
void forEachSymbol(const ir::Statement& statement, Visitor&& visit) {
  if (const auto* instruction = statement.as<ir::Instruction>()) {
    for (const Operand& operand : instruction->operands()) {
      if (operand.symbol() != ir::SymbolId::None) visit(operand.symbol());
    }
  } else if (const auto* list = statement.as<ir::TargetList>()) {
    for (const ir::SymbolId symbol : list->targets) visit(symbol);
  } else if (const auto* declaration = statement.as<ir::VariableDeclaration>()) {
    for (const ir::Variable* variable : declaration->variables) forEachSymbol(*variable, visit);
  }
}

bool isLocal(ir::SymbolId symbol) {
  return (static_cast<std::uint32_t>(symbol) & ir::Function::kLocalBit) != 0;
}

class References {
 public:
  explicit References(const ir::Module& module) : module_(module) {
    for (const ir::Function& function : module.functions()) {
      if (function.hasBody()) addVertex(&function, {&function, nullptr});
    }
    for (const ir::Statement& item : module.items()) {
      const auto* declaration = item.as<ir::VariableDeclaration>();
      if (declaration == nullptr) continue;
      for (const ir::Variable* variable : declaration->variables) {
        if (variable->linkage != ir::Linkage::Extern) addVertex(variable, {nullptr, variable});
      }
    }
    std::vector<Arc> arcs;
    for (Vertex from = 0; from < definitions_.size(); ++from) {
      forEachSymbol(from, [&](ir::SymbolId symbol) {
        const Vertex to = vertexOf(symbol);
        if (to != kNone) arcs.push_back({from, to});
      });
    }
    graph_ = Digraph(size(), std::move(arcs));
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(definitions_.size()); }
  const Definition& operator[](Vertex vertex) const { return definitions_[vertex]; }
  const Digraph& graph() const { return graph_; }

  // What a symbol of the module names; kNone if the module does not define it.
  Vertex vertexOf(ir::SymbolId symbol) const {
    if (symbol == ir::SymbolId::None || isLocal(symbol)) return kNone;
    const ir::Symbol& entry = module_.symbolAt(symbol);
    if (entry.kind == ir::SymbolKind::Variable) return find(entry.variable);
    return find(analysis::functionOf(module_, symbol));
  }

 private:
  void addVertex(const void* what, Definition definition) {
    vertices_.emplace(what, size());
    definitions_.push_back(definition);
  }
  Vertex find(const void* what) const {
    const auto found = vertices_.find(what);
    return found == vertices_.end() ? kNone : found->second;
  }
  template <class Visitor>
  void forEachSymbol(Vertex vertex, Visitor&& visit) const {
    const Definition& definition = definitions_[vertex];
    if (definition.variable != nullptr) return driver::forEachSymbol(*definition.variable, visit);
    for (const ir::Statement& statement : definition.function->body()) {
      driver::forEachSymbol(statement, visit);
    }
  }

  const ir::Module& module_;
  std::vector<Definition> definitions_;
  std::unordered_map<const void*, Vertex> vertices_;
  Digraph graph_;
};

// ---- the hash of one definition -----------------------------------------------------------------

struct Contents {
  Hash128 hash;
  // The variables of the module that it reaches, in the order in which it does.  The hash says
  // which of its uses are of which of these; who refers to it says which variables of his own they
  // are.
  std::vector<Vertex> variables;
};

// Hashes a definition, together with those that refer to it in a circle.
class Walk {
 public:
  Walk(const ir::Module& module, const References& references, const StrongComponents& components,
       const std::vector<Contents>& known)
      : module_(module), references_(references), components_(components), known_(known) {}

  Contents run(Vertex root) {
    component_ = components_.component[root];
    hasher_.add(std::uint64_t{module_.addressSize});
    addReference(root);
    while (!waiting_.empty()) {
      const Definition& definition = references_[waiting_.front()];
      waiting_.pop_front();
      if (definition.function != nullptr) {
        addFunction(*definition.function);
      } else {
        function_ = nullptr;
        addVariable(*definition.variable);
      }
    }
    return {hasher_.hash(), std::move(variables_)};
  }

 private:
  void add(Mark mark) { hasher_.add(static_cast<std::uint64_t>(mark)); }
  template <class Number>
  void addNumber(Number number) {
    hasher_.add(static_cast<std::uint64_t>(number));
  }
  void addText(std::string_view text) {
    add(Mark::Text);
    hasher_.add(withoutBlanks(text));
  }

  // The number of what is met for the first time, or Known and the number it has.
  template <class Key>
  bool addNumbered(std::unordered_map<Key, std::uint32_t>& numbers, Key key) {
    const auto [at, isNew] = numbers.emplace(key, static_cast<std::uint32_t>(numbers.size()));
    if (isNew) return true;
    add(Mark::Known);
    addNumber(at->second);
    return false;
  }

  // ---- symbols of the module --------------------------------------------------------------------

  void addVariableNumber(Vertex variable) {
    if (!addNumbered(numbers_, variable)) return;
    add(Mark::First);
    variables_.push_back(variable);
  }

  void addReference(Vertex vertex) {
    if (!addNumbered(numbers_, vertex)) return;
    if (references_[vertex].variable != nullptr) variables_.push_back(vertex);
    if (components_.component[vertex] == component_) {
      add(Mark::First);
      waiting_.push_back(vertex);
      return;
    }
    add(Mark::Contents);
    hasher_.add(known_[vertex].hash);
    for (const Vertex variable : known_[vertex].variables) {
      if (variable != vertex) addVariableNumber(variable);
    }
  }

  void addModuleSymbol(ir::SymbolId symbol) {
    const Vertex vertex = references_.vertexOf(symbol);
    if (vertex != kNone) return addReference(vertex);
    const ir::Symbol& entry = module_.symbolAt(symbol);
    if (entry.kind == ir::SymbolKind::Variable && isDynamicShared(*entry.variable)) {
      add(Mark::DynamicShared);  // all of them are the same memory
      return addVariable(*entry.variable);
    }
    add(Mark::Named);
    hasher_.add(module_.text(entry.name));
  }

  // ---- functions --------------------------------------------------------------------------------

  void addFunction(const ir::Function& function) {
    function_ = &function;
    registers_.clear();
    locals_.clear();
    usedLocals_.assign(function.localSymbols().size(), false);
    for (const ir::Statement& statement : function.body()) {
      forEachSymbol(statement, [&](ir::SymbolId symbol) {
        if (isLocal(symbol)) usedLocals_[localIndex(symbol)] = true;
      });
    }
    add(Mark::Function);
    addNumber(function.isEntry());
    addNumber(function.linkage);
    for (const auto* list : {&function.results, &function.parameters}) {
      addNumber(list->size());
      for (const ir::Variable* parameter : *list) {
        addVariable(*parameter);
        if (parameter->symbol != ir::SymbolId::None) addSymbol(parameter->symbol);
      }
    }
    addNumber(function.attributes.size());
    for (const ir::Attribute& attribute : function.attributes) addText(attribute.text);
    // Not all of such a body is in the IR.
    if (function.isOpaque) addText(module_.source().slice(function.bodySource));
    for (const ir::Statement& statement : function.body()) addStatement(statement);
    add(Mark::End);
  }

  static std::size_t localIndex(ir::SymbolId symbol) {
    return static_cast<std::uint32_t>(symbol) & ~ir::Function::kLocalBit;
  }

  void addStatement(const ir::Statement& statement) {
    using Kind = ir::StatementKind;
    const auto begin = [&] {
      add(Mark::Statement);
      addNumber(statement.kind);
    };
    switch (statement.kind) {
      case Kind::Location:
      case Kind::RegisterDeclaration:  // the types are added where registers are used
      case Kind::FunctionItem:
      case Kind::Alias:
        return;
      case Kind::ScopeBegin:
      case Kind::ScopeEnd:
        return begin();
      case Kind::Label:
        if (!usedLocals_[localIndex(statement.as<ir::Label>()->symbol)]) return;
        begin();
        return addSymbol(statement.as<ir::Label>()->symbol);
      case Kind::Instruction:
        begin();
        return addInstruction(*statement.as<ir::Instruction>());
      case Kind::VariableDeclaration:
        begin();
        for (const ir::Variable* variable : statement.as<ir::VariableDeclaration>()->variables) {
          addVariable(*variable);
          addSymbol(variable->symbol);
        }
        return;
      case Kind::Pragma:
        begin();
        return addText(statement.as<ir::Pragma>()->text);
      case Kind::TargetList: {
        const auto& list = *statement.as<ir::TargetList>();
        begin();
        addNumber(list.areCalls);
        addSymbol(list.symbol);
        addNumber(list.targets.size());
        for (const ir::SymbolId target : list.targets) addSymbol(target);
        return;
      }
      case Kind::Prototype:
        begin();
        addSymbol(statement.as<ir::Prototype>()->symbol);
        return addText(statement.as<ir::Prototype>()->text);
      case Kind::Directive:
        if (statement.as<ir::Directive>()->which != ir::DirectiveKind::Unknown) return;
        begin();
        return addText(statement.as<ir::Directive>()->text);
    }
  }

  void addInstruction(const ir::Instruction& instruction) {
    addNumber(static_cast<bool>(instruction.guard));
    if (instruction.guard) {
      addNumber(instruction.guard.negated());
      addRegister(instruction.guard.predicate());
    }
    hasher_.add(instruction.desc->mnemonic);
    addNumber(instruction.operandCount);
    for (const Operand& operand : instruction.operands()) addOperand(operand);
  }

  void addOperand(const Operand& operand) {
    add(Mark::Operand);
    addNumber(operand.kind);
    addNumber(operand.negated);
    switch (operand.kind) {
      case OperandKind::Register:
        addRegister(operand.reg());
        addComponent(operand);
        return;
      case OperandKind::SpecialRegister:
        hasher_.add(module_.text(NameId{operand.id}));
        return;
      case OperandKind::Integer:
        addNumber(operand.isUnsigned);
        [[fallthrough]];
      case OperandKind::Float32:
      case OperandKind::Float64:
        addNumber(operand.immediate);
        return;
      case OperandKind::Symbol:
        addSymbol(operand.symbol());
        addNumber(operand.immediate);
        return;
      case OperandKind::Address:
        addNumber(operand.base);
        addNumber(operand.hasOffset);
        addNumber(operand.immediate);
        if (operand.base == ir::AddressBase::Symbol) addSymbol(operand.symbol());
        if (operand.base != ir::AddressBase::Register) return;
        addRegister(operand.reg());
        addNumber(operand.component);
        return;
      case OperandKind::Punctuation:
        addNumber(operand.id);
        if (operand.id == ir::kCast) addName(operand.immediate);
        return;
      default:  // a group: the number of its members, which follow
        addNumber(operand.id);
    }
  }

  void addComponent(const Operand& operand) {
    addNumber(operand.component);
    if (operand.component == ir::kOtherComponent) addName(operand.immediate);
  }
  void addName(std::int64_t id) {
    hasher_.add(module_.text(NameId{static_cast<std::uint32_t>(id)}));
  }

  void addRegister(ir::RegisterId id) {
    if (!addNumbered(registers_, static_cast<std::uint32_t>(id))) return;
    const ir::RegisterRange& range = function_->rangeOf(id);
    add(Mark::Register);
    addType(range.type, range.typeName);
    addNumber(range.vectorWidth);
  }

  void addSymbol(ir::SymbolId symbol) {
    if (symbol == ir::SymbolId::None) return add(Mark::End);
    if (!isLocal(symbol)) return addModuleSymbol(symbol);
    if (!addNumbered(locals_, static_cast<std::uint32_t>(symbol))) return;
    const ir::Symbol& entry = function_->symbolAt(symbol);
    add(Mark::First);
    addNumber(entry.kind);
    if (entry.kind == ir::SymbolKind::Unresolved) hasher_.add(module_.text(entry.name));
  }

  // ---- declarations -----------------------------------------------------------------------------

  void addType(isa::Type type, NameId spelled) {
    addNumber(type);
    if (type == isa::Type::Other) hasher_.add(module_.text(spelled));
  }

  // All but its name.
  void addVariable(const ir::Variable& variable) {
    add(Mark::Variable);
    addNumber(variable.space);
    addNumber(variable.constantBank);
    addType(variable.type, variable.typeName);
    addNumber(variable.vectorWidth);
    addNumber(variable.linkage);
    addNumber(variable.alignment);
    addNumber(variable.dimensions.size());
    for (const std::int64_t extent : variable.dimensions) addNumber(extent);
    addText(variable.attributes);
    addNumber(variable.isParametrised);
    addNumber(variable.count);
    addNumber(variable.size);
    addNumber(variable.initializer != nullptr);
    if (variable.initializer != nullptr) addInitializer(*variable.initializer);
  }

  void addInitializer(const ir::Initializer& initializer) {
    auto bytes = initializer.bytes;
    while (!bytes.empty() && bytes.back() == 0)
      bytes = bytes.first(bytes.size() - 1);  // as the rest
    hasher_.add(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    addNumber(initializer.relocations.size());
    for (const ir::Relocation& relocation : initializer.relocations) {
      addNumber(relocation.offset);
      addNumber(relocation.size);
      addNumber(relocation.generic);
      addNumber(relocation.mask);
      addNumber(relocation.addend);
      addSymbol(relocation.symbol);
    }
    addText(initializer.opaque);
    for (const ir::SymbolId symbol : initializer.opaqueSymbols) addSymbol(symbol);
  }

  const ir::Module& module_;
  const References& references_;
  const StrongComponents& components_;
  const std::vector<Contents>& known_;
  std::uint32_t component_ = 0;
  Hasher128 hasher_;
  std::unordered_map<Vertex, std::uint32_t> numbers_;
  std::deque<Vertex> waiting_;  // of the circle, not hashed yet
  std::vector<Vertex> variables_;
  // Of the function that is being hashed.
  const ir::Function* function_ = nullptr;
  std::unordered_map<std::uint32_t, std::uint32_t> registers_;
  std::unordered_map<std::uint32_t, std::uint32_t> locals_;
  std::vector<bool> usedLocals_;
};

// Of each vertex, callees before callers.  In a circle only of those that something outside of it
// names: each of them goes around the whole circle.
std::vector<Contents> contentsOf(const ir::Module& module, const References& references) {
  const Digraph& graph = references.graph();
  const StrongComponents components(graph);
  std::vector<std::uint32_t> sizes(components.count);
  for (Vertex vertex = 0; vertex < references.size(); ++vertex) {
    ++sizes[components.component[vertex]];
  }
  std::vector<bool> isNeeded(references.size());
  for (Vertex vertex = 0; vertex < references.size(); ++vertex) {
    const ir::Function* function = references[vertex].function;
    if (sizes[components.component[vertex]] == 1) isNeeded[vertex] = true;
    if (function != nullptr && function->isEntry()) isNeeded[vertex] = true;
  }
  for (EdgeId edge = 0; edge < graph.edgeCount(); ++edge) {
    const Vertex target = graph.target(edge);
    const bool isInside = components.component[graph.source(edge)] == components.component[target];
    if (!isInside) isNeeded[target] = true;
  }

  std::vector<Vertex> order;
  for (Vertex vertex = 0; vertex < references.size(); ++vertex) {
    if (isNeeded[vertex]) order.push_back(vertex);
  }
  std::ranges::stable_sort(order, {}, [&](Vertex vertex) { return components.component[vertex]; });
  std::vector<Contents> contents(references.size());
  for (const Vertex vertex : order) {
    contents[vertex] = Walk(module, references, components, contents).run(vertex);
  }
  return contents;
}

// What in the header of the module is part of the meaning of all its kernels.
Hash128 meaningOf(const ir::Module& module, const Hash128& kernel) {
  std::vector<std::string_view> words;
  for (const std::string_view word : module.targetWords) {
    const bool isMachine = word.starts_with("sm_") || word.starts_with("compute_");
    if (!isMachine && word != "debug") words.push_back(word);
  }
  std::ranges::sort(words);
  Hasher128 hasher;
  hasher.add(kernel);
  for (const std::string_view word : words) hasher.add(word);
  return hasher.hash();
}

}  // namespace

std::string kernelHashes(const ir::Module& module, bool withFile) {
  const References references(module);
  const std::vector<Contents> contents = contentsOf(module, references);
  std::string text;
  for (Vertex vertex = 0; vertex < references.size(); ++vertex) {
    const ir::Function* function = references[vertex].function;
    if (function == nullptr || !function->isEntry()) continue;
    const Hash128 hash = meaningOf(module, contents[vertex].hash);
    fmt::format_to(std::back_inserter(text), "{:016x}{:016x}  {}", hash.high, hash.low,
                   function->nameText());
    if (withFile) text += "  " + module.source().name();
    text += '\n';
  }
  return text;
}

}  // namespace ptxopt::driver
