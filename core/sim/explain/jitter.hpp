// SPDX-License-Identifier: Apache-2.0
// An iteration simulated many times, every pass of which takes its time times a random factor of its own
// (simulator.md, "Jitter").
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>

#include "core/base/ids.hpp"
#include "core/base/progress.hpp"
#include "core/model/jitter.hpp"
#include "core/sim/simulate.hpp"

namespace pipedeck::sim::explain {

/// The factors of one run: independent, log-normal, of mean 1. Each is a function of seed, run, device and place alone,
/// so that neither the order of events nor threads change it.
class Jitter {
 public:
  Jitter(double variation, std::uint64_t seed, std::uint64_t run);
  /// For the pass at `place` in the list of the devices that `lead` is the first of.
  double factor(DeviceId lead, std::size_t place) const;

 private:
  std::uint64_t stream_;
  double sigma_;
};

/// bad_usage, saying what is expected, where there is no such jitter.
Result<void> check(const JitterOptions& options);

/// The order of operations is the plan's own, whatever the passes take. `threads` change speed, never the answer.
Result<JitterBand> jitter_band(const Simulator& simulator, const Plan& plan, const JitterOptions& options,
                               int threads = 1, const Progress& progress = {}, std::stop_token stop = {});

}  // namespace pipedeck::sim::explain
