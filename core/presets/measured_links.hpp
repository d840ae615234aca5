// SPDX-License-Identifier: Apache-2.0
// Collectives that were measured, as the links of the machines that they were measured on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/found_machine.hpp"

namespace pipedeck::presets {

/// Gives the hosts of nccl-tests the bandwidth and the latency that fit their tests: inside of a host those of the test
/// of the most of its GPUs alone, between hosts those of the test of the most hosts. An all-reduce goes first, then an
/// all-gather, then a reduce-scatter. A host that was tested alone stands for hosts alike that were tested together.
void measure_links(FoundMachines& found, std::vector<std::string>& notes);

/// A table for people: each size with its measured time and bus bandwidth, and the model's times by the measured links
/// and by data sheets. Clusters without the ranks of the test have no times.
std::string comparison_table(const MeasuredCollective& test, const Cluster& measured,
                             const std::optional<Cluster>& by_data_sheet);

}  // namespace pipedeck::presets
