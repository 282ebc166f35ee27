# cmake -DSOURCE_DIR=<project> -P citations.cmake
# Every source that a comment cites, such as [RT gpukernel.cpp; S1 «Kernel Descriptor»], has its row in docs/sources.md.
#
# A citation is a pair of brackets with a key of two or more capitals and digits right behind the opening one. Semicolons
# separate sources; behind one stands a key again, or words in lower case. A number such as [04 §5] would be a page of
# notes that no reader has.
cmake_minimum_required(VERSION 3.25)

set(failures "")
file(STRINGS ${SOURCE_DIR}/docs/sources.md known REGEX "^\\| [A-Z][A-Z0-9]+ \\|")
list(TRANSFORM known REPLACE "^\\| ([A-Z0-9]+) \\|.*" "\\1")
set(distinct ${known})
list(REMOVE_DUPLICATES distinct)
if(NOT known STREQUAL distinct)
  string(APPEND failures "  docs/sources.md: a key has two rows\n")
endif()

# The whole tree; directories that are built are not part of it.
file(GLOB directories RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/*)
list(FILTER directories EXCLUDE REGEX "^build|^\\.|\\.")
set(patterns "")
foreach(directory IN LISTS directories)
  foreach(ending IN ITEMS cpp hpp def h c in map md)
    list(APPEND patterns ${SOURCE_DIR}/${directory}/*.${ending})
  endforeach()
endforeach()
file(GLOB_RECURSE sources RELATIVE ${SOURCE_DIR} ${patterns})

# Semicolons and brackets mean lists to CMake.
string(ASCII 1 semicolon)
string(ASCII 2 open)
string(ASCII 3 close)
set(key "[A-Z][A-Z0-9]+")
set(cited "")
foreach(source IN LISTS sources)
  file(READ ${SOURCE_DIR}/${source} text)
  string(REPLACE ";" "${semicolon}" text "${text}")
  string(REPLACE "[" "${open}" text "${text}")
  string(REPLACE "]" "${close}" text "${text}")
  string(REGEX REPLACE "\n *//+ *" " " text " ${text}")  # a citation may go on in the next line of a comment
  string(REGEX MATCHALL "[ (\n]${open}(0[0-9]|1[01])( §| «|${close}|${semicolon})" notes "${text}")
  foreach(note IN LISTS notes)
    string(REGEX MATCH "[0-9]+" note "${note}")
    string(APPEND failures "  ${source}: [${note} …] names no source\n")
  endforeach()
  string(REGEX MATCHALL "[ (\n]${open}${key}([ ,:${semicolon}][^${open}${close}]*)?${close}\\(?" citations "${text}")
  foreach(citation IN LISTS citations)
    if(citation MATCHES "\\($|${open}AC[0-9]")  # a link; a diagnostic code in an example
      continue()
    endif()
    string(REGEX REPLACE "^.${open}|${close}$" "" parts "${citation}")
    string(REPLACE "${semicolon}" ";" parts "${parts}")
    foreach(part IN LISTS parts)
      string(REGEX MATCH "^ *[^ ,:]+" name "${part}")
      string(STRIP "${name}" name)
      if(name IN_LIST known)
        list(APPEND cited ${name})
      elseif(NOT name MATCHES "^[a-z]")
        string(APPEND failures "  ${source}: [${name}] is not in docs/sources.md\n")
      endif()
    endforeach()
  endforeach()
endforeach()

list(LENGTH cited count)
list(LENGTH sources source_count)
if(count EQUAL 0)
  string(APPEND failures "  no citation was found\n")
endif()
if(failures)
  message(FATAL_ERROR "\n${failures}")
endif()
message(STATUS "${count} citations in ${source_count} files resolved")
