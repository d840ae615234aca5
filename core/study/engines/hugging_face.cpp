// SPDX-License-Identifier: Apache-2.0
// Configurations of Accelerate, TRL and Axolotl for a plan. Names: accelerate/parallelism_config.py and
// utils/dataclasses.py at 1.10, trl/trainer/sft_config.py at 0.24, axolotl/utils/schemas at 0.12; docs/engines.md lists
// them.
#include "core/study/engines/hugging_face.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/one_line.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/io/jobs/accelerate.hpp"
#include "core/io/jobs/axolotl.hpp"
#include "core/io/jobs/megatron_fields.hpp"
#include "core/io/jobs/trl.hpp"
#include "core/io/jobs/yaml.hpp"
#include "core/study/engines/ranks.hpp"
#include "core/study/engines/reread.hpp"

namespace pipedeck::study::engines {
namespace {

using io::jobs::set_at;
using io::json::Members;

/// A plan's numbers on all of its devices, as if it had one stage.
struct Ranks {
  Shard shard;
  int devices = 1, data = 1, copies = 1, samples = 1, accumulated = 1;
  bool sharded = false;
};

Ranks ranks_of(const Plan& plan) {
  Ranks ranks;
  ranks.shard = plan.stages.front().shard();
  ranks.devices = static_cast<int>(devices_used(plan).size());
  ranks.data = std::max(1, ranks.devices / ranks.shard.replica_devices());
  ranks.sharded = plan.sharding.level > 0 || ranks.shard.context > 1;
  const int all = ranks.data * ranks.shard.context, group = plan.sharding.group;
  if (ranks.sharded && group > 0 && all % group == 0 && ranks.data % (all / group) == 0) ranks.copies = all / group;
  ranks.samples = std::max(1, plan.micro_batch / std::max(1, plan.stages.front().replicas()));
  ranks.accumulated = std::max(1, plan.global_batch / (ranks.samples * ranks.data));
  return ranks;
}

std::string word_of(int number) { return fmt::format("{}", number); }
std::string word_of(bool holds) { return holds ? "true" : "false"; }

/// Returns "bf16", "fp16", "fp8" or "no".
std::string precision_word(const Plan& plan) {
  if (plan.precision == Precision::fp32) return "no";
  const std::string products = plan.choices ? plan.choices->training.products : std::string();
  return products == "fp16" || products == "fp8" ? products : "bf16";
}

bool frees_weights(const Plan& plan) { return plan.sharding.reshard == Reshard::after_forward; }
bool recomputes(const Plan& plan) { return plan.stages.front().recompute.any(); }

std::string header(const EngineRequest& request, std::string_view program, std::string_view use) {
  return fmt::format("# {}'s configuration for plan '{}': {}\n", program, strip_control_characters(request.plan.name),
                     use);
}

void add_fsdp(Members& tree, const Plan& plan) {
  const std::string at = "fsdp_config.fsdp_";
  set_at(tree, at + "version", "2");
  set_at(tree, at + "reshard_after_forward", word_of(frees_weights(plan)));
  set_at(tree, at + "activation_checkpointing", word_of(recomputes(plan)));
  set_at(tree, at + "auto_wrap_policy", "TRANSFORMER_BASED_WRAP");
  set_at(tree, at + "offload_params", "false");
  set_at(tree, at + "cpu_ram_efficient_loading", "true");
  set_at(tree, at + "state_dict_type", "SHARDED_STATE_DICT");
}

void add_degrees(Members& tree, const Ranks& ranks) {
  const std::string at = "parallelism_config.parallelism_config_";
  set_at(tree, at + "dp_replicate_size", word_of(ranks.sharded ? ranks.copies : ranks.data));
  set_at(tree, at + "dp_shard_size", word_of(ranks.sharded ? ranks.data / ranks.copies : 1));
  set_at(tree, at + "tp_size", word_of(ranks.shard.tensor));
  set_at(tree, at + "cp_size", word_of(ranks.shard.context));
  if (ranks.shard.context > 1)
    set_at(tree, at + "cp_comm_strategy", ranks.shard.context_kind == ContextKind::ring ? "alltoall" : "allgather");
}

std::string accelerate_configuration(const EngineRequest& request) {
  const Plan& plan = request.plan;
  const Ranks ranks = ranks_of(plan);
  Members tree;
  set_at(tree, "compute_environment", "LOCAL_MACHINE");
  set_at(tree, "distributed_type", ranks.sharded ? "FSDP" : ranks.devices > 1 ? "MULTI_GPU" : "NO");
  set_at(tree, "mixed_precision", precision_word(plan));
  const EvenNodes nodes = even_nodes(plan, request.cluster).value_or(EvenNodes{});
  set_at(tree, "num_machines", word_of(nodes.nodes));
  set_at(tree, "num_processes", word_of(ranks.devices));
  set_at(tree, "machine_rank", "0");
  set_at(tree, "main_training_function", "main");
  set_at(tree, "rdzv_backend", nodes.nodes > 1 ? "c10d" : "static");
  set_at(tree, "same_network", "true");
  set_at(tree, "use_cpu", "false");
  if (ranks.sharded) add_fsdp(tree, plan);
  if (ranks.copies > 1 || ranks.shard.replica_devices() > 1) add_degrees(tree, ranks);
  return header(request, "Accelerate", "accelerate launch --config_file THIS ...") +
         fmt::format("# The program's arguments: per_device_train_batch_size {}, gradient_accumulation_steps {}{}.\n",
                     ranks.samples, ranks.accumulated,
                     !ranks.sharded && recomputes(plan) ? ", gradient_checkpointing" : "") +
         io::jobs::yaml_of(tree) + "\n" + rank_comment(plan, request.cluster, "# ");
}

int sequence_of_profile(const EngineRequest& request) {
  return request.origin ? sequence_of(request.origin->config, request.origin->options) : 0;
}

std::string optimizer_word(const Plan& plan) { return plan.optimizer == Optimizer::adam ? "adamw_torch_fused" : "sgd"; }

std::string trl_configuration(const EngineRequest& request) {
  const Plan& plan = request.plan;
  const Ranks ranks = ranks_of(plan);
  Members tree;
  set_at(tree, "per_device_train_batch_size", word_of(ranks.samples));
  set_at(tree, "gradient_accumulation_steps", word_of(ranks.accumulated));
  if (const int sequence = sequence_of_profile(request); sequence > 0) set_at(tree, "max_length", word_of(sequence));
  const std::string precision = precision_word(plan);
  set_at(tree, "bf16", word_of(precision == "bf16" || precision == "fp8"));
  set_at(tree, "fp16", word_of(precision == "fp16"));
  // FSDP recomputes in Accelerate's configuration.
  set_at(tree, "gradient_checkpointing", word_of(!ranks.sharded && recomputes(plan)));
  set_at(tree, "optim", optimizer_word(plan));
  return header(request, "TRL", "trl sft --config THIS --accelerate_config ACCELERATE.yaml") +
         "# The degrees are in Accelerate's configuration (export ... accelerate).\n"
         "# Set what a plan does not contain: model, data, learning rate, steps.\n" +
         io::jobs::yaml_of(tree) + "\n" + rank_comment(plan, request.cluster, "# ");
}

/// Returns the plan of both files together.
Result<Plan> plan_of_accelerate(const EngineRequest& request) {
  TRY(auto job, io::jobs::job_from_accelerate(accelerate_configuration(request), request.plan.name));
  TRY(const auto trainer, io::jobs::job_from_trl(trl_configuration(request), request.plan.name));
  job.micro_batch = trainer.micro_batch, job.micro_batches = trainer.micro_batches;
  job.sequence = trainer.sequence, job.optimizer = trainer.optimizer;
  job.recompute.all = job.recompute.all || trainer.recompute.all;
  return plan_of_job(request, std::move(job));
}

std::string axolotl_configuration(const EngineRequest& request) {
  const Plan& plan = request.plan;
  const Ranks ranks = ranks_of(plan);
  Members tree;
  if (const int sequence = sequence_of_profile(request); sequence > 0) set_at(tree, "sequence_len", word_of(sequence));
  set_at(tree, "micro_batch_size", word_of(ranks.samples));
  set_at(tree, "gradient_accumulation_steps", word_of(ranks.accumulated));
  if (ranks.sharded || ranks.shard.replica_devices() > 1) {
    set_at(tree, "dp_shard_size", word_of(ranks.sharded ? ranks.data / ranks.copies : 1));
    set_at(tree, "dp_replicate_size", word_of(ranks.sharded ? ranks.copies : ranks.data));
  }
  if (ranks.shard.context > 1) set_at(tree, "context_parallel_size", word_of(ranks.shard.context));
  if (ranks.shard.tensor > 1) set_at(tree, "tensor_parallel_size", word_of(ranks.shard.tensor));
  const std::string precision = precision_word(plan);
  set_at(tree, "bf16", word_of(precision == "bf16" || precision == "fp8"));
  set_at(tree, "fp16", word_of(precision == "fp16"));
  if (precision == "fp8") set_at(tree, "fp8", "true");
  if (!ranks.sharded) set_at(tree, "gradient_checkpointing", word_of(recomputes(plan)));
  set_at(tree, "optimizer", optimizer_word(plan));
  set_at(tree, "flash_attention", "true");
  if (ranks.sharded) {
    set_at(tree, "fsdp_version", "2");
    set_at(tree, "fsdp_config.reshard_after_forward", word_of(frees_weights(plan)));
    set_at(tree, "fsdp_config.activation_checkpointing", word_of(recomputes(plan)));
    set_at(tree, "fsdp_config.offload_params", "false");
    set_at(tree, "fsdp_config.auto_wrap_policy", "TRANSFORMER_BASED_WRAP");
    set_at(tree, "fsdp_config.state_dict_type", "SHARDED_STATE_DICT");
  }
  return header(request, "Axolotl", fmt::format("axolotl train THIS, on {} GPUs", ranks.devices)) +
         "# Set what a plan does not contain: base_model, datasets, learning rate, epochs.\n" +
         io::jobs::yaml_of(tree) + "\n" + rank_comment(plan, request.cluster, "# ");
}

Result<Plan> plan_of_axolotl(const EngineRequest& request) {
  TRY(auto job, io::jobs::job_from_axolotl(axolotl_configuration(request), request.plan.name));
  return plan_of_job(request, std::move(job));
}

/// Returns the rules that both have.
EngineRules rules_of(std::string_view engine, Result<Plan> (*plan_of_text)(const EngineRequest&)) {
  return {.schedules = {ScheduleKind::one_f_one_b},
          .tensor_parallel = false,
          .pipeline = false,
          .max_zero = 0,
          .optimizers = {Optimizer::adam, Optimizer::sgd},
          .rule_sets = {engine},
          .even_nodes = true,
          .plan_of_text = plan_of_text,
          .is_valid_boundary = [](const Profile&, int) { return false; },
          .model_limitation = [](const Profile&) { return std::string(); }};
}

}  // namespace

Engine accelerate() {
  // Apart: g++ 12 frees parts of a nested aggregate twice where memory ends.
  EngineRules rules = rules_of("Accelerate", plan_of_accelerate);
  std::vector<EngineOutput> outputs{
      {"accelerate", ".yaml", "configuration for Accelerate", accelerate_configuration},
      {"trl", ".yaml", "arguments of TRL's trainers, next to Accelerate's configuration", trl_configuration}};
  return {"Accelerate", "1.10, TRL 0.24", std::move(rules), std::move(outputs)};
}

Engine axolotl() {
  EngineRules rules = rules_of("Axolotl", plan_of_axolotl);
  std::vector<EngineOutput> outputs{{"axolotl", ".yaml", "configuration for Axolotl", axolotl_configuration}};
  return {"Axolotl", "0.12", std::move(rules), std::move(outputs)};
}

}  // namespace pipedeck::study::engines
