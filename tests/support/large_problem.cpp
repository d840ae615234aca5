// SPDX-License-Identifier: Apache-2.0
#include "tests/support/large_problem.hpp"

#include <algorithm>

#include "tests/support/random_problem.hpp"

namespace pipedeck::test {

Cluster servers(int nodes, int devices, pipedeck::Bytes memory, BytesPerSecond between, BytesPerSecond inside) {
  Cluster cluster;
  DeviceType type;
  type.name = "X";
  type.memory = memory;
  cluster.device_types = {type};
  cluster.switches = {{"switch"}};
  for (int n = 0; n < nodes; ++n) {
    Node node;
    node.name = "n" + std::to_string(n);
    node.devices = {{type.name, devices}};
    if (devices > 1) node.link = Link{inside, {}};
    cluster.nodes.push_back(node);
    cluster.links.push_back({node.name, "switch", Link{between, {}}});
  }
  return cluster;
}

Problem transformer(int layers, const Cluster& cluster, int global_batch) {
  Profile profile = uniform_profile(layers, milliseconds(2.69), milliseconds(4.47));
  profile.micro_batch = 2;
  for (Layer& layer : profile.layers) {
    layer.output = pipedeck::Bytes(4325376);
    layer.saved = pipedeck::Bytes(120000000);
    layer.parameters = pipedeck::Bytes(50384896);
  }
  profile.layers.front().forward = milliseconds(0.06);
  profile.layers.front().parameters = pipedeck::Bytes(127131648);
  profile.layers.back().backward = milliseconds(2);
  Problem problem{std::make_shared<const Profile>(std::move(profile)), std::make_shared<const Cluster>(cluster), {}};
  problem.workload.global_batch = global_batch;
  return problem;
}

Problem branches(int width, int length, const Cluster& cluster) {
  Problem problem = transformer(width * length + 2, cluster, 64);
  Profile profile = *problem.profile;
  const int end = width * length + 1;
  for (int b = 0; b < width; ++b)
    for (int i = 0; i <= length; ++i)
      profile.edges.push_back(
          {LayerId(i == 0 ? 0 : b * length + i), LayerId(i == length ? end : b * length + i + 1), {}});
  problem.profile = std::make_shared<const Profile>(std::move(profile));
  return problem;
}

Problem large_problem(int layers, int devices) {
  const pipedeck::Bytes memory(std::int64_t{80} << 30);
  const Cluster cluster = devices < 8 ? servers(1, devices, memory) : servers(devices / 8, 8, memory);
  return transformer(layers, cluster, std::max(64, 4 * devices));
}

}  // namespace pipedeck::test
