// SPDX-License-Identifier: GPL-3.0-or-later
// A model and a cluster as they are planned with: layer times on the cluster's devices, what they assume, and the work
// of a sample.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/model/cluster.hpp"
#include "core/model/efficiency.hpp"
#include "core/model/profile.hpp"
#include "core/model/utilization.hpp"
#include "core/study/origin.hpp"

namespace pipedeck::session::project {

struct PlanningInputs {
  std::shared_ptr<const Profile> profile;                ///< null: refused
  std::string refusal;                                   ///< why the profile has no times on the cluster's devices
  std::vector<std::string> notes;                        ///< on times that are not the profile's own
  std::vector<std::string> assumptions;                  ///< of times and links
  std::map<std::string, HardwareEfficiency> efficiency;  ///< SimulationOptions::efficiency
  std::optional<SampleWork> work;                        ///< absent: the profile knows no tokens
  study::Origin origin;                                  ///< of plans made for them
};

/// A cache of them by profile and cluster, shared by all copies of a project's state. Thread-safe. It is no part of the
/// state's value: all caches are equal.
class PlanningInputsCache {
 public:
  std::shared_ptr<const PlanningInputs> of(const std::shared_ptr<const Profile>& profile,
                                           const std::shared_ptr<const Cluster>& cluster) const;
  bool operator==(const PlanningInputsCache&) const { return true; }

 private:
  struct Entry {
    std::shared_ptr<const Profile> profile;
    std::shared_ptr<const Cluster> cluster;
    std::shared_ptr<const PlanningInputs> inputs;
  };
  struct Entries {
    std::mutex mutex;
    std::list<Entry> newest_first;
  };
  std::shared_ptr<Entries> entries_ = std::make_shared<Entries>();
};

}  // namespace pipedeck::session::project
