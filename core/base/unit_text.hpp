// SPDX-License-Identifier: Apache-2.0
// Units that are separate from their values: in table headings and options.
#pragma once

#include <string>

#include "core/base/quantity_text.hpp"

namespace pipedeck {

/// Returns true for a unit alone: "GB/s" of a rate, "us" of a time. False for a text that begins as a number, since the
/// test prepends "1".
inline bool is_unit(QuantityKind measure, const std::string& text) {
  const bool letter =
      !text.empty() && std::string_view("0123456789.,eE+-").find(text.front()) == std::string_view::npos;
  return letter && parse_quantity(measure, "1" + text).has_value();
}

}  // namespace pipedeck
