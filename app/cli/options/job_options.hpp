// SPDX-License-Identifier: Apache-2.0
// Training jobs of other engines: the options for what their files leave open.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/cli/options/command.hpp"

namespace pipedeck::cli::options {

struct JobOptions {
  std::string profile;                ///< of the model, where the file has no shape; a file or preset:NAME
  int gpus = 0;                       ///< where the file does not state them
  std::vector<std::string> settings;  ///< NAME=VALUE of a script's variables
  void declare(CLI::App& app);
  bool given() const { return !profile.empty() || gpus > 0 || !settings.empty(); }
  /// bad_usage for a setting without a sign of equality.
  Result<std::vector<std::pair<std::string, std::string>>> variables() const;
};

}  // namespace pipedeck::cli::options
