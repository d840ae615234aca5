// SPDX-License-Identifier: Apache-2.0
// The times of collectives of a stage's groups. All groups of a family whose devices are of one kind are taken to be as
// the first one, for ranks are in the order of the cluster's devices.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/result.hpp"
#include "core/cost/collective.hpp"
#include "core/mesh/question.hpp"
#include "core/mesh/rates.hpp"
#include "core/plan/groups.hpp"

namespace pipedeck::mesh {

/// A group of a stage, and groups like it that run at the same time.
struct TimedGroup {
  cost::Collective collective;
  bool leaves = false;    ///< has ranks in several domains
  bool measured = false;  ///< collectives were measured over its links
};

/// A cluster's network and the kinds of its devices, found once for all questions on it. Thread-safe.
class ClusterView {
 public:
  /// A view's parts. `kinds`: as kinds_of() has them.
  struct Parts {
    cost::Network network;
    std::shared_ptr<const std::vector<int>> kinds;
  };
  /// Returns the parts of the cluster, which must be the same in each call.
  Result<Parts> of(const Cluster& cluster);

 private:
  std::mutex mutex_;
  std::optional<Parts> parts_;
};

/// A cluster's network with the groups that were asked for, each walked once.
class KnownGroups {
 public:
  /// `alone`: groups are timed as if no other ran at the same time.
  explicit KnownGroups(cost::Network network, bool alone = false) : network_(std::move(network)), alone_(alone) {}
  explicit KnownGroups(ClusterView::Parts parts) : network_(std::move(parts.network)), kinds_(std::move(parts.kinds)) {}

  const cost::Network& network() const { return network_; }
  /// Returns the kinds of the network's cluster, found once.
  const std::vector<int>& kinds_of(const Cluster& cluster);
  /// Returns the group with the stage's rank `rank`.
  const TimedGroup& of(const plan::StageGroups& stage, plan::GroupFamily family, CollectiveKind kind, int rank = 0);

 private:
  int beside(const plan::StageGroups& stage, plan::GroupFamily family);

  cost::Network network_;
  bool alone_ = false;
  std::shared_ptr<const std::vector<int>> kinds_;
  using Ends = std::pair<DeviceId, DeviceId>;  ///< first and last device
  std::map<std::tuple<plan::StageGroups::Lane, CollectiveKind, int, Ends>, TimedGroup> groups_;
  std::map<std::tuple<plan::StageGroups::Lane, std::size_t, Ends>, int> beside_;  ///< by the stage's devices
};

/// The devices of a stage, and those of them that stand for the others.
struct StagePlace {
  /// A message to the next stage.
  struct Send {
    DeviceId from, to;
    const DeviceEfficiency* reached = nullptr;  ///< of the receiver, if it is of another type
  };
  std::vector<DeviceId> devices;  ///< in rank order
  std::vector<int> ranks{0};      ///< the first one of each kind: their groups are timed, and the slowest counts
  std::vector<Send> sends{};      ///< those that are timed; none: nothing follows
};

class GroupTimes {
 public:
  /// Returns bad_input if degrees do not divide the devices, or the cluster has too few of them. `known`: of the
  /// question's cluster.
  static Result<GroupTimes> of(const Question& question, const TypeRates& rates,
                               std::shared_ptr<KnownGroups> known = {});
  /// Returns the times of a stage of the question on these devices. `rates`: of the ranks' type.
  static Result<GroupTimes> of(const Question& question, const TypeRates& rates, StagePlace place,
                               std::shared_ptr<KnownGroups> known);

  const plan::StageDegrees& degrees() const { return stage_.degrees(); }
  /// Returns the ranks of a group.
  int size(plan::GroupFamily family) const { return stage_.size(family); }

  /// Returns the time in which each rank of a group sends that many bytes; 0 for none. `leaving`: those of an
  /// all-to-all that leave the rank's NVLink domain; 0: as many as go to each of its ranks.
  Seconds time(plan::GroupFamily family, CollectiveKind kind, double sent, double leaving = 0) const;
  /// Returns the time of broadcasts by `owners` ranks of the group in turn, each of its part, around the ring. `sent`:
  /// bytes that a rank passes on of all parts.
  Seconds broadcasts(plan::GroupFamily family, double sent, int owners) const;
  /// Returns the time of a message to the device of equal rank in the next stage.
  Seconds to_next_stage(double bytes) const;

 private:
  GroupTimes(std::shared_ptr<KnownGroups> known, plan::StageGroups stage, StagePlace place, const TypeRates& rates)
      : known_(std::move(known)), stage_(std::move(stage)), place_(std::move(place)), rates_(rates) {}

  Seconds time_of(int rank, plan::GroupFamily family, CollectiveKind kind, double sent, double leaving) const;
  Seconds scaled(Seconds time, bool leaves, bool measured) const;

  std::shared_ptr<KnownGroups> known_;
  plan::StageGroups stage_;
  StagePlace place_;
  const TypeRates& rates_;
};

}  // namespace pipedeck::mesh
