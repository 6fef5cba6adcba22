// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Claims to JSON lines and back.
#include "facts/claim_text.h"

#include <gtest/gtest.h>

#include <memory>
#include <sstream>

#include "facts/address_operand.h"
#include "facts/claim_words.h"
#include "parse/parser.h"

namespace ptxopt::facts {
namespace {

constexpr std::string_view kText = R"(.version 8.0
.target sm_80
.address_size 64
.shared .align 4 .b8 tile[64];
.visible .entry k(.param .u64 out, .param .u32 n) {
  .reg .pred %p<2>;
  .reg .b32 %r<5>;
  .reg .b64 %rd<3>;
  .local .align 4 .b8 mine[8];
  ld.param.u64 %rd0, [out];
  mov.u32 %r0, %tid.x;
L:
  { .reg .b32 %r<2>; add.s32 %r1, %r0, 1; }
  cp.async.ca.shared.global [%r0+16], [%rd0], 16;
  setp.lt.u32 %p0, %r0, 7;
  @%p0 bra L;
  ret;
}
)";

class ClaimText : public testing::Test {
 protected:
  void SetUp() override {
    Diagnostics diagnostics;
    module_ = parse::parse(std::make_shared<SourceText>("k.ptx", kText), diagnostics);
    ASSERT_NE(module_, nullptr);
    for (const ir::Function& function : module_->functions()) function_ = &function;
  }

  // Where the k-th instruction begins.
  Place at(int k) const {
    for (const ir::Statement& statement : function_->body()) {
      if (statement.as<ir::Instruction>() != nullptr && k-- == 0) return statement.source.begin;
    }
    return kNoOffset;
  }
  ir::RegisterId reg(std::string_view name, int which = 0) const {
    for (std::uint32_t k = 0; k < function_->registerCount(); ++k) {
      if (function_->registerName(ir::RegisterId{k}) == name && which-- == 0) {
        return ir::RegisterId{k};
      }
    }
    return ir::RegisterId::None;
  }
  ir::SymbolId symbol(std::string_view name) const {
    for (std::uint32_t k = 0; k < function_->localSymbols().size(); ++k) {
      const ir::SymbolId id{k | ir::Function::kLocalBit};
      if (module_->text(function_->symbolAt(id).name) == name) return id;
    }
    for (std::uint32_t k = 0; k < module_->symbolCount(); ++k) {
      if (module_->text(module_->symbolAt(ir::SymbolId{k}).name) == name) return ir::SymbolId{k};
    }
    return ir::SymbolId::None;
  }

  std::string written(std::span<const Claim> claims) const {
    std::ostringstream out;
    write(out, *module_, claims);
    return out.str();
  }
  std::string errorOf(const std::string& text) const {
    std::string error;
    EXPECT_FALSE(read(SourceText("facts.jsonl", text), *module_, error).has_value());
    return error;
  }
  // A file whose second line is this one.
  std::string errorOfClaim(const std::string& line) const {
    return errorOf(written({}) + line + "\n");
  }

  Form everyLeaf() const {
    Form form;
    form.bits = 32;
    form.constant = 16;
    const auto add = [&](Leaf leaf) { form.terms.push_back({.coefficient = 4, .leaf = leaf}); };
    add({.kind = Leaf::Kind::Value, .value = {.at = at(1), .reg = reg("%r0")}});
    add({.kind = Leaf::Kind::Special, .special = 0, .component = 1});
    add({.kind = Leaf::Kind::Parameter, .bits = 32, .symbol = symbol("n"), .offset = 0});
    add({.kind = Leaf::Kind::Symbol, .symbol = symbol("tile")});
    add({.kind = Leaf::Kind::Symbol, .symbol = symbol("mine")});
    add({.kind = Leaf::Kind::Window, .space = isa::Space::Shared});
    add({.kind = Leaf::Kind::Rounds, .header = at(2), .backEdges = {{.at = at(5), .target = 0}}});
    Form inner{.bits = 16, .terms = {{.coefficient = 1, .leaf = form.terms[1].leaf}}};
    add({.kind = Leaf::Kind::Product, .factors = {inner, inner}});
    add({.kind = Leaf::Kind::ZeroExtended, .factors = {inner}});
    add({.kind = Leaf::Kind::SignExtended, .factors = {inner}});
    return form;
  }

  // One of each kind.
  std::vector<Claim> everyKind() const {
    const Value value{.at = at(2), .moment = Moment::Before, .reg = reg("%r1", 1), .component = 0};
    const AddressOperand to{.at = at(3), .number = 0};
    const AddressOperand from{.at = at(3), .number = 1};
    const Edge edge{.at = at(5), .target = 0};
    const Edge next{.at = at(5), .target = Edge::kThrough};
    const Range range{32, 1, ~0ull, INT64_MIN, -1, 6, 1};
    const Base unknown{.kind = Base::Kind::Unknown,
                       .spaces = {isa::Space::Global, isa::Space::Shared}};
    const Base variable{.kind = Base::Kind::Variable, .symbol = symbol("tile")};
    const Base parameter{.kind = Base::Kind::Parameter, .symbol = symbol("out"), .offset = 8};
    const std::vector<What> whats = {
        Uniform{value},
        WarpUniform{value},
        Stable{value},
        OneNumber{value},
        InRange{value, range},
        EqualsForm{value, everyLeaf()},
        EqualsValue{value, {.at = at(1), .reg = reg("%r0")}, 1, 32},
        DeadValue{value},
        PointsTo{to, {unknown, variable, {.kind = Base::Kind::DynamicShared}, parameter}, {}},
        Disjoint{to, from, Threads::DifferentWarps},
        DeadStore{at(3)},
        Unread{symbol("mine")},
        OwnBytes{symbol("tile")},
        NeverTaken{next},
        NeverFollows{edge, next},
        Together{at(0)},
        AllExecute{at(0)},
        FormInBounds{at(1), everyLeaf(), {-4, INT64_MAX}},
        FormsCompare{at(1), everyLeaf(), Form{}, Comparison::UnsignedGreaterEqual},
        Leader{at(1), 0xffffffff},
        PureFunction{},
        Barrier{at(3), true, false},
    };
    std::vector<Claim> claims;
    for (const What& what : whats) claims.push_back({"k", "a-test", what});
    return claims;
  }

  std::unique_ptr<ir::Module> module_;
  const ir::Function* function_ = nullptr;
};

TEST_F(ClaimText, EveryKindComesBackAsItWas) {
  const std::vector<Claim> claims = everyKind();
  ASSERT_EQ(claims.size(), std::variant_size_v<What>);
  const std::string text = written(claims);
  std::string error;
  const auto again = read(SourceText("facts.jsonl", text), *module_, error);
  ASSERT_TRUE(again.has_value()) << error;
  ASSERT_EQ(again->size(), claims.size());
  for (std::size_t k = 0; k < claims.size(); ++k) {
    EXPECT_EQ((*again)[k].what.index(), k);
    EXPECT_EQ((*again)[k].function, "k");
    EXPECT_EQ((*again)[k].by, "a-test");
  }
  EXPECT_EQ(written(*again), text);
  EXPECT_EQ(std::get<EqualsForm>((*again)[5].what).form, everyLeaf());
  EXPECT_EQ(std::get<InRange>((*again)[4].what).range, std::get<InRange>(claims[4].what).range);
  EXPECT_EQ(std::get<PointsTo>((*again)[8].what).bases, std::get<PointsTo>(claims[8].what).bases);
  EXPECT_EQ(std::get<FormInBounds>((*again)[17].what).bounds, (Bounds{-4, INT64_MAX}));
}

TEST_F(ClaimText, LooksAsTheManualSays) {
  const Value value{.at = at(1), .reg = reg("%r0")};
  Form form{.bits = 64, .constant = 16};
  form.terms.push_back({.coefficient = 4, .leaf = {.kind = Leaf::Kind::Special}});
  const std::vector<Claim> claims = {{"k", "value-forms", EqualsForm{value, form}}};
  const std::string text = written(claims);
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            R"({"claim":"form","function":"k","by":"value-forms",)"
            R"("value":{"at":"11:3","when":"after","register":"%r0","id":2},)"
            R"("form":{"bits":64,"constant":16,"terms":[{"times":4,"leaf":{"special":"%tid.x"}}]}})"
            "\n");
  EXPECT_TRUE(text.starts_with(R"({"version":1,"source":"k.ptx","hash":")")) << text;
}

TEST_F(ClaimText, SaysWhatIsWrongWithTheFile) {
  EXPECT_EQ(errorOf(""), "facts.jsonl:1: error: this is no JSON");
  EXPECT_EQ(errorOf("{}\n"),
            "facts.jsonl:1: error: a file of facts begins with {\"version\": 1, ...}");
  EXPECT_EQ(errorOf("{\"version\": 7}\n"),
            "facts.jsonl:1: error: facts of version 7; this is version 1");
  EXPECT_EQ(errorOf(R"({"version": 1, "source": "old.ptx", "hash": "0"})"),
            "facts.jsonl:1: error: these are facts of another text ('old.ptx') than 'k.ptx'");
  EXPECT_EQ(errorOfClaim("nonsense"), "facts.jsonl:2: error: this is no JSON");
}

TEST_F(ClaimText, SaysWhatIsWrongWithAClaim) {
  const auto claim = [&](const std::string& kind, const std::string& rest) {
    return errorOfClaim(R"({"claim":")" + kind + R"(","function":"k","by":"t",)" + rest + "}");
  };
  const auto value = [&](const std::string& parts) {
    return claim("stable", R"("value":{)" + parts + "}");
  };
  EXPECT_EQ(claim("unlikely", R"("at":"10:3")"),
            "facts.jsonl:2: error: 'unlikely' is not a kind of claim");
  EXPECT_EQ(errorOfClaim(R"({"claim":"pure","function":"other","by":"t"})"),
            "facts.jsonl:2: error: no function 'other' with a body");
  EXPECT_EQ(errorOfClaim(R"({"claim":"pure","function":"k"})"),
            "facts.jsonl:2: error: no 'by' that is a text");
  EXPECT_EQ(claim("together", R"("at":"10:4")"),
            "facts.jsonl:2: error: no instruction of 'k' begins at 10:4");
  EXPECT_EQ(claim("together", R"("at":"10")"),
            "facts.jsonl:2: error: '10' is not a position LINE:COLUMN");
  EXPECT_EQ(claim("together", R"("to":"10")"), "facts.jsonl:2: error: no 'at'");
  EXPECT_EQ(value(R"("at":"10:3","when":"later","register":"%r0","id":2)"),
            "facts.jsonl:2: error: 'later' is no 'when'");
  EXPECT_EQ(value(R"("at":"10:3","when":"after","register":"%r0","id":99)"),
            "facts.jsonl:2: error: 'k' has no register with id 99");
  EXPECT_EQ(value(R"("at":"10:3","when":"after","register":"%r0","id":3)"),
            "facts.jsonl:2: error: register 3 is '%r1', not '%r0'");
  EXPECT_EQ(value(R"("at":"10:3","when":"after","register":"%r0","id":-2)"),
            "facts.jsonl:2: error: 'id' is no number that fits");
  EXPECT_EQ(claim("unread", R"("variable":"tile","id":77)"),
            "facts.jsonl:2: error: no symbol has id 77");
  EXPECT_EQ(claim("unread", R"("variable":"pile","id":0)"),
            "facts.jsonl:2: error: symbol 0 is 'tile', not 'pile'");
  EXPECT_EQ(claim("points-to", R"("address":{"at":"14:3","number":2})"),
            "facts.jsonl:2: error: the instruction at 14:3 has no address operand 2");
  EXPECT_EQ(claim("bounds", R"("at":"10:3","form":{"bits":8,"terms":[{"times":1,"leaf":{}}]})"),
            "facts.jsonl:2: error: '{}' is no leaf that is known");
  EXPECT_EQ(claim("barrier", R"("at":"10:3","separator":1)"),
            "facts.jsonl:2: error: 'separator' is not true or false");
}

}  // namespace
}  // namespace ptxopt::facts
