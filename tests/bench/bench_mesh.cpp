// SPDX-License-Identifier: Apache-2.0
// How long a training step in several dimensions takes to be predicted, by the number of devices.
#include <benchmark/benchmark.h>

#include <memory>

#include "core/presets/device_catalogue.hpp"
#include "core/presets/efficiency.hpp"
#include "core/sim/step/predict_step.hpp"

using namespace pipedeck;

namespace {

/// Returns Llama 3.1 405B with T 8, P 16, v 8, sequence parallelism, and level 1 over all data ranks.
mesh::Question llama_on(int devices) {
  mesh::Question question;
  TransformerConfig& config = question.config;
  config.hidden = 16384, config.layers = 126, config.heads = 128, config.key_value_heads = 8, config.head_width = 128;
  config.feed_forward = 53248, config.gated = true, config.vocabulary = 128256, config.norm = NormKind::rms;
  question.layer.count.sequence = 8192;
  question.layer.shard = {.tensor = 8, .sequence = true};
  question.sharding.level = 1;
  question.pipeline = 16, question.virtual_stages = 7;
  question.data = devices / (8 * 16);
  question.micro_batches = 32;
  const DeviceModel* const model = find_device_model(presets::device_catalogue(), "H100-SXM");
  Cluster cluster;
  cluster.device_types = {model->type};
  cluster.switches = {{"spine"}};
  for (int n = 0; n < devices / 8; ++n) {
    Node node;
    node.name = "n" + std::to_string(n);
    node.devices = {{model->type.name, 8}};
    node.link = Link{gigabytes_per_second(450), microseconds(3)};
    node.nic = gigabytes_per_second(50);
    cluster.links.push_back({node.name, "spine", Link{gigabytes_per_second(400), microseconds(5)}});
    cluster.nodes.push_back(std::move(node));
  }
  question.cluster = std::make_shared<const Cluster>(std::move(cluster));
  return question;
}

void predict(benchmark::State& state) {
  const mesh::Question question = llama_on(static_cast<int>(state.range(0)));
  const DeviceType& type = question.cluster->device_types.front();
  const mesh::Rates rates{type, *find_efficiency(presets::efficiency(), type.name)};
  for (auto _ : state) {
    const auto prediction = sim::step::predict_step(question, rates);
    if (!prediction) state.SkipWithError(prediction.error().text().c_str());
  }
}
BENCHMARK(predict)->ArgName("devices")->Arg(128)->Arg(1024)->Arg(16384)->Arg(65536)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
