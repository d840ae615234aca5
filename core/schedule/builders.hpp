// SPDX-License-Identifier: Apache-2.0
// The builders of all schedules, one file each, and their common parts.
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/plan.hpp"
#include "core/model/schedule.hpp"
#include "core/schedule/adaptive.hpp"
#include "core/schedule/stage_estimates.hpp"

namespace pipedeck::schedule {

Schedule gpipe(const Plan& plan);
Schedule one_f_one_b(const Plan& plan, std::span<const StageEstimates> figures);
Result<Schedule> interleaved(const Plan& plan);
Schedule zero_bubble(const Plan& plan, std::span<const StageEstimates> figures);  ///< ZB-H1 and ZB-H2
Result<Schedule> zb_v(const Plan& plan);
Result<Schedule> controllable_memory(const Plan& plan);  ///< V-Half and V-Min
Result<Schedule> dualpipe(const Plan& plan);
Result<Schedule> dualpipe_v(const Plan& plan);
Result<Schedule> chimera(const Plan& plan);
Schedule pipedream(const Plan& plan);  ///< also with vertical sync
Result<Schedule> pipedream_2bw(const Plan& plan);
/// Returns the plan's own lists. Every list must contain each micro-batch of its device's stage once, forward and
/// backward.
Result<Schedule> explicit_order(const Plan& plan);

/// A builder of a schedule. Most need no figures of the stages.
struct Builder {
  ScheduleKind kind;
  Result<Schedule> (*build)(const Plan& plan, std::span<const StageEstimates> figures);
};

template <auto build>
Result<Schedule> built(const Plan& plan, std::span<const StageEstimates> figures) {
  if constexpr (std::is_invocable_v<decltype(build), const Plan&, std::span<const StageEstimates>>)
    return build(plan, figures);
  else
    return build(plan);
}

inline constexpr Builder builders[]{{ScheduleKind::gpipe, built<gpipe>},
                                    {ScheduleKind::one_f_one_b, built<one_f_one_b>},
                                    {ScheduleKind::interleaved, built<interleaved>},
                                    {ScheduleKind::zb_h1, built<zero_bubble>},
                                    {ScheduleKind::zb_h2, built<zero_bubble>},
                                    {ScheduleKind::zb_v, built<zb_v>},
                                    {ScheduleKind::v_half, built<controllable_memory>},
                                    {ScheduleKind::v_min, built<controllable_memory>},
                                    {ScheduleKind::dualpipe, built<dualpipe>},
                                    {ScheduleKind::dualpipe_v, built<dualpipe_v>},
                                    {ScheduleKind::chimera, built<chimera>},
                                    {ScheduleKind::adaptive, adaptive},
                                    {ScheduleKind::pipedream, built<pipedream>},
                                    {ScheduleKind::pipedream_vertical, built<pipedream>},
                                    {ScheduleKind::pipedream_2bw, built<pipedream_2bw>},
                                    {ScheduleKind::explicit_order, built<explicit_order>}};

/// Returns K_i of every stage by DAPPLE's policies, reduced to what fits, for the adaptive order. No stage warms up
/// with more than the one before.
std::vector<int> fitting_warmups(const Plan& plan, std::span<const StageEstimates> figures);

/// The number of batches in a simulation of PipeDream-2BW. Steady state begins with the second half of them; the last
/// one drains.
inline constexpr int pipedream_2bw_batches = 8;
/// Returns the number of mini-batches in a simulation of an asynchronous plan: max(M, 8 NOAM r_0), or for PipeDream-2BW
/// that of pipedream_2bw_batches batches.
int pipedream_mini_batches(const Plan& plan);
/// Returns K_s = ceil(sum_{t>=s} r_t / r_s); K_0 is NOAM.
int pipedream_warmup(const Plan& plan, StageId stage);

/// Returns one lane per device, in device order: the result of `order(stage, replica)`, the same on all devices of a
/// replica.
template <class Order>
std::vector<DeviceLane> lanes_of(const Plan& plan, Order order) {
  struct Place {
    DeviceId device;
    StageId stage;
    int replica = 0;
  };
  std::vector<Place> places;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const Stage& stage = plan.stages[s];
    for (std::size_t i = 0; i < stage.devices.size(); ++i)
      places.push_back({stage.devices[i], StageId(s), static_cast<int>(i) / stage.tensor_parallel});
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.device < b.device; });
  std::vector<DeviceLane> lanes;
  lanes.reserve(places.size());
  for (const Place& place : places) lanes.push_back({place.device, order(place.stage, place.replica)});
  return lanes;
}

/// Returns the lanes for schedules with several chunks per device: for each of pipeline_ranks(plan) its entry of
/// `lists`, the same on all its devices. If a stage recomputes, inserts a recompute before each of its backwards (or
/// input gradients).
std::vector<DeviceLane> lanes_of_ranks(const Plan& plan, std::vector<std::vector<Operation>> lists);

}  // namespace pipedeck::schedule
