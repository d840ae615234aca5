// SPDX-License-Identifier: Apache-2.0
// The stages of a pipeline on devices of several kinds: each stage has the pace of the slowest of its kinds
// (parallelism.md, "Unlike devices").
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/result.hpp"
#include "core/mesh/group_times.hpp"
#include "core/mesh/question.hpp"
#include "core/mesh/rates.hpp"
#include "core/mesh/stage_costs.hpp"

namespace pipedeck::mesh {

/// Layers that are timed, by the kind of stage and the device type.
using LayersTimedByKind = std::map<std::pair<int, int>, TimedLayers>;

/// The device types of one stage with the times of their groups.
struct TypeTimes {
  int type = 0;  ///< position in Cluster::device_types
  const TypeRates* rates = nullptr;
  GroupTimes groups;
};

class PipelineTimes {
 public:
  /// Returns bad_input if degrees do not divide the devices, the cluster has too few of them, or a replica or a group
  /// of experts has devices of several types. `question` and `rates` must outlive it. `known`: of the question's
  /// cluster.
  static Result<PipelineTimes> of(const Question& question, const Rates& rates,
                                  std::shared_ptr<KnownGroups> known = {});

  /// Returns the number of the stage's kind: stages of a kind have alike devices, and so have those behind them.
  int kind_of(std::size_t stage) const { return kinds_[stage % kinds_.size()]; }
  /// Returns the device types of the stage.
  const std::vector<TypeTimes>& types_of(std::size_t stage) const {
    return times_[static_cast<std::size_t>(kind_of(stage))];
  }
  /// Returns the costs of a stage: of each part, those of the slowest type. `known`: as stage_costs_of() has it.
  Result<StageCosts> costs(std::size_t stage, const StageLayers& layers, bool is_last, LayersTimedByKind& known) const;
  /// Returns the time in which each rank of the first stage and its partner in the last one sum that many bytes, once
  /// per step; 0 for none.
  Seconds between_ends(double bytes) const;

 private:
  PipelineTimes(const Question& question, std::shared_ptr<KnownGroups> known)
      : question_(question), known_(std::move(known)) {}

  const Question& question_;
  std::shared_ptr<KnownGroups> known_;
  std::vector<int> kinds_;  ///< by pipeline rank
  std::vector<std::vector<TypeTimes>> times_;
};

/// Returns the device of the stage's pipeline rank with the least memory, the first of equals.
DeviceId smallest_device(const Question& question, int pipeline_rank);
/// Returns the memory of that device.
Bytes smallest_memory(const Question& question, const Rates& rates, int pipeline_rank);

/// Returns, of each part of two stages' costs with the same layers, the longer one.
StageCosts slower_of(StageCosts a, const StageCosts& b);

}  // namespace pipedeck::mesh
