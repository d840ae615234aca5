// SPDX-License-Identifier: Apache-2.0
// The shown tables as CSV: the same columns from the window and from the command line.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/io/csv/csv.hpp"
#include "core/model/cluster.hpp"
#include "core/model/explanation.hpp"
#include "core/model/plan.hpp"
#include "core/model/profile.hpp"
#include "core/model/run.hpp"
#include "core/model/simulation.hpp"
#include "core/model/utilization.hpp"

namespace pipedeck::io::csv {

CsvTable layers_csv(const Profile& profile);
/// The devices of a cluster, in plan numbering.
CsvTable cluster_devices_csv(const Cluster& cluster);
CsvTable stages_csv(const Plan& plan);

/// A row of the table of plans; what is not known stays empty.
struct ComparedPlanFigures {
  const Plan* plan = nullptr;
  const Simulation* simulation = nullptr;    ///< null: the plan's own prediction, if it has one
  Seconds single_device;                     ///< iteration on one device; 0: unknown
  Seconds lower_bound;                       ///< 0: unknown
  std::string note;                          ///< why there is no plan
  std::optional<Utilization> utilization{};  ///< absent: the profile knows no tokens
};
CsvTable plans_csv(std::span<const ComparedPlanFigures> plans);

CsvTable devices_csv(const Simulation& simulation);
/// The items of each device's peak.
CsvTable memory_items_csv(const Simulation& simulation);
/// Every point of each device's curve.
CsvTable memory_curve_csv(const Simulation& simulation);
CsvTable operations_csv(const Timeline& timeline);
CsvTable parts_csv(const TimeBreakdown& parts);
CsvTable waterfall_csv(const Waterfall& waterfall, const std::string& from, const std::string& to);
CsvTable critical_path_csv(const CriticalPath& path);
CsvTable sensitivity_csv(const Sensitivity& sensitivity);
/// The steps of a run.
CsvTable steps_csv(const std::vector<RunEvent>& events);
/// Returns the values of devices and GPUs over time; missing values are empty fields.
CsvTable samples_csv(const std::vector<RunEvent>& events);

}  // namespace pipedeck::io::csv
