// SPDX-License-Identifier: Apache-2.0
#include "core/cost/all_reduce.hpp"

namespace pipedeck::cost {

AllReduce::AllReduce(const Network& network, std::span<const DeviceId> devices, Collectives by)
    : by_(by), rings_(rings_of(network, devices)) {
  if (by_ == Collectives::nccl) nccl_ = nccl_group(network, devices, rings_);
}

std::vector<AllReducePart> AllReduce::parts(Bytes bytes) const {
  if (rings_.members < 2 || bytes.count == 0) return {};
  if (by_ == Collectives::tree) return {tree(bytes)};
  if (by_ == Collectives::nccl) return {nccl(bytes)};
  if (!by_hierarchy(bytes)) return {ring(RingLinks::flat, rings_.flat, rings_.members, bytes)};
  std::vector<AllReducePart> both;
  if (rings_.most > 1) both.push_back(ring(RingLinks::intra_node, rings_.inside, rings_.most, bytes));
  if (rings_.nodes > 1) both.push_back(ring(RingLinks::inter_node, rings_.between, rings_.nodes, bytes));
  return both;
}

Seconds AllReduce::time(Bytes bytes) const {
  Seconds sum;
  for (const AllReducePart& part : parts(bytes)) sum += part.time;
  return sum;
}

bool AllReduce::by_hierarchy(Bytes bytes) const {
  if (by_ == Collectives::best_ring) return rings_.hierarchical_seconds(bytes) < rings_.flat_seconds(bytes);
  return by_ == Collectives::hierarchical;
}

AllReducePart AllReduce::ring(RingLinks over, const RingBottleneck& hop, std::size_t members, Bytes bytes) const {
  return {over, Seconds(2 * (static_cast<double>(members) - 1) * hop.alpha), Seconds(hop.ring_seconds(members, bytes)),
          BytesPerSecond(hop.beta)};
}

/// Each device is an inner vertex of one of the two trees and a leaf of the other, so its ports carry all bytes up and
/// all down. The links are assumed to be those of the ring.
AllReducePart AllReduce::tree(Bytes bytes) const {
  return {RingLinks::flat, Seconds(rings_.flat.tree_seconds(rings_.members, Bytes(0))),
          Seconds(rings_.flat.tree_seconds(rings_.members, bytes)), BytesPerSecond(rings_.flat.beta)};
}

/// NCCL's estimated latency occupies no link. The remaining time is for the bytes that the algorithm sends over a port:
/// 2(n-1)/n of the bytes in a ring, twice the bytes in a tree, and once with NVLink SHARP, where switches reduce.
AllReducePart AllReduce::nccl(Bytes bytes) const {
  const NcclCost cost = nccl_choice(nccl_, NcclCollective::all_reduce, bytes);
  const auto n = static_cast<double>(rings_.members);
  const double sent = cost.algorithm == NcclAlgorithm::tree   ? 2
                      : cost.algorithm == NcclAlgorithm::nvls ? 1
                                                              : 2 * (n - 1) / n;
  return {RingLinks::flat, cost.latency, cost.time(bytes), BytesPerSecond(sent * cost.bandwidth.count)};
}

}  // namespace pipedeck::cost
