// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/device_note.hpp"

#include "app/text/in_qt.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/profile_device.hpp"

namespace pipedeck::app {

QString device_note(const ProjectState& state) {
  const ProfileEntry* profile = find_profile(state, state.question.profile);
  const ClusterEntry* cluster = find_cluster(state, state.question.cluster);
  if (!profile || !cluster) return {};
  return in_qt(profile_device_note(*profile->profile, *cluster->cluster, device_catalogue()));
}

}  // namespace pipedeck::app
