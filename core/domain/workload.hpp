// SPDX-License-Identifier: Apache-2.0
// What is to be trained and by which conventions; together with profile and cluster it is the question planners answer.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "core/domain/calibration.hpp"
#include "core/domain/cluster.hpp"
#include "core/domain/pins.hpp"
#include "core/domain/profile.hpp"
#include "core/domain/units.hpp"

namespace pipedeck {

enum class Optimizer { none, sgd, momentum, adam, rmsprop };
enum class Precision { fp32, mixed_16, mixed_18, mixed_20 };
enum class NetworkModel { ideal, shared };
/// When gradients are all-reduced: after the stage's last backward, by layer as each is done, or several layers
/// together as soon as they fill a bucket.
enum class Overlap { none, layer, bucket };
/// How devices all-reduce: the less of a flat and a hierarchical ring, one of these always, a double binary tree, or
/// what NCCL's own estimate chooses.
enum class Collectives { least, ring, hierarchical, tree, nccl };

std::string_view name_of(Optimizer);     // "adam"
std::string_view name_of(Precision);     // "mixed-16"
std::string_view name_of(NetworkModel);  // "ideal"
std::string_view name_of(Overlap);       // "layer"
std::string_view name_of(Collectives);   // "least"
std::optional<Optimizer> optimizer_named(std::string_view);
std::optional<Precision> precision_named(std::string_view);
std::optional<NetworkModel> network_model_named(std::string_view);
std::optional<Overlap> overlap_named(std::string_view);
std::optional<Collectives> collectives_named(std::string_view);

inline constexpr Bytes default_bucket{25 << 20};  ///< as PyTorch's DistributedDataParallel has it

/// How a plan is judged; the defaults of every command (formats.md, "Command line").
struct Conventions {
  NetworkModel network = NetworkModel::ideal;
  Overlap overlap = Overlap::layer;
  Bytes bucket = default_bucket;  ///< with Overlap::bucket
  Collectives collectives = Collectives::least;
  Bytes reserve;             ///< context and fragmentation on every device
  Bytes communication;       ///< buffers of one communicator; a device holds them for each that it is in
  double fragmentation = 0;  ///< of the allocator's memory, lost between blocks at worst: for the upper estimate alone
  Calibration calibration{};
  /// Most that a device of a pipeline holds beside the model: planners leave room for a stage of replicas of several
  /// devices between two others.
  Bytes most_beside_model() const { return reserve + communication * 4; }
  bool operator==(const Conventions&) const = default;
};

struct Workload {
  int global_batch = 1;            ///< samples an iteration
  std::optional<int> micro_batch;  ///< fixed by the user; absent: planners choose
  Optimizer optimizer = Optimizer::adam;
  Precision precision = Precision::fp32;
  int zero = 0;  ///< ZeRO stage, 0 to 3
  Conventions conventions;
  bool operator==(const Workload&) const = default;
};

/// A question to the planners. Shared and immutable, so that it crosses threads freely.
struct Problem {
  std::shared_ptr<const Profile> profile;
  std::shared_ptr<const Cluster> cluster;
  Workload workload;
  Pins pins{};
};

}  // namespace pipedeck
