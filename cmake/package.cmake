# Debian packages by `cpack -G DEB`, from a build with BUILD_SHARED_LIBS=ON (preset `package`; scripts/package does it
# all): amdcompat, libamdcompat0, libamdcompat-dev, python3-amdcompat and, where the layer is built, amdcompat-opencl;
# with AMDCOMPAT_DOCS amdcompat-doc.
get_target_property(_type amdcompat TYPE)
if(NOT _type STREQUAL "SHARED_LIBRARY" OR NOT TARGET amdcompat_cli)
  return()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The amdcompat authors")
set(CPACK_PACKAGE_CONTACT "The amdcompat authors <maintainers@amdcompat.example>")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL tool runtime dev python)
if(TARGET amdcompat_opencl)
  list(APPEND CPACK_COMPONENTS_ALL opencl)
endif()
if(AMDCOMPAT_SITE)
  list(APPEND CPACK_COMPONENTS_ALL doc)
endif()
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
# Where dpkg-shlibdeps finds our own libraries, which no installed package has.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})

set(CPACK_DEBIAN_TOOL_PACKAGE_NAME amdcompat)
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION utils)
set(CPACK_COMPONENT_TOOL_DEPENDS runtime)
set(CPACK_COMPONENT_TOOL_DESCRIPTION "This package has the tool. It shows, checks, compares, converts and runs
kernels of AMD's discontinued Catalyst OpenCL compilers, writes HSA metadata
and code objects that loaders of today accept, and migrates whole trees of
binaries with a report.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libamdcompat0)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "This package has the shared library. It reads the binaries and metadata of
AMD's discontinued Catalyst OpenCL compilers, builds the bytes that a launch
needs, converts kernels to HSA code objects and interprets their machine
code to prove that they do the same.")
set(CPACK_DEBIAN_OPENCL_PACKAGE_NAME amdcompat-opencl)
set(CPACK_DEBIAN_OPENCL_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_OPENCL_DEPENDS runtime)
# A loader of OpenCL, which calls layers, or a runtime that brings one.
set(CPACK_DEBIAN_OPENCL_PACKAGE_DEPENDS "ocl-icd-libopencl1 | opencl-icd")
set(CPACK_DEBIAN_OPENCL_PACKAGE_RECOMMENDS "amdcompat, opencl-icd")
set(CPACK_COMPONENT_OPENCL_DESCRIPTION "This package has the OpenCL layer. With it, programs that bring binaries of
AMD's discontinued Catalyst compilers run unchanged on the OpenCL devices of
today: 'amdcompat opencl -- PROGRAM' starts them.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libamdcompat-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEV_DEPENDS runtime)
set(CPACK_COMPONENT_DEV_DESCRIPTION "This package has what programs that use the library are built with: headers
for C++ and C, a CMake package and a pkg-config file; and documentation and
examples.")

set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS amdcompat-doc)

set(CPACK_DEBIAN_DOC_PACKAGE_NAME amdcompat-doc)
set(CPACK_DEBIAN_DOC_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOC_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOC_PACKAGE_SHLIBDEPS OFF)
set(CPACK_COMPONENT_DOC_DESCRIPTION "This package has the documentation as a site that opens from disk: a quick
start, all verbs of the tool, formats, findings with examples, and the
reference of the C++ and C interface.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-amdcompat)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_COMPONENT_PYTHON_DEPENDS runtime)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.11)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS python3-numpy)
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "This package has the Python package amdcompat. It opens, converts and lifts
binaries of AMD's discontinued Catalyst OpenCL compilers, and shows the bytes
that their kernels read as NumPy structured dtypes.")
# Byte code is made for the interpreters that a machine has. [Debian Python policy, Byte-compilation]
set(_python_scripts ${PROJECT_BINARY_DIR}/cmake/python)
file(WRITE ${_python_scripts}/postinst "#!/bin/sh\nset -e\n"
  "if command -v py3compile >/dev/null 2>&1; then py3compile -p python3-amdcompat; fi\n")
file(WRITE ${_python_scripts}/prerm "#!/bin/sh\nset -e\n"
  "if command -v py3clean >/dev/null 2>&1; then py3clean -p python3-amdcompat\n"
  "else find /usr/lib/python3/dist-packages/amdcompat -name '*.pyc' -delete; fi\n")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${_python_scripts}/postinst ${_python_scripts}/prerm)

# Policy wants the licence and a changelog of its own form, compressed and without a time, in every package. Its date is
# that of SOURCE_DATE_EPOCH where there is one.
set(_changelog ${PROJECT_BINARY_DIR}/cmake/changelog)
string(TIMESTAMP _date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${_changelog}
  "amdcompat (${PROJECT_VERSION}) unstable; urgency=medium\n\n  * See CHANGELOG.md of the sources.\n\n"
  " -- ${CPACK_PACKAGE_CONTACT}  ${_date}\n")
if(AMDCOMPAT_GZIP)
  execute_process(COMMAND ${AMDCOMPAT_GZIP} -9nc ${_changelog} OUTPUT_FILE ${_changelog}.gz COMMAND_ERROR_IS_FATAL ANY)
endif()
foreach(_component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${_component} _upper)
  set(_doc ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${_upper}_PACKAGE_NAME})
  install(FILES LICENSE DESTINATION ${_doc} RENAME copyright COMPONENT ${_component})
  if(AMDCOMPAT_GZIP)
    install(FILES ${_changelog}.gz DESTINATION ${_doc} COMPONENT ${_component})
  endif()
endforeach()

# The linker's cache learns of the library.
file(WRITE ${PROJECT_BINARY_DIR}/cmake/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/cmake/triggers)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
