// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/project/planning.hpp"

#include <QJsonArray>

#include "app/text/in_qt.hpp"
#include "core/planner/planner_entries.hpp"

namespace pipedeck::session::project {

namespace {

struct Degree {
  const char* key;
  std::optional<int> PlanConstraints::*value;
};
constexpr Degree degrees[] = {{"stages", &PlanConstraints::stages},
                              {"max_stages", &PlanConstraints::max_stages},
                              {"replicas", &PlanConstraints::replicas},
                              {"tensor_parallel", &PlanConstraints::tensor_parallel}};

QJsonObject pins_to_json(const PlanConstraints& pins) {
  QJsonObject json;
  for (const Degree& degree : degrees)
    if (pins.*degree.value) json[QLatin1String(degree.key)] = *(pins.*degree.value);
  QJsonArray layers;
  for (const auto& [layer, device] : pins.layers) layers.append(QJsonArray{layer.value, device.value});
  if (!layers.isEmpty()) json["layers"] = layers;
  return json;
}

PlanConstraints pins_from_json(const QJsonObject& json) {
  PlanConstraints pins;
  for (const Degree& degree : degrees)
    if (const int value = json[QLatin1String(degree.key)].toInt(); value > 0) pins.*degree.value = value;
  for (const QJsonValue& pair : json["layers"].toArray())
    pins.layers.emplace_back(LayerId(pair[0].toInt()), DeviceId(pair[1].toInt()));
  return pins;
}

PlannerChoice choice_of(const Planning& planning, const planner::PlannerInfo& planner) {
  const auto choice = planning.planners.find(planner.name);
  return choice == planning.planners.end() ? PlannerChoice{} : choice->second;
}

}  // namespace

std::vector<study::PlannerRequest> chosen_planners(const Planning& planning, const Profile* profile) {
  const bool language_model = profile && study::is_language_model(*profile);
  std::vector<study::PlannerRequest> chosen;
  for (const planner::PlannerInfo& planner : planner::planners()) {
    const PlannerChoice choice = choice_of(planning, planner);
    if (choice.compared.value_or(study::compared_by_default(planner, language_model)))
      chosen.push_back(study::comparison_request(planner, choice.options));
  }
  for (const auto& [name, choice] : planning.planners)
    if (is_program(name) && choice.compared == true && choice.allowed)
      if (const auto program = planner::find_planner(name)) chosen.push_back({*program, choice.options});
  return chosen;
}

bool is_program(const std::string& planner) { return planner.starts_with(planner::program::prefix); }

Result<const planner::PlannerInfo*> program_at(const QString& path) {
  return planner::find_planner(std::string(planner::program::prefix) + path.toStdString());
}

QStringList programs_not_allowed(const Planning& planning) {
  QStringList paths;
  for (const auto& [name, choice] : planning.planners)
    if (is_program(name) && choice.compared == true && !choice.allowed)
      paths << text::to_qstring(name.substr(planner::program::prefix.size()));
  return paths;
}

std::vector<study::PlannerRequest> studied_planners(const Planning& planning, const Profile* profile) {
  const bool language_model = profile && study::is_language_model(*profile);
  std::vector<study::PlannerRequest> chosen;
  for (const planner::PlannerInfo& planner : planner::planners()) {
    const PlannerChoice choice = choice_of(planning, planner);
    if (choice.compared.value_or(study::studied_by_default(planner, language_model)))
      chosen.push_back({&planner, choice.options});
  }
  return chosen;
}

QString planner_title(const std::string& name) {
  const auto planner = planner::find_planner(name);
  return planner ? text::to_qstring((*planner)->title) : QString();
}

QJsonObject planning_to_json(const Planning& planning) {
  QJsonObject planners;
  for (const auto& [name, choice] : planning.planners) {
    QJsonObject options;
    for (const auto& [option, value] : choice.options)
      options[QString::fromStdString(option)] = QString::fromStdString(value);
    QJsonObject json{{"options", options}};
    if (choice.compared) json["compared"] = *choice.compared;
    planners[QString::fromStdString(name)] = json;
  }
  return {{"pins", pins_to_json(planning.pins)}, {"planners", planners}, {"budget_s", planning.budget.count}};
}

Planning planning_from_json(const QJsonObject& json) {
  Planning planning{pins_from_json(json["pins"].toObject()), {}};
  if (const double budget = json["budget_s"].toDouble(-1); budget >= 0) planning.budget = Seconds(budget);
  const QJsonObject stored = json["planners"].toObject();
  for (const QString& name : stored.keys()) {
    const auto found = planner::find_planner(name.toStdString());
    if (!found || (*found)->name != name.toStdString()) continue;
    const planner::PlannerInfo& planner = **found;
    const QJsonObject one = stored[name].toObject(), options = one["options"].toObject();
    PlannerChoice choice;
    if (one.contains("compared")) choice.compared = one["compared"].toBool();
    for (const QString& option : options.keys()) {
      const planner::PlannerOptions given{{option.toStdString(), options[option].toString().toStdString()}};
      if (planner::check_options(planner, given)) choice.options.insert(given.begin(), given.end());
    }
    planning.planners[planner.name] = std::move(choice);
  }
  return planning;
}

}  // namespace pipedeck::session::project
