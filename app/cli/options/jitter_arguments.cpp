// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options/jitter_arguments.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/cli/text/table.hpp"
#include "core/sim/explain/jitter.hpp"

namespace pipedeck::cli::options {

void JitterArguments::declare(CLI::App& app) {
  app.add_option("--jitter", variation_,
                 "distribution of the iteration time if each pass varies by a random factor of this standard deviation "
                 "(0.05: 5 %)")
      ->type_name("CV");
  app.add_option("--jitter-runs", runs_, "iterations simulated with --jitter [200]")->type_name("N");
  app.add_option("--seed", seed_, "seed of --jitter [1]")->type_name("N");
}

Result<std::optional<JitterOptions>> JitterArguments::options() const {
  if (!variation_) {
    if (runs_) return fail(ErrorCode::bad_usage, "found --jitter-runs without --jitter, expected both");
    if (seed_) return fail(ErrorCode::bad_usage, "found --seed without --jitter, expected both");
    return std::optional<JitterOptions>();
  }
  JitterOptions options;
  options.variation = *variation_;
  options.runs = runs_.value_or(options.runs);
  options.seed = seed_.value_or(options.seed);
  if (Result<void> known = sim::explain::check(options); !known) return tl::unexpected(known.error());
  return options;
}

std::string jitter_text(const JitterOptions& options) {
  return fmt::format("jitter {:g} % of every pass, {} {}, seed {}", options.variation * 100, options.runs,
                     options.runs == 1 ? "run" : "runs", options.seed);
}

std::string jitter_text(const JitterBand& band) {
  const auto text = [](Nanoseconds time) { return text::milliseconds_text(to_seconds(time)); };
  return fmt::format("{}: iteration p5 {}, p50 {}, p95 {}, mean {} ms\n", jitter_text(band.options), text(band.p5),
                     text(band.p50), text(band.p95), text(band.mean));
}

nlohmann::ordered_json jitter_json(const JitterBand& band) {
  return {{"variation", band.options.variation}, {"runs", band.options.runs},
          {"seed", band.options.seed},           {"mean_ms", in_milliseconds(band.mean)},
          {"p5_ms", in_milliseconds(band.p5)},   {"p50_ms", in_milliseconds(band.p50)},
          {"p95_ms", in_milliseconds(band.p95)}};
}

}  // namespace pipedeck::cli::options
