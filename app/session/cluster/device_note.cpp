// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/cluster/device_note.hpp"

#include "app/text/in_qt.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/profile_device.hpp"

namespace pipedeck::session::cluster {

QString device_warning(const project::State& state) {
  const project::ProfileEntry* profile = project::find_profile(state, state.question.profile);
  const project::ClusterEntry* cluster = project::find_cluster(state, state.question.cluster);
  if (!profile || !cluster) return {};
  return text::to_qstring(
      presets::profile_device_note(*profile->profile, *cluster->cluster, presets::device_catalogue()));
}

}  // namespace pipedeck::session::cluster
