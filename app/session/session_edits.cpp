// SPDX-License-Identifier: GPL-3.0-or-later
// Plans edited by hand: cuts moved, another schedule chosen.
#include "app/session/schedule_choices.hpp"
#include "app/session/session.hpp"

namespace pipedeck::app {

namespace {

/// What the planner said of its own plan is not true of one that was changed.
void forget_claims(Plan& plan) {
  plan.objective.reset();
  plan.certificate.reset();
  plan.why.clear();
  plan.predicted.reset();
}

}  // namespace

std::optional<Plan> Session::with_cuts(int id, const std::vector<int>& firsts) const {
  const PlanEntry* entry = find_plan(state(), id);
  if (!entry || firsts.size() != entry->plan->stages.size() || firsts.empty()) return std::nullopt;
  Plan plan = *entry->plan;
  for (std::size_t s = 0; s < firsts.size(); ++s) {
    Stage& stage = plan.stages[s];
    stage.first = firsts[s];
    stage.last = s + 1 < firsts.size() ? firsts[s + 1] : entry->plan->stages.back().last;
    // Positions that recompute belong to the layers, not to the stage: those that went over the cut go with it.
    if (!stage.recompute.all) {
      std::erase_if(stage.recompute.layers,
                    [&](LayerId layer) { return layer.value < stage.first || layer.value >= stage.last; });
    }
  }
  // A name that tells the split tells the new one.
  const std::string told = shape_text(*entry->plan);
  if (const std::size_t at = plan.name.find(told); !told.empty() && at != std::string::npos) {
    plan.name.replace(at, told.size(), shape_text(plan));
  }
  forget_claims(plan);
  return plan;
}

void Session::move_cuts(int id, const std::vector<int>& firsts) {
  auto moved = with_cuts(id, firsts);
  if (moved && moved->stages != find_plan(state(), id)->plan->stages) edit(id, std::move(*moved), tr("Move cut"));
}

void Session::choose_schedule(int id, ScheduleKind kind, std::optional<int> chunks) {
  const PlanEntry* entry = find_plan(state(), id);
  const ProfileEntry* profile = entry ? find_profile(state(), entry->profile) : nullptr;
  if (!profile || !entry->feasible()) return;
  auto other = rescheduled(*entry->plan, *profile->profile, kind, chunks);
  if (!other) return report(tr("Choose schedule"), other.error());
  if (other->schedule == entry->plan->schedule && other->stages == entry->plan->stages) return;
  forget_claims(*other);
  edit(id, std::move(*other), tr("Choose schedule"));
}

void Session::edit(int id, Plan plan, const QString& name) {
  const PlanEntry before = *find_plan(state(), id);
  plan.planner = "hand";
  ProjectState next = state();
  if (before.edited) {
    entry_to_change(next, id)->plan = std::make_shared<const Plan>(std::move(plan));
  } else {
    plan.name += tr(" (edited)").toStdString();
    PlanEntry edited = before;
    edited.plan = std::make_shared<const Plan>(std::move(plan));
    edited.edited = true;
    edited.ticked = true;
    Added added = with_plan(std::move(next), std::move(edited));
    next = std::move(added.state);
    next.selected_plan = added.id;
  }
  change(name, std::move(next));
}

}  // namespace pipedeck::app
