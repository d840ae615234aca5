// SPDX-License-Identifier: Apache-2.0
#include "core/study/one_device.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/cost/all_reduce.hpp"
#include "core/cost/network.hpp"
#include "core/plan/layer_bytes.hpp"

namespace pipedeck::study {
namespace {

/// Returns the quickest synchronous plan that fits, on one device or on several; null if there is none.
const ComparedPlan* quickest(std::span<const ComparedPlan> answers, bool several) {
  const ComparedPlan* best = nullptr;
  for (const ComparedPlan& answer : answers) {
    if (!answer.simulated_plan) continue;
    const auto& [plan, simulation, other] = *answer.simulated_plan;
    if (!simulation->fits || !plan.synchronous() || (devices_used(plan).size() > 1) != several) continue;
    if (!best || simulation->iteration < best->simulated_plan->simulation->iteration) best = &answer;
  }
  return best;
}

}  // namespace

std::optional<OneDeviceReason> one_device_is_quicker(const Problem& problem, std::span<const ComparedPlan> answers) {
  const ComparedPlan *one = quickest(answers, false), *several = quickest(answers, true);
  if (!one || !several) return std::nullopt;
  const Simulation &alone = *one->simulated_plan->simulation, &together = *several->simulated_plan->simulation;
  if (alone.iteration >= together.iteration) return std::nullopt;
  const auto network = cost::Network::of(*problem.cluster, problem.workload.conventions);
  if (!network) return std::nullopt;
  const DeviceId device = devices_used(one->simulated_plan->plan).front();
  const Plan& plan = several->simulated_plan->plan;
  OneDeviceReason reason;
  reason.type = network->type(device).name;
  reason.one = to_seconds(alone.iteration), reason.several = to_seconds(together.iteration);
  reason.plan = several->planner->title;
  reason.devices = static_cast<int>(devices_used(plan).size());
  for (const Layer& layer : problem.profile->layers) reason.gradients += plan::weights_of(layer).all;
  if (adapters_of(plan).rank > 0) return reason;  // replicas exchange the adapters' gradients alone
  std::optional<Seconds> least;
  for (const DeviceId other : network->representative_devices()) {
    if (other == device) continue;
    const std::array pair{device, other};
    const auto parts =
        cost::AllReduce(*network, pair, problem.workload.conventions.collectives).parts(reason.gradients);
    Seconds time;
    BytesPerSecond rate = parts.empty() ? BytesPerSecond() : parts.front().rate;
    for (const cost::AllReducePart& part : parts) time += part.time, rate = std::min(rate, part.rate);
    if (!least || time < *least) least = time, reason.all_reduce = time, reason.rate = rate;
  }
  return reason;
}

std::string one_device_text(const OneDeviceReason& reason) {
  std::string text = fmt::format(
      "One {} is quicker than {}: {:.4g} ms an iteration, against {:.4g} ms of {} on {} devices, the quickest plan on "
      "several.",
      reason.type, reason.devices == 2 ? "two" : "several", in_milliseconds(reason.one),
      in_milliseconds(reason.several), reason.plan, reason.devices);
  if (reason.all_reduce.count > 0)
    text += fmt::format(" Two replicas would exchange {:.3g} GB of gradients at {:.3g} GB/s, which takes {:.4g} ms.",
                        static_cast<double>(reason.gradients.count) / 1e9, in_gigabytes_per_second(reason.rate),
                        in_milliseconds(reason.all_reduce));
  return text;
}

}  // namespace pipedeck::study
