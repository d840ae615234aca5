// SPDX-License-Identifier: Apache-2.0
#include "core/study/accuracy/likeness.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/analytic/transformer/layers.hpp"

namespace pipedeck::study::accuracy {
namespace {

double log2_of(double value) { return std::log2(std::max(value, 1e-9)); }

double bits_of(std::string_view products) {
  if (products == "nvfp4" || products == "fp4") return 4;
  if (products.starts_with("fp8") || products == "mxfp8") return 8;
  return products == "fp32" || products == "tf32" ? 32 : 16;
}

double speed_of(const DeviceType& type) {
  for (const char* const precision : {"bf16", "fp16"})
    if (const auto found = type.peak_tflops.find(precision); found != type.peak_tflops.end()) return found->second;
  return 1;
}

int recompute_of(const mesh::Question& question) {
  const auto& again = question.layer.recomputed;
  if (again.blocks) return again.count < 0 ? 2 : 1;
  return again.parts.empty() ? 0 : 1;
}

/// Visits what may be unlike, with its part of the distance. The weights were chosen so that bands of runs whose model
/// and machine are left out hold eight in ten of them (docs/accuracy.md); halving or doubling any of them changes that
/// by less than 3 %.
template <class Visit>
void visit_differences(const Traits& one, const Traits& other, Visit visit) {
  const auto steps = [](double a, double b) { return std::abs(a - b); };
  visit("GPU", (one.device == other.device ? 0 : 0.5) + steps(one.speed, other.speed));
  visit("precision", (one.precision == other.precision ? 0 : 0.3) + steps(one.bits, other.bits));
  visit("experts", one.experts == other.experts ? 0 : 3);
  visit("latent attention", one.latent == other.latent ? 0 : 0.5);
  visit("adapters", one.adapters == other.adapters ? 0 : 2);
  visit("weights", 0.5 * steps(one.weights, other.weights));
  visit("number of GPUs", 0.15 * steps(one.gpus, other.gpus));
  visit("length of samples", 0.2 * steps(one.sequence, other.sequence));
  visit("micro-batch", 0.1 * steps(one.tokens, other.tokens));
  visit("tensor degree", 0.25 * steps(one.tensor, other.tensor));
  visit("context degree", 0.25 * steps(one.context, other.context));
  visit("expert degree", 0.25 * steps(one.expert, other.expert));
  visit("pipeline degree", 0.25 * steps(one.pipeline, other.pipeline));
  visit("sharding", 0.3 * steps(one.sharding, other.sharding));
  visit("recomputation", 0.2 * steps(one.recompute, other.recompute));
}

}  // namespace

Traits traits_of(const mesh::Question& question, const DeviceType& type) {
  const Shard& shard = question.shard();
  const Training& training = question.training;
  Traits traits;
  traits.device = type.name;
  traits.speed = log2_of(speed_of(type));
  traits.precision = training.recipe.empty() ? training.products : training.products + "-" + training.recipe;
  traits.bits = log2_of(bits_of(training.products));
  traits.experts = question.config.experts.has_value();
  traits.latent = question.config.latent.has_value();
  traits.adapters = training.adapters.rank > 0;
  traits.weights = log2_of(analytic::transformer::parameters_of(question.config));
  traits.gpus = log2_of(question.devices());
  traits.sequence = log2_of(question.layer.count.sequence);
  traits.tokens = traits.sequence + log2_of(question.layer.count.micro_batch) - log2_of(shard.context);
  traits.tensor = log2_of(shard.tensor), traits.context = log2_of(shard.context);
  traits.expert = log2_of(shard.expert), traits.pipeline = log2_of(question.pipeline);
  traits.sharding = question.sharding.level < 2 ? std::min(1, question.sharding.level) : question.sharding.level;
  traits.recompute = recompute_of(question);
  return traits;
}

std::vector<Difference> differences_of(const Traits& one, const Traits& other) {
  std::vector<Difference> all;
  visit_differences(one, other, [&](std::string_view of, double value) {
    if (value > 0) all.push_back({of, value});
  });
  std::ranges::stable_sort(all, std::ranges::greater(), &Difference::value);
  return all;
}

double distance_of(const Traits& one, const Traits& other) {
  double sum = 0;
  visit_differences(one, other, [&](std::string_view, double value) { sum += value; });
  return sum;
}

}  // namespace pipedeck::study::accuracy
