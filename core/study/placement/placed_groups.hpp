// SPDX-License-Identifier: Apache-2.0
// The groups of a plan's devices in each dimension of parallelism, as they lie on the cluster: which of them leave an
// NVLink domain, and the bytes that cross the links between domains.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/plan.hpp"
#include "core/sim/simulate.hpp"

namespace pipedeck::study::placement {

enum class Grouping { tensor, context, expert, data, pipeline, sharding };
inline constexpr int grouping_count = 6;
std::string_view name_of(Grouping grouping);  // "TP"; "shards" of sharded states

/// A link with traffic between two domains.
struct LinkLoad {
  int link = 0;      ///< position in Cluster::links
  double bytes = 0;  ///< in a step, in the fuller direction
  bool operator==(const LinkLoad&) const = default;
};

struct PlacedGroups {
  Grouping grouping = Grouping::tensor;
  int size = 1;               ///< ranks of a group; 1: the plan does not have the dimension, and nothing else is set
  int count = 0;              ///< groups of all pipeline ranks
  std::vector<int> group_of;  ///< by device of the cluster; -1: the plan does not use it
  std::vector<bool> leaves;   ///< by group: it has ranks in several domains
  int leaving = 0;            ///< groups that leave their domain
  std::optional<double> bytes{};  ///< that a device sends in a step, mean of the pipeline's ranks; absent: not known
  std::vector<LinkLoad> loads{};  ///< ascending by link
};

/// Returns the groups of a plan of format version 2, one entry for each grouping, in their order. Bytes are those of
/// the mesh editor. A ring sends all bytes of a device to the next one by domain and number, a ring exchange to the
/// next rank, and an all-to-all as many to each rank. Devices of a pipeline rank may be any, in rank order; bytes that
/// are limited to some domains (Dispatcher::flex) are spread evenly over these where they are not consecutive. Without
/// a question that covers the plan (sim::question_of), bytes are absent. bad_input if degrees do not divide the stages.
Result<std::vector<PlacedGroups>> placed_groups(const sim::Simulator& simulator, const Plan& plan);

}  // namespace pipedeck::study::placement
