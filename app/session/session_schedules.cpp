// SPDX-License-Identifier: GPL-3.0-or-later
// Changes of a plan's schedule. Manual edits are in plan_edits.
#include "app/session/plans/edits.hpp"
#include "app/session/plans/schedule_choices.hpp"
#include "app/session/session.hpp"

namespace pipedeck::session {

void Session::choose_schedule(int id, ScheduleKind kind, std::optional<int> chunks) {
  const project::PlanEntry* entry = project::find_plan(state(), id);
  const project::ProfileEntry* profile = entry ? project::find_profile(state(), entry->profile) : nullptr;
  if (!profile || !entry->feasible()) return;
  auto other = plans::rescheduled(*entry->plan, *profile->profile, kind, chunks);
  if (!other) return report(tr("Choose schedule"), other.error());
  if (other->schedule == entry->plan->schedule && other->stages == entry->plan->stages) return;
  change(tr("Choose schedule"), plans::with_plan_edited(state(), id, *std::move(other)));
}

}  // namespace pipedeck::session
