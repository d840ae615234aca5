// SPDX-License-Identifier: Apache-2.0
// The module that computes on GPUs (interface.hpp). It is loaded on demand, so that only the module needs NVIDIA's
// libraries.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/plan.hpp"
#include "core/runtime/cuda/interface.hpp"
#include "core/runtime/machine/backend_report.hpp"
#include "core/runtime/transport/processes.hpp"

namespace pipedeck::runtime::cuda {

/// Returns the module next to the program or at its installed location; it stays loaded. bad_usage with the reason and
/// a remedy if it is missing or cannot be loaded.
Result<const cuda::Module*> cuda_module();

/// Returns the module in `file`. Fails like cuda_module().
Result<const cuda::Module*> module_in(const std::string& file);

/// Reports the GPUs that runs use, with the line "cuda: runs on 2 of NVIDIA H100, 79.6 GiB; ... (run --backend cuda)".
/// If the module finds no usable GPU the line is "cuda: no GPUs; ..."; without the module, "cuda: no runs; ...".
machine::BackendReport report_on_cuda();

/// Parses "fp32", "tf32" or "bf16"; empty otherwise.
std::optional<cuda::Precision> parse_cuda_precision(std::string_view name);

/// Returns a backend with one GPU for each device of the plan in this process, joined by NCCL. With `oversubscribe`
/// devices share GPUs in turn if there are fewer, and copies join them. bad_usage if there are too few GPUs, no GPU or
/// no driver, or if NCCL cannot join them.
Result<layers::Backend> cuda_backend(const cuda::Module& module, const Plan& plan, cuda::Precision precision,
                                     bool oversubscribe,
                                     const transport::ProcessGroup& processes = transport::ProcessGroup());

/// A backend for measurements: a device for each GPU, joined by NCCL if possible, else by copies.
struct GpusToMeasure {
  layers::Backend backend;
  std::vector<std::string> names;  ///< "NVIDIA H100 80GB HBM3"
};
/// Returns the GPUs to measure; bad_usage if there is no GPU or no driver.
Result<GpusToMeasure> gpus_to_measure(const cuda::Module& module, cuda::Precision precision);

}  // namespace pipedeck::runtime::cuda
