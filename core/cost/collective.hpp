// SPDX-License-Identifier: Apache-2.0
// A collective of a group of devices: its time without contention by others than its neighbour groups, and its load on
// the links for simulations that share them (parallelism.md, "Times").
//
// all_reduce, all_gather and reduce_scatter run by the chosen algorithm (Conventions::collectives). In rings, the last
// two take half of an all-reduce's steps and bytes. A tree only sums, so they take the ring instead. all_to_all and
// ring_exchange are direct sends by any algorithm: NCCL's cost model has none of them.
#pragma once

#include <span>
#include <vector>

#include "core/cost/direct_sends.hpp"
#include "core/cost/nccl_model.hpp"
#include "core/cost/ring_times.hpp"
#include "core/model/shard.hpp"
#include "core/model/workload.hpp"
#include "core/plan/groups.hpp"

namespace pipedeck::cost {

/// A set of rings whose links are in use: that of all devices, those inside all domains at the same time, or that of
/// each domain's first device.
enum class RingLinks { flat, intra_node, inter_node };

/// A part of a collective; parts run in sequence.
struct CollectivePart {
  RingLinks over = RingLinks::flat;
  Seconds delay;        ///< of all steps together; no link is in use
  Seconds time;         ///< without contention, including `delay`
  BytesPerSecond rate;  ///< over every link of the ring, after the delay
  bool operator==(const CollectivePart&) const = default;
  double volume() const { return (time - delay).count * rate.count; }  ///< bytes over every link
};

/// A collective of a group of devices. Walks the group once for any number of sizes.
class Collective {
 public:
  /// `devices`: in rank order, which matters to ring_exchange alone. `beside`: groups, with this one, that run at the
  /// same time on the same nodes; each has an equal share of links between nodes and of a bus inside a node. Network
  /// cards belong to their device and are not shared.
  Collective(const Network& network, std::span<const DeviceId> devices, CollectiveKind kind, Collectives by,
             int beside = 1);

  /// Returns the parts; empty for one device, no bytes, or direct sends, which use no ring. `bytes`: as for
  /// bytes_sent().
  std::vector<CollectivePart> parts(Bytes bytes) const;
  /// Returns the sum of the parts' times, or the time of direct sends.
  Seconds time(Bytes bytes) const;

  /// Returns the sends of all_to_all, or of a step of ring_exchange; for the other kinds nothing.
  const DirectSends& sends() const { return sends_; }

  bool operator==(const Collective&) const = default;

 private:
  CollectivePart ring(RingLinks over, const RingBottleneck& hop, std::size_t members, Bytes bytes) const;
  CollectivePart tree(Bytes bytes) const;
  CollectivePart nccl(Bytes bytes) const;
  bool by_hierarchy(Bytes bytes) const;
  bool is_direct() const { return kind_ == CollectiveKind::all_to_all || kind_ == CollectiveKind::ring_exchange; }
  /// Returns the times that a ring passes all bytes, of an all-reduce's two.
  double share() const { return kind_ == CollectiveKind::all_reduce ? 1 : 0.5; }

  CollectiveKind kind_;
  Collectives by_;
  std::size_t members_ = 0;
  GroupRings rings_;
  NcclGroup nccl_;
  DirectSends sends_;
};

/// Returns the collectives of a family's groups, all of which run at the same time; equal ones once. Groups that share
/// a node also share its links.
std::vector<Collective> collectives_of(const Network& network, const plan::StageGroups& stage, plan::GroupFamily family,
                                       CollectiveKind kind, Collectives by);
/// Returns the time of the slowest; 0 for none.
Seconds slowest_of(std::span<const Collective> collectives, Bytes bytes);

/// Returns the most groups that have devices on one node; at least 1.
int groups_beside(const Network& network, std::span<const plan::RankGroup> groups);

/// Returns the `bytes` of bytes_sent() for which a rank sends that many. `ranks`: 2 or more.
constexpr double whole_bytes(CollectiveKind kind, int ranks, double sent) { return sent / bytes_sent(kind, ranks, 1); }

}  // namespace pipedeck::cost
