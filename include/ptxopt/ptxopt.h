// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* The C API of ptxopt: PTX text in, better PTX text out; and kernels run on the CPU.
 *
 *   ptxopt_options* options = ptxopt_options_new();
 *   ptxopt_result* result = ptxopt_optimize("kernel.ptx", text, size, options);
 *   if (ptxopt_result_ok(result)) puts(ptxopt_result_text(result, NULL));
 *   ptxopt_result_free(result);
 *   ptxopt_options_free(options);
 *
 * Texts are UTF-8 or any other superset of ASCII.  Pointers that the functions of a result return
 * are valid as long as the result.  Different threads may use different results and options at the
 * same time, but only one thread at a time may use one of them; several calls of ptxopt_optimize()
 * may share options. */
#ifndef PTXOPT_PTXOPT_H
#define PTXOPT_PTXOPT_H

#include <stddef.h>
#include <stdint.h>

/* What the shared library exports. */
#if defined(__GNUC__)
#define PTXOPT_API __attribute__((visibility("default")))
#else
#define PTXOPT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* "MAJOR.MINOR.PATCH".  The pointer is always valid. */
PTXOPT_API const char* ptxopt_version(void);

/* ---- options: those of the command line, such as -O and --passes ---- */

typedef struct ptxopt_options ptxopt_options;

/* Level 2, one thread, no limit.  NULL if there is no memory. */
PTXOPT_API ptxopt_options* ptxopt_options_new(void);
/* NULL is allowed. */
PTXOPT_API void ptxopt_options_free(ptxopt_options* options);

/* 0 (changes nothing) to 3. */
PTXOPT_API void ptxopt_options_set_level(ptxopt_options* options, int level);
/* A pipeline as text, "early-cse<memssa>,dead-sync", instead of a level. */
PTXOPT_API void ptxopt_options_set_passes(ptxopt_options* options, const char* pipeline);
/* Skips the passes of this name.  May be called several times. */
PTXOPT_API void ptxopt_options_disable_pass(ptxopt_options* options, const char* name);
/* Stops after this many changes. */
PTXOPT_API void ptxopt_options_set_change_limit(ptxopt_options* options, uint64_t limit);
/* The number of functions processed at once; the result does not depend on it. */
PTXOPT_API void ptxopt_options_set_threads(ptxopt_options* options, unsigned threads);
/* Assumptions about kernels beyond the guarantees of PTX, in the format of the command line's
 * --assumptions=FILE: "*: assume=cuda\nkernel: block-dim=64,1,1".  Replaces earlier assumptions. */
PTXOPT_API void ptxopt_options_set_assumptions(ptxopt_options* options, const char* text);
/* What is known of all launches of kernels, in the JSON of the command line's --launch=FILE:
 * "{\"kernels\": {\"k\": {\"block\": 256}}}".  Replaces what was known before; "": nothing. */
PTXOPT_API void ptxopt_options_set_launches(ptxopt_options* options, const char* text);
/* Not 0: nothing of that is trusted, as with --enforce. */
PTXOPT_API void ptxopt_options_set_enforce(ptxopt_options* options, int enforce);
/* Not 0: a launch with other numbers runs the original code instead of a trap, as with --dispatch.
 */
PTXOPT_API void ptxopt_options_set_dispatch(ptxopt_options* options, int dispatch);
/* Leaves the kernel of this name unchanged.  May be called several times. */
PTXOPT_API void ptxopt_options_keep_kernel(ptxopt_options* options, const char* name);
/* Who is to take the result, "cuda:12.2,sm_80", in the format of the command line's --for: its
 * .version and .target say so, or a diagnostic says what in the text needs more.  "": as it is. */
PTXOPT_API void ptxopt_options_set_retarget(ptxopt_options* options, const char* request);
/* Not 0: kernels and functions that need more are left out, with a warning for each. */
PTXOPT_API void ptxopt_options_set_retarget_lenient(ptxopt_options* options, int lenient);
/* Not 0: the result has remarks about the changes that passes made or missed. */
PTXOPT_API void ptxopt_options_set_remarks(ptxopt_options* options, int wanted);

/* ---- the work ---- */

typedef struct ptxopt_result ptxopt_result;

/* Optimizes `size` bytes of text; messages call it `name`.  Options may be NULL.  The result
 * reports errors in the text and in the options.  NULL if there is no memory. */
PTXOPT_API ptxopt_result* ptxopt_optimize(const char* name, const char* text, size_t size,
                                          const ptxopt_options* options);
/* What became of each CTA barrier, where and why, as --explain-barriers prints it: the text of the
 * result.  `options` are those of the run that is explained, and may be NULL. */
PTXOPT_API ptxopt_result* ptxopt_explain(const char* name, const char* text, size_t size,
                                         const ptxopt_options* options);
/* Which .version and .target the text needs, and what in it needs them, as --needs=json prints it:
 * the text of the result.  Not 0: of each kernel and function, too. */
PTXOPT_API ptxopt_result* ptxopt_needs(const char* name, const char* text, size_t size,
                                       int by_kernel);
/* NULL is allowed. */
PTXOPT_API void ptxopt_result_free(ptxopt_result* result);

/* 0: a diagnostic gives the reason, and there is no text. */
PTXOPT_API int ptxopt_result_ok(const ptxopt_result* result);
/* Not 0: the text differs from the input. */
PTXOPT_API int ptxopt_result_changed(const ptxopt_result* result);
/* Ends in a NUL, which `*size` does not count; `size` may be NULL.  Empty if there is no text. */
PTXOPT_API const char* ptxopt_result_text(const ptxopt_result* result, size_t* size);

typedef enum ptxopt_severity {
  PTXOPT_NOTE = 0,
  PTXOPT_WARNING = 1, /* something unknown to ptxopt, which it left unchanged */
  PTXOPT_ERROR = 2
} ptxopt_severity;

typedef struct ptxopt_diagnostic {
  ptxopt_severity severity;
  uint32_t line;   /* from 1; 0: about the text as a whole */
  uint32_t column; /* from 1, in bytes */
  const char* message;
} ptxopt_diagnostic;

PTXOPT_API size_t ptxopt_result_diagnostic_count(const ptxopt_result* result);
/* `index` is below the count. */
PTXOPT_API ptxopt_diagnostic ptxopt_result_diagnostic(const ptxopt_result* result, size_t index);

typedef struct ptxopt_counts {
  uint64_t instructions;
  uint64_t barriers; /* CTA barriers: bar and barrier, but not those of a warp or a cluster */
} ptxopt_counts;

PTXOPT_API ptxopt_counts ptxopt_result_before(const ptxopt_result* result);
PTXOPT_API ptxopt_counts ptxopt_result_after(const ptxopt_result* result);

typedef struct ptxopt_statistic {
  const char* pass;
  const char* counter;
  uint64_t value;
} ptxopt_statistic;

PTXOPT_API size_t ptxopt_result_statistic_count(const ptxopt_result* result);
/* `index` is below the count. */
PTXOPT_API ptxopt_statistic ptxopt_result_statistic(const ptxopt_result* result, size_t index);

/* One line of JSON for each remark, as --remarks writes them; empty if none were requested. */
PTXOPT_API const char* ptxopt_result_remarks(const ptxopt_result* result);

/* ---- running kernels on the CPU ---- */

/* A text that was parsed.  Several threads may use one at a time. */
typedef struct ptxopt_module ptxopt_module;

/* NULL if there is no memory.  Whether the text is right, ptxopt_module_kernels() says. */
PTXOPT_API ptxopt_module* ptxopt_module_new(const char* name, const char* text, size_t size);
/* NULL is allowed.  Launches of the module must not be used afterwards, but freed. */
PTXOPT_API void ptxopt_module_free(ptxopt_module* module);
/* The kernels and their parameters, as `ptxrun --list --json` prints them: the text of the result,
 * which has the errors of the text. */
PTXOPT_API ptxopt_result* ptxopt_module_kernels(const ptxopt_module* module);

/* One launch of a kernel.  Arguments are added in order. */
typedef struct ptxopt_launch ptxopt_launch;

/* `kernel` is its symbol, or its name in the source if that is one kernel only, "reduce<4>(int*)";
 * "" for the only kernel.  One CTA of the size that the kernel requires, or allows, or of 32
 * threads.  NULL if there is no memory. */
PTXOPT_API ptxopt_launch* ptxopt_launch_new(const ptxopt_module* module, const char* kernel);
/* NULL is allowed. */
PTXOPT_API void ptxopt_launch_free(ptxopt_launch* launch);

PTXOPT_API void ptxopt_launch_set_grid(ptxopt_launch* launch, uint32_t x, uint32_t y, uint32_t z);
PTXOPT_API void ptxopt_launch_set_block(ptxopt_launch* launch, uint32_t x, uint32_t y, uint32_t z);
PTXOPT_API void ptxopt_launch_set_cluster(ptxopt_launch* launch, uint32_t x, uint32_t y,
                                          uint32_t z);
/* Bytes of dynamic shared memory. */
PTXOPT_API void ptxopt_launch_set_shared(ptxopt_launch* launch, uint64_t bytes);
/* Memory of the kernel's: it starts as the `size` bytes at `data`, and these get what the kernel
 * leaves there, if it runs to its end.  They must stay valid.  Returns the number of the buffer,
 * from 0. */
PTXOPT_API size_t ptxopt_launch_add_buffer(ptxopt_launch* launch, void* data, size_t size);
/* The next argument: the address of a buffer and `offset`.  Several may point to one buffer. */
PTXOPT_API void ptxopt_launch_add_pointer(ptxopt_launch* launch, size_t buffer, uint64_t offset);
/* The next argument: `size` bytes by value, which are copied. */
PTXOPT_API void ptxopt_launch_add_value(ptxopt_launch* launch, const void* data, size_t size);
/* How many schedules of the threads to run, one after the other, each on the memory as it was; the
 * buffers get what the first of them leaves.  1 at first. */
PTXOPT_API void ptxopt_launch_set_schedules(ptxopt_launch* launch, uint32_t count);
/* 0: does not look for races and for reads of memory that nothing has written, and is faster. */
PTXOPT_API void ptxopt_launch_set_races(ptxopt_launch* launch, int wanted);
/* Stops a run after this many instructions of threads; 100,000,000 at first. */
PTXOPT_API void ptxopt_launch_set_step_limit(ptxopt_launch* launch, uint64_t limit);

/* Runs it.  The text of the result says what was found, as `ptxrun --json` prints it: races, wrong
 * barriers, accesses out of bounds, deadlocks.  The result is not ok if the launch does not fit the
 * kernel.  Variables of the module start with their initial values each time. */
PTXOPT_API ptxopt_result* ptxopt_launch_run(const ptxopt_launch* launch);

#ifdef __cplusplus
}
#endif

#endif
