# SPDX-License-Identifier: Apache-2.0
# One target a folder: pipedeck_library(domain SOURCES ... LINKS ...), pipedeck_test(tst_x SOURCES ... LINKS ...).

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
  # What one clone has compiled, another finds.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${PIPEDECK_CCACHE})
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
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${PIPEDECK_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all;-fno-sanitize=null,alignment,object-size,vptr;-Wno-maybe-uninitialized>")
  add_link_options(-fsanitize=${PIPEDECK_SANITIZE})
endif()

find_package(Threads REQUIRED)
find_package(tl-expected REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(RapidJSON REQUIRED)  # headers alone
find_package(ZLIB REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(SQLite3 REQUIRED)
find_package(pugixml REQUIRED)
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

# The release presets compile eight files of a folder at once (CMAKE_UNITY_BUILD), which takes a third of the time; not
# those whose local names another file of the folder has, too.
function(compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# A static library of one folder. Its includes are written from the root: "core/domain/plan.hpp".
function(pipedeck_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;ALONE;LINKS;PRIVATE_LINKS" ${ARGN})
  compile_alone(${ARG_ALONE})
  add_library(pipedeck_${name} STATIC ${ARG_SOURCES})
  target_include_directories(pipedeck_${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(pipedeck_${name} PUBLIC ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
endfunction()

# What is not hot need not be optimised long: it takes a fifth off its compilation.
function(optimize_little name)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# A Qt Test program and its ctest entry.
function(pipedeck_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINKS" ${ARGN})
  if(NOT ARG_SOURCES)
    set(ARG_SOURCES ${name}.cpp)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES AUTOMOC ON)
  optimize_little(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} pipedeck_test_support Qt6::Test)
  add_test(NAME ${name} COMMAND ${name})
  # One limit for a program, whichever of its functions takes the time: Qt Test has its own of five minutes for each.
  math(EXPR milliseconds "${ARG_TIMEOUT} * 1000")
  # Where nothing could be run, for lack of a GPU say, ctest lists the program as skipped.
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "Totals: 0 passed, 0 failed, [1-9][0-9]* skipped")
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} ENVIRONMENT
    "QT_QPA_PLATFORM=offscreen;LC_ALL=C.UTF-8;UBSAN_OPTIONS=print_stacktrace=1;QTEST_FUNCTION_TIMEOUT=${milliseconds}")
endfunction()
