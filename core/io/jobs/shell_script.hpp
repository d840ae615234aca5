// SPDX-License-Identifier: Apache-2.0
// A shell script as a list of its commands, without running any: variables, arrays, arithmetic and simple tests are
// followed, all that asks the machine is empty.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.hpp"

namespace pipedeck::io::jobs {

struct ShellCommand {
  std::vector<std::string> words;
  int line = 1;  ///< of its first word
};

struct ShellScript {
  std::vector<ShellCommand> commands;
  std::vector<ShellCommand> lists;   ///< values of variables that are options, "--..."; as they are at the end
  std::vector<std::string> unknown;  ///< variables without a value, each once, in the order of their use
  bool skipped = false;              ///< loops are read once, `case` and functions' arguments not at all
};

using Variable = std::pair<std::string, std::string>;

/// `given`: variables that the script expects to be set. Returns bad_input with its line for quotes and brackets
/// without an end, and for values above 4 MiB.
Result<ShellScript> read_shell_script(std::string_view text, std::span<const Variable> given = {});

}  // namespace pipedeck::io::jobs
