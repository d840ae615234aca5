// SPDX-License-Identifier: Apache-2.0
// Which calls of a pass are the layers of a profile, and when each of them was at work.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analytic/recorded_calls.hpp"

namespace pipedeck::recorded {

/// Positions in Pass::calls, in order; none lies in another. `depth`: modules of that depth, or above it without any
/// in them; nothing: containers are taken apart until blocks that repeat, or single modules, are reached.
std::vector<std::size_t> layers_of(const Pass& pass, const std::vector<std::string>& names, std::optional<int> depth);

/// From when a layer counts for what its thread does, and until when: from its begin to the next layer's; an outermost
/// module's first layer begins with it and its last one ends with it.
struct Region {
  std::int64_t begin = 0, end = 0;
  std::int64_t own_end = 0;  ///< when the module itself ends
  std::size_t pass = 0, layer = 0;
  bool behind = false;  ///< what follows the last module up to the backward pass: the loss
};

/// Of all passes, sorted.
std::vector<Region> regions_of(const Calls& calls, const std::vector<std::size_t>& layers,
                               const std::vector<RecordedSpan>& evaluations);

/// Unique names of layers: their modules', numbered where they come again.
std::vector<std::string> layer_names(const Pass& pass, const std::vector<std::size_t>& layers,
                                     const std::vector<std::string>& names);

/// "transformer", "linear" ... by the module's name.
std::string kind_of_module(const std::string& name);

}  // namespace pipedeck::recorded
