// SPDX-License-Identifier: Apache-2.0
// Small models, plans and schedules for tests of the trainer.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/model/model.hpp"
#include "core/model/plan.hpp"
#include "core/model/run.hpp"
#include "core/model/schedule.hpp"

namespace pipedeck::test {

/// Embedding, `blocks` causal blocks, norm, head, loss: a GPT of a few thousand parameters.
inline ModelSpec small_gpt(int blocks = 2, std::int64_t hidden = 16, std::int64_t sequence = 8,
                           std::int64_t vocabulary = 12) {
  ModelSpec model;
  model.name = "small GPT";
  model.layers.push_back(
      {"tokens", "embedding", {{"vocabulary", vocabulary}, {"hidden", hidden}, {"sequence", sequence}}});
  for (int i = 0; i < blocks; ++i)
    model.layers.push_back(
        {"block_" + std::to_string(i),
         "transformer",
         {{"hidden", hidden}, {"heads", 2}, {"feed_forward", 4 * hidden}, {"sequence", sequence}, {"causal", 1}}});
  model.layers.push_back({"norm", "layer_norm", {{"hidden", hidden}, {"sequence", sequence}}});
  model.layers.push_back(
      {"head", "linear", {{"in", hidden}, {"out", vocabulary}, {"sequence", sequence}, {"activation", 0}}});
  model.layers.push_back({"loss", "softmax_cross_entropy", {{"classes", vocabulary}, {"sequence", sequence}}});
  model.learning_rate = 3e-3;
  model.seed = 5;
  model.data.seed = 9;
  return model;
}

/// Embedding, a block and the halves of another, norm, head without a bias, loss: a Llama of a few thousand parameters.
/// The blocks' queries, keys and values have biases and their heads norms.
inline ModelSpec small_llama(std::int64_t hidden = 16, std::int64_t sequence = 8, std::int64_t vocabulary = 12) {
  ModelSpec model;
  model.name = "small Llama";
  const std::map<std::string, std::int64_t> attention{{"hidden", hidden},     {"heads", 8},     {"key_value_heads", 4},
                                                      {"head_width", 4},      {"window", 5},    {"bias_qkv", 1},
                                                      {"sequence", sequence}, {"norm_heads", 1}};
  auto block = attention;
  block["feed_forward"] = 3 * hidden;
  model.layers = {{"tokens",
                   "embedding",
                   {{"vocabulary", vocabulary}, {"hidden", hidden}, {"sequence", sequence}, {"positions", 0}}},
                  {"block_0", "decoder", block},
                  {"block_1.attention", "attention", attention},
                  {"block_1.feed_forward",
                   "feed_forward",
                   {{"hidden", hidden}, {"feed_forward", 3 * hidden}, {"sequence", sequence}}},
                  {"norm", "rms_norm", {{"hidden", hidden}, {"sequence", sequence}}},
                  {"head", "linear", {{"in", hidden}, {"out", vocabulary}, {"sequence", sequence}, {"bias", 0}}},
                  {"loss", "softmax_cross_entropy", {{"classes", vocabulary}, {"sequence", sequence}}}};
  model.learning_rate = 3e-3;
  model.seed = 5;
  model.data.seed = 9;
  return model;
}

/// As small_llama, with attention and a mixture of experts in each block, which balances its load.
inline ModelSpec small_mixtral(int blocks = 2, std::int64_t hidden = 16, std::int64_t sequence = 8,
                               std::int64_t vocabulary = 12) {
  ModelSpec model = small_llama(hidden, sequence, vocabulary);
  model.name = "small Mixtral";
  model.layers.erase(model.layers.begin() + 1, model.layers.begin() + 4);
  for (int i = blocks; i-- > 0;) {
    const std::string name = "block_" + std::to_string(i);
    model.layers.insert(model.layers.begin() + 1,
                        {{name + ".attention",
                          "attention",
                          {{"hidden", hidden}, {"heads", 4}, {"sequence", sequence}, {"norm_heads", i % 2}}},
                         {name + ".experts",
                          "experts",
                          {{"hidden", hidden},
                           {"experts", 4},
                           {"per_token", 2},
                           {"feed_forward", 2 * hidden},
                           {"sequence", sequence},
                           {"auxiliary_loss_permille", 20}}}});
  }
  return model;
}

/// Lets the head of a model share the embedding's table.
inline ModelSpec tied(ModelSpec model) {
  ModelLayer& head = model.layers[model.layers.size() - 2];
  model.layers.front().sizes["tied"] = head.sizes["tied"] = 1;
  head.sizes["bias"] = 0;
  return model;
}

inline ModelSpec small_mlp(std::int64_t hidden = 24, int layers = 5, std::int64_t in = 10, std::int64_t classes = 4) {
  ModelSpec model;
  model.name = "small MLP";
  for (int i = 0; i < layers; ++i) {
    const bool last = i == layers - 1;
    model.layers.push_back({"linear_" + std::to_string(i),
                            "linear",
                            {{"in", i == 0 ? in : hidden},
                             {"out", last ? classes : hidden},
                             {"sequence", 1},
                             {"activation", last ? 0 : 1 + i % 2}}});
  }
  model.layers.push_back({"loss", "softmax_cross_entropy", {{"classes", classes}, {"sequence", 1}}});
  model.learning_rate = 3e-3;
  model.seed = 11;
  return model;
}

/// Two convolutions with a max pool between them, a mean of each channel and a classifier; with batch norms and
/// residual blocks in between where `normed`.
inline ModelSpec small_cnn(bool normed = false, std::int64_t channels = 8, std::int64_t side = 8) {
  ModelSpec model;
  model.name = normed ? "small ResNet" : "small VGG";
  const auto image = [](std::int64_t c, std::int64_t s) {
    return std::map<std::string, std::int64_t>{{"channels", c}, {"height", s}, {"width", s}};
  };
  const auto add = [&](const char* kind, std::map<std::string, std::int64_t> sizes,
                       const std::map<std::string, std::int64_t>& more = {}) {
    sizes.insert(more.begin(), more.end());
    model.layers.push_back({kind + std::to_string(model.layers.size()), kind, std::move(sizes)});
  };
  const auto square = [](std::int64_t s) { return std::map<std::string, std::int64_t>{{"height", s}, {"width", s}}; };
  add("convolution", square(side),
      {{"in", 1},
       {"out", channels},
       {"kernel", 3},
       {"stride", 1},
       {"padding", 1},
       {"activation", normed ? 0 : 1},
       {"bias", normed ? 0 : 1}});
  if (normed) add("batch_norm", image(channels, side), {{"activation", 1}});
  add("max_pool", image(channels, side), {{"kernel", 2}, {"stride", 2}, {"padding", 0}});
  if (normed) {
    add("residual", square(side / 2), {{"in", channels}, {"out", channels}, {"stride", 1}});
    add("bottleneck", square(side / 2), {{"in", channels}, {"middle", 4}, {"out", 2 * channels}, {"stride", 2}});
    add("average_pool", image(2 * channels, side / 4), {{"kernel", 2}, {"stride", 2}, {"padding", 0}});
    add("linear", {{"in", 2 * channels * (side / 8) * (side / 8)}, {"out", 4}, {"sequence", 1}, {"activation", 0}});
  } else {
    add("convolution", square(side / 2),
        {{"in", channels},
         {"out", 2 * channels},
         {"kernel", 3},
         {"stride", 2},
         {"padding", 1},
         {"activation", 2},
         {"bias", 1}});
    add("global_average_pool", image(2 * channels, side / 4));
    add("linear", {{"in", 2 * channels}, {"out", 4}, {"sequence", 1}, {"activation", 0}});
  }
  add("softmax_cross_entropy", {{"classes", 4}, {"sequence", 1}});
  model.learning_rate = 3e-3;
  model.seed = 7;
  return model;
}

/// Embedding, an LSTM in both directions or one, two more, a classifier at each position.
inline ModelSpec small_lstm(std::int64_t directions = 1, std::int64_t hidden = 12, std::int64_t sequence = 6,
                            std::int64_t vocabulary = 10) {
  ModelSpec model;
  model.name = "small LSTM";
  const auto lstm = [&](std::int64_t in, std::int64_t both) {
    model.layers.push_back({"lstm_" + std::to_string(model.layers.size()),
                            "lstm",
                            {{"in", in}, {"hidden", hidden}, {"sequence", sequence}, {"directions", both}}});
  };
  model.layers.push_back(
      {"tokens", "embedding", {{"vocabulary", vocabulary}, {"hidden", hidden}, {"sequence", sequence}}});
  lstm(hidden, directions);
  lstm(directions * hidden, 1);
  lstm(hidden, 1);
  model.layers.push_back(
      {"head", "linear", {{"in", hidden}, {"out", vocabulary}, {"sequence", sequence}, {"activation", 0}}});
  model.layers.push_back({"loss", "softmax_cross_entropy", {{"classes", vocabulary}, {"sequence", sequence}}});
  model.learning_rate = 3e-3;
  model.seed = 13;
  return model;
}

/// Stages of `replicas[s]` devices each, devices numbered in stage order, layers as even as they go.
inline Plan plan_for(const ModelSpec& model, const std::vector<int>& replicas, int micro_batch, int micro_batches) {
  Plan plan;
  plan.name = "test";
  plan.micro_batch = micro_batch;
  plan.micro_batches = micro_batches;
  plan.global_batch = micro_batch * micro_batches;
  const int layers = static_cast<int>(model.layers.size()) - 1, stages = static_cast<int>(replicas.size());
  int device = 0;
  for (int s = 0; s < stages; ++s) {
    Stage stage;
    stage.first = layers * s / stages;
    stage.last = layers * (s + 1) / stages;
    for (int r = 0; r < replicas[static_cast<std::size_t>(s)]; ++r) stage.devices.push_back(DeviceId(device++));
    plan.stages.push_back(stage);
  }
  return plan;
}

enum class Order { gpipe, policy_a, policy_b, split_backward };

inline LaneOrder lane_order(Order order, const Plan& plan, int stage) {
  const int m = plan.micro_batches, left = static_cast<int>(plan.stages.size()) - stage;
  AlternatingOrder lane{StageId(stage), m, 0, 1, m, plan.stages[static_cast<std::size_t>(stage)].recompute.any()};
  if (order == Order::policy_a) lane.warmup = std::min(left, m);
  if (order == Order::policy_b) lane.warmup = std::min(2 * left - 1, m);
  if (order != Order::split_backward) return lane;
  ExplicitOrder split;  // 1F1B, with all weight gradients at the end
  lane.warmup = std::min(left, m);
  for (int i = 0; i < operation_count(lane); ++i) {
    Operation operation = operation_at(lane, i);
    if (operation.kind == OpKind::backward) operation.kind = OpKind::backward_input;
    split.operations.push_back(operation);
  }
  for (int i = 0; i < m; ++i) split.operations.push_back({OpKind::backward_weight, StageId(stage), i});
  return split;
}

/// Returns the schedule of a plan from plan_for, whose devices are numbered in stage order.
inline Schedule schedule_for(const Plan& plan, Order order) {
  Schedule schedule;
  schedule.micro_batches = plan.micro_batches;
  for (std::size_t s = 0; s < plan.stages.size(); ++s)
    for (const DeviceId device : plan.stages[s].devices)
      schedule.lanes.push_back({device, lane_order(order, plan, static_cast<int>(s))});
  return schedule;
}

/// A record of a run's events.
struct EventLog {
  std::vector<RunEvent> events;
  auto sink() {
    return [this](const RunEvent& event) { events.push_back(event); };
  }
  template <class Event>
  std::vector<Event> of() const {
    std::vector<Event> found;
    for (const RunEvent& event : events)
      if (const auto* match = std::get_if<Event>(&event)) found.push_back(*match);
    return found;
  }
  std::vector<double> losses() const {
    std::vector<double> values;
    for (const StepDone& step : of<StepDone>()) values.push_back(step.loss);
    return values;
  }
};

}  // namespace pipedeck::test
