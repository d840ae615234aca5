// SPDX-License-Identifier: Apache-2.0
// Lists of nodes as Kubernetes prints them (kubectl get nodes -o json, or -o yaml), with the labels of GPU operators.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/io/json/value.hpp"
#include "core/model/found_machine.hpp"

namespace pipedeck::io::topology {

/// Identified by apiVersion and kind: Node, NodeList, or a List of nodes.
bool looks_like_kubernetes_nodes(const json::Value& document);
bool looks_like_kubernetes_nodes(const std::string& yaml);

/// Returns the nodes with GPUs: labels nvidia.com/gpu.product, .count and .memory (MiB), or amd.com/gpu.product-name;
/// without a count, the capacity of nvidia.com/gpu or amd.com/gpu. Nodes without GPUs, that are not ready or not
/// schedulable, and with parts of GPUs (MIG) are left out with a note. bad_input with a JSON pointer. At most 65,536
/// nodes and devices; YAML of at most 16 MiB and a million values.
Result<FoundMachines> machines_from_kubernetes(const json::Value& document);
Result<FoundMachines> machines_from_kubernetes(const std::string& yaml);

}  // namespace pipedeck::io::topology
