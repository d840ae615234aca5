// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace pipedeck::cli::commands {

/// The whole program: arguments without the program's name in, exit status out (docs/formats.md, "Command line").
int run_command_line(const std::vector<std::string>& arguments);

}  // namespace pipedeck::cli::commands
