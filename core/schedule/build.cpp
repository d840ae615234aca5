// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/build.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/schedule/adaptive.hpp"
#include "core/schedule/closed_forms.hpp"

namespace pipedeck::schedule {

const std::vector<ScheduleInfo>& schedules() {
  static const std::vector<ScheduleInfo> infos = [] {
    const auto info = [](ScheduleKind kind, const char* summary) {
      return ScheduleInfo{kind, std::string(name_of(kind)), summary};
    };
    return std::vector<ScheduleInfo>{
        info(ScheduleKind::gpipe, "GPipe: all forwards, then all backwards; keeps every micro-batch"),
        info(ScheduleKind::one_f_one_b, "1F1B: backwards as early as they can be; warm-up A or B"),
        info(ScheduleKind::interleaved, "Interleaved 1F1B: v chunks of layers a device in turn; shorter start and end"),
        info(ScheduleKind::zb_h1, "ZB-H1: weight gradients put off into the drain; memory of 1F1B"),
        info(ScheduleKind::zb_h2, "ZB-H2: no bubble between iterations; memory of twice 1F1B"),
        info(ScheduleKind::zb_v, "ZB-V: two chunks a device in a V; no bubble where the passes take equal times"),
        info(ScheduleKind::v_half, "V-Half: two chunks a device in a V; half the activations of 1F1B"),
        info(ScheduleKind::v_min, "V-Min: two chunks a device in a V; a third of the activations of 1F1B"),
        info(ScheduleKind::dualpipe,
             "DualPipe: two copies of the model, one in each direction, forwards overlap backwards"),
        info(ScheduleKind::dualpipe_v, "DualPipeV: DualPipe cut in half, one copy along a V, two stages a device"),
        info(ScheduleKind::chimera, "Chimera: two copies of the model, 1F1B in each direction"),
        info(ScheduleKind::adaptive, "Adaptive: the fastest order found for the plan's own stage times and memory"),
        info(ScheduleKind::pipedream, "PipeDream: asynchronous 1F1B, replicas in turn, weights stashed"),
        info(ScheduleKind::pipedream_vertical,
             "PipeDream with vertical sync: a mini-batch meets one version everywhere"),
        info(ScheduleKind::pipedream_2bw, "PipeDream-2BW: asynchronous 1F1B, one update a batch, two weight versions"),
        info(ScheduleKind::explicit_order, "The order of operations that the plan lists for every device")};
  }();
  return infos;
}

std::vector<int> warmup_counts(const Plan& plan, std::span<const StageFigures> figures) {
  if (plan.schedule == ScheduleKind::gpipe) return std::vector<int>(plan.stages.size(), plan.micro_batches);
  if (!plan.synchronous()) {
    std::vector<int> counts;
    for (std::size_t s = 0; s < plan.stages.size(); ++s) counts.push_back(pipedream_warmup(plan, StageId(s)));
    return counts;
  }
  if (!plan.warmup_counts) return policy_warmups(plan, figures);
  std::vector<int> counts = *plan.warmup_counts;
  for (int& count : counts) count = std::min(count, plan.micro_batches);
  return counts;
}

Result<Schedule> build_schedule(const Plan& plan, std::span<const StageFigures> figures) {
  if (plan.stages.empty()) return fail(ErrorCode::bad_input, "found no stages, expected at least one", "/stages");
  const std::size_t counts = plan.warmup_counts ? plan.warmup_counts->size() : figures.size();
  const bool warms_up = plan.schedule == ScheduleKind::one_f_one_b || plan.schedule == ScheduleKind::zb_h1 ||
                        plan.schedule == ScheduleKind::zb_h2;
  if (warms_up && counts != plan.stages.size())
    return fail(
        ErrorCode::bad_input,
        fmt::format("found {} warm-up counts, expected one for each of the {} stages", counts, plan.stages.size()),
        "/warmup_counts");
  switch (plan.schedule) {
    case ScheduleKind::gpipe:
      return gpipe(plan);
    case ScheduleKind::one_f_one_b:
      return one_f_one_b(plan, warmup_counts(plan, figures));
    case ScheduleKind::interleaved:
      return interleaved(plan);
    case ScheduleKind::zb_h1:
    case ScheduleKind::zb_h2:
      return zero_bubble(plan, figures);
    case ScheduleKind::zb_v:
      return zb_v(plan);
    case ScheduleKind::v_half:
    case ScheduleKind::v_min:
      return controllable_memory(plan);
    case ScheduleKind::dualpipe:
      return dualpipe(plan);
    case ScheduleKind::dualpipe_v:
      return dualpipe_v(plan);
    case ScheduleKind::chimera:
      return chimera(plan);
    case ScheduleKind::adaptive:
      return adaptive(plan, figures);
    case ScheduleKind::pipedream:
    case ScheduleKind::pipedream_vertical:
      return pipedream(plan);
    case ScheduleKind::pipedream_2bw:
      return pipedream_2bw(plan);
    case ScheduleKind::explicit_order:
      return explicit_order(plan);
    default:
      break;
  }
  return fail(ErrorCode::bad_input, fmt::format("found '{}', which is not offered", name_of(plan.schedule)),
              "/schedule");
}

}  // namespace pipedeck::schedule
