// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* The C API of ptxopt: PTX text in, better PTX text out.
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

#ifdef __cplusplus
}
#endif

#endif
