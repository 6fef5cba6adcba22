# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ptxopt_optimize(TARGET [LEVEL n] [ASSUME word...] [LAUNCH file] [LOG file])
#
# Compiles the CUDA sources of a target of this folder through ptxopt: docs/drop-in.md, "CMake".  nvcc
# calls ptxas through a script in the build folder, which sets the variables of ptxopt-ptxas.  The name
# of the script has a hash of all that decides about the code, so that other options compile anew.

option(PTXOPT_OPTIMIZE "ptxopt_optimize() does something" ON)
option(PTXOPT_REPORT_ONLY "ptxopt_optimize() writes logs, and changes no code" OFF)

# Whether nvcc knows --ptxas-prefix.
function(_ptxopt_check_nvcc)
  if(DEFINED PTXOPT_NVCC_HAS_PREFIX)
    return()
  endif()
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --ptxas-prefix=true --version
                  RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  set(has OFF)
  if(status EQUAL 0)
    set(has ON)
  endif()
  set(PTXOPT_NVCC_HAS_PREFIX ${has} CACHE INTERNAL "nvcc knows --ptxas-prefix")
endfunction()

# A word for a shell.
function(_ptxopt_quote variable text)
  string(REPLACE "'" "'\\''" text "${text}")
  set(${variable} "'${text}'" PARENT_SCOPE)
endfunction()

function(ptxopt_optimize target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LEVEL;LAUNCH;LOG" "ASSUME")
  if(NOT TARGET ${target})
    message(FATAL_ERROR "ptxopt_optimize: there is no target '${target}'")
  endif()
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "ptxopt_optimize(${target}): wrong arguments: "
      "${arg_UNPARSED_ARGUMENTS} ${arg_KEYWORDS_MISSING_VALUES}; "
      "there are LEVEL n, ASSUME word..., LAUNCH file, LOG file")
  endif()
  if(NOT PTXOPT_OPTIMIZE)
    return()
  endif()
  if(NOT CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA")
    message(WARNING "ptxopt_optimize(${target}): the CUDA compiler is '${CMAKE_CUDA_COMPILER_ID}', "
      "and this works with nvcc alone: nothing is optimized")
    return()
  endif()
  _ptxopt_check_nvcc()
  if(NOT PTXOPT_NVCC_HAS_PREFIX)
    message(WARNING "ptxopt_optimize(${target}): ${CMAKE_CUDA_COMPILER} does not know "
      "--ptxas-prefix: nothing is optimized; docs/drop-in.md has other ways")
    return()
  endif()

  if(NOT DEFINED arg_LEVEL)
    set(arg_LEVEL 2)
  endif()
  if(NOT arg_LEVEL MATCHES "^[0-3]$")
    message(FATAL_ERROR "ptxopt_optimize(${target}): LEVEL is 0, 1, 2 or 3, not '${arg_LEVEL}'")
  endif()
  set(flags "-O${arg_LEVEL}")
  foreach(word IN LISTS arg_ASSUME)
    string(APPEND flags " --assume=${word}")
  endforeach()
  set(content "")
  if(DEFINED arg_LAUNCH)
    get_filename_component(launch "${arg_LAUNCH}" ABSOLUTE)
    if(NOT EXISTS ${launch})
      message(FATAL_ERROR "ptxopt_optimize(${target}): there is no file '${launch}'")
    endif()
    file(SHA256 ${launch} content)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${launch})
    _ptxopt_quote(quoted "${launch}")
    string(APPEND flags " --assumptions=${quoted}")
  endif()

  _ptxopt_quote(flags "${flags}")
  set(variables "PTXOPT_FLAGS=${flags}")
  if(DEFINED arg_LOG)
    get_filename_component(log "${arg_LOG}" ABSOLUTE BASE_DIR ${CMAKE_CURRENT_BINARY_DIR})
    _ptxopt_quote(log "${log}")
    string(APPEND variables " PTXOPT_LOG=${log}")
  endif()
  if(PTXOPT_REPORT_ONLY)
    string(APPEND variables " PTXOPT_REPORT_ONLY=1")
  endif()
  _ptxopt_quote(program "${PTXOPT_PTXAS_PROGRAM}")
  set(script "#!/bin/sh\n# Made by ptxopt_optimize().\n${variables} exec ${program} \"$@\"\n")

  execute_process(COMMAND ${PTXOPT_PTXAS_PROGRAM} --version OUTPUT_VARIABLE version
                  ERROR_VARIABLE version RESULT_VARIABLE ignored)
  string(SHA256 hash "${script} ${content} ${version}")
  string(SUBSTRING ${hash} 0 16 hash)
  set(file ${CMAKE_BINARY_DIR}/ptxopt/${hash}/ptxopt-ptxas)
  if(NOT EXISTS ${file})
    file(WRITE ${file} "${script}")
    file(CHMOD ${file} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
         WORLD_READ WORLD_EXECUTE)
  endif()
  if(file MATCHES " ")  # nvcc passes it on to a shell
    set(file "\"${file}\"")
  endif()
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CUDA>:--ptxas-prefix=${file}>")
endfunction()
