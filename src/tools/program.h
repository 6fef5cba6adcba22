// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a program begins: PTXOPT_MAIN(ptxrun)(int argc, char** argv) { ... }
#pragma once

// In a wheel, all programs are part of libptxopt.so, so that their common code is there once.
// wheel_program.c calls these entry points.
#ifdef PTXOPT_PROGRAMS_IN_LIBRARY
#define PTXOPT_MAIN(name) extern "C" [[gnu::visibility("default")]] int ptxopt_main_##name
#else
#define PTXOPT_MAIN(name) int main
#endif
