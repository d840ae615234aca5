// SPDX-License-Identifier: Apache-2.0
// Configurations in YAML as trees. All scalars are text: "true" and "false" for truth values, as Options takes them.
#pragma once

#include <cstddef>
#include <string>

#include "core/base/result.hpp"
#include "core/io/json/value.hpp"

namespace pipedeck::io::jobs {

/// The most that a text may have.
struct YamlLimits {
  std::size_t bytes = std::size_t{1} << 20;
  int values = 100'000;  ///< anchors that refer to each other grow without end
};

/// Returns the first document. bad_input with line and column for text that is no YAML, keys that are no text, and
/// trees that are larger or deeper than a configuration is.
Result<json::Value> tree_from_yaml(const std::string& text, const YamlLimits& limits = {});

/// Returns a document whose tree is that of tree_from_yaml(): members, lists of scalars, and scalars as text. Text that
/// a reader could take for something else is in quotes.
std::string yaml_of(const json::Members& tree);

}  // namespace pipedeck::io::jobs
