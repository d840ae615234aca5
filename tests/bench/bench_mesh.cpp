// SPDX-License-Identifier: Apache-2.0
// How long a training step in several dimensions takes to be predicted, all steps from a plan along one dimension each,
// and the planner `mesh` to answer, by the number of devices.
#include <benchmark/benchmark.h>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "core/planner/mesh/answers.hpp"
#include "core/planner/mesh/search.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/efficiency.hpp"
#include "core/sim/step/predict_step.hpp"
#include "core/study/mesh_editing/rows.hpp"

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

/// Returns Llama 3 70B with T 4, P 4, v 5.
mesh::Question seventy_on(int devices) {
  mesh::Question question = llama_on(std::max(devices, 128));
  TransformerConfig& config = question.config;
  config.hidden = 8192, config.layers = 80, config.heads = 64, config.feed_forward = 28672;
  question.layer.shard.tensor = 4;
  question.pipeline = 4, question.virtual_stages = 5, question.data = devices / 16;
  return question;
}

/// All candidates of a mesh editor, by two threads.
void edit(benchmark::State& state, mesh::Question (*model)(int)) {
  study::mesh_editing::Mesh mesh;
  mesh.question = model(static_cast<int>(state.range(0)));
  const DeviceType& type = mesh.question.cluster->device_types.front();
  mesh.rates = {type, *find_efficiency(presets::efficiency(), type.name)};
  mesh.recomputed = planner::mesh::recomputations_of(mesh.question).value();
  std::size_t simulated = 0;
  for (auto _ : state) {
    const auto sheet = study::mesh_editing::sheet_of(mesh, 2);
    if (!sheet) return state.SkipWithError(sheet.error().text().c_str());
    simulated = 0;
    for (const auto& row : sheet->rows)
      for (const auto& one : row.candidates) simulated += one.broken ? 0 : 1;
  }
  state.counters["admissible"] = static_cast<double>(simulated);
}
BENCHMARK_CAPTURE(edit, llama_70b, seventy_on)
    ->ArgName("devices")
    ->Arg(64)
    ->Arg(1024)
    ->Arg(16384)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(edit, llama_405b, llama_on)
    ->ArgName("devices")
    ->Arg(1024)
    ->Arg(16384)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

mesh::Question deepseek_on(int devices) {
  mesh::Question question = llama_on(devices);
  TransformerConfig& config = question.config;
  config.hidden = 7168, config.layers = 61, config.heads = config.key_value_heads = 128, config.head_width = 128;
  config.feed_forward = 18432, config.vocabulary = 129280;
  config.latent = LatentAttention{1536, 512, 128, 64, 128};
  config.experts.emplace();
  config.experts->count = 256, config.experts->per_token = 8, config.experts->feed_forward = 2048;
  config.experts->shared_feed_forward = 2048, config.experts->score_bias = true, config.experts->dense = {0, 1, 2};
  question.layer.count.sequence = 4096;
  return question;
}

mesh::Question qwen_on(int devices) {
  mesh::Question question = llama_on(devices);
  TransformerConfig& config = question.config;
  config.hidden = 4096, config.layers = 94, config.heads = 64, config.key_value_heads = 4, config.head_width = 128;
  config.feed_forward = 12288, config.vocabulary = 151936, config.norm_heads = true;
  config.experts.emplace();
  config.experts->count = 128, config.experts->per_token = 8, config.experts->feed_forward = 1536;
  question.layer.count.sequence = 4096;
  return question;
}

void plan(benchmark::State& state, mesh::Question (*model)(int), bool list) {
  using Clock = std::chrono::steady_clock;
  const auto devices = static_cast<int>(state.range(0));
  const mesh::Question base = model(devices);
  const DeviceType& type = base.cluster->device_types.front();
  const mesh::Rates rates{type, *find_efficiency(presets::efficiency(), type.name)};
  planner::mesh::Space space;
  space.global_batch = static_cast<int>(state.range(1));
  space.recomputed = planner::mesh::recomputations_of(base).value();
  space.orders = {ScheduleKind::one_f_one_b, ScheduleKind::zb_v, ScheduleKind::dualpipe_v};  // `mesh --schedule all`
  double first = 0;
  planner::mesh::Work work;
  for (auto _ : state) {
    const auto begin = Clock::now();
    first = 0;
    auto costs = planner::mesh::Costs::of(base, space, rates);
    const planner::mesh::Simulate simulate = [&](const planner::mesh::Point& point) -> Result<Seconds> {
      TRY(const auto step, sim::step::predict_step(planner::mesh::question_of(base, space, point), rates));
      if (first == 0) first = std::chrono::duration<double>(Clock::now() - begin).count();
      return step.iteration;
    };
    planner::mesh::SearchLimits limits;
    if (list) limits.share = planner::mesh::near_share, limits.saving = planner::mesh::least_saving;
    const auto found = planner::mesh::search(base, space, *costs, simulate, limits);
    if (!found || !found->proven || (list && !found->all_near))
      return state.SkipWithError(found ? "not proven" : found.error().text().c_str());
    work = found->work;
    if (!list) continue;
    planner::mesh::Space part = space;
    part.devices = planner::mesh::devices_of_part(*base.cluster);
    auto costs_of_part = planner::mesh::Costs::of(base, part, rates);
    planner::mesh::SearchLimits cheaper;
    cheaper.below = planner::mesh::time_of_cheaper(*found, {devices}, {part.devices});
    const auto cheapest = planner::mesh::search(base, part, *costs_of_part, simulate, cheaper);
    if (!cheapest || !cheapest->proven) return state.SkipWithError("the part is not proven");
    work.shards += cheapest->work.shards, work.pipelines += cheapest->work.pipelines;
    work.shardings += cheapest->work.shardings, work.simulations += cheapest->work.simulations;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["first_s"] = first;
  state.counters["bounded"] = static_cast<double>(work.shards + work.pipelines + work.shardings);
  state.counters["simulated"] = static_cast<double>(work.simulations);
  state.counters["peak_MB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

void of_llama(benchmark::internal::Benchmark* of) {
  of->ArgNames({"devices", "batch"})->Args({1024, 1024})->Args({4096, 2048})->Args({16384, 2048});
  of->Args({65536, 8192})->Unit(benchmark::kMillisecond);
}
void of_deepseek(benchmark::internal::Benchmark* of) {
  of->ArgNames({"devices", "batch"})->Args({2048, 4096})->Unit(benchmark::kMillisecond);
}
void of_qwen(benchmark::internal::Benchmark* of) {
  of->ArgNames({"devices", "batch"})->Args({256, 1024})->Unit(benchmark::kMillisecond);
}
BENCHMARK_CAPTURE(plan, llama_405b, llama_on, false)->Apply(of_llama);
BENCHMARK_CAPTURE(plan, deepseek_v3, deepseek_on, false)->Apply(of_deepseek);
BENCHMARK_CAPTURE(plan, qwen3_235b, qwen_on, false)->Apply(of_qwen);
BENCHMARK_CAPTURE(plan, llama_405b_list, llama_on, true)->Apply(of_llama);
BENCHMARK_CAPTURE(plan, deepseek_v3_list, deepseek_on, true)->Apply(of_deepseek);
BENCHMARK_CAPTURE(plan, qwen3_235b_list, qwen_on, true)->Apply(of_qwen);

}  // namespace

BENCHMARK_MAIN();
