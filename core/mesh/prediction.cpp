// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/prediction.hpp"

#include <array>

namespace pipedeck::mesh {

std::string_view name_of(StepPart part) {
  static constexpr std::array<std::string_view, step_part_count> names{"compute", "recompute", "tensor", "context",
                                                                       "expert",  "gather",    "bubble", "pipeline",
                                                                       "data",    "optimizer", "host"};
  return names[static_cast<std::size_t>(part)];
}

}  // namespace pipedeck::mesh
