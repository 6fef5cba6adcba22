// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a pass is, what it is given, and what it says about its work.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "facts/claim.h"
#include "ir/module.h"
#include "passes/engine/pass_options.h"
#include "passes/engine/remark.h"

namespace ptxopt::analysis {
class FunctionAnalyses;
class ModuleAnalyses;
}  // namespace ptxopt::analysis

namespace ptxopt::passes {

// ---- changes -----------------------------------------------------------------------------------

// Counts the rewrites of one run and says when to stop: --opt-bisect-limit=N.  One change is the
// smallest rewrite that is correct by itself.
class ChangeBudget {
 public:
  static constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};
  explicit ChangeBudget(std::uint64_t limit = kUnlimited) : left_(limit) {}
  bool limited() const { return left_ != kUnlimited; }
  // A pass calls this just before each change, and leaves it undone if the answer is no.
  bool spend() {
    if (!limited()) return true;
    if (left_ == 0) return false;
    --left_;
    return true;
  }

 private:
  std::uint64_t left_;
};

// What a pass has while it works on one function.  One for each function and pass, so that
// functions can be worked on by several threads.
struct PassContext {
  analysis::FunctionAnalyses& analyses;
  ChangeBudget& budget;
  bool wantRemarks = true;  // false: remark() drops what it is given, the message need not be made
  std::vector<Remark> remarks;
  std::map<std::string_view, std::uint64_t> statistics;  // "barriers-removed" -> 3
  // Where a long run is, for whoever waits for it; null: nobody does.
  const std::function<void(const std::string&)>* progress = nullptr;
  // What the pass believes of the input (passes/engine/claim_sink.h).  Null where nobody wants it,
  // or where the function is not as it was read.
  std::vector<facts::Claim>* claims = nullptr;

  void remark(Remark remark) {
    if (wantRemarks) remarks.push_back(std::move(remark));
  }
};

// The same while a pass works on the module as a whole.
struct ModuleContext {
  analysis::ModuleAnalyses& analyses;
  ChangeBudget& budget;
  bool wantRemarks = true;
  std::vector<Remark> remarks;
  std::map<std::string_view, std::uint64_t> statistics;
  std::vector<facts::Claim>* claims = nullptr;  // as in PassContext

  void remark(Remark remark) {
    if (wantRemarks) remarks.push_back(std::move(remark));
  }
};

// ---- passes ------------------------------------------------------------------------------------

class Pass {
 public:
  virtual ~Pass() = default;

  // Before prepare(): false if nobody reads remarks, and none need be made.
  void setWantRemarks(bool want) { wantRemarks_ = want; }

  // Before all else, on one thread: what changes the statements of the module, or several functions
  // at a time.  True if it changed anything; then every cached analysis of every function is
  // dropped.  Functions that are opaque or kept must be left alone here too; of a module for a
  // debugger this is not called.  What may be assumed is analysis::ModuleAssumptions here too.
  virtual bool runOnModule(ir::Module& module, ModuleContext& context) {
    static_cast<void>(module);
    static_cast<void>(context);
    return false;
  }

  // Before the functions, on one thread: facts about the module that the work on one function
  // needs of the others (which may be changing by then).  What may be assumed of the functions is
  // analysis::ModuleAssumptions here, and analysis::Assumptions among the analyses of each.
  virtual void prepare(const ir::Module& module, analysis::ModuleAnalyses& analyses) {
    static_cast<void>(module);
    static_cast<void>(analyses);
  }

  // True where nothing that prepare() looks at is changed by other passes, and runOnModule() does
  // nothing.  Then a function may go on to this pass when the one before is done with it, not with
  // all of them: while what analyses know about it is still at hand.
  virtual bool isLocal() const { return false; }

  // True of a pass that changes nothing but which barriers there are and who executes them.  What
  // it believes, it believes of all functions; and what other passes believe after it, of the
  // input.
  virtual bool isAboutBarriers() const { return false; }

  // True if it changed the function; then every cached analysis of the function is dropped.  May
  // run on several functions at once, hence const.  A function without a body, or that is opaque,
  // or kept (ir::Function::isKept), or in a frozen module (ir::Module::isFrozen), is never given to
  // a pass.
  virtual bool run(ir::Function& function, PassContext& context) const {
    static_cast<void>(function);
    static_cast<void>(context);
    return false;
  }

 protected:
  bool wantRemarks() const { return wantRemarks_; }

 private:
  bool wantRemarks_ = true;
};

struct PassInfo {
  std::string_view name;         // equals the command-line name
  std::string_view description;  // one sentence
  std::span<const PassOption> options;
  // Null and a message in `error` where the pass does not understand the text of an option.
  std::unique_ptr<Pass> (*make)(const OptionValues& options, std::string& error);
  std::string_view note = {};  // lines for --list-passes: what a user may miss, and why

  // Null and a message in `error` where an option is unknown or its value is wrong.
  std::unique_ptr<Pass> create(const PassOptions& given, std::string& error) const {
    const std::optional<OptionValues> values = OptionValues::read(options, given, error);
    return values ? make(*values, error) : nullptr;
  }
};

}  // namespace ptxopt::passes
