// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command_line.hpp"

int main(int argc, char** argv) { return pipedeck::cli::run_command_line({argv + 1, argv + argc}); }
