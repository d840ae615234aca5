// SPDX-License-Identifier: Apache-2.0
// NCCL's own cost model, by which it chooses algorithm and protocol: t = latency + bytes / bandwidth, the minimum over
// all enabled combinations. Values are from NCCL's src/graph/tuning.cc; the names of its tables are noted next to them.
//
// The cluster replaces the topology that NCCL detects. The bus bandwidth is that of the ring's slowest hop; inside a
// node, it is at most NCCL's value for the generation's NVLinks. Latencies are the maximum of NCCL's table and the
// cluster's. All other values are assumptions, marked where they are made.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "core/cost/network.hpp"
#include "core/cost/ring_times.hpp"

namespace pipedeck::cost {

enum class GpuGeneration { volta, ampere, hopper, blackwell };

/// Returns the generation by a name contained in the type. V100 or T4: Volta, which NCCL uses for anything before
/// Ampere. A100, A800: Ampere. H100, H200, H800, H20: Hopper. B100, B200, B300: Blackwell, also in "GB200". Otherwise
/// Ampere.
GpuGeneration generation_of(std::string_view device_type);

enum class NcclCollective { all_reduce, reduce_scatter, all_gather, broadcast };
enum class NcclAlgorithm { tree, ring, nvls, pat };
enum class NcclProtocol { ll, ll128, simple };

/// A communicator.
struct NcclGroup {
  int ranks = 1, nodes = 1;
  GpuGeneration generation = GpuGeneration::ampere;  ///< the oldest one
  bool is_uniform = true;                            ///< homogeneous generation; otherwise NCCL disables LL128
  bool nvlink = true;                                ///< otherwise PCIe inside the nodes
  bool amd_cpu = false;                              ///< otherwise Intel
  BytesPerSecond bandwidth;                          ///< of the slowest hop of the ring
  Seconds inside, between;                           ///< maximum latency of a hop in a node, and between two
  bool operator==(const NcclGroup&) const = default;
};

/// `rings` must be of the same devices.
NcclGroup nccl_group(const Network& network, std::span<const DeviceId> devices, const GroupRings& rings);

struct NcclCost {
  NcclAlgorithm algorithm = NcclAlgorithm::ring;
  NcclProtocol protocol = NcclProtocol::simple;
  Seconds latency;
  BytesPerSecond bandwidth;  ///< "algorithm bandwidth": of the requested bytes, not of the bytes sent
  bool operator==(const NcclCost&) const = default;
  Seconds time(Bytes bytes) const { return latency + bytes / bandwidth; }
};

/// Returns nothing if NCCL does not support the combination.
std::optional<NcclCost> nccl_cost(const NcclGroup& group, NcclCollective collective, NcclAlgorithm algorithm,
                                  NcclProtocol protocol, Bytes bytes);

/// Returns the cheapest combination for at least two ranks.
NcclCost nccl_choice(const NcclGroup& group, NcclCollective collective, Bytes bytes);

}  // namespace pipedeck::cost
