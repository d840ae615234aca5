// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/run_usage.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace pipedeck::cli::commands {
namespace {

struct Needs {
  const char* option;
  std::vector<const char*> one_of;
  const char* why;
};

const std::vector<Needs>& needs() {
  static const std::vector<const char*> prediction{"--profile"};
  static const char* predicted = "it changes the prediction, which needs --profile and --cluster";
  static const std::vector<Needs> table{
      {"--network", prediction, predicted},
      {"--collectives", prediction, predicted},
      {"--reserve-bytes", prediction, predicted},
      {"--reserve-share", prediction, predicted},
      {"--communication-bytes", prediction, predicted},
      {"--fragmentation", prediction, predicted},
      {"--profile-micro-batch", prediction, predicted},
      {"--calibration", prediction, predicted},
      {"--on-lost-reader", {"--events"}, "without it there are no events to read"},
      {"--sample-every", {"--events"}, "samples are events, and without it they are lost"},
      {"--timeline-every", {"--events", "--profile"}, "timelines are events, and without it they are lost"},
  };
  return table;
}

/// Options without a meaning for a replay: it computes nothing.
constexpr const char* of_models[] = {"--data",   "--evaluate", "--checkpoint",   "--keep",     "--checkpoint-every",
                                     "--resume", "--weights",  "--save-weights", "--sequence", "--adapter-alpha"};

bool given(const CLI::App& app, const char* option) { return app.count(option) > 0; }

Result<void> check_needs(const CLI::App& app) {
  for (const Needs& need : needs()) {
    const bool met = std::ranges::any_of(need.one_of, [&](const char* other) { return given(app, other); });
    if (given(app, need.option) && !met)
      return fail(ErrorCode::bad_usage,
                  fmt::format("run: {} needs {}: {}", need.option, fmt::join(need.one_of, " or "), need.why));
  }
  const bool buckets = given(app, "--overlap") && app["--overlap"]->results().back() == "bucket";
  if (given(app, "--bucket-bytes") && !buckets)
    return fail(ErrorCode::bad_usage, "run: --bucket-bytes needs --overlap bucket: without it there are no buckets");
  return {};
}

Result<void> check_replay(const CLI::App& app) {
  const bool predictable = given(app, "--profile") && given(app, "--cluster");
  if (given(app, "--model")) return fail(ErrorCode::bad_usage, "run: --replay and --model exclude each other");
  for (const char* option : of_models)
    if (given(app, option))
      return fail(ErrorCode::bad_usage,
                  fmt::format("run: a replay computes nothing: {} needs --model in place of --replay", option));
  if (!predictable)
    return fail(ErrorCode::bad_usage, "run: --replay needs --profile and --cluster for the times of passes");
  return {};
}

}  // namespace

Result<void> check_run_usage(const CLI::App& app) {
  if (given(app, "--replay")) {
    TRY_VOID(check_replay(app));
  } else if (!given(app, "--model")) {
    return fail(ErrorCode::bad_usage,
                "run: --model is required (a model to train), or --replay with --profile and --cluster");
  }
  if (given(app, "--profile") != given(app, "--cluster"))
    return fail(ErrorCode::bad_usage, "run: --profile and --cluster are needed together, for the prediction");
  return check_needs(app);
}

Result<void> check_overlap(Overlap overlap, const Plan& plan) {
  if (overlap == Overlap::none || plan.synchronous()) return {};
  return fail(ErrorCode::bad_usage,
              fmt::format("run: --overlap {}: found a plan with the schedule {}, expected a synchronous one: "
                          "asynchronous schedules reduce each round before the next pass; omit --overlap",
                          name_of(overlap), name_of(plan.schedule)));
}

}  // namespace pipedeck::cli::commands
