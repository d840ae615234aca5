// SPDX-License-Identifier: Apache-2.0
// Problems of any size for benchmarks and for tests of cancelling.
#pragma once

#include "core/model/workload.hpp"

namespace pipedeck::test {

/// Nodes of `devices` devices under one switch, each device with `memory`; no latency.
Cluster servers(int nodes, int devices, pipedeck::Bytes memory = pipedeck::Bytes(std::int64_t{16} << 30),
                BytesPerSecond between = gigabytes_per_second(3.125),
                BytesPerSecond inside = gigabytes_per_second(130));

/// Equal blocks between an embedding and a head, of BERT-48's sizes at 2 samples.
Problem transformer(int layers, const Cluster& cluster, int global_batch);

/// `width` chains of `length` such blocks side by side between a first and a last one: (length + 1)^width ideals and
/// two more.
Problem branches(int width, int length, const Cluster& cluster);

/// Returns a transformer on nodes of eight devices of 80 GiB (one smaller node below eight devices), with four samples
/// per device, at least 64.
Problem large_problem(int layers, int devices);

}  // namespace pipedeck::test
