// SPDX-License-Identifier: Apache-2.0
// What a worker tells of a step that it has done.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "core/domain/result.hpp"
#include "core/domain/timeline.hpp"
#include "core/runtime/layer_kernel.hpp"

namespace pipedeck {

/// A transfer that a worker received.
struct TransferRecord {
  std::size_t from = 0;  ///< worker
  TimelineRow row;       ///< kind send, of the sending stage
};

/// Summed over samples and positions, on one replica of the last stage.
struct MicroBatchLoss {
  int micro_batch = 0;
  double loss = 0;
};

/// Lists are in order of start; times count from when the step began, of asynchronous runs from when the run did.
struct StepReport {
  std::vector<TimelineRow> compute, all_reduces;
  std::vector<TransferRecord> transfers;
  std::vector<MicroBatchLoss> losses;
  Nanoseconds busy;
  Nanoseconds span;  ///< of an asynchronous run: since the worker's step before
  Bytes peak;
  std::string warning;  ///< empty: none
};

/// A layer's parameters on one device, and where they lie in the whole layer's.
struct LayerParameters {
  int layer = 0;
  std::int64_t whole = 0;  ///< how many the whole layer has
  std::vector<ParameterBlock> blocks;
  std::vector<float> values;
};

// In bytes and back, for what is told by another process. Reports go with the number of each worker, and with when the
// step began there by the first process's clock; read there, their times count from `begin` on.
std::string bytes_of(std::chrono::nanoseconds began, const std::vector<std::size_t>& workers,
                     const std::vector<StepReport>& reports);
void read_reports(const std::string& bytes, std::chrono::nanoseconds begin,
                  std::vector<std::pair<std::size_t, StepReport>>& into);
std::string bytes_of(const std::vector<LayerParameters>& parameters);
void read_parameters(const std::string& bytes, std::vector<LayerParameters>& into);

}  // namespace pipedeck
