// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include "app/cli/commands/command_line.hpp"
#include "core/base/allocator.hpp"
#include "core/base/out_of_memory.hpp"

int main(int argc, char** argv) {
  pipedeck::keep_freed_memory();
  pipedeck::end_without_memory();
  // A file above the size limit is reported as an error; the signal would end the process.
  std::signal(SIGXFSZ, SIG_IGN);
  return pipedeck::cli::commands::run_command_line({argv + 1, argv + argc});
}
