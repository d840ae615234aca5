// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/transformer/shapes.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/model/layer_kinds.hpp"

namespace pipedeck::analytic::transformer {
namespace {

constexpr double element = 4;  // bytes of an fp32 element

/// A layer's cost, counted in elements; converted to bytes last.
struct Count {
  double forward = 0;  ///< operations, a multiply-add as two
  double weight = 0;   ///< of the weight gradient; the input gradient takes as many as forward
  double in = 0, out = 0, saved = 0, parameters = 0;
};

// A matmul of m x k by k x n takes 2mkn operations; so does each of its two gradients.
double product(double m, double k, double n) { return 2 * m * k * n; }

Count embedding(const ModelLayer& layer) {
  const auto v = static_cast<double>(layer.size("vocabulary")), h = static_cast<double>(layer.size("hidden")),
             s = static_cast<double>(layer.size("sequence"));
  return {.forward = s * h, .weight = s * h, .in = s, .out = s * h, .saved = s, .parameters = (v + s) * h};
}

/// Operations: 24 s h^2 + 4 s^2 h with f = 4h (Narayanan et al., arXiv 2104.04473, appendix). Saved: 34 sh + 5 a s^2
/// bytes in 16 bits (Korthikanti et al., arXiv 2205.05198, section 4.1). Without dropout masks and in elements instead
/// of bytes, this is 16 sh + a s^2 = 8 sh + 2 sf + a s^2.
Count transformer(const ModelLayer& layer) {
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

Count layer_norm(const ModelLayer& layer) {
  const auto h = static_cast<double>(layer.size("hidden")), s = static_cast<double>(layer.size("sequence"));
  return {
      .forward = 8 * s * h, .weight = 4 * s * h, .in = s * h, .out = s * h, .saved = s * (h + 2), .parameters = 2 * h};
}

Count linear(const ModelLayer& layer) {
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

double slid(const ModelLayer& layer, const char* side) {
  return static_cast<double>(
      (layer.size(side) + 2 * layer.size("padding") - layer.size("kernel")) / layer.size("stride") + 1);
}

Count convolution(const ModelLayer& layer) {
  const auto in = static_cast<double>(layer.size("in")), out = static_cast<double>(layer.size("out")),
             k = static_cast<double>(layer.size("kernel"));
  const double before = static_cast<double>(layer.size("height")) * static_cast<double>(layer.size("width"));
  const double after = slid(layer, "height") * slid(layer, "width");
  const double operations = product(after, k * k * in, out);
  const bool activated = layer.size("activation") != 0;
  return {.forward = operations,
          .weight = operations,
          .in = in * before,
          .out = out * after,
          .saved = in * before + (activated ? out * after : 0),
          .parameters = k * k * in * out + (layer.size("bias") != 0 ? out : 0)};
}

Count pool(const ModelLayer& layer) {
  const auto c = static_cast<double>(layer.size("channels")), k = static_cast<double>(layer.size("kernel"));
  const double before = c * static_cast<double>(layer.size("height")) * static_cast<double>(layer.size("width"));
  const double after = c * slid(layer, "height") * slid(layer, "width");
  return {.forward = after * k * k, .weight = 0, .in = before, .out = after, .saved = before + after, .parameters = 0};
}

Count global_pool(const ModelLayer& layer) {
  const auto c = static_cast<double>(layer.size("channels"));
  const double before = c * static_cast<double>(layer.size("height")) * static_cast<double>(layer.size("width"));
  return {.forward = before, .weight = 0, .in = before, .out = c, .saved = before, .parameters = 0};
}

Count batch_norm(const ModelLayer& layer) {
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
Count residual(const ModelLayer& layer) {
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
Count bottleneck(const ModelLayer& layer) {
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
Count lstm(const ModelLayer& layer) {
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
Count loss(const ModelLayer& layer) {
  const double values = static_cast<double>(layer.size("classes")) * static_cast<double>(layer.size("sequence"));
  return {.forward = 5 * values, .weight = 0, .in = values, .out = 0, .saved = values, .parameters = 0};
}

/// Truncates values above every limit, so that they can be reported instead of overflowing.
Bytes whole(double bytes) { return Bytes(std::llround(std::min(bytes, 2.0 * static_cast<double>(limits::bytes)))); }
Bytes in_bytes(double numbers) { return whole(numbers * element); }
Bytes scaled(Bytes bytes, int samples) { return whole(static_cast<double>(bytes.count) * samples); }

Result<Count> count(const ModelLayer& layer) {
  if (layer.kind == "embedding") return embedding(layer);
  if (layer.kind == "transformer") return transformer(layer);
  if (layer.kind == "layer_norm") return layer_norm(layer);
  if (layer.kind == "linear") return linear(layer);
  if (layer.kind == "convolution") return convolution(layer);
  if (layer.kind == "max_pool" || layer.kind == "average_pool") return pool(layer);
  if (layer.kind == "batch_norm") return batch_norm(layer);
  if (layer.kind == "bottleneck") return bottleneck(layer);
  if (layer.kind == "residual") return residual(layer);
  if (layer.kind == "global_average_pool") return global_pool(layer);
  if (layer.kind == "lstm") return lstm(layer);
  if (layer.kind == "softmax_cross_entropy") return loss(layer);
  return fail(ErrorCode::bad_input,
              fmt::format("found a layer of kind '{}', expected one whose shape is known", layer.kind));
}

/// Returns the maximum of compute time and memory time (the roofline of Williams et al., CACM 2009).
Seconds pass_time(double flops, double bytes, const DeviceSpeed& device) {
  return Seconds(std::max(flops / device.flops_per_second, bytes / device.memory.count));
}

Result<void> within_limits(const Layer& layer, std::size_t index) {
  const Bytes most = std::max({layer.output, layer.saved, layer.parameters, layer.workspace});
  if (most.count > limits::bytes || layer.backward.count > limits::seconds)
    return fail(ErrorCode::bad_input,
                fmt::format("found layer '{}' of {} bytes and {} s, expected a model of a sensible size", layer.name,
                            most.count, layer.backward.count),
                fmt::format("/layers/{}", index));
  return {};
}

Layer layer_of(const ModelLayer& model, const LayerShape& shape, const DeviceSpeed& device, int samples) {
  Layer layer;
  layer.name = model.name;
  layer.kind = model.kind;
  layer.forward = pass_time(samples * shape.forward_flops, samples * shape.touched_bytes, device);
  // Backward reads the data that forward touched, and its gradients.
  layer.backward = pass_time(samples * shape.backward_flops, 2 * samples * shape.touched_bytes, device);
  if (shape.backward_flops > 0)
    layer.backward_weight = layer.backward * (shape.backward_weight_flops / shape.backward_flops);
  layer.output = scaled(shape.output, samples);
  layer.saved = scaled(shape.saved, samples);
  layer.parameters = shape.parameters;
  layer.workspace = scaled(shape.workspace, samples);
  return layer;
}

void fold(Layer& into, const Layer& loss) {
  into.forward += loss.forward;
  into.backward += loss.backward;
  into.saved += loss.saved;
  into.workspace = std::max(into.workspace, loss.workspace);
}

}  // namespace

Result<LayerShape> shape_of(const ModelLayer& layer) {
  const LayerKind* kind = layer_kind_named(layer.kind);
  for (const SizeRule& rule : kind ? kind->sizes : std::span<const SizeRule>())
    if (!layer.sizes.contains(std::string(rule.name)))
      return fail(ErrorCode::bad_input,
                  fmt::format("found no {}, expected it in a layer of kind '{}'", rule.name, layer.kind));
  const Result<Count> counted = count(layer);
  if (!counted) return tl::unexpected(counted.error());
  LayerShape shape;
  shape.forward_flops = counted->forward;
  shape.backward_flops = counted->forward + counted->weight;
  shape.backward_weight_flops = counted->weight;
  shape.touched_bytes = (counted->in + counted->out) * element;
  shape.output = in_bytes(counted->out);
  shape.saved = in_bytes(counted->saved);
  shape.parameters = in_bytes(counted->parameters);
  return shape;
}

Result<Profile> profile_from_shapes(const ModelSpec& model, const DeviceSpeed& device, int micro_batch) {
  Profile profile;
  profile.name = model.name;
  profile.source = fmt::format("computed from layer shapes at {:.4g} TFLOP/s and {:.4g} GB/s in fp32; shapes: {}",
                               device.flops_per_second / 1e12, in_gigabytes_per_second(device.memory), model.source);
  profile.device = device.name;
  profile.micro_batch = micro_batch;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Result<LayerShape> shape = shape_of(model.layers[i]);
    if (!shape) return tl::unexpected(shape.error());
    Layer layer = layer_of(model.layers[i], *shape, device, micro_batch);
    if (const Result<void> sensible = within_limits(layer, i); !sensible) return tl::unexpected(sensible.error());
    if (model.layers[i].kind == "softmax_cross_entropy" && !profile.layers.empty())
      fold(profile.layers.back(), layer);
    else
      profile.layers.push_back(std::move(layer));
  }
  return profile;
}

}  // namespace pipedeck::analytic::transformer
