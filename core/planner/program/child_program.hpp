// SPDX-License-Identifier: Apache-2.0
// A program that gets a text on its standard input and answers on its standard output: started without a shell, in a
// process group of its own, which ends with it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "core/base/units.hpp"

namespace pipedeck::planner::program {

/// A bound on what a program may take.
struct ProgramLimits {
  Seconds time{600};
  std::size_t output = std::size_t{64} << 20;  ///< bytes of its standard output
  /// Returns true if the program is no longer wanted. Called every 20 ms.
  std::function<bool()> stop = [] { return false; };
};

/// A reason why a program did not end by itself.
enum class ProgramEnd { by_itself, stopped, out_of_time, too_much_output };

struct ProgramRun {
  ProgramEnd end = ProgramEnd::by_itself;
  int status = 0;             ///< of its exit; 128 + the signal that ended it
  std::string last_messages;  ///< the end of its standard error
};

/// Runs the program at `path` and hands over its output as it comes. A program may leave its input unread. Returns `io`
/// if it cannot be started.
Result<ProgramRun> run_program(const std::string& path, std::string_view input,
                               const std::function<void(std::string_view)>& output, const ProgramLimits& limits);

}  // namespace pipedeck::planner::program
