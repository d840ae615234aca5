// SPDX-License-Identifier: Apache-2.0
// Clusters of one device type in several sizes (presets/families): every device type of a family, with each number of
// devices per node and each number of nodes. Figures of the devices come from the catalogue. Clusters are built when
// they are needed: the largest have thousands of nodes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/cluster.hpp"
#include "core/model/device_model.hpp"

namespace pipedeck::presets {

struct ClusterFamily {
  enum class Joint {
    nvlink,  ///< the type's links, through switches
    mesh,    ///< the type's links, each to one other device
    host     ///< through the host's memory
  };
  std::string group, source;
  std::vector<std::string> devices;
  std::vector<int> counts, nodes;  ///< devices per node; nodes
  Joint joint = Joint::host;
  int domain_nodes = 1;                ///< nodes of which the switches join the devices
  BytesPerSecond nic;                  ///< of each device, each way
  std::optional<Bytes> host_memory{};  ///< of a node; absent: not known
  std::optional<BytesPerSecond> host_memory_bandwidth{};
};

/// A cluster of a family by its size, not built yet.
struct FamilyCluster {
  const ClusterFamily* family = nullptr;
  const DeviceModel* model = nullptr;
  int count = 1, nodes = 1;

  /// Returns "8 × 8 H100-SXM"; of one node "8 × H100-SXM".
  std::string name() const;
  /// Returns "8x8-h100-sxm"; of one node "8-h100-sxm".
  std::string alias() const;
  Cluster build() const;
};

/// Returns the families of one file. Returns bad_input for unknown devices, devices that lack links, and sizes that no
/// cluster may have.
Result<std::vector<ClusterFamily>> cluster_families_from_json(const std::string& text);

/// Returns the clusters that lists show, in the order of the files. They last as long as the program.
const std::vector<FamilyCluster>& family_clusters();

/// Finds a cluster by its name or alias in lower case. Finds also numbers of nodes that lists leave out, up to the
/// family's largest: "48x8-a100-80gb".
std::optional<FamilyCluster> find_family_cluster(std::string_view wanted);

}  // namespace pipedeck::presets
