# cmake -DSOURCE_DIR=<project> -P citations.cmake
# Every source cited in a comment or table, such as [RT gpukernel.cpp], has its row in docs/sources.md.
cmake_minimum_required(VERSION 3.25)

file(STRINGS ${SOURCE_DIR}/docs/sources.md rows REGEX "^\\| [A-Z][A-Z0-9]+ \\|")
list(TRANSFORM rows REPLACE "^\\| ([A-Z0-9]+) \\|.*" "\\1" OUTPUT_VARIABLE known)

file(GLOB_RECURSE sources RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/include/*.?pp ${SOURCE_DIR}/core/*.?pp
  ${SOURCE_DIR}/parser/*.?pp ${SOURCE_DIR}/convert/*.?pp ${SOURCE_DIR}/abi/*.?pp ${SOURCE_DIR}/capi/*.?pp ${SOURCE_DIR}/emulate/*.?pp ${SOURCE_DIR}/gcn/*.?pp ${SOURCE_DIR}/prove/*.?pp
  ${SOURCE_DIR}/cli/*.?pp)
set(failures "")
set(count 0)
foreach(source IN LISTS sources)
  file(READ ${SOURCE_DIR}/${source} text)
  # Brackets mean lists to CMake; a citation is an upper-case word (of two letters or more) right behind one.
  string(REPLACE "[" "\n@" text "${text}")
  string(REGEX MATCHALL "\n@[A-Z][A-Z0-9]+[];, ]" citations "${text}")
  string(REGEX MATCHALL "[A-Z][A-Z0-9]+" keys "${citations}")
  foreach(key IN LISTS keys)
    if(key MATCHES "^AC[0-9]")  # a diagnostic code in an example
      continue()
    endif()
    math(EXPR count "${count} + 1")
    if(NOT key IN_LIST known)
      string(APPEND failures "  ${source}: [${key}] is not in docs/sources.md\n")
    endif()
  endforeach()
endforeach()
if(failures)
  message(FATAL_ERROR "\n${failures}")
endif()
message(STATUS "${count} citations resolved")
