// SPDX-License-Identifier: Apache-2.0
// NVML (NVIDIA's management library), loaded on demand: the required calls and structs of its stable binary interface
// (nvml.h of CUDA 12; docs.nvidia.com/deploy/nvml-api).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/base/result.hpp"

namespace pipedeck::runtime::machine {

struct GpuHandle;
struct MemoryInfo {
  unsigned long long total, free, used;  ///< bytes
};
struct PciInfo {
  char legacy_bus[16];
  unsigned domain, bus, device, vendor_and_device, subsystem;
  char bus_id[32];
};
struct Utilization {
  unsigned gpu, memory;  ///< percent
};

class Library {
 public:
  /// Loads the library. io: no driver is installed, or it does not answer.
  static Result<std::unique_ptr<Library>> open();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library();

  /// Returns true if the call exists and succeeded.
  template <class... Arguments>
  bool ask(const char* name, Arguments... arguments) const {
    const auto function = call<int(Arguments...)>(name);
    return function && function(arguments...) == 0;
  }
  /// Returns the value that a call writes to its last argument, if it succeeds.
  template <class Value, class... Arguments>
  std::optional<Value> told(const char* name, GpuHandle* device, Arguments... arguments) const {
    Value value{};
    return ask(name, device, arguments..., &value) ? std::optional(value) : std::nullopt;
  }

 private:
  Library();
  void* address(const char* name) const;
  template <class Function>
  Function* call(const char* name) const {
    return reinterpret_cast<Function*>(address(name));
  }
  std::string error_text(int code) const;

  void* library_;
  bool started_ = false;
};

}  // namespace pipedeck::runtime::machine
