// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/run_site.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "app/cli/text/console.hpp"
#include "core/plan/validate.hpp"
#include "core/runtime/mpi/module.hpp"
#include "core/runtime/mpi/processes.hpp"

namespace pipedeck::cli::work {
namespace {

runtime::train::RunEnvironment site_of(const std::shared_ptr<runtime::mpi::ProcessGroup>& processes) {
  return {[processes](const std::vector<std::shared_ptr<runtime::tensor::DeviceMemory>>& memories,
                      runtime::transport::RunControl& control) { return processes->connect(memories, control); },
          processes};
}

}  // namespace

RunTransport::RunTransport() : site_(runtime::train::single_process()) {}
RunTransport::~RunTransport() = default;

void RunTransport::declare(CLI::App& app) {
  app.add_option("--transport", transport_,
                 "threads: all devices in this process; mpi: in the processes that mpirun or srun started [threads]")
      ->check(CLI::IsMember({"threads", "mpi"}))
      ->type_name("NAME");
}

Result<void> RunTransport::open(std::chrono::milliseconds timeout) {
  if (transport_ != "mpi") return {};
  const auto wire = runtime::mpi::mpi_wire();
  if (!wire) {
    Error error = wire.error();
    error.message = "--transport mpi: " + error.message;
    return tl::unexpected(error);
  }
  if (!runtime::mpi::launched_rank())
    return fail(ErrorCode::bad_usage,
                "run: --transport mpi: found one process, expected several started together: mpirun -n 2 pipedeck-cli "
                "run --transport mpi ..., or srun --mpi=pmix");
  TRY(auto joined, runtime::mpi::ProcessGroup::join(**wire, timeout));
  processes_ = std::move(joined);
  site_ = site_of(processes_);
  if (!first()) text::set_quiet();
  return {};
}

Result<void> RunTransport::agree_on_error(const Result<void>& checked) const {
  auto error = site_.processes->agree_on_error(checked ? std::nullopt : std::optional(checked.error()));
  if (error) return tl::unexpected(*std::move(error));
  return {};
}

Result<void> RunTransport::agree_on_error(const Result<void>& checked, const Plan& plan,
                                          const std::string& inputs) const {
  if (auto agreed = agree_on_error(checked); !agreed || !processes_) return agreed;
  const std::size_t devices = devices_used(plan).size();
  if (static_cast<std::size_t>(processes_->size()) > devices)
    return fail(ErrorCode::bad_usage, fmt::format("run: --transport mpi: found {} processes, expected {} at most, one "
                                                  "for each device of the plan: mpirun -n {}",
                                                  processes_->size(), devices, devices));
  TRY(const auto all, processes_->collect(inputs));
  const bool alike = std::all_of(all.begin(), all.end(), [&](const std::string& one) { return one == all.front(); });
  if (alike) return agree_on_error({});
  return agree_on_error(
      fail(ErrorCode::bad_input,
           "run: --transport mpi: found another plan, model or option in another process than in the first: "
           "the same files and the same program are needed on every host"));
}

void RunTransport::say(const std::string& message) const {
  if (!processes_ || processes_->is_reporter()) text::print_error({ErrorCode::run_failed, message, {}, {}});
}

Result<int> RunTransport::end(Result<int> result) {
  if (!processes_) return result;
  const int status = result ? *result : exit_status(result.error().code);
  if (!result && processes_->is_reporter()) text::print_error(result.error());
  if (status == exit_status(ErrorCode::run_failed)) processes_->abort(status);
  const auto parted = processes_->disconnect();
  if (parted) return status;
  const bool stopped = parted.error().code == ErrorCode::cancelled;
  if (status == 0 && !stopped && processes_->is_reporter()) text::print_error(parted.error());
  std::fflush(nullptr);
  // A thread hangs inside MPI. mpirun waits without end for who is stopped, unless another process fails.
  std::_Exit(status == 0 ? exit_status(parted.error().code) : status);
}

bool is_reported_elsewhere(const std::vector<std::string>& arguments) {
  const auto option = std::find(arguments.begin(), arguments.end(), "--transport");
  const bool together = (option != arguments.end() && option + 1 != arguments.end() && *(option + 1) == "mpi") ||
                        std::find(arguments.begin(), arguments.end(), "--transport=mpi") != arguments.end();
  if (!together || runtime::mpi::launched_rank().value_or(0) == 0) return false;
  // mpirun ends everybody when the first one ends.
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  return true;
}

}  // namespace pipedeck::cli::work
