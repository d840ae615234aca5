// SPDX-License-Identifier: Apache-2.0
// A plan: how a model is split over devices and run. Made by a planner or by the user (formats.md, "Plan").
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/model/schedule.hpp"
#include "core/model/schedule_kind.hpp"
#include "core/model/shard.hpp"
#include "core/model/training.hpp"
#include "core/model/workload.hpp"

namespace pipedeck {

/// A warm-up policy of 1F1B (DAPPLE section V). A: K_i = min(S - i, D); B: K_i = min(2(S - i) - 1, D).
enum class Warmup { A, B };

std::string_view name_of(Warmup);  // "A"
std::optional<Warmup> parse_warmup(std::string_view);

/// A unit of recomputation: `block` keeps the input of every block and restores one block at a time during the
/// backward, as training engines do; `stage` keeps one input for a run of layers and restores the whole run before the
/// backward.
enum class RecomputeUnit { block, stage };

std::string_view name_of(RecomputeUnit);  // "block"
std::optional<RecomputeUnit> parse_recompute_unit(std::string_view);

/// A selection of a stage's layers whose forward is recomputed before the backward.
struct Recompute {
  bool all = false;
  std::vector<LayerId> layers = {};  ///< if not `all`: these positions of the plan's order
  RecomputeUnit each = RecomputeUnit::block;
  int blocks = -1;                     ///< if `all`: that number of each stage; -1: all of them
  bool operations = false;             ///< if `all`: not attention and every second product of a block (torchtitan)
  std::vector<std::string> modules{};  ///< if not `all`: parts of every block, by Megatron-LM's names
  bool operator==(const Recompute&) const = default;
  bool any() const { return all || !layers.empty() || !modules.empty(); }
  /// Returns true for choices that only format version 2 has.
  bool partly() const { return blocks >= 0 || operations || !modules.empty(); }
};

struct Stage {
  int first = 0;  ///< half-open range of positions in the plan's order
  int last = 0;
  std::vector<DeviceId> devices;  ///< in rank order (core/plan/groups): tensor x context consecutive ones, a replica
  int tensor_parallel = 1;
  std::optional<std::vector<int>> samples_per_replica;  ///< whole samples of each micro-batch per replica; absent: even
  /// The fraction of every layer's columns on each rank of a replica. Each is above 0, their sum is 1; absent: even.
  std::optional<std::vector<double>> shard_fractions{};
  Recompute recompute;
  std::string extra;
  Shard degrees{};  ///< in addition to `tensor_parallel`, which stands for its `tensor`: shard() has all of them
  bool operator==(const Stage&) const = default;

  Shard shard() const {
    Shard all = degrees;
    all.tensor = tensor_parallel;
    return all;
  }
  int replicas() const { return static_cast<int>(devices.size()) / (tensor_parallel * degrees.context); }
};

/// A copy of a stage on devices of its own (formats.md, "chunks"). All copies of a stage hold the same weights, and
/// their gradients are all-reduced together. Each copy processes its own micro-batches.
struct StageCopy {
  StageId stage;
  int copy = 0;
  std::vector<DeviceId> devices;
  bool operator==(const StageCopy&) const = default;
};

/// A value that the planner minimized, by its own formula.
struct Objective {
  std::string name;             ///< "DAPPLE L_max"
  std::optional<Seconds> time;  ///< exactly one of the two is set
  std::optional<Bytes> bytes;
  bool operator==(const Objective&) const = default;
};

/// A prediction of the simulator at the time when the plan was written.
struct Predicted {
  Seconds iteration;
  double samples_per_second = 0;
  double bubble_fraction = 0;
  std::vector<Bytes> peak_memory;  ///< of each of the plan's devices, in device order
  Seconds lower_bound;
  bool fits = true;
  NetworkModel network = NetworkModel::ideal;
  Overlap overlap = Overlap::layer;
  Collectives collectives = Collectives::best_ring;
  bool operator==(const Predicted&) const = default;
};

/// A merit for which a planner offers a plan: its answers are a short list (planners.md, "Mesh").
enum class Merit { fastest, simplest, least_memory, cheapest };
inline constexpr int merit_count = 4;

std::string_view name_of(Merit);  // "least_memory"
std::optional<Merit> parse_merit(std::string_view);

/// A bound on how far a plan is from the optimum.
struct Certificate {
  Seconds lower_bound;            ///< no plan of the problem has a shorter iteration; 0: unknown
  Seconds partition_lower_bound;  ///< a bound for this plan with these stages, whatever the warm-up; 0: unknown
  double gap = 0;                 ///< simulated iteration / lower_bound - 1
  std::string optimal_in;         ///< the space in which no plan is better, and by which measure; empty: not proven
  bool operator==(const Certificate&) const = default;
};

struct Plan {
  std::string name;
  std::string planner;  ///< registry name, or "hand"
  std::string profile;  ///< names, for the reader
  std::string cluster;
  int global_batch = 1;
  int micro_batch = 1;  ///< samples of a whole micro-batch; asynchronous: of the mini-batch that one replica processes
  int micro_batches = 1;
  ScheduleKind schedule = ScheduleKind::one_f_one_b;
  Warmup warmup = Warmup::A;
  std::optional<std::vector<int>> warmup_counts;  ///< K_i of every stage, replacing the policy's
  Optimizer optimizer = Optimizer::adam;
  Precision precision = Precision::fp32;
  int zero = 0;
  std::optional<std::vector<LayerId>> order;  ///< topological order that stages' ranges refer to; absent: list order
  /// If a schedule puts several chunks on a device, their stages name the same devices.
  std::vector<Stage> stages;
  /// Copies of stages on other devices, for bidirectional schedules; absent: the default of stage_copies().
  std::optional<std::vector<StageCopy>> chunks{};
  std::optional<std::vector<std::vector<Operation>>> operations;  ///< with explicit_order: one list per device
  std::optional<Objective> objective;
  std::optional<Predicted> predicted;
  std::optional<Certificate> certificate;
  std::vector<Merit> merits{};  ///< in the order of the enumeration; empty: its planner offers no choice
  std::vector<std::string>
      rationale;  ///< on request: the plan's bottleneck and its neighbours' losses, one sentence each
  std::string profile_sha256, cluster_sha256;  ///< of the files that the plan was made for; empty: unknown
  bool truncated = false;                      ///< a time budget ended the search early
  std::string extra;
  Sharding sharding{};  ///< of model states in time and memory; `zero` alone counts memory
  std::optional<StepChoices> choices{};
  bool operator==(const Plan&) const = default;

  bool synchronous() const { return !asynchronous(schedule); }
};

/// Returns true if the plan has degrees of parallelism in addition to tensor, data and pipeline parallelism, a
/// sharding, choices of engine and run, or a recomputation that only format version 2 has.
bool has_mesh(const Plan& plan);

/// Returns the plan's adapters; rank 0 if all weights are trained.
Adapters adapters_of(const Plan& plan);

/// Returns the layers at positions 0..N-1 of the plan's order.
std::vector<LayerId> order_of(const Plan& plan, const Profile& profile);

/// Returns the number of samples of a micro-batch of `micro_batch` on each of `stage`'s replicas. These are its shares,
/// or as even as whole samples allow, the larger ones first.
std::vector<int> replica_samples(const Stage& stage, int micro_batch);

/// Returns the part of a layer on the device of rank `rank` of a replica, relative to an even shard over
/// `tensor_parallel` devices. 1 if `shards` are absent. The device's passes take the times of that degree multiplied by
/// this factor.
double shard_factor(const Stage& stage, int rank);
/// Returns the part of `whole` bytes of weights on the device of that rank, rounded up.
Bytes shard_bytes(const Stage& stage, Bytes whole, int rank);

/// Returns the plan with 1F1B's other warm-up policy. Returns nothing if the policy has no effect: another schedule, a
/// single stage, or explicit warm-up counts.
std::optional<Plan> with_alternate_warmup(const Plan& plan);

/// Returns the number of copies of every stage: 1, or 2 in bidirectional schedules.
int num_stage_copies(const Plan& plan);

/// Returns every copy of every stage, by stage, then by copy: plan.chunks, or each stage once on its devices.
/// Bidirectional schedules add a second copy of stage s on the devices of stage S - 1 - s.
std::vector<StageCopy> stage_copies(const Plan& plan);

/// A rank of the pipeline: the devices, one per replica, that hold the same chunks and run the same list of operations.
struct PipelineRank {
  std::vector<DeviceId> devices;
  std::vector<std::size_t> chunks;  ///< positions in stage_copies(), ascending
};
/// Returns the ranks in the order of their first chunks. The plan must be valid: chunks on a common device have all
/// devices in common.
std::vector<PipelineRank> pipeline_ranks(const Plan& plan);

/// Returns the devices used, ascending, each once.
std::vector<DeviceId> devices_used(const Plan& plan);

/// Returns the degrees of a plan of format version 2 with equal ones on all stages, "TP 8 · CP 2 · PP 8 × 2 · DP 8 ·
/// ZeRO-1": tensor, context, expert, pipeline ranks and their stages, data, sharding level. Empty for other plans.
std::string degrees_text(const Plan& plan);

/// Returns the short form used in tables, "8:8 · 24:26": devices per stage, layers per stage;
/// or the degrees.
std::string stage_shape_text(const Plan& plan);

}  // namespace pipedeck
