// SPDX-License-Identifier: Apache-2.0
// What might be bought or asked otherwise, and the plans that were found for it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/domain/cluster.hpp"
#include "core/domain/ids.hpp"
#include "core/domain/plan.hpp"
#include "core/domain/units.hpp"

namespace pipedeck {

/// Links by their ends, as SensitivityEntry names them: nodes or switches; the same node: the link inside it.
struct LinkScale {
  std::string from, to;
  double factor = 1;
  bool operator==(const LinkScale&) const = default;
};

/// Devices exchanged for others.
struct TypeSwap {
  std::vector<DeviceId> devices;
  DeviceType type;
  bool operator==(const TypeSwap&) const = default;
};

/// What is changed of a question; what is absent stays as it is. Devices keep their numbers.
struct WhatIf {
  /// Bandwidth of the narrowest link inside nodes, and between them; the others keep their ratio to it.
  std::optional<BytesPerSecond> inside, between;
  std::optional<Bytes> memory;  ///< of the device with least; the others keep their ratio to it
  std::optional<int> nodes;     ///< the first so many; more are like the last
  std::optional<DeviceType> type;
  std::vector<TypeSwap> swaps;
  std::vector<LinkScale> links;
  std::optional<int> micro_batch;  ///< 0: left to the planners
  std::optional<int> global_batch;
  std::map<std::string, double> prices;  ///< an hour of a device, by type
  bool operator==(const WhatIf&) const = default;
  bool changes_cluster() const {
    return inside || between || memory || nodes || type || !swaps.empty() || !links.empty() || !prices.empty();
  }
};

/// Where a cluster stands on the scales of WhatIf; absent: it has no such link.
struct ClusterScales {
  std::optional<BytesPerSecond> inside, between;
  Bytes memory;  ///< of the device with least
  int nodes = 1;
  std::string type;  ///< empty: of several
  bool operator==(const ClusterScales&) const = default;
};

/// How a profile's times are taken to devices that it was not measured on.
struct TimeScale {
  enum class Source {
    same,      ///< the profile is of this device
    measured,  ///< the profile has times for it, at least for some layers
    scaled,    ///< divided by `factor`, by the catalogue
    unknown,   ///< the catalogue has one of the two only: taken as equally fast
  };
  Source source = Source::same;
  double factor = 1;  ///< times faster than `from`
  std::string from, to;
  bool operator==(const TimeScale&) const = default;
};

/// A plan with the figures that plans are chosen by.
struct FoundPlan {
  std::shared_ptr<const Plan> plan;        ///< with its prediction
  std::shared_ptr<const Cluster> cluster;  ///< that it is for
  Seconds iteration;
  double samples_per_second = 0;
  Bytes peak, capacity;  ///< of the fullest device, by share of its memory
  Bytes largest_peak;    ///< of all devices, in bytes
  bool fits = true;
  int devices = 0;                       ///< that it uses
  int nodes = 0;                         ///< in which they are
  std::optional<double> price_per_hour;  ///< of all devices of these nodes; absent: of one no price is known

  std::optional<double> price_per_million_samples() const {
    if (!price_per_hour || samples_per_second <= 0) return {};
    return *price_per_hour / 3600 / samples_per_second * 1e6;
  }
};

enum class PurchaseKind {
  links_inside,   ///< all links inside nodes
  links_between,  ///< all links between nodes
  links,          ///< some of them: `places`
  node,           ///< one more, like the last
  every_device,   ///< all replaced by the next type
  node_devices,   ///< those of one node
  one_device,
  memory,  ///< of every device
};

/// Something that could be bought: what it is in words' parts, and the question with it.
struct Purchase {
  PurchaseKind kind = PurchaseKind::links_inside;
  std::vector<std::string> places;  ///< links "n0 – switch", nodes, or a device "3"
  std::string type;                 ///< of new devices
  double factor = 1;                ///< of bandwidth or memory
  WhatIf change;
};

/// What a purchase gains: planned anew, the best plan of today being kept where none is better.
struct PurchaseGain {
  Purchase purchase;
  std::optional<FoundPlan> best;  ///< absent: nothing fits, or it can't be planned (`why_not`)
  std::string why_not;
  double gain = 0;                     ///< samples a second more than today
  std::optional<double> price_change;  ///< an hour; absent: a price is not known (of links none is)
  /// Samples a second more for one more an hour; absent without a price, or where it does not rise.
  std::optional<double> gain_per_price() const {
    if (!price_change || *price_change <= 0) return {};
    return gain / *price_change;
  }
};

}  // namespace pipedeck
