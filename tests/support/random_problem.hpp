// SPDX-License-Identifier: Apache-2.0
// Small random problems for tests against oracles: the same seed gives the same problem everywhere.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/workload.hpp"

namespace pipedeck::test {

/// SplitMix64: tiny, and the same on every standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  double uniform(double low, double high);
  int integer(int low, int high);  ///< both included

 private:
  std::uint64_t state_;
};

struct RandomProblem {
  int layers = 5;
  std::vector<int> nodes{2};  ///< devices a node
  int micro_batch = 1;        ///< of the profile
  bool parameters = true;
  bool communication = true;  ///< outputs of some bytes; else 0
  pipedeck::Bytes memory{std::int64_t{1} << 50};
  bool graph = false;  ///< layers form a graph with branches, some of several outputs; else a chain
};

/// One device type "X"; nodes joined by one switch. In a third of the problems each device has a network card.
Problem random_problem(Random& random, const RandomProblem& shape);

/// Limits the devices' memory so that it matters in about half of the problems.
Problem with_random_memory(const Problem& problem, Random& random);

/// A chain of equal layers: forward and backward seconds, no bytes.
Profile uniform_profile(int layers, Seconds forward, Seconds backward);
/// Devices in one node, bandwidth without limit worth naming.
Cluster flat_cluster(int devices, BytesPerSecond bandwidth = gigabytes_per_second(100), Seconds latency = {});

}  // namespace pipedeck::test
