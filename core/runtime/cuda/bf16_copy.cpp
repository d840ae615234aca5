// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/bf16_copy.hpp"

#include <type_traits>

#include "core/runtime/cuda/device.hpp"

namespace pipedeck::runtime::cuda {

tensor::Tensor make_bf16_buffer(const std::shared_ptr<tensor::DeviceMemory>& memory, std::int64_t count) {
  constexpr auto in_a_float = static_cast<std::int64_t>(sizeof(float) / sizeof(Bf16));
  return tensor::Tensor(memory, 1, (count + in_a_float - 1) / in_a_float);
}

namespace {

constexpr std::int64_t row_bytes = 16;   ///< of which rows begin at multiples
constexpr std::int64_t padded_row = 64;  ///< values: 128 bytes of bf16, a line of the cache

template <class T>
constexpr Element element_of_type = sizeof(T) == 2 ? Element::bf16 : Element::fp32;

bool begin_aligned(const void* data, std::int64_t stride, Element element) {
  return reinterpret_cast<std::uintptr_t>(data) % row_bytes == 0 &&
         stride * static_cast<std::int64_t>(bytes_of(element)) % row_bytes == 0;
}

/// Returns a tensor with room for `count` values.
tensor::Tensor make_buffer(const std::shared_ptr<tensor::DeviceMemory>& memory, std::int64_t count, Element element) {
  return element == Element::bf16 ? make_bf16_buffer(memory, count) : tensor::Tensor(memory, 1, count);
}

}  // namespace

std::int64_t row_pitch(std::int64_t width, Element element) {
  return begin_aligned(nullptr, width, element) ? width : (width + padded_row - 1) / padded_row * padded_row;
}

template <class To, class From>
void GemmOperand::copy_rows(const From* values, const MatrixRows& of) {
  pitch_ = of.stride > of.width ? row_pitch(of.stride, element_) : row_pitch(of.width, element_);
  copy_ = make_buffer(memory_, of.rows * pitch_, element_);
  auto* const to = reinterpret_cast<To*>(copy_.data());
  data_ = to;
  const cudaStream_t stream = CudaDevice::of(*memory_).stream();
  if constexpr (!std::is_same_v<To, From>)
    if (pitch_ == of.stride) return convert(stream, to, values, of.rows * pitch_);
  convert_rows(stream, to, pitch_, values, of.stride, of.rows, of.width);
}

GemmOperand::GemmOperand(const std::shared_ptr<tensor::DeviceMemory>& memory, const float* values, const MatrixRows& of)
    : memory_(memory), data_(values), element_(CudaDevice::of(*memory).context().element()), pitch_(of.stride) {
  if (element_ == Element::bf16)
    copy_rows<Bf16>(values, of);
  else if (!begin_aligned(values, of.stride, element_))
    copy_rows<float>(values, of);
}

GemmOperand::GemmOperand(const std::shared_ptr<tensor::DeviceMemory>& memory, const Bf16* values, const MatrixRows& of)
    : memory_(memory), data_(values), element_(Element::bf16), pitch_(of.stride) {
  if (!begin_aligned(values, of.stride, element_)) copy_rows<Bf16>(values, of);
}

GemmOperand GemmOperand::of_weights(const std::shared_ptr<tensor::DeviceMemory>& memory, const float* weights,
                                    const MatrixRows& of) {
  CudaDevice& device = CudaDevice::of(*memory);
  const Element element = device.context().element();
  if (element == Element::bf16) {
    const Bf16* const rounded = device.weights().rounded(weights, of.rows * of.width);
    if (rounded && begin_aligned(rounded, of.stride, element)) return {memory, rounded, element, of.stride};
  }
  if (!begin_aligned(nullptr, of.stride, element))
    if (const void* const kept = device.weights().rows(weights, of))
      return {memory, kept, element, row_pitch(of.width, element)};
  return {memory, weights, of};
}

GemmOperand::GemmOperand(const tensor::Tensor& tensor)
    : memory_(tensor.memory()), data_(tensor.data()), element_(Element::fp32), pitch_(tensor.size()) {
  CudaDevice& device = CudaDevice::of(tensor);
  if (device.context().element() == Element::fp32) return;
  copy_ = make_bf16_buffer(memory_, tensor.size());
  auto* const rounded = reinterpret_cast<Bf16*>(copy_.data());
  convert(device.stream(), rounded, tensor.data(), tensor.size());
  data_ = rounded, element_ = Element::bf16;
}

template <class T>
GemmResult<T>::GemmResult(const std::shared_ptr<tensor::DeviceMemory>& memory, T* to, const MatrixRows& of, bool adds)
    : to_(to), of_(of), adds_(adds), pitch_(of.stride) {
  constexpr Element element = element_of_type<T>;
  if (begin_aligned(to, of.stride, element)) return;
  pitch_ = row_pitch(of.width, element);
  buffer_ = make_buffer(memory, of.rows * pitch_, element);
}

template <class T>
DeviceResult GemmResult<T>::matrix() {
  return {buffer_.empty() ? static_cast<void*>(to_) : buffer_.data(), pitch_, element_of_type<T>};
}

template <class T>
void GemmResult<T>::finish() {
  if (buffer_.empty()) return;
  const cudaStream_t stream = CudaDevice::of(buffer_).stream();
  const auto* const from = reinterpret_cast<const T*>(buffer_.data());
  if constexpr (std::is_same_v<T, float>)
    if (adds_) return add_rows(stream, to_, of_.stride, from, pitch_, of_.rows, of_.width);
  convert_rows(stream, to_, of_.stride, from, pitch_, of_.rows, of_.width);
}

template class GemmResult<float>;
template class GemmResult<Bf16>;

Bf16Copy::Bf16Copy(tensor::Tensor& to) : to_(to) {
  if (CudaDevice::of(to).context().element() == Element::bf16) halves_ = make_bf16_buffer(to.memory(), to.size());
}

void* Bf16Copy::data() { return halves_.empty() ? to_.data() : halves_.data(); }

void Bf16Copy::finish() {
  if (halves_.empty()) return;
  convert(CudaDevice::of(to_).stream(), to_.data(), reinterpret_cast<const Bf16*>(halves_.data()), to_.size());
}

}  // namespace pipedeck::runtime::cuda
