// SPDX-License-Identifier: Apache-2.0
// The commands, one per file; their table is in command_line.cpp.
#pragma once

#include <memory>

#include "app/cli/options/command.hpp"

namespace pipedeck::cli::commands {

std::unique_ptr<options::Command> make_plan_command();
std::unique_ptr<options::Command> make_simulate_command();
std::unique_ptr<options::Command> make_edit_command();
std::unique_ptr<options::Command> make_compare_command();
std::unique_ptr<options::Command> make_what_if_command();
std::unique_ptr<options::Command> make_capacity_command();
std::unique_ptr<options::Command> make_diff_command();
std::unique_ptr<options::Command> make_autopsy_command();
std::unique_ptr<options::Command> make_profile_command();
std::unique_ptr<options::Command> make_run_command();
std::unique_ptr<options::Command> make_calibrate_command();
std::unique_ptr<options::Command> make_convert_command();
std::unique_ptr<options::Command> make_export_command();
std::unique_ptr<options::Command> make_validate_command();
std::unique_ptr<options::Command> make_check_command();
std::unique_ptr<options::Command> make_list_command();
std::unique_ptr<options::Command> make_doctor_command();
std::unique_ptr<options::Command> make_reproduce_command();
std::unique_ptr<options::Command> make_accuracy_command();

}  // namespace pipedeck::cli::commands
