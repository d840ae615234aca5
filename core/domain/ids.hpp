// SPDX-License-Identifier: Apache-2.0
// Positions in the domain's lists as types: a stage can't be passed where a device is meant.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace pipedeck {

template <class Tag>
struct Id {
  std::int32_t value = 0;

  constexpr Id() = default;
  constexpr explicit Id(std::int32_t v) : value(v) {}
  constexpr explicit Id(std::size_t v) : value(static_cast<std::int32_t>(v)) {}

  constexpr auto operator<=>(const Id&) const = default;
  /// For subscripting the vector that this id counts in.
  constexpr std::size_t index() const { return static_cast<std::size_t>(value); }
};

using LayerId = Id<struct LayerTag>;    ///< position in Profile::layers
using StageId = Id<struct StageTag>;    ///< position in Plan::stages
using DeviceId = Id<struct DeviceTag>;  ///< position in Cluster::devices()
using NodeId = Id<struct NodeTag>;      ///< position in Cluster::nodes

}  // namespace pipedeck
