// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/pages/launch_settings_json.hpp"

#include <algorithm>

#include <QJsonArray>

namespace pipedeck::ui::pages {

QJsonObject launch_settings_to_json(int steps, const views::run::LaunchSettings& settings) {
  const views::run::LaunchMoreSettings& more = settings.more;
  QJsonArray cores;
  for (const int core : settings.cores) cores.append(core);
  return {{"steps", steps},
          {"data", settings.data},
          {"learning_rate", settings.learning_rate},
          {"cores", cores},
          {"checkpoint", more.checkpoint},
          {"checkpoint_every", more.checkpoint_every},
          {"keep", more.keep},
          {"resume", more.resume},
          {"processes", more.processes},
          {"timeline_every", more.timeline_every},
          {"memory_limit_mib", more.memory_limit},
          {"timeout_s", more.timeout}};
}

views::run::LaunchRequest launch_settings_from_json(const QJsonObject& json) {
  views::run::LaunchRequest read;
  read.steps = std::max(1, json["steps"].toInt(200));
  views::run::LaunchSettings& settings = read.settings;
  settings.data = json["data"].toString();
  settings.learning_rate = std::max(0.0, json["learning_rate"].toDouble());
  for (const QJsonValue& core : json["cores"].toArray()) settings.cores << core.toInt();
  views::run::LaunchMoreSettings& more = settings.more;
  more.checkpoint = json["checkpoint"].toString();
  more.checkpoint_every = std::max(0, json["checkpoint_every"].toInt());
  more.keep = std::max(0, json["keep"].toInt(more.keep));
  more.resume = json["resume"].toString();
  more.processes = std::max(0, json["processes"].toInt());
  more.timeline_every = std::max(0, json["timeline_every"].toInt());
  more.memory_limit = std::max(0.0, json["memory_limit_mib"].toDouble());
  more.timeout = json["timeout_s"].toDouble(more.timeout);
  return read;
}

}  // namespace pipedeck::ui::pages
