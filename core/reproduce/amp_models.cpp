// SPDX-License-Identifier: Apache-2.0
#include "core/reproduce/amp_models.hpp"

#include <fmt/format.h>

#include "core/cost/shapes.hpp"
#include "core/presets/presets.hpp"

namespace pipedeck {
namespace {

/// Shares of the devices' 16-bit peak (V100 125 TFLOP/s, T4 65) that are reached: such that the quickest strategies
/// take about what they took in the paper. Its pictures are of 81 tokens, which leave a V100 waiting for kernels to
/// start.
constexpr double reached_by_text = 0.075, reached_by_pictures = 0.006;
/// The head's products, 52,256 wide, fill the device: four times the share.
constexpr double head_time = 0.25;
DeviceSpeed v100(double reached) { return {"V100-16GB", reached * 125e12, gigabytes_per_second(0.8 * 900)}; }
DeviceSpeed t4(double reached) { return {"T4", reached * 65e12, gigabytes_per_second(0.8 * 320)}; }

Layer nothing(const std::string& name, Bytes output) {
  Layer layer;
  layer.name = name;
  layer.kind = "lambda";
  layer.output = output;
  return layer;
}

/// Shapes are counted in fp32; here numbers have two bytes.
Bytes half(Bytes bytes) { return bytes / 2; }

/// Megatron's tensor parallelism: a block all-reduces its output twice in either pass.
void add_tensor_parallel(Layer& layer) {
  for (const int degree : {2, 4, 8, 16}) {
    const Bytes reduced = layer.kind == "lambda" ? Bytes() : layer.output * 2;
    layer.tensor_parallel.push_back({degree, layer.forward / degree, layer.backward / degree, reduced, reduced});
  }
}

void finish(Profile& profile) {
  for (Layer& layer : profile.layers) {
    layer.output = half(layer.output);
    layer.saved = half(layer.saved);
    layer.parameters = half(layer.parameters);
    layer.workspace = half(layer.workspace);
    add_tensor_parallel(layer);
  }
}

/// 30 rows, of which 3-26 are transformers (section 6.5.1).
Result<Profile> gpt_2(const DeviceSpeed& device) {
  const auto model = model_preset("GPT-2 345M");
  if (!model) return tl::unexpected(model.error());
  auto profile = profile_from_shapes(*model, device, 1);
  if (!profile) return profile;
  Layer& head = profile->layers.back();
  for (Seconds* time : {&head.forward, &head.backward, &head.backward_weight}) *time = *time * head_time;
  const Bytes hidden = profile->layers.front().output;
  auto& rows = profile->layers;
  rows.insert(rows.begin(), nothing("to_16_bits", Bytes()));
  rows.insert(rows.begin() + 2, nothing("transpose", hidden));
  rows.insert(rows.end() - 2, nothing("transpose_back", hidden));
  finish(*profile);
  return profile;
}

constexpr int width = 9;                            // of the first stage's picture (section 6.5.3)
constexpr int small_width = width * 32;             // five times upsampled
constexpr int window = 16;                          // TransGAN's grid attention
constexpr double small_blocks_inefficiency = 1.67;  // products of width 16 fill no GPU; see amp_assumptions

/// 56 rows: 4-15 are transformers of hidden 1024, 42-53 of hidden 16 (section 6.5.3).
Result<Profile> transgan(const DeviceSpeed& device) {
  ModelSpec model;
  model.name = "TransGAN generator";
  model.source = "Jiang et al., arXiv 2102.07074, as AMP (NeurIPS 2022, sections 4.3 and 6.5.3) changes it";
  const auto block = [](int i, int hidden, int heads, int tokens) {
    return ModelLayer{
        fmt::format("block_{}", i),
        "transformer",
        {{"hidden", hidden}, {"heads", heads}, {"feed_forward", 4 * hidden}, {"sequence", tokens}, {"causal", 0}}};
  };
  for (int i = 0; i < 12; ++i) model.layers.push_back(block(i, 1024, 4, width * width));
  for (int i = 12; i < 24; ++i) model.layers.push_back(block(i, 16, 4, window * window));
  auto computed = profile_from_shapes(model, device, 1);
  if (!computed) return computed;
  Profile profile = *computed;
  profile.layers.clear();
  constexpr double windows = static_cast<double>(small_width) / window * small_width / window;
  const Bytes picture(std::int64_t{4} * 16 * small_width * small_width);
  const Bytes first = computed->layers.front().output;
  for (int i = 0; i < 4; ++i) profile.layers.push_back(nothing(fmt::format("lambda_{}", i), i < 3 ? Bytes() : first));
  for (int i = 0; i < 12; ++i) profile.layers.push_back(computed->layers[static_cast<std::size_t>(i)]);
  for (int i = 16; i < 42; ++i)
    profile.layers.push_back(nothing(fmt::format("lambda_{}", i), i < 41 ? first : picture));
  for (int i = 12; i < 24; ++i) {
    Layer layer = computed->layers[static_cast<std::size_t>(i)];
    for (Seconds* time : {&layer.forward, &layer.backward, &layer.backward_weight})
      *time = *time * (windows * small_blocks_inefficiency);
    layer.output = picture;
    layer.saved = Bytes(static_cast<std::int64_t>(static_cast<double>(layer.saved.count) * windows));
    profile.layers.push_back(std::move(layer));
  }
  for (int i = 54; i < 56; ++i) profile.layers.push_back(nothing(fmt::format("lambda_{}", i), picture));
  finish(profile);
  return profile;
}

}  // namespace

Result<Problem> amp_problem(AmpSetup setup) {
  const bool gan = setup == AmpSetup::heterogeneous_model, mixed = setup == AmpSetup::heterogeneous_cluster;
  auto profile = gan ? transgan(v100(reached_by_pictures)) : gpt_2(mixed ? v100(reached_by_text) : t4(reached_by_text));
  if (!profile) return tl::unexpected(profile.error());
  auto cluster = cluster_preset(gan ? "amp-v100" : mixed ? "amp-mixed" : "amp-t4");
  if (!cluster) return tl::unexpected(cluster.error());
  Problem problem = question(*std::move(profile), *std::move(cluster), gan ? 64 : 32);
  problem.workload.precision = Precision::mixed_16;
  problem.workload.conventions.overlap = Overlap::none;  // eq. 4 adds the synchronisation; DeepSpeed does it at the end
  return problem;
}

std::string amp_assumptions(AmpSetup setup) {
  const std::string common = fmt::format(
      "Times are computed from shapes at {:.1f} % of the devices' 16-bit peak (V100 125, T4 65 TFLOP/s), chosen so "
      "that the "
      "quickest strategies take about the paper's seconds; nominal bandwidths, gradients reduced at the end; tensor "
      "parallelism with Megatron's all-reduces and no loss of efficiency; mixed precision, Adam. ",
      (setup == AmpSetup::heterogeneous_model ? reached_by_pictures : reached_by_text) * 100);
  switch (setup) {
    case AmpSetup::homogeneous:
      return common +
             "GPT-2 in 30 rows (the head at four times that share), batch 32, on preset amp-t4: 4 servers of 4 T4, 50 "
             "Gbit/s inside "
             "and between.";
    case AmpSetup::heterogeneous_cluster:
      return common +
             "GPT-2 in 30 rows (the head at four times that share), batch 32, on preset amp-mixed: 3 servers of 4 V100 "
             "(170 Gbit/s "
             "inside, 10 between) and one of 4 T4 (50).";
    case AmpSetup::heterogeneous_model:
      break;
  }
  return common +
         "TransGAN in 56 rows, batch 64, on preset amp-v100: 4 servers of 4 V100. The blocks of width 16 work on "
         "82,944 tokens in "
         "windows "
         "of 256 and take 1.5 times as long as those of width 1024, as the cuts of Table 11 say (their operations "
         "alone "
         "are 0.9 times).";
}

Plan amp_plan(const Problem& problem, int mbs, const std::vector<int>& assignment, int tensor_parallel, int replicas) {
  Problem sized = problem;
  sized.workload.micro_batch = mbs * replicas;
  Plan plan = pipeline(sized, {assignment.begin() + 1, assignment.end()},
                       std::vector<int>(assignment.size() - 1, tensor_parallel * replicas));
  for (Stage& stage : plan.stages) stage.tensor_parallel = tensor_parallel;
  return plan;
}

Result<AmpRun> amp_run(const Problem& problem, Plan plan, const Bench& bench) {
  std::optional<AmpRun> best;
  for (const Warmup warmup : {Warmup::A, Warmup::B}) {
    plan.warmup = warmup;
    const auto simulation = judged(problem, plan, bench);
    if (!simulation) return tl::unexpected(simulation.error());
    const AmpRun run{to_seconds(simulation->iteration), simulation->fits};
    if (!best || (run.fits && (!best->fits || run.time < best->time))) best = run;
  }
  return *best;
}

}  // namespace pipedeck
