// SPDX-License-Identifier: Apache-2.0
// A planner's options as the fields of a struct: one table names each, with its help and its field. The struct's
// initial values are the defaults.
#pragma once

#include <charconv>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/planner/evaluation/evaluation.hpp"
#include "core/planner/planner.hpp"

namespace pipedeck::planner {

/// A row of an option table: an option's name and help, and its field of `Options`.
template <class Options>
struct OptionRow {
  OptionInfo info;
  std::function<void(Options&, const std::string&)> read;  ///< sets the field from a checked text
};

template <class Options>
OptionRow<Options> flag_option(std::string name, bool Options::*field, std::string help) {
  const bool by_default = Options{}.*field;
  return {{std::move(name), OptionType::flag, std::move(help), by_default ? "true" : "false", {}},
          [field](Options& options, const std::string& text) { options.*field = text == "true"; }};
}

template <class Options>
OptionRow<Options> integer_option(std::string name, int Options::*field, std::string help) {
  return {{std::move(name), OptionType::integer, std::move(help), std::to_string(Options{}.*field), {}},
          [field](Options& options, const std::string& text) {
            std::from_chars(text.data(), text.data() + text.size(), options.*field);
          }};
}

/// `choices` are the texts with their values; one of them is the field's initial value.
template <class Options, class Value>
OptionRow<Options> choice_option(std::string name, Value Options::*field, std::string help,
                                 std::vector<std::pair<std::string, Value>> choices) {
  OptionRow<Options> row{{std::move(name), OptionType::choice, std::move(help), {}, {}}, {}};
  for (const auto& [text, value] : choices) {
    row.info.choices.push_back(text);
    if (value == Options{}.*field) row.info.default_value = text;
  }
  row.read = [field, choices = std::move(choices)](Options& options, const std::string& given) {
    for (const auto& [text, value] : choices)
      if (text == given) options.*field = value;
  };
  return row;
}

/// A planner's options, in the order in which help lists them.
template <class Options>
class OptionTable {
 public:
  OptionTable(std::vector<OptionRow<Options>> rows) : rows_(std::move(rows)) {}  // NOLINT: implicit on purpose

  std::vector<OptionInfo> infos() const {
    std::vector<OptionInfo> infos;
    for (const OptionRow<Options>& row : rows_) infos.push_back(row.info);
    return infos;
  }

  /// Returns the options of a request that check_options has accepted.
  Options read(const PlannerOptions& given) const {
    Options options;
    for (const OptionRow<Options>& row : rows_)
      if (const auto found = given.find(row.info.name); found != given.end()) row.read(options, found->second);
    return options;
  }

 private:
  std::vector<OptionRow<Options>> rows_;
};

/// Returns the variants of the evaluation that the options ask for, for fields with the usual names.
template <auto table>
evaluation::EvaluateOptions evaluate_options(const PlannerOptions& given) {
  const auto asked = table().read(given);
  evaluation::EvaluateOptions how{.ignore_memory = asked.ignore_memory};
  if constexpr (requires { asked.printed; }) how.printed_objective = asked.printed;
  if constexpr (requires { asked.paper_in_flight; }) how.paper_in_flight = asked.paper_in_flight;
  return how;
}

/// Returns the time that `evaluate` computes, as a planner's objective.
template <Result<Seconds> (*evaluate)(const evaluation::Evaluation&)>
Result<std::optional<Objective>> objective_in_time(const evaluation::Evaluation& e) {
  TRY(const auto time, evaluate(e));
  return Objective{{}, time, {}};
}

}  // namespace pipedeck::planner
