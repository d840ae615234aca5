// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/module.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <numeric>
#include <regex>

#include <fmt/format.h>

namespace pipedeck::runtime::cuda {
namespace {

constexpr const char* module_name = "pipedeck-cuda.so";
constexpr const char* by_copies = "copies within and between GPUs";  ///< joined without NCCL

/// Returns the module's paths in a build folder and in an installation, both relative to the program.
std::vector<std::filesystem::path> places() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  if (error) return {};
  return {program / module_name, program / PIPEDECK_MODULES_FROM_PROGRAM / module_name};
}

Result<std::vector<std::string>> gpus_of(const cuda::Module& module) {
  try {
    return module.gpus();
  } catch (const std::exception& error) {
    return fail(ErrorCode::bad_usage, fmt::format("--backend cuda: {}", error.what()));
  }
}

using Kinds = std::map<std::string, int>;  // number of GPUs of each name

/// Returns "1 of NVIDIA A100, 40.0 GiB and 1 of NVIDIA H100, 79.6 GiB".
std::string error_text(const Kinds& kinds) {
  std::string words;
  for (const auto& [name, count] : kinds) words += fmt::format("{}{} of {}", words.empty() ? "" : " and ", count, name);
  return words;
}

/// Returns a warning if the plan's devices are GPUs of different types; empty otherwise.
std::string mixed_text(const std::vector<std::string>& gpus, const std::vector<int>& placed) {
  Kinds kinds;
  for (const int gpu : placed)
    if (gpu >= 0) ++kinds[gpus[static_cast<std::size_t>(gpu)]];
  if (kinds.size() < 2) return {};
  return fmt::format("the GPUs are not alike ({}): the slowest sets the pace", error_text(kinds));
}

/// Returns "found no NVIDIA driver, ..." of "cudaGetDeviceCount: ... (error 35): found no NVIDIA driver, ...".
std::string without_call(const std::string& message) {
  static const std::regex call(R"(^.*\(\w+ \d+\): )");
  return std::regex_replace(message, call, "");
}

bool is_slice(const std::string& gpu) { return gpu.find(" MIG ") != std::string::npos; }

Result<void> check_nccl(const cuda::Module& module, const std::vector<std::string>& gpus, bool alone) {
  const char* instead = alone ? "; --oversubscribe joins devices by copies" : "";
  if (module.nccl().empty())
    return fail(ErrorCode::bad_usage,
                fmt::format("--backend cuda: found an NCCL before 2.18, expected a later one to join GPUs{}", instead));
  for (const std::string& name : gpus)
    if (is_slice(name))
      return fail(ErrorCode::bad_usage, fmt::format("--backend cuda: found a MIG slice ({}), expected whole GPUs, for "
                                                    "NCCL joins no slices: nvidia-smi -mig 0{}",
                                                    name, instead));
  return {};
}

/// Sets what the driver reads at its first call, unless the user has set it. Each stream has a hardware queue, so that
/// none waits behind another's transfer (CUDA C++ Programming Guide, "CUDA Environment Variables"). Where NCCL joins
/// GPUs, kernels are loaded at the start: loading waits for the GPU, on which a transfer may wait for this process.
void prepare_driver(bool by_nccl) {
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  if (by_nccl) setenv("CUDA_MODULE_LOADING", "EAGER", 0);
}

}  // namespace

Result<const cuda::Module*> module_in(const std::string& file) {
  void* module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!module)
    return fail(ErrorCode::bad_usage,
                fmt::format("GPUs can't be used: {}: cublasLt, cuDNN 9 and NCCL 2 have to be installed, and be found "
                            "by the system's loader (ldconfig, or LD_LIBRARY_PATH)",
                            dlerror()),
                {}, file);
  auto* factory = reinterpret_cast<cuda::ModuleFactory*>(dlsym(module, "pipedeck_cuda"));
  const cuda::Module* made = factory ? factory(PIPEDECK_CUDA_INTERFACE) : nullptr;
  if (!made)
    return fail(
        ErrorCode::bad_usage,
        fmt::format("found another version, expected version {}: install pipedeck-cuda of this program's version",
                    PIPEDECK_CUDA_INTERFACE),
        {}, file);
  return made;
}

Result<const cuda::Module*> cuda_module() {
  for (const auto& place : places()) {
    std::error_code error;
    if (std::filesystem::exists(place, error)) return module_in(place.string());
  }
  return fail(ErrorCode::bad_usage,
              "GPUs can't be used: pipedeck-cuda.so is not there: install the package pipedeck-cuda, or build the "
              "program where nvcc, cuDNN 9 and NCCL are installed; --backend cpu runs on processor threads");
}

machine::BackendReport report_on_cuda() {
  machine::BackendReport report{.name = "cuda", .lines = {}};
  const auto module = cuda_module();
  if (!module) {
    report.unavailable_reason = module.error().text();
    report.lines.push_back("cuda: no runs; " + report.unavailable_reason);
    return report;
  }
  try {
    Kinds kinds;
    for (const std::string& name : (*module)->gpus()) ++kinds[name];
    for (const auto& [name, count] : kinds) report.gpus.push_back({count, name.substr(0, name.rfind(", "))});
    report.usable = true;
    report.lines.push_back(
        fmt::format("cuda: runs on {}; {} (run --backend cuda)", error_text(kinds), (*module)->libraries()));
  } catch (const std::exception& error) {
    report.unavailable_reason = "GPUs can't be used: " + without_call(error.what());
    report.lines.push_back(fmt::format("cuda: no GPUs; {}", error.what()));
  }
  return report;
}

std::optional<cuda::Precision> parse_cuda_precision(std::string_view name) {
  if (name == "fp32") return cuda::Precision::fp32;
  if (name == "tf32") return cuda::Precision::tf32;
  if (name == "bf16") return cuda::Precision::bf16;
  return std::nullopt;
}

Result<GpusToMeasure> gpus_to_measure(const cuda::Module& module, cuda::Precision precision) {
  prepare_driver(false);
  TRY(auto names, gpus_of(module));
  std::vector<int> gpus(names.size());
  std::iota(gpus.begin(), gpus.end(), 0);
  for (std::string& name : names) name = name.substr(0, name.rfind(", "));
  const std::string nccl = std::ranges::none_of(names, is_slice) ? module.nccl() : std::string();
  GpusToMeasure found{module.backend(precision, gpus, false), std::move(names)};
  found.backend.transport = nccl.empty() ? by_copies : nccl;
  if (!nccl.empty()) found.backend.join = module.backend(precision, std::move(gpus), true).join;
  return found;
}

Result<layers::Backend> cuda_backend(const cuda::Module& module, const Plan& plan, cuda::Precision precision,
                                     bool oversubscribe, const transport::ProcessGroup& processes) {
  const std::size_t devices = devices_used(plan).size();
  const bool by_nccl = devices > 1 && !oversubscribe;
  prepare_driver(by_nccl);
  TRY(const auto found, gpus_of(module));
  const std::vector<std::string>& gpus = found;
  const auto here = processes.workers_here(devices);
  const std::size_t wanted = here.end - here.first;
  if (gpus.empty() || (wanted > gpus.size() && !oversubscribe))
    return fail(ErrorCode::bad_usage,
                fmt::format("--backend cuda: found {} GPUs, expected one for each of the plan's {} devices{}: a plan "
                            "for fewer, or --oversubscribe, which places several devices on a GPU",
                            gpus.size(), wanted, processes.alone() ? "" : " in this process"));
  // Processes of a machine see all of its GPUs and take them in turn, or each sees only its own.
  const std::size_t first = here.before + wanted <= gpus.size() ? here.before : 0;
  std::vector<int> placed(devices, -1);
  for (std::size_t i = 0; i < wanted; ++i) placed[here.first + i] = static_cast<int>((first + i) % gpus.size());
  if (by_nccl) TRY_VOID(check_nccl(module, gpus, processes.alone()));
  layers::Backend backend = module.backend(precision, placed, by_nccl);
  backend.warning = mixed_text(gpus, placed);
  if (wanted > gpus.size())
    backend.warning =
        gpus.size() == 1
            ? fmt::format("{} devices share one GPU: the results are the plan's, the times are not", devices)
            : fmt::format("{} devices share {} GPUs: the results are the plan's, the times are not", devices,
                          gpus.size());
  if (devices > 1) backend.transport = by_nccl ? module.nccl() : by_copies;
  return backend;
}

}  // namespace pipedeck::runtime::cuda
