# cmake -DSOURCE_DIR=<project> -DTOOL=<amdcompat> -DWORK_DIR=<scratch> -P compare_outputs.cmake
# scripts/compare-outputs finds nothing between a tool and itself, and names what a tool that was changed does otherwise.
cmake_minimum_required(VERSION 3.25)

set(input ${SOURCE_DIR}/corpus/texts/counters.amdil)
set(changed ${WORK_DIR}/changed)
file(WRITE ${changed} "#!/bin/sh\n[ \"$1\" != layout ] || echo 'one line more'\nexec '${TOOL}' \"$@\"\n")
file(CHMOD ${changed} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)

# expect(STATUS PATTERN... WITH ARGUMENT...): how it exits, and what it prints.
function(expect status)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "PRINTS;WITH")
  execute_process(COMMAND ${SOURCE_DIR}/scripts/compare-outputs ${ARG_WITH}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL status)
    message(FATAL_ERROR "${ARG_WITH}: status ${result} instead of ${status}:\n${output}")
  endif()
  foreach(pattern IN LISTS ARG_PRINTS)
    if(NOT output MATCHES "${pattern}")
      message(FATAL_ERROR "${ARG_WITH}: '${pattern}' is not in:\n${output}")
    endif()
  endforeach()
endfunction()

set(rows --only layout --only check)
expect(0 PRINTS "layout +1 inputs, +0 differ" "check +1 inputs, +0 differ" WITH ${rows} ${TOOL} ${TOOL} ${input})
expect(1 PRINTS "layout +1 inputs, +1 differ" "layout-svg +1 inputs, +1 differ" "check +1 inputs, +0 differ"
  "layout differs ${input}\n +\\.out: > one line more\n" WITH ${rows} ${TOOL} ${changed} ${input})
expect(2 PRINTS "two builds" WITH ${TOOL})
expect(2 PRINTS "is not there" WITH ${TOOL} ${TOOL} ${WORK_DIR}/nothing)
