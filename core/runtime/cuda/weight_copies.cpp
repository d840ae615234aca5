// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/weight_copies.hpp"

#include <algorithm>

#include "core/runtime/cuda/bf16_copy.hpp"
#include "core/runtime/cuda/device.hpp"

namespace pipedeck::runtime::cuda {

/// A copy of one tensor of weights. It keeps the tensor's memory, not the tensor.
class WeightCopies::Copy final : public tensor::WeightCopy {
 public:
  Copy(WeightCopies& owner, const tensor::Tensor& weights)
      : owner_(owner), memory_(weights.memory()), weights_(weights.data()), count_(weights.size()) {
    if (element() == Element::bf16) rounded_ = make_bf16_buffer(memory_, count_);
    owner_.copies_.push_back(this);
  }
  ~Copy() override { std::erase(owner_.copies_, this); }

  bool holds(const float* from, std::int64_t count) const {
    return from >= weights_ && count <= count_ && from - weights_ <= count_ - count;
  }
  Bf16* rounded(const float* from) {
    if (!fresh_ || rounded_.empty()) return nullptr;
    return reinterpret_cast<Bf16*>(rounded_.data()) + (from - weights_);
  }

  /// Returns null where a copy of the rows would have to be made during a capture.
  const void* rows(const float* from, const MatrixRows& of) {
    const std::int64_t first = from - weights_;
    const auto found = std::ranges::find_if(
        rows_, [&](const Rows& kept) { return kept.first == first && kept.rows == of.rows && kept.width == of.width; });
    if (found != rows_.end()) return fresh_ && found->fresh ? found->values.data() : nullptr;
    if (!fresh_ || owner_.device_.context().is_capturing()) return nullptr;
    const std::int64_t floats = bytes_of(element()) == sizeof(float) ? 1 : 2;
    const std::int64_t all = of.rows * row_pitch(of.width, element());
    rows_.push_back({first, of.rows, of.width, tensor::Tensor(memory_, 1, (all + floats - 1) / floats), true});
    write(rows_.back());
    return rows_.back().values.data();
  }

  void refresh() override {
    const cudaStream_t stream = CudaDevice::of(*memory_).stream();
    if (!fresh_ && !rounded_.empty()) convert(stream, reinterpret_cast<Bf16*>(rounded_.data()), weights_, count_);
    for (Rows& kept : rows_) {
      if (fresh_ && kept.fresh) continue;
      write(kept);
      kept.fresh = true;
    }
    fresh_ = true;
  }
  void weights_changed() override { fresh_ = false; }
  Bytes bytes() const override {
    Bytes held = rounded_.bytes();
    for (const Rows& kept : rows_) held += kept.values.bytes();
    return held;
  }
  /// Notes that an update writes these weights, and their 16-bit values.
  void update(const float* from, std::int64_t count) {
    for (Rows& kept : rows_) {
      const std::int64_t first = from - weights_;
      if (first < kept.first + kept.rows * kept.width && kept.first < first + count) kept.fresh = false;
    }
  }

 private:
  /// A matrix of weights with a pitch.
  struct Rows {
    std::int64_t first, rows, width;
    tensor::Tensor values;
    bool fresh;
  };
  Element element() const { return owner_.device_.context().element(); }
  void write(Rows& to) {
    const cudaStream_t stream = CudaDevice::of(*memory_).stream();
    const std::int64_t pitch = row_pitch(to.width, element());
    const float* const from = weights_ + to.first;
    if (element() == Element::bf16)
      convert_rows(stream, reinterpret_cast<Bf16*>(to.values.data()), pitch, from, to.width, to.rows, to.width);
    else
      convert_rows(stream, to.values.data(), pitch, from, to.width, to.rows, to.width);
  }

  WeightCopies& owner_;
  std::shared_ptr<tensor::DeviceMemory> memory_;
  const float* weights_;
  std::int64_t count_;
  tensor::Tensor rounded_;  ///< empty: the device's products take floats
  std::vector<Rows> rows_;
  bool fresh_ = false;
};

std::unique_ptr<tensor::WeightCopy> WeightCopies::make(const tensor::Tensor& weights) {
  return std::make_unique<Copy>(*this, weights);
}

WeightCopies::Copy* WeightCopies::find(const float* weights, std::int64_t count) const {
  const auto found = std::ranges::find_if(copies_, [&](const Copy* copy) { return copy->holds(weights, count); });
  return found == copies_.end() ? nullptr : *found;
}

const Bf16* WeightCopies::rounded(const float* weights, std::int64_t count) const {
  Copy* const copy = find(weights, count);
  return copy ? copy->rounded(weights) : nullptr;
}

const void* WeightCopies::rows(const float* weights, const MatrixRows& of) {
  Copy* const copy = find(weights, of.rows * of.width);
  return copy ? copy->rows(weights, of) : nullptr;
}

Bytes WeightCopies::bytes() const {
  Bytes held;
  for (const Copy* copy : copies_) held += copy->bytes();
  return held;
}

Bf16* WeightCopies::begin_update(const float* weights, std::int64_t count) {
  Copy* const copy = find(weights, count);
  if (copy == nullptr) return nullptr;
  copy->update(weights, count);
  return copy->rounded(weights);
}

}  // namespace pipedeck::runtime::cuda
