// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_plan.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace pipedeck::test {
namespace {

bool coin(Random& random, int one_in = 2) { return random.integer(1, one_in) == 1; }

void add_measurements(Random& random, Profile& profile) {
  for (Layer& layer : profile.layers) {
    layer.backward_weight = layer.backward * random.uniform(0.1, 0.9);
    if (coin(random))
      for (const int size : {profile.micro_batch, profile.micro_batch + 2, profile.micro_batch + 5}) {
        const double scale = size == profile.micro_batch ? 1 : random.uniform(0.8, 1.2) * size / profile.micro_batch;
        layer.at.push_back({size, layer.forward * scale, layer.backward * scale});
      }
    layer.tensor_parallel = {{2, layer.forward * random.uniform(0.5, 0.8), layer.backward * random.uniform(0.5, 0.8),
                              pipedeck::Bytes(random.integer(0, 5000000)),
                              pipedeck::Bytes(random.integer(0, 5000000))}};
    if (coin(random)) layer.on["Y"] = {layer.forward * random.uniform(0.4, 3), layer.backward * random.uniform(0.4, 3)};
  }
}

DeviceType type_named(Random& random, const std::string& name) {
  DeviceType type;
  type.name = name;
  type.memory = pipedeck::Bytes(std::int64_t{1} << 50);
  type.relative_speed = name == "X" ? 1 : random.uniform(0.3, 2);
  if (coin(random)) type.memory_bandwidth = gigabytes_per_second(random.uniform(100, 900));
  return type;
}

Link random_link(Random& random, double low, double high) {
  return {gigabytes_per_second(random.uniform(low, high)), microseconds(coin(random) ? random.uniform(1, 80) : 0)};
}

Cluster random_cluster(Random& random) {
  Cluster cluster;
  cluster.name = "random";
  for (const char* name : {"X", "Y", "Z"}) cluster.device_types.push_back(type_named(random, name));
  const bool mixed = coin(random);
  const int nodes = random.integer(1, 4);
  for (int n = 0; n < nodes; ++n) {
    Node node;
    node.name = "n" + std::to_string(n);
    node.devices = {{mixed ? cluster.device_types[static_cast<std::size_t>(random.integer(0, 2))].name : "X",
                     random.integer(1, nodes == 1 ? 6 : 2)}};
    if (mixed && coin(random, 3)) node.devices.push_back({"Z", 1});
    node.link = random_link(random, 5, 30);
    node.bus = coin(random, 4);
    cluster.nodes.push_back(node);
  }
  const bool line = coin(random);
  for (int n = 0; nodes > 1 && n < nodes; ++n) {
    const std::string from = "n" + std::to_string(n);
    if (!line) cluster.links.push_back({from, "s", random_link(random, 0.5, 4)});
    if (line && n > 0) cluster.links.push_back({"n" + std::to_string(n - 1), from, random_link(random, 0.5, 4)});
  }
  if (nodes > 1 && !line) cluster.switches = {{"s"}};
  return cluster;
}

void use_matrix(Random& random, Cluster& cluster) {
  const std::size_t count = devices_of(cluster).size();
  cluster.links.clear();
  cluster.switches.clear();
  cluster.bandwidth_matrix.emplace(count, std::vector<BytesPerSecond>(count));
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < i; ++j)
      (*cluster.bandwidth_matrix)[i][j] = (*cluster.bandwidth_matrix)[j][i] =
          gigabytes_per_second(random.uniform(0.5, 20));
}

/// `parts` pieces of `whole`, none empty: their ends, from 0.
std::vector<int> random_cuts(Random& random, int whole, int parts) {
  std::set<int> at{0, whole};
  while (static_cast<int>(at.size()) < parts + 1) at.insert(random.integer(1, whole - 1));
  return {at.begin(), at.end()};
}

int chunks_a_rank(Random& random, ScheduleKind schedule) {
  switch (schedule) {
    case ScheduleKind::interleaved:
      return random.integer(1, 3);
    case ScheduleKind::zb_v:
    case ScheduleKind::v_half:
    case ScheduleKind::v_min:
    case ScheduleKind::dualpipe_v:
      return 2;
    default:
      return 1;
  }
}

/// Which rank of `ranks` stage k of a chunked schedule is on: in turn, or down and up again.
int rank_of(ScheduleKind schedule, int k, int ranks) {
  if (schedule == ScheduleKind::interleaved || k < ranks) return k % ranks;
  return 2 * ranks - 1 - k;
}

std::vector<std::vector<DeviceId>> random_ranks(Random& random, int devices, int ranks, int each, bool alike) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(devices));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(random.integer(0, static_cast<int>(i) - 1))]);
  const int used = alike ? ranks * each : random.integer(ranks, devices);
  std::vector<int> cuts = random_cuts(random, used, ranks);
  for (int r = 0; alike && r <= ranks; ++r) cuts[static_cast<std::size_t>(r)] = r * each;
  std::vector<std::vector<DeviceId>> groups;
  for (std::size_t r = 0; r + 1 < cuts.size(); ++r) {
    groups.emplace_back();
    for (int d = cuts[r]; d < cuts[r + 1]; ++d) groups.back().push_back(DeviceId(order[static_cast<std::size_t>(d)]));
  }
  return groups;
}

void add_shares(Random& random, Stage& stage, int micro_batch) {
  stage.samples_per_replica = replica_samples(stage, micro_batch);
  for (int move = 0; move < 3; ++move) {
    int& from = (*stage.samples_per_replica)[static_cast<std::size_t>(random.integer(0, stage.replicas() - 1))];
    int& to = (*stage.samples_per_replica)[static_cast<std::size_t>(random.integer(0, stage.replicas() - 1))];
    if (from > 1) --from, ++to;
  }
}

}  // namespace

Problem random_rich_problem(Random& random) {
  RandomProblem shape;
  shape.layers = random.integer(6, 9);
  shape.micro_batch = random.integer(1, 3);
  shape.graph = coin(random, 3);
  shape.parameters = !coin(random, 5);
  shape.communication = !coin(random, 5);
  Problem problem = random_problem(random, shape);
  Profile profile = *problem.profile;
  add_measurements(random, profile);
  for (std::size_t i = 0; i < profile.layers.size(); i += 2)  // no draw: what is random stays what it was
    profile.layers[i].replicated_parameters = pipedeck::Bytes(profile.layers[i].parameters.count / 8);
  Cluster cluster = random_cluster(random);
  if (coin(random, 5))
    use_matrix(random, cluster);
  else if (profile.layers.size() % 3 == 0)                             // no draw
    for (std::size_t n = 0; n < cluster.nodes.size(); n += n % 3 + 1)  // some nodes have none
      cluster.nodes[n].nic = cluster.nodes[n].link->bandwidth * 0.05;
  problem.profile = std::make_shared<const Profile>(std::move(profile));
  problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
  problem.workload.conventions.overlap = coin(random) ? Overlap::layer : Overlap::none;
  return problem;
}

Plan random_plan(Random& random, Problem& problem, ScheduleKind schedule) {
  const int layers = static_cast<int>(problem.profile->layers.size());
  const int devices = static_cast<int>(devices_of(*problem.cluster).size());
  const int chunks = chunks_a_rank(random, schedule);
  int ranks = random.integer(1, std::min({devices, layers / chunks, 4}));
  if (bidirectional(schedule)) ranks = std::max(2, ranks / 2 * 2);
  ranks = std::min(ranks, devices);
  const bool alike = bidirectional(schedule);
  const int each = random.integer(1, std::max(1, devices / ranks));
  const auto groups = random_ranks(random, devices, ranks, each, alike);
  const std::vector<int> cuts = random_cuts(random, layers, ranks * chunks);

  Plan plan;
  plan.schedule = schedule;
  plan.warmup = coin(random) ? Warmup::A : Warmup::B;
  plan.optimizer = coin(random) ? Optimizer::adam : Optimizer::none;
  const bool split = coin(random, 4);
  const auto order = topological_order(*problem.profile);
  if (!problem.profile->is_chain()) plan.order = order;
  for (int k = 0; k < ranks * chunks; ++k) {
    Stage stage;
    stage.first = cuts[static_cast<std::size_t>(k)];
    stage.last = cuts[static_cast<std::size_t>(k) + 1];
    stage.devices = groups[static_cast<std::size_t>(rank_of(schedule, k, ranks))];
    if (split && stage.devices.size() % 2 == 0) stage.tensor_parallel = 2;
    if (coin(random, 3)) stage.recompute.all = true;
    if (!stage.recompute.all && coin(random, 4)) stage.recompute.layers = {LayerId(std::int32_t{stage.first})};
    plan.stages.push_back(stage);
  }
  plan.micro_batch = random.integer(devices, 2 * devices);
  plan.micro_batches = random.integer(1, 8);
  if (bidirectional(schedule) || schedule == ScheduleKind::dualpipe_v)
    plan.micro_batches = 2 * ranks + 2 * (plan.micro_batches / 3);
  if (schedule == ScheduleKind::chimera) plan.micro_batches = ranks * random.integer(1, 2);
  plan.global_batch = plan.micro_batch * plan.micro_batches;
  problem.workload.global_batch = plan.global_batch;
  for (Stage& stage : plan.stages)
    if (plan.synchronous() && coin(random, 3)) add_shares(random, stage, plan.micro_batch);
  return plan;
}

}  // namespace pipedeck::test
