// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/cost/collective.hpp"

namespace pipedeck::cost {

using AllReducePart = CollectivePart;

/// An all-reduce of a group of devices by a chosen algorithm.
class AllReduce : public Collective {
 public:
  AllReduce(const Network& network, std::span<const DeviceId> devices, Collectives by)
      : Collective(network, devices, CollectiveKind::all_reduce, by) {}
};

}  // namespace pipedeck::cost
