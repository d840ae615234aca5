// SPDX-License-Identifier: Apache-2.0
// The output of nccl-tests (github.com/NVIDIA/nccl-tests): collectives that were measured on one or several hosts.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/model/found_machine.hpp"

namespace pipedeck::io::topology {

/// Identified by the heading of its table: size, count, type, time, algbw, busbw.
bool looks_like_nccl_tests(const std::string& text);

/// Returns the hosts of all tests with their GPUs, and the tests of all_reduce_perf, all_gather_perf,
/// reduce_scatter_perf, alltoall_perf and sendrecv_perf; others are left out with a note. Prefixes of mpirun are
/// skipped. The times are those of the first columns (out of place). A test without a name in the text or in `path` is
/// known by its bus bandwidth. bad_input with the line: rows of other columns, times that contradict the bandwidth,
/// ranks that are unknown, a table without rows. At most 16 MiB, 256 tests, 4096 sizes of a test and 65,536 ranks.
Result<FoundMachines> machines_from_nccl_tests(const std::string& text, const std::string& name,
                                               const std::string& path);

}  // namespace pipedeck::io::topology
