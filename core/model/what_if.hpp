// SPDX-License-Identifier: Apache-2.0
// Hypothetical changes to hardware or workload, and the plans found for them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/model/cluster.hpp"
#include "core/model/plan.hpp"
#include "core/model/utilization.hpp"

namespace pipedeck {

/// A factor for links, given by their ends as in SensitivityEntry. Ends are nodes or switches; equal ends: the link
/// inside a node.
struct LinkScale {
  std::string from, to;
  double factor = 1;
  bool operator==(const LinkScale&) const = default;
};

/// A replacement of devices by another type.
struct TypeSwap {
  std::vector<DeviceId> devices;
  DeviceType type;
  bool operator==(const TypeSwap&) const = default;
};

/// A set of changes to a planning problem; absent members change nothing. Devices keep their numbers.
struct WhatIf {
  /// The bandwidth of the narrowest link inside nodes, and between them. Other links keep their ratio to it.
  std::optional<BytesPerSecond> inside, between;
  std::optional<Bytes> memory;  ///< of the device with least; others keep their ratio to it
  std::optional<int> nodes;     ///< number of nodes: the first ones, or more that copy the last
  std::optional<DeviceType> type;
  std::vector<TypeSwap> swaps;
  std::vector<LinkScale> links;
  std::optional<int> micro_batch;  ///< 0: chosen by the planners
  std::optional<int> global_batch;
  std::map<std::string, double> prices;  ///< per device-hour, by type
  bool operator==(const WhatIf&) const = default;
  bool changes_cluster() const {
    return inside || between || memory || nodes || type || !swaps.empty() || !links.empty() || !prices.empty();
  }
};

/// A cluster's values that WhatIf can change; absent: it has no such link.
struct ClusterScales {
  std::optional<BytesPerSecond> inside, between;
  Bytes memory;  ///< of the device with least
  int nodes = 1;
  std::string type;  ///< empty: heterogeneous
  bool operator==(const ClusterScales&) const = default;
};

/// A scaling of a profile's times to devices that it was not measured on.
struct TimeScale {
  enum class Source {
    same_device,  ///< the profile is for this device
    measured,     ///< the profile has times for it, at least for some layers
    scaled,       ///< divided by `factor`, from the catalogue
    unknown,      ///< the catalogue lacks one of the two: taken as equally fast
  };
  Source source = Source::same_device;
  double factor = 1;  ///< speed relative to `from`
  std::string from, to;
  bool operator==(const TimeScale&) const = default;
};

/// A plan with the metrics by which plans are chosen.
struct PlanCandidate {
  std::shared_ptr<const Plan> plan;        ///< with its prediction
  std::shared_ptr<const Cluster> cluster;  ///< that it was made for
  Seconds iteration;
  double samples_per_second = 0;
  Bytes peak, capacity;  ///< of the device with the largest share of its memory in use
  Bytes largest_peak;    ///< of all devices, in bytes
  bool fits = true;
  int devices = 0;                         ///< number of devices used
  int nodes = 0;                           ///< number of nodes used
  std::optional<double> price_per_hour;    ///< of all devices of these nodes; absent: a price is unknown
  std::optional<Utilization> utilization;  ///< absent: the profile does not know the work of a sample

  std::optional<double> price_per_million_samples() const {
    if (!price_per_hour || samples_per_second <= 0) return {};
    return *price_per_hour / 3600 / samples_per_second * 1e6;
  }
};

enum class UpgradeKind {
  links_inside,   ///< all links inside nodes
  links_between,  ///< all links between nodes
  links,          ///< some links: `places`
  node,           ///< one more, a copy of the last
  every_device,   ///< all devices, replaced by the next type
  node_devices,   ///< all devices of one node
  one_device,
  memory,  ///< of every device
};

/// A possible purchase: the parts of its description, and the resulting change.
struct Purchase {
  UpgradeKind kind = UpgradeKind::links_inside;
  std::vector<std::string> places;  ///< links "n0 – switch", nodes, or a device "3"
  std::string type;                 ///< of the new devices
  double factor = 1;                ///< of bandwidth or memory
  WhatIf change;
};

/// A purchase's gain, planned again. Today's best plan is retained if none is better.
struct PurchaseGain {
  Purchase purchase;
  std::optional<PlanCandidate> best;  ///< absent: nothing fits, or planning is impossible (`failure_reason`)
  std::string failure_reason;
  double gain = 0;                     ///< additional samples/s
  std::optional<double> price_change;  ///< per hour; absent: a price is unknown (always for links)
  /// Returns the additional samples/s per unit of currency per hour; nothing without a price, or if the price does not
  /// rise.
  std::optional<double> gain_per_price() const {
    if (!price_change || *price_change <= 0) return {};
    return gain / *price_change;
  }
};

}  // namespace pipedeck
