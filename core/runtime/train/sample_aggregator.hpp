// SPDX-License-Identifier: Apache-2.0
// Samples of a run's devices in several processes. Each process samples its own devices. The first process merges them
// between steps, when all have sent theirs.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "core/model/run.hpp"

namespace pipedeck::runtime::train {

class SampleAggregator {
 public:
  explicit SampleAggregator(Seconds every) : every_(every) {}

  /// Adds a sample of this process's devices. Any thread may call it.
  void add(RunSample sample);
  /// Returns the samples since the last call, as bytes to send.
  std::string told();
  /// Merges the samples that each process sent, in process order; their devices follow each other in that order. Called
  /// on the first process. Returns samples of all devices at the times of the first process. From the others it takes
  /// the sample that covers each time. Times that some process has not sampled yet wait for the next call, unless this
  /// is the `last`.
  std::vector<RunSample> together(const std::vector<std::string>& processes, bool last);

 private:
  const RunSample* covering(const std::vector<RunSample>& of_process, Seconds time, bool last) const;

  const Seconds every_;
  std::mutex mutex_;
  std::vector<RunSample> untold_;
  std::vector<std::vector<RunSample>> waiting_;  ///< one per process
};

}  // namespace pipedeck::runtime::train
