// SPDX-License-Identifier: Apache-2.0
#include "core/study/origin.hpp"

#include <utility>

#include "core/io/checksum.hpp"

namespace pipedeck::study {

Origin origin_of(const Profile& profile, const Cluster& cluster) {
  return {profile.name, cluster.name, io::sha256_of(profile), io::sha256_of(cluster)};
}

Plan with_origin(Plan plan, const Origin& origin) {
  plan.profile = origin.profile;
  plan.cluster = origin.cluster;
  plan.profile_sha256 = origin.profile_sha256;
  plan.cluster_sha256 = origin.cluster_sha256;
  return plan;
}

}  // namespace pipedeck::study
