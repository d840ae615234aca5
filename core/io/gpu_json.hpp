// SPDX-License-Identifier: Apache-2.0
// GPUs in the events of a run (docs/formats.md, "Run log"). Unknown values are omitted.
#pragma once

#include <vector>

#include "core/domain/gpu_reading.hpp"
#include "core/io/json_reader.hpp"
#include "core/io/json_writer.hpp"

namespace pipedeck::json {

Value gpus_value(const std::vector<RunGpu>& gpus);
Value readings_value(const std::vector<GpuReading>& readings);
/// A figure each, null where there is none.
Value figures_value(const std::vector<std::optional<double>>& figures);

/// Returns the member `key`; empty if it is missing.
std::vector<RunGpu> gpus_from(ObjectReader& in, std::string_view key);
std::vector<GpuReading> readings_from(ObjectReader& in, std::string_view key);
std::vector<std::optional<double>> figures_from(ObjectReader& in, std::string_view key);

}  // namespace pipedeck::json
