#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles the kernels of this folder again, with nvcc 13.0: NVCC, or the one on PATH.
set -e
cd "$(dirname "$0")"
for source in *.cu; do
  "${NVCC:-nvcc}" -O3 -ptx -arch=sm_80 -o compiled.ptx "$source"
  { grep '^// LAUNCH:' "$source"; cat compiled.ptx; } > "${source%.cu}.ptx"
  rm compiled.ptx
done
