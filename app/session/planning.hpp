// SPDX-License-Identifier: GPL-3.0-or-later
// How the planners are asked: which take part in a comparison, with which options, and what every plan must have.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <QJsonObject>

#include "core/domain/pins.hpp"
#include "core/planner/planner.hpp"

namespace pipedeck::app {

struct PlannerChoice {
  std::optional<bool> compared;  ///< absent: as the registry has it
  PlannerOptions options;        ///< those that differ from the defaults
  bool operator==(const PlannerChoice&) const = default;
};

struct Planning {
  Pins pins;
  std::map<std::string, PlannerChoice> planners;  ///< by registry name; those left alone are absent
  bool operator==(const Planning&) const = default;
};

struct ChosenPlanner {
  const PlannerInfo* planner = nullptr;
  PlannerOptions options;
};

/// Those that take part, in registry order.
std::vector<ChosenPlanner> chosen_planners(const Planning& planning);

QJsonObject planning_to_json(const Planning& planning);
/// Names and values that this version does not know are left out: the planners' defaults stand in.
Planning planning_from_json(const QJsonObject& json);

}  // namespace pipedeck::app
