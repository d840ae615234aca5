// SPDX-License-Identifier: Apache-2.0
#include "core/io/csv/tables.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pipedeck::io::csv {
namespace {

using Field = CsvTable::Field;
using Row = std::vector<Field>;

Field ms(Seconds time) { return CsvTable::milliseconds(time); }
Field ms(Nanoseconds time) { return CsvTable::milliseconds(time); }

std::string numbers(const std::vector<DeviceId>& devices) {
  std::vector<int> values;
  for (const DeviceId device : devices) values.push_back(device.value);
  return fmt::format("{}", fmt::join(values, " "));
}

double fullness(const SimulatedDevice& device) {
  return device.capacity.count > 0 ? static_cast<double>(device.peak.count) / static_cast<double>(device.capacity.count)
                                   : 0;
}

const SimulatedDevice* fullest(const Simulation& simulation) {
  const auto it = std::ranges::max_element(simulation.devices, {}, fullness);
  return it == simulation.devices.end() ? nullptr : &*it;
}

std::string_view role_name(LaneRole role) {
  return role == LaneRole::compute ? "compute" : role == LaneRole::collective ? "collective" : "link";
}

Field told(const std::optional<double>& figure) { return figure ? Field(*figure) : Field(); }

Row fields_of(const GpuSample& reading) {
  std::vector<std::string_view> limits;
  for (const NamedClockLimit& named : clock_limits)
    if (holds(reading.limits.value_or(0), named.limit)) limits.push_back(named.name);
  return {told(reading.power),       reading.memory ? Field(*reading.memory) : Field(),
          told(reading.clock),       told(reading.utilization),
          told(reading.temperature), limits.empty() ? Field() : Field(fmt::format("{}", fmt::join(limits, " ")))};
}

}  // namespace

CsvTable layers_csv(const Profile& profile) {
  CsvTable table({"layer", "name", "kind", "micro_batch_samples", "forward_ms", "backward_ms", "backward_weight_ms",
                  "output_bytes", "saved_bytes", "parameters_bytes", "workspace_bytes", "whole_parameters_bytes"});
  for (std::size_t i = 0; i < profile.layers.size(); ++i) {
    const Layer& layer = profile.layers[i];
    table.add({i, layer.name, layer.kind, profile.micro_batch, ms(layer.forward), ms(layer.backward),
               ms(layer.backward_weight), layer.output, layer.saved, layer.parameters, layer.workspace,
               layer.replicated_parameters});
  }
  return table;
}

CsvTable cluster_devices_csv(const Cluster& cluster) {
  CsvTable table({"device", "node", "type", "memory_bytes", "relative_speed", "price_per_hour"});
  int number = 0;
  for (const Device& device : devices_of(cluster)) {
    const DeviceType& type = cluster.device_types[static_cast<std::size_t>(device.type)];
    table.add({number++, cluster.nodes[device.node.index()].name, type.name, type.memory, type.relative_speed,
               type.price_per_hour ? Field(*type.price_per_hour) : Field()});
  }
  return table;
}

CsvTable stages_csv(const Plan& plan) {
  CsvTable table(
      {"stage", "first_layer", "end_layer", "layers", "devices", "replicas", "tensor_parallel", "recompute"});
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const Stage& stage = plan.stages[s];
    table.add({s, stage.first, stage.last, stage.last - stage.first, numbers(stage.devices), stage.replicas(),
               stage.tensor_parallel, stage.recompute.all ? Field(true) : Field(stage.recompute.layers.size())});
  }
  return table;
}

CsvTable plans_csv(std::span<const ComparedPlanFigures> plans) {
  CsvTable table({"plan",
                  "planner",
                  "shape",
                  "schedule",
                  "global_batch_samples",
                  "micro_batch_samples",
                  "micro_batches",
                  "iteration_ms",
                  "samples_per_s",
                  "speed_up",
                  "bubble_fraction",
                  "communication_fraction",
                  "worst_peak_bytes",
                  "worst_capacity_bytes",
                  "over_lower_bound_fraction",
                  "fits",
                  "note",
                  "exposed_communication_fraction",
                  "exposed_tensor_parallel_ms",
                  "exposed_pipeline_ms",
                  "exposed_gradients_ms",
                  "tokens_per_s",
                  "tokens_per_s_per_device",
                  "mfu"});
  for (const auto& [plan, simulation, single, bound, note, rates] : plans) {
    const bool feasible = !plan->stages.empty();
    Row row{plan->name,
            plan->planner,
            feasible ? Field(stage_shape_text(*plan)) : Field(),
            feasible ? Field(pipedeck::name_of(plan->schedule)) : Field(),
            plan->global_batch,
            feasible ? Field(plan->micro_batch) : Field(),
            feasible ? Field(plan->micro_batches) : Field()};
    if (simulation) {
      const double seconds = to_seconds(simulation->iteration).count;
      const SimulatedDevice* worst = fullest(*simulation);
      row.insert(row.end(), {ms(simulation->iteration), simulation->samples_per_second,
                             single.count > 0 && seconds > 0 ? Field(single.count / seconds) : Field(),
                             simulation->bubble_fraction, simulation->communication_fraction,
                             worst ? Field(worst->peak) : Field(), worst ? Field(worst->capacity) : Field(),
                             bound.count > 0 ? Field(seconds / bound.count - 1) : Field(), simulation->fits});
    } else if (plan->predicted) {
      const Predicted& predicted = *plan->predicted;
      const auto worst = std::ranges::max_element(predicted.peak_memory);
      row.insert(row.end(),
                 {ms(predicted.iteration), predicted.samples_per_second, Field(), predicted.bubble_fraction, Field(),
                  worst == predicted.peak_memory.end() ? Field() : Field(*worst), Field(),
                  predicted.lower_bound.count > 0 ? Field(predicted.iteration.count / predicted.lower_bound.count - 1)
                                                  : Field(),
                  predicted.fits});
    } else {
      row.resize(row.size() + 9);
    }
    row.emplace_back(note);
    if (simulation) {
      const TimeBreakdown& parts = simulation->parts;
      row.insert(row.end(), {parts.share(parts.communication()), ms(parts[TimePart::tensor_parallel]),
                             ms(parts[TimePart::point_to_point]), ms(parts[TimePart::all_reduce])});
      if (rates)
        row.insert(row.end(), {rates->tokens_per_second, rates->tokens_per_second_per_device,
                               rates->peak_per_device > 0 ? Field(rates->mfu) : Field()});
    }
    row.resize(table.columns().size());
    table.add(std::move(row));
  }
  return table;
}

CsvTable devices_csv(const Simulation& simulation) {
  CsvTable table({"device", "busy_ms", "idle_warmup_ms", "idle_drain_ms", "idle_waiting_activation_ms",
                  "idle_waiting_gradient_ms", "idle_waiting_all_reduce_ms", "peak_bytes", "peak_upper_bytes",
                  "capacity_bytes", "peak_time_ms", "peak_micro_batches"});
  for (const SimulatedDevice& device : simulation.devices) {
    const IdleBreakdown& idle = device.idle;
    table.add({device.device.value, ms(device.busy), ms(idle.warmup), ms(idle.drain), ms(idle.waiting_activation),
               ms(idle.waiting_gradient), ms(idle.waiting_all_reduce), device.peak, device.peak_upper_bound,
               device.capacity, ms(device.peak_time), device.peak_micro_batches});
  }
  return table;
}

CsvTable memory_items_csv(const Simulation& simulation) {
  std::vector<std::string> columns{"device", "peak_time_ms"};
  for (int i = 0; i < memory_item_count; ++i)
    columns.push_back(std::string(pipedeck::name_of(static_cast<MemoryItem>(i))) + "_bytes");
  columns.insert(columns.end(), {"peak_bytes", "capacity_bytes"});
  CsvTable table(std::move(columns));
  for (const SimulatedDevice& device : simulation.devices) {
    Row row{device.device.value, ms(device.peak_time)};
    for (const Bytes bytes : device.peak_breakdown.bytes) row.emplace_back(bytes);
    row.insert(row.end(), {Field(device.peak), Field(device.capacity)});
    table.add(std::move(row));
  }
  return table;
}

CsvTable memory_curve_csv(const Simulation& simulation) {
  CsvTable table({"device", "time_ms", "bytes"});
  for (const SimulatedDevice& device : simulation.devices)
    for (const MemoryPoint& point : device.curve) table.add({device.device.value, ms(point.time), point.bytes});
  return table;
}

CsvTable operations_csv(const Timeline& timeline) {
  CsvTable table({"lane", "device", "to_device", "kind", "stage", "micro_batch", "start_ms", "end_ms"});
  for (const TimelineLane& lane : timeline.lanes) {
    for (std::size_t i = lane.begin; i < lane.end; ++i) {
      const TimelineRow row = timeline.row(i);
      table.add({role_name(lane.role), lane.device.value, lane.role == LaneRole::link ? Field(lane.to.value) : Field(),
                 pipedeck::name_of(row.operation.kind), row.operation.stage.value, row.operation.micro_batch,
                 ms(row.start), ms(row.end())});
    }
  }
  return table;
}

CsvTable parts_csv(const TimeBreakdown& parts) {
  CsvTable table({"part", "time_ms"});
  for (int i = 0; i < time_part_count; ++i) {
    const auto part = static_cast<TimePart>(i);
    if (is_of_all_plans(part) || parts[part].count > 0) table.add({pipedeck::name_of(part), ms(parts[part])});
  }
  table.add({"iteration", ms(parts.total())});
  return table;
}

CsvTable waterfall_csv(const Waterfall& waterfall, const std::string& from, const std::string& to) {
  CsvTable table({"part", from + " (ms)", to + " (ms)", "change_ms"});
  for (int i = 0; i < time_part_count; ++i) {
    const auto part = static_cast<TimePart>(i);
    if (!is_of_all_plans(part) && waterfall.a[part].count == 0 && waterfall.b[part].count == 0) continue;
    table.add({pipedeck::name_of(part), ms(waterfall.a[part]), ms(waterfall.b[part]), ms(waterfall.change[part])});
  }
  table.add({"iteration", ms(waterfall.a.total()), ms(waterfall.b.total()), ms(waterfall.change.total())});
  return table;
}

CsvTable critical_path_csv(const CriticalPath& path) {
  CsvTable table(
      {"lane", "device", "to_device", "kind", "stage", "micro_batch", "begin_ms", "end_ms", "slowed_ms", "waited_for"});
  for (const CriticalSegment& link : path.links) {
    table.add({role_name(link.role), link.device.value, link.role == LaneRole::link ? Field(link.to.value) : Field(),
               pipedeck::name_of(link.operation.kind), link.operation.stage.value, link.operation.micro_batch,
               ms(link.begin), ms(link.end), ms(link.slowed), pipedeck::name_of(link.cause)});
  }
  return table;
}

CsvTable sensitivity_csv(const Sensitivity& sensitivity) {
  CsvTable table({"of", "device", "from", "to", "factor", "iteration_ms", "gain_ms"});
  for (const SensitivityEntry& entry : sensitivity.entries) {
    const bool link = entry.kind == SensitivityKind::link_bandwidth;
    table.add({pipedeck::name_of(entry.kind), link ? Field() : Field(entry.device.value), entry.from, entry.to,
               sensitivity.factor, ms(entry.iteration), ms(entry.gain)});
  }
  for (const SensitivityLever& lever : sensitivity.levers)
    table.add({pipedeck::name_of(lever.kind), Field(), lever.type, Field(), lever.factor, ms(lever.iteration),
               ms(lever.gain)});
  return table;
}

CsvTable steps_csv(const std::vector<RunEvent>& events) {
  std::size_t devices = 0;
  for (const RunEvent& event : events)
    if (const auto* step = std::get_if<StepDone>(&event)) devices = std::max(devices, step->busy_fraction.size());
  std::vector<std::string> columns{"step", "loss", "duration_ms", "samples_per_s"};
  for (std::size_t d = 0; d < devices; ++d) columns.push_back(fmt::format("device_{}_busy_fraction", d));
  for (std::size_t d = 0; d < devices; ++d) columns.push_back(fmt::format("device_{}_memory_bytes", d));
  CsvTable table(std::move(columns));
  for (const RunEvent& event : events) {
    const auto* step = std::get_if<StepDone>(&event);
    if (!step) continue;
    Row row{step->step, step->loss, ms(step->duration), step->samples_per_second};
    for (std::size_t d = 0; d < devices; ++d)
      row.push_back(d < step->busy_fraction.size() ? Field(step->busy_fraction[d]) : Field());
    for (std::size_t d = 0; d < devices; ++d) row.push_back(d < step->memory.size() ? Field(step->memory[d]) : Field());
    table.add(std::move(row));
  }
  return table;
}

CsvTable samples_csv(const std::vector<RunEvent>& events) {
  std::size_t devices = 0, gpus = 0;
  std::vector<const RunSample*> samples;
  for (const RunEvent& event : events)
    if (const auto* sample = std::get_if<RunSample>(&event)) {
      samples.push_back(sample);
      devices = std::max(devices, sample->busy_fraction.size());
      gpus = std::max(gpus, sample->gpus.size());
    }
  std::vector<std::string> columns{"time_ms"};
  for (std::size_t d = 0; d < devices; ++d) columns.push_back(fmt::format("device_{}_busy_fraction", d));
  for (std::size_t d = 0; d < devices; ++d) columns.push_back(fmt::format("device_{}_memory_bytes", d));
  for (std::size_t g = 0; g < gpus; ++g)
    for (const char* figure :
         {"power_w", "memory_used_bytes", "sm_clock_mhz", "utilization", "temperature_c", "throttle"})
      columns.push_back(fmt::format("gpu_{}_{}", g, figure));
  CsvTable table(std::move(columns));
  for (const RunSample* sample : samples) {
    Row row{ms(sample->time)};
    for (std::size_t d = 0; d < devices; ++d)
      row.push_back(d < sample->busy_fraction.size() ? Field(sample->busy_fraction[d]) : Field());
    for (std::size_t d = 0; d < devices; ++d)
      row.push_back(d < sample->memory.size() ? Field(sample->memory[d]) : Field());
    for (std::size_t g = 0; g < gpus; ++g) {
      const Row fields = fields_of(g < sample->gpus.size() ? sample->gpus[g] : GpuSample());
      row.insert(row.end(), fields.begin(), fields.end());
    }
    table.add(std::move(row));
  }
  return table;
}

}  // namespace pipedeck::io::csv
