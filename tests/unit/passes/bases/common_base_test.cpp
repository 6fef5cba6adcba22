// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/bases/common_base.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "parse/parser.h"
#include "passes/registry.h"
#include "print/printer.h"

namespace ptxopt::passes {
namespace {

// Two arms compute one base.
constexpr const char* kKernel = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .pred %p<3>;
	.reg .b32 %r<9>;
	.reg .b64 %rd<9>, %scevcgp_<7>;
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x;
	setp.lt.u32 %p1, %r1, 16;
	@%p1 bra OTHER;
	mul.wide.u32 %rd2, %r1, 16;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.u32 %r2, [%rd3];
	st.global.u32 [%rd3+8], %r2;
	bra.uni DONE;
OTHER:
	mul.wide.u32 %rd4, %r1, 16;
	add.s64 %rd5, %rd1, %rd4;
	ld.global.u32 %r3, [%rd5+4];
	st.global.u32 [%rd5+12], %r3;
DONE:
	ret;
}
)";

// As many names as the storage of names holds before it grows: nothing is there after the last one.
TEST(CommonBase, NewNamesWhereAllNamesFillTheirStorage) {
  Diagnostics diagnostics;
  const auto module = parse::parse(std::make_shared<SourceText>("k.ptx", kKernel), diagnostics);
  constexpr std::uint32_t kFirstStorage = 1024;
  ASSERT_LT(module->names().size(), kFirstStorage);
  module->name("%scevcgp_11");
  while (module->names().size() < kFirstStorage) {
    module->name("_" + std::to_string(module->names().size()));
  }
  ASSERT_EQ(module->names().size(), kFirstStorage);
  RunOptions options;
  options.pipeline = parsePipeline("common-base");
  EXPECT_TRUE(runPipeline(*module, options).changed);
  EXPECT_NE(print::print(*module).text().find("%scevcgp_12, %rd1"), std::string::npos);
}

}  // namespace
}  // namespace ptxopt::passes
