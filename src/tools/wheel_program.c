// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program of the wheel: finds libptxopt.so of the Python package, and calls its entry point
// there. pip installs both below one prefix, or with --target into one folder.
#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef int Main(int argc, char** argv);

// Relative to the folder of this program.
static const char* const kPlaces[] = {
    "../lib/python3*/site-packages/ptxopt/libptxopt.so",
    "../lib/python3*/dist-packages/ptxopt/libptxopt.so",
    "../lib64/python3*/site-packages/ptxopt/libptxopt.so",
    "../ptxopt/libptxopt.so",
};

// The entry point in a library of our version; NULL if there is none, and `problem` says why.
static Main* entryPoint(const char* library, char* problem, size_t size) {
  void* const loaded = dlopen(library, RTLD_NOW);
  if (loaded == NULL) {
    snprintf(problem, size, "%s", dlerror());
    return NULL;
  }
  const char* (*version)(void) = NULL;
  *(void**)&version = dlsym(loaded, "ptxopt_version");
  Main* result = NULL;
  *(void**)&result = dlsym(loaded, "ptxopt_main_" PTXOPT_PROGRAM);
  if (version == NULL || strcmp(version(), PTXOPT_VERSION) != 0) result = NULL;
  if (result == NULL) snprintf(problem, size, "%s is of another version", library);
  return result;
}

static void findOwnFolder(char* folder, size_t size) {
  const ssize_t length = readlink("/proc/self/exe", folder, size - 1);
  folder[length > 0 ? length : 0] = '\0';
  char* const slash = strrchr(folder, '/');
  if (slash != NULL) *slash = '\0';
}

// For glob(): the signs of a pattern in a path stand for themselves.
static void escape(const char* path, char* pattern) {
  for (; *path != '\0'; ++path) {
    if (strchr("*?[]\\", *path) != NULL) *pattern++ = '\\';
    *pattern++ = *path;
  }
  *pattern = '\0';
}

int main(int argc, char** argv) {
  char folder[PATH_MAX];
  findOwnFolder(folder, sizeof folder);
  char escaped[2 * PATH_MAX];
  escape(folder, escaped);
  char problem[2 * PATH_MAX] = "";
  for (size_t k = 0; k < sizeof kPlaces / sizeof kPlaces[0]; ++k) {
    char pattern[sizeof escaped + 64];
    snprintf(pattern, sizeof pattern, "%s/%s", escaped, kPlaces[k]);
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0) continue;
    for (size_t n = 0; n < found.gl_pathc; ++n) {
      Main* const start = entryPoint(found.gl_pathv[n], problem, sizeof problem);
      if (start != NULL) return start(argc, argv);
    }
    globfree(&found);
  }
  if (problem[0] != '\0') {
    fprintf(stderr, "%s: error: cannot load the Python package ptxopt %s: %s\n", argv[0],
            PTXOPT_VERSION, problem);
  } else {
    fprintf(stderr,
            "%s: error: the Python package ptxopt %s, which this program belongs to, is neither in "
            "%s/../lib/python3*/ nor in %s/..; link to the program instead of copying it\n",
            argv[0], PTXOPT_VERSION, folder, folder);
  }
  return 1;
}
