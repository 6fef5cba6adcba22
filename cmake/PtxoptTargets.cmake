# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How the targets of this project are made: warnings as errors in our own code, sanitizers where
# asked for, one static library for each folder of src/.

add_library(ptxopt_flags INTERFACE)
target_compile_features(ptxopt_flags INTERFACE cxx_std_20)
target_compile_options(ptxopt_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  -Wno-missing-field-initializers -Werror
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # wrong about "x" + std::string: GCC bug 105651
  # GCC takes a .cpp file of a unity build for a header with an anonymous namespace.
  $<$<AND:$<BOOL:${PTXOPT_UNITY_BUILD}>,$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>)
target_include_directories(ptxopt_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)

if(PTXOPT_FUZZ)
  # All of our code reports its edges to libFuzzer, under the sanitizers.
  add_compile_options(-fsanitize=fuzzer-no-link)
  set(PTXOPT_SANITIZE "address,undefined")
endif()

if(PTXOPT_SANITIZE)
  add_compile_options(-fsanitize=${PTXOPT_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PTXOPT_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-maybe-uninitialized)  # the checks confuse it, in <regex> for example
  endif()
  if(PTXOPT_SANITIZE STREQUAL "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)  # fences are not followed: more may be reported, not less
  endif()
endif()

# Files of one target share their names, those in anonymous namespaces too.
function(ptxopt_unity_build)
  set_target_properties(${ARGV} PROPERTIES
    UNITY_BUILD ${PTXOPT_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE 16)
endfunction()

# ptxopt_add_library(isa SOURCES a.cpp b.cpp DEPENDS support): the library ptxopt_isa.  DEPENDS
# names only libraries of lower layers, so a wrong dependency does not link.
function(ptxopt_add_library name)
  cmake_parse_arguments(LIBRARY "" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  add_library(ptxopt_${name} STATIC ${LIBRARY_SOURCES})
  list(TRANSFORM LIBRARY_DEPENDS PREPEND ptxopt_)
  target_link_libraries(ptxopt_${name}
    PUBLIC ${LIBRARY_DEPENDS} ${LIBRARY_LINK} PRIVATE ptxopt_flags)
  ptxopt_unity_build(ptxopt_${name})
  target_include_directories(ptxopt_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
  # In a large file GCC stops to inline early: 2.5 % more instructions at -O2 without this.  Where
  # options are read and reports are written, it makes the build longer by half for nothing.
  if(PTXOPT_UNITY_BUILD AND name MATCHES "^(analysis|interp|ir|isa|parse|passes|print|support)")
    target_compile_options(ptxopt_${name} PRIVATE
      $<$<CXX_COMPILER_ID:GNU>:--param=inline-unit-growth=200>)
  endif()
  if(name MATCHES "^(analysis|passes)")  # the libraries that decide what is sound
    target_compile_options(ptxopt_${name} PRIVATE ${PTXOPT_RULE_FLAGS})
  endif()
endfunction()

# Programs that do not ship cost more to compile than to run.
function(ptxopt_not_shipped)
  foreach(target ${ARGV})
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endforeach()
endfunction()

# ptxopt_unit_test(isa SOURCES a_test.cpp DEPENDS isa): the test program isa_test, run by ctest.
function(ptxopt_unit_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  add_executable(${name}_test ${TEST_SOURCES})
  list(TRANSFORM TEST_DEPENDS PREPEND ptxopt_)
  target_link_libraries(${name}_test PRIVATE ${TEST_DEPENDS} ${TEST_LINK} ptxopt_flags
                        GTest::gtest_main)
  ptxopt_not_shipped(${name}_test)
  add_test(NAME unit/${name} COMMAND ${name}_test)
  set_tests_properties(unit/${name} PROPERTIES
    ENVIRONMENT "PTXOPT_SOURCE_DIR=${PROJECT_SOURCE_DIR};PTXOPT_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
endfunction()
