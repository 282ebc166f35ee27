# cmake -DMODULES=<generated> -DSOURCE_DIR=<project> -DCOMPILER=<c++> -DWORK_DIR=<scratch> -P layering.cmake
#
# 1. Compiles a probe with each module's include directories: its own headers must be found, those of every other
#    module must not, however they are spelled (from the project's root, from parser/, or by bare name).
# 2. No source reaches out of its directory with "../", which no include directory could stop.
# 3. No module includes a public header that declares what stands above it.
# 4. Public headers name only the standard library and each other, and each compiles alone (a run of parts tries every
#    third).
cmake_minimum_required(VERSION 3.25)
include(${MODULES})

# What is allowed beyond a module's own directory: the readers of containers and of code objects read ELF through
# parser/elf, and lowering stands on top of all readers. Everything else goes through the public headers.
set(amdcompat_containers_may_see parser/elf)
set(amdcompat_cl2_may_see parser/elf)
set(amdcompat_metadata_may_see parser/elf)
set(amdcompat_objects_may_see parser/elf)
set(amdcompat_lower_may_see parser/text parser/cl1 parser/cl2 parser/hsa/metadata parser/hsa/objects parser/elf)

# Public headers that a module stands below: it cannot mean what they declare.
set(amdcompat_metadata_stands_below code_object convert emulate pipeline prove)
set(amdcompat_objects_stands_below convert emulate pipeline prove)
set(amdcompat_convert_stands_below emulate pipeline prove)
set(amdcompat_emulator_stands_below convert in_place pipeline prove)
set(amdcompat_gcn_stands_below cl1 cl2 code_object convert emulate hsa in_place program prove text)

set(failures "")
macro(fail)
  string(APPEND failures "  " ${ARGN} "\n")
endmacro()

# Every directory of the project that is built for use; what comes to be later is checked without being named here.
file(GLOB rooms RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/*/CMakeLists.txt)
list(TRANSFORM rooms REPLACE "/CMakeLists.txt$" "")
list(REMOVE_ITEM rooms bench corpus examples fuzz tests)
list(FILTER rooms EXCLUDE REGEX "^(build|cmake-build|out)")
set(room_patterns ${rooms})
list(TRANSFORM room_patterns REPLACE "(.+)" "${SOURCE_DIR}/\\1/*.?pp")
list(JOIN rooms "|" any_room)

# --- who owns which private header ---
file(GLOB_RECURSE headers RELATIVE ${SOURCE_DIR} ${room_patterns})
list(FILTER headers INCLUDE REGEX "\\.hpp$")

# compile(RESULT HOW INCLUDES SOURCE): preprocesses (-E) or checks (-fsyntax-only) SOURCE with these include directories.
function(compile result how includes source)
  set(flags "")
  foreach(dir IN LISTS includes)
    list(APPEND flags -I${dir})
  endforeach()
  set(file ${WORK_DIR}/probe.cpp)
  file(WRITE ${file} "${source}")
  execute_process(COMMAND ${COMPILER} -std=c++23 ${how} ${flags} ${file}
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE output)
  set(${result} ${status} PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(probes 0)
foreach(module IN LISTS modules)
  set(own_probe "")
  set(foreign_probe "")
  set(wrong "")
  cmake_path(RELATIVE_PATH ${module}_dir BASE_DIRECTORY ${SOURCE_DIR} OUTPUT_VARIABLE own_dir)
  foreach(header IN LISTS headers)
    cmake_path(GET header PARENT_PATH dir)
    cmake_path(GET header FILENAME name)
    # A directory below that is no module of its own is part of the module.
    string(FIND ${header} ${own_dir}/ at)
    if(at EQUAL 0 AND (dir STREQUAL own_dir OR NOT EXISTS ${SOURCE_DIR}/${dir}/CMakeLists.txt))
      string(REPLACE "@${own_dir}/" "" own_name "@${header}")
      string(APPEND own_probe
        "#if !__has_include(\"${own_name}\")\n#error ${module} does not find its own ${own_name}\n#endif\n")
      continue()
    elseif(dir IN_LIST ${module}_may_see)
      continue()
    endif()
    set(wrong ${header})
    # A bare name may be that of a header of the module's own.
    set(spellings ${header})
    string(REGEX REPLACE "^parser/" "" below_parser ${header})
    list(APPEND spellings ${below_parser})
    if(NOT EXISTS ${${module}_dir}/${name})
      list(APPEND spellings ${name})
    endif()
    list(REMOVE_DUPLICATES spellings)
    foreach(spelling IN LISTS spellings)
      math(EXPR probes "${probes} + 1")
      string(APPEND foreign_probe "#if __has_include(\"${spelling}\")\n#error ${module} can include ${spelling}\n#endif\n")
    endforeach()
  endforeach()
  compile(status -E "${${module}_includes}" "${own_probe}${foreign_probe}")
  if(NOT status EQUAL 0)
    string(REGEX MATCHALL "error: #error [^\n]*" errors "${output}")
    list(REMOVE_DUPLICATES errors)
    if(NOT errors)
      set(errors "${output}")
    endif()
    foreach(error IN LISTS errors)
      fail("${error}")
    endforeach()
  endif()

  # The same seen from the other side: a real wrong include stops the compiler. One header will do, since the probe
  # above has looked for all of them.
  if(wrong)
    compile(status -E "${${module}_includes}" "#include \"${wrong}\"\n")
    if(status EQUAL 0)
      fail("${module} compiles with #include \"${wrong}\"")
    elseif(NOT output MATCHES "No such file|file not found")
      fail("${module} with #include \"${wrong}\" fails for another reason: ${output}")
    endif()
  endif()

  foreach(header IN LISTS ${module}_stands_below)
    foreach(source IN LISTS ${module}_sources)
      if(IS_ABSOLUTE "${source}")  # generated, such as a precompiled header
        continue()
      endif()
      file(STRINGS ${${module}_dir}/${source} found REGEX "^[ \t]*#[ \t]*include[ \t]*<amdcompat/${header}\\.hpp>")
      if(found)
        fail("${own_dir}/${source}: <amdcompat/${header}.hpp> stands above it")
      endif()
    endforeach()
  endforeach()
endforeach()

# --- no way around the include directories ---
file(GLOB_RECURSE sources RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/include/*.hpp ${SOURCE_DIR}/include/*.h ${room_patterns})
foreach(source IN LISTS sources)
  file(STRINGS ${SOURCE_DIR}/${source} lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]")
  foreach(line IN LISTS lines)
    if(line MATCHES "[<\"/]\\.\\./|[<\"]/")
      fail("${source}: ${line} leaves its directory")
    endif()
    if(source MATCHES "^include/" AND NOT line MATCHES "<(amdcompat/[a-z_0-9]+\\.(hpp|h|def)|[a-z_0-9]+|std[a-z]+\\.h)>")
      fail("${source}: ${line} is neither the standard library nor a public header")
    endif()
    if(source MATCHES "^(cli|core|migrate)/" AND line MATCHES "\"(${any_room}|text|cl1|cl2|hsa|elf)/")
      fail("${source}: ${line} is private to another module")
    endif()
  endforeach()
endforeach()

# --- public headers stand alone: each where long tests run whole (AMDCOMPAT_LONG), else every third ---
file(GLOB public RELATIVE ${SOURCE_DIR}/include ${SOURCE_DIR}/include/amdcompat/*.hpp
  ${SOURCE_DIR}/include/amdcompat/*.h)
list(GET modules 0 first)
if(NOT "$ENV{AMDCOMPAT_LONG}" STREQUAL "all")
  set(all ${public})
  set(public "")
  list(LENGTH all count)
  math(EXPR last "${count} - 1")
  foreach(n RANGE 0 ${last} 3)
    list(GET all ${n} header)
    list(APPEND public ${header})
  endforeach()
endif()
foreach(header IN LISTS public)
  compile(status -fsyntax-only "${${first}_includes}" "#include <${header}>\n#include <${header}>\nint main() {}\n")
  if(NOT status EQUAL 0)
    fail("<${header}> does not compile alone: ${output}")
  endif()
endforeach()

if(failures)
  message(FATAL_ERROR "\n${failures}")
endif()
list(LENGTH modules module_count)
list(LENGTH public public_count)
list(LENGTH sources source_count)
message(STATUS "${module_count} modules, ${source_count} sources, ${probes} foreign includes refused, ${public_count} public headers alone")
