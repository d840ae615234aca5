// SPDX-License-Identifier: Apache-2.0
// The changes of `what-if`, as options with units.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/what_if.hpp"

namespace CLI {
class App;
}

namespace pipedeck::cli::options {

struct WhatIfOptions {
  std::string inside, between, memory, device_type;
  std::optional<int> nodes, micro_batch, global_batch;
  std::vector<std::string> prices;  ///< TYPE=PRICE
  void declare(CLI::App& app);
  /// bad_usage names the option.
  Result<WhatIf> change(const Cluster& cluster) const;
};

}  // namespace pipedeck::cli::options
