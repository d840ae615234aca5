// SPDX-License-Identifier: Apache-2.0
// An all-reduce of a group of devices by a chosen algorithm (Conventions::collectives): its time without contention,
// and its load on the links for simulations that share them.
#pragma once

#include <vector>

#include "core/cost/nccl_model.hpp"
#include "core/cost/ring_times.hpp"
#include "core/model/workload.hpp"

namespace pipedeck::cost {

/// A set of rings whose links are in use: that of all devices, those inside all domains at the same time, or that of
/// each domain's first device.
enum class RingLinks { flat, intra_node, inter_node };

/// A part of an all-reduce; parts run in sequence.
struct AllReducePart {
  RingLinks over = RingLinks::flat;
  Seconds delay;        ///< of all steps together; no link is in use
  Seconds time;         ///< without contention, including `delay`
  BytesPerSecond rate;  ///< over every link of the ring, after the delay
  bool operator==(const AllReducePart&) const = default;
  double volume() const { return (time - delay).count * rate.count; }  ///< bytes over every link
};

/// An all-reduce of a group of devices. Walks the rings once for any number of sizes.
class AllReduce {
 public:
  AllReduce(const Network& network, std::span<const DeviceId> devices, Collectives by);

  /// Returns the parts; empty for one device or no bytes.
  std::vector<AllReducePart> parts(Bytes bytes) const;
  /// Returns the sum of the parts' times.
  Seconds time(Bytes bytes) const;

 private:
  AllReducePart ring(RingLinks over, const RingBottleneck& hop, std::size_t members, Bytes bytes) const;
  AllReducePart tree(Bytes bytes) const;
  AllReducePart nccl(Bytes bytes) const;
  bool by_hierarchy(Bytes bytes) const;

  Collectives by_;
  GroupRings rings_;
  NcclGroup nccl_;
};

}  // namespace pipedeck::cost
