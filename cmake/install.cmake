# What `cmake --install` puts where: library, headers, program, package files, manual, completion.

install(TARGETS saranga_lib EXPORT saranga LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS saranga RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(folder ${LIBRARY_FOLDERS})
  if(EXISTS ${CMAKE_SOURCE_DIR}/${folder}/include)
    install(DIRECTORY ${folder}/include/saranga DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
            FILES_MATCHING PATTERN *.h)
  endif()
endforeach()

include(CMakePackageConfigHelpers)
set(PACKAGE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/saranga)
install(EXPORT saranga NAMESPACE saranga:: FILE sarangaConfig.cmake DESTINATION ${PACKAGE_FOLDER})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/sarangaConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/sarangaConfigVersion.cmake DESTINATION ${PACKAGE_FOLDER})

configure_file(cmake/saranga.pc.in saranga.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/saranga.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES completions/saranga.bash RENAME saranga
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)

# Manual pages are optional: scdoc makes them where it is installed.
find_program(SCDOC scdoc)
file(GLOB MAN_SOURCES CONFIGURE_DEPENDS man/*.scd)
if(SCDOC)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/man)
  foreach(source ${MAN_SOURCES})
    cmake_path(GET source STEM LAST_ONLY page)
    cmake_path(GET page EXTENSION LAST_ONLY section)
    string(SUBSTRING ${section} 1 -1 section)
    set(made ${CMAKE_BINARY_DIR}/man/${page})
    add_custom_command(OUTPUT ${made} COMMAND ${SCDOC} < ${source} > ${made} DEPENDS ${source})
    list(APPEND MAN_PAGES ${made})
    install(FILES ${made} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
  endforeach()
  add_custom_target(manual ALL DEPENDS ${MAN_PAGES})
else()
  message(STATUS "scdoc is not installed: no manual pages")
endif()
