// SPDX-License-Identifier: Apache-2.0
// Problems of any size for benchmarks and for tests of cancelling.
#pragma once

#include "core/domain/workload.hpp"

namespace pipedeck::test {

/// Nodes of `devices` devices under one switch, each device with `memory`.
Cluster servers(int nodes, int devices, Bytes memory = Bytes(std::int64_t{16} << 30));

/// Equal blocks between an embedding and a head, of BERT-48's sizes at 2 samples.
Problem transformer(int layers, const Cluster& cluster, int global_batch);

/// A transformer on nodes of eight devices of 80 GiB (one smaller node below eight devices), four samples a device, at
/// least 64.
Problem large_problem(int layers, int devices);

}  // namespace pipedeck::test
