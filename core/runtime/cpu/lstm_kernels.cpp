// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/lstm_kernels.hpp"

#include "core/runtime/cpu/vector_math.hpp"

namespace pipedeck::runtime::cpu {
namespace {

PIPEDECK_INLINE void step(bool first, float* __restrict gates, float* __restrict cell, float* __restrict output,
                          const float* __restrict cell_before, std::int64_t hidden) {
  float *in = gates, *forget = gates + hidden, *candidate = gates + 2 * hidden, *out = gates + 3 * hidden;
#pragma omp simd
  for (std::int64_t i = 0; i < hidden; ++i) {
    const float earlier = first ? 0.0f : cell_before[i];
    in[i] = logistic(in[i]);
    forget[i] = logistic(forget[i]);
    candidate[i] = hyperbolic_tangent(candidate[i]);
    out[i] = logistic(out[i]);
    cell[i] = forget[i] * earlier + in[i] * candidate[i];
    output[i] = out[i] * hyperbolic_tangent(cell[i]);
  }
}

PIPEDECK_INLINE void step_backward(bool first, float* __restrict gates, float* __restrict cell_gradient,
                                   const float* __restrict output_gradient, const float* __restrict cell,
                                   const float* __restrict cell_before, std::int64_t hidden) {
  float *in = gates, *forget = gates + hidden, *candidate = gates + 2 * hidden, *out = gates + 3 * hidden;
#pragma omp simd
  for (std::int64_t i = 0; i < hidden; ++i) {
    const float squashed = hyperbolic_tangent(cell[i]), dy = output_gradient[i];
    const float dc = cell_gradient[i] + dy * out[i] * (1.0f - squashed * squashed);
    const float earlier = first ? 0.0f : cell_before[i];
    const float gate_in = in[i], gate_forget = forget[i], value = candidate[i], gate_out = out[i];
    out[i] = dy * squashed * gate_out * (1.0f - gate_out);
    in[i] = dc * value * gate_in * (1.0f - gate_in);
    candidate[i] = dc * gate_in * (1.0f - value * value);
    forget[i] = dc * earlier * gate_forget * (1.0f - gate_forget);
    cell_gradient[i] = dc * gate_forget;
  }
}

}  // namespace

PIPEDECK_KERNEL void lstm_step(float* gates, float* cell, float* output, const float* cell_before,
                               std::int64_t hidden) {
  if (cell_before == nullptr)
    step(true, gates, cell, output, nullptr, hidden);
  else
    step(false, gates, cell, output, cell_before, hidden);
}

PIPEDECK_KERNEL void lstm_step_backward(float* gates, float* cell_gradient, const float* output_gradient,
                                        const float* cell, const float* cell_before, std::int64_t hidden) {
  if (cell_before == nullptr)
    step_backward(true, gates, cell_gradient, output_gradient, cell, nullptr, hidden);
  else
    step_backward(false, gates, cell_gradient, output_gradient, cell, cell_before, hidden);
}

}  // namespace pipedeck::runtime::cpu
