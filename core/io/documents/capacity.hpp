// SPDX-License-Identifier: Apache-2.0
// Points of a capacity sweep as they are kept from one run to the next (docs/formats.md, "Capacity points").
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "core/model/capacity.hpp"

namespace pipedeck::io::documents {

struct CapacityPoints {
  std::string question;  ///< SHA-256 of all inputs of planners except the points themselves
  std::map<CapacityPoint, CapacityFound> found;
};

/// Identified by its first bytes.
bool looks_like_capacity_points(std::string_view text);

/// Plans come without their cluster (PlanCandidate::cluster is null), which follows from the question and the point.
/// Errors carry the JSON pointer.
Result<CapacityPoints> capacity_points_from_json(const std::string& text);
std::string capacity_points_to_json(const CapacityPoints& points);

}  // namespace pipedeck::io::documents
