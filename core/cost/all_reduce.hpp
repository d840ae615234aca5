// SPDX-License-Identifier: Apache-2.0
// An all-reduce of a group of devices by a chosen algorithm (Conventions::collectives): how long it takes alone, and
// what it puts on the links meanwhile, for who lets it share them.
#pragma once

#include <vector>

#include "core/cost/collective.hpp"
#include "core/cost/nccl_model.hpp"
#include "core/domain/workload.hpp"

namespace pipedeck {

/// Which ring's links are in use: that of all devices, those within the nodes at once, that of each node's first
/// device.
enum class RingLinks { flat, inside, between };

/// One part of an all-reduce after another.
struct AllReducePart {
  RingLinks over = RingLinks::flat;
  Seconds delay;        ///< of all steps together: no link is in use
  Seconds time;         ///< alone, `delay` included
  BytesPerSecond rate;  ///< over every link of the ring, when the delay is over
  bool operator==(const AllReducePart&) const = default;
  double volume() const { return (time - delay).count * rate.count; }  ///< bytes over every link
};

/// Rings walked once, then asked for as many sizes as there are.
class AllReduce {
 public:
  AllReduce(const Network& network, std::span<const DeviceId> devices, Collectives by);

  /// Nothing for one device or no bytes.
  std::vector<AllReducePart> parts(Bytes bytes) const;
  /// The sum of the parts.
  Seconds time(Bytes bytes) const;

 private:
  AllReducePart ring(RingLinks over, const WorstHop& hop, std::size_t members, Bytes bytes) const;
  AllReducePart tree(Bytes bytes) const;
  AllReducePart nccl(Bytes bytes) const;
  bool by_hierarchy(Bytes bytes) const;

  Collectives by_;
  GroupRings rings_;
  NcclGroup nccl_;
};

}  // namespace pipedeck
