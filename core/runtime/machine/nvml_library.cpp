// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/machine/nvml_library.hpp"

#include <dlfcn.h>

#include <fmt/format.h>

namespace pipedeck::runtime::machine {

Library::Library() : library_(dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL)) {}

Library::~Library() {
  if (const auto shutdown = started_ ? call<int()>("nvmlShutdown") : nullptr) shutdown();
  if (library_) dlclose(library_);
}

Result<std::unique_ptr<Library>> Library::open() {
  std::unique_ptr<Library> nvml(new Library);
  if (!nvml->library_) return fail(ErrorCode::io, "libnvidia-ml.so.1 is not there, so no NVIDIA driver is installed");
  const auto init = nvml->call<int()>("nvmlInit_v2");
  const int code = init ? init() : 999;
  if (code != 0) return fail(ErrorCode::io, fmt::format("NVML does not answer: {}", nvml->error_text(code)));
  nvml->started_ = true;
  return nvml;
}

void* Library::address(const char* name) const { return library_ ? dlsym(library_, name) : nullptr; }

std::string Library::error_text(int code) const {
  const auto words = call<const char*(int)>("nvmlErrorString");
  return words ? words(code) : fmt::format("error {}", code);
}

}  // namespace pipedeck::runtime::machine
