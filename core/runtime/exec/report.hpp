// SPDX-License-Identifier: Apache-2.0
// A worker's report of a finished step.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/timeline.hpp"
#include "core/runtime/layers/layer_kernel.hpp"

namespace pipedeck::runtime::exec {

/// A transfer that a worker received.
struct TransferRecord {
  std::size_t from = 0;  ///< worker
  TimelineRow row;       ///< kind send, of the sending stage
};

/// A loss summed over samples and positions, on one replica of the last stage.
struct MicroBatchLoss {
  int micro_batch = 0;
  double loss = 0;
};

/// A worker's report of a step. Lists are in order of start. Times count from the step's begin, in asynchronous runs
/// from the run's begin.
struct StepReport {
  std::vector<TimelineRow> compute, all_reduces;
  std::vector<TransferRecord> transfers;
  std::vector<MicroBatchLoss> losses;
  Nanoseconds busy;
  Nanoseconds span;  ///< of an asynchronous run: since the end of the worker's previous step
  Bytes peak;
  std::string warning;     ///< empty: none
  std::string divergence;  ///< "the loss is nan": values that are not finite; empty: none
};

/// A layer's parameters on one device, and their positions in the whole layer.
struct LayerParameters {
  int layer = 0;
  std::int64_t whole = 0;  ///< number of parameters of the whole layer
  std::vector<layers::ParameterBlock> blocks;
  std::vector<float> values;
};

// Serialisation for other processes. Reports carry the number of each worker and the step's begin by the first
// process's clock. After reading, their times count from `begin`.
std::string bytes_of(std::chrono::nanoseconds began, const std::vector<std::size_t>& workers,
                     const std::vector<StepReport>& reports);
void read_reports(const std::string& bytes, std::chrono::nanoseconds begin,
                  std::vector<std::pair<std::size_t, StepReport>>& into);
std::string bytes_of(const std::vector<LayerParameters>& parameters);
void read_parameters(const std::string& bytes, std::vector<LayerParameters>& into);

}  // namespace pipedeck::runtime::exec
