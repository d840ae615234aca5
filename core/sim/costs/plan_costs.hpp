// SPDX-License-Identifier: Apache-2.0
// Every duration and size that a plan's operations have, taken once from core/cost before the clock starts.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/cost/memory.hpp"
#include "core/cost/network.hpp"
#include "core/cost/pass_memory.hpp"
#include "core/mesh/group_times.hpp"
#include "core/model/plan.hpp"
#include "core/model/workload.hpp"

namespace pipedeck::sim::costs {

/// Values that are equal for all plans.
struct SimulatorInputs {
  std::shared_ptr<const Profile> profile;
  std::shared_ptr<const Cluster> cluster;
  SimulationOptions conventions;
  cost::Network network;
  std::vector<LayerId> list_order;
  std::vector<Bytes> list_cuts;
  std::shared_ptr<mesh::ClusterView> view = std::make_shared<mesh::ClusterView>();  ///< for plans of version 2
};

/// One all-reduce of a stage: of all its gradients, of one layer's, or of a bucket of layers.
struct Reduction {
  std::int64_t duration = 0;  ///< ns, alone
  int position = 0;           ///< in the plan's order, of the layer whose gradient it waits for
  plan::Weights weights{};    ///< whose gradients these are, before they are divided over a replica's devices
};

/// One replica of a chunk: its devices work as one.
struct StageReplicaCosts {
  int stage = 0, copy = 0, replica = 0;
  std::size_t lane = 0;                                       ///< whose list it is in
  std::span<const DeviceId> devices;                          ///< the lead first: it sends and receives for all
  int low = 0, high = 0;                                      ///< its samples of a micro-batch
  std::array<std::int64_t, op_kind_count> duration{};         ///< ns, by OpKind, the overhead of an operation included
  std::array<std::int64_t, op_kind_count> tensor_parallel{};  ///< of `duration`, its all-reduces
  /// When reduction k may start, after the start of the stage's last backward or weight gradient.
  std::vector<std::int64_t> ready_in_backward, ready_in_weight;
  std::vector<std::int64_t> optimizer;  ///< ns, a device of the replica
  cost::PassMemory memory;
  int samples() const { return high - low; }
};

struct StageCosts {
  plan::Weights weights;
  cost::SavedBytes kept;              ///< for the profile's micro-batch
  std::vector<MemoryBreakdown> held;  ///< all the time: on every device, or a rank of the replicas where these differ
  std::vector<Reduction> reductions;  ///< over all replicas of all copies
  std::size_t first_worker = 0;
};

/// The devices of one replica of a rank of the pipeline: they run one list.
struct LaneCosts {
  std::span<const DeviceId> devices;
  std::vector<std::size_t> workers;  ///< one a chunk on them, ascending
  std::vector<DeviceId> twins{};     ///< further devices that do the same as `devices`, which is one device
  /// Fractions, for a plan of format version 2, of the exposed communication inside passes that are context-parallel,
  /// expert-parallel, and gathers or scatters. The rest is tensor-parallel.
  std::array<double, 3> exposed_shares{};
};

struct PlanCosts {
  std::vector<Bytes> cuts;        ///< for the profile's micro-batch
  std::vector<Bytes> held_cuts;   ///< of these, what each device of a stage that is cut has
  std::vector<StageCopy> chunks;  ///< stage by stage, copy by copy
  std::vector<StageCosts> stages;
  std::vector<StageReplicaCosts> workers;  ///< chunk by chunk, replica by replica
  std::vector<LaneCosts> lanes;
  std::vector<int> fitting;  ///< D of every stage

  PlanCosts() = default;
  PlanCosts(PlanCosts&&) = default;  // spans lead into `chunks`
  PlanCosts& operator=(PlanCosts&&) = default;
};

/// The devices of equal rank of all replicas of all copies of a stage, rank by rank: they all-reduce together.
std::vector<std::vector<DeviceId>> rank_groups(const Plan& plan, const PlanCosts& costs, std::size_t stage);

PlanCosts plan_costs(const SimulatorInputs& inputs, const Plan& plan);

}  // namespace pipedeck::sim::costs
