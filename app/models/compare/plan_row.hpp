// SPDX-License-Identifier: GPL-3.0-or-later
// A plan with its simulation, as shown by the table, the Gantt charts and the inspector.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <QString>
#include <QStringList>

#include "core/model/plan.hpp"
#include "core/model/plan_reasons.hpp"
#include "core/model/simulation.hpp"
#include "core/model/utilization.hpp"

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

/// A planner's search during a comparison.
struct PlanSearch {
  bool running = false;             ///< false: it waits for its turn
  Seconds elapsed;                  ///< since it began
  std::optional<Seconds> budget{};  ///< absent: unlimited
  QString best{};                   ///< "44.7 s, PP 16 · DP 4": the best plan so far; empty: none yet
  bool operator==(const PlanSearch&) const = default;
};

/// A group of rows. The last two are one line until they are opened.
enum class PlanGroup { plans, changes_training, no_plan };

struct PlanRow {
  int id = 0;  ///< unique in the project, never changes; below 0: a planner that has not answered yet
  Plan plan;
  std::shared_ptr<const Simulation> simulation;  ///< null until it is computed
  std::shared_ptr<const PlanReasons> reasons{};  ///< of the simulation; null: unknown
  Seconds lower_bound;                           ///< of all plans of the problem; 0: unknown
  Seconds single_device;                         ///< iteration time on one device, for the speed-up; 0: unknown
  std::optional<Seconds> measured{};             ///< step time of the plan's newest run on this machine
  std::optional<Utilization> utilization{};      ///< absent: the profile knows no tokens
  bool outdated = false;   ///< model, cluster or settings changed after the planner ended: its proofs do not hold
  QString provenance{};    ///< where the figures come from, one line
  QString training{};      ///< what the plan changes in training, one line
  bool fastest = false;    ///< has the smallest measured time of all rows
  bool ticked = true;      ///< shown as Gantt and memory below the table
  QString note;            ///< why there is no plan, or its assumptions
  QString remarks{};       ///< the user's notes
  ChartContents charts{};  ///< of the simulation; null: the charts make their own
  QString planner{};       ///< title of the planner that made it; empty: the user did
  std::optional<PlanSearch> search{};  ///< of its planner, while it works
  bool can_continue = false;           ///< its planner's time was over before its search was
  bool baseline = false;               ///< the other rows show their difference to it
  int agrees_with = 0;                 ///< id of the row that shows this same plan; 0: this row does
  QStringList agreeing{};              ///< titles of all planners with this plan, if there are several

  bool has_plan() const { return !plan.stages.empty(); }
  PlanGroup group() const {
    if (!has_plan()) return search ? PlanGroup::plans : PlanGroup::no_plan;
    return plan.synchronous() ? PlanGroup::plans : PlanGroup::changes_training;
  }
};

/// Returns "TP 4 · PP 8 · DP 2", without degrees of 1; "PP 4, uneven" shapes are spelled as "8:8 · 24:26".
QString shape_text(const Plan& plan);
/// Returns the parts of a plan's name: the title of its planner and its degrees. A name that the user chose is whole.
std::pair<QString, QString> name_parts(const PlanRow& row);
/// Returns the plan's name in one line: "Whale TP 4 · PP 8 · DP 2", "mine 8:8 · 24:26".
QString plan_title(const PlanRow& row);
/// Returns the first clause of a reason: "5.2 GiB more memory are needed".
QString first_clause(const QString& reason);

}  // namespace pipedeck::models::compare
