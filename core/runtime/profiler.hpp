// SPDX-License-Identifier: Apache-2.0
// Measures a model's layers on this machine: the profile that plans for it are made with.
#pragma once

#include <stop_token>
#include <vector>

#include "core/domain/cluster.hpp"
#include "core/domain/model.hpp"
#include "core/domain/profile.hpp"
#include "core/domain/progress.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

/// Median times of every layer on one CPU thread at `micro_batches` sizes (ascending; the first is the profile's own).
Result<Profile> profile_on_cpu(const ModelSpec& model, const std::vector<int>& micro_batches,
                               const Progress& progress = {}, std::stop_token stop = {});

/// This machine's CPU as a cluster of `devices` CPU threads in one node: memory, measured copy bandwidth and latency.
Cluster cpu_cluster(int devices);

/// What there is to run on, one line a device, and for what is missing why: `list devices`.
std::vector<std::string> describe_devices();

}  // namespace pipedeck
