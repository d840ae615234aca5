// SPDX-License-Identifier: GPL-3.0-or-later
// The schedules that can be offered for a plan, each with an example to look at: what the schedule's own code makes of
// four equal stages and eight micro-batches.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QString>

#include "core/domain/cluster.hpp"
#include "core/domain/plan.hpp"
#include "core/domain/profile.hpp"
#include "core/domain/result.hpp"
#include "core/domain/timeline.hpp"

namespace pipedeck::app {

struct ScheduleChoice {
  ScheduleKind kind = ScheduleKind::one_f_one_b;
  QString title;    ///< "ZB-H1"
  QString summary;  ///< one line
  QString why_not;  ///< the plan can't have it; empty: it can
  std::shared_ptr<const Timeline> example;
};

/// All examples are to be drawn over this span, so that a shorter iteration looks shorter.
inline constexpr Nanoseconds example_span{33'000'000};

/// In registry order.
std::vector<ScheduleChoice> schedule_choices(const Plan& plan, const Profile& profile, const Cluster& cluster);

/// The plan under another schedule, its layers cut anew where that takes other stages; `chunks` on every device, where
/// the schedule leaves their number open.
Result<Plan> rescheduled(const Plan& plan, const Profile& profile, ScheduleKind kind, std::optional<int> chunks);

}  // namespace pipedeck::app
