// SPDX-License-Identifier: Apache-2.0
// Validation of values before use. The first broken rule is returned as bad_input with a JSON pointer into the value's
// file format.
#pragma once

#include "core/base/result.hpp"
#include "core/model/cluster.hpp"
#include "core/model/model.hpp"
#include "core/model/plan.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::plan {

Result<void> validate(const Profile& profile);
/// Validates a cluster. One that is not connected is valid, since the editor shows it; core/cost/network refuses to
/// plan on it.
Result<void> validate(const Cluster& cluster);
Result<void> validate(const ModelSpec& model);
/// Validates a plan alone: all rules that need neither the profile's layers nor the cluster's devices.
Result<void> validate(const Plan& plan);
/// Refuses a global batch whose times or bytes, summed over the profile's layers, could not be counted.
Result<void> validate_amounts(const Profile& profile, const Cluster& cluster, int global_batch);
/// Refuses a plan with degrees or choices of format version 2, which exports, calibration, sensitivity and the
/// prediction of runs do not cover yet (parallelism.md).
Result<void> validate_covered(const Plan& plan);
/// Validates a plan alone and against its profile and cluster: ranges, devices, replicas, shares, order, amounts.
Result<void> validate(const Plan& plan, const Profile& profile, const Cluster& cluster);

}  // namespace pipedeck::plan
