// SPDX-License-Identifier: GPL-3.0-or-later
// Small hand-made values that tests of models and views share: a transformer of 50 layers on two servers of eight.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <QString>

#include "app/models/compare/plan_row.hpp"
#include "core/model/cluster.hpp"
#include "core/model/plan.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::samples {

inline constexpr std::int64_t gibibyte = std::int64_t{1} << 30;
inline constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

/// Figures keep their unit by a no-break space.
inline QString plain(QString text) { return text.replace(QChar(0xa0), QLatin1Char(' ')); }

/// An embedding in two rows, 47 blocks, a head: times and bytes differ at the ends.
inline Profile profile() {
  Profile profile;
  profile.name = "BERT-48";
  profile.source = "made by hand";
  profile.device = "V100-16GB";
  profile.micro_batch = 2;
  for (int i = 0; i < 50; ++i) {
    const bool end = i < 2 || i == 49;
    Layer layer;
    layer.name = (i < 2 ? "embedding_" : i == 49 ? "head_" : "layer_") + std::to_string(i);
    layer.kind = i < 2 ? "embedding" : i == 49 ? "linear" : "transformer";
    layer.forward = milliseconds(end ? 4.0 : 8.07);
    layer.backward = milliseconds(end ? 7.0 : 13.4);
    layer.backward_weight = milliseconds(end ? 3.0 : 6.1);
    layer.output = Bytes(2 * mebibyte);
    layer.saved = Bytes((end ? 20 : 84) * mebibyte);
    layer.parameters = Bytes((end ? 30 : 48) * mebibyte);
    profile.layers.push_back(layer);
  }
  return profile;
}

inline Cluster cluster() {
  Cluster cluster;
  cluster.name = "2 × 8 V100";
  DeviceType type;
  type.name = "V100-16GB";
  type.memory = Bytes(16 * gibibyte);
  type.peak_tflops = {{"fp16", 125.0}, {"fp32", 15.7}};
  type.memory_bandwidth = gigabytes_per_second(900);
  cluster.device_types.push_back(type);
  for (const char* name : {"n0", "n1"}) {
    Node node;
    node.name = name;
    node.devices = {{"V100-16GB", 8}};
    node.link = Link{gigabytes_per_second(130), microseconds(5)};
    cluster.nodes.push_back(node);
    cluster.links.push_back({name, "tor", {gigabytes_per_second(3.125), microseconds(10)}});
  }
  cluster.switches.push_back({"tor"});
  return cluster;
}

inline std::vector<DeviceId> devices(int first, int count) {
  std::vector<DeviceId> result;
  for (int i = 0; i < count; ++i) result.emplace_back(first + i);
  return result;
}

/// Stages of equal device counts over 16 devices, starting at `firsts`.
inline Plan plan(const std::string& name, const std::vector<int>& firsts) {
  Plan plan;
  plan.name = name;
  plan.planner = "dapple";
  plan.global_batch = 64;
  plan.micro_batch = 16;
  plan.micro_batches = 4;
  const int each = 16 / static_cast<int>(firsts.size());
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    Stage stage;
    stage.first = firsts[i];
    stage.last = i + 1 < firsts.size() ? firsts[i + 1] : 50;
    stage.devices = devices(static_cast<int>(i) * each, each);
    plan.stages.push_back(stage);
  }
  plan.objective = Objective{"DAPPLE L_max", milliseconds(731), std::nullopt};
  return plan;
}

/// A verdict of the given iteration whose parts add up: per device 80 % busy, of which 2 % optimizer.
inline std::shared_ptr<const Simulation> simulation(const Plan& plan, double iteration_ms, double peak_gib) {
  auto result = std::make_shared<Simulation>();
  const auto ns = static_cast<std::int64_t>(std::llround(iteration_ms * 1e6));
  const auto used = devices_used(plan);
  const auto count = static_cast<std::int64_t>(used.size());
  result->iteration = Nanoseconds(ns);
  result->samples_per_second = plan.global_batch / (iteration_ms / 1e3);
  result->bubble_fraction = 0.2;
  result->communication_fraction = 0.02;
  result->fits = peak_gib <= 16;
  result->idle = {Nanoseconds(ns * 4 / 100 * count), Nanoseconds(ns * 9 / 100 * count), Nanoseconds(ns / 100 * count),
                  Nanoseconds(ns * 3 / 100 * count), Nanoseconds(ns * 3 / 100 * count)};
  result->parts[TimePart::tensor_parallel] = Nanoseconds(ns * 8 / 100);
  result->parts[TimePart::optimizer] = Nanoseconds(ns * 2 / 100);
  result->parts[TimePart::point_to_point] = Nanoseconds(ns * 1 / 100);
  result->parts[TimePart::all_reduce] = Nanoseconds(ns * 3 / 100);
  result->parts[TimePart::imbalance] = Nanoseconds(ns * 3 / 100);
  result->parts[TimePart::bubble] = Nanoseconds(ns * 13 / 100);
  result->parts[TimePart::compute] = result->iteration - result->parts.total();
  for (DeviceId device : used) {
    SimulatedDevice simulated;
    simulated.device = device;
    simulated.busy = Nanoseconds(ns * 80 / 100);
    simulated.parts = result->parts;
    simulated.capacity = Bytes(16 * gibibyte);
    const double peak = peak_gib - 0.1 * device.value;
    simulated.peak = Bytes(static_cast<std::int64_t>(peak * gibibyte));
    simulated.peak_time = Nanoseconds(ns / 2);
    simulated.peak_micro_batches = 2;
    const std::int64_t tenth = simulated.peak.count / 10;
    simulated.peak_breakdown[MemoryItem::weights] = Bytes(tenth);
    simulated.peak_breakdown[MemoryItem::gradients] = Bytes(tenth);
    simulated.peak_breakdown[MemoryItem::optimizer] = Bytes(2 * tenth);
    simulated.peak_breakdown[MemoryItem::boundary] = Bytes(tenth / 2);
    simulated.peak_breakdown[MemoryItem::activations] = Bytes(simulated.peak.count - 4 * tenth - tenth / 2);
    result->devices.push_back(simulated);
    const TimelineRow rows[] = {
        {Nanoseconds(0), Nanoseconds(ns * 78 / 100), {OpKind::forward, StageId(std::int32_t{0}), 0}},
        {Nanoseconds(ns * 98 / 100), Nanoseconds(ns * 2 / 100), {OpKind::optimizer, StageId(std::int32_t{0}), 0}}};
    result->timeline.append_lane({LaneRole::compute, device, device, 0, 0}, rows);
  }
  return result;
}

/// Reasons of the plan on the cluster above: the ring of all devices crosses its network.
inline std::shared_ptr<const PlanReasons> reasons(const Plan& plan, const Simulation& simulation) {
  auto result = std::make_shared<PlanReasons>();
  Bytes gradients;
  for (const Layer& layer : profile().layers) gradients += layer.parameters;
  const double waiting = to_seconds(simulation.idle.waiting_all_reduce).count / 16;
  result->replication =
      ReplicationReason{gradients, 16, Seconds(2.0 * 15 / 16 * static_cast<double>(gradients.count) / 3.125e9),
                        gigabytes_per_second(3.125), Seconds(waiting)};
  if (plan.stages.size() < 2) return result;
  result->replicas = ReplicaPlace::within_nodes;
  result->widest_cut = Bytes(16 * mebibyte);
  result->balance = BalanceReason{};
  const auto stages = static_cast<double>(plan.stages.size());
  result->ideal_bubble = (stages - 1) / (plan.micro_batches + stages - 1);
  return result;
}

inline models::compare::PlanRow row(int id, const std::string& name, const std::vector<int>& firsts,
                                    double iteration_ms, double peak_gib) {
  models::compare::PlanRow row;
  row.id = id;
  row.plan = plan(name, firsts);
  row.simulation = simulation(row.plan, iteration_ms, peak_gib);
  row.reasons = reasons(row.plan, *row.simulation);
  row.lower_bound = milliseconds(694);
  row.single_device = Seconds(10.6);
  return row;
}

inline std::vector<models::compare::PlanRow> rows() {
  std::vector<models::compare::PlanRow> rows{
      row(1, "Joint 8:8, recompute 0", {0, 26}, 712, 9.8),      row(2, "DAPPLE 8:8 · 24:26", {0, 24}, 735, 11.2),
      row(3, "Memory-balanced 8:8 · 22:28", {0, 22}, 792, 9.1), row(4, "PipeDream 4-4-4-4", {0, 13, 25, 38}, 981, 17.4),
      row(5, "GPipe 4-4-4-4", {0, 12, 25, 37}, 1130, 15.9),     row(6, "Data parallel", {0}, 1400, 14.2)};
  rows[2].ticked = rows[4].ticked = rows[5].ticked = false;
  rows[3].plan.schedule = ScheduleKind::pipedream;
  rows[5].simulation = nullptr;
  rows[5].reasons = nullptr;
  return rows;
}

}  // namespace pipedeck::samples
