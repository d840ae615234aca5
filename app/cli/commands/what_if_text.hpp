// SPDX-License-Identifier: Apache-2.0
// The answers of `what-if`, as text, CSV and JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/io/csv/csv.hpp"
#include "core/model/what_if.hpp"
#include "core/model/workload.hpp"

namespace pipedeck::cli::commands {

struct WhatIfAnswer {
  Problem asked, changed;
  bool is_changed = false;         ///< anything but prices
  std::optional<TimeScale> times;  ///< where all devices become others
  std::optional<PlanCandidate> current, now;
  std::string failure_reason;  ///< why there is no `now`
  std::optional<std::vector<PlanCandidate>> plans;
  std::optional<std::vector<PurchaseGain>> purchases;
  std::string currency, price_date;  ///< of the catalogue's prices
};

std::string what_if_text(const WhatIfAnswer& answer);
std::string what_if_json(const WhatIfAnswer& answer);
/// The purchases, else the plans of the front, else the plans of today and now.
io::csv::CsvTable what_if_csv(const WhatIfAnswer& answer);

}  // namespace pipedeck::cli::commands
