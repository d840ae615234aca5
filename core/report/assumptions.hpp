// SPDX-License-Identifier: Apache-2.0
// The assumptions behind a report's values, in sentences.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/report/report.hpp"

namespace pipedeck::reports {

/// Per hour, by device type.
using Prices = std::map<std::string, double>;

std::vector<std::string> assumptions_of(const Words& words, const ReportQuestion& question, const Prices& prices);

}  // namespace pipedeck::reports
