// SPDX-License-Identifier: Apache-2.0
// Positions in the domain's lists as types, so that a stage can't be passed in place of a device.
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
  /// Returns the index into the vector that this id refers to.
  constexpr std::size_t index() const { return static_cast<std::size_t>(value); }
};

using LayerId = Id<struct LayerTag>;    ///< position in Profile::layers
using StageId = Id<struct StageTag>;    ///< position in Plan::stages
using DeviceId = Id<struct DeviceTag>;  ///< position in Cluster::devices()
using NodeId = Id<struct NodeTag>;      ///< position in Cluster::nodes

}  // namespace pipedeck
