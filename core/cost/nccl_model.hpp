// SPDX-License-Identifier: Apache-2.0
// NCCL's own estimate of its collectives, with which it chooses algorithm and protocol: t = latency + bytes /
// bandwidth, the least over all that are enabled. Figures: NCCL's src/graph/tuning.cc (names of its tables stand beside
// them).
//
// What NCCL finds by looking at the machine comes from the cluster here: the bus bandwidth is that of the slowest hop
// of the ring, inside a node at most what NCCL counts for the generation's NVLinks; latencies are the larger of NCCL's
// table and the cluster's. What is neither there is assumed, and said so at the line.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "core/cost/collective.hpp"
#include "core/cost/network.hpp"

namespace pipedeck {

enum class GpuGeneration { volta, ampere, hopper, blackwell };

/// By what the name contains: V100 or T4 Volta (as NCCL takes whatever is before Ampere), A100 Ampere, H100, H200
/// Hopper, B100, B200, B300 Blackwell; else Ampere.
GpuGeneration generation_of(std::string_view device_type);

enum class NcclCollective { all_reduce, reduce_scatter, all_gather, broadcast };
enum class NcclAlgorithm { tree, ring, nvls, pat };
enum class NcclProtocol { ll, ll128, simple };

/// A communicator.
struct NcclGroup {
  int ranks = 1, nodes = 1;
  GpuGeneration generation = GpuGeneration::ampere;  ///< the oldest
  bool alike = true;                                 ///< one generation: else NCCL leaves LL128 off
  bool nvlink = true;                                ///< else PCIe inside the nodes
  bool amd_cpu = false;                              ///< else Intel
  BytesPerSecond bandwidth;                          ///< of the slowest hop of the ring
  Seconds inside, between;                           ///< longest latency of a hop in a node, and between two
  bool operator==(const NcclGroup&) const = default;
};

/// `rings` are those of the same devices.
NcclGroup nccl_group(const Network& network, std::span<const DeviceId> devices, const GroupRings& rings);

struct NcclCost {
  NcclAlgorithm algorithm = NcclAlgorithm::ring;
  NcclProtocol protocol = NcclProtocol::simple;
  Seconds latency;
  BytesPerSecond bandwidth;  ///< "algorithm bandwidth": of the bytes that are asked for, not of those that are sent
  bool operator==(const NcclCost&) const = default;
  Seconds time(Bytes bytes) const { return latency + bytes / bandwidth; }
};

/// Nothing where NCCL does not offer the three together.
std::optional<NcclCost> nccl_cost(const NcclGroup& group, NcclCollective collective, NcclAlgorithm algorithm,
                                  NcclProtocol protocol, Bytes bytes);

/// The least of all; two ranks at least.
NcclCost nccl_choice(const NcclGroup& group, NcclCollective collective, Bytes bytes);

}  // namespace pipedeck
