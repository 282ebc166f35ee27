# cmake -DMODULES=<generated> -DSOURCE_DIR=<project> -DCOMPILER=<c++> -DWORK_DIR=<scratch> -P layering.cmake
#
# 1. Compiles a probe with each module's include directories: its own headers must be found, those of every other
#    module must not, however they are spelled (from the project's root, from parser/, or by bare name).
# 2. No source reaches out of its directory with "../", which no include directory could stop.
# 3. Public headers name only the standard library and each other, and each compiles alone.
cmake_minimum_required(VERSION 3.25)
include(${MODULES})

# What is allowed beyond a module's own directory: the readers of containers and of code objects read ELF through
# parser/elf, and lowering stands on top of all readers. Everything else goes through the public headers.
set(amdcompat_containers_may_see parser/elf)
set(amdcompat_cl2_may_see parser/elf)
set(amdcompat_hsa_may_see parser/elf)
set(amdcompat_lower_may_see parser/text parser/cl1 parser/cl2 parser/hsa parser/elf)

set(failures "")
macro(fail)
  string(APPEND failures "  " ${ARGN} "\n")
endmacro()

# --- who owns which private header ---
file(GLOB_RECURSE headers RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/core/*.hpp ${SOURCE_DIR}/parser/*.hpp
  ${SOURCE_DIR}/convert/*.hpp ${SOURCE_DIR}/abi/*.hpp ${SOURCE_DIR}/capi/*.hpp ${SOURCE_DIR}/emulate/*.hpp ${SOURCE_DIR}/gcn/*.hpp ${SOURCE_DIR}/prove/*.hpp)

# compile(RESULT INCLUDES SOURCE): preprocesses and checks SOURCE with the given include directories.
function(compile result includes source)
  set(flags "")
  foreach(dir IN LISTS includes)
    list(APPEND flags -I${dir})
  endforeach()
  set(file ${WORK_DIR}/probe.cpp)
  file(WRITE ${file} "${source}")
  execute_process(COMMAND ${COMPILER} -std=c++23 -fsyntax-only ${flags} ${file}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(${result} ${status} PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(probes 0)
foreach(module IN LISTS modules)
  set(own_probe "")
  set(foreign_probe "")
  cmake_path(RELATIVE_PATH ${module}_dir BASE_DIRECTORY ${SOURCE_DIR} OUTPUT_VARIABLE own_dir)
  foreach(header IN LISTS headers)
    cmake_path(GET header PARENT_PATH dir)
    cmake_path(GET header FILENAME name)
    if(dir STREQUAL own_dir)
      string(APPEND own_probe "#if !__has_include(\"${name}\")\n#error ${module} does not find its own ${name}\n#endif\n")
      continue()
    elseif(dir IN_LIST ${module}_may_see)
      continue()
    endif()
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
  compile(status "${${module}_includes}" "${own_probe}${foreign_probe}\n#include <amdcompat/diagnostic.hpp>\n")
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
  foreach(header IN LISTS headers)
    cmake_path(GET header PARENT_PATH dir)
    if(NOT dir STREQUAL own_dir AND NOT dir IN_LIST ${module}_may_see)
      compile(status "${${module}_includes}" "#include \"${header}\"\n")
      if(status EQUAL 0)
        fail("${module} compiles with #include \"${header}\"")
      elseif(NOT output MATCHES "No such file|file not found")
        fail("${module} with #include \"${header}\" fails for another reason: ${output}")
      endif()
      break()
    endif()
  endforeach()
endforeach()

# --- no way around the include directories ---
file(GLOB_RECURSE sources RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/include/*.hpp ${SOURCE_DIR}/include/*.h
  ${SOURCE_DIR}/core/*.?pp ${SOURCE_DIR}/parser/*.?pp ${SOURCE_DIR}/convert/*.?pp ${SOURCE_DIR}/abi/*.?pp
  ${SOURCE_DIR}/emulate/*.?pp ${SOURCE_DIR}/gcn/*.?pp ${SOURCE_DIR}/prove/*.?pp ${SOURCE_DIR}/capi/*.?pp ${SOURCE_DIR}/cli/*.?pp)
foreach(source IN LISTS sources)
  file(STRINGS ${SOURCE_DIR}/${source} lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]")
  foreach(line IN LISTS lines)
    if(line MATCHES "[<\"/]\\.\\./|[<\"]/")
      fail("${source}: ${line} leaves its directory")
    endif()
    if(source MATCHES "^include/" AND NOT line MATCHES "<(amdcompat/[a-z_0-9]+\\.(hpp|def)|[a-z_0-9]+|std[a-z]+\\.h)>")
      fail("${source}: ${line} is neither the standard library nor a public header")
    endif()
    if(source MATCHES "^(cli|core)/" AND line MATCHES "\"(parser|convert|text|cl1|hsa|elf)/")
      fail("${source}: ${line} is private to another module")
    endif()
  endforeach()
endforeach()

# --- public headers stand alone ---
file(GLOB public RELATIVE ${SOURCE_DIR}/include ${SOURCE_DIR}/include/amdcompat/*.hpp
  ${SOURCE_DIR}/include/amdcompat/*.h)
list(GET modules 0 first)
foreach(header IN LISTS public)
  compile(status "${${first}_includes}" "#include <${header}>\n#include <${header}>\nint main() {}\n")
  if(NOT status EQUAL 0)
    fail("<${header}> does not compile alone: ${output}")
  endif()
endforeach()

if(failures)
  message(FATAL_ERROR "\n${failures}")
endif()
list(LENGTH modules module_count)
list(LENGTH public public_count)
message(STATUS "${module_count} modules, ${probes} foreign includes refused, ${public_count} public headers alone")
