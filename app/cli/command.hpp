// SPDX-License-Identifier: Apache-2.0
// A command: it declares its options, then runs. One file per command; their table is in command_line.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <stop_token>

#include "core/domain/result.hpp"

namespace pipedeck::cli {

class Command {
 public:
  virtual ~Command() = default;
  virtual void declare(CLI::App& app) = 0;
  /// Returns the exit status if the command has printed everything itself, or an error for the caller to print.
  virtual Result<int> run(std::stop_token stop) = 0;
};

std::unique_ptr<Command> make_plan_command();
std::unique_ptr<Command> make_simulate_command();
std::unique_ptr<Command> make_edit_command();
std::unique_ptr<Command> make_compare_command();
std::unique_ptr<Command> make_what_if_command();
std::unique_ptr<Command> make_capacity_command();
std::unique_ptr<Command> make_diff_command();
std::unique_ptr<Command> make_profile_command();
std::unique_ptr<Command> make_run_command();
std::unique_ptr<Command> make_calibrate_command();
std::unique_ptr<Command> make_convert_command();
std::unique_ptr<Command> make_export_command();
std::unique_ptr<Command> make_validate_command();
std::unique_ptr<Command> make_list_command();
std::unique_ptr<Command> make_reproduce_command();

}  // namespace pipedeck::cli
