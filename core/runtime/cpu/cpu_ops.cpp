// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/cpu_ops.hpp"

#include "core/runtime/cpu/lstm_kernels.hpp"

namespace pipedeck::runtime::cpu {

void CpuOps::lstm_step(const tensor::Tensor&, const layers::LstmStep& s) {
  for (std::int64_t n = 0; n < s.samples; ++n)
    cpu::lstm_step(s.gates + n * s.gates_stride, s.cell + n * s.cell_stride, s.output + n * s.output_stride,
                   s.cell_before ? s.cell_before + n * s.cell_stride : nullptr, s.hidden);
}

void CpuOps::lstm_step_backward(const tensor::Tensor&, const layers::LstmStepBackward& s) {
  for (std::int64_t n = 0; n < s.samples; ++n)
    cpu::lstm_step_backward(s.gates + n * s.gates_stride, s.cell_gradient + n * s.hidden,
                            s.output_gradient + n * s.output_stride, s.cell + n * s.cell_stride,
                            s.cell_before ? s.cell_before + n * s.cell_stride : nullptr, s.hidden);
}

}  // namespace pipedeck::runtime::cpu
