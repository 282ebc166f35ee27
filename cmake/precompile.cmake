# Precompiled headers: the standard library, fmt and GoogleTest are parsed once instead of once a source. What the
# project's own headers say stays out of them, so that editing one rebuilds only what includes it. Sources still
# include all that they use: the preset ci-clang builds with CMAKE_DISABLE_PRECOMPILE_HEADERS and would not compile
# without.
#
# amdcompat_precompile(TARGET library|program|test)
#   TARGET is compiled with the precompiled headers of that kind. A program is no position-independent library to the
#   compiler, and tests are optimised less: each kind needs its own. TARGET gets what the macros in the headers depend
#   on. Call it last, and not for a target with compiler options of its own.

# amdcompat_compile_together(TARGET SOURCES)
#   Where everything is built (AMDCOMPAT_UNITY), so many sources of TARGET are compiled at once: half of what compiling
#   one takes is headers. What a source has for itself then needs a name of its own in TARGET.

set(_std algorithm array bit charconv cstddef cstdint cstring expected functional iterator limits map optional set span
  string string_view type_traits unordered_map utility variant vector)
set(AMDCOMPAT_PRECOMPILED_library ${_std} fmt/format.h)
set(AMDCOMPAT_PRECOMPILED_program ${AMDCOMPAT_PRECOMPILED_library} filesystem fstream)
set(AMDCOMPAT_PRECOMPILED_test ${AMDCOMPAT_PRECOMPILED_program} sstream gtest/gtest.h)
foreach(_kind IN ITEMS library program test)
  list(TRANSFORM AMDCOMPAT_PRECOMPILED_${_kind} REPLACE "(.+)" "<\\1>")
endforeach()

function(amdcompat_precompile target kind)
  set(owner amdcompat_precompiled_${kind})
  if(NOT TARGET ${owner})
    set(source ${PROJECT_BINARY_DIR}/precompiled_${kind}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "int main() {}\n")
    if(kind STREQUAL "library")
      add_library(${owner} OBJECT EXCLUDE_FROM_ALL ${source})
    else()
      add_executable(${owner} EXCLUDE_FROM_ALL ${source})
    endif()
    target_precompile_headers(${owner} PRIVATE ${AMDCOMPAT_PRECOMPILED_${kind}})
    amdcompat_precompiled_flags(${owner} ${kind})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
  amdcompat_precompiled_flags(${target} ${kind})
endfunction()

# What must be the same where precompiled headers are made and where they are used.
function(amdcompat_precompiled_flags target kind)
  target_link_libraries(${target} PRIVATE amdcompat_build fmt::fmt)
  if(kind STREQUAL "test")
    target_link_libraries(${target} PRIVATE GTest::gtest)
    # What is measured and shipped is the library; optimising the tests would double the time to build them.
    target_compile_options(${target} PRIVATE $<$<NOT:$<BOOL:${AMDCOMPAT_COVERAGE}>>:-O0>)
  endif()
endfunction()

function(amdcompat_compile_together target sources)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${AMDCOMPAT_UNITY} UNITY_BUILD_BATCH_SIZE ${sources})
  # g++ takes classes of a source for those of a header, which may not have members of types that only a source has.
  if(AMDCOMPAT_UNITY)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()
