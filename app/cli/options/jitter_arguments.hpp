// SPDX-License-Identifier: Apache-2.0
// --jitter, --jitter-runs and --seed, and the band that they ask for as text and as JSON.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/base/result.hpp"
#include "core/model/jitter.hpp"

namespace CLI {
class App;
}

namespace pipedeck::cli::options {

struct JitterArguments {
  void declare(CLI::App& app);
  /// Nothing where no --jitter was given; bad_usage where there is no such jitter.
  Result<std::optional<JitterOptions>> options() const;

 private:
  std::optional<double> variation_;
  std::optional<int> runs_;
  std::optional<std::uint64_t> seed_;
};

/// "jitter 5 % of every pass, 200 runs, seed 1"
std::string jitter_text(const JitterOptions& options);
/// Returns that text with the band's values, as one line.
std::string jitter_text(const JitterBand& band);
nlohmann::ordered_json jitter_json(const JitterBand& band);

}  // namespace pipedeck::cli::options
