// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include "app/cli/commands/command_line.hpp"

int main(int argc, char** argv) {
  // A file that would grow over the limit of its size is an error to tell, not a death without a word.
  std::signal(SIGXFSZ, SIG_IGN);
  return pipedeck::cli::commands::run_command_line({argv + 1, argv + argc});
}
