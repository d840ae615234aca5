// SPDX-License-Identifier: Apache-2.0
// cuDNN's pools and batch normalisation.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/cuda_stand_in/dnn.hpp"

struct cudnnPoolingStruct {
  bool set = false;
  cudnnPoolingMode_t mode = CUDNN_POOLING_MAX;
  std::int64_t h = 1, w = 1, pad_h = 0, pad_w = 0, stride_h = 1, stride_w = 1;
};

namespace cuda_stand_in {
namespace {

constexpr const char* pooling_kind = "cuDNN pooling descriptor";

struct Pool {
  cudnnPoolingStruct how;
  cudnnTensorStruct in, out;

  Pool(cudnnPoolingDescriptor_t descriptor, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t y)
      : in(image(x)), out(image(y)) {
    check_alive(descriptor, pooling_kind);
    require(descriptor->set, "a descriptor that was never set");
    how = *descriptor;
    require(in.type == out.type && in.n == out.n && in.c == out.c, "the images do not fit");
    require(in.h + 2 * how.pad_h >= how.h && in.w + 2 * how.pad_w >= how.w, "the window is larger than the image");
    require(out.h == (in.h + 2 * how.pad_h - how.h) / how.stride_h + 1 &&
                out.w == (in.w + 2 * how.pad_w - how.w) / how.stride_w + 1,
            "the output is not of this input's size");
  }
  bool largest() const { return how.mode == CUDNN_POOLING_MAX || how.mode == CUDNN_POOLING_MAX_DETERMINISTIC; }
  Values::Type type() const { return values_of(in.type); }

  /// work(output value, the input's values under its window) for every output.
  template <class Work>
  void each(Work work) const {
    std::vector<std::int64_t> under;
    for (std::int64_t n = 0; n < out.n; ++n)
      for (std::int64_t y = 0; y < out.h; ++y)
        for (std::int64_t x = 0; x < out.w; ++x)
          for (std::int64_t c = 0; c < out.c; ++c) {
            under.clear();
            for (std::int64_t r = std::max<std::int64_t>(0, y * how.stride_h - how.pad_h);
                 r < std::min(in.h, y * how.stride_h - how.pad_h + how.h); ++r)
              for (std::int64_t s = std::max<std::int64_t>(0, x * how.stride_w - how.pad_w);
                   s < std::min(in.w, x * how.stride_w - how.pad_w + how.w); ++s)
                under.push_back(((n * in.h + r) * in.w + s) * in.c + c);
            work(((n * out.h + y) * out.w + x) * out.c + c, under);
          }
  }
  static std::int64_t place_of_largest(const Values& values, const std::vector<std::int64_t>& under) {
    return *std::max_element(under.begin(), under.end(),
                             [&](std::int64_t a, std::int64_t b) { return values.get(a) < values.get(b); });
  }
};

/// Mean and inverse deviation of one channel.
struct Channel {
  double mean = 0, inverse = 0;
};
Channel channel_of(const Values& x, std::int64_t rows, std::int64_t channels, std::int64_t channel, double epsilon) {
  double sum = 0, squares = 0;
  for (std::int64_t row = 0; row < rows; ++row) sum += x.get(row * channels + channel);
  const double mean = sum / static_cast<double>(rows);
  for (std::int64_t row = 0; row < rows; ++row) squares += std::pow(x.get(row * channels + channel) - mean, 2);
  return {mean, 1 / std::sqrt(squares / static_cast<double>(rows) + epsilon)};
}

std::int64_t check_norm(const cudnnContext& owner, cudnnBatchNormMode_t mode, const cudnnTensorStruct& x,
                        cudnnTensorDescriptor_t parameters, std::initializer_list<const void*> lists) {
  require(mode == CUDNN_BATCHNORM_SPATIAL, "statistics are each channel's", CUDNN_STATUS_NOT_SUPPORTED);
  const auto& p = image(parameters);
  require(p.n == 1 && p.h == 1 && p.w == 1 && p.c == x.c, "parameters are 1 x channels x 1 x 1");
  require(p.type == CUDNN_DATA_FLOAT, "parameters are 32-bit floats");
  for (const void* list : lists) check_image(owner, p, list, "a channel's parameter or statistic");
  return x.n * x.h * x.w;
}

}  // namespace
}  // namespace cuda_stand_in

using namespace cuda_stand_in;

extern "C" {

cudnnStatus_t cudnnCreatePoolingDescriptor(cudnnPoolingDescriptor_t* descriptor) {
  return dnn_call("cudnnCreatePoolingDescriptor", [&] { make_descriptor(descriptor, pooling_kind); });
}
cudnnStatus_t cudnnDestroyPoolingDescriptor(cudnnPoolingDescriptor_t descriptor) {
  return dnn_destroy("cudnnDestroyPoolingDescriptor", [&] { destroy_descriptor(descriptor, pooling_kind); });
}
cudnnStatus_t cudnnSetPooling2dDescriptor(cudnnPoolingDescriptor_t descriptor, cudnnPoolingMode_t mode,
                                          cudnnNanPropagation_t, int h, int w, int pad_h, int pad_w, int stride_h,
                                          int stride_w) {
  return dnn_call("cudnnSetPooling2dDescriptor", [&] {
    check_alive(descriptor, pooling_kind);
    require(mode == CUDNN_POOLING_MAX_DETERMINISTIC || mode == CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING,
            "a pool that gives other bits every time, or counts padding", CUDNN_STATUS_NOT_SUPPORTED);
    require(h > 0 && w > 0 && stride_h > 0 && stride_w > 0, "a window or stride is not positive");
    require(pad_h >= 0 && pad_h < h && pad_w >= 0 && pad_w < w, "padding is less than the window");
    *descriptor = {true, mode, h, w, pad_h, pad_w, stride_h, stride_w};
  });
}

cudnnStatus_t cudnnPoolingForward(cudnnHandle_t handle, const cudnnPoolingDescriptor_t descriptor, const void* alpha,
                                  const cudnnTensorDescriptor_t x_desc, const void* x, const void* beta,
                                  const cudnnTensorDescriptor_t y_desc, void* y) {
  return dnn_call("cudnnPoolingForward", [&] {
    const auto& owner = living(handle);
    const Pool pool(descriptor, x_desc, y_desc);
    check_image(owner, pool.in, x, "the input");
    check_image(owner, pool.out, y, "the output");
    put_kernel(owner.stream, [=, alpha = scale_of(alpha), beta = scale_of(beta)] {
      const Values in(x, pool.type());
      Values out(y, pool.type());
      pool.each([&](std::int64_t to, const std::vector<std::int64_t>& under) {
        double found = 0;
        if (pool.largest())
          found = in.get(Pool::place_of_largest(in, under));
        else
          for (const std::int64_t at : under) found += in.get(at) / static_cast<double>(under.size());
        out.blend(to, alpha, found, beta);
      });
    });
  });
}

cudnnStatus_t cudnnPoolingBackward(cudnnHandle_t handle, const cudnnPoolingDescriptor_t descriptor, const void* alpha,
                                   const cudnnTensorDescriptor_t y_desc, const void* y,
                                   const cudnnTensorDescriptor_t dy_desc, const void* dy,
                                   const cudnnTensorDescriptor_t x_desc, const void* x, const void* beta,
                                   const cudnnTensorDescriptor_t dx_desc, void* dx) {
  return dnn_call("cudnnPoolingBackward", [&] {
    const auto& owner = living(handle);
    const Pool pool(descriptor, x_desc, y_desc), same(descriptor, dx_desc, dy_desc);
    check_image(owner, pool.in, x, "the input");
    check_image(owner, pool.out, y, "the output");
    check_image(owner, same.in, dx, "the input's gradient");
    check_image(owner, same.out, dy, "the output's gradient");
    put_kernel(owner.stream, [=, alpha = scale_of(alpha), beta = scale_of(beta)] {
      const Values in(x, pool.type()), out(y, pool.type()), gradient(dy, pool.type());
      std::vector<double> sums(static_cast<std::size_t>(pool.in.values()));
      pool.each([&](std::int64_t to, const std::vector<std::int64_t>& under) {
        if (!pool.largest()) {
          for (const std::int64_t at : under)
            sums[static_cast<std::size_t>(at)] += gradient.get(to) / static_cast<double>(under.size());
          return;
        }
        const std::int64_t place = Pool::place_of_largest(in, under);
        // Values other than the forward pass's output get no gradient.
        if (in.get(place) == out.get(to)) sums[static_cast<std::size_t>(place)] += gradient.get(to);
      });
      Values result(dx, pool.type());
      for (std::size_t i = 0; i < sums.size(); ++i) result.blend(static_cast<std::int64_t>(i), alpha, sums[i], beta);
    });
  });
}

cudnnStatus_t cudnnBatchNormalizationForwardTraining(cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void* alpha,
                                                     const void* beta, const cudnnTensorDescriptor_t x_desc,
                                                     const void* x, const cudnnTensorDescriptor_t y_desc, void* y,
                                                     const cudnnTensorDescriptor_t parameters, const void* gain,
                                                     const void* shift, double, void* running_mean,
                                                     void* running_variance, double epsilon, void* mean,
                                                     void* inverse) {
  return dnn_call("cudnnBatchNormalizationForwardTraining", [&] {
    const auto& owner = living(handle);
    const auto in = image(x_desc), out = image(y_desc);
    require(in.type == out.type && in.values() == out.values(), "the images do not fit");
    require(!running_mean && !running_variance, "nobody asked for running averages");
    require(epsilon >= CUDNN_BN_MIN_EPSILON, "epsilon is too small");
    const std::int64_t rows = check_norm(owner, mode, in, parameters, {gain, shift, mean, inverse});
    check_image(owner, in, x, "the input");
    check_image(owner, out, y, "the output");
    put_kernel(owner.stream, [=, alpha = scale_of(alpha), beta = scale_of(beta)] {
      const Values from(x, values_of(in.type));
      Values to(y, values_of(in.type));
      for (std::int64_t c = 0; c < in.c; ++c) {
        const Channel channel = channel_of(from, rows, in.c, c, epsilon);
        static_cast<float*>(mean)[c] = static_cast<float>(channel.mean);
        static_cast<float*>(inverse)[c] = static_cast<float>(channel.inverse);
        for (std::int64_t row = 0; row < rows; ++row)
          to.blend(row * in.c + c, alpha,
                   (from.get(row * in.c + c) - channel.mean) * channel.inverse * static_cast<const float*>(gain)[c] +
                       static_cast<const float*>(shift)[c],
                   beta);
      }
    });
  });
}

cudnnStatus_t cudnnBatchNormalizationBackward(cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void* alpha_data,
                                              const void* beta_data, const void* alpha_parameters,
                                              const void* beta_parameters, const cudnnTensorDescriptor_t x_desc,
                                              const void* x, const cudnnTensorDescriptor_t dy_desc, const void* dy,
                                              const cudnnTensorDescriptor_t dx_desc, void* dx,
                                              const cudnnTensorDescriptor_t parameters, const void* gain,
                                              void* gain_gradient, void* shift_gradient, double epsilon,
                                              const void* mean, const void* inverse) {
  return dnn_call("cudnnBatchNormalizationBackward", [&] {
    const auto& owner = living(handle);
    const auto in = image(x_desc);
    for (const auto* other : {&image(dy_desc), &image(dx_desc)})
      require(other->type == in.type && other->values() == in.values(), "the images do not fit");
    require(epsilon >= CUDNN_BN_MIN_EPSILON, "epsilon is too small");
    require(dx != dy && dx != x, "the stand-in does not work in place");
    const std::int64_t rows =
        check_norm(owner, mode, in, parameters, {gain, gain_gradient, shift_gradient, mean, inverse});
    check_image(owner, in, x, "the input");
    check_image(owner, in, dy, "the output's gradient");
    check_image(owner, in, dx, "the input's gradient");
    const double data[2] = {scale_of(alpha_data), scale_of(beta_data)};
    const double sums[2] = {scale_of(alpha_parameters), scale_of(beta_parameters)};
    put_kernel(owner.stream, [=, a = data[0], b = data[1], pa = sums[0], pb = sums[1]] {
      const Values from(x, values_of(in.type)), gradient(dy, values_of(in.type));
      Values to(dx, values_of(in.type)), gains(gain_gradient, Values::Type::f32),
          shifts(shift_gradient, Values::Type::f32);
      const auto* means = static_cast<const float*>(mean);
      const auto* inverses = static_cast<const float*>(inverse);
      for (std::int64_t c = 0; c < in.c; ++c) {
        double total = 0, product = 0;
        const auto normal = [&](std::int64_t at) { return (from.get(at) - double{means[c]}) * double{inverses[c]}; };
        for (std::int64_t row = 0; row < rows; ++row) {
          const std::int64_t at = row * in.c + c;
          total += gradient.get(at);
          product += gradient.get(at) * normal(at);
        }
        for (std::int64_t row = 0; row < rows; ++row) {
          const std::int64_t at = row * in.c + c;
          to.blend(at, a,
                   static_cast<const float*>(gain)[c] * double{inverses[c]} *
                       (gradient.get(at) - (total + normal(at) * product) / static_cast<double>(rows)),
                   b);
        }
        gains.blend(c, pa, product, pb);
        shifts.blend(c, pa, total, pb);
      }
    });
  });
}

}  // extern "C"
