// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/command_line.hpp"
#include "core/base/allocator.hpp"
#include "core/base/crash_report.hpp"
#include "core/base/out_of_memory.hpp"
#include "core/base/standard_streams.hpp"

int main(int argc, char** argv) {
  pipedeck::harden_streams();
  pipedeck::report_crashes("pipedeck-cli", PIPEDECK_VERSION, pipedeck::crash_folder(pipedeck::state_folder()));
  pipedeck::keep_freed_memory();
  pipedeck::end_without_memory();
  return pipedeck::cli::commands::run_command_line({argv + 1, argv + argc});
}
