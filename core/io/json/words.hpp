// SPDX-License-Identifier: Apache-2.0
// The words of an enumeration as error messages show them: "ideal", "shared".
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "core/io/json/reader.hpp"
#include "core/model/plan.hpp"

namespace pipedeck::io::json {

/// Returns the names of all values of an enumeration, each between `quote`s.
template <class Enum>
std::string words_of(std::string_view quote = "\"") {
  std::string words;
  for (int value = 0; name_of(static_cast<Enum>(value)) != "?"; ++value)
    words += fmt::format("{0}{1}{2}{1}", value == 0 ? "" : ", ", quote, name_of(static_cast<Enum>(value)));
  return words;
}

}  // namespace pipedeck::io::json
