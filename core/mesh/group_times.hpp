// SPDX-License-Identifier: Apache-2.0
// The times of collectives of a stage's groups. All groups of a family are taken to be as the first one, for ranks are
// in the order of the cluster's devices and these are of one type.
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <utility>

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

/// A cluster's network with the groups that were asked for, each walked once.
class KnownGroups {
 public:
  /// `alone`: groups are timed as if no other ran at the same time.
  explicit KnownGroups(cost::Network network, bool alone = false) : network_(std::move(network)), alone_(alone) {}

  const cost::Network& network() const { return network_; }
  const TimedGroup& of(const plan::StageGroups& stage, plan::GroupFamily family, CollectiveKind kind);

 private:
  int beside(const plan::StageGroups& stage, plan::GroupFamily family);

  cost::Network network_;
  bool alone_ = false;
  std::map<std::tuple<plan::StageGroups::Lane, CollectiveKind, int>, TimedGroup> groups_;
  std::map<std::tuple<plan::StageGroups::Lane, std::size_t>, int> beside_;  ///< by the stage's devices
};

class GroupTimes {
 public:
  /// Returns bad_input if degrees do not divide the devices, or the cluster has too few of them. `known`: of the
  /// question's cluster.
  static Result<GroupTimes> of(const Question& question, const Rates& rates, std::shared_ptr<KnownGroups> known = {});

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
  GroupTimes(std::shared_ptr<KnownGroups> known, plan::StageGroups stage, const Question& question, const Rates& rates)
      : known_(std::move(known)), stage_(std::move(stage)), question_(question), rates_(rates) {}

  Seconds scaled(Seconds time, bool leaves, bool measured) const;

  std::shared_ptr<KnownGroups> known_;
  plan::StageGroups stage_;
  const Question& question_;
  const Rates& rates_;
};

}  // namespace pipedeck::mesh
