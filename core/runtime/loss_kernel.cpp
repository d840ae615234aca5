// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/loss_kernel.hpp"

#include <array>
#include <bit>
#include <utility>

namespace pipedeck {
namespace {

class ProcessorLoss final : public LossKernel {
 public:
  explicit ProcessorLoss(const SoftmaxCrossEntropy& loss) : loss_(loss) {}
  LossSum forward(Tensor& logits, const Tensor& targets) const override {
    return LossSum(loss_.forward(logits, targets));
  }
  Tensor backward(Tensor saved, float scale) const override { return loss_.backward(std::move(saved), scale); }

 private:
  SoftmaxCrossEntropy loss_;
};

}  // namespace

double LossSum::get() const {
  if (there_.empty()) return value_;
  std::array<float, sizeof(double) / sizeof(float)> bytes{};
  there_.memory()->device().download(bytes, there_.data());
  return std::bit_cast<double>(bytes);
}

std::shared_ptr<const LossKernel> processor_loss(const SoftmaxCrossEntropy& loss) {
  return std::make_shared<ProcessorLoss>(loss);
}

}  // namespace pipedeck
