// SPDX-License-Identifier: Apache-2.0
// The loss, whose sum stays on the GPU until the end of the step. Sources only produce valid classes as targets.
#include "core/runtime/cuda/kernels.hpp"
#include "core/runtime/cuda/layers.hpp"

namespace pipedeck::runtime::cuda {
namespace {

class CrossEntropy final : public layers::LossKernel {
 public:
  explicit CrossEntropy(std::int64_t classes) : classes_(classes) {}

  layers::LossSum forward(tensor::Tensor& logits, const tensor::Tensor& targets) const override {
    CudaDevice& device = CudaDevice::of(logits);
    tensor::Tensor sum = tensor::Tensor::zeros(logits.memory(), 1, sizeof(double) / sizeof(float));
    softmax_cross_entropy(device.stream(), logits.data(), targets.data(), reinterpret_cast<double*>(sum.data()),
                          device.context().workspace(softmax_cross_entropy_scratch(targets.size())), targets.size(),
                          classes_);
    return layers::LossSum(std::move(sum));
  }

  tensor::Tensor backward(tensor::Tensor saved, float scale) const override {
    CudaDevice::of(saved).scale(saved.values(), scale);
    return saved;
  }

 private:
  std::int64_t classes_;
};

/// A loss of classes that are sharded over partners: their results for each row are combined in three numbers.
class CutCrossEntropy final : public layers::LossKernel {
 public:
  CutCrossEntropy(std::int64_t classes, const layers::TensorParallelGroup& partners)
      : own_(partners.local_range(classes)), partners_(partners) {}

  layers::LossSum forward(tensor::Tensor& logits, const tensor::Tensor& targets) const override {
    CudaDevice& device = CudaDevice::of(logits);
    const std::int64_t rows = targets.size();
    tensor::Tensor sum = tensor::Tensor::zeros(logits.memory(), 1, sizeof(double) / sizeof(float));
    tensor::Tensor most(logits.memory(), 1, rows), sums(logits.memory(), 2, rows);
    row_max(device.stream(), most.data(), logits.data(), rows, own_.count);
    partners_.reduce_max(most);
    float *totals = sums.data(), *wanted = totals + rows;
    row_exp_sum(device.stream(), totals, wanted, logits.data(), most.data(), targets.data(), own_.first, rows,
                own_.count);
    partners_.all_reduce(sums);
    finish_cross_entropy(device.stream(), logits.data(), reinterpret_cast<double*>(sum.data()), most.data(), totals,
                         wanted, targets.data(), own_.first, rows, own_.count);
    return layers::LossSum(std::move(sum));
  }

  tensor::Tensor backward(tensor::Tensor saved, float scale) const override {
    CudaDevice::of(saved).scale(saved.values(), scale);
    return saved;
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
