// SPDX-License-Identifier: Apache-2.0
#include "core/io/capacity_identity.hpp"

#include <fmt/format.h>

#include "core/io/checksum.hpp"

namespace pipedeck::io {
namespace {

/// The shortest text that reads back the same.
std::string text_of(double figure) { return fmt::format("{}", figure); }

std::string text_of(const SimulationOptions& conventions) {
  const Calibration& fitted = conventions.calibration;
  return fmt::format("{} {} {} {} {} {} {} {} {} {}\n", pipedeck::name_of(conventions.network),
                     pipedeck::name_of(conventions.overlap), pipedeck::name_of(conventions.collectives),
                     conventions.bucket.count, conventions.reserve.count, conventions.communication.count,
                     text_of(conventions.fragmentation), text_of(fitted.operation_overhead.count),
                     text_of(fitted.overlap_slowdown), text_of(fitted.link_efficiency));
}

std::string text_of(const PlanConstraints& pins) {
  std::string text = fmt::format("{} {} {} {}\n", pins.stages.value_or(0), pins.max_stages.value_or(0),
                                 pins.replicas.value_or(0), pins.tensor_parallel.value_or(0));
  for (const auto& [layer, device] : pins.layers) text += fmt::format("{}={}\n", layer.value, device.value);
  return text;
}

}  // namespace

std::string capacity_question_sha256(const CapacityAsked& asked, std::span<const std::string> planners) {
  const Problem& problem = asked.problem;
  const Workload& load = problem.workload;
  std::string text = fmt::format("{}\n{}\n{}\n{} {} {}\n", asked.program, sha256_of(*problem.cluster),
                                 asked.model.empty() ? sha256_of(*problem.profile) : asked.model,
                                 pipedeck::name_of(load.optimizer), pipedeck::name_of(load.precision), load.zero);
  text += text_of(load.conventions) + text_of(problem.pins);
  if (const Adapters& adapters = load.adapters; adapters.rank > 0)
    text += fmt::format("adapters {} {} {}\n", adapters.rank, pipedeck::name_of(adapters.targets),
                        pipedeck::name_of(adapters.frozen));
  for (const auto& [type, price] : asked.prices) text += fmt::format("{}={}\n", type, text_of(price));
  for (const std::string& planner : planners) text += planner + "\n";
  return sha256(text);
}

}  // namespace pipedeck::io
