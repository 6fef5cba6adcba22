// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Claims about a small kernel, and what comes of them when it runs.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "facts/claim.h"
#include "run_ptx.h"

namespace ptxopt::interp {

class Audited : public testing::Test {
 protected:
  static constexpr std::string_view kHeader = ".version 8.0\n.target sm_90\n.address_size 64\n";

  // Declarations and a kernel `k`, with the arguments that `launch` says in JSON.
  void use(const std::string& text, const std::string& launch) {
    text_ = std::string(kHeader) + "// LAUNCH: " + launch + "\n" + text;
    module_ = parseText("k.ptx", text_);
    function_ = "k";
  }

  // Where the instruction begins that is spelled so; its guard is part of it.
  facts::Place at(std::string_view spelled) const {
    const std::size_t found = text_.find(spelled);
    EXPECT_NE(found, std::string::npos) << spelled;
    EXPECT_EQ(text_.find(spelled, found + 1), std::string::npos) << spelled << " is there twice";
    return static_cast<facts::Place>(found);
  }
  const ir::Function& function() const {
    for (const ir::Function& function : module_->functions()) {
      if (function.hasBody() && function.nameText() == function_) return function;
    }
    throw std::runtime_error("no function " + function_);
  }
  ir::RegisterId reg(std::string_view name) const {
    for (std::uint32_t k = 0; k < function().registerCount(); ++k) {
      if (function().registerName(ir::RegisterId{k}) == name) return ir::RegisterId{k};
    }
    throw std::runtime_error("no register " + std::string(name));
  }
  ir::SymbolId symbol(std::string_view name) const {
    for (std::uint32_t k = 0; k < function().localSymbols().size(); ++k) {
      const ir::SymbolId id{k | ir::Function::kLocalBit};
      if (module_->text(function().symbolAt(id).name) == name) return id;
    }
    for (std::uint32_t k = 0; k < module_->symbolCount(); ++k) {
      if (module_->text(module_->symbolAt(ir::SymbolId{k}).name) == name) return ir::SymbolId{k};
    }
    throw std::runtime_error("no symbol " + std::string(name));
  }

  facts::Value after(std::string_view spelled, std::string_view name) const {
    return {.at = at(spelled), .moment = facts::Moment::After, .reg = reg(name)};
  }
  facts::Value before(std::string_view spelled, std::string_view name) const {
    return {.at = at(spelled), .moment = facts::Moment::Before, .reg = reg(name)};
  }
  facts::AddressOperand address(std::string_view spelled, std::uint32_t number = 0) const {
    return {.at = at(spelled), .number = number};
  }
  facts::Edge taken(std::string_view spelled, std::uint32_t target = 0) const {
    return {.at = at(spelled), .target = target};
  }
  facts::Edge through(std::string_view spelled) const { return {.at = at(spelled)}; }

  static facts::Form form(std::uint64_t constant, std::vector<facts::Term> terms,
                          std::uint8_t bits = 32) {
    return {.bits = bits, .constant = constant, .terms = std::move(terms)};
  }
  static facts::Term special(std::uint64_t times, std::string_view name) {
    facts::Leaf leaf;
    leaf.kind = facts::Leaf::Kind::Special;
    const std::string_view stem = name.substr(0, name.find('.'));
    while (isa::specialRegisters()[leaf.special].name != stem) ++leaf.special;
    if (stem != name) leaf.component = static_cast<std::uint8_t>(name.back() - 'x');
    return {times, leaf};
  }
  static facts::Term number(std::uint64_t times, const facts::Value& value) {
    facts::Leaf leaf;
    leaf.kind = facts::Leaf::Kind::Value;
    leaf.value = value;
    return {times, leaf};
  }

  // What comes of these claims, over so many schedules.
  Survey survey(const std::vector<decltype(facts::Claim::what)>& whats,
                std::uint32_t schedules = 1) {
    claims_.clear();
    for (const auto& what : whats) claims_.push_back({function_, "test", what});
    std::string error;
    const auto launch = findLaunch(text_, "", error);
    EXPECT_TRUE(launch) << error;
    MachineOptions options;
    options.claims = &claims_;
    auto result = interp::survey(*module_, *launch, options, schedules, error);
    EXPECT_TRUE(result) << error;
    return std::move(*result);
  }
  // The claim holds, and was put to the test.
  template <class What>
  void expectHolds(const What& what, std::uint32_t schedules = 1) {
    const Survey result = survey({what}, schedules);
    for (const Finding& finding : result.findings) {
      if (finding.kind == FindingKind::FalseFact) ADD_FAILURE() << format(*module_, finding);
    }
    EXPECT_GT(result.audit.checks[0], 0u) << "it was never tried";
  }
  // It does not, and the finding says so.
  template <class What>
  void expectFalse(const What& what, const std::string& message, std::uint32_t schedules = 1) {
    const Survey result = survey({what}, schedules);
    ASSERT_TRUE(result.has(FindingKind::FalseFact)) << "nothing found: " << message;
    EXPECT_TRUE(result.audit.isFalse[0]);
    std::string all;
    for (const Finding& finding : result.findings) {
      all += format(*module_, finding) + "\n";
    }
    EXPECT_NE(all.find(message), std::string::npos) << all;
  }
  // Nothing is known of it.
  template <class What>
  void expectUntried(const What& what) {
    const Survey result = survey({what});
    EXPECT_TRUE(result.findings.empty());
    EXPECT_EQ(result.audit.checks[0], 0u);
  }

  std::string text_;
  std::string function_;
  std::unique_ptr<ir::Module> module_;
  std::vector<facts::Claim> claims_;
};

}  // namespace ptxopt::interp
