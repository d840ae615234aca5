// SPDX-License-Identifier: Apache-2.0
// Which of this machine's processor cores stand for the devices of a plan.
#pragma once

#include <cstddef>
#include <vector>

#include "core/domain/result.hpp"

namespace pipedeck {

/// Those that this process may run on, ascending, as the operating system numbers them.
std::vector<int> usable_cores();

/// One core a device, in device order; empty: the operating system chooses. bad_usage where there are too few or too
/// many, or one can't be used here. Several devices may share a core.
Result<void> check_cores(const std::vector<int>& cores, std::size_t devices);

/// The calling thread runs on this core alone from now on. False: it is not to be had.
bool pin_this_thread(int core);

/// The same of the usable core at this place, where there is one: threads that work at once, each in its place, never
/// share a core, as the operating system may have two that wake each other do for seconds.
void stand_apart(std::size_t place);

}  // namespace pipedeck
