# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The C++ runtime of ANTLR 4, and its tool where it is installed.
#
# Defines Antlr4_LIBRARY, Antlr4_SHARED_LIBRARY (for a shared library of ours: Debian's static one
# is not position-independent), Antlr4_INCLUDE_DIR, and Antlr4_TOOL (empty without the tool, which
# needs Java).  Debian's own antlr4-runtime-config.cmake is of no use: its targets ask for -luuid,
# which the library does not need and libantlr4-runtime-dev does not install.

find_library(Antlr4_LIBRARY NAMES libantlr4-runtime.a antlr4-runtime)
find_library(Antlr4_SHARED_LIBRARY NAMES antlr4-runtime)
find_path(Antlr4_INCLUDE_DIR antlr4-runtime.h PATH_SUFFIXES antlr4-runtime)
find_program(Antlr4_TOOL antlr4)
if(NOT Antlr4_TOOL)
  set(Antlr4_TOOL "")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Antlr4 REQUIRED_VARS Antlr4_LIBRARY Antlr4_INCLUDE_DIR)
mark_as_advanced(Antlr4_LIBRARY Antlr4_SHARED_LIBRARY Antlr4_INCLUDE_DIR Antlr4_TOOL)

# ANTLR 4.9 leaves constant members of Vocabulary to a defaulted constructor.  GCC takes that; Clang
# with libstdc++ does not, and is right.  It gets a copy of the headers that spells it out; so does
# clang-tidy, where GCC compiles, with Antlr4_FOR_CLANG.
if((CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR Antlr4_FOR_CLANG) AND Antlr4_FOUND)
  set(_mended ${CMAKE_BINARY_DIR}/antlr4-runtime)
  if(NOT EXISTS ${_mended}/Vocabulary.h)
    file(COPY ${Antlr4_INCLUDE_DIR}/ DESTINATION ${_mended})
    file(READ ${_mended}/Vocabulary.h _text)
    string(REPLACE "Vocabulary() = default;"
      "Vocabulary() : _literalNames(), _symbolicNames(), _displayNames() {}" _text "${_text}")
    file(WRITE ${_mended}/Vocabulary.h "${_text}")
  endif()
  set(Antlr4_INCLUDE_DIR ${_mended} CACHE PATH "" FORCE)
endif()
