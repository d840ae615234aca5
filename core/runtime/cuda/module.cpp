// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/module.hpp"

#include <dlfcn.h>

#include <exception>
#include <filesystem>

#include <fmt/format.h>

namespace pipedeck {
namespace {

constexpr const char* module_name = "pipedeck-cuda.so";

/// Where it lies in a build folder and where it is installed, both seen from the program.
std::vector<std::filesystem::path> places() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  if (error) return {};
  return {program / module_name, program / PIPEDECK_MODULES_FROM_PROGRAM / module_name};
}

Result<std::size_t> count_gpus(const cuda::Module& module) {
  try {
    return module.gpus().size();
  } catch (const std::exception& error) {
    return fail(ErrorCode::bad_usage, fmt::format("--backend cuda: {}", error.what()));
  }
}

}  // namespace

Result<const cuda::Module*> cuda_module_in(const std::string& file) {
  void* module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!module)
    return fail(
        ErrorCode::bad_usage,
        fmt::format("GPUs can't be used: {}: cublasLt, cuDNN 9 and NCCL 2 have to be installed, and be found by "
                    "the system's loader (ldconfig, or LD_LIBRARY_PATH)",
                    dlerror()),
        {}, file);
  auto* factory = reinterpret_cast<cuda::ModuleFactory*>(dlsym(module, "pipedeck_cuda"));
  const cuda::Module* made = factory ? factory(PIPEDECK_CUDA_INTERFACE) : nullptr;
  if (!made)
    return fail(ErrorCode::bad_usage,
                fmt::format("found another version, expected version {}: install pipedeck-cuda of this program's "
                            "version",
                            PIPEDECK_CUDA_INTERFACE),
                {}, file);
  return made;
}

Result<const cuda::Module*> cuda_module() {
  for (const auto& place : places()) {
    std::error_code error;
    if (std::filesystem::exists(place, error)) return cuda_module_in(place.string());
  }
  return fail(
      ErrorCode::bad_usage,
      "GPUs can't be used: pipedeck-cuda.so is not there: install the package pipedeck-cuda, or build the program "
      "where nvcc, cuDNN 9 and NCCL are installed; --backend cpu runs on processor threads");
}

std::string describe_cuda_module() {
  const auto module = cuda_module();
  if (!module) return fmt::format("cuda: no runs; {}", module.error().text());
  try {
    return fmt::format("cuda: {} (run --backend cuda)", (*module)->libraries());
  } catch (const std::exception& error) {
    return fmt::format("cuda: no runs; {}", error.what());
  }
}

Result<Backend> cuda_backend(const cuda::Module& module, const Plan& plan, cuda::Precision precision,
                             bool oversubscribe) {
  const auto gpus = count_gpus(module);
  if (!gpus) return tl::unexpected(gpus.error());
  const std::size_t devices = devices_used(plan).size();
  if (*gpus == 0 || (devices > *gpus && !oversubscribe))
    return fail(ErrorCode::bad_usage,
                fmt::format("--backend cuda: found {} GPUs, expected one for each of the plan's {} devices: a plan for "
                            "fewer, or --oversubscribe, which places several devices on a GPU",
                            *gpus, devices));
  std::vector<int> placed;
  for (std::size_t i = 0; i < devices; ++i) placed.push_back(static_cast<int>(i % *gpus));
  Backend backend = module.backend(precision, std::move(placed));
  if (devices > *gpus)
    backend.warning =
        fmt::format("{} devices share {} GPUs: the results are the plan's, the times are not", devices, *gpus);
  return backend;
}

}  // namespace pipedeck
