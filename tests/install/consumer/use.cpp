// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C++ API, on a kernel with a barrier too many.
#include <ptxopt/ptxopt.hpp>

#include <iostream>
#include <string>

namespace {

const std::string kKernel = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .b64 %rd<2>;
	.reg .b32 %r<2>;
	.shared .align 4 .b8 s[4096];
	mov.u32 %r1, %tid.x;
	ld.param.u64 %rd1, [p];
	st.shared.u32 [s], %r1;
	bar.sync 0;
	bar.sync 0;
	ld.shared.u32 %r1, [s+4];
	st.global.u32 [%rd1], %r1;
	ret;
}
)";

int failures = 0;

void check(bool condition, const char* what) {
  if (condition) return;
  std::cerr << "use.cpp: " << what << '\n';
  ++failures;
}

}  // namespace

int main() {
  check(ptxopt::version().rfind("0.", 0) == 0, "version");

  ptxopt::Options options;
  options.level = 1;
  options.remarks = true;
  const ptxopt::Result better = ptxopt::optimize(kKernel, options, "k.ptx");
  std::string expected = kKernel;
  expected.erase(expected.find("\tbar.sync 0;\n"), 13);
  check(better.ok && better.changed, "changed");
  check(better.text == expected, "text");
  check(better.before.barriers == 2 && better.after.barriers == 1, "counts");
  check(!better.statistics.empty() && !better.remarks.empty(), "statistics and remarks");

  options.disabledPasses = {"basic-dbe"};
  check(ptxopt::optimize(kKernel, options).text == kKernel, "disabled pass");

  options = {};
  options.passes = "basic-dbe";
  options.changeLimit = 0;
  check(!ptxopt::optimize(kKernel, options).changed, "change limit");

  // The second kernel needs sm_80.
  const std::string both = kKernel +
                           ".visible .entry needy()\n{\n\t.reg .b64 %rd<2>;\n"
                           "\tmbarrier.inval.b64 [%rd1];\n\tret;\n}\n";
  options = {};
  options.retarget = "sm_75";
  check(!ptxopt::optimize(both, options).ok, "needs more");
  options.lenientRetarget = true;
  const ptxopt::Result fewer = ptxopt::optimize(both, options);
  check(fewer.ok && fewer.text.find("needy") == std::string::npos, "left out");

  check(ptxopt::explain(kKernel).text.find("2 barriers, 2 removed") != std::string::npos,
        "explained");
  check(ptxopt::needs(both).text.find("\"target\":\"sm_80\"") != std::string::npos, "needs");
  check(!ptxopt::needs("}").ok && !ptxopt::explain("}").ok, "bad text");

  // Thread 0 writes what is passed.
  const ptxopt::Module module(
      ".version 7.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry writes(.param .u64 p, .param .f32 v)\n{\n"
      "\t.reg .b64 %rd<2>;\n\t.reg .f32 %f<2>;\n"
      "\tld.param.u64 %rd1, [p];\n\tld.param.f32 %f1, [v];\n\tst.global.f32 [%rd1], %f1;\n"
      "\tret;\n}\n");
  check(module.kernels().text.find("writes") != std::string::npos, "kernels");
  float written[2] = {1, 2};
  ptxopt::Launch launch(module, "");
  launch.setGrid(1).setBlock(1).setCluster(1).setShared(0).setSchedules(1).setRaces(true);
  launch.setStepLimit(100).addPointer(launch.addBuffer(written, sizeof written), sizeof(float));
  check(!launch.run().ok, "an argument is missing");
  check(launch.addValue(4.5f).run().ok && written[0] == 1 && written[1] == 4.5f, "run");
  check(launch.setBlock(2).run().text.find("data-race") != std::string::npos, "a race");
  check(!ptxopt::Module("}").kernels().ok, "no kernels");

  const ptxopt::Result bad = ptxopt::optimize("}");
  check(!bad.ok && bad.diagnostics.size() == 1, "bad text");
  check(bad.diagnostics.at(0).severity == ptxopt::Severity::Error, "severity");
  check(bad.diagnostics.at(0).line == 1, "line");
  return failures;
}
