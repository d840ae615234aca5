// SPDX-License-Identifier: Apache-2.0
// The workload to train and the simulation's conventions. With profile and cluster, it forms a planning problem.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/units.hpp"
#include "core/model/calibration.hpp"
#include "core/model/cluster.hpp"
#include "core/model/efficiency.hpp"
#include "core/model/plan_constraints.hpp"
#include "core/model/profile.hpp"
#include "core/model/training.hpp"

namespace pipedeck {

enum class Optimizer { none, sgd, momentum, adam, rmsprop };
enum class Precision { fp32, mixed_16, mixed_18, mixed_20 };
enum class NetworkModel { ideal, shared };
/// A time at which gradients are all-reduced: after the stage's last backward, per layer as each one is done, or in
/// buckets as soon as one is full.
enum class Overlap { none, layer, bucket };
/// An algorithm by which devices all-reduce: the cheaper of a flat and a hierarchical ring, always one of these, a
/// double binary tree, or the choice of NCCL's own estimate.
enum class Collectives { best_ring, ring, hierarchical, tree, nccl };

std::string_view name_of(Optimizer);     // "adam"
std::string_view name_of(Precision);     // "mixed-16"
std::string_view name_of(NetworkModel);  // "ideal"
std::string_view name_of(Overlap);       // "layer"
std::string_view name_of(Collectives);   // "least"
std::optional<Optimizer> parse_optimizer(std::string_view);
std::optional<Precision> parse_precision(std::string_view);
std::optional<NetworkModel> parse_network_model(std::string_view);
std::optional<Overlap> parse_overlap(std::string_view);
std::optional<Collectives> parse_collectives(std::string_view);

inline constexpr Bytes default_bucket{25 << 20};  ///< as in PyTorch's DistributedDataParallel

/// A set of conventions of the simulation; the defaults of every command (formats.md, "Command line").
struct SimulationOptions {
  NetworkModel network = NetworkModel::ideal;
  Overlap overlap = Overlap::layer;
  Bytes bucket = default_bucket;  ///< with Overlap::bucket
  Collectives collectives = Collectives::best_ring;
  Bytes reserve;             ///< context and fragmentation on every device
  Bytes communication;       ///< buffers per communicator; a device holds them for each one that it belongs to
  double fragmentation = 0;  ///< worst-case loss of allocator memory between blocks, a fraction; upper estimate only
  Calibration calibration{};
  /// By the name of a device type, where layer times are computed with efficiencies; else empty.
  std::map<std::string, HardwareEfficiency> efficiency{};
  Bytes others{};  ///< of each device, for other programs; a plan of format version 2 has no other reserve
  /// Returns the maximum memory per device in addition to the model. Planners leave room for a stage of tensor-parallel
  /// replicas between two others.
  Bytes max_non_model_bytes() const { return reserve + communication * 4; }
  bool operator==(const SimulationOptions&) const = default;
};

/// Returns the network model of a question that names none: `shared` for a cluster with network cards per device.
inline NetworkModel default_network(const Cluster& cluster) {
  return has_nics(cluster) ? NetworkModel::shared : NetworkModel::ideal;
}

struct Workload {
  int global_batch = 1;            ///< samples per iteration
  std::optional<int> micro_batch;  ///< set by the user; absent: chosen by planners
  Optimizer optimizer = Optimizer::adam;
  Precision precision = Precision::fp32;
  int zero = 0;         ///< ZeRO stage, 0 to 3
  Adapters adapters{};  ///< low-rank ones, trained in place of the weights
  SimulationOptions conventions;
  bool operator==(const Workload&) const = default;
};

/// A planning problem. Shared and immutable, so that threads can pass it freely.
struct Problem {
  std::shared_ptr<const Profile> profile;
  std::shared_ptr<const Cluster> cluster;
  Workload workload;
  PlanConstraints pins{};
  std::vector<std::string> assumptions{};  ///< that its times and links rest on, one sentence each
};

}  // namespace pipedeck
