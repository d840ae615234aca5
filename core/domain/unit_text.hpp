// SPDX-License-Identifier: Apache-2.0
// Units as people write them where figures stand apart from them: in headings of tables, as options.
#pragma once

#include <string>

#include "core/domain/quantity_text.hpp"

namespace pipedeck {

/// "GB/s" of a rate, "us" of a time; no figures, which "1" and a unit after it would take for more digits.
inline bool is_unit(Measure measure, const std::string& text) {
  const bool letter =
      !text.empty() && std::string_view("0123456789.,eE+-").find(text.front()) == std::string_view::npos;
  return letter && parse_quantity(measure, "1" + text).has_value();
}

}  // namespace pipedeck
