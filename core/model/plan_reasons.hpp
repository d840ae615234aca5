// SPDX-License-Identifier: Apache-2.0
// The reasons for a plan's speed as figures. The window turns them into sentences.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/units.hpp"

namespace pipedeck {

/// A place of the replicas of all stages: each stage within one node, or some stage across nodes.
enum class ReplicaPlace : std::uint8_t { within_nodes, across_nodes };

/// A comparison with plain data parallelism: one all-reduce of all gradients over the plan's devices.
struct ReplicationReason {
  Bytes gradients;
  int devices = 0;
  Seconds all_reduce;        ///< without contention, by the algorithm of the conventions
  BytesPerSecond narrowest;  ///< least rate over the links of its rings
  Seconds waiting;  ///< of the plan itself, mean over its devices: for its own all-reduces, after the last backward
  bool operator==(const ReplicationReason&) const = default;
};

/// A comparison of the stages' busy times, each that of the stage's busiest device.
struct BalanceReason {
  int busiest = 0, idlest = 0;  ///< stages
  double less = 0;              ///< what the idlest has less to do, relative to the busiest
  bool operator==(const BalanceReason&) const = default;
};

/// A change with which a plan that does not fit does.
enum class FittingKind : std::uint8_t { recompute, zero, tensor_parallel, micro_batch };
struct FittingChange {
  FittingKind kind = FittingKind::recompute;
  int value = 0;  ///< ZeRO stage, degree, samples of a micro-batch
  Seconds iteration;
  double margin = 0;  ///< memory left on the fullest device, a fraction of its capacity
  bool operator==(const FittingChange&) const = default;
};
/// Returns "recompute all stages", "ZeRO 1", "tensor parallelism 8", "micro-batch 4".
std::string text_of(const FittingChange& change);

/// A comparison of a warm-up that is shorter than 1F1B's with the whole one.
struct WarmupReason {
  int stage = 0, held = 1, whole = 1;  ///< micro-batches on the first stage that holds fewer
  Seconds iteration;                   ///< with the whole warm-up
  Bytes missing;                       ///< memory that it needs more than the fullest device has
  bool operator==(const WarmupReason&) const = default;
};

/// A set of reasons. A reason that does not apply to the plan is absent.
struct PlanReasons {
  std::optional<ReplicaPlace> replicas{};  ///< of plans with several stages
  std::optional<ReplicationReason> replication{};
  std::optional<Bytes> widest_cut{};       ///< bytes of a micro-batch across it, each way
  std::optional<BalanceReason> balance{};  ///< of plans whose stages share no device
  std::optional<double> ideal_bubble{};    ///< of GPipe and 1F1B with equal stages and free transfers
  std::vector<int> recomputed{};           ///< stages
  std::vector<FittingChange> fitting{};    ///< of plans that do not fit: what was tried and fits, quickest first
  std::optional<WarmupReason> warmup{};    ///< of plans with a shorter warm-up
  bool operator==(const PlanReasons&) const = default;
};

}  // namespace pipedeck
