// SPDX-License-Identifier: Apache-2.0
// Machines as their own tools describe them, made into a cluster: GPU types through the catalogue, bandwidths by link,
// lanes and generation. What the description leaves open is assumed, and every assumption is a note.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/domain/cluster.hpp"
#include "core/domain/found_machine.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

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
  std::string name;  ///< of the cluster; empty: made from the machines
};

struct ImportedCluster {
  Cluster cluster;
  std::vector<std::string> notes;  ///< what was understood, what was assumed, what contradicts
};

/// Descriptions of one machine by nvidia-smi and by NCCL, the first of the one and the first of the other and so on,
/// are taken together; where they contradict, NCCL's is used and a note says so. A valid cluster, or bad_input.
Result<ImportedCluster> cluster_of(std::vector<FoundMachine> machines, const MachineImport& how = {});

/// "8 × A100-80GB, NVLink", in a list.
std::string summary_of(const FoundMachines& found);

}  // namespace pipedeck
