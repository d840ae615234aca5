// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/pooling.hpp"

#include <algorithm>

#include "core/runtime/cuda/dnn.hpp"

namespace pipedeck::runtime::cuda {
namespace {

using PoolingDescriptor = DnnDescriptor<cudnnPoolingStruct, cudnnDestroyPoolingDescriptor>;

PoolingDescriptor pooling_descriptor(const layers::PoolShape& s, Pooling::Kind kind) {
  auto made = make_descriptor<PoolingDescriptor>(cudnnCreatePoolingDescriptor, "cudnnCreatePoolingDescriptor");
  const auto mode =
      kind == Pooling::Kind::largest ? CUDNN_POOLING_MAX_DETERMINISTIC : CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING;
  const int padding = dnn_size(s.padding), stride = dnn_size(s.stride);
  check(cudnnSetPooling2dDescriptor(
            made.get(), mode, CUDNN_PROPAGATE_NAN, dnn_size(std::min(s.kernel, s.height + 2 * s.padding)),
            dnn_size(std::min(s.kernel, s.width + 2 * s.padding)), padding, padding, stride, stride),
        "cudnnSetPooling2dDescriptor");
  return made;
}

}  // namespace

struct Pooling::Program {
  Program(Element element, const layers::PoolShape& s, Kind kind, int samples)
      : in(image_descriptor(element, samples, s.channels, s.height, s.width)),
        out(image_descriptor(element, samples, s.channels, s.out_height(), s.out_width())),
        pooling(pooling_descriptor(s, kind)) {}
  TensorDescriptor in, out;
  PoolingDescriptor pooling;
};

Pooling::Pooling(Context& context, const layers::PoolShape& shape, Kind kind, Element element)
    : context_(context), shape_(shape), kind_(kind), element_(element) {}
Pooling::~Pooling() = default;

const Pooling::Program& Pooling::program(int samples) {
  auto& kept = programs_[samples];
  if (!kept) kept = std::make_unique<Program>(element_, shape_, kind_, samples);
  return *kept;
}

void Pooling::forward(void* out, const void* in, int samples) {
  const Program& p = program(samples);
  check(cudnnPoolingForward(context_.dnn(), p.pooling.get(), &dnn_one, p.in.get(), in, &dnn_zero, p.out.get(), out),
        "cudnnPoolingForward");
}

void Pooling::backward(void* in_gradient, const void* out_gradient, const void* in, int samples) {
  const Program& p = program(samples);
  const void* out = out_gradient;  // for a mean cuDNN reads no output, but needs an address
  if (kind_ == Kind::largest) {
    // The output is recomputed instead of saved: saving it would cost a tensor per micro-batch.
    void* const again =
        context_.workspace(static_cast<std::size_t>(samples * shape_.out_values()) * bytes_of(element_));
    forward(again, in, samples);
    out = again;
  }
  check(cudnnPoolingBackward(context_.dnn(), p.pooling.get(), &dnn_one, p.out.get(), out, p.out.get(), out_gradient,
                             p.in.get(), in, &dnn_zero, p.in.get(), in_gradient),
        "cudnnPoolingBackward");
}

}  // namespace pipedeck::runtime::cuda
