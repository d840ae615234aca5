// SPDX-License-Identifier: Apache-2.0
// The element-wise part of an LSTM's step, for one sample. The order of gates is input, forget, candidate, output.
#pragma once

#include <cstdint>

namespace pipedeck::runtime::cpu {

/// Computes `gates` (sums, in; gates, out), the cell and the output from the previous cell (null at the first step).
void lstm_step(float* gates, float* cell, float* output, const float* cell_before, std::int64_t hidden);

/// Replaces `gates` by the gradients of their sums, and `cell_gradient` (in: from later steps) by that of the previous
/// cell. `output_gradient` is the output's total gradient.
void lstm_step_backward(float* gates, float* cell_gradient, const float* output_gradient, const float* cell,
                        const float* cell_before, std::int64_t hidden);

}  // namespace pipedeck::runtime::cpu
