// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface of passes: what a pass is, what it is given, and what it reports.
#pragma once

#include <algorithm>
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

// Counts the changes of one run and stops at a limit: --opt-bisect-limit=N.  A change is the
// smallest rewrite that is correct by itself.
class ChangeBudget {
 public:
  static constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};
  explicit ChangeBudget(std::uint64_t limit = kUnlimited) : left_(limit) {}
  bool limited() const { return left_ != kUnlimited; }
  // A pass calls this just before each change.  If it returns false, the pass must not make the
  // change.
  bool spend() {
    if (!limited()) return true;
    if (left_ == 0) return false;
    --left_;
    return true;
  }

 private:
  std::uint64_t left_;
};

// The context of a pass for one function.  Each function and pass has its own, so that several
// threads can work on functions.
struct PassContext {
  analysis::FunctionAnalyses& analyses;
  ChangeBudget& budget;
  bool wantRemarks = true;  // false: remark() drops remarks, and their messages need not be made
  std::vector<Remark> remarks;
  std::map<std::string_view, std::uint64_t> statistics;  // "barriers-removed" -> 3
  // Receives the progress of a long run; null if nobody waits for it.
  const std::function<void(const std::string&)>* progress = nullptr;
  // The facts about the input on which the pass relies (passes/engine/claim_sink.h).  Null if
  // nobody wants them, or if the function has changed since it was read.
  std::vector<facts::Claim>* claims = nullptr;
  // Counts of what the pass saw and did not change, by counter ("barriers-kept").  If the pass runs
  // again on the function, only the last run counts.
  std::map<std::string_view, std::uint64_t> found;
  // A pass sets this if its only change was to erase, after Cfg::willErase(), instructions that
  // name no register, end no block and access no memory.  What is known of values and addresses
  // then stays true.
  bool erasedOnlyBarriers = false;

  void remark(Remark remark) {
    if (wantRemarks) remarks.push_back(std::move(remark));
  }
};

// The context of a pass that works on the module as a whole.
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

  // Called before prepare().  False if nobody reads remarks, so that none need be made.
  void setWantRemarks(bool want) { wantRemarks_ = want; }

  // Runs before everything else, on one thread, and may change the statements of the module, or
  // several functions at a time.  Returns true if it changed anything; then all cached analyses of
  // all functions are dropped.  It must not change functions that are opaque or kept.  It is not
  // called for a module with debug information.  The assumptions are in
  // analysis::ModuleAssumptions.
  virtual bool runOnModule(ir::Module& module, ModuleContext& context) {
    static_cast<void>(module);
    static_cast<void>(context);
    return false;
  }

  // Runs before run(), on one thread.  Collects the facts about other functions that run() needs,
  // since those functions may be changing by then.  The assumptions are in
  // analysis::ModuleAssumptions here, and in analysis::Assumptions among the analyses of each
  // function.
  virtual void prepare(const ir::Module& module, analysis::ModuleAnalyses& analyses) {
    static_cast<void>(module);
    static_cast<void>(analyses);
  }

  // True if run() reads nothing in other functions that other passes may change, and runOnModule()
  // does nothing.  Then this pass may run on the function as soon as the previous pass has finished
  // with it, without waiting for the others, and can reuse analyses that are still in memory.  If
  // it is false for some functions only, prepare() runs once more before the pass runs on those.
  virtual bool isLocal(const ir::Function& function) const {
    static_cast<void>(function);
    return false;
  }

  // True for a pass that only changes which barriers exist and which threads execute them.  Its own
  // claims hold for all functions, and passes after it can still make claims about the input.
  virtual bool isAboutBarriers() const { return false; }

  // Returns true if it changed the function; then all cached analyses of the function are dropped.
  // It may run on several functions at once, hence const.  It is never called for a function that
  // has no body, is opaque, is kept (ir::Function::isKept), or belongs to a frozen module
  // (ir::Module::isFrozen).
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
  // Null and a message in `error` if the text of an option is invalid.
  std::unique_ptr<Pass> (*make)(const OptionValues& options, std::string& error);
  std::string_view note = {};  // lines for --list-passes: what the pass may miss, and why
  // Flags of ptxopt about the pass, without their dashes; empty if there is none.
  std::string_view runFlag = {};   // 1: run the pass last; 0: do not run it
  std::string_view dumpFlag = {};  // print the module before the pass

  // Null if it has no such option.
  const PassOption* optionFor(PassOption::Shared what) const {
    const auto found = std::ranges::find(options, what, &PassOption::shared);
    return found == options.end() ? nullptr : &*found;
  }

  // Null and a message in `error` if an option is unknown or its value is invalid.
  std::unique_ptr<Pass> create(const PassOptions& given, std::string& error) const {
    const std::optional<OptionValues> values = OptionValues::read(options, given, error);
    return values ? make(*values, error) : nullptr;
  }
};

}  // namespace ptxopt::passes
