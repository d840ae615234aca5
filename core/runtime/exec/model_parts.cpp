// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/exec/model_parts.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/model/layer_kinds.hpp"

namespace pipedeck::runtime::exec {

Result<ModelParts> make_parts(const ModelSpec& model, const layers::KernelRegistry& kernels) {
  auto layers = layers::make_layers(model, kernels);
  if (!layers) return tl::unexpected(layers.error());
  TRY(const auto loss, layers::SoftmaxCrossEntropy::of(model, layers->back()->output_width()));
  TRY(auto source, data::make_source(model));
  return ModelParts{*std::move(layers), loss, std::move(source)};
}

namespace {

/// Returns the number of a layer's parameters that experts have.
double expert_parameters(const ModelLayer& layer) {
  if (layer.kind != "experts") return 0;
  double count = 3;
  for (const char* size : {"experts", "hidden", "feed_forward"})
    count *= static_cast<double>(find_size(layer, size).value_or(0));
  return count;
}

}  // namespace

Result<void> check_memory(const ModelSpec& model, const Plan& plan, Bytes memory) {
  constexpr double value = sizeof(float);
  const bool two_moments = plan.optimizer == Optimizer::adam;
  const bool one_moment = plan.optimizer == Optimizer::momentum || plan.optimizer == Optimizer::rmsprop;
  const double moments = two_moments ? 2 : one_moment ? 1 : 0;
  const int level = std::max(plan.sharding.level, plan.zero);
  double all = 0, largest = 0;
  std::size_t largest_layer = 0;
  for (const Stage& stage : plan.stages) {
    const int holders = stage.replicas() * stage.degrees.context;
    const int group = plan.sharding.group == 0 ? holders : plan.sharding.group;
    const auto of_level = [&](int least) { return level >= least ? 1.0 / group : 1.0; };
    const bool frozen = plan.choices && plan.choices->training.adapters.rank > 0;
    const double states = of_level(3) + (frozen ? 0 : of_level(2) + moments * of_level(1));
    const int expert_ranks = stage.degrees.expert * stage.degrees.expert_tensor;
    const double expert_holders = static_cast<double>(stage.devices.size()) / expert_ranks;
    for (auto i = static_cast<std::size_t>(stage.first); i < static_cast<std::size_t>(stage.last); ++i) {
      const LayerKind* kind = parse_layer_kind(model.layers[i].kind);
      if (!kind) continue;  // make_layers names it
      const double experts = expert_ranks > 1 ? expert_parameters(model.layers[i]) : 0;
      const double own =
          value * states * ((kind->count(model.layers[i]).parameters - experts) * holders + experts * expert_holders);
      all += own;
      if (own > largest) largest = own, largest_layer = i;
    }
  }
  if (all <= static_cast<double>(memory.count)) return {};
  return fail(
      ErrorCode::bad_input,
      fmt::format("found a model that holds {:.3g} GiB of parameters, gradients and optimizer states, {:.3g} GiB "
                  "of them in '{}'; expected at most this machine's {:.3g} GiB",
                  all / 0x1p30, largest / 0x1p30, model.layers[largest_layer].name,
                  static_cast<double>(memory.count) / 0x1p30),
      fmt::format("/layers/{}", largest_layer));
}

}  // namespace pipedeck::runtime::exec
