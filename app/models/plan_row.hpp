// SPDX-License-Identifier: GPL-3.0-or-later
// A plan with its verdict: what the table, the Gantt charts and the inspector show of it.
#pragma once

#include <memory>
#include <optional>

#include <QString>

#include "core/domain/plan.hpp"
#include "core/domain/simulation.hpp"

namespace pipedeck::app {

struct GanttContent;
struct MemoryCurves;

/// A simulation made ready for drawing: on whichever thread has time for it.
struct ChartContents {
  std::shared_ptr<const GanttContent> gantt;
  std::shared_ptr<const MemoryCurves> memory;
};

struct PlanRow {
  int id = 0;  ///< unique in the project, stays with the plan
  Plan plan;
  std::shared_ptr<const Simulation> simulation;  ///< null while it is computed
  Seconds lower_bound;                           ///< over all plans of the problem; 0: unknown
  Seconds single_device;                         ///< iteration on one device, for the speed-up; 0: unknown
  std::optional<Seconds> measured{};             ///< a step of the newest run of the plan on this machine
  bool fastest = false;                          ///< of all rows' measured times the least
  bool ticked = true;                            ///< shown as Gantt and memory below the table
  QString note;                                  ///< why there is no plan, or what was assumed
  QString remarks{};                             ///< what a person wrote down about it
  ChartContents charts{};                        ///< of the simulation; null: the charts make their own
};

}  // namespace pipedeck::app
