// SPDX-License-Identifier: Apache-2.0
// The names and checksums that a plan file gives of its profile and cluster.
#pragma once

#include <string>

#include "core/model/plan.hpp"
#include "core/model/workload.hpp"

namespace pipedeck::study {

/// A profile's and a cluster's names and SHA-256 sums. Sums take time in large files: compute once for many plans.
struct Origin {
  std::string profile, cluster;
  std::string profile_sha256, cluster_sha256;
};

Origin origin_of(const Profile& profile, const Cluster& cluster);
/// Returns the plan with its origin, ready to be written.
Plan with_origin(Plan plan, const Origin& origin);

}  // namespace pipedeck::study
