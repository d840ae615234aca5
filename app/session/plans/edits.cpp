// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/plans/edits.hpp"

#include <algorithm>

#include <QCoreApplication>
#include <QStringList>

#include "core/study/plan_simulator.hpp"

namespace pipedeck::session::plans {

namespace {

struct Steps {
  Q_DECLARE_TR_FUNCTIONS(PlanSteps)
};

constexpr std::size_t max_named = 3;  ///< maximum devices in a step's name

QString device(DeviceId id) { return QStringLiteral("G%1").arg(id.value); }

/// A visitor that returns the name of each kind of edit.
class Namer {
 public:
  Namer(const Plan& plan, const Profile& profile) : plan_(plan), profile_(profile) {}

  QString operator()(const plan::MoveBoundary& edit) const {
    return Steps::tr("Move cut before %1").arg(layer(edit.layer));
  }
  QString operator()(const plan::MoveDevices& edit) const {
    const QString what =
        edit.devices.size() > max_named ? Steps::tr("%1 devices").arg(edit.devices.size()) : names(edit.devices);
    if (!edit.stage) return Steps::tr("Leave out %1").arg(what);
    const auto& stages = plan_.stages;
    const bool inside =
        *edit.stage < static_cast<int>(stages.size()) &&
        std::ranges::count(stages[static_cast<std::size_t>(*edit.stage)].devices, edit.devices.front()) > 0;
    return inside ? Steps::tr("Move %1 within stage %2").arg(what).arg(*edit.stage)
                  : Steps::tr("Move %1 to stage %2").arg(what).arg(*edit.stage);
  }
  QString operator()(const plan::SwapDevices& edit) const {
    return Steps::tr("Exchange %1 and %2").arg(device(edit.one), device(edit.other));
  }
  QString operator()(const plan::SplitStage& edit) const {
    return Steps::tr("Split stage %1 before %2").arg(edit.stage).arg(layer(edit.layer));
  }
  QString operator()(const plan::MergeStages& edit) const {
    return Steps::tr("Merge stages %1 and %2").arg(edit.stage).arg(edit.stage + 1);
  }
  QString operator()(const plan::SetReplicas& edit) const {
    return Steps::tr("Replicas of stage %1: %2").arg(edit.stage).arg(edit.replicas);
  }
  QString operator()(const plan::SetTensorParallel& edit) const {
    return Steps::tr("Tensor parallelism %1 of stage %2").arg(edit.degree).arg(edit.stage);
  }
  QString operator()(const plan::SetReplicaSamples& edit) const {
    return Steps::tr("Shares of stage %1").arg(edit.stage);
  }
  QString operator()(const plan::SetStageRecompute& edit) const {
    return edit.recompute.any() ? Steps::tr("Recompute stage %1").arg(edit.stage)
                                : Steps::tr("Recompute nothing of stage %1").arg(edit.stage);
  }
  QString operator()(const plan::SetLayerRecompute& edit) const {
    return edit.on ? Steps::tr("Recompute %1").arg(layer(edit.layer))
                   : Steps::tr("Keep activations of %1").arg(layer(edit.layer));
  }
  QString operator()(const plan::SetMicroBatch& edit) const { return Steps::tr("Micro-batch of %1").arg(edit.samples); }

 private:
  static QString names(const std::vector<DeviceId>& devices) {
    QStringList names;
    for (DeviceId id : devices) names << device(id);
    return names.join(QStringLiteral(", "));
  }
  QString layer(int position) const {
    const std::vector<LayerId> order = order_of(plan_, profile_);
    const auto i = static_cast<std::size_t>(position);
    return position < 0 || i >= order.size() ? QString::number(position)
                                             : QString::fromStdString(profile_.layers[order[i].index()].name);
  }

  const Plan& plan_;
  const Profile& profile_;
};

}  // namespace

QString edit_name(const plan::PlanEdit& edit, const Plan& plan, const Profile& profile) {
  return std::visit(Namer(plan, profile), edit);
}

project::State with_plan_edited(project::State state, int id, Plan plan) {
  const auto before = std::ranges::find(state.plans, id, &project::PlanEntry::id);
  if (before == state.plans.end()) return state;
  plan.planner = "hand";
  if (before->edited) {
    before->plan = std::make_shared<const Plan>(std::move(plan));
    return state;
  }
  plan.name += Steps::tr(" (edited)").toStdString();
  project::PlanEntry entry = *before;
  entry.plan = std::make_shared<const Plan>(std::move(plan));
  entry.edited = true;
  entry.ticked = true;
  const auto place = before - state.plans.begin();
  project::Added added = project::with_plan(std::move(state), std::move(entry));
  std::rotate(added.state.plans.begin() + place, added.state.plans.end() - 1, added.state.plans.end());
  added.state.selected_plan = added.id;
  return std::move(added.state);
}

Result<Plan> edited_plan(const project::State& state, int id, const plan::PlanEdit& edit,
                         study::PlanSimulator& plan_simulator) {
  const project::PlanEntry* entry = project::find_plan(state, id);
  const auto problem = entry ? project::make_problem(state, *entry) : std::nullopt;
  if (!problem || !entry->feasible()) return fail(ErrorCode::bad_usage, "there is no plan to edit");
  auto plan = plan::with_edit(*entry->plan, *problem->profile, *problem->cluster, edit);
  // List scheduling searches for the order, so the simulation reports what it cannot run.
  if (!plan || plan->schedule == ScheduleKind::adaptive) return plan;
  const auto simulator = plan_simulator.simulator(*problem);
  if (!simulator) return plan;  // incomplete clusters cannot be simulated, but plans can be edited
  TRY_VOID(simulator->schedule(*plan));
  return plan;
}

}  // namespace pipedeck::session::plans
