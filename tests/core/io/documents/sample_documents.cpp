// SPDX-License-Identifier: Apache-2.0
#include "tests/core/io/documents/sample_documents.hpp"

#include <cmath>

namespace pipedeck::test {

std::string sample_profile() {
  return R"({"format": "pipedeck.profile", "version": 1, "name": "three", "source": "a test", "device": "V100",
 "micro_batch": 2, "colour": "blue",
 "layers": [
  {"name": "a", "kind": "linear", "forward_ms": 1.5, "backward_ms": 3.25, "backward_weight_ms": 1.25,
   "output_bytes": 100, "outputs_bytes": [60, 40], "saved_bytes": 120, "parameter_bytes": 80, "workspace_bytes": 7,
   "memory": {"input_bytes": 50, "forward_bytes": 20, "forward_fixed_bytes": 5, "backward_bytes": 60,
              "backward_fixed_bytes": 10, "weight_saved_bytes": 70, "recompute_saved_bytes": 8},
   "spread": {"repetitions": 11, "forward_ms": [1.4, 1.75], "backward_ms": [3.25, 3.5]},
   "at": [{"micro_batch": 4, "forward_ms": 2.5, "backward_ms": 6.5, "backward_weight_ms": 2.5, "saved_bytes": 240,
           "workspace_bytes": 9, "spread": {"repetitions": 7, "forward_ms": [2.5, 2.5], "backward_ms": [6, 7]}}],
   "tensor_parallel": [{"degree": 2, "forward_ms": 0.8, "backward_ms": 1.7, "forward_allreduce_bytes": 100,
                        "backward_allreduce_bytes": 100, "backward_weight_ms": 0.7, "saved_bytes": 60,
    "ways": [{"input_in_columns": false, "output_in_columns": true, "moved_values": 24, "saved_bytes": 60,
              "workspace_bytes": 30, "memory": {"input_bytes": 50, "forward_bytes": 10, "backward_bytes": 30,
                                                "weight_saved_bytes": 35}},
             {"moved_values": 36, "alike": true, "whole_parameter_bytes": 16, "saved_bytes": 70, "workspace_bytes": 40,
              "memory": {"input_bytes": 45, "forward_bytes": 15, "backward_bytes": 40, "weight_saved_bytes": 30}}]}],
   "on": {"T4": {"forward_ms": 3.5, "backward_ms": 7.5}}, "note": [1, {"deep": 1e3}]},
  {"name": "b", "forward_ms": 0.5, "backward_ms": 1, "output_bytes": 10, "parameter_bytes": 4},
  {"name": "c", "forward_ms": 0.5, "backward_ms": 1, "output_bytes": 10, "parameter_bytes": 0}],
 "edges": [["a", "b", 0], ["a", "c", 1], ["b", "c"]]})";
}

std::string sample_cluster() {
  return R"({"format": "pipedeck.cluster", "version": 1, "name": "two", "site": "here",
 "device_types": [{"name": "V100", "memory_bytes": 17179869184, "relative_speed": 1.0, "peak_tflops": {"fp32": 15.7},
                   "memory_gb_per_s": 900, "price_per_hour": 2.48, "vendor": "N"}],
 "nodes": [{"name": "n0", "devices": [{"type": "V100", "count": 2}], "link": {"gb_per_s": 130, "latency_us": 5}},
           {"name": "n1", "devices": [{"type": "V100", "count": 1}], "bus": true, "rack": 3}],
 "switches": [{"name": "tor"}],
 "links": [{"from": "n0", "to": "tor", "gb_per_s": 3.125, "latency_us": 10, "cable": "red"},
           {"from": "n1", "to": "tor", "gb_per_s": 3.125, "latency_us": 10}]})";
}

std::string sample_plan() {
  return R"({"format": "pipedeck.plan", "version": 1, "name": "p", "planner": "hand", "profile": "three",
 "cluster": "two", "global_batch": 8, "micro_batch": 4, "micro_batches": 2, "schedule": "explicit", "warmup": "B",
 "warmup_counts": [2, 1], "optimizer": "sgd", "precision": "mixed-16", "zero": 1, "order": [0, 1, 2],
 "stages": [{"layers": [0, 1], "devices": [0, 1], "tensor_parallel": 1, "shares": [3, 1], "recompute": [0]},
            {"layers": [1, 3], "devices": [2], "tensor_parallel": 1, "shares": null, "recompute": true, "note": "x"}],
 "operations": [[["F", 0, 0], ["R", 0, 0], ["B", 0, 0]], [["F", 0, 0], ["B", 0, 0]],
                [["F", 1, 0], ["I", 1, 0], ["W", 1, 0]]],
 "objective": {"name": "L", "value_ms": 12.5},
 "predicted": {"iteration_ms": 12.75, "samples_per_s": 627.5, "bubble_fraction": 0.09, "peak_memory_bytes": [1, 2, 3],
               "lower_bound_ms": 11.5, "fits": true, "network": "shared", "overlap": "none", "more": 1},
 "profile_sha256": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
 "author": "me"})";
}

std::string sample_model() {
  return R"({"format": "pipedeck.model", "version": 1, "name": "m", "source": "a test", "trainable_here": true,
 "learning_rate": 0.001, "seed": 18446744073709551615, "data": {"kind": "text", "path": "a.txt", "seed": 7},
 "layers": [{"name": "e", "kind": "embedding", "vocabulary": 256, "hidden": 16, "sequence": 8},
            {"name": "t", "kind": "transformer", "hidden": 16, "heads": 4, "feed_forward": 64, "sequence": 8, "causal": 1},
            {"name": "h", "kind": "linear", "in": 16, "out": 256, "sequence": 8},
            {"name": "l", "kind": "softmax_cross_entropy", "classes": 256, "sequence": 8}], "extra": {"a": null}})";
}

std::string sample_simulation() {
  return R"({"format": "pipedeck.simulation", "version": 1, "network": "ideal", "overlap": "layer",
 "iteration_ms": 10.5, "samples_per_s": 51.5, "bubble_fraction": 0.25, "communication_fraction": 0.125, "fits": false,
 "idle": {"warmup_ms": 1.5, "drain_ms": 0.000001, "waiting_activation_ms": 0, "waiting_gradient_ms": 2,
          "waiting_all_reduce_ms": 0},
 "devices": [{"device": 0, "busy_ms": 9.5, "peak_memory_bytes": 1100, "capacity_bytes": 1000, "peak_time_ms": 2.5,
              "peak_micro_batches": 2, "memory_parts": {"weights": 100, "activations": 1000},
              "memory_curve": [[0.0, 100], [2.5, 1100]],
              "memory_item_curve": {"weights": [100, 100], "activations": [0, 1000]}},
             {"device": 2, "busy_ms": 8.5, "peak_memory_bytes": 10}],
 "intervals": [{"device": 0, "kind": "forward", "stage": 0, "micro_batch": 0, "start_ms": 0.0, "end_ms": 8.07},
               {"device": 0, "kind": "send", "stage": 0, "micro_batch": 0, "from": 0, "to": 2, "start_ms": 8.07,
                "end_ms": 8.5},
               {"device": 2, "kind": "all_reduce", "stage": 1, "start_ms": 8.5, "end_ms": 9.0}]})";
}

std::string sample_event() {
  return R"({"event": "step", "step": 3, "loss": 2.25, "duration_ms": 12.5, "samples_per_s": 640.0, )"
         R"("busy_fraction": [0.5, 0.75], "memory_bytes": [1000, 2000]})";
}

std::string sample_calibration() {
  return R"({"format": "pipedeck.calibration", "version": 1, "date": "2026-11-21T15:00:00Z", )"
         R"("machine": {"host": "box", "devices": ["cpu: 2 cores"]}, "sources": [)"
         R"({"kind": "profile", "name": "p", "sha256": "ab"}, {"kind": "cluster", "name": "c", "sha256": "cd"}], )"
         R"("operation_overhead_us": 41.25, "overlap_slowdown": 1.2, "link_efficiency": 0.75, "fit": {)"
         R"("operation_overhead": {"determined": true, "operations": 320, "lower_quartile_us": -3.5, )"
         R"("upper_quartile_us": 60}, )"
         R"("overlap_slowdown": {"determined": false, "note": "nothing overlaps"}, )"
         R"("link_efficiency": {"determined": true, "operations": 12, "lower_quartile": 0.7, "upper_quartile": 0.81}}, )"
         R"("runs": [{"name": "a.jsonl", "plan": "GPipe", "use": "fit", "steps": 19, "measured_ms": 70, )"
         R"("before_ms": 65.5, "after_ms": 69.5, "error_before": -0.064, "error_after": -0.007, )"
         R"("measured_peak_bytes": 1024, "predicted_peak_bytes": 1000}, )"
         R"({"name": "b.jsonl", "plan": "1F1B", "use": "held-out", "steps": 9, "measured_ms": 35, "before_ms": 30, )"
         R"("after_ms": 34, "weather": "cold"}], "author": "me"})";
}

std::string sample_graph() {
  return "node1 -- Input0 -- forward_compute_time=0.000, backward_compute_time=0.000, activation_size=0.0, "
         "parameter_size=0.000\n"
         "node2 -- LSTM(8, 8) -- forward_compute_time=1.5, backward_compute_time=2.5, activation_size=[100.0; 20; 4], "
         "parameter_size=64.000 -- stage_id=0\n"
         "node3 -- __getitem__(0) -- forward_compute_time=0, backward_compute_time=0, activation_size=100, "
         "parameter_size=0\n"
         "node4 -- Add -- forward_compute_time=0.25, backward_compute_time=0.5, activation_size=100, parameter_size=0\n"
         "\tnode1 -- node2\n"
         "\tnode2 -- node3\n"
         "\tnode3 -- node4\n"
         "\tnode2 -- node4\n";
}

double random_double(Random& random, double most) {
  // Half of them spread evenly, half over the magnitudes, so that every exponent is met.
  if (random.integer(0, 1) == 0) return random.uniform(0, most);
  return std::min(most, std::exp2(random.uniform(-60, std::log2(most))));
}

namespace {

Seconds random_time(Random& random) { return Seconds(random_double(random, 1e6)); }
pipedeck::Bytes random_bytes(Random& random) {
  return pipedeck::Bytes(static_cast<std::int64_t>(random.next() >> random.integer(12, 60)));
}

std::string random_name(Random& random, int number) {
  const char* odd[] = {"plain",          "with \"quotes\"", "ünï·cødé",    "slash/tilde~",
                       "tab\tnew\nline", "back\\slash",     "nul-free\x01"};
  return odd[random.integer(0, 6)] + std::to_string(number);
}

LayerMemory random_memory(Random& random, pipedeck::Bytes saved) {
  const auto part_of = [&](pipedeck::Bytes whole) { return pipedeck::Bytes(whole.count / random.integer(1, 9)); };
  LayerMemory memory;
  memory.input = part_of(saved);
  memory.forward = random_bytes(random), memory.forward_fixed = part_of(memory.forward);
  memory.backward = random_bytes(random), memory.backward_fixed = part_of(memory.backward);
  memory.weight_saved = random_bytes(random), memory.recompute_saved = random_bytes(random);
  memory.weight_copy = random_bytes(random);
  return memory;
}

ShardingCost random_way(Random& random, const Layer& layer) {
  const auto lies = [&] { return random.integer(0, 1) ? TensorLayout::replicated : TensorLayout::column_sharded; };
  ShardingCost way{{lies(), lies(), random_bytes(random).count, random.integer(0, 1) == 1}, {}, {}, {}, {}};
  way.replicated_parameters = pipedeck::Bytes(layer.parameters.count / random.integer(1, 9));
  way.saved = random_bytes(random), way.workspace = random_bytes(random);
  way.memory = random_memory(random, way.saved);
  return way;
}

Layer random_layer(Random& random, int number, int micro_batch) {
  Layer layer;
  layer.name = random_name(random, number);
  layer.kind = random.integer(0, 1) ? "linear" : "";
  layer.forward = random_time(random);
  layer.backward = random_time(random);
  layer.backward_weight = layer.backward * random.uniform(0, 1);
  layer.output = random_bytes(random);
  if (random.integer(0, 2) == 0) {
    layer.outputs = {pipedeck::Bytes(layer.output.count / 3), layer.output - pipedeck::Bytes(layer.output.count / 3)};
  }
  layer.saved = random_bytes(random);
  layer.parameters = random_bytes(random);
  layer.workspace = random_bytes(random);
  if (random.integer(0, 2) == 0) layer.memory = random_memory(random, layer.saved);
  if (random.integer(0, 1)) {
    layer.at = {{micro_batch, layer.forward, layer.backward},
                {micro_batch + random.integer(1, 9), random_time(random), random_time(random)}};
  }
  if (random.integer(0, 1))
    layer.tensor_parallel = {{2, random_time(random), random_time(random), random_bytes(random), random_bytes(random)},
                             {8, random_time(random), random_time(random), random_bytes(random), random_bytes(random)}};
  for (TensorParallelPoint& point : layer.tensor_parallel)
    for (int w = random.integer(0, 2); w > 0; --w) point.ways.push_back(random_way(random, layer));
  if (random.integer(0, 1)) layer.on["T/4~"] = {random_time(random), random_time(random)};
  if (random.integer(0, 2) == 0) layer.extra = R"({"x":[1,2.50,"é"]})";
  return layer;
}

}  // namespace

Profile random_profile(Random& random) {
  Profile profile;
  profile.name = random_name(random, 0);
  profile.source = random_name(random, 1);
  profile.device = "V100";
  profile.micro_batch = random.integer(1, 64);
  const int count = random.integer(1, 7);
  for (int i = 0; i < count; ++i) profile.layers.push_back(random_layer(random, i, profile.micro_batch));
  if (count > 1 && random.integer(0, 1)) {
    for (int i = 1; i < count; ++i)
      profile.edges.push_back({LayerId(std::int32_t{random.integer(0, i - 1)}), LayerId(std::int32_t{i}), {}});
    for (Edge& edge : profile.edges)
      if (!profile.layers[edge.from.index()].outputs.empty() && random.integer(0, 1))
        edge.output = random.integer(0, 1);
  }
  if (random.integer(0, 1)) profile.extra = R"({"unknown":{"a":[true,null]}})";
  return profile;
}

Cluster random_cluster(Random& random) {
  Cluster cluster;
  cluster.name = random_name(random, 0);
  const auto rate = [&] { return BytesPerSecond(1e3 + random_double(random, 1e17)); };
  for (int t = 0; t < random.integer(1, 3) || t == 0; ++t) {
    DeviceType type;
    type.name = random_name(random, t);
    type.memory = random_bytes(random) + pipedeck::Bytes(1);
    type.relative_speed = 1e-9 + random_double(random, 1e8);
    if (random.integer(0, 1)) type.peak_tflops["fp32"] = 1e-9 + random_double(random, 1e6);
    if (random.integer(0, 1)) type.memory_bandwidth = rate();
    if (random.integer(0, 1)) type.price_per_hour = random_double(random, 1e3);
    cluster.device_types.push_back(type);
  }
  int devices = 0;
  for (int n = 0; n < 3; ++n) {
    Node node;
    node.name = random_name(random, 100 + n);
    const auto& type = cluster.device_types[static_cast<std::size_t>(random.next() % cluster.device_types.size())];
    node.devices = {{type.name, random.integer(1, 3)}};
    devices += node.devices[0].count;
    if (random.integer(0, 1)) node.link = Link{rate(), random_time(random)};
    node.bus = random.integer(0, 1);
    if (node.devices[0].count == 2) node.nic = rate();  // no draw of its own
    cluster.nodes.push_back(node);
  }
  if (random.integer(0, 2) == 0) {
    for (Node& node : cluster.nodes) node.nic.reset();
    const auto n = static_cast<std::size_t>(devices);
    cluster.bandwidth_matrix.emplace(n, std::vector<BytesPerSecond>(n));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j)
        (*cluster.bandwidth_matrix)[i][j] = (*cluster.bandwidth_matrix)[j][i] = rate();
  } else {
    cluster.switches = {{"s"}};
    for (const Node& node : cluster.nodes) cluster.links.push_back({node.name, "s", {rate(), random_time(random)}});
  }
  return cluster;
}

Plan random_plan(Random& random) {
  Plan plan;
  plan.name = random_name(random, 1);
  plan.planner = "dapple";
  plan.micro_batch = random.integer(4, 9);
  plan.micro_batches = random.integer(1, 9);
  plan.global_batch = plan.micro_batch * plan.micro_batches;
  plan.schedule = static_cast<ScheduleKind>(random.integer(0, 3));
  plan.warmup = static_cast<Warmup>(random.integer(0, 1));
  plan.optimizer = static_cast<Optimizer>(random.integer(0, 4));
  plan.precision = static_cast<Precision>(random.integer(0, 3));
  plan.zero = random.integer(0, 3);
  int layer = 0, device = 0;
  for (int s = random.integer(1, 4); s > 0; --s) {
    Stage stage;
    stage.first = layer;
    stage.last = layer += random.integer(1, 5);
    for (int d = random.integer(1, 4); d > 0; --d) stage.devices.push_back(DeviceId(std::int32_t{device++}));
    if (random.integer(0, 1)) stage.tensor_parallel = static_cast<int>(stage.devices.size());
    stage.recompute.all = random.integer(0, 1);
    if (!stage.recompute.all && random.integer(0, 1)) stage.recompute.layers = {LayerId(std::int32_t{stage.first})};
    if (stage.recompute.any() && random.integer(0, 1)) stage.recompute.each = RecomputeUnit::stage;
    if (plan.synchronous() && random.integer(0, 1))
      stage.samples_per_replica = replica_samples(stage, plan.micro_batch);
    if (stage.tensor_parallel > 1 && random.integer(0, 1)) {
      stage.shard_fractions.emplace();
      for (int rank = 1; rank <= stage.tensor_parallel; ++rank)
        stage.shard_fractions->push_back(2.0 * rank / (stage.tensor_parallel * (stage.tensor_parallel + 1)));
    }
    plan.stages.push_back(stage);
  }
  if (random.integer(0, 1)) plan.warmup_counts = std::vector<int>(plan.stages.size(), 2);
  if (plan.schedule == ScheduleKind::explicit_order)
    plan.operations.emplace(static_cast<std::size_t>(device),
                            std::vector<Operation>{{OpKind::backward_input, StageId(std::int32_t{0}), 0, true}});
  if (is_interleaved_on_device(plan.schedule) && !bidirectional(plan.schedule))
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
      if (!plan.chunks) plan.chunks.emplace();
      plan.chunks->push_back({StageId(s), 0, plan.stages[s].devices});
    }
  if (random.integer(0, 1)) {
    plan.order.emplace();
    for (int i = layer; i > 0; --i) plan.order->push_back(LayerId(std::int32_t{i - 1}));
  }
  if (random.integer(0, 1)) plan.objective = Objective{"time", random_time(random), {}};
  if (random.integer(0, 1)) plan.objective = Objective{"memory", {}, random_bytes(random)};
  if (random.integer(0, 1))
    plan.predicted = Predicted{random_time(random),  random_double(random, 1e9),
                               random.uniform(0, 1), {random_bytes(random)},
                               random_time(random),  false,
                               NetworkModel::shared, Overlap::none};
  plan.truncated = random.integer(0, 1);
  if (random.integer(0, 1)) plan.cluster_sha256 = std::string(64, 'a');
  return plan;
}

namespace {

Nanoseconds random_nanoseconds(Random& random) {
  return Nanoseconds(static_cast<std::int64_t>(random.next() >> random.integer(13, 63)));
}

Timeline random_timeline(Random& random) {
  Timeline timeline;
  const auto id = [](int value) { return DeviceId(std::int32_t{value}); };
  for (const TimelineLane& lane : {TimelineLane{LaneRole::compute, id(0), {}, 0, 0},
                                   {LaneRole::compute, id(2), {}, 0, 0},
                                   {LaneRole::collective, id(0), {}, 0, 0},
                                   {LaneRole::link, id(0), id(2), 0, 0}}) {
    std::vector<TimelineRow> rows;
    std::int64_t clock = 0;
    for (int i = random.integer(1, 5); i > 0; --i) {
      const OpKind kind = lane.role == LaneRole::compute      ? static_cast<OpKind>(random.integer(0, 4))
                          : lane.role == LaneRole::collective ? OpKind::all_reduce
                                                              : OpKind::send;
      const std::int64_t start = clock + random.integer(0, 1000), duration = random.integer(0, 100'000'000);
      rows.push_back(
          {Nanoseconds(start), Nanoseconds(duration), {kind, StageId(std::int32_t{random.integer(0, 9)}), i}});
      clock = start + duration;
    }
    timeline.append_lane(lane, rows);
  }
  return timeline;
}

IdleBreakdown random_idle(Random& random) {
  return {random_nanoseconds(random), random_nanoseconds(random), random_nanoseconds(random),
          random_nanoseconds(random), random_nanoseconds(random)};
}

}  // namespace

Simulation random_simulation(Random& random) {
  Simulation simulation;
  simulation.network = static_cast<NetworkModel>(random.integer(0, 1));
  simulation.overlap = static_cast<Overlap>(random.integer(0, 2));
  simulation.collectives = static_cast<Collectives>(random.integer(0, 4));
  simulation.iteration = random_nanoseconds(random);
  simulation.samples_per_second = random_double(random, 1e9);
  simulation.bubble_fraction = random.uniform(0, 1);
  simulation.communication_fraction = random.uniform(0, 1);
  simulation.fits = random.integer(0, 1);
  simulation.idle = random_idle(random);
  for (Nanoseconds& part : simulation.parts.times) part = random_nanoseconds(random);
  for (int d = 0; d < 3; ++d) {
    SimulatedDevice device;
    device.device = DeviceId(std::int32_t{2 * d});
    device.busy = random_nanoseconds(random);
    device.idle = random_idle(random);
    for (Nanoseconds& part : device.parts.times) part = random_nanoseconds(random);
    device.peak = random_bytes(random);
    device.capacity = random_bytes(random);
    device.peak_time = random_nanoseconds(random);
    for (pipedeck::Bytes& part : device.peak_breakdown.bytes) part = random_bytes(random);
    device.peak_micro_batches = random.integer(0, 9);
    device.curve = {{Nanoseconds(0), random_bytes(random)}, {random_nanoseconds(random), random_bytes(random)}};
    simulation.devices.push_back(device);
  }
  simulation.timeline = random_timeline(random);
  return simulation;
}

CalibrationRecord random_calibration(Random& random) {
  CalibrationRecord record;
  record.values = {Seconds(random_double(random, 1e3)), 1 + random.uniform(0, 9), 0.01 + random.uniform(0, 2)};
  record.date = "2026-11-21T15:00:00Z";
  record.host = random_name(random, 2);
  for (int i = random.integer(0, 2); i > 0; --i) record.devices.push_back(random_name(random, 5));
  for (int i = random.integer(0, 2); i > 0; --i)
    record.sources.push_back({i == 1 ? "cluster" : "profile", random_name(random, 1), "0a"});
  for (FittedParameter* figure : {&record.overhead, &record.slowdown, &record.efficiency}) {
    figure->note = random.integer(0, 1) == 0 ? "" : "a note";
    if (random.integer(0, 2) == 0) continue;
    const double lower = random.uniform(-1, 1);
    *figure = {true, random.integer(1, 1000), lower, lower + random.uniform(0, 1), figure->note};
  }
  for (int i = random.integer(0, 4); i > 0; --i)
    record.runs.push_back({random_name(random, 1), random_name(random, 2), static_cast<RunUse>(random.integer(0, 2)),
                           random.integer(1, 99), Seconds(random.uniform(1e-6, 1e3)), random_time(random),
                           random_time(random), random_bytes(random), random_bytes(random)});
  return record;
}

namespace {

std::optional<double> figure_or_none(Random& random, double most) {
  return random.integer(0, 2) > 0 ? std::optional(random.uniform(0, most)) : std::nullopt;
}

RunGpu random_gpu(Random& random) {
  return {{0, random.integer(1, 9)},   random_name(random, 1), "GPU-1",
          random_name(random, 2),      random_bytes(random),   figure_or_none(random, 999),
          figure_or_none(random, 2000)};
}

GpuSample random_reading(Random& random) {
  GpuSample reading{figure_or_none(random, 999), {}, figure_or_none(random, 2000), figure_or_none(random, 1),
                    figure_or_none(random, 99),  {}};
  if (random.integer(0, 1) == 1) reading.memory = random_bytes(random);
  if (random.integer(0, 1) == 1)
    reading.limits = static_cast<std::uint32_t>(random.integer(0, 255)) << 1;  // without "idle"
  return reading;
}

}  // namespace

RunEvent random_event(Random& random) {
  switch (random.integer(0, 9)) {
    case 0:
      return RunStarted{random_name(random, 1),
                        "m",
                        "cpu",
                        random.integer(0, 99),
                        random.integer(1, 8),
                        random.integer(0, 9),
                        random.integer(0, 1) == 1 ? std::vector<RunGpu>{random_gpu(random)} : std::vector<RunGpu>{}};
    case 1:
      return StepDone{random.integer(1, 99),         random.uniform(-5, 5),
                      random_time(random),           random_double(random, 1e9),
                      {random_double(random, 1), 1}, {random_bytes(random), random_bytes(random)}};
    case 2:
      return MeasuredTimeline{random.integer(1, 9), random_timeline(random)};
    case 3:
      return RunWarning{random_name(random, 3)};
    case 5:
      return RunSample{random_time(random),
                       {random_double(random, 1), 0},
                       {random_bytes(random), pipedeck::Bytes()},
                       random.integer(0, 1) == 1
                           ? std::vector<GpuSample>{random_reading(random), random_reading(random)}
                           : std::vector<GpuSample>{}};
    case 6:
      return RunPaused{random.integer(0, 99)};
    case 7:
      return RunResumed{random.integer(0, 99)};
    case 4:
      return RunFailed{random_name(random, 4)};
    case 8:
      return RunCheckpoint{random.integer(0, 99), random_name(random, 5), random_bytes(random), random_time(random)};
    default:
      return RunFinished{random.integer(0, 99),
                         random.uniform(0, 9),
                         random_time(random),
                         random_time(random),
                         random.integer(0, 1) == 1,
                         random.integer(0, 1) == 1
                             ? std::vector<std::optional<double>>{figure_or_none(random, 1e6), std::nullopt}
                             : std::vector<std::optional<double>>{}};
  }
}

}  // namespace pipedeck::test
