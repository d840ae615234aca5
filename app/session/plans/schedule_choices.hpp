// SPDX-License-Identifier: GPL-3.0-or-later
// The available schedules of a plan, each with an example: the schedule's own order of four equal stages and eight
// micro-batches.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QString>

#include "core/base/result.hpp"
#include "core/model/cluster.hpp"
#include "core/model/plan.hpp"
#include "core/model/profile.hpp"
#include "core/model/timeline.hpp"
#include "core/plan/reschedule.hpp"

namespace pipedeck::session::plans {

struct ScheduleChoice {
  ScheduleKind kind = ScheduleKind::one_f_one_b;
  QString title;               ///< "ZB-H1"
  QString summary;             ///< one line
  QString unavailable_reason;  ///< why the plan cannot have it; empty: it can
  std::shared_ptr<const Timeline> example;
};

/// Common span of all examples, so that a shorter iteration looks shorter.
inline constexpr Nanoseconds example_span{33'000'000};

/// Returns the choices in registry order.
std::vector<ScheduleChoice> schedule_choices(const Plan& plan, const Profile& profile, const Cluster& cluster);

/// Returns the plan with another schedule. Its layers are balanced again if that needs other stages. `chunks` is their
/// number per device, if the schedule allows a choice.
Result<Plan> rescheduled(const Plan& plan, const Profile& profile, ScheduleKind kind, std::optional<int> chunks,
                         plan::StageCuts cuts = plan::StageCuts::balanced);

}  // namespace pipedeck::session::plans
