// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/bf16_copy.hpp"

#include "core/runtime/cuda/device.hpp"

namespace pipedeck::runtime::cuda {

tensor::Tensor make_bf16_buffer(const std::shared_ptr<tensor::DeviceMemory>& memory, std::int64_t count) {
  constexpr auto in_a_float = static_cast<std::int64_t>(sizeof(float) / sizeof(Bf16));
  return tensor::Tensor(memory, 1, (count + in_a_float - 1) / in_a_float);
}

GemmOperand::GemmOperand(const std::shared_ptr<tensor::DeviceMemory>& memory, const float* values, std::int64_t count)
    : data_(values), element_(Element::fp32) {
  CudaDevice& device = CudaDevice::of(*memory);
  if (device.context().element() == Element::fp32) return;
  copy_ = make_bf16_buffer(memory, count);
  auto* const rounded = reinterpret_cast<Bf16*>(copy_.data());
  convert(device.stream(), rounded, values, count);
  data_ = rounded, element_ = Element::bf16;
}

Bf16Copy::Bf16Copy(tensor::Tensor& to) : to_(to) {
  if (CudaDevice::of(to).context().element() == Element::bf16) halves_ = make_bf16_buffer(to.memory(), to.size());
}

void* Bf16Copy::data() { return halves_.empty() ? to_.data() : halves_.data(); }

void Bf16Copy::finish() {
  if (halves_.empty()) return;
  convert(CudaDevice::of(to_).stream(), to_.data(), reinterpret_cast<const Bf16*>(halves_.data()), to_.size());
}

}  // namespace pipedeck::runtime::cuda
