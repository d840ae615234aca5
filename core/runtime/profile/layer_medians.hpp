// SPDX-License-Identifier: Apache-2.0
// Medians of the repetitions of a chain's layers, and the end of repetitions.
#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "core/base/result.hpp"
#include "core/runtime/machine/robust.hpp"
#include "core/runtime/profile/chain_timer.hpp"
#include "core/runtime/profile/profiler.hpp"

namespace pipedeck::runtime::profile {

/// A set of medians of one layer's repetitions.
struct LayerMedians {
  machine::RobustSummary forward, backward, weight;
};
LayerMedians medians_of(const LayerSamples& seen);

/// Returns a point's values in addition to its times.
PointDetails details_of(const LayerSamples& seen, const LayerMedians& medians);

/// Returns the bytes of a kernel's parameters.
inline Bytes parameter_bytes(const layers::LayerKernel& kernel) {
  return Bytes(kernel.parameters() * static_cast<std::int64_t>(sizeof(float)));
}

/// Runs the timer until its medians are certain enough. `tell` receives the part that is done. Fails with cancelled if
/// stopped.
Result<void> repeat(LayerTimer& timer, const Repetitions& how, const std::function<void(double)>& tell,
                    const std::stop_token& stop);

}  // namespace pipedeck::runtime::profile
