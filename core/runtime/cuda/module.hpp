// SPDX-License-Identifier: Apache-2.0
// Finds the module that computes on GPUs (interface.hpp): loaded when wanted, so that nothing else needs NVIDIA's
// libraries.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/domain/plan.hpp"
#include "core/domain/result.hpp"
#include "core/runtime/cuda/interface.hpp"
#include "core/runtime/transport/processes.hpp"

namespace pipedeck {

/// The module beside the program, or where packages put it; it stays loaded. bad_usage with the reason, and what to do,
/// where it is not there or can't be loaded.
Result<const cuda::Module*> cuda_module();

/// The same of a file.
Result<const cuda::Module*> cuda_module_in(const std::string& file);

/// "cuda: runs on 2 of NVIDIA H100, 79.6 GiB; CUDA 13.0, ... (run --backend cuda)"; "cuda: no GPUs; ..." with the
/// reason where the module is there and finds none that it can use, "cuda: no runs; ..." where it is not there.
std::string describe_cuda_module();

/// "fp32", "tf32" or "bf16"; empty where it is none.
std::optional<cuda::Precision> cuda_precision_named(std::string_view name);

/// A GPU for each device of the plan that lives in this process. NCCL joins them; with `oversubscribe` devices share
/// GPUs where there are fewer, in turn, and copies join them. bad_usage where there are too few, no GPU or no driver,
/// or NCCL can't join what is there.
Result<Backend> cuda_backend(const cuda::Module& module, const Plan& plan, cuda::Precision precision,
                             bool oversubscribe, const Processes& processes = Processes());

/// To measure on: a device for each GPU, joined by NCCL where it can join them, else by copies.
struct GpusToMeasure {
  Backend backend;
  std::vector<std::string> names;  ///< "NVIDIA H100 80GB HBM3"
};
/// bad_usage where there is no GPU or no driver.
Result<GpusToMeasure> gpus_to_measure(const cuda::Module& module, cuda::Precision precision);

}  // namespace pipedeck
