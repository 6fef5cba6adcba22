/* Every function of the C API, on a kernel with a barrier too many. */
#include <ptxopt/ptxopt.h>
#include <stdio.h>
#include <string.h>

static const char kKernel[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 p)\n{\n"
    "\t.reg .b64 %rd<2>;\n\t.reg .b32 %r<2>;\n\t.shared .align 4 .b8 s[4096];\n"
    "\tmov.u32 %r1, %tid.x;\n"
    "\tld.param.u64 %rd1, [p];\n"
    "\tst.shared.u32 [s], %r1;\n"
    "\tbar.sync 0;\n"
    "\tbar.sync 0;\n"
    "\tld.shared.u32 %r1, [s+4];\n"
    "\tst.global.u32 [%rd1], %r1;\n"
    "\tret;\n}\n";

/* Each thread adds `by` to its number; the one with the number 9 reads beyond the end. */
static const char kAdds[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry adds(.param .u64 p, .param .u32 by)\n{\n"
    "\t.reg .b64 %rd<3>;\n\t.reg .b32 %r<4>;\n"
    "\tld.param.u64 %rd1, [p];\n\tld.param.u32 %r1, [by];\n\tmov.u32 %r2, %tid.x;\n"
    "\tmul.wide.u32 %rd2, %r2, 4;\n\tadd.u64 %rd1, %rd1, %rd2;\n"
    "\tld.global.u32 %r3, [%rd1];\n\tadd.u32 %r3, %r3, %r1;\n\tst.global.u32 [%rd1], %r3;\n"
    "\tret;\n}\n";

static int failures = 0;

static void check(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "use.c: %s\n", what);
  ++failures;
}

static void runs(void) {
  uint32_t numbers[8] = {0, 10, 20, 30, 40, 50, 60, 70};
  const uint32_t by = 5;
  size_t buffer;
  ptxopt_result* result;
  ptxopt_launch* launch;
  ptxopt_module* module = ptxopt_module_new("adds.ptx", kAdds, strlen(kAdds));
  result = ptxopt_module_kernels(module);
  check(ptxopt_result_ok(result), "kernels");
  check(strstr(ptxopt_result_text(result, NULL), "\"name\":\"adds\"") != NULL, "their names");
  ptxopt_result_free(result);

  launch = ptxopt_launch_new(module, "adds");
  ptxopt_launch_set_grid(launch, 1, 1, 1);
  ptxopt_launch_set_block(launch, 4, 1, 1);
  ptxopt_launch_set_cluster(launch, 1, 1, 1);
  ptxopt_launch_set_shared(launch, 16);
  ptxopt_launch_set_schedules(launch, 2);
  ptxopt_launch_set_races(launch, 1);
  ptxopt_launch_set_step_limit(launch, 1000);
  buffer = ptxopt_launch_add_buffer(launch, numbers, sizeof numbers);
  ptxopt_launch_add_pointer(launch, buffer, 2 * sizeof *numbers);
  ptxopt_launch_add_value(launch, &by, sizeof by);
  result = ptxopt_launch_run(launch);
  check(ptxopt_result_ok(result), "run");
  check(strstr(ptxopt_result_text(result, NULL), "\"findings\":[]") != NULL, "no findings");
  check(numbers[1] == 10 && numbers[2] == 25 && numbers[5] == 55 && numbers[6] == 60, "in place");
  ptxopt_result_free(result);

  ptxopt_launch_set_block(launch, 9, 1, 1);
  result = ptxopt_launch_run(launch);
  check(ptxopt_result_ok(result), "run with a fault");
  check(strstr(ptxopt_result_text(result, NULL), "\"out-of-bounds\"") != NULL, "its kind");
  check(numbers[2] == 25, "the memory is as it was");
  ptxopt_result_free(result);

  ptxopt_launch_add_value(launch, &by, sizeof by);
  result = ptxopt_launch_run(launch);
  check(!ptxopt_result_ok(result) && ptxopt_result_diagnostic_count(result) == 1,
        "too many arguments");
  ptxopt_result_free(result);
  ptxopt_launch_free(launch);
  ptxopt_module_free(module);

  module = ptxopt_module_new("bad.ptx", "}", 1);
  result = ptxopt_module_kernels(module);
  check(!ptxopt_result_ok(result) && ptxopt_result_diagnostic_count(result) == 1, "no kernels");
  ptxopt_result_free(result);
  launch = ptxopt_launch_new(module, "");
  result = ptxopt_launch_run(launch);
  check(!ptxopt_result_ok(result), "no run");
  ptxopt_result_free(result);
  ptxopt_launch_free(launch);
  ptxopt_module_free(module);
  ptxopt_launch_free(NULL);
  ptxopt_module_free(NULL);
}

int main(void) {
  ptxopt_options* options;
  ptxopt_result* result;
  ptxopt_diagnostic diagnostic;
  size_t size = 0;
  size_t i;
  int counted = 0;

  check(strncmp(ptxopt_version(), "0.", 2) == 0, "version");

  options = ptxopt_options_new();
  ptxopt_options_set_level(options, 1);
  ptxopt_options_set_threads(options, 2);
  ptxopt_options_set_remarks(options, 1);
  result = ptxopt_optimize("k.ptx", kKernel, strlen(kKernel), options);
  check(ptxopt_result_ok(result), "ok");
  check(ptxopt_result_changed(result), "changed");
  check(ptxopt_result_before(result).barriers == 2, "barriers before");
  check(ptxopt_result_after(result).barriers == 1, "barriers after");
  check(ptxopt_result_before(result).instructions == ptxopt_result_after(result).instructions + 1,
        "instructions");
  check(strlen(ptxopt_result_text(result, &size)) == size, "size");
  check(size < strlen(kKernel), "shorter");
  check(strstr(ptxopt_result_remarks(result), "basic-dbe") != NULL, "remarks");
  for (i = 0; i < ptxopt_result_statistic_count(result); ++i) {
    const ptxopt_statistic statistic = ptxopt_result_statistic(result, i);
    if (strcmp(statistic.pass, "basic-dbe") == 0 && statistic.value == 1) counted = 1;
  }
  check(counted, "statistics");
  ptxopt_result_free(result);

  ptxopt_options_set_change_limit(options, 0);
  result = ptxopt_optimize("k.ptx", kKernel, strlen(kKernel), options);
  check(ptxopt_result_ok(result) && !ptxopt_result_changed(result), "change limit");
  check(strcmp(ptxopt_result_text(result, NULL), kKernel) == 0, "the same text");
  ptxopt_result_free(result);
  ptxopt_options_free(options);

  options = ptxopt_options_new();
  ptxopt_options_set_passes(options, "basic-dbe");
  ptxopt_options_disable_pass(options, "basic-dbe");
  result = ptxopt_optimize("k.ptx", kKernel, strlen(kKernel), options);
  check(ptxopt_result_ok(result) && !ptxopt_result_changed(result), "disabled pass");
  ptxopt_result_free(result);
  ptxopt_options_set_passes(options, "no-such-pass");
  result = ptxopt_optimize("k.ptx", kKernel, strlen(kKernel), options);
  check(!ptxopt_result_ok(result), "unknown pass");
  check(ptxopt_result_diagnostic_count(result) == 1, "one diagnostic");
  ptxopt_result_free(result);
  ptxopt_options_free(options);

  result = ptxopt_optimize("bad.ptx", ".version 7.0\n}", 14, NULL);
  check(!ptxopt_result_ok(result), "not ok");
  check(*ptxopt_result_text(result, NULL) == '\0', "no text");
  check(ptxopt_result_diagnostic_count(result) > 0, "a diagnostic");
  diagnostic = ptxopt_result_diagnostic(result, 0);
  check(diagnostic.severity == PTXOPT_ERROR && diagnostic.line == 2, "its place");
  check(strlen(diagnostic.message) > 0, "its message");
  ptxopt_result_free(result);

  result = ptxopt_explain("k.ptx", kKernel, strlen(kKernel), NULL);
  check(ptxopt_result_ok(result), "explained");
  check(strstr(ptxopt_result_text(result, NULL), "2 barriers, 2 removed") != NULL, "explanation");
  ptxopt_result_free(result);
  result = ptxopt_needs("k.ptx", kKernel, strlen(kKernel), 1);
  check(ptxopt_result_ok(result), "needs");
  check(strstr(ptxopt_result_text(result, NULL), "\"stated_target\":\"sm_80\"") != NULL,
        "its JSON");
  ptxopt_result_free(result);
  result = ptxopt_needs("bad.ptx", "}", 1, 0);
  check(!ptxopt_result_ok(result) && ptxopt_result_diagnostic_count(result) > 0, "no needs");
  ptxopt_result_free(result);

  ptxopt_options_free(NULL);
  ptxopt_result_free(NULL);
  runs();
  return failures;
}
