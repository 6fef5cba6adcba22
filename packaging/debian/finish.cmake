# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# CPack runs this when all is installed into the tree that becomes the package.

if("$ENV{DEBFULLNAME}" STREQUAL "" OR "$ENV{DEBEMAIL}" STREQUAL "")
  message(FATAL_ERROR "Set DEBFULLNAME and DEBEMAIL to the name and the address of the maintainer")
endif()
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
set(doc ${share}/doc/ptxopt)

# The zsh of Debian looks for completions of packages here.
file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)

# Both honour SOURCE_DATE_EPOCH.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
string(TIMESTAMP seconds "%s" UTC)
file(WRITE ${doc}/changelog
"ptxopt (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * CHANGELOG.md.gz says what is new.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}
")
file(COPY ${CMAKE_CURRENT_LIST_DIR}/copyright ${CMAKE_CURRENT_LIST_DIR}/../../CHANGELOG.md
     DESTINATION ${doc})
file(GLOB compressed ${doc}/changelog ${doc}/CHANGELOG.md ${share}/man/man1/*)
run(gzip -9n ${compressed})

# Two runs give the same bytes, and the mask of the user does not matter.
run(chmod -R u=rwX,go=rX ${CPACK_TEMPORARY_INSTALL_DIRECTORY})
run(find ${CPACK_TEMPORARY_INSTALL_DIRECTORY} -exec touch -h -d @${seconds} {} +)
