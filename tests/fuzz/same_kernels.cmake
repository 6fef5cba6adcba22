# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The kernels of some seeds, by their hash: figures and reports name kernels by seed, so a seed must
# give the same text everywhere.  Who changes the generator on purpose puts the new hash here.
set(text "")
foreach(bias none barriers redundancy phis addresses leaders variables async heap)
  foreach(seed RANGE 1 8)
    execute_process(COMMAND ${PROGRAM} --print --bias ${bias} --seed ${seed}
                    OUTPUT_VARIABLE kernel COMMAND_ERROR_IS_FATAL ANY)
    string(APPEND text "${kernel}")
  endforeach()
endforeach()
string(SHA256 hash "${text}")
if(NOT hash STREQUAL "06526b84349e8d63356f04cb6a91040d41e86f0c6816a4c5ebf3f9fea7b585dd")
  message(FATAL_ERROR "the kernels are other ones than before: ${hash}")
endif()
