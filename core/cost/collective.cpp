// SPDX-License-Identifier: Apache-2.0
#include "core/cost/collective.hpp"

#include <algorithm>
#include <set>

#include "core/base/checks.hpp"

namespace pipedeck::cost {
namespace {

NcclCollective nccl_collective_of(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_gather:
      return NcclCollective::all_gather;
    case CollectiveKind::reduce_scatter:
      return NcclCollective::reduce_scatter;
    default:
      return NcclCollective::all_reduce;
  }
}

}  // namespace

Collective::Collective(const Network& network, std::span<const DeviceId> devices, CollectiveKind kind, Collectives by,
                       int beside)
    : kind_(kind), by_(by), members_(devices.size()) {
  ensure(beside >= 1, "a group is one of the groups that run at the same time");
  if (kind == CollectiveKind::all_to_all) sends_ = all_to_all_sends(network, devices, beside);
  if (kind == CollectiveKind::ring_exchange) sends_ = ring_sends(network, devices, beside);
  if (is_direct()) return;
  // NCCL's estimate has efficiencies of its own.
  const Network used = by_ == Collectives::nccl ? network.data_sheet() : network;
  rings_ = rings_of(used, devices, beside);
  if (by_ == Collectives::nccl) nccl_ = nccl_group(used, devices, rings_);
}

std::vector<CollectivePart> Collective::parts(Bytes bytes) const {
  if (members_ < 2 || bytes.count == 0 || is_direct()) return {};
  if (by_ == Collectives::tree && kind_ == CollectiveKind::all_reduce) return {tree(bytes)};
  if (by_ == Collectives::nccl) return {nccl(bytes)};
  if (!by_hierarchy(bytes)) return {ring(RingLinks::flat, rings_.flat, rings_.members, bytes)};
  std::vector<CollectivePart> both;
  if (rings_.most > 1) both.push_back(ring(RingLinks::intra_node, rings_.inside, rings_.most, bytes));
  if (rings_.nodes > 1) both.push_back(ring(RingLinks::inter_node, rings_.between, rings_.nodes, bytes));
  return both;
}

Seconds Collective::time(Bytes bytes) const {
  if (members_ < 2 || bytes.count == 0) return {};
  if (kind_ == CollectiveKind::all_to_all) return sends_.time(bytes);
  if (kind_ == CollectiveKind::ring_exchange) return sends_.time(bytes) * static_cast<double>(members_ - 1);
  Seconds sum;
  for (const CollectivePart& part : parts(bytes)) sum += part.time;
  return sum;
}

/// Both rings' times are halved by all_gather and reduce_scatter, so the choice is an all-reduce's.
bool Collective::by_hierarchy(Bytes bytes) const {
  if (by_ == Collectives::best_ring) return rings_.hierarchical_seconds(bytes) < rings_.flat_seconds(bytes);
  return by_ == Collectives::hierarchical;
}

CollectivePart Collective::ring(RingLinks over, const RingBottleneck& hop, std::size_t members, Bytes bytes) const {
  return {over, Seconds(hop.call + 2 * (static_cast<double>(members) - 1) * hop.alpha) * share(),
          Seconds(hop.ring_seconds(members, bytes)) * share(), BytesPerSecond(hop.beta)};
}

/// Each device is an inner vertex of one of the two trees and a leaf of the other, so its ports carry all bytes up and
/// all down. The links are assumed to be those of the ring.
CollectivePart Collective::tree(Bytes bytes) const {
  return {RingLinks::flat, Seconds(rings_.flat.tree_seconds(rings_.members, Bytes(0))),
          Seconds(rings_.flat.tree_seconds(rings_.members, bytes)), BytesPerSecond(rings_.flat.beta)};
}

/// NCCL's estimated latency occupies no link. The remaining time is for the bytes that the algorithm sends over a port:
/// in a ring as bytes_sent(), twice the bytes in a tree, and an all-reduce's once with NVLink SHARP, where switches
/// reduce.
CollectivePart Collective::nccl(Bytes bytes) const {
  const NcclCost cost = nccl_choice(nccl_, nccl_collective_of(kind_), bytes);
  const bool sums_in_switch = cost.algorithm == NcclAlgorithm::nvls && kind_ == CollectiveKind::all_reduce;
  const double sent = cost.algorithm == NcclAlgorithm::tree ? 2
                      : sums_in_switch                      ? 1
                                                            : bytes_sent(kind_, static_cast<int>(members_), 1);
  return {RingLinks::flat, cost.latency, cost.time(bytes), BytesPerSecond(sent * cost.bandwidth.count)};
}

std::vector<Collective> collectives_of(const Network& network, const plan::StageGroups& stage, plan::GroupFamily family,
                                       CollectiveKind kind, Collectives by) {
  const std::vector<plan::RankGroup> groups = stage.groups(family);
  const int beside = groups_beside(network, groups);
  std::vector<Collective> different;
  for (const plan::RankGroup& group : groups) {
    const Collective one(network, group, kind, by, beside);
    if (std::ranges::find(different, one) == different.end()) different.push_back(one);
  }
  return different;
}

Seconds slowest_of(std::span<const Collective> collectives, Bytes bytes) {
  Seconds most;
  for (const Collective& one : collectives) most = std::max(most, one.time(bytes));
  return most;
}

int groups_beside(const Network& network, std::span<const plan::RankGroup> groups) {
  std::vector<int> on(static_cast<std::size_t>(network.node_count()));
  int most = 1;
  for (const plan::RankGroup& group : groups) {
    std::set<NodeId> nodes;
    for (const DeviceId device : group) nodes.insert(network.node_of(device));
    for (const NodeId node : nodes) most = std::max(most, ++on[node.index()]);
  }
  return most;
}

}  // namespace pipedeck::cost
