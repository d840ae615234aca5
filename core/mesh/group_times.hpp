// SPDX-License-Identifier: Apache-2.0
// The times of collectives of a stage's groups. All groups of a family are taken to be as the first one, for ranks are
// in the order of the cluster's devices and these are of one type.
#pragma once

#include <map>
#include <utility>

#include "core/base/result.hpp"
#include "core/cost/collective.hpp"
#include "core/mesh/question.hpp"
#include "core/mesh/work_times.hpp"
#include "core/plan/groups.hpp"

namespace pipedeck::mesh {

class GroupTimes {
 public:
  /// Returns bad_input if degrees do not divide the devices, or the cluster has too few of them.
  static Result<GroupTimes> of(const Question& question, const Rates& rates);

  const plan::StageDegrees& degrees() const { return stage_.degrees(); }

  /// Returns the time in which each rank of a group sends that many bytes; 0 for none. `leaving`: those of an
  /// all-to-all that leave the rank's NVLink domain; 0: as many as go to each of its ranks.
  Seconds time(plan::GroupFamily family, CollectiveKind kind, double sent, double leaving = 0) const;
  /// Returns the time of a message to the device of equal rank in the next stage.
  Seconds to_next_stage(double bytes) const;

 private:
  GroupTimes(cost::Network network, plan::StageGroups stage, const Question& question, const Rates& rates)
      : network_(std::move(network)), stage_(std::move(stage)), question_(question), rates_(rates) {}

  struct Group {
    cost::Collective collective;
    bool leaves = false;  ///< has ranks in several domains
  };
  const Group& group(plan::GroupFamily family, CollectiveKind kind) const;
  Seconds scaled(Seconds time, bool leaves) const;

  cost::Network network_;
  plan::StageGroups stage_;
  const Question& question_;
  const Rates& rates_;
  mutable std::map<std::pair<plan::GroupFamily, CollectiveKind>, Group> groups_;
};

}  // namespace pipedeck::mesh
