// SPDX-License-Identifier: Apache-2.0
// Chrome trace of a timeline (chrome://tracing, Perfetto): compute and collectives on a thread a device, links apart,
// so that events of one thread never overlap.
#pragma once

#include <string>

#include "core/domain/timeline.hpp"

namespace pipedeck {

std::string chrome_trace(const Timeline& timeline, const std::string& title);

}  // namespace pipedeck
