// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/job.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/io/jobs/torchtitan.hpp"
#include "core/mesh/plan_question.hpp"
#include "core/plan/validate.hpp"

namespace pipedeck::mesh {
namespace {

int bounded(std::int64_t number) {
  return static_cast<int>(std::clamp(number, std::int64_t{1}, std::int64_t{std::numeric_limits<int>::max()}));
}

/// Returns T C D; the fewest that hold all if the degrees do not divide the devices.
std::int64_t data_ranks(const io::jobs::TrainingJob& job) {
  const std::int64_t others = std::int64_t{job.shard.replica_devices()} * job.pipeline;
  return std::max(std::int64_t{1}, job.devices / others);
}

void complete_batch(io::jobs::TrainingJob& job) {
  const std::int64_t data = data_ranks(job);
  if (job.micro_batch == 0) {
    job.micro_batch = 1;
    job.share.assumed.emplace_back("a micro-batch of 1 sample on each data rank");
  }
  const std::int64_t samples = std::int64_t{job.micro_batch} * data;
  if (job.global_batch == 0) {
    job.global_batch = bounded(samples * std::max(1, job.micro_batches));
    if (job.micro_batches == 0)
      job.share.assumed.push_back(
          fmt::format("a global batch of {} samples, one micro-batch of each data rank", job.global_batch));
  }
  if (job.micro_batches == 0) job.micro_batches = bounded(job.global_batch / samples);
}

/// Returns the blocks of each stage; empty: even ones.
Result<std::vector<int>> blocks_of_stages(const io::jobs::TrainingJob& job, int blocks) {
  const std::int64_t stages = std::int64_t{job.pipeline} * job.virtual_stages;
  if (stages > std::int64_t{blocks} + 2)
    return fail(ErrorCode::bad_input, fmt::format("found {} stages, expected at most {} blocks", stages, blocks));
  if (!job.blocks.empty()) {
    const int all = std::accumulate(job.blocks.begin(), job.blocks.end(), 0);
    const auto empty = std::find(job.blocks.begin() + 1, job.blocks.end(), 0);
    if (stages > 2 && empty < job.blocks.end() - 1)
      return fail(ErrorCode::bad_input, fmt::format("found the empty stage {} in the layout, expected blocks: a plan's "
                                                    "stages have some, but for the embedding's and the head's",
                                                    empty - job.blocks.begin()));
    if (std::ssize(job.blocks) == stages && all == blocks) return job.blocks;
    return fail(ErrorCode::bad_input, fmt::format("found a layout of {} blocks in {} stages, expected {} in {}", all,
                                                  job.blocks.size(), blocks, stages));
  }
  if (!job.ends) return std::vector<int>();
  std::vector<int> split = io::jobs::titan_blocks(static_cast<int>(stages), blocks, *job.ends);
  if (!split.empty()) return split;
  return fail(ErrorCode::bad_input,
              fmt::format("found ends that count as {} and {} blocks of {} in {} stages, expected at most a stage's",
                          job.ends->first, job.ends->last, blocks, stages));
}

}  // namespace

int fewest_devices(const io::jobs::TrainingJob& job) {
  const std::int64_t replica = job.shard.replica_devices();
  const std::int64_t experts = std::int64_t{job.shard.expert} * job.shard.expert_tensor;
  return bounded(std::lcm(replica, experts) * job.copies * job.pipeline);
}

io::jobs::TrainingJob completed(io::jobs::TrainingJob job, int devices) {
  if (job.devices == 0) {
    job.devices = devices > 0 ? devices : fewest_devices(job);
    if (devices == 0) job.share.assumed.push_back(fmt::format("{} GPUs, the fewest for its degrees", job.devices));
  }
  const std::int64_t ranks = data_ranks(job) * job.shard.context;
  if (job.copies > 1 && ranks % job.copies == 0) job.sharding.group = static_cast<int>(ranks / job.copies);
  complete_batch(job);
  if (job.sequence == 0 && job.model) {
    job.sequence = std::min(job.model->longest, longest_assumed);
    job.share.assumed.push_back(fmt::format("samples of {} tokens", job.sequence));
  }
  return job;
}

plan::MeshQuestion rules_question_of(const io::jobs::TrainingJob& job, const TransformerConfig* model) {
  plan::MeshQuestion question;
  question.model = model;
  question.shard = job.shard;
  question.sharding = job.sharding;
  question.devices = job.devices;
  question.pipeline = job.pipeline, question.virtual_stages = job.virtual_stages, question.group = job.group;
  question.schedule = job.order;
  question.sequence = job.sequence;
  question.micro_batch = job.micro_batch, question.micro_batches = job.micro_batches;
  question.global_batch = job.global_batch;
  question.even_blocks = job.blocks.empty() && !job.ends;
  question.ends_counted_as_blocks = job.ends_counted_as_blocks;
  const Hidden& hidden = job.choices.training.hidden;
  question.hides_reductions = hidden.gradients;
  question.hides_gathers = hidden.weights && job.sharding.level > 0;
  question.hides_tensor = hidden.tensor;
  question.hides_pipeline = hidden.pipeline;
  return question;
}

AnalyticOptions profile_options_of(const io::jobs::TrainingJob& job) {
  AnalyticOptions options;
  options.precision = job.precision == Precision::fp32 ? "fp32" : "bf16";
  if (job.choices.training.products == "fp16") options.precision = "fp16";
  options.sequence = job.sequence;
  options.micro_batch = std::max(1, job.micro_batch);
  options.attention = job.attention;
  options.sequence_parallel = job.shard.sequence;
  return options;
}

Result<Plan> plan_of(const io::jobs::TrainingJob& job, const Profile& profile, std::shared_ptr<const Cluster> cluster) {
  TRY(const auto origin, io::documents::origin_of(profile));
  if (!origin)
    return fail(ErrorCode::bad_input,
                "found a profile that was not computed from a transformer, expected one: a "
                "job's degrees divide its layers");
  if (job.devices > limits::devices)
    return fail(ErrorCode::bad_input,
                fmt::format("found {} devices, expected at most {}", job.devices, limits::devices));
  plan::MeshQuestion rules = rules_question_of(job, &origin->config);
  TRY_VOID(plan::check_mesh(rules));
  Question question;
  question.config = origin->config;
  question.cluster = std::move(cluster);
  question.layer.shard = job.shard;
  question.layer.count.micro_batch = job.micro_batch;
  question.sharding = job.sharding;
  question.pipeline = job.pipeline, question.virtual_stages = job.virtual_stages, question.order = job.order;
  question.data = static_cast<int>(data_ranks(job));
  question.micro_batches = job.micro_batches;
  TRY(question.blocks, blocks_of_stages(job, origin->config.layers));
  Plan plan = plan_of(question, profile);
  plan.name = job.name, plan.planner = "hand";
  plan.optimizer = job.optimizer, plan.precision = job.precision;
  plan.choices = job.choices;
  for (Stage& stage : plan.stages) stage.recompute = job.recompute;
  TRY_VOID(plan::validate(plan));
  return plan;
}

}  // namespace pipedeck::mesh
