#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# pack.sh BIN FOLDER: puts into FOLDER what run.py needs on a machine with a GPU and without this checkout: the two
# programs, which need nothing there but a C library as new as here, and the kernels.  There:
#   FOLDER/bench/gpu/run.py FOLDER/bin OUT
set -e
if [ $# -ne 2 ]; then
  echo "usage: $0 BIN FOLDER" >&2
  exit 1
fi
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$2/bin" "$2/bench/gpu/kernels" "$2/tests/interp"
for program in gpu_compare random_kernels; do
  strip -o "$2/bin/$program" "$1/$program"
  # Anything but the C library would have to be carried along.
  ldd "$2/bin/$program" | awk '{ print $1 }' |
    grep -Ev '^(linux-vdso|libc|libm|libdl|libpthread|/lib.*/ld-linux.*)\.so' &&
    { echo "pack.sh: $program needs the libraries above" >&2; exit 1; }
done
cp "$root"/bench/gpu/run.py "$2/bench/gpu/"
cp "$root"/bench/gpu/kernels/*.ptx "$root"/bench/gpu/kernels/large_launches.txt "$2/bench/gpu/kernels/"
cp "$root"/tests/interp/*.ptx "$2/tests/interp/"
(cd "$root" && find corpus/ptx -name '*.ptx' | tar -cf - -T -) | tar -xf - -C "$2"
du -sh "$2"
