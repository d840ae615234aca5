// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/command_line.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "app/cli/commands/commands.hpp"
#include "app/cli/text/console.hpp"
#include "app/cli/work/cancel_on_signal.hpp"
#include "app/cli/work/run_site.hpp"
#include "core/base/out_of_memory.hpp"

namespace pipedeck::cli::commands {
namespace {

struct CommandInfo {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<options::Command> (*make)();
};

constexpr auto commands = std::to_array<CommandInfo>({
    {"plan", "find the best plan of one planner", make_plan_command},
    {"simulate", "predict time and memory of a plan", make_simulate_command},
    {"edit", "change a plan by hand and show the effect", make_edit_command},
    {"compare", "compare the plans of several planners", make_compare_command},
    {"what-if", "plan on other hardware: the Pareto front, what to buy first", make_what_if_command},
    {"capacity", "find how many devices a training needs, or the largest model that fits", make_capacity_command},
    {"diff", "show the differences of two plans, simulations or runs", make_diff_command},
    {"autopsy", "find why a run failed or waits: memory snapshots, NCCL dumps, traces of ranks", make_autopsy_command},
    {"profile", "measure a model's layers on this machine", make_profile_command},
    {"run", "train a model with a plan", make_run_command},
    {"calibrate", "fit predictions to measured runs", make_calibrate_command},
    {"convert", "read one format, write another", make_convert_command},
    {"export", "write a table as CSV, a project's document, a batch job", make_export_command},
    {"validate", "check files of any format", make_validate_command},
    {"check", "check a job of another engine: broken rules, nearest values, time, memory", make_check_command},
    {"reproduce", "compare a table of one of the papers with Pipedeck's results", make_reproduce_command},
    {"accuracy", "compare predictions with a table of measured runs", make_accuracy_command},
    {"list",
     "list planners, schedules, models, clusters, devices, device-types, cloud-shapes, formats, engines, checkpoints",
     make_list_command},
    {"doctor", "describe this installation for a report: versions, libraries, devices, display", make_doctor_command},
});

std::string command_overview() {
  std::string text = "usage: pipedeck-cli COMMAND [options]\n\n";
  for (const CommandInfo& command : commands) text += fmt::format("  {:<11}{}\n", command.name, command.summary);
  return text + "\npipedeck-cli COMMAND --help lists a command's options.\n";
}

int bad_usage(const std::string& message, const std::vector<std::string>& arguments = {}) {
  if (work::is_reported_elsewhere(arguments)) return exit_status(ErrorCode::bad_usage);
  text::print_error({ErrorCode::bad_usage, message, {}, {}});
  return exit_status(ErrorCode::bad_usage);
}

int no_command(const std::string& message) {
  const int status = bad_usage(message);
  text::print_usage(command_overview());
  return status;
}

int answer(const std::string& text) {
  const auto printed = text::print_answer(text);
  if (printed) return 0;
  text::print_error(printed.error());
  return exit_status(printed.error().code);
}

int run_parsed(options::Command& command, const std::vector<std::string>& arguments) {
  work::CancelOnSignal cancel([&command] { return command.saves_first(); });
  const Result<int> status = command.run(cancel.token());
  if (status) return *status;
  if (!work::is_reported_elsewhere(arguments)) text::print_error(status.error());
  return exit_status(status.error().code);
}

/// The first option that was given "", which CLI11 takes for 0 or for a name.
std::optional<std::string> without_value(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options())
    for (const std::string& value : option->results())
      if (value.empty()) return option->get_name();
  return std::nullopt;
}

int run_command(const CommandInfo& info, const std::vector<std::string>& arguments) {
  CLI::App app(std::string(info.summary), fmt::format("pipedeck-cli {}", info.name));
  const std::unique_ptr<options::Command> command = info.make();
  command->declare(app);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 takes them from the back
  } catch (const CLI::CallForHelp&) {
    return answer(app.help());
  } catch (const CLI::ParseError& error) {
    return bad_usage(
        fmt::format("{}: {} (pipedeck-cli {} --help lists the options)", info.name, error.what(), info.name),
        arguments);
  }
  if (const auto option = without_value(app))
    return bad_usage(fmt::format("{}: {}: found nothing, expected a value", info.name, *option), arguments);
  return run_parsed(*command, arguments);
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return no_command("a command is expected");
  if (arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") return answer(command_overview());
  if (arguments[0] == "--version") return answer("pipedeck-cli " PIPEDECK_VERSION "\nlicence: Apache-2.0\n");
  const auto info = std::find_if(commands.begin(), commands.end(),
                                 [&](const CommandInfo& command) { return command.name == arguments[0]; });
  if (info == commands.end()) return no_command(fmt::format("unknown command \"{}\"", arguments[0]));
  try {
    return run_command(*info, {arguments.begin() + 1, arguments.end()});
  } catch (const std::bad_alloc&) {
    print_out_of_memory();
    return exit_status(ErrorCode::io);
  } catch (const std::system_error& error) {
    text::print_error({ErrorCode::io, fmt::format("the system could not create a thread: {}", error.what()), {}, {}});
    return exit_status(ErrorCode::io);
  } catch (const std::exception& error) {  // a broken invariant
    text::print_error({ErrorCode::internal, fmt::format("internal error: {}", error.what()), {}, {}});
    return exit_status(ErrorCode::internal);
  }
}

}  // namespace pipedeck::cli::commands
