// SPDX-License-Identifier: Apache-2.0
// The shapes of layers, equal on every backend.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::layers {

/// An activation, numbered as in model files.
enum class Activation { none, relu, gelu };

/// A convolution of square windows; widths and heights are pixels.
struct ConvolutionShape {
  std::int64_t in = 1, out = 1, kernel = 1, stride = 1, padding = 0, height = 1, width = 1;
  std::int64_t out_height() const { return (height + 2 * padding - kernel) / stride + 1; }
  std::int64_t out_width() const { return (width + 2 * padding - kernel) / stride + 1; }
  std::int64_t in_values() const { return in * height * width; }
  std::int64_t out_values() const { return out * out_height() * out_width(); }
  std::int64_t weights() const { return kernel * kernel * in * out; }
};

/// A square window that slides over each channel by itself.
struct PoolShape {
  std::int64_t channels = 1, kernel = 1, stride = 1, padding = 0, height = 1, width = 1;
  std::int64_t out_height() const { return (height + 2 * padding - kernel) / stride + 1; }
  std::int64_t out_width() const { return (width + 2 * padding - kernel) / stride + 1; }
  std::int64_t in_values() const { return channels * height * width; }
  std::int64_t out_values() const { return channels * out_height() * out_width(); }
};

/// The mean and inverse deviation of each channel, saved for the backward pass.
struct ColumnStatistics {
  tensor::Tensor mean, inv_std;
};

/// Sets the gains of a batch norm to 1 and its shifts to 0.
inline void initialise_batch_norm(float* parameters, std::int64_t channels) {
  std::fill_n(parameters, channels, 1.0f);
  std::fill_n(parameters + channels, channels, 0.0f);
}

}  // namespace pipedeck::runtime::layers
