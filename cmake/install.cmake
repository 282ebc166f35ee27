# Install rules: headers, libraries, tool with man pages and completions, documentation, CMake package `amdcompat` and
# pkg-config file `amdcompat.pc`.
#
# The library's own dependencies are private: no public header includes one. A static library still needs them at
# the consumer's link, so the package then looks them up, and the .pc file lists them in Requires.private.

# Components: `tool` is the program with its pages; `runtime` what it and other programs load; `dev` what programs are
# built with; `python` the Python package; `doc` the site of the documentation. cmake/package.cmake makes a Debian
# package of each.
set(_docs ${CMAKE_INSTALL_DATADIR}/doc)

install(DIRECTORY include/amdcompat DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" PATTERN "*.def")
install(FILES ${PROJECT_BINARY_DIR}/include/amdcompat/version.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/amdcompat
  COMPONENT dev)
install(TARGETS amdcompat EXPORT amdcompatTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
install(DIRECTORY docs/ DESTINATION ${_docs}/libamdcompat-dev/docs COMPONENT dev FILES_MATCHING PATTERN "*.md"
  PATTERN "*.xsd" PATTERN "*.json" PATTERN "*.svg" PATTERN "*.png")
install(DIRECTORY examples/ DESTINATION ${_docs}/libamdcompat-dev/examples COMPONENT dev FILES_MATCHING
  PATTERN "*.c" PATTERN "*.cpp")
if(TARGET amdcompat_cli)
  install(TARGETS amdcompat_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tool)
  if(AMDCOMPAT_GZIP)
    install(DIRECTORY ${AMDCOMPAT_MANUAL_DIR}/man1-gz/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tool)
  else()
    install(DIRECTORY ${AMDCOMPAT_MANUAL_DIR}/man1/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tool)
  endif()
  # Where the shells look first; Debian keeps the last two apart for files that no administrator wrote.
  install(FILES ${AMDCOMPAT_MANUAL_DIR}/bash/amdcompat
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tool)
  install(FILES ${AMDCOMPAT_MANUAL_DIR}/zsh/_amdcompat DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions
    COMPONENT tool)
  install(FILES ${AMDCOMPAT_MANUAL_DIR}/fish/amdcompat.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT tool)
endif()

# Debian's interpreters look there, whatever their version. Only a shared library can be loaded.
get_target_property(_library_type amdcompat TYPE)
if(_library_type STREQUAL "SHARED_LIBRARY")
  install(DIRECTORY python/amdcompat DESTINATION lib/python3/dist-packages COMPONENT python FILES_MATCHING
    PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
  install(FILES docs/python.md DESTINATION ${_docs}/python3-amdcompat COMPONENT python)
  install(DIRECTORY examples/ DESTINATION ${_docs}/python3-amdcompat/examples COMPONENT python FILES_MATCHING
    PATTERN "*.py")
endif()

if(AMDCOMPAT_SITE)
  install(DIRECTORY ${AMDCOMPAT_SITE}/ DESTINATION ${_docs}/amdcompat-doc/html COMPONENT doc)
endif()

# No program links it: the ICD loader opens it by its path.
if(TARGET amdcompat_opencl)
  install(TARGETS amdcompat_opencl LIBRARY DESTINATION ${AMDCOMPAT_LAYER_DIR} COMPONENT opencl)
endif()

set(_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/amdcompat)
set(AMDCOMPAT_IS_STATIC OFF)
set(AMDCOMPAT_PC_REQUIRES_PRIVATE "")
set(AMDCOMPAT_PC_LIBS_PRIVATE "")
if(_library_type STREQUAL "STATIC_LIBRARY")
  set(AMDCOMPAT_IS_STATIC ON)
  set(AMDCOMPAT_PC_REQUIRES_PRIVATE "fmt, pugixml, libelf, yaml-0.1")
  # For users of the C interface, whose compiler does not link the C++ library by itself.
  set(_runtime ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
  list(FILTER _runtime INCLUDE REGEX "^(stdc\\+\\+|c\\+\\+|m)$")
  list(TRANSFORM _runtime PREPEND "-l")
  list(JOIN _runtime " " AMDCOMPAT_PC_LIBS_PRIVATE)
endif()

install(EXPORT amdcompatTargets NAMESPACE amdcompat:: DESTINATION ${_package_dir} COMPONENT dev)
configure_package_config_file(cmake/amdcompatConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/amdcompatConfig.cmake
  INSTALL_DESTINATION ${_package_dir} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may break the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/amdcompatConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/amdcompatConfig.cmake ${PROJECT_BINARY_DIR}/cmake/amdcompatConfigVersion.cmake
  DESTINATION ${_package_dir} COMPONENT dev)

# Paths in the .pc file are relative to where it lies, so that the tree can be moved (and installed under another
# prefix than the one configured, as the packaging test does).
cmake_path(SET _pc_dir "/${CMAKE_INSTALL_LIBDIR}/pkgconfig")
cmake_path(RELATIVE_PATH _pc_dir BASE_DIRECTORY "/" OUTPUT_VARIABLE _pc_dir)
string(REGEX REPLACE "[^/]+" ".." AMDCOMPAT_PC_TO_PREFIX "${_pc_dir}")
configure_file(cmake/amdcompat.pc.in ${PROJECT_BINARY_DIR}/cmake/amdcompat.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/amdcompat.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

include(${CMAKE_CURRENT_LIST_DIR}/package.cmake)
