// SPDX-License-Identifier: Apache-2.0
// GPUs in the events of a run (docs/formats.md, "Run log"). Unknown values are omitted.
#pragma once

#include <vector>

#include "core/io/json/reader.hpp"
#include "core/io/json/writer.hpp"
#include "core/model/gpu_sample.hpp"

namespace pipedeck::io::documents {

json::Value gpus_to_json(const std::vector<RunGpu>& gpus);
json::Value readings_to_json(const std::vector<GpuSample>& readings);
/// A figure each, null where there is none.
json::Value figures_to_json(const std::vector<std::optional<double>>& figures);

/// Returns the member `key`; empty if it is missing.
std::vector<RunGpu> parse_gpus(json::ObjectReader& in, std::string_view key);
std::vector<GpuSample> parse_readings(json::ObjectReader& in, std::string_view key);
std::vector<std::optional<double>> parse_figures(json::ObjectReader& in, std::string_view key);

}  // namespace pipedeck::io::documents
