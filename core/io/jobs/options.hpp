// SPDX-License-Identifier: Apache-2.0
// The options of a command line, "--name value ...", or of a configuration, "section.name". Each is taken by the one
// who understands it; the account of the others is what a reader left out.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/io/jobs/training_job.hpp"
#include "core/io/json/value.hpp"

namespace pipedeck::io::jobs {

using OptionNames = std::span<const std::string_view>;

class Options {
 public:
  /// Takes the last of an option that is given twice. Words before the first option are left out.
  explicit Options(std::span<const std::string> words);
  /// Takes a configuration: members of members by their path, "optimizer.type". Lists have their values.
  explicit Options(const json::Value& tree);

  bool empty() const { return options_.empty(); }
  bool has(std::string_view name) const { return options_.contains(name); }

  /// Each takes an option: it counts as understood.
  bool flag(std::string_view name, bool otherwise = false);
  /// Returns `otherwise` if the option is not given. A value that is no whole number from `least` is the error.
  int number(std::string_view name, int otherwise = 0, int least = 0);
  double fraction(std::string_view name, double otherwise = 0);
  /// Returns an empty word if the option is not given. With `known`, any other value is the error.
  std::string word(std::string_view name, std::initializer_list<std::string_view> known = {});
  std::vector<std::string> list(std::string_view name);

  /// Takes back what was taken: the option is left out.
  void leave_out(std::string_view name);
  void assume(std::string sentence) { assumed_.push_back(std::move(sentence)); }
  /// Adds an error, of which the first counts.
  void refuse(std::string_view name, std::string message);
  const std::optional<Error>& error() const { return error_; }

  /// Returns the account. Names that begin as one of `without_effect` have none on time and memory.
  ImportShare share(OptionNames without_effect) const;

 private:
  struct Option {
    std::vector<std::string> values;
    bool taken = false;
  };
  Option* take(std::string_view name);
  /// Returns the only value; null, and an error, if there is none.
  const std::string* only_value(std::string_view name, std::string_view expected);

  void add(const std::string& path, const json::Value& value);

  std::string_view dashes_ = "--";                      ///< of a command line
  std::map<std::string, Option, std::less<>> options_;  ///< without the dashes
  std::vector<std::string> order_, assumed_;
  std::optional<Error> error_;
};

}  // namespace pipedeck::io::jobs
