// SPDX-License-Identifier: Apache-2.0
// Texts that programs print for people, line by line and word by word.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace pipedeck::io::text {

/// Pieces of `text` between separators; empty ones are left out. They are parts of `text`.
inline std::vector<std::string_view> words_between(std::string_view text, std::string_view separators = " \t\r") {
  std::vector<std::string_view> made;
  for (std::size_t at = text.find_first_not_of(separators); at != text.npos;
       at = text.find_first_not_of(separators, at)) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    made.push_back(text.substr(at, end - at));
    at = end;
  }
  return made;
}

/// Returns the text without blanks at its ends. It is a part of `text`.
inline std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n") {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

/// Calls `each(line, number)`, from 1 on, until it returns false.
template <class Each>
void for_lines(std::string_view text, const Each& each) {
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    if (!each(text.substr(0, end), line)) return;
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
}

}  // namespace pipedeck::io::text
