# SPDX-License-Identifier: Apache-2.0
# What the module for GPUs is made of; tests build the same to run on the processor.
file(GLOB PIPEDECK_CUDA_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
file(GLOB PIPEDECK_CUDA_KERNELS CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/kernels/*.cu)
# Of the program, not of the module: these look for the module.
list(REMOVE_ITEM PIPEDECK_CUDA_SOURCES ${CMAKE_CURRENT_LIST_DIR}/module.cpp)
