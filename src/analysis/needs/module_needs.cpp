// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "analysis/needs/needs.h"
#include "ir/names.h"
#include "isa/constructs.h"

namespace ptxopt::analysis {

namespace {

using isa::ConstructKind;

std::string_view spelling(ir::Linkage linkage) {
  if (linkage == ir::Linkage::Weak) return ".weak";
  return linkage == ir::Linkage::Common ? ".common" : std::string_view();
}

std::string_view spelling(ir::DirectiveKind directive) {
  switch (directive) {
    case ir::DirectiveKind::AddressSize:
      return ".address_size";
    case ir::DirectiveKind::LocationIntermediate:
      return ".loc_intermediate";
    case ir::DirectiveKind::SourceSection:
      return ".nv_intermediate_source_section";
    default:
      return {};
  }
}

// Calls visit(word) for each word of a text outside of quotes: ".unified" of
// ".attribute(.unified(1, 2))".
template <class Visit>
void forEachDottedWord(std::string_view text, Visit&& visit) {
  bool isQuoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') isQuoted = !isQuoted;
    if (isQuoted || text[at] != '.') continue;
    std::size_t end = at + 1;
    while (end < text.size() && ir::isNameCharacter(text[end])) ++end;
    visit(text.substr(at, end - at));
    at = end - 1;
  }
}

// Calls visit(word) for the first word of each string of a pragma.
template <class Visit>
void forEachPragma(std::string_view text, Visit&& visit) {
  for (std::size_t open = text.find('"'); open != std::string_view::npos;
       open = text.find('"', open + 1)) {
    const std::size_t close = text.find('"', open + 1);
    if (close == std::string_view::npos) return;
    constexpr std::string_view kBlanks = " \t\r\n\f";
    const std::size_t begin = std::min(text.find_first_not_of(kBlanks, open + 1), close);
    const std::size_t end = std::min(text.find_first_of(kBlanks, begin), close);
    if (begin != end) visit(text.substr(begin, end - begin));
    open = close;
  }
}

// Calls visit(use) for what a section has beside numbers and names.
template <class Visit>
void forEachUseInSection(std::string_view text, Visit&& visit) {
  constexpr std::string_view kAfterName = ":+-";
  bool isAfterName = false;  // of a label or another section; not .b32, behind which -1 may stand
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("//") || rest.starts_with("/*")) {
      at = std::min(text.find(rest[1] == '*' ? "*/" : "\n", at + 2), text.size());
    } else if (ir::isNameCharacter(rest[0]) || rest[0] == '.') {
      std::size_t size = 1;
      while (size < rest.size() && ir::isNameCharacter(rest[size])) ++size;
      isAfterName = !rest.starts_with(".b");
      at += size;
      continue;
    } else if (isAfterName && kAfterName.find(rest[0]) != std::string_view::npos) {
      visit(rest[0] == ':'   ? isa::uses::kSectionLabel
            : rest[0] == '+' ? isa::uses::kSectionSum
                             : isa::uses::kSectionDifference);
    } else if (rest[0] == ',') {
      isAfterName = false;
    }
    ++at;
  }
}

// Whether subnormal numbers are kept or flushed depends on the target: sm_20 and later keep them
// without .ftz, and earlier ones always flush them (PTX ISA 9.7.3, 9.7.10.24).
bool dependsOnSubnormals(const isa::InstructionDesc& desc) {
  const bool isSingle = desc.sourceType == isa::Type::F32 ||
                        (desc.type == isa::Type::F32 && isa::isFloat(desc.sourceType));
  // The row of cvt with .ftz is one of its own.
  const bool takesFtz =
      desc.opcode == isa::Opcode::Cvt || desc.row->syntax.find("{.ftz}") != std::string_view::npos;
  return isSingle && takesFtz && !desc.has(".ftz");
}

class Visitor {
 public:
  Visitor(const ir::Module& module, const std::function<void(const Need&)>& visit)
      : module_(module), visit_(visit) {
    for (const std::string_view word : module.targetWords) {
      if (isa::parseTarget(word) == module.target) ownTarget_ = word.substr(word.find('_') + 1);
    }
  }

  void run() {
    for (const ir::Statement& item : module_.items()) {
      const auto* function = item.as<ir::FunctionItem>();
      function_ = function != nullptr ? function->function : nullptr;
      at_ = placeOf(item);
      if (function_ != nullptr) {
        head();
        for (const ir::Statement& each : function_->body()) {
          at_ = placeOf(each);
          statement(each);
        }
      } else {
        statement(item);
      }
    }
  }

 private:
  // A statement that a pass has made has no place, so it gets that of its function.
  Offset placeOf(const ir::Statement& statement) const {
    if (statement.source.valid()) return statement.source.begin;
    const ir::Statement* item = function_ != nullptr ? function_->item : nullptr;
    return item != nullptr && item->source.valid() ? item->source.begin : 0;
  }

  const ir::Symbol& symbolAt(ir::SymbolId id) const {
    return function_ != nullptr ? function_->symbolAt(id) : module_.symbolAt(id);
  }

  void need(isa::Version version, std::string_view target, std::uint8_t unproven,
            std::string_view what) {
    visit_({.version = version,
            .target = target,
            .unproven = unproven,
            .what = what,
            .function = function_,
            .statement = statement_,
            .attribute = attribute_,
            .at = at_});
  }

  // What `visit` finds has Need::statement.
  template <class Visit>
  void about(const ir::Statement* statement, Visit&& visit) {
    statement_ = statement;
    visit();
    statement_ = nullptr;
  }

  void unknown(std::string_view what) {
    Need need;
    need.version = module_.version;
    need.target = ownTarget_;
    need.isUnderstood = false;
    need.what = what;
    need.function = function_;
    need.at = at_;
    visit_(need);
  }

  // A word that the table must have.
  void construct(ConstructKind kind, std::string_view word) {
    const isa::Construct* found = isa::findConstruct(kind, word);
    if (found == nullptr) return unknown(word);
    need(found->version, found->target, found->unproven, found->word);
  }

  void type(isa::Type type, NameId typeName, const ir::Statement* declaration) {
    if (type == isa::Type::Other) return unknown(module_.text(typeName));
    const isa::Construct* found = isa::findConstruct(ConstructKind::Type, isa::spelling(type));
    if (found == nullptr) return;
    about(declaration, [&] { need(found->version, found->target, found->unproven, found->word); });
  }

  void linkage(ir::Linkage linkage) {
    if (const std::string_view word = spelling(linkage); !word.empty()) {
      construct(ConstructKind::Linkage, word);
    }
  }

  // `statement` is null for one at the head of a function.
  void pragma(std::string_view text, const ir::Statement* statement) {
    construct(ConstructKind::Directive, ".pragma");
    about(statement, [&] {
      forEachPragma(text, [&](std::string_view word) {
        // ptxas ignores a pragma that it does not know.
        if (isa::findConstruct(ConstructKind::Pragma, word) == nullptr) return;
        construct(ConstructKind::Pragma, word);
      });
    });
  }

  // ---- functions --------------------------------------------------------------------------------

  void head() {
    linkage(function_->linkage);
    std::uint64_t bytes = 0;
    for (const auto* list : {&function_->results, &function_->parameters}) {
      for (const ir::Variable* parameter : *list) {
        if (parameter->space == isa::Space::Param && !function_->isEntry()) {
          construct(ConstructKind::Use, isa::uses::kFunctionParameter);
        }
        const bool isUnsized = !parameter->dimensions.empty() && parameter->dimensions[0] < 0;
        if (isUnsized) construct(ConstructKind::Use, isa::uses::kUnsizedParameter);
        variable(*parameter);
        bytes = sizeAfter(bytes, *parameter);
      }
    }
    if (function_->isEntry() && !function_->parameters.empty()) {
      construct(ConstructKind::Use, isa::uses::kKernelParameters);
    }
    if (function_->isEntry() && bytes > isa::kSmallParameters) {
      construct(ConstructKind::Use, isa::uses::kLargeParameters);
    }
    for (const ir::Attribute& attribute : function_->attributes) functionAttribute(attribute);
  }

  // The bytes of the parameters up to this one.
  static std::uint64_t sizeAfter(std::uint64_t bytes, const ir::Variable& parameter) {
    std::uint64_t alignment = parameter.alignment;
    if (alignment == 0) {
      alignment =
          static_cast<std::uint64_t>(isa::bitWidth(parameter.type)) / 8 * parameter.vectorWidth;
    }
    if (alignment != 0) bytes = (bytes + alignment - 1) / alignment * alignment;
    return bytes + parameter.size;
  }

  void functionAttribute(const ir::Attribute& attribute) {
    at_ = static_cast<Offset>(attribute.text.data() - module_.source().text().data());
    attribute_ = attribute.text;
    const std::string_view name = module_.text(attribute.name);
    if (name == ".pragma") {
      pragma(attribute.text, nullptr);
    } else {
      construct(ConstructKind::FunctionAttribute, name);
      if (name == ".attribute") attributeItems(attribute.text);
    }
    attribute_ = {};
  }

  void attributeItems(std::string_view text) {
    forEachDottedWord(text, [&](std::string_view word) {
      if (word != ".attribute") construct(ConstructKind::AttributeItem, word);
    });
  }

  // ---- statements -------------------------------------------------------------------------------

  void statement(const ir::Statement& statement) {
    switch (statement.kind) {
      case ir::StatementKind::Instruction:
        return instruction(*statement.as<ir::Instruction>());
      case ir::StatementKind::RegisterDeclaration:
        return registers(*statement.as<ir::RegisterDeclaration>());
      case ir::StatementKind::VariableDeclaration: {
        const auto* declaration = statement.as<ir::VariableDeclaration>();
        for (const ir::Variable* one : declaration->variables) variable(*one, declaration);
        return;
      }
      case ir::StatementKind::Location:
        if (statement.as<ir::Location>()->rest.empty()) return;
        return about(&statement, [&] { construct(ConstructKind::Use, isa::uses::kInlinedAt); });
      case ir::StatementKind::Pragma:
        return pragma(statement.as<ir::Pragma>()->text, &statement);
      case ir::StatementKind::TargetList:
        return construct(ConstructKind::Directive, statement.as<ir::TargetList>()->areCalls
                                                       ? ".calltargets"
                                                       : ".branchtargets");
      case ir::StatementKind::Prototype:
        return about(&statement, [&] { prototype(*statement.as<ir::Prototype>()); });
      case ir::StatementKind::Alias:
        return about(&statement, [&] { construct(ConstructKind::Directive, ".alias"); });
      case ir::StatementKind::Directive:
        return directive(*statement.as<ir::Directive>());
      case ir::StatementKind::Label:
      case ir::StatementKind::ScopeBegin:
      case ir::StatementKind::ScopeEnd:
      case ir::StatementKind::FunctionItem:
        return;
    }
  }

  void prototype(const ir::Prototype& prototype) {
    construct(ConstructKind::Directive, ".callprototype");
    forEachDottedWord(prototype.text, [&](std::string_view word) {
      if (isa::findConstruct(ConstructKind::FunctionAttribute, word) != nullptr) {
        construct(ConstructKind::FunctionAttribute, word);
      }
    });
  }

  void directive(const ir::Directive& directive) {
    switch (directive.which) {
      case ir::DirectiveKind::Version:
        return;
      case ir::DirectiveKind::Target:
        for (const std::string_view word : module_.targetWords) {
          if (!isa::parseTarget(word)) construct(ConstructKind::TargetOption, word);
        }
        return;
      case ir::DirectiveKind::File:
        if (directive.text.find(',', directive.text.rfind('"')) == std::string_view::npos) return;
        return construct(ConstructKind::Use, isa::uses::kFileTime);
      case ir::DirectiveKind::Section:
        construct(ConstructKind::Directive, ".section");
        return about(&directive, [&] {
          forEachUseInSection(directive.text,
                              [this](std::string_view use) { construct(ConstructKind::Use, use); });
        });
      case ir::DirectiveKind::Unknown:
        return unknown(directive.text.substr(0, directive.text.find_first_of(" \t\r\n")));
      default:
        return construct(ConstructKind::Directive, spelling(directive.which));
    }
  }

  // ---- declarations -----------------------------------------------------------------------------

  void registers(const ir::RegisterDeclaration& declaration) {
    const auto ranges =
        function_->registers().subspan(declaration.firstRange, declaration.rangeCount);
    for (const ir::RegisterRange& range : ranges) {
      type(range.type, range.typeName, &declaration);
    }
  }

  // `declaration` is null for a parameter.
  void variable(const ir::Variable& variable, const ir::Statement* declaration = nullptr) {
    linkage(variable.linkage);
    type(variable.type, variable.typeName, declaration);
    forEachDottedWord(variable.attributes, [&](std::string_view word) {
      if (word == ".attribute") return;
      // The spaces and the alignment that follow .ptr are as old as it is.
      const auto isOf = [&](ConstructKind kind) {
        return isa::findConstruct(kind, word) != nullptr;
      };
      if (isOf(ConstructKind::Qualifier)) return construct(ConstructKind::Qualifier, word);
      if (isOf(ConstructKind::AttributeItem)) return construct(ConstructKind::AttributeItem, word);
      if (word != ".align" && !isa::parseSpace(word)) unknown(word);
    });
    if (variable.initializer != nullptr) initializer(variable);
  }

  void initializer(const ir::Variable& variable) {
    const ir::Initializer& initializer = *variable.initializer;
    if (!initializer.opaque.empty()) {
      // `filter_mode = nearest`, of a sampler, is as old as the type.
      const bool isReference = variable.type == isa::Type::TexRef ||
                               variable.type == isa::Type::SamplerRef ||
                               variable.type == isa::Type::SurfRef;
      if (!isReference) unknown(initializer.opaque);
      return;
    }
    for (const ir::Relocation& relocation : initializer.relocations) {
      if (relocation.mask != 0) construct(ConstructKind::Use, isa::uses::kMask);
      if (relocation.generic) construct(ConstructKind::Use, isa::uses::kGeneric);
      const ir::Symbol& symbol = symbolAt(relocation.symbol);
      if (symbol.kind != ir::SymbolKind::Function) continue;
      construct(ConstructKind::Use, symbol.function->isEntry() ? isa::uses::kKernelAddress
                                                               : isa::uses::kFunctionInitializer);
    }
  }

  // ---- instructions -----------------------------------------------------------------------------

  void instruction(const ir::Instruction& instruction) {
    const isa::InstructionDesc& desc = *instruction.desc;
    if (desc.known()) {
      Need need = needOf(*function_, instruction, desc);
      need.function = function_;
      need.statement = &instruction;
      need.at = at_;
      visit_(need);
      if (dependsOnSubnormals(desc)) subnormals();
    } else {
      unknown(desc.mnemonic);
    }
    for (const ir::Operand& operand : instruction.operands()) {
      if (operand.kind == ir::OperandKind::SpecialRegister) specialRegister(operand);
      if (operand.kind == ir::OperandKind::Symbol) address(operand);
    }
  }

  void subnormals() {
    const isa::Construct* keeps =
        isa::findConstruct(ConstructKind::Use, isa::uses::kKeepsSubnormals);
    if (isa::satisfies(module_.target, keeps->target)) {
      return need(keeps->version, keeps->target, keeps->unproven, keeps->word);
    }
    visit_({.version = keeps->version,
            .target = "10",
            .withdrawn = {keeps->version, keeps->target},
            .what = isa::uses::kFlushesSubnormals,
            .function = function_,
            .at = at_});
  }

  void specialRegister(const ir::Operand& operand) {
    const std::string_view name = module_.text(NameId{operand.id});
    if (operand.immediate == ir::kUnknownSpecialRegister) return unknown(name);
    const isa::SpecialRegister& special =
        isa::specialRegisters()[static_cast<std::size_t>(operand.immediate)];
    need(special.version, special.target, special.unproven, name);
  }

  void address(const ir::Operand& operand) {
    const ir::Symbol& symbol = symbolAt(operand.symbol());
    if (symbol.kind == ir::SymbolKind::Function && symbol.function->isEntry()) {
      construct(ConstructKind::Use, isa::uses::kKernelAddress);
    }
  }

  const ir::Module& module_;
  const std::function<void(const Need&)>& visit_;
  std::string_view ownTarget_;  // "90a"; empty if the module states none
  const ir::Function* function_ = nullptr;
  const ir::Statement* statement_ = nullptr;  // Need::statement of what comes next
  std::string_view attribute_;                // Need::attribute of what comes next
  Offset at_ = 0;
};

}  // namespace

void forEachNeed(const ir::Module& module, const std::function<void(const Need&)>& visit) {
  Visitor(module, visit).run();
}

}  // namespace ptxopt::analysis
