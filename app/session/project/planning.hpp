// SPDX-License-Identifier: GPL-3.0-or-later
// The inputs of the planners: those in a comparison, their options, and the constraints of all plans.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <QJsonObject>
#include <QStringList>

#include "core/model/plan_constraints.hpp"
#include "core/planner/planner.hpp"
#include "core/study/compare.hpp"
#include "core/study/planner_request.hpp"

namespace pipedeck::session::project {

struct PlannerChoice {
  std::optional<bool> compared;     ///< absent: the registry's default
  planner::PlannerOptions options;  ///< those that differ from the defaults
  /// True if the user has agreed to run this program ("exec:PROGRAM"). Never saved: a project cannot bring its consent.
  bool allowed = false;
  bool operator==(const PlannerChoice&) const = default;
};

struct Planning {
  PlanConstraints pins;
  std::map<std::string, PlannerChoice> planners;  ///< by registry name; absent ones have the defaults
  Seconds budget = study::default_budget;         ///< per planner; 0: unlimited
  bool operator==(const Planning&) const = default;
};

/// Returns true for the name of a planner that is a program of its own.
bool is_program(const std::string& planner);
/// Returns the program at this path as a planner.
Result<const planner::PlannerInfo*> program_at(const QString& path);

/// Returns the planners of a comparison in registry order, then the programs that may run. Null: the model is unknown.
std::vector<study::PlannerRequest> chosen_planners(const Planning& planning, const Profile* profile = nullptr);
/// Returns the planners of a study of many clusters in registry order. Long searches take part only if they are chosen.
std::vector<study::PlannerRequest> studied_planners(const Planning& planning, const Profile* profile = nullptr);

/// Returns the chosen programs that may not run yet, by their paths.
QStringList programs_not_allowed(const Planning& planning);

/// Returns "DAPPLE" for "dapple"; empty if there is no such planner.
QString planner_title(const std::string& name);

QJsonObject planning_to_json(const Planning& planning);
/// Ignores unknown names and values, which leaves the planners' defaults.
Planning planning_from_json(const QJsonObject& json);

}  // namespace pipedeck::session::project
