// SPDX-License-Identifier: GPL-3.0-or-later
// A plan with its simulation, as shown by the table, the Gantt charts and the inspector.
#pragma once

#include <memory>
#include <optional>

#include <QString>

#include "core/model/plan.hpp"
#include "core/model/plan_reasons.hpp"
#include "core/model/simulation.hpp"

namespace pipedeck::models::gantt {
struct Content;
}  // namespace pipedeck::models::gantt

namespace pipedeck::models::memory {
struct Curves;
}  // namespace pipedeck::models::memory

namespace pipedeck::models::compare {

/// A simulation prepared for drawing, on any available thread.
struct ChartContents {
  std::shared_ptr<const gantt::Content> gantt;
  std::shared_ptr<const memory::Curves> memory;
};

struct PlanRow {
  int id = 0;  ///< unique in the project; never changes
  Plan plan;
  std::shared_ptr<const Simulation> simulation;  ///< null until it is computed
  std::shared_ptr<const PlanReasons> reasons{};  ///< of the simulation; null: unknown
  Seconds lower_bound;                           ///< of all plans of the problem; 0: unknown
  Seconds single_device;                         ///< iteration time on one device, for the speed-up; 0: unknown
  std::optional<Seconds> measured{};             ///< step time of the plan's newest run on this machine
  bool fastest = false;                          ///< has the smallest measured time of all rows
  bool ticked = true;                            ///< shown as Gantt and memory below the table
  QString note;                                  ///< why there is no plan, or its assumptions
  QString remarks{};                             ///< the user's notes
  ChartContents charts{};                        ///< of the simulation; null: the charts make their own
};

}  // namespace pipedeck::models::compare
