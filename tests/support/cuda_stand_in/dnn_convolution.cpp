// SPDX-License-Identifier: Apache-2.0
// cuDNN's convolutions of version 7's interface. Each direction has two algorithms, the faster of which does not give
// the same bits every time and must not be taken.
#include "tests/support/cuda_stand_in/dnn.hpp"
#include "tests/support/cuda_stand_in/machine.hpp"

struct cudnnFilterStruct {
  bool set = false;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  std::int64_t out = 0, in = 0, h = 0, w = 0;
  std::int64_t values() const { return out * in * h * w; }
};

struct cudnnConvolutionStruct {
  bool set = false;
  std::int64_t pad_h = 0, pad_w = 0, stride_h = 1, stride_w = 1;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};

namespace cuda_stand_in {
namespace {

constexpr const char* filter_kind = "cuDNN filter descriptor";
constexpr const char* convolution_kind = "cuDNN convolution descriptor";
constexpr int steady = 1, unsteady = 0;  ///< numbers of algorithms
constexpr std::size_t steady_workspace = 1024, unsteady_workspace = 0;

struct Convolution {
  cudnnTensorStruct in, out;
  cudnnFilterStruct filter;
  cudnnConvolutionStruct how;

  Convolution(cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w, cudnnConvolutionDescriptor_t c,
              cudnnTensorDescriptor_t y)
      : in(image(x)), out(image(y)) {
    check_alive(w, filter_kind);
    check_alive(c, convolution_kind);
    require(w->set && c->set, "a descriptor that was never set");
    filter = *w;
    how = *c;
    require(in.type == out.type && in.type == filter.type, "images and filter are of several types");
    require(how.math != CUDNN_FMA_MATH || in.type == CUDNN_DATA_FLOAT, "16-bit images are for tensor cores",
            CUDNN_STATUS_NOT_SUPPORTED);
    require(in.n == out.n && in.c == filter.in && out.c == filter.out, "images and filter do not fit");
    require(out.h == (in.h + 2 * how.pad_h - filter.h) / how.stride_h + 1 &&
                out.w == (in.w + 2 * how.pad_w - filter.w) / how.stride_w + 1,
            "the output is not of this input's size");
    require(in.h + 2 * how.pad_h >= filter.h && in.w + 2 * how.pad_w >= filter.w,
            "the filter is larger than the image");
  }

  /// visit(output value, input value, filter value) for every product.
  template <class Visit>
  void each(Visit visit) const {
    for (std::int64_t n = 0; n < out.n; ++n)
      for (std::int64_t y = 0; y < out.h; ++y)
        for (std::int64_t x = 0; x < out.w; ++x)
          for (std::int64_t r = 0; r < filter.h; ++r)
            for (std::int64_t s = 0; s < filter.w; ++s) {
              const std::int64_t row = y * how.stride_h - how.pad_h + r, column = x * how.stride_w - how.pad_w + s;
              if (row < 0 || row >= in.h || column < 0 || column >= in.w) continue;
              const std::int64_t pixel = (n * in.h + row) * in.w + column, to = (n * out.h + y) * out.w + x;
              for (std::int64_t k = 0; k < filter.out; ++k)
                for (std::int64_t c = 0; c < filter.in; ++c)
                  visit(to * filter.out + k, pixel * filter.in + c,
                        ((k * filter.h + r) * filter.w + s) * filter.in + c);
            }
  }
  Values::Type type() const { return values_of(in.type); }
  std::size_t filter_bytes() const { return static_cast<std::size_t>(filter.values()) * bytes_of(type()); }
};

std::vector<double> all(const void* data, Values::Type type, std::int64_t count) {
  const Values values(data, type);
  std::vector<double> list(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) list[static_cast<std::size_t>(i)] = values.get(i);
  return list;
}

/// alpha * sums, with beta times what is there, as all directions end.
void finish(void* data, Values::Type type, const std::vector<Sum>& sums, double alpha, double beta) {
  Values values(data, type);
  for (std::size_t i = 0; i < sums.size(); ++i)
    values.blend(static_cast<std::int64_t>(i), alpha, sums[i].result(i), beta);
}

bool unsteady_only() {
  const std::lock_guard lock(machine().mutex);
  return machine().strictness.unsteady_convolutions;
}

template <class Perf, class Algorithm>
void list_algorithms(int wanted, int* count, Perf* results, Algorithm first, Algorithm second, cudnnMathType_t math) {
  require(wanted >= 1, "no algorithm is wanted");
  Perf one{};
  one.status = CUDNN_STATUS_SUCCESS;
  one.mathType = math;
  one.algo = first;
  one.determinism = CUDNN_NON_DETERMINISTIC;
  one.memory = unsteady_workspace;
  results[0] = one;
  *count = 1;
  if (wanted == 1 || unsteady_only()) return;
  one.algo = second;
  one.determinism = CUDNN_DETERMINISTIC;
  one.memory = steady_workspace;
  results[1] = one;
  *count = 2;
}

std::size_t workspace_of(int algorithm) { return algorithm == steady ? steady_workspace : unsteady_workspace; }

void check_algorithm(int algorithm) {
  require(algorithm != unsteady || unsteady_only(), "an algorithm that gives other bits every time",
          CUDNN_STATUS_NOT_SUPPORTED);
  require(algorithm == steady || algorithm == unsteady, "an algorithm that was not offered",
          CUDNN_STATUS_NOT_SUPPORTED);
}

}  // namespace
}  // namespace cuda_stand_in

using namespace cuda_stand_in;

extern "C" {

cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* descriptor) {
  return dnn_call("cudnnCreateFilterDescriptor", [&] { make_descriptor(descriptor, filter_kind); });
}
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t descriptor) {
  return dnn_destroy("cudnnDestroyFilterDescriptor", [&] { destroy_descriptor(descriptor, filter_kind); });
}
cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t descriptor, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int k, int c, int h, int w) {
  return dnn_call("cudnnSetFilter4dDescriptor", [&] {
    check_alive(descriptor, filter_kind);
    check_type(type);
    require(format == CUDNN_TENSOR_NHWC, "a filter lies as its images do", CUDNN_STATUS_NOT_SUPPORTED);
    require(k > 0 && c > 0 && h > 0 && w > 0, "a dimension is not positive");
    *descriptor = {true, type, k, c, h, w};
  });
}

cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* descriptor) {
  return dnn_call("cudnnCreateConvolutionDescriptor", [&] { make_descriptor(descriptor, convolution_kind); });
}
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t descriptor) {
  return dnn_destroy("cudnnDestroyConvolutionDescriptor", [&] { destroy_descriptor(descriptor, convolution_kind); });
}
cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t descriptor, int pad_h, int pad_w,
                                              int stride_h, int stride_w, int dilation_h, int dilation_w,
                                              cudnnConvolutionMode_t mode, cudnnDataType_t compute) {
  return dnn_call("cudnnSetConvolution2dDescriptor", [&] {
    check_alive(descriptor, convolution_kind);
    require(pad_h >= 0 && pad_w >= 0 && stride_h > 0 && stride_w > 0, "padding or stride is none");
    require(dilation_h == 1 && dilation_w == 1, "the stand-in knows no dilation");
    require(mode == CUDNN_CROSS_CORRELATION, "layers are cross-correlations");
    require(compute == CUDNN_DATA_FLOAT, "sums are 32-bit floats", CUDNN_STATUS_NOT_SUPPORTED);
    *descriptor = {true, pad_h, pad_w, stride_h, stride_w, CUDNN_DEFAULT_MATH};
  });
}
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t descriptor, cudnnMathType_t math) {
  return dnn_call("cudnnSetConvolutionMathType", [&] {
    check_alive(descriptor, convolution_kind);
    require(math != CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION, "32-bit floats must not become 16-bit ones");
    descriptor->math = math;
  });
}

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t handle, const cudnnTensorDescriptor_t x,
                                                     const cudnnFilterDescriptor_t w,
                                                     const cudnnConvolutionDescriptor_t c,
                                                     const cudnnTensorDescriptor_t y, const int wanted, int* count,
                                                     cudnnConvolutionFwdAlgoPerf_t* results) {
  return dnn_call("cudnnGetConvolutionForwardAlgorithm_v7", [&] {
    living(handle);
    const Convolution convolution(x, w, c, y);
    list_algorithms(wanted, count, results, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
                    CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, convolution.how.math);
  });
}
cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(cudnnHandle_t handle, const cudnnFilterDescriptor_t w,
                                                          const cudnnTensorDescriptor_t dy,
                                                          const cudnnConvolutionDescriptor_t c,
                                                          const cudnnTensorDescriptor_t dx, const int wanted,
                                                          int* count, cudnnConvolutionBwdDataAlgoPerf_t* results) {
  return dnn_call("cudnnGetConvolutionBackwardDataAlgorithm_v7", [&] {
    living(handle);
    const Convolution convolution(dx, w, c, dy);
    list_algorithms(wanted, count, results, CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, CUDNN_CONVOLUTION_BWD_DATA_ALGO_1,
                    convolution.how.math);
  });
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(cudnnHandle_t handle, const cudnnTensorDescriptor_t x,
                                                            const cudnnTensorDescriptor_t dy,
                                                            const cudnnConvolutionDescriptor_t c,
                                                            const cudnnFilterDescriptor_t dw, const int wanted,
                                                            int* count, cudnnConvolutionBwdFilterAlgoPerf_t* results) {
  return dnn_call("cudnnGetConvolutionBackwardFilterAlgorithm_v7", [&] {
    living(handle);
    const Convolution convolution(x, dw, c, dy);
    list_algorithms(wanted, count, results, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1,
                    convolution.how.math);
  });
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void* alpha, const cudnnTensorDescriptor_t x_desc,
                                      const void* x, const cudnnFilterDescriptor_t w_desc, const void* w,
                                      const cudnnConvolutionDescriptor_t c, cudnnConvolutionFwdAlgo_t algorithm,
                                      void* workspace, std::size_t bytes, const void* beta,
                                      const cudnnTensorDescriptor_t y_desc, void* y) {
  return dnn_call("cudnnConvolutionForward", [&] {
    const auto& owner = living(handle);
    const Convolution convolution(x_desc, w_desc, c, y_desc);
    check_algorithm(algorithm);
    check_workspace(owner, workspace, bytes, workspace_of(algorithm));
    check_image(owner, convolution.in, x, "the input");
    check_image(owner, convolution.out, y, "the output");
    check_space(owner, w, convolution.filter_bytes(), "the filter");
    put_kernel(owner.stream, [=, alpha = scale_of(alpha), beta = scale_of(beta)] {
      const auto input = all(x, convolution.type(), convolution.in.values());
      const auto filter = all(w, convolution.type(), convolution.filter.values());
      std::vector<Sum> sums(static_cast<std::size_t>(convolution.out.values()));
      convolution.each([&](std::int64_t to, std::int64_t from, std::int64_t by) {
        sums[static_cast<std::size_t>(to)].add(input[static_cast<std::size_t>(from)] *
                                               filter[static_cast<std::size_t>(by)]);
      });
      finish(y, convolution.type(), sums, alpha, beta);
    });
  });
}
cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void* alpha,
                                           const cudnnFilterDescriptor_t w_desc, const void* w,
                                           const cudnnTensorDescriptor_t dy_desc, const void* dy,
                                           const cudnnConvolutionDescriptor_t c,
                                           cudnnConvolutionBwdDataAlgo_t algorithm, void* workspace, std::size_t bytes,
                                           const void* beta, const cudnnTensorDescriptor_t dx_desc, void* dx) {
  return dnn_call("cudnnConvolutionBackwardData", [&] {
    const auto& owner = living(handle);
    const Convolution convolution(dx_desc, w_desc, c, dy_desc);
    check_algorithm(algorithm);
    check_workspace(owner, workspace, bytes, workspace_of(algorithm));
    check_image(owner, convolution.in, dx, "the input's gradient");
    check_image(owner, convolution.out, dy, "the output's gradient");
    check_space(owner, w, convolution.filter_bytes(), "the filter");
    put_kernel(owner.stream, [=, alpha = scale_of(alpha), beta = scale_of(beta)] {
      const auto gradient = all(dy, convolution.type(), convolution.out.values());
      const auto filter = all(w, convolution.type(), convolution.filter.values());
      std::vector<Sum> sums(static_cast<std::size_t>(convolution.in.values()));
      convolution.each([&](std::int64_t to, std::int64_t from, std::int64_t by) {
        sums[static_cast<std::size_t>(from)].add(gradient[static_cast<std::size_t>(to)] *
                                                 filter[static_cast<std::size_t>(by)]);
      });
      finish(dx, convolution.type(), sums, alpha, beta);
    });
  });
}
cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void* alpha,
                                             const cudnnTensorDescriptor_t x_desc, const void* x,
                                             const cudnnTensorDescriptor_t dy_desc, const void* dy,
                                             const cudnnConvolutionDescriptor_t c,
                                             cudnnConvolutionBwdFilterAlgo_t algorithm, void* workspace,
                                             std::size_t bytes, const void* beta, const cudnnFilterDescriptor_t dw_desc,
                                             void* dw) {
  return dnn_call("cudnnConvolutionBackwardFilter", [&] {
    const auto& owner = living(handle);
    const Convolution convolution(x_desc, dw_desc, c, dy_desc);
    check_algorithm(algorithm);
    check_workspace(owner, workspace, bytes, workspace_of(algorithm));
    check_image(owner, convolution.in, x, "the input");
    check_image(owner, convolution.out, dy, "the output's gradient");
    check_space(owner, dw, convolution.filter_bytes(), "the filter's gradient");
    put_kernel(owner.stream, [=, alpha = scale_of(alpha), beta = scale_of(beta)] {
      const auto gradient = all(dy, convolution.type(), convolution.out.values());
      const auto input = all(x, convolution.type(), convolution.in.values());
      std::vector<Sum> sums(static_cast<std::size_t>(convolution.filter.values()));
      convolution.each([&](std::int64_t to, std::int64_t from, std::int64_t by) {
        sums[static_cast<std::size_t>(by)].add(gradient[static_cast<std::size_t>(to)] *
                                               input[static_cast<std::size_t>(from)]);
      });
      finish(dw, convolution.type(), sums, alpha, beta);
    });
  });
}

}  // extern "C"
