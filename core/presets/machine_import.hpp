// SPDX-License-Identifier: Apache-2.0
// Machines as their own tools, Slurm or a cloud describe them, made into a cluster. GPU types come from the catalogue,
// bandwidths from link, lanes and generation, or from a table. The gaps of a description are filled by assumptions, and
// every assumption is a note.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/cluster.hpp"
#include "core/model/found_machine.hpp"

namespace pipedeck::presets {

/// How the bandwidths inside of machines are kept.
enum class ClusterShape {
  automatic,  ///< links where all pairs of a machine are alike, else a matrix
  links,      ///< one link a node, as wide as its narrowest pair: simple to edit, never too good
  matrix,     ///< every pair its own
};

struct MachineImport {
  std::optional<std::string> device;      ///< what GPUs are that the description does not name
  int copies = 1;                         ///< of all machines
  std::optional<BytesPerSecond> network;  ///< of each machine, each way; else by its network cards
  ClusterShape shape = ClusterShape::automatic;
  std::string name;                        ///< of the cluster; empty: made from the machines
  std::optional<BytesPerSecond> uplink{};  ///< of each switch to the one above it; else all that hangs below it
  std::string partition{};                 ///< of Slurm, whose machines alone are taken; empty: all of them
  std::string unit{};                      ///< for a table of bandwidths without it: ""
};

struct ImportedCluster {
  Cluster cluster;
  std::vector<std::string> notes;  ///< what was understood, what was assumed, what contradicts; a line of each share
  std::vector<MeasuredCollective> collectives{};  ///< of nccl-tests, to be compared with predictions
  std::optional<Cluster> by_data_sheet{};         ///< as without them, where there are some
  std::vector<ImportShare> shares{};              ///< of each file; the last one has the cluster's assumptions
};

/// Descriptions of one machine by nvidia-smi and by NCCL are joined in order: the first of one with the first of the
/// other. If they contradict, NCCL's is used and a note reports it. Slurm's machines are like the machine that is
/// described with them. Returns a valid cluster, or bad_input. Machines below no switch of a tree are left out. A table
/// of bandwidths stands alone, and the slower direction between two devices counts. Options without an effect on the
/// input are bad_usage.
Result<ImportedCluster> cluster_of(FoundMachines found, const MachineImport& how = {});
Result<ImportedCluster> cluster_of(std::vector<DetectedMachine> machines, const MachineImport& how = {});

/// Adds another file's machines, and the switches above them, to those of other files. bad_input if they do not match.
Result<void> add_found(FoundMachines& all, FoundMachines more);

/// "8 × A100-80GB, NVLink", in a list.
std::string summary_of(const FoundMachines& found);

}  // namespace pipedeck::presets
