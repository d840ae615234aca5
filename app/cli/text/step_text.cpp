// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/step_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/text/explanation_text.hpp"
#include "app/cli/text/table.hpp"
#include "core/base/checks.hpp"
#include "core/io/text/printable.hpp"
#include "core/mesh/memory.hpp"
#include "core/study/autopsy/rank_places.hpp"

namespace pipedeck::cli::text {
namespace {

/// Returns the device that stands for a pipeline rank, whose devices have the same figures.
const SimulatedDevice& device_of(const Simulation& simulation, const PipelineRank& rank) {
  const auto found = std::ranges::find_if(simulation.devices, [&](const SimulatedDevice& one) {
    return std::ranges::find(rank.devices, one.device) != rank.devices.end();
  });
  ensure(found != simulation.devices.end(), "each pipeline rank has a simulated device");
  return *found;
}

std::string devices_text(const PipelineRank& rank) {
  std::vector<int> numbers;
  for (const DeviceId device : rank.devices) numbers.push_back(device.value);
  std::ranges::sort(numbers);
  return study::autopsy::number_list(numbers);
}

/// Returns a row of each pipeline rank, in the order of the pipeline: devices of a slow kind may come first.
std::string ranks_table(const Plan& plan, const Simulation& simulation) {
  Table table({{"rank"}, {"devices"}, {"busy ms"}, {"busy"}, {"peak"}, {"of"}, {"at ms"}, {"fits"}});
  const std::vector<PipelineRank> ranks = pipeline_ranks(plan);
  const Bytes largest = device_of(simulation, ranks.front()).peak;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const SimulatedDevice& device = device_of(simulation, ranks[r]);
    table.add({std::to_string(r), devices_text(ranks[r]), milliseconds_text(to_seconds(device.busy)),
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

/// Returns a line for the host's memory; empty if nothing is there.
std::string host_text(const mesh::HostMemory& host) {
  if (host.total().count == 0) return {};
  return fmt::format(
      "the fullest node's host has {}: states {}, activations {}, copies on their way {}{}\n",
      memory_text(host.total()), memory_text(host.states), memory_text(host.activations), memory_text(host.copies),
      !host.capacity ? "; its memory is not known"
                     : fmt::format(", of {}: {}", memory_text(*host.capacity), host.fits() ? "fits" : "does NOT fit"));
}

}  // namespace

std::string step_text(const Plan& plan, const mesh::Prediction& step, const Simulation& simulation,
                      const std::string& band) {
  return fmt::format(
      "{}  {}  {}, {} micro-batch{} of {}\n"
      "iteration {} ms, {:.2f} samples/s\n{:.0f} tokens/s, {:.1f} tokens/s/device\n{}"
      "the fullest rank allocates {}, needs {}, with the driver{} {} of {}: {}\n{}"
      "optimizer {}, precision {}\n\n{}\n{}",
      io::text::printable(plan.name), degrees_text(plan), pipedeck::name_of(plan.schedule), plan.micro_batches,
      plan.micro_batches == 1 ? "" : "es", plan.micro_batch, milliseconds_text(step.iteration),
      plan.global_batch / step.iteration.count, tokens_per_second(plan, step), step.tokens_per_second_per_device, band,
      memory_text(step.peak), memory_text(step.needed), step.kept_for_others.count > 0 ? " and other programs" : "",
      memory_text(with_driver(step) + step.kept_for_others), memory_text(step.capacity),
      step.fits || !step.host.fits() ? "fits in memory" : "does NOT fit in memory", host_text(step.host),
      pipedeck::name_of(plan.optimizer), pipedeck::name_of(plan.precision), parts_text(simulation.parts),
      ranks_table(plan, simulation));
}

nlohmann::ordered_json step_json(const mesh::Prediction& step) {
  nlohmann::ordered_json json{{"tokens_per_s_per_device", step.tokens_per_second_per_device}};
  json["memory"] = {{"allocated_bytes", step.peak.count},
                    {"needed_bytes", step.needed.count},
                    {"with_context_bytes", step.with_context.count},
                    {"capacity_bytes", step.capacity.count},
                    {"fits", step.fits}};
  if (step.kept_for_others.count > 0) json["memory"]["kept_for_others_bytes"] = step.kept_for_others.count;
  if (const mesh::HostMemory& host = step.host; host.total().count > 0) {
    json["host_memory"] = {{"states_bytes", host.states.count},
                           {"activations_bytes", host.activations.count},
                           {"copies_bytes", host.copies.count}};
    if (host.capacity) json["host_memory"]["capacity_bytes"] = host.capacity->count;
    json["host_memory"]["fits"] = host.fits();
  }
  return json;
}

std::string imbalance_text(const sim::step::ImbalanceBand& band) {
  Table table({{"imbalance of experts"}, {"iteration ms"}, {"needs"}, {"fits"}});
  for (const auto& [imbalance, step] : band.points)
    table.add({fmt::format("{:g}", imbalance), milliseconds_text(step.iteration), memory_text(step.needed),
               step.fits ? "yes" : "NO"});
  const std::string end = band.fits_up_to >= band.most ? "fits whatever the routing"
                          : band.fits_up_to >= 1 ? fmt::format("fits up to an imbalance of {:.2f}", band.fits_up_to)
                                                 : "does NOT fit even if the experts are balanced";
  return fmt::format("\n{}{}; one rank's experts have at most {:g} times the mean\n", table.text(), end, band.most);
}

nlohmann::ordered_json imbalance_json(const sim::step::ImbalanceBand& band) {
  nlohmann::ordered_json json{{"most", band.most}, {"fits_up_to", band.fits_up_to}};
  json["points"] = nlohmann::ordered_json::array();
  for (const auto& [imbalance, step] : band.points)
    json["points"].push_back({{"imbalance", imbalance},
                              {"iteration_ms", in_milliseconds(step.iteration)},
                              {"needed_bytes", step.needed.count},
                              {"fits", step.fits}});
  return json;
}

namespace {

/// Returns the prediction's error, a part of the log's figure.
double error_of(const study::engines::ProcessPeak& one) {
  return static_cast<double>(one.predicted.count) / static_cast<double>(one.measured.count) - 1;
}

}  // namespace

std::string dry_run_text(const std::vector<study::engines::ProcessPeak>& processes) {
  if (processes.empty()) return {};
  Table table({{"process"}, {"predicted"}, {"in the log"}, {"error"}});
  for (const study::engines::ProcessPeak& one : processes)
    table.add({std::to_string(one.process), memory_text(one.predicted), memory_text(one.measured),
               fmt::format("{:+.1f} %", 100 * error_of(one))});
  return "\nallocated memory next to the log\n" + table.text();
}

nlohmann::ordered_json dry_run_json(const std::vector<study::engines::ProcessPeak>& processes) {
  auto json = nlohmann::ordered_json::array();
  for (const study::engines::ProcessPeak& one : processes)
    json.push_back(
        {{"process", one.process}, {"predicted_bytes", one.predicted.count}, {"measured_bytes", one.measured.count}});
  return json;
}

}  // namespace pipedeck::cli::text
