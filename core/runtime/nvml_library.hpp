// SPDX-License-Identifier: Apache-2.0
// NVIDIA's management library, loaded when it is asked for: the calls and structs of its stable binary interface that
// are needed (nvml.h of CUDA 12; docs.nvidia.com/deploy/nvml-api).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/domain/result.hpp"

namespace pipedeck::nvml {

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
  /// io: no driver is installed, or it does not answer.
  static Result<std::unique_ptr<Library>> open();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library();

  /// Whether the call is there and succeeded.
  template <class... Arguments>
  bool ask(const char* name, Arguments... arguments) const {
    const auto function = call<int(Arguments...)>(name);
    return function && function(arguments...) == 0;
  }
  /// What a call says of a device through its last argument, where it does.
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
  std::string words_of(int code) const;

  void* library_;
  bool started_ = false;
};

}  // namespace pipedeck::nvml
