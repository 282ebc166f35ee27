# cmake -DBUILD_DIR=<built project> -DCONFIG=<configuration> -DWAY=find_package|pkg_config -DWORK_DIR=<scratch>
#       -P consume.cmake
# Installs BUILD_DIR under WORK_DIR, moves the installed tree (nothing in it may hold the prefix), builds the consumer
# and the example in C against it and compares what they print.
cmake_minimum_required(VERSION 3.25)
set(source_dir ${CMAKE_CURRENT_LIST_DIR}/consumer)
cmake_path(SET project_dir NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../..)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed (${result}): ${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

foreach(entry IN ITEMS CMAKE_CXX_COMPILER CMAKE_C_COMPILER CMAKE_GENERATOR AMDCOMPAT_WERROR CMAKE_PROJECT_VERSION)
  load_cache(${BUILD_DIR} READ_WITH_PREFIX cached_ ${entry})
endforeach()
if(NOT cached_CMAKE_C_COMPILER)
  set(cached_CMAKE_C_COMPILER cc)  # a build without tests has no C; the interface must not care which compiler it is
endif()

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --config ${CONFIG} --prefix ${WORK_DIR}/staged)
set(prefix ${WORK_DIR}/moved)
file(RENAME ${WORK_DIR}/staged ${prefix})

file(GLOB_RECURSE installed RELATIVE ${prefix} ${prefix}/*)
foreach(needed IN ITEMS include/amdcompat/version.hpp include/amdcompat/diagnostic.hpp include/amdcompat/codes.def
    include/amdcompat/amdcompat.h)
  if(NOT needed IN_LIST installed)
    message(FATAL_ERROR "not installed: ${needed}")
  endif()
endforeach()
file(GLOB_RECURSE shared_library ${prefix}/*libamdcompat.so)
file(GLOB_RECURSE package_files ${prefix}/*.pc)
list(GET package_files 0 package_file)
cmake_path(GET package_file PARENT_PATH package_dir)
cmake_path(GET package_dir PARENT_PATH library_dir)

if(WAY STREQUAL "find_package")
  run(${CMAKE_COMMAND} -S ${source_dir} -B ${WORK_DIR}/build -G ${cached_CMAKE_GENERATOR}
    -DCMAKE_CXX_COMPILER=${cached_CMAKE_CXX_COMPILER} -DCMAKE_C_COMPILER=${cached_CMAKE_C_COMPILER}
    -DEXAMPLES=${project_dir}/examples -DCMAKE_PREFIX_PATH=${prefix})
  run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
  set(program ${WORK_DIR}/build/consumer)
  set(c_program ${WORK_DIR}/build/launch)
else()
  # Only our own file comes from the scratch prefix; the dependencies are found where the system has them.
  set(ENV{PKG_CONFIG_PATH} ${package_dir})
  set(static_option --static)
  if(shared_library)
    set(static_option "")
  endif()
  run(pkg-config ${static_option} --cflags --libs amdcompat)
  separate_arguments(flags UNIX_COMMAND "${output}")
  set(program ${WORK_DIR}/consumer)
  run(${cached_CMAKE_CXX_COMPILER} -std=c++23 ${source_dir}/main.cpp ${flags} -o ${program})
  set(c_program ${WORK_DIR}/launch)
  run(${cached_CMAKE_C_COMPILER} -std=c11 ${project_dir}/examples/launch.c ${flags} -o ${c_program})
  run(pkg-config --modversion amdcompat)
  if(NOT output STREQUAL "${cached_CMAKE_PROJECT_VERSION}\n")
    message(FATAL_ERROR "pkg-config gives version ${output}, the project has ${cached_CMAKE_PROJECT_VERSION}")
  endif()
endif()

if(shared_library)
  set(ENV{LD_LIBRARY_PATH} ${library_dir})
endif()
run(${program})
foreach(expected IN ITEMS "^amdcompat ${cached_CMAKE_PROJECT_VERSION}\n" "\n *- *\\.args:" "\\.name: +factor\n"
    "\\.symbol: +'?scale\\.kd'?\n" "amdhsa\\.version:")
  if(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "the consumer printed\n${output}which does not match ${expected}")
  endif()
endforeach()
run(${c_program} ${project_dir}/corpus/texts/pointers-64.amdil gather 256 64)
if(NOT output MATCHES "cb0\n  00010000 01000000 01000000 01000000\n.*\ncb1\n  00001000 ")
  message(FATAL_ERROR "the example in C printed\n${output}")
endif()
message(STATUS "${WAY}: the consumer converted its kernel")
