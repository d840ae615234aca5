// SPDX-License-Identifier: Apache-2.0
// Layers over images in double precision, value by value. Images lie row by row, pixel by pixel, channel by channel.
#pragma once

#include <algorithm>

#include "core/model/model.hpp"
#include "tests/core/runtime/reference_plain.hpp"

namespace pipedeck::test {

struct Images {
  Vector values;
  std::int64_t channels = 1, height = 1, width = 1;

  std::int64_t samples() const { return static_cast<std::int64_t>(values.size()) / (channels * height * width); }
  double& at(std::int64_t n, std::int64_t y, std::int64_t x, std::int64_t c) {
    return values[static_cast<std::size_t>(((n * height + y) * width + x) * channels + c)];
  }
  double at(std::int64_t n, std::int64_t y, std::int64_t x, std::int64_t c) const {
    return const_cast<Images*>(this)->at(n, y, x, c);
  }
  bool inside(std::int64_t y, std::int64_t x) const { return y >= 0 && y < height && x >= 0 && x < width; }
};

inline Images blank(std::int64_t samples, std::int64_t channels, std::int64_t height, std::int64_t width) {
  return {Vector(static_cast<std::size_t>(samples * channels * height * width)), channels, height, width};
}

/// Calls visit(sample, row, column, channel) for every value.
template <class Visit>
void each_value(const Images& images, Visit visit) {
  for (std::int64_t n = 0; n < images.samples(); ++n)
    for (std::int64_t y = 0; y < images.height; ++y)
      for (std::int64_t x = 0; x < images.width; ++x)
        for (std::int64_t c = 0; c < images.channels; ++c) visit(n, y, x, c);
}

struct Window {
  std::int64_t kernel = 1, stride = 1, padding = 0;
  std::int64_t places(std::int64_t side) const { return (side + 2 * padding - kernel) / stride + 1; }
};

/// Weights [row][column][in][out] from `p` on, then the bias where there is one.
inline Images reference_convolution(const Images& x, const double* p, std::int64_t out, Window w, bool bias) {
  Images y = blank(x.samples(), out, w.places(x.height), w.places(x.width));
  each_value(y, [&](std::int64_t n, std::int64_t row, std::int64_t column, std::int64_t o) {
    double sum = bias ? p[w.kernel * w.kernel * x.channels * out + o] : 0;
    for (std::int64_t i = 0; i < w.kernel; ++i)
      for (std::int64_t j = 0; j < w.kernel; ++j) {
        const std::int64_t from_row = row * w.stride - w.padding + i, from_column = column * w.stride - w.padding + j;
        if (!x.inside(from_row, from_column)) continue;
        for (std::int64_t c = 0; c < x.channels; ++c)
          sum += x.at(n, from_row, from_column, c) * p[((i * w.kernel + j) * x.channels + c) * out + o];
      }
    y.at(n, row, column, o) = sum;
  });
  return y;
}

inline Images reference_pool(const Images& x, Window w, bool largest) {
  Images y = blank(x.samples(), x.channels, w.places(x.height), w.places(x.width));
  each_value(y, [&](std::int64_t n, std::int64_t row, std::int64_t column, std::int64_t c) {
    Vector seen;
    for (std::int64_t i = 0; i < w.kernel; ++i)
      for (std::int64_t j = 0; j < w.kernel; ++j)
        if (x.inside(row * w.stride - w.padding + i, column * w.stride - w.padding + j))
          seen.push_back(x.at(n, row * w.stride - w.padding + i, column * w.stride - w.padding + j, c));
    double sum = 0;
    for (const double value : seen) sum += value;
    y.at(n, row, column, c) =
        largest ? *std::max_element(seen.begin(), seen.end()) : sum / static_cast<double>(seen.size());
  });
  return y;
}

/// Gains from `p` on, then shifts.
inline Images reference_batch_norm(const Images& x, const double* p) {
  Images y = x;
  const auto count = static_cast<double>(x.samples() * x.height * x.width);
  for (std::int64_t c = 0; c < x.channels; ++c) {
    double mean = 0, variance = 0;
    each_value(x, [&](std::int64_t n, std::int64_t row, std::int64_t column, std::int64_t channel) {
      if (channel == c) mean += x.at(n, row, column, c) / count;
    });
    each_value(x, [&](std::int64_t n, std::int64_t row, std::int64_t column, std::int64_t channel) {
      if (channel == c) variance += std::pow(x.at(n, row, column, c) - mean, 2) / count;
    });
    each_value(x, [&](std::int64_t n, std::int64_t row, std::int64_t column, std::int64_t channel) {
      if (channel == c)
        y.at(n, row, column, c) =
            (x.at(n, row, column, c) - mean) / std::sqrt(variance + 1e-5) * p[c] + p[x.channels + c];
    });
  }
  return y;
}

/// A convolution and its norm; moves `p` behind their parameters.
inline Images reference_unit(const Images& x, const double*& p, std::int64_t out, Window w) {
  const Images convolved = reference_convolution(x, p, out, w, false);
  p += w.kernel * w.kernel * x.channels * out;
  const Images y = reference_batch_norm(convolved, p);
  p += 2 * out;
  return y;
}

inline Images reference_residual(const ModelLayer& layer, const Images& x, const double* p) {
  const std::int64_t out = layer.size("out"), stride = layer.size("stride");
  const auto relu = [](Images images) {
    images.values = reference_activation(std::move(images.values), 1);
    return images;
  };
  Images path;
  if (layer.kind == "residual") {
    path = relu(reference_unit(x, p, out, {3, stride, 1}));
    path = reference_unit(path, p, out, {3, 1, 1});
  } else {
    path = relu(reference_unit(x, p, layer.size("middle"), {1, 1, 0}));
    path = relu(reference_unit(path, p, layer.size("middle"), {3, stride, 1}));
    path = reference_unit(path, p, out, {1, 1, 0});
  }
  const bool changes = x.channels != out || path.height != x.height || path.width != x.width;
  const Images shortcut = changes ? reference_unit(x, p, out, {1, stride, 0}) : x;
  for (std::size_t i = 0; i < path.values.size(); ++i) path.values[i] += shortcut.values[i];
  return relu(path);
}

inline Vector reference_image_layer(const ModelLayer& layer, const Vector& values, const Vector& p) {
  const std::int64_t channels = layer.size(layer.sizes.contains("channels") ? "channels" : "in");
  const Images x{values, channels, layer.size("height"), layer.size("width")};
  if (layer.kind == "residual" || layer.kind == "bottleneck") return reference_residual(layer, x, p.data()).values;
  if (layer.kind == "batch_norm")
    return reference_activation(reference_batch_norm(x, p.data()).values, layer.size("activation"));
  if (layer.kind == "global_average_pool")
    return reference_pool(x, {std::max(x.height, x.width), std::max(x.height, x.width), 0}, false).values;
  const Window window{layer.size("kernel"), layer.size("stride"), layer.size("padding")};
  if (layer.kind == "convolution")
    return reference_activation(
        reference_convolution(x, p.data(), layer.size("out"), window, layer.size("bias") == 1).values,
        layer.size("activation"));
  return reference_pool(x, window, layer.kind == "max_pool").values;
}

}  // namespace pipedeck::test
