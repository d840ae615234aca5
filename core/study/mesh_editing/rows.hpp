// SPDX-License-Identifier: Apache-2.0
// The costs of each dimension of a plan, and what a step along it would change.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/mesh/prediction.hpp"
#include "core/study/mesh_editing/dimensions.hpp"

namespace pipedeck::study::mesh_editing {

/// A value of a dimension.
struct Candidate {
  int value = 0;
  std::string text;                       ///< "8"
  bool is_now = false;                    ///< of the plan; of `overlap`: hidden now
  std::optional<BrokenRule> broken{};     ///< if it is not admissible; else the figures count
  std::optional<DimensionValue> with{};   ///< if it is not admissible: it is with this change of one more dimension
  std::optional<int> nearest{};           ///< if it is not admissible: the dimension's nearest value that is
  Seconds iteration{};                    ///< as simulated
  double change = 0;                      ///< of it, relative to the plan's
  Bytes memory{};                         ///< of the fullest device, with what other programs and the driver take
  bool fits = true;                       ///< on device and host
  std::vector<DimensionValue> follows{};  ///< other dimensions whose values change, too; of `overlap`, lanes that do
  std::optional<ScheduleKind> order{};    ///< the schedule, if it changes, too
};

struct Row {
  Dimension dimension = Dimension::tensor;
  bool locked = false;
  std::vector<Candidate> candidates;
  double bytes = 0;               ///< that a device sends in a step, mean of the pipeline's ranks
  Seconds exposed;                ///< that it waits for in a step, or recomputes
  std::optional<Bytes> memory{};  ///< less than without the dimension, below 0; absent: as without, or not admissible
  const Candidate* now() const;   ///< null for `overlap`
};

/// A plan in all its dimensions.
struct Sheet {
  mesh::Prediction now;
  Bytes memory;           ///< as Candidate::memory
  std::vector<Row> rows;  ///< those that the model has, in the order of Dimension
  int devices = 0, micro_batches = 0;
  const Row* row(Dimension dimension) const;
};

/// Returns the sheet, with all candidates simulated by that many threads. An error if the plan itself has none.
Result<Sheet> sheet_of(const Mesh& mesh, int threads = 1);

/// A step along one dimension.
struct Step {
  Dimension dimension;
  int value;
};
/// Returns the step along an unlocked dimension that is fastest and fits; nothing if none is faster. If the plan itself
/// does not fit, the fastest that does, else the one with least memory.
std::optional<Step> best_step(const Sheet& sheet);

}  // namespace pipedeck::study::mesh_editing
