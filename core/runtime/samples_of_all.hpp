// SPDX-License-Identifier: Apache-2.0
// Samples of a run's devices where those are in several processes: each samples its own, the first puts them together
// when all have told theirs, between steps.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "core/domain/run.hpp"

namespace pipedeck {

class SamplesOfAll {
 public:
  explicit SamplesOfAll(Seconds every) : every_(every) {}

  /// Of this process's devices; from any thread.
  void add(RunSample sample);
  /// Those since the last call, as bytes to be told.
  std::string told();
  /// At the first process: what each told, process by process, whose devices follow each other in that order. Returns
  /// the samples of all devices at the times of the first one's; of the others' the one that covers each. What some
  /// process has not sampled yet waits for the next call, unless this is the `last`.
  std::vector<RunSample> together(const std::vector<std::string>& processes, bool last);

 private:
  const RunSample* covering(const std::vector<RunSample>& of_process, Seconds time, bool last) const;

  const Seconds every_;
  std::mutex mutex_;
  std::vector<RunSample> untold_;
  std::vector<std::vector<RunSample>> waiting_;  ///< a process
};

}  // namespace pipedeck
