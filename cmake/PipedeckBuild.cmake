# SPDX-License-Identifier: Apache-2.0
# One library per folder of core/ and app/, one test program per folder of tests/.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(PIPEDECK_CCACHE ccache)
if(PIPEDECK_CCACHE)
  # What one clone has compiled, another finds. Precompiled headers need the sloppiness.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros ${PIPEDECK_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${launcher})
endif()
find_program(PIPEDECK_MOLD mold)
if(PIPEDECK_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# -Wrestrict: false alarms of g++ 12 on std::string (GCC bug 105651). What nvcc hands to g++ is not pedantic.
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wno-restrict>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wno-restrict>")
if(PIPEDECK_WERROR)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Werror>" "$<$<COMPILE_LANGUAGE:CUDA>:--Werror=all-warnings;-Xcompiler=-Werror>")
endif()
if(PIPEDECK_SANITIZE)
  # Instrumented code hides from g++ that an optional is empty: its warning is a false alarm there. Null pointers end the
  # program anyway, and looking for them and for misaligned ones takes a quarter of the time to compile.
  set(sanitized -fsanitize=${PIPEDECK_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
    -fno-sanitize=null,alignment,object-size,vptr -Wno-maybe-uninitialized)
  add_link_options(-fsanitize=${PIPEDECK_SANITIZE})
  if(PIPEDECK_SANITIZE_APP_ALONE)  # with the checks of containers that their libraries have
    list(APPEND sanitized -O1 -g1 -D_GLIBCXX_ASSERTIONS -DQT_FORCE_ASSERTS)
  else()
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${sanitized}>")
  endif()
endif()

# Sanitizes what this folder and those below it compile, where the core is not sanitized.
macro(sanitize_app)
  if(PIPEDECK_SANITIZE_APP_ALONE)
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${sanitized}>")
  endif()
endmacro()

find_package(Threads REQUIRED)
find_package(tl-expected REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(RapidJSON REQUIRED)  # headers alone
find_package(ZLIB REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(pugixml REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Protobuf REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_package(Qt6 REQUIRED COMPONENTS Core Test)
if(PIPEDECK_APP)
  find_package(Qt6 REQUIRED COMPONENTS Gui Widgets Charts Concurrent Svg)
endif()

# ONNX's field numbers come from libonnx's headers, its bytes are read with protobuf's own reader of the wire format.
find_path(PIPEDECK_ONNX_INCLUDE onnx/onnx_pb.h REQUIRED)
add_library(onnx_format INTERFACE)
target_include_directories(onnx_format SYSTEM INTERFACE ${PIPEDECK_ONNX_INCLUDE})
target_link_libraries(onnx_format INTERFACE protobuf::libprotobuf-lite)
add_library(onnx_writer INTERFACE)  # the library itself, for tests
target_include_directories(onnx_writer SYSTEM INTERFACE ${PIPEDECK_ONNX_INCLUDE})
target_compile_definitions(onnx_writer INTERFACE ONNX_ML=1 ONNX_NAMESPACE=onnx)
target_link_libraries(onnx_writer INTERFACE onnx onnx_proto protobuf::libprotobuf)

# Headers that most tests include, compiled once for all whose macros of Qt are the same. Libraries need none: they compile
# eight files at once.
set(test_headers <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <mutex> <numeric> <optional> <set> <span>
  <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector> <QtTest>)
# Programs; the macros of Qt Test that name a folder differ between them. The warnings are false alarms of g++ 12 on
# std::string (GCC bug 105651), which precompiled headers no longer hide.
set(test_options -fPIE -UQT_TESTCASE_BUILDDIR -UQT_TESTCASE_SOURCEDIR
  -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
if(PIPEDECK_CCACHE AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  list(APPEND test_options -fpch-preprocess)  # ccache needs it
endif()
add_library(pipedeck_test_headers OBJECT EXCLUDE_FROM_ALL tests/support/test_program.cpp)
target_include_directories(pipedeck_test_headers PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(pipedeck_test_headers PRIVATE Qt6::Core Qt6::Test)
target_compile_options(pipedeck_test_headers PRIVATE ${test_options})
if(PIPEDECK_SANITIZE_APP_ALONE)
  target_compile_options(pipedeck_test_headers PRIVATE ${sanitized})
endif()
target_precompile_headers(pipedeck_test_headers PRIVATE ${test_headers})

# Adds a static library of all sources below this folder, and of SOURCES, without those that a regular expression of
# EXCEPT matches. Includes are written from the root: "core/model/plan.hpp".
function(pipedeck_library name)
  cmake_parse_arguments(ARG "" "" "EXCEPT;SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.cpp *.hpp)
  foreach(pattern ${ARG_EXCEPT})
    list(FILTER sources EXCLUDE REGEX ${pattern})
  endforeach()
  add_library(pipedeck_${name} STATIC ${sources} ${ARG_SOURCES})
  target_include_directories(pipedeck_${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(pipedeck_${name} PUBLIC ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
endfunction()

# What is not hot need not be optimised long: it takes a fifth off its compilation.
function(optimize_little name)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# The programs of all tests, for builds that need nothing else.
add_custom_target(all_tests)

# Sets what all ctest entries have in common. One limit for a test, whichever of its functions takes the time: Qt Test has
# its own of five minutes for each.
function(set_test_defaults name timeout)
  math(EXPR milliseconds "${timeout} * 1000")
  # Where nothing could be run, for lack of a GPU say, ctest lists the test as skipped.
  set_tests_properties(${name} PROPERTIES TIMEOUT ${timeout}
    SKIP_REGULAR_EXPRESSION "Totals: 0 passed, 0 failed, [1-9][0-9]* skipped" ENVIRONMENT
    "QT_QPA_PLATFORM=offscreen;LC_ALL=C.UTF-8;UBSAN_OPTIONS=print_stacktrace=1;QTEST_FUNCTION_TIMEOUT=${milliseconds}")
endfunction()

# Adds what moc makes of the sources tst_*.cpp. A test's class needs nothing of what the source includes: without the
# include paths, moc takes a small part of the time that AUTOMOC takes.
function(run_moc target)
  set(sources ${ARGN})
  list(FILTER sources INCLUDE REGEX "(^|/)tst_[^/]*$")
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    qt_generate_moc(${source} ${name}.moc)
    target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${name}.moc)
  endforeach()
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

# Runs moc with a program's definitions: they decide which functions a test has, and programs of one source differ.
function(run_moc_of_target target)
  list(FILTER ARGN INCLUDE REGEX "(^|/)tst_[^/]*$")
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_moc)
  file(MAKE_DIRECTORY ${folder})
  foreach(source ${ARGN})
    get_filename_component(name ${source} NAME_WE)
    qt_generate_moc(${source} ${folder}/${name}.moc TARGET ${target})
    target_sources(${target} PRIVATE ${folder}/${name}.moc)
  endforeach()
  target_include_directories(${target} BEFORE PRIVATE ${folder})
endfunction()

# Adds one program of this folder's tests, and a ctest entry for each: `NAME tst_x` runs that of tst_x.cpp. Tests are
# compiled several at once, each in a namespace of its own. EXCEPT leaves sources out. HEADERS are Qt's, precompiled for
# it alone.
function(pipedeck_tests name)
  cmake_parse_arguments(ARG "" "" "EXCEPT;LINKS;HEADERS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.cpp)
  list(FILTER sources EXCLUDE REGEX ^cuda/)  # a folder of its own
  if(ARG_EXCEPT)
    list(REMOVE_ITEM sources ${ARG_EXCEPT})
  endif()
  add_executable(${name} ${sources} $<TARGET_OBJECTS:pipedeck_test_headers>)
  add_dependencies(all_tests ${name})
  optimize_little(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} pipedeck_test_support Qt6::Test)
  target_compile_options(${name} PRIVATE ${test_options})
  if(ARG_HEADERS)
    target_precompile_headers(${name} PRIVATE ${test_headers} ${ARG_HEADERS})
  else()
    target_precompile_headers(${name} REUSE_FROM pipedeck_test_headers)
  endif()
  set(others ${sources})
  list(FILTER others EXCLUDE REGEX "(^|/)tst_")
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${unity_tests} UNITY_BUILD_BATCH_SIZE 8)
  set_source_files_properties(${others} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  list(FILTER sources INCLUDE REGEX "(^|/)tst_")
  run_moc(${name} ${sources})
  foreach(source ${sources})
    get_filename_component(test ${source} NAME_WE)
    add_test(NAME ${test} COMMAND ${name} ${test} -silent)  # failures alone reach the report
    set_test_defaults(${test} 300)
  endforeach()
endfunction()

# Adds a test that is a program of its own, and its ctest entry.
function(pipedeck_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINKS" ${ARGN})
  if(NOT ARG_SOURCES)
    set(ARG_SOURCES ${name}.cpp)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  add_dependencies(all_tests ${name})
  run_moc_of_target(${name} ${ARG_SOURCES})
  optimize_little(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} pipedeck_test_support Qt6::Test)
  add_test(NAME ${name} COMMAND ${name} -silent)
  set_test_defaults(${name} ${ARG_TIMEOUT})
endfunction()
