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

/// Truncates values above every limit, so that they can be reported instead of overflowing.
Bytes whole(double bytes) { return Bytes(std::llround(std::min(bytes, 2.0 * static_cast<double>(limits::bytes)))); }
Bytes in_bytes(double numbers) { return whole(numbers * element); }
Bytes scaled(Bytes bytes, int samples) { return whole(static_cast<double>(bytes.count) * samples); }

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

void merge_loss(Layer& into, const Layer& loss) {
  into.forward += loss.forward;
  into.backward += loss.backward;
  into.saved += loss.saved;
  into.workspace = std::max(into.workspace, loss.workspace);
}

}  // namespace

Result<LayerShape> shape_of(const ModelLayer& layer) {
  const LayerKind* kind = parse_layer_kind(layer.kind);
  if (!kind)
    return fail(ErrorCode::bad_input,
                fmt::format("found a layer of kind '{}', expected one whose shape is known", layer.kind));
  for (const SizeRule& rule : kind->sizes)
    if (!find_size(layer, std::string(rule.name)))
      return fail(ErrorCode::bad_input,
                  fmt::format("found no {}, expected it in a layer of kind '{}'", rule.name, layer.kind));
  const LayerCount counted = kind->count(layer);
  LayerShape shape;
  shape.forward_flops = counted.forward;
  shape.backward_flops = counted.forward + counted.weight;
  shape.backward_weight_flops = counted.weight;
  shape.touched_bytes = (counted.in + counted.out) * element;
  shape.output = in_bytes(counted.out);
  shape.saved = in_bytes(counted.saved);
  shape.parameters = in_bytes(counted.parameters);
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
      merge_loss(profile.layers.back(), layer);
    else
      profile.layers.push_back(std::move(layer));
  }
  return profile;
}

}  // namespace pipedeck::analytic::transformer
