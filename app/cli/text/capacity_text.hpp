// SPDX-License-Identifier: Apache-2.0
// The answer of `capacity`, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "core/model/capacity.hpp"
#include "core/study/capacity/largest.hpp"
#include "core/study/capacity/resized.hpp"

namespace pipedeck::cli::text {

struct CapacityAnswer {
  std::string model, cluster;  ///< names
  CapacityGoal goal;
  std::vector<CapacityFound> found;  ///< in the order of the points
  std::vector<std::size_t> ranked;   ///< as ranked_capacity() has them
  std::string currency, price_date;  ///< of the catalogue's prices

  /// The point to take, absent where none meets the goal.
  const CapacityFound* best() const;
  /// Where none meets it: the nearest that has any plan.
  const CapacityFound* nearest() const;
};

std::string capacity_text(const CapacityAnswer& answer);
std::string capacity_json(const CapacityAnswer& answer);
/// "A100-80GB x 32 (4 nodes), global batch 256: too slow, 41.2 d": what rules a point out, with figures.
std::string capacity_point_text(const CapacityAnswer& answer, const CapacityFound& found);

struct LargestText {
  std::string model, cluster;
  study::capacity::SizeKind kind = study::capacity::SizeKind::layers;
  study::capacity::LargestAnswer answer;
};
std::string largest_text(const LargestText& found);
std::string largest_json(const LargestText& found);

}  // namespace pipedeck::cli::text
