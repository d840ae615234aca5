// SPDX-License-Identifier: Apache-2.0
// The calls of a pass that become a profile's layers, and the times when each of them ran.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analytic/recorded/calls.hpp"

namespace pipedeck::analytic::recorded {

/// Returns positions in Pass::calls, in order, none nested in another. With `depth`, the modules of that depth, or
/// above it if they contain none. Without, containers are expanded down to repeated blocks or single modules.
std::vector<std::size_t> layers_of(const Pass& pass, const std::vector<std::string>& names, std::optional<int> depth);

/// A time span in which a thread's work counts for a layer: from its begin to that of the next layer. The first layer
/// of an outermost module begins with that module, and the last one ends with it.
struct Region {
  std::int64_t begin = 0, end = 0;
  std::int64_t own_end = 0;  ///< end of the module itself
  std::size_t pass = 0, layer = 0;
  bool behind = false;  ///< work after the last module up to the backward pass: the loss
};

/// Returns the regions of all passes, sorted.
std::vector<Region> regions_of(const Calls& calls, const std::vector<std::size_t>& layers,
                               const std::vector<RecordedSpan>& evaluations);

/// Returns unique names of layers: their modules' names, numbered if they repeat.
std::vector<std::string> layer_names(const Pass& pass, const std::vector<std::size_t>& layers,
                                     const std::vector<std::string>& names);

/// Returns "transformer", "linear" etc. by the module's name.
std::string kind_of_module(const std::string& name);

}  // namespace pipedeck::analytic::recorded
