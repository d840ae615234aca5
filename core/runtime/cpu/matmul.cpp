// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/matmul.hpp"

#include <execinfo.h>
#include <omp.h>
#include <sys/mman.h>

#include <new>
#include <stdexcept>
#include <vector>

#include <oneapi/dnnl/dnnl.h>

namespace pipedeck::runtime::cpu {

void multiply(std::int64_t rows, std::int64_t columns, std::int64_t inner, tensor::Matrix left, tensor::Matrix right,
              float* result, std::int64_t result_stride, float keep, float scale) {
  const dnnl_status_t status =
      dnnl_sgemm(left.transposed ? 'T' : 'N', right.transposed ? 'T' : 'N', rows, columns, inner, scale, left.data,
                 left.stride, right.data, right.stride, keep, result, result_stride);
  if (status != dnnl_success) throw std::runtime_error("oneDNN refused a matrix product");
}

void write_product_kernels() {
  constexpr std::size_t room = std::size_t{32} << 20;  // several times the memory that they need
  void* const found = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (found == MAP_FAILED) throw std::bad_alloc();
  munmap(found, room);
  constexpr std::int64_t side = 64;  // smaller products use none of them
  const std::vector<float> factor(side * side);
  std::vector<float> product(side * side);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  multiply(side, side, side, {factor.data(), side}, {factor.data(), side}, product.data(), side);
  omp_set_num_threads(threads);
}

void use_one_thread() {
  // OpenMP ends its threads by unwinding. glibc loads the code for it on first use, and aborts the process if there is
  // no memory left. Loading it here makes a lack of device memory an ordinary error.
  static const int loaded = [] {
    void* frame = nullptr;
    return backtrace(&frame, 1);
  }();
  static_cast<void>(loaded);
  omp_set_num_threads(1);
}

}  // namespace pipedeck::runtime::cpu
