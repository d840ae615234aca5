// SPDX-License-Identifier: Apache-2.0
// The loss, whose sum stays on the GPU until the step is over. Sources give targets of the classes alone.
#include "core/runtime/cuda/kernels.hpp"
#include "core/runtime/cuda/layers.hpp"

namespace pipedeck::cuda {
namespace {

class CrossEntropy final : public LossKernel {
 public:
  explicit CrossEntropy(std::int64_t classes) : classes_(classes) {}

  LossSum forward(Tensor& logits, const Tensor& targets) const override {
    CudaDevice& device = CudaDevice::of(logits);
    Tensor sum = Tensor::zeros(logits.memory(), 1, sizeof(double) / sizeof(float));
    softmax_cross_entropy(device.stream(), logits.data(), targets.data(), reinterpret_cast<double*>(sum.data()),
                          device.context().workspace(softmax_cross_entropy_scratch(targets.size())), targets.size(),
                          classes_);
    return LossSum(std::move(sum));
  }

  Tensor backward(Tensor saved, float scale) const override {
    CudaDevice::of(saved).scale(saved.values(), scale);
    return saved;
  }

 private:
  std::int64_t classes_;
};

}  // namespace

std::shared_ptr<const LossKernel> cuda_loss(const SoftmaxCrossEntropy& loss) {
  return std::make_shared<CrossEntropy>(loss.classes());
}

}  // namespace pipedeck::cuda
