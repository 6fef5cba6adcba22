# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The Debian package, which CPack makes from the install rules: `./dev deb`.  One package holds the
# programs and the library, since the CMake package in it serves the users of both.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
# The maintainer, and what Debian wants to be otherwise than `cmake --install` leaves it.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/debian/finish.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Only a program that is linked with libptxopt.a needs the first.
set(CPACK_DEBIAN_PACKAGE_DEPENDS python3)  # ptxopt-launches, ptxopt-corpus
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-lz4, python3-zstandard")  # of compressed fat binaries
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libantlr4-runtime-dev, nvidia-cuda-toolkit")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "optimizing PTX-to-PTX rewriter")
set(CPACK_PACKAGE_DESCRIPTION
"ptxopt reads PTX, the assembly language of NVIDIA GPUs, as nvcc, clang or
Triton write it, removes what provably does nothing, above all barriers, and
prints valid PTX for the same GPU. What it does not change keeps its bytes.

The package has ptxopt itself; ptxopt-ptxas, which takes the place of ptxas
in a compiler; ptxcheck, which finds races and wrong barriers; ptxrun, which
runs kernels on the CPU; ptxreduce, which makes a failing file small; a
library for C and C++; and a package for CMake.")

include(CPack)
