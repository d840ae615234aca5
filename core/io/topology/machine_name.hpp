// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace pipedeck::io::topology {

/// Returns this machine's name on the network; "unknown" if it has none.
std::string host_name();

/// "cpu: 2 cores, AMD EPYC".
std::string processor_line();

/// Now, as ISO 8601 in UTC: "2026-11-21T15:00:00Z".
std::string utc_now();

}  // namespace pipedeck::io::topology
