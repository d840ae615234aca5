// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/cluster/device_options.hpp"

#include "app/session/cluster/edits.hpp"
#include "app/text/in_qt.hpp"
#include "core/presets/device_catalogue.hpp"

namespace pipedeck::session::cluster {

QString device_warning(const project::State& state) {
  const auto inputs = project::planning_inputs(state, state.question.profile, state.question.cluster);
  if (!inputs) return {};
  if (!inputs->refusal.empty()) return text::to_qstring(inputs->refusal);
  QStringList lines;
  for (const std::string& note : inputs->notes) lines << text::to_qstring(note);
  return lines.join(QLatin1Char('\n'));
}

namespace {

constexpr double usual_latency_us = 5;

/// Returns the ratio of speeds in the cluster and the catalogue, for the first type in both.
double scale_of(const Cluster& cluster) {
  for (const DeviceType& type : cluster.device_types)
    if (const DeviceModel* model = find_device_model(presets::device_catalogue(), type.name))
      return type.relative_speed / model->type.relative_speed;
  return 1;
}

}  // namespace

std::vector<DeviceOption> device_offers(const Cluster* cluster) {
  std::vector<DeviceOption> offers;
  const Link some{gigabytes_per_second(16), microseconds(usual_latency_us)};
  if (cluster) {
    for (const DeviceType& type : cluster->device_types) {
      const DeviceModel* model = find_device_model(presets::device_catalogue(), type.name);
      const Link joined{model ? device_bandwidth(*model) : some.bandwidth, some.latency};
      offers.push_back(
          {type, usual_inside(*cluster, type.name, joined), true, model ? presets::device_summary(*model) : ""});
    }
  }
  const double scale = cluster ? scale_of(*cluster) : 1;
  for (const DeviceModel& model : presets::device_catalogue()) {
    if (cluster && find_device_type(*cluster, model.type.name)) continue;
    DeviceOption offer{model.type, {device_bandwidth(model), some.latency}, false, presets::device_summary(model)};
    offer.type.relative_speed *= scale;
    offers.push_back(std::move(offer));
  }
  return offers;
}

}  // namespace pipedeck::session::cluster
