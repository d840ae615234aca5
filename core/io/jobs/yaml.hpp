// SPDX-License-Identifier: Apache-2.0
// Configurations in YAML as trees. All scalars are text: "true" and "false" for truth values, as Options takes them.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/io/json/value.hpp"

namespace pipedeck::io::jobs {

/// Returns the first document. bad_input with line and column for text that is no YAML, keys that are no text, and
/// trees that are larger or deeper than a configuration is.
Result<json::Value> tree_from_yaml(const std::string& text);

}  // namespace pipedeck::io::jobs
