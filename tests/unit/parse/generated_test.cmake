# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Generates the parser again and compares it byte for byte with what is committed.
if(NOT ANTLR4)
  message("SKIPPED: the antlr4 tool is not installed")
  return()
endif()
file(REMOVE_RECURSE ${OUTPUT})
execute_process(COMMAND ${CMAKE_COMMAND} -DANTLR4=${ANTLR4} -DOUTPUT=${OUTPUT} -P ${GENERATE}
  RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the parser cannot be generated")
endif()

file(GLOB_RECURSE made RELATIVE ${OUTPUT} ${OUTPUT}/*)
file(GLOB_RECURSE committed RELATIVE ${GENERATED} ${GENERATED}/*)
if(NOT made STREQUAL committed)
  message(FATAL_ERROR "committed: ${committed}\ngenerated: ${made}")
endif()
foreach(file ${made})
  execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${OUTPUT}/${file} ${GENERATED}/${file}
    RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${file} is not what the grammar gives; build the target regenerate-parser")
  endif()
endforeach()
