// SPDX-License-Identifier: Apache-2.0
// What the files of plan_edits share. Each part changes a copy; with_edit() validates and finishes it.
#pragma once

#include "core/domain/plan_edits.hpp"

namespace pipedeck::edits {

struct Ground {
  const Profile& profile;
  const Cluster& cluster;
};

inline tl::unexpected<Error> refuse(std::string why) { return fail(ErrorCode::bad_input, std::move(why)); }

Result<void> check_stage(const Plan& plan, int stage);
/// Chunks and lists of operations bind the number of stages and their devices.
Result<void> check_free_stages(const Plan& plan, const char* what);

/// The devices of `stage`, of all stages on them, and of copies; shares go where their number no longer suits.
void put_devices(Plan& plan, int stage, const std::vector<DeviceId>& devices);
/// `count` unused devices for `stage`, the most like its own first; nothing where there are too few.
std::optional<std::vector<DeviceId>> take_spare(const Plan& plan, const Cluster& cluster, int stage, int count);

Result<Plan> apply(Plan plan, const Ground& ground, const CutMove& edit);
Result<Plan> apply(Plan plan, const Ground& ground, const DevicesMove& edit);
Result<Plan> apply(Plan plan, const Ground& ground, const DeviceSwap& edit);
Result<Plan> apply(Plan plan, const Ground& ground, const StageSplit& edit);
Result<Plan> apply(Plan plan, const Ground& ground, const StageMerge& edit);
Result<Plan> apply(Plan plan, const Ground& ground, const ReplicaCount& edit);
Result<Plan> apply(Plan plan, const Ground& ground, const TensorParallelDegree& edit);
Result<Plan> apply(Plan plan, const Ground& ground, const ReplicaShares& edit);
Result<Plan> apply(Plan plan, const Ground& ground, const StageRecompute& edit);
Result<Plan> apply(Plan plan, const Ground& ground, const LayerRecompute& edit);
Result<Plan> apply(Plan plan, const Ground& ground, const MicroBatchSize& edit);

}  // namespace pipedeck::edits
