// SPDX-License-Identifier: Apache-2.0
// Machines as their own tools, Slurm or a cloud describe them, made into a cluster: GPU types through the catalogue,
// bandwidths by link, lanes and generation, or as a table has them. What the description leaves open is assumed, and
// every assumption is a note.
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
  std::string name;                        ///< of the cluster; empty: made from the machines
  std::optional<BytesPerSecond> uplink{};  ///< of each switch to the one above it; else all that hangs below it
  std::string partition{};                 ///< of Slurm, whose machines alone are taken; empty: all of them
  std::string unit{};                      ///< of a table of bandwidths that does not say it: "GB/s"
};

struct ImportedCluster {
  Cluster cluster;
  std::vector<std::string> notes;  ///< what was understood, what was assumed, what contradicts
};

/// Descriptions of one machine by nvidia-smi and by NCCL, the first of the one and the first of the other and so on,
/// are taken together; where they contradict, NCCL's is used and a note says so. Slurm's machines are like the one that
/// is described beside them. A valid cluster, or bad_input.
/// Machines that no switch of a tree has below it are left out; a table of bandwidths stands alone, and of the two ways
/// between two devices the slower one is kept. Options that say nothing about what was found are bad_usage.
Result<ImportedCluster> cluster_of(FoundMachines found, const MachineImport& how = {});
Result<ImportedCluster> cluster_of(std::vector<FoundMachine> machines, const MachineImport& how = {});

/// What another file told, beside what others did: machines, and the switches above them. bad_input where it does not
/// go together.
Result<void> add_found(FoundMachines& all, FoundMachines more);

/// "8 × A100-80GB, NVLink", in a list.
std::string summary_of(const FoundMachines& found);

}  // namespace pipedeck
