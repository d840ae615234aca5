// SPDX-License-Identifier: Apache-2.0
// The transpose of a matrix: cuDNN takes weights in another layout.
#pragma once

#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

namespace pipedeck::runtime::cuda {

/// to (columns x rows) = the transpose of from (rows x columns), rounded if To has fewer bits. Rows are `..._stride`
/// values apart. The matrices do not overlap. Exists from float to float and to bf16.
template <class To, class From>
void transpose(cudaStream_t stream, To* to, std::int64_t to_stride, const From* from, std::int64_t from_stride,
               std::int64_t rows, std::int64_t columns);
/// to += the transpose. Exists from float and bf16 to float.
template <class To, class From>
void add_transpose(cudaStream_t stream, To* to, std::int64_t to_stride, const From* from, std::int64_t from_stride,
                   std::int64_t rows, std::int64_t columns);

}  // namespace pipedeck::runtime::cuda
