// SPDX-License-Identifier: Apache-2.0
// The loss, whose sum stays on the GPU until the end of the step. Sources only produce valid classes as targets.
#include <utility>

#include "core/runtime/cuda/bf16_copy.hpp"
#include "core/runtime/cuda/layers.hpp"

namespace pipedeck::runtime::cuda {
namespace {

/// Returns the rows of logits, whose distance follows from the tensor's width.
LogitRows rows_of(const tensor::Tensor& logits, std::int64_t rows, std::int64_t classes) {
  return {rows, classes, logits.size() / rows};
}

tensor::Tensor zero_sum(const tensor::Tensor& logits) {
  return tensor::Tensor::zeros(logits.memory(), 1, sizeof(double) / sizeof(float));
}

/// Calls write(gradient rows) with the place of the gradient: the logits, or 16-bit values, which replace them then.
template <class Write>
void write_gradient(tensor::Tensor& logits, const LogitRows& shape, bool narrow, const Write& write) {
  if (!narrow || CudaDevice::of(logits).context().element() == Element::fp32)
    return write(GradientRows<float>{logits.data(), shape.stride});
  constexpr std::int64_t in_a_float = sizeof(float) / sizeof(Bf16);
  const std::int64_t pitch = row_pitch(shape.columns, Element::bf16), rows_of_sample = shape.rows / logits.samples();
  tensor::Tensor gradient(logits.memory(), logits.samples(), rows_of_sample * pitch / in_a_float);
  write(GradientRows<Bf16>{reinterpret_cast<Bf16*>(gradient.data()), pitch});
  logits = std::move(gradient);
}

class CrossEntropy final : public layers::LossKernel {
 public:
  explicit CrossEntropy(std::int64_t classes) : classes_(classes) {}

  layers::LossSum forward(tensor::Tensor& logits, const tensor::Tensor& targets, float scale,
                          bool narrow) const override {
    CudaDevice& device = CudaDevice::of(logits);
    tensor::Tensor sum = zero_sum(logits);
    const LogitRows shape = rows_of(logits, targets.size(), classes_);
    void* const scratch = device.context().workspace(softmax_cross_entropy_scratch(targets.size()));
    write_gradient(logits, shape, narrow, [&](const auto& gradient) {
      softmax_cross_entropy(device.stream(), gradient, std::as_const(logits).data(), targets.data(),
                            reinterpret_cast<double*>(sum.data()), scale, scratch, shape);
    });
    return layers::LossSum(std::move(sum));
  }

 private:
  std::int64_t classes_;
};

/// A loss of classes that are sharded over partners: their results for each row are combined in three numbers.
class CutCrossEntropy final : public layers::LossKernel {
 public:
  CutCrossEntropy(std::int64_t classes, const layers::TensorParallelGroup& partners)
      : own_(partners.local_range(classes)), partners_(partners) {}

  layers::LossSum forward(tensor::Tensor& logits, const tensor::Tensor& targets, float scale,
                          bool narrow) const override {
    CudaDevice& device = CudaDevice::of(logits);
    const LogitRows shape = rows_of(logits, targets.size(), own_.count);
    tensor::Tensor sum = zero_sum(logits);
    tensor::Tensor most(logits.memory(), 1, shape.rows), sums(logits.memory(), 2, shape.rows);
    row_max(device.stream(), most.data(), std::as_const(logits).data(), shape);
    partners_.reduce_max(most);
    float *totals = sums.data(), *wanted = totals + shape.rows;
    row_exp_sum(device.stream(), totals, wanted, std::as_const(logits).data(), most.data(), targets.data(), own_.first,
                shape);
    partners_.all_reduce(sums);
    write_gradient(logits, shape, narrow, [&](const auto& gradient) {
      finish_cross_entropy(device.stream(), gradient, std::as_const(logits).data(),
                           reinterpret_cast<double*>(sum.data()), scale, most.data(), totals, wanted, targets.data(),
                           own_.first, shape);
    });
    return layers::LossSum(std::move(sum));
  }

 private:
  layers::ShardRange own_;
  layers::TensorParallelGroup partners_;
};

}  // namespace

std::shared_ptr<const layers::LossKernel> cuda_loss(const layers::SoftmaxCrossEntropy& loss) {
  if (loss.partners()) return std::make_shared<CutCrossEntropy>(loss.classes(), *loss.partners());
  return std::make_shared<CrossEntropy>(loss.classes());
}

}  // namespace pipedeck::runtime::cuda
