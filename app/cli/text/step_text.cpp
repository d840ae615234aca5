// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/step_text.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/text/table.hpp"
#include "core/io/text/printable.hpp"
#include "core/mesh/memory.hpp"

namespace pipedeck::cli::text {
namespace {

std::string degrees_text(const Plan& plan, int ranks) {
  const Shard shard = plan.stages.front().shard();
  std::string text = fmt::format("tensor {}{}", shard.tensor, shard.sequence ? " with sequence" : "");
  if (shard.context > 1) text += fmt::format(", context {}", shard.context);
  if (shard.expert > 1) text += fmt::format(", expert {}", shard.expert);
  text += fmt::format(", data {}", plan.stages.front().replicas());
  if (plan.sharding.level > 0) text += fmt::format(" at sharding level {}", plan.sharding.level);
  text += fmt::format(", pipeline {}", ranks);
  const std::size_t chunks = plan.stages.size() / static_cast<std::size_t>(ranks);
  return chunks > 1 ? text + fmt::format(" of {} stages each", chunks) : text;
}

std::string parts_table(const mesh::Prediction& step) {
  Table table({{"part", Align::left}, {"ms"}, {"share"}});
  for (int p = 0; p < mesh::step_part_count; ++p) {
    const auto part = static_cast<mesh::StepPart>(p);
    table.add({std::string(mesh::name_of(part)), milliseconds_text(step[part]),
               percent_text(step[part].count / step.iteration.count)});
  }
  return table.text();
}

std::string ranks_table(const Plan& plan, const Simulation& simulation) {
  Table table({{"rank"}, {"devices"}, {"busy ms"}, {"busy"}, {"peak"}, {"of"}, {"at ms"}, {"fits"}});
  const Bytes largest = simulation.devices.front().peak;
  for (std::size_t r = 0; r < simulation.devices.size(); ++r) {
    const SimulatedDevice& device = simulation.devices[r];
    const auto last = plan.stages[r].devices.back().value;
    table.add({std::to_string(r),
               last == device.device.value ? std::to_string(last) : fmt::format("{} to {}", device.device.value, last),
               milliseconds_text(to_seconds(device.busy)),
               percent_text(to_seconds(device.busy).count / to_seconds(simulation.iteration).count),
               memory_text(device.peak, largest), memory_text(device.capacity),
               milliseconds_text(to_seconds(device.peak_time)), device.peak <= device.capacity ? "yes" : "NO"});
  }
  return table.text();
}

double tokens_per_second(const Plan& plan, const mesh::Prediction& step) {
  return step.tokens_per_second_per_device * static_cast<double>(devices_used(plan).size());
}

Bytes with_driver(const mesh::Prediction& step) {
  return step.needed + Bytes(std::llround((1 - mesh::usable_share) * static_cast<double>(step.capacity.count)));
}

}  // namespace

std::string step_text(const Plan& plan, const mesh::Prediction& step, const Simulation& simulation) {
  const int ranks = static_cast<int>(simulation.devices.size());
  return fmt::format(
      "{}  {}  {}, {} micro-batch{} of {}\n"
      "iteration {} ms, {:.2f} samples/s\n{:.0f} tokens/s, {:.1f} tokens/s/device\n"
      "the fullest rank allocates {}, needs {}, with the driver {} of {}: {}\n"
      "optimizer {}, precision {}\n\n{}\n{}",
      io::text::printable(plan.name), degrees_text(plan, ranks), pipedeck::name_of(plan.schedule), plan.micro_batches,
      plan.micro_batches == 1 ? "" : "es", plan.micro_batch, milliseconds_text(step.iteration),
      plan.global_batch / step.iteration.count, tokens_per_second(plan, step), step.tokens_per_second_per_device,
      memory_text(step.peak), memory_text(step.needed), memory_text(with_driver(step)), memory_text(step.capacity),
      step.fits ? "fits in memory" : "does NOT fit in memory", pipedeck::name_of(plan.optimizer),
      pipedeck::name_of(plan.precision), parts_table(step), ranks_table(plan, simulation));
}

nlohmann::ordered_json step_json(const mesh::Prediction& step) {
  nlohmann::ordered_json json{{"tokens_per_s_per_device", step.tokens_per_second_per_device}};
  for (int p = 0; p < mesh::step_part_count; ++p) {
    const auto part = static_cast<mesh::StepPart>(p);
    json["step_parts_ms"][std::string(mesh::name_of(part))] = in_milliseconds(step[part]);
  }
  json["memory"] = {{"allocated_bytes", step.peak.count},
                    {"needed_bytes", step.needed.count},
                    {"with_context_bytes", step.with_context.count},
                    {"capacity_bytes", step.capacity.count},
                    {"fits", step.fits}};
  return json;
}

}  // namespace pipedeck::cli::text
