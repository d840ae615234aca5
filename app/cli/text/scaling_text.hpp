// SPDX-License-Identifier: Apache-2.0
// The answer of `capacity --scaling`, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "core/study/capacity/scaling.hpp"

namespace pipedeck::cli::text {

struct ScalingText {
  std::string model, cluster;  ///< names
  study::capacity::ScalingKind kind = study::capacity::ScalingKind::strong;
  std::vector<study::capacity::ScalingPoint> points;
};
std::string scaling_text(const ScalingText& found);
std::string scaling_json(const ScalingText& found);

}  // namespace pipedeck::cli::text
