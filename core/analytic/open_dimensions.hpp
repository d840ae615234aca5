// SPDX-License-Identifier: Apache-2.0
// The sizes that a graph leaves open: which they are, and what their names make one think they are.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/analytic/shaped_graph.hpp"

namespace pipedeck {

struct OpenDimension {
  enum class Meaning { batch, sequence, other };
  std::string name;   ///< "sequence"; "input_ids.1" where the file gives none
  std::string input;  ///< the first that has it
  Meaning meaning = Meaning::other;
};

/// Each once, in the inputs' order.
std::vector<OpenDimension> open_dimensions(const OperatorGraph& graph);

/// The samples that the file is for, where it leaves no batch open: the first size of all its inputs.
std::optional<std::int64_t> fixed_batch(const OperatorGraph& graph);

struct SizeAnswers {
  DimensionSizes named;        ///< by name
  std::int64_t sequence = 0;   ///< of those that look like one; 0: nobody says
  std::optional<int> samples;  ///< of a micro-batch; absent: the file's, else 1
};

struct ChosenSizes {
  DimensionSizes sizes;
  std::optional<std::int64_t> batch;  ///< in place of the first size that the file fixes
  int samples = 1;
  std::vector<std::string> notes;  ///< what was assumed
};

/// bad_usage where an answer is missing (with what to give), is for no open size or is beyond limits.
Result<ChosenSizes> choose_sizes(const OperatorGraph& graph, const SizeAnswers& answers);

}  // namespace pipedeck
