// SPDX-License-Identifier: Apache-2.0
// The CPU cores of this machine that represent the devices of a plan.
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/result.hpp"

namespace pipedeck::runtime::machine {

/// Returns the cores that this process may run on, ascending, as the operating system numbers them.
std::vector<int> usable_cores();

/// Checks a list of one core per device, in device order; empty: the operating system chooses. bad_usage if the number
/// of cores differs, or if one is not usable. Several devices may share a core.
Result<void> check_cores(const std::vector<int>& cores, std::size_t devices);

/// Pins the calling thread to this core. Returns false if the core is not available.
bool pin_this_thread(int core);

/// Pins the calling thread to the usable core at `place`, if there is one. Concurrent threads with different places
/// never share a core. The operating system may let two threads that wake each other share one for seconds.
void pin_to_core(std::size_t place);

}  // namespace pipedeck::runtime::machine
