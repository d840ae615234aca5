// SPDX-License-Identifier: Apache-2.0
// Copies and sums of rows whose distances differ. Rows of an odd width allow no vector loads, but their copies allow
// vector stores.
#include "core/runtime/cuda/kernels/columns.cuh"

namespace pipedeck::runtime::cuda {
namespace {

/// Rows of From that become rows of To.
template <class To, class From>
struct RowCopy {
  To* to;
  const From* from;
  std::int64_t to_stride, from_stride, rows, columns;
  bool adds;
};

template <int Width, class To, class From>
__global__ void __launch_bounds__(column_lanes* column_rows) copy_rows_kernel(RowCopy<To, From> copy) {
  const std::int64_t column = (static_cast<std::int64_t>(blockIdx.x) * column_lanes + threadIdx.x) * Width;
  if (column >= (copy.adds ? copy.columns : copy.to_stride)) return;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.y) * column_rows + threadIdx.y;
  for (std::int64_t row = first; row < copy.rows; row += static_cast<std::int64_t>(gridDim.y) * column_rows) {
    const From* from = copy.from + row * copy.from_stride + column;
    To* to = copy.to + row * copy.to_stride + column;
    Pack<Width> pack{};
    PIPEDECK_UNROLL
    for (int k = 0; k < Width; ++k)
      if (column + k < copy.columns) pack.value[k] = to_float(from[k]);
    if (copy.adds) {
      const auto own = load<Width>(to);
      PIPEDECK_UNROLL
      for (int k = 0; k < Width; ++k) pack.value[k] += own.value[k];
    }
    store(to, pack);
  }
}

template <class To, class From>
void copy(cudaStream_t stream, const RowCopy<To, From>& copy) {
  const std::int64_t written = copy.adds ? copy.columns : copy.to_stride;
  if (copy.rows <= 0 || written <= 0) return;
  constexpr int full = 4;
  const bool aligned = copy.to_stride % full == 0 && written % full == 0 && are_aligned<full>(copy.to);
  with_width<full>(aligned, [&](auto width) {
    const std::int64_t across = divided_up(written, width * column_lanes);
    const dim3 blocks{static_cast<unsigned>(across),
                      blocks_for(divided_up(copy.rows, column_rows), divided_up(4096, across))};
    launch(copy_rows_kernel<width, To, From>, {blocks, {column_lanes, column_rows}}, stream, copy);
  });
}

}  // namespace

template <class To, class From>
void convert_rows(cudaStream_t stream, To* to, std::int64_t to_stride, const From* from, std::int64_t from_stride,
                  std::int64_t rows, std::int64_t columns) {
  copy(stream, RowCopy<To, From>{to, from, to_stride, from_stride, rows, columns, false});
}

void add_rows(cudaStream_t stream, float* to, std::int64_t to_stride, const float* from, std::int64_t from_stride,
              std::int64_t rows, std::int64_t columns) {
  copy(stream, RowCopy<float, float>{to, from, to_stride, from_stride, rows, columns, true});
}

#define PIPEDECK_INSTANTIATE(To, From)                                                                           \
  template void convert_rows<To, From>(cudaStream_t, To*, std::int64_t, const From*, std::int64_t, std::int64_t, \
                                       std::int64_t);
PIPEDECK_INSTANTIATE(float, float)
PIPEDECK_INSTANTIATE(Bf16, float)
PIPEDECK_INSTANTIATE(Bf16, Bf16)

}  // namespace pipedeck::runtime::cuda
