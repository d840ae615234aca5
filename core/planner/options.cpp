// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "core/planner/planner.hpp"

namespace pipedeck::planner {

namespace {

const OptionInfo* find_option(const PlannerInfo& planner, const std::string& name) {
  for (const OptionInfo& option : planner.options)
    if (option.name == name) return &option;
  return nullptr;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::optional<int> whole_number(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return {};
  return value;
}

/// Returns the expected values if `value` is not valid, else an empty text.
std::string expectation(const OptionInfo& option, const std::string& value) {
  switch (option.type) {
    case OptionType::flag:
      return value == "true" || value == "false" ? "" : "true or false";
    case OptionType::integer:
      return whole_number(value) ? "" : "a whole number, 0 or more,";
    case OptionType::choice:
      return std::count(option.choices.begin(), option.choices.end(), value)
                 ? ""
                 : fmt::format("one of {}", joined(option.choices));
  }
  return "";
}

}  // namespace

Result<void> check_options(const PlannerInfo& planner, const PlannerOptions& options) {
  for (const auto& [name, value] : options) {
    const OptionInfo* option = find_option(planner, name);
    if (!option) {
      std::vector<std::string> known;
      for (const OptionInfo& one : planner.options) known.push_back("--" + one.name);
      return fail(ErrorCode::bad_usage, fmt::format("planner {} has no option --{}; it has {}", planner.name, name,
                                                    known.empty() ? "none" : joined(known)));
    }
    if (const std::string expected = expectation(*option, value); !expected.empty())
      return fail(ErrorCode::bad_usage, fmt::format("--{} is '{}', {} expected", name, value, expected));
  }
  return {};
}

}  // namespace pipedeck::planner
