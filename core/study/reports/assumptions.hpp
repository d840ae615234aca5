// SPDX-License-Identifier: Apache-2.0
// The assumptions behind a report's values, in sentences.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/study/reports/report.hpp"

namespace pipedeck::study::reports {

/// Per hour, by device type.
using Prices = std::map<std::string, double>;

std::vector<std::string> assumptions_of(const Translator& words, const Request& question, const Prices& prices);

}  // namespace pipedeck::study::reports
