// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_problem.hpp"

#include <algorithm>

#include "core/base/random.hpp"

namespace pipedeck::test {

std::uint64_t Random::next() {
  const std::uint64_t value = mix_bits(state_);
  state_ += random_step;
  return value;
}

double Random::uniform(double low, double high) {
  return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1.0p-53);
}

int Random::integer(int low, int high) {
  return low + static_cast<int>(next() % static_cast<std::uint64_t>(high - low + 1));
}

namespace {

/// Every layer but the first uses one or two earlier ones; the second may be a source of its own.
void add_branches(Random& random, Profile& profile) {
  const int layers = static_cast<int>(profile.layers.size());
  for (Layer& layer : profile.layers)
    if (random.integer(0, 4) == 0)
      layer.outputs = {layer.output, pipedeck::Bytes(7000000)}, layer.output += layer.outputs[1];
  const auto join = [&](int from, int to) {
    for (const Edge& edge : profile.edges)
      if (edge.from.value == from && edge.to.value == to) return;
    Edge edge{LayerId(from), LayerId(to), {}};
    if (!profile.layers[edge.from.index()].outputs.empty() && random.integer(0, 1) == 0)
      edge.output = random.integer(0, 1);
    profile.edges.push_back(edge);
  };
  const bool second_source = layers > 2 && random.integer(0, 2) == 0;
  for (int to = second_source ? 2 : 1; to < layers; ++to) {
    join(random.integer(std::max(0, to - 3), to - 1), to);
    if (random.integer(0, 1) == 0) join(random.integer(0, to - 1), to);
    if (second_source && to == 2) join(0, 2), join(1, 2);
  }
}

/// Returns true for a third of the profiles. No draw: other choices stay as they are.
bool with_nics(const Profile& profile) {
  return static_cast<std::int64_t>(profile.layers.front().forward.count * 1e9) % 3 == 0;
}

}  // namespace

Problem random_problem(Random& random, const RandomProblem& shape) {
  const auto megabytes = [&](int low, int high) {
    return pipedeck::Bytes(std::int64_t{1000000} * random.integer(low, high));
  };
  Profile profile;
  profile.name = "random";
  profile.device = "X";
  profile.micro_batch = shape.micro_batch;
  for (int i = 0; i < shape.layers; ++i) {
    Layer layer;
    layer.name = "l" + std::to_string(i);
    layer.kind = "other";
    layer.forward = milliseconds(random.uniform(1, 10));
    layer.backward = layer.forward * random.uniform(1.5, 2.5);
    layer.backward_weight = layer.backward / 2;
    layer.output = shape.communication ? megabytes(1, 40) : pipedeck::Bytes();
    layer.saved = megabytes(20, 200);
    layer.parameters = shape.parameters ? megabytes(5, 200) : pipedeck::Bytes();
    profile.layers.push_back(layer);
  }
  if (shape.graph) add_branches(random, profile);

  Cluster cluster;
  cluster.name = "random";
  cluster.device_types = {{.name = "X",
                           .memory = shape.memory,
                           .relative_speed = 1,
                           .peak_tflops = {},
                           .memory_bandwidth = {},
                           .price_per_hour = {},
                           .extra = {}}};
  const Link inside{gigabytes_per_second(random.uniform(5, 20)), microseconds(random.integer(0, 1) * 50)};
  const Link between{gigabytes_per_second(random.uniform(0.5, 3)), microseconds(random.integer(0, 1) * 50)};
  for (std::size_t n = 0; n < shape.nodes.size(); ++n) {
    Node node;
    node.name = "n" + std::to_string(n);
    node.devices = {{"X", shape.nodes[n]}};
    node.link = inside;
    if (with_nics(profile) && shape.nodes.size() > 1) node.nic = between.bandwidth * 0.4;
    cluster.nodes.push_back(node);
    if (shape.nodes.size() > 1) cluster.links.push_back({node.name, "s", between});
  }
  if (shape.nodes.size() > 1) cluster.switches = {{"s"}};

  Problem problem;
  problem.profile = std::make_shared<const Profile>(std::move(profile));
  problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
  if (Random other = random; other.integer(0, 3) == 0)  // a copy: the next problem stays the same one
    problem.workload.conventions.efficiency["X"] = {other.uniform(0.3, 1), other.uniform(0.3, 1), other.uniform(0.3, 1),
                                                    microseconds(other.integer(0, 40)),
                                                    microseconds(other.integer(0, 40))};
  return problem;
}

Problem with_random_memory(const Problem& problem, Random& random) {
  std::int64_t all = 0;
  for (const Layer& layer : problem.profile->layers) all += 4 * layer.parameters.count + layer.saved.count;
  Cluster cluster = *problem.cluster;
  cluster.device_types[0].memory = Bytes(static_cast<std::int64_t>(static_cast<double>(all) * random.uniform(0.4, 2)));
  Problem limited = problem;
  limited.cluster = std::make_shared<const Cluster>(std::move(cluster));
  return limited;
}

Profile uniform_profile(int layers, Seconds forward, Seconds backward) {
  Profile profile;
  profile.name = "uniform";
  profile.device = "X";
  for (int i = 0; i < layers; ++i) {
    Layer layer;
    layer.name = "l" + std::to_string(i);
    layer.forward = forward;
    layer.backward = backward;
    layer.backward_weight = backward / 2;
    profile.layers.push_back(layer);
  }
  return profile;
}

Cluster flat_cluster(int devices, BytesPerSecond bandwidth, Seconds latency) {
  Cluster cluster;
  cluster.name = "flat";
  cluster.device_types = {{.name = "X",
                           .memory = pipedeck::Bytes(std::int64_t{1} << 50),
                           .relative_speed = 1,
                           .peak_tflops = {},
                           .memory_bandwidth = {},
                           .price_per_hour = {},
                           .extra = {}}};
  Node node;
  node.name = "n0";
  node.devices = {{"X", devices}};
  node.link = Link{bandwidth, latency};
  cluster.nodes = {node};
  return cluster;
}

}  // namespace pipedeck::test
