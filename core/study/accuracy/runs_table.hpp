// SPDX-License-Identifier: Apache-2.0
// A table of measured training runs with the degrees of parallelism they ran with, as CSV: a row a run, a column a
// fact. docs/accuracy.md lists the columns.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

namespace pipedeck::study::accuracy {

/// A measured run. A field that is absent or empty is not known.
struct PublishedRun {
  int line = 0;  ///< of the file
  std::string row, source, reference, task, model, attention, gpu, precision, sharding, recompute, overlap, schedule,
      software, memory_kind, notes;

  std::optional<double> parameters;  ///< of the model, in billions
  std::optional<int> layers, hidden, heads, key_value_heads, head_width, feed_forward, gated;
  std::optional<int> experts, experts_per_token, expert_feed_forward, shared_feed_forward, dense_layers, vocabulary;

  std::optional<double> gpu_memory_gb, network_gbps;  ///< network: of each GPU
  std::optional<int> gpus_per_node, domain_gpus, gpus;

  std::optional<int> sequence, global_batch, micro_batch;
  std::optional<int> tensor, sequence_parallel, pipeline, virtual_stages, context, expert, expert_tensor, data;

  bool newest = true;                       ///< no row of the same mapping under newer software
  std::optional<double> tokens_per_second;  ///< of each GPU
  std::optional<double> iteration_seconds, memory_gib;
  std::optional<double> printed_tflops;  ///< of each GPU

  /// Returns the printed time of an iteration, or the one that follows from tokens per second.
  std::optional<double> measured_seconds() const;
  bool has_shape() const { return layers && hidden && heads; }
};

/// Returns true if a column's words include this part.
inline bool mentions(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// Returns the runs of a CSV table. Columns are found by their names, in any order; unknown ones are ignored. Returns
/// bad_input with line and column for missing columns and fields that are no numbers.
Result<std::vector<PublishedRun>> runs_from_csv(const std::string& text);

/// Returns a CSV table with one more run at its end, in the table's columns; an empty text becomes a table with all
/// columns. bad_input if the table cannot be read, has no commas between its columns, or has a row of the run's name.
Result<std::string> with_run(const std::string& table, const PublishedRun& run);

}  // namespace pipedeck::study::accuracy
