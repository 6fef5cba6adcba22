#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# binaries_of_nvcc.sh FOLDER: makes binaries of many kinds with nvcc, for against_cuobjdump.py and mutated_binaries.py:
# four architectures, each way to compress, relocatable code, optimized at link time, static and shared libraries.
set -euo pipefail
mkdir -p "$1"
cd "$1"
cat > plain.cu <<'X'
__global__ void k(int* p) { p[threadIdx.x] = p[threadIdx.x] * 3 + 1; __syncthreads(); p[0] = p[1]; }
template <int N> __global__ void big(float* p) {
  __shared__ float s[N];
  for (int i = 0; i < N; i += 32) { s[threadIdx.x + i] = p[i]; __syncthreads(); p[i] = s[31 - threadIdx.x]; }
}
template __global__ void big<32>(float*);
template __global__ void big<1024>(float*);
int main() { k<<<1, 32>>>(0); }
X
cat > caller.cu <<'X'
extern __device__ int helper(int);
__global__ void user(int* p) { p[0] = helper(p[1]); }
X
echo '__device__ int helper(int x) { return x * x + 1; }' > callee.cu
targets='-gencode arch=compute_80,code=[compute_80,sm_80] -gencode arch=compute_90a,code=[compute_90a,sm_90a]
         -gencode arch=compute_100,code=compute_100 -gencode arch=compute_75,code=compute_75'
one='-gencode arch=compute_80,code=sm_80 -cudart none -Xlinker --unresolved-symbols=ignore-all'
for mode in none size speed balance default; do
  how="--compress-mode $mode -Xcompiler -fPIC"
  nvcc $targets $how -c -o plain_$mode.o plain.cu
  nvcc $targets $how -fatbin -o raw_$mode.fatbin plain.cu
  nvcc $targets $how -rdc=true -dc -o caller_$mode.o caller.cu
  nvcc $targets $how -rdc=true -dc -o callee_$mode.o callee.cu
  rm -f static_$mode.a
  ar rcs static_$mode.a plain_$mode.o caller_$mode.o callee_$mode.o
  nvcc $one $how -shared -o shared_$mode.so plain_$mode.o caller_$mode.o callee_$mode.o
  nvcc $one $how -o program_$mode plain_$mode.o caller_$mode.o callee_$mode.o
  nvcc -gencode arch=compute_80,code=lto_80 -gencode arch=compute_90,code=[compute_90,lto_90] $how -dc \
       -o lto_$mode.o caller.cu
  nvcc -arch=sm_80 -dlto $how -dc -o dlto_$mode.o caller.cu
done
nvcc -arch=sm_80 -lineinfo -c -o lineinfo.o plain.cu
nvcc -arch=sm_80 -G -c -o debug.o plain.cu
nvcc -arch=sm_80 -cubin -o plain.cubin plain.cu
nvcc -arch=sm_80 -lib -o of_nvcc.a plain.cu
