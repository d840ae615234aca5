// SPDX-License-Identifier: Apache-2.0
#include "tests/core/planner/capture/capture_problems.hpp"

#include <algorithm>
#include <array>

#include <QtGlobal>

namespace pipedeck::test {

namespace {
bool large() { return random_problems() >= 500; }

pipedeck::Bytes megabytes(Random& random, int low, int high) {
  return pipedeck::Bytes(std::int64_t{1000000} * random.integer(low, high));
}

/// Adds a few skip connections to the chain, and perhaps a layer that only produces data.
void add_skips(Profile& profile, Random& random) {
  const int layers = static_cast<int>(profile.layers.size());
  for (int i = 0; i + 1 < layers; ++i) profile.edges.push_back({LayerId(i), LayerId(i + 1), {}});
  for (int i = 0; i + 2 < layers; i += random.integer(1, 3))
    profile.edges.push_back({LayerId(i), LayerId(random.integer(i + 2, layers - 1)), {}});
  if (random.integer(0, 1)) profile.layers[0].kind = data_kind;
}

}  // namespace

Problem capture_problem(Random& random, const CaptureShape& shape) {
  Problem problem = random_problem(random, {.layers = shape.layers, .nodes = {shape.devices}});
  Profile profile = *problem.profile;
  std::int64_t all = 0;
  for (Layer& layer : profile.layers) {
    layer.workspace = megabytes(random, 0, 60);
    all += 4 * layer.parameters.count + layer.saved.count;
    if (!shape.tensor || random.integer(0, 4) == 0) continue;
    for (const int degree : {2, 3}) {
      if (random.integer(0, 2) == 0) continue;
      layer.tensor_parallel.push_back(
          {degree, layer.forward / degree, layer.backward / degree, megabytes(random, 1, 9), megabytes(random, 1, 9)});
    }
  }
  if (random.integer(0, 3) == 0) add_skips(profile, random);
  problem.profile = std::make_shared<const Profile>(std::move(profile));

  Cluster cluster = *problem.cluster;
  const auto memory = [&] {
    return pipedeck::Bytes(static_cast<std::int64_t>(static_cast<double>(all) * random.uniform(0.3, 2.5)));
  };
  cluster.device_types[0].memory = memory();
  if (shape.unlike && shape.devices > 1) {
    DeviceType other = cluster.device_types[0];
    other.name = "Y";
    other.memory = memory();
    other.relative_speed = random.uniform(0.5, 2);
    cluster.device_types.push_back(other);
    const int first = random.integer(1, shape.devices - 1);
    cluster.nodes[0].devices = {{"X", first}, {"Y", shape.devices - first}};
  }
  problem.cluster = std::make_shared<const Cluster>(std::move(cluster));
  problem.workload.zero = random.integer(0, 2) == 0 ? random.integer(1, 3) : 0;
  if (random.integer(0, 2) == 0) {
    problem.workload.precision = std::array{Precision::mixed_16, Precision::mixed_18,
                                            Precision::mixed_20}[static_cast<std::size_t>(random.integer(0, 2))];
    problem.workload.optimizer = random.integer(0, 1) ? Optimizer::sgd : Optimizer::momentum;
  }
  if (random.integer(0, 2) == 0) problem.workload.conventions.reserve = megabytes(random, 1, 50);
  return problem;
}

Problem pipeline_problem(int seed) {
  Random random(static_cast<std::uint64_t>(seed) + 3000);
  CaptureShape shape;
  shape.layers = random.integer(2, large() ? 12 : 9);
  shape.devices = random.integer(1, large() ? 6 : 4);
  shape.unlike = seed % 3 == 1;
  Problem problem = capture_problem(random, shape);
  problem.workload.global_batch = 2 * random.integer(1, 5);
  problem.workload.micro_batch = 2;
  return problem;
}

Problem hybrid_problem(int seed) {
  Random random(static_cast<std::uint64_t>(seed) + 4000);
  CaptureShape shape;
  shape.layers = random.integer(1, large() ? 6 : 5);
  shape.devices = random.integer(1, large() ? 5 : 4);
  shape.unlike = seed % 3 == 1;
  shape.tensor = seed % 2 == 0;
  Problem problem = capture_problem(random, shape);
  problem.workload.micro_batch = random.integer(1, 6);
  problem.workload.global_batch = *problem.workload.micro_batch * random.integer(1, 5);
  return problem;
}

PlanConstraints random_pins(Random& random, const Problem& problem) {
  const int layers = static_cast<int>(problem.profile->layers.size());
  const int devices = static_cast<int>(devices_of(*problem.cluster).size());
  PlanConstraints pins;
  switch (random.integer(0, 4)) {
    case 0:
      pins.stages = random.integer(1, std::min(layers, devices));
      break;
    case 1:
      pins.max_stages = random.integer(1, 4);
      break;
    case 2:
      pins.replicas = random.integer(1, std::min(devices, 2));
      break;
    default:
      break;
  }
  for (int i = random.integer(0, 2); i > 0; --i)
    pins.layers.push_back({LayerId(random.integer(0, layers - 1)), DeviceId(random.integer(0, devices - 1))});
  return pins;
}

}  // namespace pipedeck::test
