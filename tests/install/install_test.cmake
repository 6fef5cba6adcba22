# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs the build into an empty folder, then configures, builds and runs the project in consumer/
# against that folder alone.
cmake_minimum_required(VERSION 3.22)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "${line}\n${output}")
  endif()
endfunction()

set(prefix ${WORK}/prefix)
file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --config "${CONFIG}")

set(expected "")
foreach(program ptxcheck ptxopt ptxopt-corpus ptxopt-launches ptxopt-make-nvcc-bin ptxopt-ptxas ptxopt-ptxas-blackwell ptxreduce ptxrun)
  list(APPEND expected bin/${program} share/man/man1/${program}.1)
endforeach()
foreach(program ptxcheck ptxopt ptxreduce ptxrun)  # the options of ptxopt-ptxas are those of ptxas
  list(APPEND expected share/bash-completion/completions/${program}
    share/zsh/site-functions/_${program} share/fish/vendor_completions.d/${program}.fish)
endforeach()
foreach(file ${expected})
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()
run(${prefix}/bin/ptxopt --version)

file(GLOB_RECURSE installed RELATIVE ${prefix} ${prefix}/include/*)
foreach(header ${installed})
  if(NOT header MATCHES "^include/ptxopt/ptxopt\\.(h|hpp)$")
    message(FATAL_ERROR "${header} is none of the public headers")
  endif()
endforeach()

set(flags "")
if(SANITIZE)
  set(flags -fsanitize=${SANITIZE})
endif()
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${WORK}/build -G ${GENERATOR}
    -D CMAKE_BUILD_TYPE=${CONFIG} -D CMAKE_PREFIX_PATH=${prefix}
    -D CMAKE_C_COMPILER=${C_COMPILER} -D CMAKE_CXX_COMPILER=${CXX_COMPILER}
    -D CMAKE_C_FLAGS=${flags} -D CMAKE_CXX_FLAGS=${flags})
run(${CMAKE_COMMAND} --build ${WORK}/build --config "${CONFIG}")
run(${WORK}/build/use_c)
run(${WORK}/build/use_cpp)
