// SPDX-License-Identifier: Apache-2.0
// The transpose of a matrix: weights lie otherwise here than cuDNN takes them.
#pragma once

#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

namespace pipedeck::cuda {

/// to (columns x rows) = the transpose of from (rows x columns), rounded where To holds less; rows of either are
/// `..._stride` values apart. The matrices do not overlap. Of float to float, float to bf16.
template <class To, class From>
void transpose(cudaStream_t stream, To* to, std::int64_t to_stride, const From* from, std::int64_t from_stride,
               std::int64_t rows, std::int64_t columns);
/// to += the transpose. Of float to float, bf16 to float.
template <class To, class From>
void add_transpose(cudaStream_t stream, To* to, std::int64_t to_stride, const From* from, std::int64_t from_stride,
                   std::int64_t rows, std::int64_t columns);

}  // namespace pipedeck::cuda
