# SPDX-License-Identifier: Apache-2.0
# The sources of the module for GPUs; tests also build them for the CPU.
file(GLOB PIPEDECK_CUDA_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp
  ${CMAKE_CURRENT_LIST_DIR}/fused/*.cpp)
file(GLOB PIPEDECK_CUDA_KERNELS CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/kernels/*.cu)
# The program, not the module, contains this source: it loads the module.
list(REMOVE_ITEM PIPEDECK_CUDA_SOURCES ${CMAKE_CURRENT_LIST_DIR}/module.cpp)
