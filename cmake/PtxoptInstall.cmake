# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What is installed beside the programs: the public headers, one library that holds all those below
# the command line, and the package that find_package(ptxopt) finds.

include(CMakePackageConfigHelpers)

# ptxopt_public_library(LIBRARY...): libptxopt from the objects of these libraries, so that nobody
# outside needs to know that there are several.
function(ptxopt_public_library)
  # For the imported targets of the libraries, which are known only in their own folders.
  find_package(Threads REQUIRED)
  add_library(ptxopt_library STATIC)
  set_target_properties(ptxopt_library PROPERTIES OUTPUT_NAME ptxopt EXPORT_NAME ptxopt)
  target_link_libraries(ptxopt_library PRIVATE $<BUILD_INTERFACE:ptxopt_flags>)
  target_include_directories(ptxopt_library
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

  foreach(part ${ARGN})
    target_sources(ptxopt_library PRIVATE $<TARGET_OBJECTS:ptxopt_${part}>)
    get_target_property(needed ptxopt_${part} LINK_LIBRARIES)
    list(FILTER needed EXCLUDE REGEX "ptxopt_|NOTFOUND")
    # Libraries of headers alone are of no concern to those who link.
    list(FILTER needed EXCLUDE REGEX "^(Boost::headers|fmt::.*|nlohmann_json::.*)$")
    foreach(library ${needed})
      if(IS_ABSOLUTE ${library})  # the package looks for it again, on the machine where it is used
        set(library $<BUILD_INTERFACE:${library}>)
      endif()
      target_link_libraries(ptxopt_library PRIVATE ${library})
    endforeach()
  endforeach()

  install(TARGETS ptxopt_library EXPORT ptxopt-targets)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ptxopt TYPE INCLUDE)
  set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/ptxopt)
  install(EXPORT ptxopt-targets NAMESPACE ptxopt:: DESTINATION ${package_folder})
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ptxopt-config.cmake.in
    ${PROJECT_BINARY_DIR}/ptxopt-config.cmake INSTALL_DESTINATION ${package_folder}
    PATH_VARS CMAKE_INSTALL_BINDIR)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/ptxopt-config-version.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/ptxopt-config.cmake
                ${PROJECT_BINARY_DIR}/ptxopt-config-version.cmake
                ${PROJECT_SOURCE_DIR}/cmake/ptxopt-optimize.cmake
          DESTINATION ${package_folder})
endfunction()

# ptxopt_shared_library(LIBRARY...): libptxopt.so, for those who load it when the program runs, such
# as Python.  It exports the C API alone.
function(ptxopt_shared_library)
  find_package(Antlr4 REQUIRED)
  find_package(Threads REQUIRED)
  if(NOT Antlr4_SHARED_LIBRARY)
    message(STATUS "no shared library of the ANTLR runtime: libptxopt.so is left out")
    return()
  endif()
  set(exports ${PROJECT_SOURCE_DIR}/src/api/exports.map)
  add_library(ptxopt_shared SHARED)
  set_target_properties(ptxopt_shared PROPERTIES OUTPUT_NAME ptxopt LINK_DEPENDS ${exports})
  foreach(part ${ARGN})
    target_sources(ptxopt_shared PRIVATE $<TARGET_OBJECTS:ptxopt_${part}>)
  endforeach()
  target_link_libraries(ptxopt_shared PRIVATE
    ptxopt_flags ${Antlr4_SHARED_LIBRARY} Threads::Threads)
  target_include_directories(ptxopt_shared PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_options(ptxopt_shared PRIVATE -Wl,--version-script=${exports})
  if(NOT PTXOPT_SANITIZE)  # a program has the runtime of the sanitizer
    target_link_options(ptxopt_shared PRIVATE -Wl,-z,defs)
  endif()
endfunction()
