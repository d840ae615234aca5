// SPDX-License-Identifier: Apache-2.0
// Partitions of a chain over a pipeline, one device a stage, by predicted peak memory: CAPTURE's predictor, and its two
// recommenders for pipelines.
#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "core/planner/chain.hpp"

namespace pipedeck {

struct CaptureOptions {
  bool ignore_memory = false;
  bool paper_in_flight = false;
};

/// Ends of the stages, the last one being the number of layers.
using Partition = std::vector<int>;

struct PeakAnswer {
  Bytes peak;                         ///< the smallest highest peak
  std::vector<Partition> partitions;  ///< those that reach it, fewest seconds on the slowest stage first
};

class CapturePredictor {
 public:
  CapturePredictor(Chain& chain, int micro_batch, int stages, const CaptureOptions& options);

  int stages() const { return stages_; }
  int layers() const { return chain_.layers(); }
  /// Predicted peak of layers [first, last) as this stage; nothing where it does not fit its device.
  std::optional<Bytes> peak(int stage, int first, int last);
  /// Forward and backward of the stage, in seconds.
  double seconds(int stage, int first, int last);

 private:
  Chain& chain_;
  int micro_batch_, micro_batches_, stages_;
  CaptureOptions options_;
};

/// Nothing where no partition fits. `keep`: at most this many partitions.
std::optional<PeakAnswer> exact_partitions(CapturePredictor& predictor, std::size_t keep, std::stop_token stop);

/// The same by trying every partition; for at most `brute_force_limit` of them.
std::optional<PeakAnswer> brute_force_partitions(CapturePredictor& predictor, std::size_t keep, std::stop_token stop);
inline constexpr double brute_force_limit = 5e6;
/// C(layers - 1, stages - 1)
double partition_count(int layers, int stages);

}  // namespace pipedeck
