// SPDX-License-Identifier: Apache-2.0
#include "core/study/utilization.hpp"

#include <algorithm>

#include "core/analytic/transformer/layers.hpp"
#include "core/cost/memory.hpp"
#include "core/io/documents/transformer.hpp"

namespace pipedeck::study {
namespace {

/// Gradients take twice the forward pass: one product for the input's and one for the weights' (PaLM, appendix B).
constexpr double passes = 3;

using analytic::times::GemmCount;
using analytic::times::LayerCount;

double operations(const LayerCount& layer, bool with_weights) {
  double sum = 0;
  for (const GemmCount& product : layer.gemms)
    if (product.weights == with_weights) sum += product.operations();
  return sum;
}

double operations(const std::vector<LayerCount>& layers, bool with_weights) {
  double sum = 0;
  for (const LayerCount& layer : layers) sum += operations(layer, with_weights);
  return sum;
}

std::optional<double> peak_of(const DeviceType& type, const std::string& precision,
                              const std::vector<DeviceModel>& catalogue) {
  const auto of = [&](const DeviceType& one) -> std::optional<double> {
    const auto found = one.peak_tflops.find(precision);
    return found == one.peak_tflops.end() ? std::nullopt : std::optional(found->second * 1e12);
  };
  if (const auto own = of(type)) return own;
  const DeviceModel* model = find_device_model(catalogue, type.name);
  return model ? of(model->type) : std::nullopt;
}

/// Operations of the recomputed forward passes of a sample.
double recomputed(const SampleWork& work, const Problem& problem, const Plan& plan) {
  if (work.forward.size() != problem.profile->layers.size()) return 0;
  const std::vector<LayerId> order = order_of(plan, *problem.profile);
  double sum = 0;
  for (const Stage& stage : plan.stages)
    for (int p = stage.first; p < stage.last; ++p)
      if (cost::is_recomputed(stage, p)) sum += work.forward[order[static_cast<std::size_t>(p)].index()];
  return sum;
}

}  // namespace

std::optional<SampleWork> work_of(const Profile& profile) {
  const auto origin = io::documents::origin_of(profile);
  if (!origin || !*origin) return std::nullopt;
  const TransformerConfig& config = (*origin)->config;
  const AnalyticOptions& options = (*origin)->options;
  const auto layers = [&](AttentionMemory attention) {
    return analytic::transformer::count_layers(
               config, {.sequence = sequence_of(config, options), .micro_batch = 1, .attention = attention})
        .layers;
  };
  // Kernels that do not store the scores skip the pairs that the mask leaves out.
  const std::vector<LayerCount> seen = layers(AttentionMemory::fused), all = layers(AttentionMemory::stored);
  SampleWork work;
  work.tokens = sequence_of(config, options);
  work.products = passes * operations(seen, true);
  work.attention = passes * operations(seen, false);
  work.all_pairs = passes * operations(all, false);
  work.precision = options.precision;
  const bool same = std::ranges::equal(seen, profile.layers, {}, &LayerCount::name, &Layer::name);
  for (std::size_t i = 0; same && i < seen.size(); ++i)
    work.forward.push_back(operations(seen[i], true) + operations(seen[i], false));
  return work;
}

Utilization utilization_of(const SampleWork& work, const Problem& problem, const Plan& plan, double samples_per_second,
                           const std::vector<DeviceModel>& catalogue) {
  const std::vector<DeviceId> used = devices_used(plan);
  Utilization rates;
  rates.precision = work.precision;
  rates.devices = static_cast<int>(used.size());
  rates.tokens_per_second = samples_per_second * work.tokens;
  if (rates.devices == 0) return rates;
  rates.tokens_per_second_per_device = rates.tokens_per_second / rates.devices;
  // The backward of frozen weights has products for the gradients of its inputs alone.
  const double products = work.products * (adapters_of(plan).rank > 0 ? (passes - 1) / passes : 1);
  const double samples = samples_per_second / rates.devices, own = products + work.attention;
  rates.operations_per_device = samples * own;
  const std::vector<Device> devices = devices_of(*problem.cluster);
  double peaks = 0;
  for (const DeviceId one : used) {
    const Device& device = devices[one.index()];
    const DeviceType& type = problem.cluster->device_types[static_cast<std::size_t>(device.type)];
    const auto peak = peak_of(type, work.precision, catalogue);
    if (!peak || *peak <= 0) {
      rates.unknown_peak = type.name;
      return rates;
    }
    peaks += *peak;
  }
  rates.peak_per_device = peaks / rates.devices;
  rates.mfu = rates.operations_per_device / rates.peak_per_device;
  rates.mfu_all_pairs = samples * (products + work.all_pairs) / rates.peak_per_device;
  rates.hfu = samples * (own + recomputed(work, problem, plan)) / rates.peak_per_device;
  return rates;
}

std::optional<Utilization> utilization_of(const Problem& problem, const Plan& plan, double samples_per_second) {
  const auto work = work_of(*problem.profile);
  if (!work) return std::nullopt;
  return utilization_of(*work, problem, plan, samples_per_second, {});
}

}  // namespace pipedeck::study
