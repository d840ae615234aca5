// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/exec/plan_features.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/model/layer_kinds.hpp"
#include "core/plan/blocks.hpp"
#include "core/runtime/layers/adapters.hpp"
#include "core/runtime/layers/layer_kernel.hpp"
#include "core/runtime/layers/recomputed_parts.hpp"

namespace pipedeck::runtime::exec {
namespace {

tl::unexpected<Error> refuse(std::string place, std::string message) {
  return fail(ErrorCode::bad_input, std::move(message), std::move(place));
}

std::string stage_place(std::size_t stage, std::string_view key) { return fmt::format("/stages/{}/{}", stage, key); }

Result<void> check_degrees(const Plan& plan) {
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const Shard shard = plan.stages[s].shard();
    if (shard.context != plan.stages.front().degrees.context)
      return refuse(stage_place(s, "context_parallel"),
                    fmt::format("found {}, expected {}, as stage 0 has: ranks pass their positions on", shard.context,
                                plan.stages.front().degrees.context));
    if (shard.context > 1 && !plan.synchronous())
      return refuse(stage_place(s, "context_parallel"),
                    fmt::format("found {}, expected 1 with the asynchronous schedule '{}'", shard.context,
                                name_of(plan.schedule)));
    for (const auto& [key, degree, what] : {std::tuple{"expert_parallel", shard.expert, "expert"},
                                            {"expert_tensor_parallel", shard.expert_tensor, "expert-tensor"}})
      if (degree > 1 && !plan.synchronous())
        return refuse(stage_place(s, key), fmt::format("found {} {} ranks, expected 1 with the asynchronous schedule "
                                                       "'{}', whose replicas take other mini-batches",
                                                       degree, what, name_of(plan.schedule)));
    const Recompute& recompute = plan.stages[s].recompute;
    if (recompute.operations)
      return refuse(stage_place(s, "recompute"),
                    "found operations of blocks, expected whole blocks, layers or modules in a run");
    if (auto parts = layers::parts_of_modules(recompute.modules); !parts)
      return refuse(stage_place(s, "recompute/modules"), parts.error().message);
  }
  return {};
}

Result<void> check_sharding(const Plan& plan, const Schedule& schedule) {
  const Sharding sharding = sharding_of(plan);
  const char* const place = plan.sharding.level > 0 ? "/sharding/level" : "/zero";
  if (sharding.level > 0 && !schedule.synchronous)
    return refuse(place, fmt::format("found {}, expected 0: replicas of '{}' update weights without waiting for each "
                                     "other",
                                     sharding.level, name_of(plan.schedule)));
  if (sharding.level > 1 && schedule.copies > 1)
    return refuse(place,
                  fmt::format("found {}, expected 0 or 1: the copies of a stage in '{}' run different lists, and "
                              "can't meet in each pass",
                              sharding.level, name_of(plan.schedule)));
  return {};
}

/// Refuses choices by which other weights would be trained.
Result<void> check_choices(const StepChoices& choices) {
  const Training& training = choices.training;
  if (training.optimizer_step != OptimizerStep::elementwise)
    return refuse("/training/optimizer_step",
                  fmt::format("found '{}', expected '{}' in a run", name_of(training.optimizer_step),
                              name_of(OptimizerStep::elementwise)));
  if (training.multi_token_blocks > 0)
    return refuse(
        "/training/multi_token_blocks",
        fmt::format("found {} blocks that predict further tokens, expected 0 in a run", training.multi_token_blocks));
  if (!training.sample_lengths.empty())
    return refuse("/training/sample_lengths", "found packed samples, expected none: a run's samples are sequences");
  return {};
}

}  // namespace

Result<void> check_features(const Plan& plan, const Schedule& schedule) {
  if (plan.synchronous() != schedule.synchronous)
    return refuse("/schedule", fmt::format("the plan's {} is {}, the schedule {}", name_of(plan.schedule),
                                           plan.synchronous() ? "synchronous" : "asynchronous",
                                           schedule.synchronous ? "synchronous" : "asynchronous"));
  TRY_VOID(check_degrees(plan));
  TRY_VOID(check_sharding(plan, schedule));
  return plan.choices ? check_choices(*plan.choices) : Result<void>();
}

Plan without_loss_layer(Plan plan, const ModelSpec& model) {
  const int layers = layers::plannable_layers(model);
  if (plan.stages.empty() || plan.stages.back().last != layers + 1 || std::ssize(model.layers) != layers + 1)
    return plan;
  Stage& last = plan.stages.back();
  last.last = layers;
  std::erase(last.recompute.layers, LayerId(layers));
  if (plan.order && !plan.order->empty() && plan.order->back() == LayerId(layers)) plan.order->pop_back();
  return plan;
}

ModelSpec with_capacity(ModelSpec model, const Plan& plan) {
  if (!plan.choices || plan.choices->layers.capacity <= 0) return model;
  for (ModelLayer& layer : model.layers)
    if (layer.kind == "experts")
      layer.sizes["capacity_percent"] = std::max<std::int64_t>(1, std::llround(100 * plan.choices->layers.capacity));
  return model;
}

ModelSpec with_adapters(ModelSpec model, const Plan& plan, int alpha) {
  if (layers::has_adapters(model) || !plan.choices) return model;
  return layers::with_adapters(std::move(model), plan.choices->training.adapters, alpha);
}

Result<void> check_adapters(const ModelSpec& model, const layers::KernelRegistry& kernels) {
  const auto rank = model.layers.empty() ? 0 : layers::adapters_of(model.layers.front()).rank;
  if (rank == 0) return {};
  if (!kernels.adapters)
    return refuse("/training/adapters", fmt::format("found adapters of rank {}, expected none: a run on {} trains all "
                                                    "weights",
                                                    rank, kernels.where));
  for (const ModelLayer& layer : model.layers) {
    const auto made = kernels.layers.find(layer.kind);
    if (made == kernels.layers.end()) continue;
    if (auto kernel = made->second(layer); kernel && (*kernel)->frozen_parameters() > 0) return {};
  }
  return refuse("/training/adapters",
                fmt::format("found adapters of rank {} for '{}' products, expected none: no layer of the model has "
                            "such products",
                            rank, name_of(layers::adapters_of(model.layers.front()).targets)));
}

Result<void> check_tied_ends(const ModelSpec& model, const Plan& plan) {
  if (!has_tied_ends(model)) return {};
  if (!plan.synchronous())
    return refuse("/schedule",
                  fmt::format("found the asynchronous schedule '{}', expected a synchronous one: both ends "
                              "of the model share a table, and update it together",
                              name_of(plan.schedule)));
  return {};
}

Sharding sharding_of(const Plan& plan) {
  Sharding sharding = plan.sharding;
  if (sharding.level == 0) sharding.level = plan.zero;
  return sharding;
}

tensor::StatePlace state_place(const Plan& plan, bool offloads) {
  if (!offloads || !plan.choices) return tensor::StatePlace::device;
  const Training& training = plan.choices->training;
  if (training.offloads_optimizer) return tensor::StatePlace::host;
  return training.pages_optimizer ? tensor::StatePlace::paged : tensor::StatePlace::device;
}

std::vector<bool> offloaded_layers(const ModelSpec& model, const Plan& plan, std::size_t stage, bool offloads) {
  const int blocks = offloads && plan.choices ? plan.choices->training.offloaded_blocks : 0;
  if (blocks == 0) return {};
  std::vector<std::string_view> names;
  for (const ModelLayer& layer : model.layers) names.emplace_back(layer.name);
  const std::vector<bool> starts = plan::block_starts(names);
  std::vector<bool> offloaded;
  int block = 0;
  for (int layer = plan.stages[stage].first; layer < plan.stages[stage].last; ++layer) {
    const auto index = static_cast<std::size_t>(layer);
    const bool in_block = !plan::block_name(names[index]).empty();
    if (in_block && (starts[index] || block == 0)) ++block;
    offloaded.push_back(in_block && block <= blocks);
  }
  return offloaded;
}

namespace {

/// Returns the choices that a run leaves out, which change another engine's time and memory.
std::vector<std::string_view> ignored_choices(const StepChoices& choices, bool offloads) {
  const Training& training = choices.training;
  const LayerChoices& layers = choices.layers;
  const std::pair<bool, std::string_view> all[] = {
      {training.hidden.tensor, "tensor-parallel communication behind products"},
      {training.hidden.expert, "all-to-all behind other micro-batches"},
      {!offloads && training.offloaded_blocks > 0, "offload of activations"},
      {!offloads && (training.offloads_optimizer || training.pages_optimizer), "offload of optimizer states"},
      {training.graphs != Graphs::none, "CUDA graphs"},
      {!training.attention.empty(), "attention kernels"},
      {training.loss != LossKind::plain, "the kind of loss"},
      {training.adapters.frozen != FrozenWeights::same, "the format of frozen weights"},
      {training.bucket > 0, "buckets"},
      {layers.dispatcher != Dispatcher::all_to_all, "the dispatcher of tokens"},
      {layers.imbalance > 1, "the imbalance of experts"},
      {layers.vocabulary_multiple > 0, "padding of the vocabulary"}};
  std::vector<std::string_view> ignored;
  for (const auto& [chosen, name] : all)
    if (chosen) ignored.push_back(name);
  return ignored;
}

}  // namespace

std::vector<std::string> remarks_on(const Plan& plan, std::string_view computed, bool divides_tokens, bool offloads) {
  std::vector<std::string> remarks;
  if (!divides_tokens &&
      std::ranges::any_of(plan.stages, [](const Stage& stage) { return stage.shard().divides_tokens(); }))
    remarks.emplace_back(
        "the plan divides tokens over tensor-parallel ranks: in this run each holds all of them, which changes memory "
        "and communication, not the weights");
  if (!divides_tokens &&
      std::ranges::any_of(plan.stages, [](const Stage& stage) { return !stage.recompute.modules.empty(); }))
    remarks.emplace_back(
        "the plan recomputes modules: in this run their values are kept, which changes memory and time, not the "
        "weights");
  if (!plan.choices && plan.precision == Precision::fp32) return remarks;
  const std::string_view products = plan.choices ? std::string_view(plan.choices->training.products) : "";
  const std::string_view planned = products.empty() ? name_of(plan.precision) : products;
  if (planned != computed)
    remarks.push_back(
        fmt::format("the plan's products are in {}: this run computes them in {}, and keeps weights, gradients and "
                    "optimizer states in fp32",
                    planned, computed));
  if (!plan.choices) return remarks;
  if (const auto ignored = ignored_choices(*plan.choices, offloads); !ignored.empty())
    remarks.push_back(fmt::format("not in this run, without effect on the weights: {}", fmt::join(ignored, ", ")));
  return remarks;
}

}  // namespace pipedeck::runtime::exec
