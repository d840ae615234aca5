// SPDX-License-Identifier: Apache-2.0
// Every kind of layer once more, in double precision and in the plainest way: what the kernels are compared with.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "core/model/model.hpp"
#include "tests/core/runtime/reference_decoder.hpp"
#include "tests/core/runtime/reference_experts.hpp"
#include "tests/core/runtime/reference_images.hpp"
#include "tests/core/runtime/reference_latent.hpp"
#include "tests/core/runtime/reference_lstm.hpp"

namespace pipedeck::test {

/// y (rows x out) = x (rows x in) W + b, W and b from `at` on.
inline Vector reference_linear(const Vector& x, const Vector& p, std::size_t at, std::size_t in, std::size_t out,
                               bool bias = true) {
  const std::size_t rows = x.size() / in;
  Vector y(rows * out);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t o = 0; o < out; ++o) {
      double sum = bias ? p[at + in * out + o] : 0;
      for (std::size_t i = 0; i < in; ++i) sum += x[r * in + i] * p[at + i * out + o];
      y[r * out + o] = sum;
    }
  return y;
}

inline Vector reference_norm(const Vector& x, const Vector& p, std::size_t at, std::size_t h) {
  Vector y(x.size());
  for (std::size_t r = 0; r < x.size() / h; ++r) {
    double mean = 0, variance = 0;
    for (std::size_t i = 0; i < h; ++i) mean += x[r * h + i] / static_cast<double>(h);
    for (std::size_t i = 0; i < h; ++i) variance += std::pow(x[r * h + i] - mean, 2) / static_cast<double>(h);
    for (std::size_t i = 0; i < h; ++i)
      y[r * h + i] = (x[r * h + i] - mean) / std::sqrt(variance + 1e-5) * p[at + i] + p[at + h + i];
  }
  return y;
}

inline Vector reference_attention(const Vector& qkv, std::size_t h, std::size_t heads, std::size_t s, bool causal) {
  const std::size_t rows = qkv.size() / (3 * h), d = h / heads;
  Vector context(rows * h);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t head = 0; head < heads; ++head) {
      const std::size_t first = row / s * s, last = causal ? row + 1 : first + s;
      Vector weight;
      double sum = 0;
      for (std::size_t other = first; other < last; ++other) {
        double score = 0;
        for (std::size_t i = head * d; i < (head + 1) * d; ++i)
          score += qkv[row * 3 * h + i] * qkv[other * 3 * h + h + i];
        weight.push_back(std::exp(score / std::sqrt(static_cast<double>(d))));
        sum += weight.back();
      }
      for (std::size_t other = first; other < last; ++other)
        for (std::size_t i = head * d; i < (head + 1) * d; ++i)
          context[row * h + i] += weight[other - first] / sum * qkv[other * 3 * h + 2 * h + i];
    }
  return context;
}

inline Vector reference_transformer(const ModelLayer& layer, const Vector& x, const Vector& p) {
  const auto size = [&](const char* key) { return static_cast<std::size_t>(layer.size(key)); };
  const std::size_t h = size("hidden"), f = size("feed_forward");
  std::size_t at = 0;
  const auto next = [&](std::size_t floats) { return at += floats, at - floats; };
  const Vector normal1 = reference_norm(x, p, next(2 * h), h);
  const Vector qkv = reference_linear(normal1, p, next(3 * h * h + 3 * h), h, 3 * h);
  const Vector context = reference_attention(qkv, h, size("heads"), size("sequence"), size("causal") == 1);
  Vector x1 = reference_linear(context, p, next(h * h + h), h, h);
  for (std::size_t i = 0; i < x.size(); ++i) x1[i] += x[i];
  const Vector normal2 = reference_norm(x1, p, next(2 * h), h);
  Vector up = reference_linear(normal2, p, next(h * f + f), h, f);
  for (double& value : up) value = reference_gelu(value);
  Vector y = reference_linear(up, p, next(f * h + h), f, h);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += x1[i];
  return y;
}

inline Vector reference_embedding(const ModelLayer& layer, const Vector& tokens, const Vector& p) {
  const auto h = static_cast<std::size_t>(layer.size("hidden")), s = static_cast<std::size_t>(layer.size("sequence"));
  const auto vocabulary = static_cast<std::size_t>(layer.size("vocabulary"));
  const bool positions = layer.size("positions") == 1;
  Vector y;
  for (std::size_t t = 0; t < tokens.size(); ++t)
    for (std::size_t i = 0; i < h; ++i)
      y.push_back(p[static_cast<std::size_t>(tokens[t]) * h + i] + (positions ? p[(vocabulary + t % s) * h + i] : 0));
  return y;
}

inline Vector reference_forward(const ModelLayer& layer, const Vector& x, const Vector& p) {
  const auto size = [&](const char* key) { return static_cast<std::size_t>(layer.size(key)); };
  if (layer.kind == "transformer") return reference_transformer(layer, x, p);
  if (layer.kind == "embedding") return reference_embedding(layer, x, p);
  if (layer.kind == "layer_norm") return reference_norm(x, p, 0, size("hidden"));
  if (layer.kind == "lstm") return reference_lstm(layer, x, p);
  if (layer.kind == "linear" && size("tied") == 1) {  // a row of the embedding's table for each output
    Vector columns = p;
    for (std::size_t i = 0; i < size("in"); ++i)
      for (std::size_t o = 0; o < size("out"); ++o) columns[i * size("out") + o] = p[o * size("in") + i];
    ModelLayer own = layer;
    own.sizes["tied"] = 0;
    return reference_forward(own, x, columns);
  }
  if (layer.kind == "linear")
    return reference_activation(reference_linear(x, p, 0, size("in"), size("out"), size("bias") == 1),
                                layer.size("activation"));
  if (layer.kind.starts_with("latent_")) return reference_latent(layer, x, p);
  if (layer.kind == "experts") return reference_experts(layer, x, p).output;
  if (layer.kind == "rms_norm" || layer.kind == "attention" || layer.kind == "feed_forward" || layer.kind == "decoder")
    return reference_decoder(layer, x, p);
  return reference_image_layer(layer, x, p);
}

/// Returns the loss of the layer itself, summed over samples.
inline double reference_own_loss(const ModelLayer& layer, const Vector& x, const Vector& p) {
  return layer.kind == "experts" ? reference_experts(layer, x, p).auxiliary : 0;
}

/// Sum over rows of -log softmax(row)[target].
inline double reference_cross_entropy(const Vector& logits, const Vector& targets) {
  const std::size_t classes = logits.size() / targets.size();
  double sum = 0;
  for (std::size_t row = 0; row < targets.size(); ++row) {
    double total = 0;
    for (std::size_t c = 0; c < classes; ++c) total += std::exp(logits[row * classes + c]);
    sum += std::log(total) - logits[row * classes + static_cast<std::size_t>(targets[row])];
  }
  return sum;
}

}  // namespace pipedeck::test
