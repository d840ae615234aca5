// SPDX-License-Identifier: Apache-2.0
// Where the figures of an answer come from.
#pragma once

#include <string>

#include "core/model/workload.hpp"

namespace pipedeck::study {

/// Returns one line: "Simulated from computed layer times. Assumed: ...".
std::string provenance_line(const Problem& problem);

}  // namespace pipedeck::study
