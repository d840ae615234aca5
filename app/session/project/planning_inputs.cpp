// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/project/planning_inputs.hpp"

#include <utility>

#include "core/presets/device_catalogue.hpp"
#include "core/presets/profile_device.hpp"
#include "core/study/utilization.hpp"

namespace pipedeck::session::project {

namespace {

constexpr std::size_t max_remembered = 16;

PlanningInputs make_inputs(const std::shared_ptr<const Profile>& profile, const Cluster& cluster) {
  PlanningInputs inputs;
  auto fitted = presets::profile_on_cluster(profile, cluster, presets::device_catalogue());
  if (!fitted) {
    inputs.refusal = fitted.error().message;
    return inputs;
  }
  inputs.profile = std::move(fitted->profile);
  inputs.notes = std::move(fitted->notes);
  inputs.assumptions = std::move(fitted->assumptions);
  inputs.efficiency = std::move(fitted->efficiency);
  inputs.work = study::work_of(*inputs.profile);
  inputs.origin = study::origin_of(*inputs.profile, cluster);
  return inputs;
}

}  // namespace

std::shared_ptr<const PlanningInputs> PlanningInputsCache::of(const std::shared_ptr<const Profile>& profile,
                                                              const std::shared_ptr<const Cluster>& cluster) const {
  const auto is_asked = [&](const Entry& entry) { return entry.profile == profile && entry.cluster == cluster; };
  {
    const std::lock_guard lock(entries_->mutex);
    for (const Entry& entry : entries_->newest_first)
      if (is_asked(entry)) return entry.inputs;
  }
  auto made = std::make_shared<const PlanningInputs>(make_inputs(profile, *cluster));
  const std::lock_guard lock(entries_->mutex);
  // Another thread may have been quicker; problems are compared by the address of their profile.
  for (const Entry& entry : entries_->newest_first)
    if (is_asked(entry)) return entry.inputs;
  entries_->newest_first.push_front({profile, cluster, made});
  if (entries_->newest_first.size() > max_remembered) entries_->newest_first.pop_back();
  return made;
}

}  // namespace pipedeck::session::project
