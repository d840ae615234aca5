// SPDX-License-Identifier: Apache-2.0
// The lines of a layer graph as they stand, before anything is made of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/base/units.hpp"

namespace pipedeck::io::profiles {

struct Node {
  int line = 0;
  std::string id, description;
  Seconds forward, backward;
  std::vector<Bytes> outputs;  ///< one or more
  Bytes parameters;
  std::optional<int> stage;
};

struct Arrow {
  int line = 0;
  std::string from, to;
};

struct Graph {
  std::vector<Node> nodes;  ///< one or more
  std::vector<Arrow> arrows;
  int lines = 0;
};

/// Errors carry the line.
Result<Graph> parse(const std::string& text);

bool is_id(std::string_view text);

}  // namespace pipedeck::io::profiles
