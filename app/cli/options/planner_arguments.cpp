// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options/planner_arguments.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pipedeck::cli::options {
namespace {

const planner::OptionInfo* find_option(const planner::PlannerInfo& planner, const std::string& name) {
  const auto found = std::find_if(planner.options.begin(), planner.options.end(),
                                  [&](const planner::OptionInfo& option) { return option.name == name; });
  return found == planner.options.end() ? nullptr : &*found;
}

tl::unexpected<Error> unknown_option(const planner::PlannerInfo& planner, const std::string& argument) {
  std::vector<std::string> known;
  for (const planner::OptionInfo& option : planner.options) known.push_back("--" + option.name);
  return fail(ErrorCode::bad_usage,
              fmt::format("plan: unknown argument \"{}\"; planner {} takes {}", argument, planner.name,
                          known.empty() ? "no options" : fmt::format("{}", fmt::join(known, ", "))));
}

std::string option_form(const planner::OptionInfo& option) {
  switch (option.type) {
    case planner::OptionType::flag:
      return "--" + option.name;
    case planner::OptionType::integer:
      return fmt::format("--{} N", option.name);
    case planner::OptionType::choice:
      return fmt::format("--{} {}", option.name, fmt::join(option.choices, "|"));
  }
  return {};
}

}  // namespace

Result<planner::PlannerOptions> planner_options(const planner::PlannerInfo& planner,
                                                const std::vector<std::string>& arguments) {
  planner::PlannerOptions options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (!argument.starts_with("--")) return unknown_option(planner, argument);
    const std::size_t equals = argument.find('=');
    const planner::OptionInfo* option =
        find_option(planner, argument.substr(2, equals == std::string::npos ? equals : equals - 2));
    if (!option) return unknown_option(planner, argument);
    std::string value = "true";
    if (equals != std::string::npos) {
      value = argument.substr(equals + 1);
    } else if (option->type != planner::OptionType::flag) {
      if (++i == arguments.size())
        return fail(ErrorCode::bad_usage, fmt::format("plan: {} needs a value: {}", argument, option_form(*option)));
      value = arguments[i];
    }
    if (!options.emplace(option->name, value).second)
      return fail(ErrorCode::bad_usage, fmt::format("plan: --{} is given twice", option->name));
  }
  TRY_VOID(planner::check_options(planner, options));
  return options;
}

Result<std::vector<const planner::PlannerInfo*>> parse_planners(const std::vector<std::string>& names) {
  std::vector<const planner::PlannerInfo*> chosen;
  for (const std::string& name : names) {
    TRY(const auto planner, planner::find_planner(name));
    if (std::ranges::find(chosen, planner) == chosen.end()) chosen.push_back(planner);
  }
  return chosen;
}

Result<std::vector<study::PlannerRequest>> asked_planners(const std::vector<std::string>& names,
                                                          std::vector<study::PlannerRequest> usual) {
  if (names.empty()) return usual;
  TRY(const auto chosen, parse_planners(names));
  std::vector<study::PlannerRequest> asked;
  for (const planner::PlannerInfo* planner : chosen) asked.push_back({planner, {}});
  return asked;
}

std::string planner_options_help() {
  std::string text = "Planner options:\n";
  for (const planner::PlannerInfo& planner : planner::planners()) {
    text += fmt::format("  {} - {}\n", planner.name, planner.summary);
    for (const planner::OptionInfo& option : planner.options) {
      text += fmt::format("    {:<38} {}", option_form(option), option.help);
      text += option.type == planner::OptionType::flag ? "\n" : fmt::format(" [{}]\n", option.default_value);
    }
  }
  return text;
}

}  // namespace pipedeck::cli::options
