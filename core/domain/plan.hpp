// SPDX-License-Identifier: Apache-2.0
// How a model is cut over devices and run: the answer of a planner, or of a user's hand (formats.md, "Plan").
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/domain/ids.hpp"
#include "core/domain/schedule.hpp"
#include "core/domain/units.hpp"
#include "core/domain/workload.hpp"

namespace pipedeck {

enum class ScheduleKind {
  gpipe,
  one_f_one_b,
  interleaved,
  zb_h1,
  zb_h2,
  zb_v,
  v_half,
  v_min,
  dualpipe,
  dualpipe_v,
  chimera,
  adaptive,
  pipedream,
  pipedream_vertical,
  pipedream_2bw,
  explicit_order,
};
/// Warm-up policy of 1F1B (DAPPLE section V): A: K_i = min(S - i, D); B: K_i = min(2(S - i) - 1, D).
enum class Warmup { A, B };

/// Without a flush, on several versions of the weights.
constexpr bool asynchronous(ScheduleKind kind) {
  return kind == ScheduleKind::pipedream || kind == ScheduleKind::pipedream_vertical ||
         kind == ScheduleKind::pipedream_2bw;
}
/// Two copies of every stage, one in each direction.
constexpr bool bidirectional(ScheduleKind kind) {
  return kind == ScheduleKind::dualpipe || kind == ScheduleKind::chimera;
}
/// Whether several chunks may be on one device.
bool shares_devices(ScheduleKind kind);

std::string_view name_of(ScheduleKind);  // "1f1b"
std::string_view name_of(Warmup);        // "A"
std::optional<ScheduleKind> schedule_named(std::string_view);
std::optional<Warmup> warmup_named(std::string_view);

/// Which layers of a stage run their forward again before the backward.
struct Recompute {
  bool all = false;
  std::vector<LayerId> layers;  ///< when not `all`: these positions of the plan's order
  bool operator==(const Recompute&) const = default;
  bool any() const { return all || !layers.empty(); }
};

struct Stage {
  int first = 0;  ///< half-open range of positions in the plan's order
  int last = 0;
  std::vector<DeviceId> devices;  ///< taken `tensor_parallel` by `tensor_parallel`: one replica each
  int tensor_parallel = 1;
  std::optional<std::vector<int>> shares;  ///< whole samples of each micro-batch a replica; absent: even
  /// Of every layer's columns, the fraction of each rank of a replica: above 0, 1 in all; absent: even.
  std::optional<std::vector<double>> shards{};
  Recompute recompute;
  std::string extra;
  bool operator==(const Stage&) const = default;

  int replicas() const { return static_cast<int>(devices.size()) / tensor_parallel; }
};

/// A copy of a stage on devices of its own (formats.md, "chunks"). Copies of a stage hold the same weights, and their
/// gradients are all-reduced together; each works on micro-batches of its own.
struct Chunk {
  StageId stage;
  int copy = 0;
  std::vector<DeviceId> devices;
  bool operator==(const Chunk&) const = default;
};

/// What the planner itself minimised, by its own formula.
struct Objective {
  std::string name;             ///< "DAPPLE L_max"
  std::optional<Seconds> time;  ///< exactly one of the two is there
  std::optional<Bytes> bytes;
  bool operator==(const Objective&) const = default;
};

/// What the simulator said of the plan when it was written.
struct Predicted {
  Seconds iteration;
  double samples_per_second = 0;
  double bubble_fraction = 0;
  std::vector<Bytes> peak_memory;  ///< of every device of the plan, in device order
  Seconds lower_bound;
  bool fits = true;
  NetworkModel network = NetworkModel::ideal;
  Overlap overlap = Overlap::layer;
  Collectives collectives = Collectives::least;
  bool operator==(const Predicted&) const = default;
};

/// How far from the best a plan can be.
struct Certificate {
  Seconds lower_bound;     ///< no plan of the problem ends an iteration before; 0: unknown
  Seconds stages_bound;    ///< nor does this plan with these stages, whatever the warm-up; 0: unknown
  double gap = 0;          ///< simulated iteration / lower_bound - 1
  std::string optimal_in;  ///< the space in which no plan is better, and by what measure; empty: nothing is proven
  bool operator==(const Certificate&) const = default;
};

struct Plan {
  std::string name;
  std::string planner;  ///< registry name, or "hand"
  std::string profile;  ///< names, for the reader
  std::string cluster;
  int global_batch = 1;
  int micro_batch = 1;  ///< samples of a whole micro-batch; asynchronous: the mini-batch one replica processes
  int micro_batches = 1;
  ScheduleKind schedule = ScheduleKind::one_f_one_b;
  Warmup warmup = Warmup::A;
  std::optional<std::vector<int>> warmup_counts;  ///< K_i of every stage, instead of the policy's
  Optimizer optimizer = Optimizer::adam;
  Precision precision = Precision::fp32;
  int zero = 0;
  std::optional<std::vector<LayerId>> order;  ///< topological order that stages' ranges refer to; absent: list order
  /// Where a schedule has several chunks on a device, stages name the same devices.
  std::vector<Stage> stages;
  /// Copies of stages on other devices, as bidirectional schedules have them; absent: as chunks_of() says.
  std::optional<std::vector<Chunk>> chunks{};
  std::optional<std::vector<std::vector<Operation>>> operations;  ///< with explicit_order: a list a device
  std::optional<Objective> objective;
  std::optional<Predicted> predicted;
  std::optional<Certificate> certificate;
  std::vector<std::string> why;  ///< what limits the plan and what its neighbours lose, a sentence each, when asked for
  std::string profile_sha256, cluster_sha256;  ///< of what the plan was made for; empty: unknown
  bool truncated = false;                      ///< a time budget cut the search short
  std::string extra;
  bool operator==(const Plan&) const = default;

  bool synchronous() const { return !asynchronous(schedule); }
};

/// The layers at positions 0..N-1 of the plan's order.
std::vector<LayerId> order_of(const Plan& plan, const Profile& profile);

/// Whole samples of a micro-batch of `micro_batch` on each of `stage`'s replicas: its shares, or as even as whole
/// samples allow, the larger ones first.
std::vector<int> replica_samples(const Stage& stage, int micro_batch);

/// How much of a layer a device of rank `rank` of a replica has, against an even cut over `tensor_parallel` devices: 1
/// where `shards` are absent. Its passes take the times of that degree so many times.
double shard_factor(const Stage& stage, int rank);
/// What of `whole` bytes of weights is on a device of that rank, rounded up.
Bytes shard_bytes(const Stage& stage, Bytes whole, int rank);

/// The same pipeline under 1F1B's other warm-up policy; nothing where policies make no difference: other schedules, a
/// single stage, warm-ups counted out.
std::optional<Plan> with_other_warmup(const Plan& plan);

/// Copies of every stage: 1, or 2 in bidirectional schedules.
int copies_of(const Plan& plan);

/// Every copy of every stage, stage by stage and copy by copy: plan.chunks, or one of each stage on its devices; in
/// bidirectional schedules a second one of stage s on the devices of stage S - 1 - s.
std::vector<Chunk> chunks_of(const Plan& plan);

/// Devices that hold the same chunks and run the same list, replica by replica: a rank of the pipeline.
struct PipelineRank {
  std::vector<DeviceId> devices;
  std::vector<std::size_t> chunks;  ///< positions in chunks_of(), ascending
};
/// In the order of their first chunks. Of a valid plan, in which chunks on a common device have all devices in common.
std::vector<PipelineRank> pipeline_ranks(const Plan& plan);

/// Devices used, ascending, each once.
std::vector<DeviceId> devices_used(const Plan& plan);

/// "8:8 · 24:26", the short form used in tables: devices a stage, layers a stage.
std::string shape_text(const Plan& plan);

}  // namespace pipedeck
