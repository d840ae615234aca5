// SPDX-License-Identifier: Apache-2.0
// What it takes threads of this process to meet, whatever they bring: each of a group's collectives waits for all of
// its members twice, and who waits sleeps.
#pragma once

#include "core/runtime/profile/robust.hpp"

namespace pipedeck {

/// Seconds of an all-reduce of one number among `members` threads (2 or more), of many in a row.
RobustSummary measure_meeting(int members);

}  // namespace pipedeck
