// SPDX-License-Identifier: Apache-2.0
// Small models of every family, plans for them, and how they are trained on GPUs or their stand-in.
#pragma once

#include <QString>

#include <map>
#include <vector>

#include "core/runtime/cuda/module.hpp"
#include "core/runtime/train.hpp"
#include "tests/core/runtime/train/schedule_cases.hpp"

extern "C" const pipedeck::runtime::cuda::Module* pipedeck_cuda(const char* version);

namespace pipedeck::test {

inline const runtime::cuda::Module& gpu_module() { return *pipedeck_cuda(PIPEDECK_VERSION); }

inline Trained trained_on(const runtime::layers::Backend& backend, const ModelSpec& model, const Plan& plan,
                          const runtime::train::TrainOptions& options) {
  EventLog log;
  auto trained = runtime::train_with(backend, model, plan, built(plan), options, log.sink());
  if (!trained) qWarning("%s", trained.error().text().c_str());
  return {trained ? *std::move(trained) : runtime::train::TrainedParameters(), std::move(log)};
}

inline runtime::layers::Backend gpus_for(const Plan& plan,
                                         runtime::cuda::Precision precision = runtime::cuda::Precision::fp32) {
  auto backend = runtime::cuda::cuda_backend(gpu_module(), plan, precision, true);
  if (!backend) qFatal("%s", backend.error().text().c_str());
  return *std::move(backend);
}

/// Stage s has `replicas[s]` of `degrees[s]` devices.
inline Plan cut_plan(const ModelSpec& model, const std::vector<int>& replicas, const std::vector<int>& degrees) {
  std::vector<int> devices;
  for (std::size_t s = 0; s < replicas.size(); ++s) devices.push_back(replicas[s] * degrees[s]);
  Plan plan = plan_for(model, devices, 4, 2);
  for (std::size_t s = 0; s < degrees.size(); ++s) plan.stages[s].tensor_parallel = degrees[s];
  plan.optimizer = Optimizer::sgd;
  return plan;
}

/// By plain gradient descent: where a gradient is nothing but rounding, as a batch norm leaves some, Adam would divide
/// it by its own size.
inline runtime::train::TrainOptions steps_of(int steps) {
  runtime::train::TrainOptions options;
  options.steps = steps;
  return options;
}

inline ModelSpec wide_gpt() {
  ModelSpec model = small_gpt(2, 16, 8, 12);
  for (ModelLayer& layer : model.layers)
    if (layer.kind == "transformer") layer.sizes["heads"] = 4;
  model.learning_rate = 0.05;
  return model;
}

/// Attention of GPUs has no window.
inline ModelSpec llama_of_gpus() {
  ModelSpec model = small_llama();
  for (ModelLayer& layer : model.layers) layer.sizes.erase("window");
  return model;
}

/// Mixtral's experts, and experts with all that routing has: single scores, a scale, a shared part, a capacity.
inline ModelSpec mixtral_of_gpus() {
  ModelSpec model = small_mixtral();
  for (ModelLayer& layer : model.layers)
    if (layer.name == "block_1.experts")
      layer.sizes.insert(
          {{"sigmoid", 1}, {"scale_permille", 1500}, {"shared_feed_forward", 16}, {"capacity_percent", 75}});
  return model;
}

inline std::map<QString, ModelSpec> models() {
  std::map<QString, ModelSpec> models{{"GPT", wide_gpt()},        {"MLP", small_mlp(9, 6, 7, 5)},
                                      {"VGG", small_cnn()},       {"ResNet", small_cnn(true)},
                                      {"LSTM", small_lstm()},     {"LSTM both ways", small_lstm(2)},
                                      {"Llama", llama_of_gpus()}, {"Mixtral", mixtral_of_gpus()}};
  models["MLP without biases"] = models["MLP"];
  for (std::size_t layer : {1, 2, 5}) models["MLP without biases"].layers[layer].sizes["bias"] = 0;
  for (auto& [name, model] : models) model.learning_rate = 0.05;
  return models;
}

}  // namespace pipedeck::test
