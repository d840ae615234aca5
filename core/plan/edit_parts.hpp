// SPDX-License-Identifier: Apache-2.0
// Declarations shared by the files of edits.hpp. Each part changes a copy; with_edit() validates and completes it.
#pragma once

#include "core/plan/edits.hpp"

namespace pipedeck::plan::edits {

struct EditContext {
  const Profile& profile;
  const Cluster& cluster;
};

inline tl::unexpected<Error> refuse(std::string why) { return fail(ErrorCode::bad_input, std::move(why)); }

Result<void> check_stage(const Plan& plan, int stage);
/// Returns an error if chunks or lists of operations fix the number of stages and their devices.
Result<void> check_free_stages(const Plan& plan, const char* what);

/// Sets the devices of `stage`, of all stages on the same devices, and of copies. Removes shares whose number no longer
/// matches.
void assign_devices(Plan& plan, int stage, const std::vector<DeviceId>& devices);
/// Returns `count` unused devices for `stage`, those most similar to its own first; nothing if there are too few.
std::optional<std::vector<DeviceId>> allocate_unused_devices(const Plan& plan, const Cluster& cluster, int stage,
                                                             int count);

Result<Plan> apply(Plan plan, const EditContext& ground, const MoveBoundary& edit);
Result<Plan> apply(Plan plan, const EditContext& ground, const MoveDevices& edit);
Result<Plan> apply(Plan plan, const EditContext& ground, const SwapDevices& edit);
Result<Plan> apply(Plan plan, const EditContext& ground, const SplitStage& edit);
Result<Plan> apply(Plan plan, const EditContext& ground, const MergeStages& edit);
Result<Plan> apply(Plan plan, const EditContext& ground, const SetReplicas& edit);
Result<Plan> apply(Plan plan, const EditContext& ground, const SetTensorParallel& edit);
Result<Plan> apply(Plan plan, const EditContext& ground, const SetReplicaSamples& edit);
Result<Plan> apply(Plan plan, const EditContext& ground, const SetStageRecompute& edit);
Result<Plan> apply(Plan plan, const EditContext& ground, const SetLayerRecompute& edit);
Result<Plan> apply(Plan plan, const EditContext& ground, const SetMicroBatch& edit);

}  // namespace pipedeck::plan::edits
