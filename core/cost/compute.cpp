// SPDX-License-Identifier: Apache-2.0
#include "core/cost/compute.hpp"

#include <algorithm>

#include "core/base/result.hpp"

namespace pipedeck::cost {
namespace {

/// Returns the value at `samples` of the line through two measured points, at least 0.
double interpolate(const LayerPoint& a, const LayerPoint& b, Seconds LayerPoint::*pass, int samples) {
  const double slope = ((b.*pass).count - (a.*pass).count) / (b.micro_batch - a.micro_batch);
  return std::max(0.0, (a.*pass).count + slope * (samples - a.micro_batch));
}

/// Interpolates linearly between measured points, and extrapolates the line through the nearest two outside.
/// Proportional for one point.
double at_samples(const Profile& profile, const Layer& layer, Seconds Layer::*base, Seconds LayerPoint::*pass,
                  int samples) {
  const std::vector<LayerPoint>& points = layer.at;
  if (samples == profile.micro_batch) return (layer.*base).count;
  if (points.size() < 2) return (layer.*base).count * samples / profile.micro_batch;
  const auto above = std::lower_bound(points.begin() + 1, points.end() - 1, samples,
                                      [](const LayerPoint& point, int wanted) { return point.micro_batch < wanted; });
  return interpolate(above[-1], *above, pass, samples);
}

/// Returns the part of the backward pass that computes weight gradients: interpolated if every point has one, otherwise
/// the layer's own.
double weight_gradient_fraction(const Profile& profile, const Layer& layer, int samples) {
  const double own = layer.backward.count > 0 ? layer.backward_weight.count / layer.backward.count : 0;
  const bool told = layer.at.size() > 1 && std::ranges::all_of(layer.at, [](const LayerPoint& point) {
                      return point.details.backward_weight.has_value();
                    });
  if (!told || samples == profile.micro_batch) return own;
  const auto above = std::lower_bound(layer.at.begin() + 1, layer.at.end() - 1, samples,
                                      [](const LayerPoint& point, int wanted) { return point.micro_batch < wanted; });
  const auto weights_of = [](const LayerPoint& point) {
    return LayerPoint{point.micro_batch, {}, *point.details.backward_weight, {}};
  };
  const double backward = interpolate(above[-1], *above, &LayerPoint::backward, samples);
  const double weights = interpolate(weights_of(above[-1]), weights_of(*above), &LayerPoint::backward, samples);
  return backward > 0 ? std::min(1.0, weights / backward) : 0;
}

/// Returns a value for another device or degree as its ratio to the base. A base of 0 has no ratio and stays 0.
double ratio(Seconds other, Seconds base) { return base.count > 0 ? other.count / base.count : 1; }

double find_speed(const Cluster& cluster, const std::string& name) {
  const DeviceType* type = find_device_type(cluster, name);
  return type ? type->relative_speed : 1;
}

struct Ratios {
  double forward = 1, backward = 1;
};

Ratios device_ratios(const Profile& profile, const Layer& layer, const Cluster& cluster, const DeviceType& type) {
  if (type.name == profile.device) return {};
  if (const auto on = layer.on.find(type.name); on != layer.on.end())
    return {ratio(on->second.forward, layer.forward), ratio(on->second.backward, layer.backward)};
  const double slower = find_speed(cluster, profile.device) / type.relative_speed;
  return {slower, slower};
}

Ratios degree_ratios(const Layer& layer, int degree) {
  if (degree == 1) return {};
  const auto point = std::find_if(layer.tensor_parallel.begin(), layer.tensor_parallel.end(),
                                  [&](const TensorParallelPoint& candidate) { return candidate.degree == degree; });
  ensure(point != layer.tensor_parallel.end(), "a layer was asked for a degree of tensor parallelism it does not list");
  return {ratio(point->forward, layer.forward), ratio(point->backward, layer.backward)};
}

}  // namespace

LayerTimes layer_times(const Profile& profile, const Layer& layer, int samples, const Cluster& cluster,
                       const DeviceType& type, int tensor_parallel) {
  const Ratios device = device_ratios(profile, layer, cluster, type);
  const Ratios degree = degree_ratios(layer, tensor_parallel);
  const double forward = at_samples(profile, layer, &Layer::forward, &LayerPoint::forward, samples);
  const double backward = at_samples(profile, layer, &Layer::backward, &LayerPoint::backward, samples);

  LayerTimes times;
  times.forward = Seconds(forward * device.forward * degree.forward);
  times.backward = Seconds(backward * device.backward * degree.backward);
  times.backward_weight = times.backward * weight_gradient_fraction(profile, layer, samples);
  return times;
}

Bytes scale_bytes(Bytes bytes, int samples, int profile_micro_batch) {
  // Splits into whole micro-batches and a rest, so that large values do not overflow.
  const std::int64_t whole = bytes.count / profile_micro_batch, rest = bytes.count % profile_micro_batch;
  return Bytes(whole * samples + (rest * samples + profile_micro_batch - 1) / profile_micro_batch);
}

}  // namespace pipedeck::cost
