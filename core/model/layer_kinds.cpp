// SPDX-License-Identifier: Apache-2.0
#include "core/model/layer_kinds.hpp"

#include <array>

namespace pipedeck {
namespace {

// --- sizes

constexpr std::array embedding_sizes{SizeRule{"vocabulary"}, SizeRule{"hidden"}, SizeRule{"sequence"}};
constexpr std::array transformer_sizes{SizeRule{"hidden"}, SizeRule{"heads"}, SizeRule{"feed_forward"},
                                       SizeRule{"sequence"}, SizeRule{"causal", 0, 0, 1}};
constexpr std::array layer_norm_sizes{SizeRule{"hidden"}, SizeRule{"sequence", 1}};
constexpr std::array linear_sizes{SizeRule{"in"}, SizeRule{"out"}, SizeRule{"sequence", 1},
                                  SizeRule{"activation", 0, 0, 2}};
constexpr std::array convolution_sizes{SizeRule{"in"},
                                       SizeRule{"out"},
                                       SizeRule{"kernel"},
                                       SizeRule{"stride", 1},
                                       SizeRule{"padding", 0, 0},
                                       SizeRule{"height"},
                                       SizeRule{"width"},
                                       SizeRule{"activation", 1, 0, 2},
                                       SizeRule{"bias", 1, 0, 1}};
constexpr std::array pool_sizes{SizeRule{"channels"},      SizeRule{"kernel"}, SizeRule{"stride", 1},
                                SizeRule{"padding", 0, 0}, SizeRule{"height"}, SizeRule{"width"}};
constexpr std::array global_pool_sizes{SizeRule{"channels"}, SizeRule{"height"}, SizeRule{"width"}};
constexpr std::array batch_norm_sizes{SizeRule{"channels"}, SizeRule{"height"}, SizeRule{"width"},
                                      SizeRule{"activation", 0, 0, 2}};
constexpr std::array bottleneck_sizes{SizeRule{"in"},        SizeRule{"middle"}, SizeRule{"out"},
                                      SizeRule{"stride", 1}, SizeRule{"height"}, SizeRule{"width"}};
constexpr std::array residual_sizes{SizeRule{"in"}, SizeRule{"out"}, SizeRule{"stride", 1}, SizeRule{"height"},
                                    SizeRule{"width"}};
constexpr std::array lstm_sizes{SizeRule{"in"}, SizeRule{"hidden"}, SizeRule{"sequence", 1},
                                SizeRule{"directions", 1, 1, 2}};
constexpr std::array loss_sizes{SizeRule{"classes"}, SizeRule{"sequence", 1}};

// --- costs

// A matmul of m x k by k x n takes 2mkn operations; so does each of its two gradients.
double product(double m, double k, double n) { return 2 * m * k * n; }

LayerCount embedding(const ModelLayer& layer) {
  const auto v = static_cast<double>(layer.size("vocabulary")), h = static_cast<double>(layer.size("hidden")),
             s = static_cast<double>(layer.size("sequence"));
  return {.forward = s * h, .weight = s * h, .in = s, .out = s * h, .saved = s, .parameters = (v + s) * h};
}

/// Operations: 24 s h^2 + 4 s^2 h with f = 4h (Narayanan et al., arXiv 2104.04473, appendix). Saved: 34 sh + 5 a s^2
/// bytes in 16 bits (Korthikanti et al., arXiv 2205.05198, section 4.1). Without dropout masks and in elements instead
/// of bytes, this is 16 sh + a s^2 = 8 sh + 2 sf + a s^2.
LayerCount transformer(const ModelLayer& layer) {
  const auto h = static_cast<double>(layer.size("hidden")), f = static_cast<double>(layer.size("feed_forward")),
             s = static_cast<double>(layer.size("sequence")), a = static_cast<double>(layer.size("heads"));
  const double weights = product(s, h, 4 * h) + product(s, h, f) + product(s, f, h);
  return {.forward = weights + 2 * product(s, h, s),
          .weight = weights,
          .in = s * h,
          .out = s * h,
          .saved = 8 * s * h + 2 * s * f + a * s * s,
          .parameters = 4 * h * (h + 1) + h * f + f + f * h + h + 4 * h};
}

LayerCount layer_norm(const ModelLayer& layer) {
  const auto h = static_cast<double>(layer.size("hidden")), s = static_cast<double>(layer.size("sequence"));
  return {
      .forward = 8 * s * h, .weight = 4 * s * h, .in = s * h, .out = s * h, .saved = s * (h + 2), .parameters = 2 * h};
}

LayerCount linear(const ModelLayer& layer) {
  const auto in = static_cast<double>(layer.size("in")), out = static_cast<double>(layer.size("out")),
             s = static_cast<double>(layer.size("sequence"));
  const bool activated = layer.size("activation") != 0;  // its gradient needs its input
  return {.forward = product(s, in, out),
          .weight = product(s, in, out),
          .in = s * in,
          .out = s * out,
          .saved = s * in + (activated ? s * out : 0),
          .parameters = in * out + out};
}

double window_output_size(const ModelLayer& layer, const char* side) {
  return static_cast<double>(
      (layer.size(side) + 2 * layer.size("padding") - layer.size("kernel")) / layer.size("stride") + 1);
}

LayerCount convolution(const ModelLayer& layer) {
  const auto in = static_cast<double>(layer.size("in")), out = static_cast<double>(layer.size("out")),
             k = static_cast<double>(layer.size("kernel"));
  const double before = static_cast<double>(layer.size("height")) * static_cast<double>(layer.size("width"));
  const double after = window_output_size(layer, "height") * window_output_size(layer, "width");
  const double operations = product(after, k * k * in, out);
  const bool activated = layer.size("activation") != 0;
  return {.forward = operations,
          .weight = operations,
          .in = in * before,
          .out = out * after,
          .saved = in * before + (activated ? out * after : 0),
          .parameters = k * k * in * out + (layer.size("bias") != 0 ? out : 0)};
}

LayerCount pool(const ModelLayer& layer) {
  const auto c = static_cast<double>(layer.size("channels")), k = static_cast<double>(layer.size("kernel"));
  const double before = c * static_cast<double>(layer.size("height")) * static_cast<double>(layer.size("width"));
  const double after = c * window_output_size(layer, "height") * window_output_size(layer, "width");
  return {.forward = after * k * k, .weight = 0, .in = before, .out = after, .saved = before + after, .parameters = 0};
}

LayerCount global_pool(const ModelLayer& layer) {
  const auto c = static_cast<double>(layer.size("channels"));
  const double before = c * static_cast<double>(layer.size("height")) * static_cast<double>(layer.size("width"));
  return {.forward = before, .weight = 0, .in = before, .out = c, .saved = before, .parameters = 0};
}

LayerCount batch_norm(const ModelLayer& layer) {
  const auto c = static_cast<double>(layer.size("channels"));
  const double kept = layer.size("activation") != 0 ? 2 : 1;
  const double values = c * static_cast<double>(layer.size("height")) * static_cast<double>(layer.size("width"));
  return {.forward = 8 * values,
          .weight = 4 * values,
          .in = values,
          .out = values,
          .saved = kept * values,
          .parameters = 2 * c};
}

/// He et al., arXiv 1512.03385, section 4.2: two 3 x 3 convolutions and, where the shape changes, a 1 x 1 projection;
/// each with a batch norm.
LayerCount residual(const ModelLayer& layer) {
  const auto in = static_cast<double>(layer.size("in")), out = static_cast<double>(layer.size("out"));
  const std::int64_t stride = layer.size("stride");
  const double before = static_cast<double>(layer.size("height")) * static_cast<double>(layer.size("width"));
  const double after = static_cast<double>((layer.size("height") - 1) / stride + 1) *
                       static_cast<double>((layer.size("width") - 1) / stride + 1);
  const double projection = layer.size("in") != layer.size("out") || stride != 1 ? 1 : 0;
  const double operations =
      product(after, 9 * in, out) + product(after, 9 * out, out) + projection * product(after, in, out);
  const double weights = 9 * in * out + 9 * out * out + projection * in * out;
  return {
      .forward = operations,
      .weight = operations,
      .in = in * before,
      .out = out * after,
      // The input of each convolution, its output (which is the batch norm's input), and the input of the last relu.
      .saved = in * before + (4 + projection) * out * after,
      .parameters = weights + 2 * (2 + projection) * out};
}

/// He et al., arXiv 1512.03385, table 1, with the stride in the 3 x 3 convolution (v1.5): 1 x 1, 3 x 3, 1 x 1 and,
/// where the shape changes, a 1 x 1 projection; each with a batch norm.
LayerCount bottleneck(const ModelLayer& layer) {
  const auto in = static_cast<double>(layer.size("in")), mid = static_cast<double>(layer.size("middle")),
             out = static_cast<double>(layer.size("out"));
  const std::int64_t stride = layer.size("stride");
  const double before = static_cast<double>(layer.size("height")) * static_cast<double>(layer.size("width"));
  const double after = static_cast<double>((layer.size("height") - 1) / stride + 1) *
                       static_cast<double>((layer.size("width") - 1) / stride + 1);
  const double projection = layer.size("in") != layer.size("out") || stride != 1 ? 1 : 0;
  const double operations = product(before, in, mid) + product(after, 9 * mid, mid) + product(after, mid, out) +
                            projection * product(after, in, out);
  const double weights = in * mid + 9 * mid * mid + mid * out + projection * in * out;
  return {.forward = operations,
          .weight = operations,
          .in = in * before,
          .out = out * after,
          // The input of each convolution, and its output as the batch norm's input.
          .saved = in * before + 2 * mid * before + 2 * mid * after + (2 + projection) * out * after,
          .parameters = weights + 2 * (2 * mid + out + projection * out)};
}

/// Hochreiter and Schmidhuber 1997 as in cuDNN: four gates with two biases each. Saved for the backward pass: input,
/// gates, cell and output.
LayerCount lstm(const ModelLayer& layer) {
  const auto in = static_cast<double>(layer.size("in")), h = static_cast<double>(layer.size("hidden")),
             s = static_cast<double>(layer.size("sequence")), d = static_cast<double>(layer.size("directions"));
  const double operations = d * product(s, in + h, 4 * h);
  return {.forward = operations,
          .weight = operations,
          .in = s * in,
          .out = d * s * h,
          .saved = s * in + d * s * 6 * h,
          .parameters = d * 4 * h * (in + h + 2)};
}

/// Forward saves the probabilities; the gradient is a subtraction.
LayerCount loss(const ModelLayer& layer) {
  const double values = static_cast<double>(layer.size("classes")) * static_cast<double>(layer.size("sequence"));
  return {.forward = 5 * values, .weight = 0, .in = values, .out = 0, .saved = values, .parameters = 0};
}

constexpr std::array kinds{LayerKind{"embedding", embedding_sizes, embedding},
                           LayerKind{"transformer", transformer_sizes, transformer},
                           LayerKind{"layer_norm", layer_norm_sizes, layer_norm},
                           LayerKind{"linear", linear_sizes, linear},
                           LayerKind{"convolution", convolution_sizes, convolution},
                           LayerKind{"max_pool", pool_sizes, pool},
                           LayerKind{"average_pool", pool_sizes, pool},
                           LayerKind{"batch_norm", batch_norm_sizes, batch_norm},
                           LayerKind{"bottleneck", bottleneck_sizes, bottleneck},
                           LayerKind{"lstm", lstm_sizes, lstm},
                           LayerKind{"softmax_cross_entropy", loss_sizes, loss},
                           LayerKind{"global_average_pool", global_pool_sizes, global_pool},
                           LayerKind{"residual", residual_sizes, residual}};

}  // namespace

std::span<const LayerKind> layer_kinds() { return kinds; }

const LayerKind* parse_layer_kind(std::string_view name) {
  for (const LayerKind& kind : kinds)
    if (kind.name == name) return &kind;
  return nullptr;
}

}  // namespace pipedeck
