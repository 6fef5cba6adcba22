# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DANTLR4=antlr4 -DOUTPUT=FOLDER -P generate.cmake
#
# Makes the C++ of the lexer and of both parsers (src/parse/event_base.h says why two) from the
# grammar: what is committed in src/parse/generated.  The tool runs in the folder of the grammar, so
# that no path gets into the output.
foreach(required ANTLR4 OUTPUT)
  if(NOT ${required})
    message(FATAL_ERROR "${required} is not set")
  endif()
endforeach()
get_filename_component(OUTPUT ${OUTPUT} ABSOLUTE)

function(run_antlr4)
  execute_process(COMMAND ${ANTLR4} -Werror -Dlanguage=Cpp ${ARGN}
    WORKING_DIRECTORY ${CMAKE_CURRENT_LIST_DIR} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "antlr4 failed")
  endif()
endfunction()

set(reference ${OUTPUT}/reference)
set(fast ${OUTPUT}/fast)
file(MAKE_DIRECTORY ${reference} ${fast})
run_antlr4(-package ptxopt::parse::reference -o ${reference} PtxLexer.g4)
run_antlr4(-package ptxopt::parse::reference -no-listener -lib ${reference} -o ${reference}
           PtxParser.g4)
run_antlr4(-package ptxopt::parse::fast -no-listener -lib ${reference} -o ${fast}
           -DsuperClass=EventBase PtxParser.g4)

# The C++ is all that is needed.
file(GLOB other ${OUTPUT}/*/*.interp ${OUTPUT}/*/*.tokens)
file(REMOVE ${other})
