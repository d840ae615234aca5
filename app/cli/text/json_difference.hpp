// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace pipedeck::cli::text {

/// One leaf that two documents do not share; a side that lacks it is null.
struct LeafDifference {
  std::string place;  ///< JSON pointer
  nlohmann::ordered_json a, b;
};

/// The leaves in which two documents differ, in `a`'s order, then what only `b` has. List items are compared by
/// position.
std::vector<LeafDifference> differences(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b);

}  // namespace pipedeck::cli::text
