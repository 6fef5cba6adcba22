// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program of the wheel: calls its entry point in the libptxopt.so of the Python package, which
// has the same version.  pip puts both below one prefix, or below one folder with --target.
#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef int Main(int argc, char** argv);

// Relative to the folder of this program.
static const char* const places[] = {
    "../lib/python3*/site-packages/ptxopt/libptxopt.so",
    "../lib/python3*/dist-packages/ptxopt/libptxopt.so",
    "../lib64/python3*/site-packages/ptxopt/libptxopt.so",
    "../ptxopt/libptxopt.so",
};

static Main* entryPoint(const char* library) {
  void* const loaded = dlopen(library, RTLD_NOW);
  if (loaded == NULL) return NULL;
  const char* (*version)(void) = NULL;
  *(void**)&version = dlsym(loaded, "ptxopt_version");
  if (version == NULL || strcmp(version(), PTXOPT_VERSION) != 0) return NULL;
  Main* result = NULL;
  *(void**)&result = dlsym(loaded, "ptxopt_main_" PTXOPT_PROGRAM);
  return result;
}

int main(int argc, char** argv) {
  char self[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  self[length > 0 ? length : 0] = '\0';
  char* const slash = strrchr(self, '/');
  if (slash != NULL) *slash = '\0';

  for (size_t k = 0; k < sizeof places / sizeof places[0]; ++k) {
    char pattern[PATH_MAX + 64];
    snprintf(pattern, sizeof pattern, "%s/%s", self, places[k]);
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0) continue;
    for (size_t n = 0; n < found.gl_pathc; ++n) {
      Main* const start = entryPoint(found.gl_pathv[n]);
      if (start != NULL) return start(argc, argv);
    }
    globfree(&found);
  }
  fprintf(stderr,
          "%s: error: the Python package ptxopt %s, which this program belongs to, is neither in "
          "%s/../lib/python3*/ nor in %s/..; link to the program instead of copying it\n",
          argv[0], PTXOPT_VERSION, self, self);
  return 1;
}
