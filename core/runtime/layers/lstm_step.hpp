// SPDX-License-Identifier: Apache-2.0
// The element-wise part of an LSTM's step for all samples of a micro-batch, as layers hand it to a device. Pointers are
// the first sample's, the next one's lie `..._stride` floats on; gates lie input, forget, candidate, output.
#pragma once

#include <cstdint>

namespace pipedeck {

/// `gates` (sums, in; gates, out), the cell and the output from the cell before (null at the first step).
struct LstmStep {
  float* gates;
  float* cell;
  const float* cell_before;
  float* output;
  std::int64_t gates_stride, cell_stride, output_stride;
  std::int64_t samples, hidden;
};

/// `gates` become the gradients of their sums; `cell_gradient` (in: what later steps want; `hidden` floats a sample)
/// becomes that of the cell before. `output_gradient` is all that is wanted of the output.
struct LstmStepBackward {
  float* gates;
  float* cell_gradient;
  const float* output_gradient;
  const float* cell;
  const float* cell_before;
  std::int64_t gates_stride, cell_stride, output_stride;
  std::int64_t samples, hidden;
};

}  // namespace pipedeck
