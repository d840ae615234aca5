// SPDX-License-Identifier: Apache-2.0
// The latency of a barrier of threads of this process, regardless of the data. Each of a group's collectives has two
// barriers of all members, and waiting threads sleep.
#pragma once

#include "core/runtime/machine/robust.hpp"

namespace pipedeck::runtime::profile {

/// Returns the seconds of an all-reduce of one number among `members` threads (2 or more), from many in sequence.
machine::RobustSummary measure_barrier(int members);

}  // namespace pipedeck::runtime::profile
