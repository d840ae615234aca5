// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/batch_norm.hpp"

#include "core/runtime/cuda/dnn.hpp"

namespace pipedeck::runtime::cuda {
namespace {

constexpr double epsilon = 1e-5;

/// The faster, persistent mode overflows sooner (cuDNN's reference, cudnnBatchNormMode_t).
constexpr cudnnBatchNormMode_t mode = CUDNN_BATCHNORM_SPATIAL;

struct Descriptors {
  explicit Descriptors(const NormShape& s)
      : images(image_descriptor(s.element, s.samples, s.channels, s.pixels, 1)),
        channels(image_descriptor(Element::fp32, 1, s.channels, 1, 1)) {}
  TensorDescriptor images, channels;
};

}  // namespace

void batch_norm(Context& context, void* out, float* mean, float* inverse, const void* in, const float* gain,
                const float* shift, const NormShape& shape) {
  const Descriptors d(shape);
  constexpr double unused = 1;  // of running averages
  check(cudnnBatchNormalizationForwardTraining(context.dnn(), mode, &dnn_one, &dnn_zero, d.images.get(), in,
                                               d.images.get(), out, d.channels.get(), gain, shift, unused, nullptr,
                                               nullptr, epsilon, mean, inverse),
        "cudnnBatchNormalizationForwardTraining");
}

void batch_norm_backward(Context& context, void* in_gradient, float* gain_gradient, float* shift_gradient,
                         const void* out_gradient, const void* in, const float* mean, const float* inverse,
                         const float* gain, const NormShape& shape) {
  const Descriptors d(shape);
  check(cudnnBatchNormalizationBackward(context.dnn(), mode, &dnn_one, &dnn_zero, &dnn_one, &dnn_one, d.images.get(),
                                        in, d.images.get(), out_gradient, d.images.get(), in_gradient, d.channels.get(),
                                        gain, gain_gradient, shift_gradient, epsilon, mean, inverse),
        "cudnnBatchNormalizationBackward");
}

}  // namespace pipedeck::runtime::cuda
