// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/io/json/value.hpp"

namespace pipedeck::io::jobs {

/// Returns a TOML document as a tree: tables, dotted and quoted keys, words of one line, numbers, flags, lists and
/// inline tables. bad_input with the line of anything else: dates, texts of several lines, lists of tables.
Result<json::Value> tree_from_toml(const std::string& text);

}  // namespace pipedeck::io::jobs
