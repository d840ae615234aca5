// SPDX-License-Identifier: Apache-2.0
// The available devices. The CUDA driver is loaded on demand, so that the program starts without it.
#include <dlfcn.h>

#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "core/runtime/cuda/module.hpp"
#include "core/runtime/mpi/module.hpp"
#include "core/runtime/profile/profiler.hpp"

namespace pipedeck::runtime::profile {
namespace {

std::string cpu_line() {
  std::string name = "CPU", line;
  std::ifstream info("/proc/cpuinfo");
  while (std::getline(info, line)) {
    if (!line.starts_with("model name")) continue;
    const auto colon = line.find(": ");
    if (colon != std::string::npos) name = line.substr(colon + 2);
    break;
  }
  return fmt::format("cpu: {} cores, {} (backend cpu: one thread per device)", std::thread::hardware_concurrency(),
                     name);
}

struct CloseLibrary {
  void operator()(void* library) const { dlclose(library); }
};
using Library = std::unique_ptr<void, CloseLibrary>;

/// Opens a library that stays loaded: an initialised driver has threads of its own.
Library open_library(const char* name) { return Library(dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE)); }

template <class Function>
Function* symbol(const Library& library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library.get(), name));
}

// The required calls of the driver. CUresult and CUdevice are ints of its stable binary interface.
using Init = int(unsigned);
using GetCount = int(int*);
using GetDevice = int(int*, int);
using GetName = int(char*, int, int);
using TotalMemory = int(std::size_t*, int);
using ErrorText = int(int, const char**);

std::string error_text(const Library& driver, int code) {
  const char* text = nullptr;
  if (auto* describe = symbol<ErrorText>(driver, "cuGetErrorString")) describe(code, &text);
  return text != nullptr ? text : fmt::format("error {}", code);
}

std::string gpu_line(const Library& driver, int index) {
  auto* get = symbol<GetDevice>(driver, "cuDeviceGet");
  auto* get_name = symbol<GetName>(driver, "cuDeviceGetName");
  auto* total = symbol<TotalMemory>(driver, "cuDeviceTotalMem_v2");
  if (get == nullptr || get_name == nullptr || total == nullptr) return "cuda: the driver lacks calls that are needed";
  int device = 0;
  char name[256] = {};
  std::size_t bytes = 0;
  int code = get(&device, index);
  if (code == 0) code = get_name(name, sizeof name - 1, device);
  if (code == 0) code = total(&bytes, device);
  if (code != 0) return fmt::format("cuda: GPU {} does not answer: {}", index, error_text(driver, code));
  return fmt::format("cuda: GPU {}, {}, {:.1f} GiB", index, name, static_cast<double>(bytes) / (1 << 30));
}

std::string driver_version() {
  const Library management = open_library("libnvidia-ml.so.1");
  if (!management) return {};
  auto* init = symbol<int()>(management, "nvmlInit_v2");
  auto* version = symbol<int(char*, unsigned)>(management, "nvmlSystemGetDriverVersion");
  auto* shutdown = symbol<int()>(management, "nvmlShutdown");
  if (init == nullptr || version == nullptr || shutdown == nullptr || init() != 0) return {};
  char text[96] = {};
  const bool known = version(text, sizeof text - 1) == 0;
  shutdown();
  return known ? fmt::format("cuda: driver {}", text) : std::string();
}

/// Returns why the driver offers no GPU, or appends a line for each GPU.
std::optional<std::string> find_gpus(std::vector<std::string>& lines) {
  const Library driver = open_library("libcuda.so.1");
  if (!driver) return "libcuda.so.1 is not there, so no NVIDIA driver is installed";
  auto* init = symbol<Init>(driver, "cuInit");
  auto* get_count = symbol<GetCount>(driver, "cuDeviceGetCount");
  if (init == nullptr || get_count == nullptr) return "libcuda.so.1 is not the CUDA driver";
  int count = 0, code = init(0);
  if (code == 0) code = get_count(&count);
  if (code != 0) return fmt::format("the driver reports: {}", error_text(driver, code));
  if (count == 0) return "the driver finds no GPU";
  if (std::string version = driver_version(); !version.empty()) lines.push_back(std::move(version));
  for (int i = 0; i < count; ++i) lines.push_back(gpu_line(driver, i));
  return std::nullopt;
}

/// Adds the driver's view to the module's. Without the module, a missing driver is the first reason.
machine::BackendReport cuda_report() {
  machine::BackendReport report = cuda::report_on_cuda();
  std::vector<std::string> lines;
  if (const auto why_none = find_gpus(lines)) {
    lines.push_back("cuda: none; " + *why_none);
    if (!cuda::cuda_module()) report.unavailable_reason = "GPUs can't be used: " + *why_none;
  }
  report.lines.insert(report.lines.begin(), lines.begin(), lines.end());
  return report;
}

}  // namespace

std::vector<machine::BackendReport> backends_here() {
  return {{.name = "cpu", .lines = {cpu_line()}, .usable = true}, cuda_report(), mpi::report_on_mpi()};
}

}  // namespace pipedeck::runtime::profile
