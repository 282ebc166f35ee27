# cmake -DTOOL=<amdcompat> -DOTHER=<amdcompat of another compiler> -DSAMPLES=<folders>
#       -DWORK_DIR=<scratch> -P same_bytes.cmake
# What the tool writes does not depend on the compiler that built it: every file of a migration that lifts and converts.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${WORK_DIR})
foreach(run IN ITEMS TOOL OTHER)
  # Damaged samples are among them: a status says nothing here.
  execute_process(COMMAND ${${run}} migrate -q --lift --out ${WORK_DIR}/${run} ${SAMPLES} OUTPUT_QUIET ERROR_QUIET)
  file(GLOB_RECURSE ${run}_files RELATIVE ${WORK_DIR}/${run} ${WORK_DIR}/${run}/*)
  list(FILTER ${run}_files EXCLUDE REGEX "state\\.sqlite")  # a cache: it holds times
endforeach()
list(LENGTH TOOL_files count)
if(count LESS 50 OR NOT TOOL_files STREQUAL OTHER_files)
  message(FATAL_ERROR "${count} files: ${TOOL_files}\nothers: ${OTHER_files}")
endif()
foreach(name IN LISTS TOOL_files)
  file(SHA256 ${WORK_DIR}/TOOL/${name} own)
  file(SHA256 ${WORK_DIR}/OTHER/${name} other)
  if(NOT own STREQUAL other)
    message(FATAL_ERROR "${name} differs between ${WORK_DIR}/TOOL and ${WORK_DIR}/OTHER")
  endif()
endforeach()
message(STATUS "${count} files are the same")
