// SPDX-License-Identifier: Apache-2.0
// Tokens and operations of a profile's samples, and the rates of a plan.
#pragma once

#include <optional>
#include <vector>

#include "core/model/device_model.hpp"
#include "core/model/plan.hpp"
#include "core/model/utilization.hpp"
#include "core/model/workload.hpp"

namespace pipedeck::study {

/// Returns the work of one sample; nothing if the profile does not know its transformer. Its layers' forward passes are
/// absent if the profile's layers are no longer the transformer's.
std::optional<SampleWork> work_of(const Profile& profile);

/// Returns the rates of a plan. Peaks are those of the cluster's device types, else of the catalogue.
Utilization utilization_of(const SampleWork& work, const Problem& problem, const Plan& plan, double samples_per_second,
                           const std::vector<DeviceModel>& catalogue);
/// Returns the rates with the cluster's own peaks; nothing if the profile does not know its samples' work.
std::optional<Utilization> utilization_of(const Problem& problem, const Plan& plan, double samples_per_second);

}  // namespace pipedeck::study
