// SPDX-License-Identifier: Apache-2.0
#include "core/planner/program/plan_texts.hpp"

#include <fmt/format.h>

#include "core/io/text/printable.hpp"

namespace pipedeck::planner::program {

void PlanTexts::add(std::string_view more) {
  for (const char letter : more) add(letter);
}

void PlanTexts::add(char letter) {
  constexpr std::size_t shown = 40;
  if (braces_ == 0 && letter != '{') {
    if (letter == '[' || letter == ']')
      brackets_ += letter == '[' ? 1 : -1;
    else if (std::string_view(" \t\r\n,").find(letter) == std::string_view::npos && stray_.size() < shown)
      stray_ += letter;
    return;
  }
  open_ += letter;
  if (in_string_) {
    in_string_ = escaped_ || letter != '"';
    escaped_ = !escaped_ && letter == '\\';
    return;
  }
  in_string_ = letter == '"';
  if (letter == '{') ++braces_;
  if (letter != '}' || --braces_ > 0) return;
  whole_.push_back(std::move(open_));
  open_.clear();
}

std::string PlanTexts::problem() const {
  if (!stray_.empty()) return fmt::format("found \"{}\", expected plans as JSON", io::text::printable(stray_));
  if (braces_ > 0) return "found the beginning of a JSON object, expected a whole one";
  if (brackets_ != 0) return "found brackets that do not match, expected a JSON list";
  return {};
}

}  // namespace pipedeck::planner::program
