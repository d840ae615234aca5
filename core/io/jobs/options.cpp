// SPDX-License-Identifier: Apache-2.0
#include "core/io/jobs/options.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/io/text/decimal.hpp"

namespace pipedeck::io::jobs {
namespace {

bool is_option(std::string_view word) {
  return word.size() > 2 && word.starts_with("--") && std::isalpha(static_cast<unsigned char>(word[2])) != 0;
}

}  // namespace

Options::Options(std::span<const std::string> words) {
  Option* last = nullptr;
  for (const std::string& word : words) {
    if (!is_option(word)) {
      if (last) last->values.push_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    std::string name = word.substr(2, equals == word.npos ? word.npos : equals - 2);
    const auto [found, added] = options_.insert_or_assign(name, Option{});
    if (added) order_.push_back(std::move(name));
    last = &found->second;
    if (equals != word.npos) last->values.push_back(word.substr(equals + 1));
  }
}

Options::Options(const json::Value& tree) : dashes_("") { add("", tree); }

void Options::add(const std::string& path, const json::Value& value) {
  if (const auto* members = value.as<json::Members>()) {
    for (const auto& [key, member] : *members) add(path.empty() ? key : path + "." + key, member);
    return;
  }
  if (value.is_null()) return;  // as if it were not there
  Option option;
  const auto word_of = [](const json::Value& one) {
    if (const auto* word = one.as<std::string>()) return *word;
    return json::compact(one);
  };
  if (const auto* list = value.as<json::List>())
    for (const json::Value& one : *list) option.values.push_back(word_of(one));
  else
    option.values.push_back(word_of(value));
  if (options_.insert_or_assign(path, std::move(option)).second) order_.push_back(path);
}

Options::Option* Options::take(std::string_view name) {
  const auto found = options_.find(name);
  if (found == options_.end()) return nullptr;
  found->second.taken = true;
  return &found->second;
}

void Options::leave_out(std::string_view name) {
  if (const auto found = options_.find(name); found != options_.end()) found->second.taken = false;
}

void Options::refuse(std::string_view name, std::string message) {
  if (!error_) error_ = Error{ErrorCode::bad_input, std::move(message), {}, fmt::format("{}{}", dashes_, name)};
}

bool Options::flag(std::string_view name, bool otherwise) {
  const Option* option = take(name);
  if (!option) return otherwise;
  if (dashes_.empty()) {
    const std::string word = option->values.empty() ? std::string() : option->values.front();
    if (word == "auto") return otherwise;
    if (word != "true" && word != "false") refuse(name, fmt::format("found \"{}\", expected true or false", word));
    return word == "true";
  }
  if (!option->values.empty())
    refuse(name, fmt::format("found the value \"{}\", expected none", option->values.front()));
  return true;
}

const std::string* Options::only_value(std::string_view name, std::string_view expected) {
  const Option* option = take(name);
  if (!option) return nullptr;
  if (option->values.size() == 1 && !option->values.front().empty()) return &option->values.front();
  refuse(name, option->values.size() > 1
                   ? fmt::format("found {} values, expected {}", option->values.size(), expected)
                   : fmt::format("found no value, expected {}{}", expected,
                                 dashes_.empty() ? "" : "; --set gives values to a script's variables"));
  return nullptr;
}

int Options::number(std::string_view name, int otherwise, int least) {
  const std::string expected = fmt::format("a whole number from {}", least);
  const std::string* value = only_value(name, expected);
  if (!value) return otherwise;
  if (dashes_.empty() && *value == "auto") {  // of Hugging Face's Trainer
    assume(fmt::format("nothing for {}, which the file leaves to its program", name));
    return otherwise;
  }
  const auto number = text::decimal_to_integer(*value);
  if (number && *number >= least && *number <= std::numeric_limits<int>::max()) return static_cast<int>(*number);
  refuse(name, fmt::format("found \"{}\", expected {}", *value, expected));
  return otherwise;
}

double Options::fraction(std::string_view name, double otherwise) {
  const std::string* value = only_value(name, "a number from 0");
  if (!value) return otherwise;
  const auto number = text::decimal_to_double(*value);
  if (number && *number >= 0) return *number;
  refuse(name, fmt::format("found \"{}\", expected a number from 0", *value));
  return otherwise;
}

std::string Options::word(std::string_view name, std::initializer_list<std::string_view> known) {
  const std::string expected =
      known.size() == 0 ? std::string("a word") : fmt::format("one of {}", fmt::join(known, ", "));
  const std::string* value = only_value(name, expected);
  if (!value) return {};
  if (known.size() == 0 || std::ranges::find(known, *value) != known.end()) return *value;
  refuse(name, fmt::format("found \"{}\", expected {}", *value, expected));
  return {};
}

std::vector<std::string> Options::list(std::string_view name) {
  const Option* option = take(name);
  return option ? option->values : std::vector<std::string>();
}

namespace {

/// Returns true if the name begins with these whole words: "lr" is in "lr-decay-style", not in "lru".
bool begins_with_words(std::string_view name, std::string_view words) {
  const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  return name.starts_with(words) &&
         (name.size() == words.size() || !letter(words.back()) || !letter(name[words.size()]));
}

}  // namespace

ImportShare Options::share(OptionNames without_effect) const {
  ImportShare share;
  share.assumed = assumed_;
  for (const std::string& name : order_) {
    const Option& option = options_.find(name)->second;
    if (option.taken)
      ++share.understood;
    else if (std::ranges::any_of(without_effect, [&](std::string_view own) { return begins_with_words(name, own); }))
      ++share.without_effect;
    else
      share.left_out.push_back(
          fmt::format("{}{}{}{}", dashes_, name, option.values.empty() ? "" : " ", fmt::join(option.values, " ")));
  }
  return share;
}

}  // namespace pipedeck::io::jobs
