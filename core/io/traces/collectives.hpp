// SPDX-License-Identifier: Apache-2.0
// The collectives in a rank's trace of PyTorch's profiler: kernels of NCCL and RCCL, each with its process group if the
// trace names it (PyTorch 2.2 on).
#pragma once

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/result.hpp"

namespace pipedeck::io::traces {

/// A kernel of a collective. Sends and receives are not among them: one side can end before the other begins.
struct CollectiveKernel {
  std::uint32_t kind = 0;                ///< in RankCollectives::kinds
  int step = 0;                          ///< number of the step that launched it; 0: none
  std::int64_t start = 0, duration = 0;  ///< ns on the rank's clock
  std::int64_t end() const { return start + duration; }
};

/// A group and an operation, which many kernels share.
struct CollectiveKind {
  std::string operation;  ///< "allreduce", or a kernel's "AllReduce"
  std::string group;      ///< "0"; empty: the trace does not name it
  std::string ranks;      ///< "[0, 1]"; empty: not named
  auto operator<=>(const CollectiveKind&) const = default;
};

struct RankCollectives {
  int rank = 0;
  std::vector<CollectiveKind> kinds;
  std::vector<CollectiveKernel> kernels;  ///< by start
  std::map<int, std::int64_t> steps;      ///< duration of each step on the host, ns
  std::size_t transfers = 0;              ///< sends and receives, left out
};

/// Reads a trace that names its rank ("distributedInfo"). It takes 32 bytes a kernel and 24 a launch. Errors name the
/// file, and the byte or event.
Result<RankCollectives> read_collectives(const std::string& path, const std::stop_token& stop = {},
                                         const Progress& progress = {});

/// Returns "AllReduce" of "ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)"; the name up to a bracket if it is of no
/// known form.
std::string operation_in_kernel(std::string_view kernel);

}  // namespace pipedeck::io::traces
