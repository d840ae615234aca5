// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options/checkpoint_arguments.hpp"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include "app/cli/text/console.hpp"
#include "core/runtime/checkpoint/resume.hpp"

namespace pipedeck::cli::options {

void CheckpointArguments::declare(CLI::App& app) {
  app.add_option("--checkpoint", folder_,
                 "save parameters and optimizer state in folder DIR, at least after the last step")
      ->type_name("DIR");
  app.add_option("--checkpoint-every", every_, "write a checkpoint every N steps as well")
      ->check(CLI::Range(1, 1 << 30))
      ->type_name("N");
  app.add_option("--keep", keep_, "number of last checkpoints to keep; 0: all [3]")
      ->check(CLI::Range(0, 1 << 30))
      ->type_name("K");
  app.add_option("--resume", resumed_,
                 "resume from the last complete checkpoint in DIR, of any plan of this model, or from one step's "
                 "folder; --steps includes the steps before it")
      ->type_name("DIR");
}

Result<void> CheckpointArguments::check() const {
  if (every_ > 0 && folder().empty())
    return fail(ErrorCode::bad_usage, "run: --checkpoint-every needs --checkpoint DIR");
  if (keep_ && folder().empty()) return fail(ErrorCode::bad_usage, "run: --keep needs --checkpoint DIR");
  return {};
}

Result<void> CheckpointArguments::apply(const ModelSpec& model, const Plan& plan,
                                        runtime::train::TrainOptions& options) const {
  TRY_VOID(check());
  if (!folder().empty()) options.checkpoint = runtime::checkpoint::Options{folder(), every_, keep_.value_or(3)};
  return resumed_.empty() ? Result<void>() : resume(model, plan, options);
}

Result<void> CheckpointArguments::resume(const ModelSpec& model, const Plan& plan,
                                         runtime::train::TrainOptions& options) const {
  TRY(auto checkpoint, runtime::checkpoint::Checkpoint::open(resumed_));
  for (const std::string& warning : checkpoint.warnings()) text::print_warning(warning);
  TRY(const auto differences, checkpoint.check(model, plan));
  for (const std::string& difference : differences) text::print_warning(difference);
  const std::uint64_t step = checkpoint.origin().step;
  if (step >= static_cast<std::uint64_t>(options.steps))
    return fail(
        ErrorCode::bad_usage,
        fmt::format("run: --steps is {}, expected more than {}, the step of {}: --steps includes the steps before it",
                    options.steps, step, checkpoint.path()));
  text::print_note(fmt::format("resuming from step {} in {}", step, checkpoint.path()));
  options.resume = std::make_shared<const runtime::checkpoint::Checkpoint>(std::move(checkpoint));
  return {};
}

std::optional<std::string> CheckpointArguments::resume_hint() const {
  for (const std::string& from : {folder(), resumed_}) {
    if (from.empty()) continue;
    const auto checkpoint = runtime::checkpoint::Checkpoint::open(from);
    if (checkpoint) return fmt::format("resume with --resume {} (step {})", from, checkpoint->origin().step);
  }
  return std::nullopt;
}

}  // namespace pipedeck::cli::options
