// SPDX-License-Identifier: Apache-2.0
#include "tests/core/planner/whale/whale_problems.hpp"

#include <QtCore/QtGlobal>

#include "core/sim/simulate.hpp"

namespace pipedeck::test::whale {

/// `fast` devices of type X, then `slow` of type Y with that part of the speed, in a node each.
Problem unlike(const Problem& like, int fast, int slow, double speed, pipedeck::Bytes fast_memory,
               pipedeck::Bytes slow_memory) {
  Cluster cluster = *like.cluster;
  cluster.device_types[0].memory = fast_memory;
  cluster.device_types.push_back(cluster.device_types[0]);
  cluster.device_types[1].name = "Y";
  cluster.device_types[1].relative_speed = speed;
  cluster.device_types[1].memory = slow_memory;
  const Link inside = cluster.nodes.front().link.value_or(Link{gigabytes_per_second(10), {}});
  cluster.nodes = {{.name = "n0", .devices = {{"X", fast}}, .link = inside, .bus = false, .extra = {}},
                   {.name = "n1", .devices = {{"Y", slow}}, .link = inside, .bus = false, .extra = {}}};
  cluster.switches = {{"s"}};
  cluster.links = {{"n0", "s", Link{gigabytes_per_second(2), {}}}, {"n1", "s", Link{gigabytes_per_second(2), {}}}};
  Problem problem = like;
  problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
  return problem;
}

pipedeck::Bytes all_bytes(const Profile& profile) {
  pipedeck::Bytes sum;
  for (const Layer& layer : profile.layers) sum += layer.parameters * 4 + layer.saved;
  return sum;
}

Problem random_unlike(test::Random& random, int max_layers, int max_devices) {
  const int devices = random.integer(2, max_devices), fast = random.integer(1, devices - 1);
  const Problem like = test::random_problem(random, {.layers = random.integer(2, max_layers), .nodes = {devices}});
  const pipedeck::Bytes all = all_bytes(*like.profile);
  const auto part = [&](double low, double high) {
    return pipedeck::Bytes(static_cast<std::int64_t>(static_cast<double>(all.count) * random.uniform(low, high)));
  };
  Problem problem = unlike(like, fast, devices - fast, random.uniform(0.3, 0.9), part(0.5, 3), part(0.3, 2));
  problem.workload.global_batch = 8;
  return problem;
}

/// Makes every layer shardable, at a cost.
Problem splittable(test::Random& random, const Problem& like, bool measured) {
  Profile profile = *like.profile;
  for (Layer& layer : profile.layers) {
    for (int degree = 2; degree <= 6; ++degree)
      layer.tensor_parallel.push_back({degree, layer.forward * (random.uniform(1, 1.3) / degree),
                                       layer.backward * (random.uniform(1, 1.3) / degree),
                                       pipedeck::Bytes(1000 * random.integer(0, 1000)),
                                       pipedeck::Bytes(1000 * random.integer(0, 1000))});
    if (measured) layer.on["Y"] = {layer.forward * random.uniform(1, 3), layer.backward * random.uniform(1, 3)};
  }
  Problem problem = like;
  problem.profile = std::make_shared<const Profile>(std::move(profile));
  return problem;
}

Result<planner::Ranking> answer(const Problem& problem, const planner::PlannerOptions& options, int top) {
  const auto simulator = sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  planner::PlannerContext context;
  context.top = top;
  context.score = sim::score_of(*simulator);
  return planner::run_planner(**planner::find_planner("whale"), problem, options, context);
}

Seconds simulated(const Problem& problem, const Plan& plan) {
  return *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions)->iteration_time(plan);
}

}  // namespace pipedeck::test::whale
