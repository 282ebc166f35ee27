# The site of the documentation: the pages of docs/ by mkdocs, and the C++ interface by doxygen.
#
#   cmake --build BUILD --target docs     # BUILD/docs/site/index.html
#
# Either may be missing: without mkdocs there is the interface only, in BUILD/docs/html; without both no target. With
# AMDCOMPAT_DOCS the site is made by every build and installed (Debian package amdcompat-doc).
option(AMDCOMPAT_DOCS "Make the documentation's site with every build, and install it" OFF)
find_program(DOXYGEN_PROGRAM doxygen)
find_program(MKDOCS_PROGRAM mkdocs)
mark_as_advanced(DOXYGEN_PROGRAM MKDOCS_PROGRAM)

set(_docs ${PROJECT_BINARY_DIR}/docs)
set(AMDCOMPAT_DOCS_INTERFACE false)
if(DOXYGEN_PROGRAM)
  set(AMDCOMPAT_DOCS_INTERFACE true)
endif()
configure_file(${PROJECT_SOURCE_DIR}/docs/Doxyfile.in ${_docs}/Doxyfile @ONLY)
configure_file(${CMAKE_CURRENT_LIST_DIR}/site/mkdocs.yml.in ${_docs}/mkdocs.yml @ONLY)

set(_commands "")
if(MKDOCS_PROGRAM)
  # The tree as links in the pages see it.
  list(APPEND _commands
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${_docs}/pages ${_docs}/site
    COMMAND ${CMAKE_COMMAND} -E make_directory ${_docs}/pages/docs ${_docs}/pages/examples
    COMMAND ${CMAKE_COMMAND} -E copy README.md CHANGELOG.md LICENSE ${_docs}/pages
    COMMAND ${CMAKE_COMMAND} -E copy_directory docs ${_docs}/pages/docs
    COMMAND ${CMAKE_COMMAND} -E copy_directory examples ${_docs}/pages/examples
    COMMAND ${CMAKE_COMMAND} -E rm -f ${_docs}/pages/docs/Doxyfile.in
    # A link that leads nowhere is an error.
    COMMAND ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1 ${MKDOCS_PROGRAM} --quiet build --strict --config-file
      ${_docs}/mkdocs.yml
    # No address is known that search engines could be told, and templates are no pages.
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${_docs}/site/sitemap.xml ${_docs}/site/sitemap.xml.gz ${_docs}/site/hooks.py
      ${_docs}/site/mkdocs.yml.in ${_docs}/site/__pycache__)
endif()
if(DOXYGEN_PROGRAM)
  list(APPEND _commands COMMAND ${DOXYGEN_PROGRAM} ${_docs}/Doxyfile)
  if(MKDOCS_PROGRAM)
    list(APPEND _commands COMMAND ${CMAKE_COMMAND} -E copy_directory ${_docs}/html ${_docs}/site/interface)
  endif()
endif()
set(AMDCOMPAT_SITE "")  # what is installed
if(_commands)
  set(_all "")
  if(AMDCOMPAT_DOCS AND MKDOCS_PROGRAM)
    set(_all ALL)
    set(AMDCOMPAT_SITE ${_docs}/site)
  endif()
  add_custom_target(docs ${_all} ${_commands} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    COMMENT "Writing the documentation into ${_docs}" VERBATIM)
endif()
if(AMDCOMPAT_DOCS AND NOT MKDOCS_PROGRAM)
  message(STATUS "mkdocs is not installed (Debian package mkdocs): no site of the documentation, no package amdcompat-doc")
endif()
