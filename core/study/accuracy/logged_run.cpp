// SPDX-License-Identifier: Apache-2.0
#include "core/study/accuracy/logged_run.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analytic/transformer/layers.hpp"
#include "core/base/quantile.hpp"
#include "core/mesh/job.hpp"
#include "core/study/accuracy/question_of.hpp"

namespace pipedeck::study::accuracy {
namespace {

using io::jobs::LoggedSteps;
using io::jobs::TrainingJob;
using io::jobs::TrainingLog;

constexpr double slower = 1.1;  // than the median: still warm-up

/// Returns the seconds of a step; 0 if the line has no figure.
double seconds_of(const LoggedSteps& line, const TrainingJob& job) {
  if (line.seconds > 0) return line.seconds;
  if (line.samples_per_second > 0) return job.global_batch / line.samples_per_second;
  if (line.tokens_per_second > 0) return double(job.global_batch) * job.sequence / job.devices / line.tokens_per_second;
  return 0;
}

std::string slug_of(std::string_view engine) {
  if (engine == "Megatron-LM") return "megatron-lm";
  if (engine == "Hugging Face Trainer") return "hugging-face";
  return engine == "torchtitan" ? "torchtitan" : "deepspeed";
}

std::string precision_of(const TrainingJob& job) {
  const Training& t = job.choices.training;
  if (t.products.empty()) return job.precision == Precision::fp32 ? "fp32" : "bf16";
  return t.products == "fp8" ? "fp8-" + t.recipe : t.products;
}

std::string sharding_of(const TrainingJob& job) {
  const Sharding& s = job.sharding;
  std::string text;
  if (job.engine == "DeepSpeed")
    text = s.level == 0 ? "deepspeed none" : fmt::format("deepspeed zero{}", s.level);
  else if (s.level == 0)
    text = "none";
  else if (job.engine == "torchtitan")
    text = "fsdp2 zero3";
  else if (job.engine == "Accelerate")
    text = s.reshard == Reshard::after_backward ? "fsdp zero2" : "fsdp zero3";
  else
    text = s.level == 1 ? "distributed-optimizer (zero1)" : fmt::format("megatron-fsdp zero{}", s.level);
  return s.level > 0 && s.group > 0 ? fmt::format("{} group {}", text, s.group) : text;
}

std::string recompute_of(const Recompute& again) {
  if (!again.modules.empty()) return fmt::format("selective:{}", fmt::join(again.modules, "+"));
  if (!again.all) return "none";
  if (again.operations) return "selective (per op)";
  return again.blocks >= 0 ? fmt::format("full of {} blocks", again.blocks) : "full";
}

std::string overlap_of(const Hidden& hidden) {
  std::string text;
  const auto add = [&](bool is_hidden, std::string_view word) {
    if (is_hidden) text += (text.empty() ? "" : " ") + std::string(word);
  };
  add(hidden.gradients, "dp-grad-reduce");
  add(hidden.weights, "param-gather");
  add(hidden.tensor, "tp");
  add(hidden.expert, "ep-a2a");
  return text.empty() ? "none" : text;
}

std::string attention_of(const TransformerConfig& model) {
  if (model.window > 0 && model.kinds.empty()) return fmt::format("window{}", model.window);
  if (!model.latent) return {};
  const LatentAttention& l = *model.latent;
  std::string text = "mla";
  if (l.query_rank > 0) text += fmt::format(" q{}", l.query_rank);
  return text + fmt::format(" kv{} nope{} rope{} v{}", l.key_value_rank, l.plain_width, l.rotary_width, l.value_width);
}

/// Returns the remarks that question_of() understands.
std::vector<std::string> remarks_of(const TrainingJob& job, const TransformerConfig& model) {
  const Training& t = job.choices.training;
  std::vector<std::string> remarks;
  const auto add = [&](bool so, std::string remark) {
    if (so) remarks.push_back(std::move(remark));
  };
  add(job.shard.context > 1 && job.shard.context_kind == ContextKind::heads, "a2a context parallel");
  add(job.attention != AttentionMemory::fused, "attention not fused");
  add(t.loss == LossKind::fused, "cross-entropy fused");
  add(t.graphs == Graphs::all, "cuda graphs full_iteration");
  add(t.graphs == Graphs::dense, "cuda graphs of dense parts");
  add(t.multi_token_blocks == 1, "one multi-token block");
  add(t.offloaded_blocks > 0, fmt::format("activations of {} blocks offloaded", t.offloaded_blocks));
  add(t.offloads_optimizer, "optimizer on the host");
  add(model.experts && job.choices.layers.dispatcher == Dispatcher::flex, "dispatcher deepep");
  add(model.experts && job.choices.layers.dispatcher == Dispatcher::all_to_all, "dispatcher alltoall");
  add(job.choices.layers.capacity == 1, "tokendrop");
  add(job.engine == "DeepSpeed" && job.choices.states && job.choices.states->gradients == 4,
      "gradients summed in fp32");
  return remarks;
}

void set_shape(PublishedRun& run, const TransformerConfig& model) {
  run.model = model.name;
  run.parameters = static_cast<double>(analytic::transformer::parameters_of(model)) / 1e9;
  run.layers = model.layers, run.hidden = model.hidden;
  run.heads = model.heads, run.key_value_heads = model.key_value_heads;
  if (!model.latent) run.head_width = model.head_width;
  run.feed_forward = model.feed_forward, run.gated = model.gated ? 1 : 0;
  run.vocabulary = static_cast<int>(model.vocabulary);
  run.attention = attention_of(model);
  if (!model.experts) return;
  run.experts = model.experts->count, run.experts_per_token = model.experts->per_token;
  run.expert_feed_forward = model.experts->feed_forward;
  run.shared_feed_forward = model.experts->shared_feed_forward;
  run.dense_layers = static_cast<int>(model.experts->dense.size());
}

void set_degrees(PublishedRun& run, const TrainingJob& job) {
  run.gpus = job.devices;
  run.sequence = job.sequence, run.global_batch = job.global_batch, run.micro_batch = job.micro_batch;
  run.tensor = job.shard.tensor, run.sequence_parallel = job.shard.sequence ? 1 : 0;
  run.pipeline = job.pipeline, run.virtual_stages = job.virtual_stages;
  run.context = job.shard.context, run.expert = job.shard.expert, run.expert_tensor = job.shard.expert_tensor;
  run.data = job.devices / (job.shard.replica_devices() * job.pipeline);
  run.sharding = sharding_of(job);
  run.recompute = recompute_of(job.recompute);
  run.overlap = overlap_of(job.choices.training.hidden);
  run.schedule = job.pipeline == 1 ? "none" : job.virtual_stages > 1 ? "interleaved" : "1f1b";
  run.precision = precision_of(job);
}

/// Returns the group of sharded states; 0: all ranks.
int group_of(const Sharding& sharding, int ranks) {
  return sharding.level == 0 || sharding.group == ranks ? 0 : sharding.group;
}

/// Returns what the row's question has differently from the job.
std::vector<std::string> lost_in(const mesh::Question& row, const TrainingJob& job, const TransformerConfig& model) {
  std::vector<std::string> lost;
  const auto compare = [&](bool equal, std::string text) {
    if (!equal) lost.push_back(std::move(text));
  };
  const int ranks = row.data * row.shard().context;
  compare(row.shard() == job.shard, "the kind of context parallelism");
  compare(row.sharding.level == job.sharding.level && group_of(row.sharding, ranks) == group_of(job.sharding, ranks),
          "the sharding of states");
  const bool even =
      job.blocks.empty() || std::ranges::adjacent_find(job.blocks, std::not_equal_to<>()) == job.blocks.end();
  compare(even ? row.blocks.empty() : row.blocks == job.blocks,
          fmt::format("stages of {} blocks", fmt::join(job.blocks, ", ")));
  const Hidden &mine = row.training.hidden, &own = job.choices.training.hidden;
  compare(mine.gradients == own.gradients && mine.weights == own.weights && mine.tensor == own.tensor &&
              mine.expert == own.expert,
          "which communication is hidden");
  compare(row.training.products == precision_of(job).substr(0, precision_of(job).find('-')), "the precision");
  compare(row.training.optimizer_step == job.choices.training.optimizer_step, "the step of the optimizer");
  if (job.choices.states) compare(row.states == *job.choices.states, "the bytes of model states");
  const auto weights = [](const TransformerConfig& config) {
    return static_cast<double>(analytic::transformer::parameters_of(config));
  };
  const double ratio = weights(row.config) / weights(model);
  compare(ratio > 0.995 && ratio < 1.005, fmt::format("the model's shape: {:.1f} % of its parameters", 100 * ratio));
  return lost;
}

std::string steps_text(const SteadyStep& step, const TrainingLog& log) {
  if (log.whole_run) return "mean of all steps, warm-up among them";
  std::string text = fmt::format("median of {} lines, steps {} to {}, quartiles {:.4g} and {:.4g} s", step.lines,
                                 step.first, step.last, step.low, step.high);
  if (step.warm_up > 0) text += fmt::format(", {} lines of warm-up left out", step.warm_up);
  if (step.other_batches > 0) text += fmt::format(", {} lines with another batch left out", step.other_batches);
  if (step.unreadable > 0) text += fmt::format(", {} lines without a readable time left out", step.unreadable);
  return text;
}

}  // namespace

Result<SteadyStep> steady_step(const TrainingLog& log, const TrainingJob& job) {
  SteadyStep step;
  std::vector<double> seconds;
  std::vector<std::int64_t> numbers;
  int other = 0;
  for (const LoggedSteps& line : log.steps) {
    const double own = seconds_of(line, job);
    if (line.global_batch > 0 && line.global_batch != job.global_batch) {
      ++step.other_batches, other = line.global_batch;
    } else if (own > 0) {
      seconds.push_back(own), numbers.push_back(line.last);
    } else {
      ++step.unreadable;
    }
  }
  if (seconds.empty())
    return fail(
        ErrorCode::bad_input,
        other > 0 ? fmt::format("found a global batch of {} in the log, expected the job's {}", other, job.global_batch)
                  : std::string("found no time of a step, expected one"));
  std::size_t first = seconds.size() >= 3 ? 1 : 0;
  if (first > 0) {
    const double usual = median({seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2), seconds.end()});
    while (first + 1 < seconds.size() && seconds[first] > slower * usual) ++first;
  }
  step.warm_up = static_cast<int>(first);
  step.first = numbers[first], step.last = numbers.back();
  std::vector<double> steady(seconds.begin() + static_cast<std::ptrdiff_t>(first), seconds.end());
  std::ranges::sort(steady);
  step.lines = static_cast<int>(steady.size());
  step.seconds = quantile(steady, 0.5), step.low = quantile(steady, 0.25), step.high = quantile(steady, 0.75);
  return step;
}

Result<LoggedRun> logged_run(const TrainingLog& log, const TrainingJob& job, const TransformerConfig& model,
                             const std::string& gpu, const std::vector<DeviceModel>& catalogue) {
  LoggedRun made;
  TRY(made.step, steady_step(log, job));
  PublishedRun& run = made.run;
  run.row = log.name;
  run.source = slug_of(log.engine), run.software = log.engine;
  run.task = "pretrain";
  run.gpu = gpu;
  set_shape(run, model);
  set_degrees(run, job);
  run.iteration_seconds = made.step.seconds;
  run.tokens_per_second = double(job.global_batch) * job.sequence / job.devices / made.step.seconds;
  if (log.peak_gib > 0) run.memory_gib = log.peak_gib, run.memory_kind = log.peak_kind;
  std::vector<std::string> remarks = remarks_of(job, model);
  remarks.push_back(steps_text(made.step, log));
  run.notes = fmt::format("{}", fmt::join(remarks, "; "));
  const Expressed expressed = question_of(run, catalogue);
  if (!expressed.question) return fail(ErrorCode::bad_input, expressed.reason);
  made.lost = lost_in(*expressed.question, job, model);
  if (!made.lost.empty()) run.notes += fmt::format("; differs from the job: {}", fmt::join(made.lost, ", "));
  return made;
}

}  // namespace pipedeck::study::accuracy
