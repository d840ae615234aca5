// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/convolution.hpp"

#include <array>

#include <fmt/format.h>

#include "core/runtime/cuda/dnn.hpp"
#include "core/runtime/cuda/kernels.hpp"

namespace pipedeck::runtime::cuda {
namespace {

using FilterDescriptor = DnnDescriptor<cudnnFilterStruct, cudnnDestroyFilterDescriptor>;
using ConvolutionDescriptor = DnnDescriptor<cudnnConvolutionStruct, cudnnDestroyConvolutionDescriptor>;

/// Maximum workspace of an algorithm: other layers' tensors need the memory.
constexpr std::size_t convolution_workspace = std::size_t{512} << 20;
constexpr int max_algorithms = 8;

cudnnMathType_t math_of(Precision precision) {
  return precision == Precision::fp32 ? CUDNN_FMA_MATH : CUDNN_TENSOR_OP_MATH;
}

FilterDescriptor filter_descriptor(const layers::ConvolutionShape& s, Element element) {
  auto made = make_descriptor<FilterDescriptor>(cudnnCreateFilterDescriptor, "cudnnCreateFilterDescriptor");
  check(cudnnSetFilter4dDescriptor(made.get(), dnn_type(element), CUDNN_TENSOR_NHWC, dnn_size(s.out), dnn_size(s.in),
                                   dnn_size(s.kernel), dnn_size(s.kernel)),
        "cudnnSetFilter4dDescriptor");
  return made;
}

ConvolutionDescriptor convolution_descriptor(const layers::ConvolutionShape& s, cudnnMathType_t math) {
  auto made =
      make_descriptor<ConvolutionDescriptor>(cudnnCreateConvolutionDescriptor, "cudnnCreateConvolutionDescriptor");
  const int padding = dnn_size(s.padding), stride = dnn_size(s.stride);
  check(cudnnSetConvolution2dDescriptor(made.get(), padding, padding, stride, stride, 1, 1, CUDNN_CROSS_CORRELATION,
                                        CUDNN_DATA_FLOAT),
        "cudnnSetConvolution2dDescriptor");
  check(cudnnSetConvolutionMathType(made.get(), math), "cudnnSetConvolutionMathType");
  return made;
}

/// Returns the first deterministic algorithm, or else the first one, with a warning.
template <class Offer>
const Offer& chosen(Context& context, const std::array<Offer, max_algorithms>& offers, int count, const char* call) {
  const Offer* other = nullptr;
  for (int i = 0; i < count; ++i) {
    const Offer& offer = offers[static_cast<std::size_t>(i)];
    if (offer.status != CUDNN_STATUS_SUCCESS || offer.memory > convolution_workspace) continue;
    if (offer.determinism == CUDNN_DETERMINISTIC) return offer;
    if (other == nullptr) other = &offer;
  }
  if (other == nullptr)
    throw CudaError(fmt::format("{}: found no algorithm of {} bytes of workspace or less, expected one", call,
                                convolution_workspace));
  context.warn(fmt::format("{} offers no algorithm that gives the same bits every time: runs may differ", call));
  return *other;
}

}  // namespace

struct Convolution::Programs {
  /// An algorithm of one pass, with the math mode for which it was offered.
  template <class Algorithm>
  struct Pass {
    Algorithm algorithm{};
    std::size_t workspace = 0;
    ConvolutionDescriptor convolution;
  };

  Programs(Context& context, const layers::ConvolutionShape& s, int samples)
      : in(image_descriptor(context.element(), samples, s.in, s.height, s.width)),
        out(image_descriptor(context.element(), samples, s.out, s.out_height(), s.out_width())),
        filter(filter_descriptor(s, context.element())) {
    const ConvolutionDescriptor plain = convolution_descriptor(s, math_of(context.precision()));
    forward = choose<cudnnConvolutionFwdAlgo_t, cudnnConvolutionFwdAlgoPerf_t>(
        context, s, "cudnnGetConvolutionForwardAlgorithm_v7", [&](int* count, cudnnConvolutionFwdAlgoPerf_t* offers) {
          return cudnnGetConvolutionForwardAlgorithm_v7(context.dnn(), in.get(), filter.get(), plain.get(), out.get(),
                                                        max_algorithms, count, offers);
        });
    backward_input = choose<cudnnConvolutionBwdDataAlgo_t, cudnnConvolutionBwdDataAlgoPerf_t>(
        context, s, "cudnnGetConvolutionBackwardDataAlgorithm_v7",
        [&](int* count, cudnnConvolutionBwdDataAlgoPerf_t* offers) {
          return cudnnGetConvolutionBackwardDataAlgorithm_v7(context.dnn(), filter.get(), out.get(), plain.get(),
                                                             in.get(), max_algorithms, count, offers);
        });
    backward_weight = choose<cudnnConvolutionBwdFilterAlgo_t, cudnnConvolutionBwdFilterAlgoPerf_t>(
        context, s, "cudnnGetConvolutionBackwardFilterAlgorithm_v7",
        [&](int* count, cudnnConvolutionBwdFilterAlgoPerf_t* offers) {
          return cudnnGetConvolutionBackwardFilterAlgorithm_v7(context.dnn(), in.get(), out.get(), plain.get(),
                                                               filter.get(), max_algorithms, count, offers);
        });
  }

  template <class Algorithm, class Offer, class Ask>
  static Pass<Algorithm> choose(Context& context, const layers::ConvolutionShape& s, const char* call, const Ask& ask) {
    std::array<Offer, max_algorithms> offers{};
    int count = 0;
    check(ask(&count, offers.data()), call);
    const Offer& offer = chosen(context, offers, count, call);
    return {offer.algo, offer.memory, convolution_descriptor(s, offer.mathType)};
  }

  TensorDescriptor in, out;
  FilterDescriptor filter;
  Pass<cudnnConvolutionFwdAlgo_t> forward;
  Pass<cudnnConvolutionBwdDataAlgo_t> backward_input;
  Pass<cudnnConvolutionBwdFilterAlgo_t> backward_weight;
};

Convolution::Convolution(Context& context, const layers::ConvolutionShape& shape) : context_(context), shape_(shape) {}
Convolution::~Convolution() = default;

Convolution::Programs& Convolution::programs(int samples) {
  auto& kept = programs_[samples];
  if (!kept) kept = std::make_unique<Programs>(context_, shape_, samples);
  return *kept;
}

std::size_t Convolution::packed_bytes() const {
  return static_cast<std::size_t>(shape_.weights()) * bytes_of(context_.element());
}

/// [row][column][in][out] is a matrix whose transpose is [out][row][column][in].
void Convolution::pack(void* to, const float* weights) {
  const std::int64_t inner = shape_.weights() / shape_.out;
  if (context_.element() == Element::fp32)
    transpose(context_.stream(), static_cast<float*>(to), inner, weights, shape_.out, inner, shape_.out);
  else
    transpose(context_.stream(), static_cast<__nv_bfloat16*>(to), inner, weights, shape_.out, inner, shape_.out);
}

void Convolution::forward(void* out, const void* in, const float* weights, int samples) {
  const Programs& p = programs(samples);
  SharedWorkspace space;
  const std::size_t packed = space.add(packed_bytes()), scratch = space.add(p.forward.workspace);
  space.take(context_);
  pack(space.at(packed), weights);
  check(cudnnConvolutionForward(context_.dnn(), &dnn_one, p.in.get(), in, p.filter.get(), space.at(packed),
                                p.forward.convolution.get(), p.forward.algorithm, space.at(scratch),
                                p.forward.workspace, &dnn_zero, p.out.get(), out),
        "cudnnConvolutionForward");
}

void Convolution::backward_input(void* in_gradient, const void* out_gradient, const float* weights, int samples) {
  const Programs& p = programs(samples);
  SharedWorkspace space;
  const std::size_t packed = space.add(packed_bytes()), scratch = space.add(p.backward_input.workspace);
  space.take(context_);
  pack(space.at(packed), weights);
  check(cudnnConvolutionBackwardData(context_.dnn(), &dnn_one, p.filter.get(), space.at(packed), p.out.get(),
                                     out_gradient, p.backward_input.convolution.get(), p.backward_input.algorithm,
                                     space.at(scratch), p.backward_input.workspace, &dnn_zero, p.in.get(), in_gradient),
        "cudnnConvolutionBackwardData");
}

void Convolution::backward_weight(float* weight_gradient, const void* in, const void* out_gradient, int samples) {
  const Programs& p = programs(samples);
  SharedWorkspace space;
  const std::size_t packed = space.add(packed_bytes()), scratch = space.add(p.backward_weight.workspace);
  space.take(context_);
  check(cudnnConvolutionBackwardFilter(context_.dnn(), &dnn_one, p.in.get(), in, p.out.get(), out_gradient,
                                       p.backward_weight.convolution.get(), p.backward_weight.algorithm,
                                       space.at(scratch), p.backward_weight.workspace, &dnn_zero, p.filter.get(),
                                       space.at(packed)),
        "cudnnConvolutionBackwardFilter");
  const std::int64_t inner = shape_.weights() / shape_.out;
  if (context_.element() == Element::fp32)
    add_transpose(context_.stream(), weight_gradient, shape_.out, static_cast<const float*>(space.at(packed)), inner,
                  shape_.out, inner);
  else
    add_transpose(context_.stream(), weight_gradient, shape_.out, static_cast<const __nv_bfloat16*>(space.at(packed)),
                  inner, shape_.out, inner);
}

}  // namespace pipedeck::runtime::cuda
