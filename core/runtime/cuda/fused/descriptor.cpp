// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/fused/descriptor.hpp"

#include <algorithm>

namespace pipedeck::runtime::cuda::fused {
namespace {

/// An unknown attribute or descriptor of an older version is a bad parameter there.
bool is_refusal(cudnnStatus_t status) {
  const int category = CUDNN_STATUS_CATEGORY(status);
  return category == CUDNN_STATUS_NOT_SUPPORTED || category == CUDNN_STATUS_BAD_PARAM ||
         status == CUDNN_STATUS_INTERNAL_ERROR_COMPILATION_FAILED;
}

}  // namespace

/// A fault leaves cuDNN's words for who reports it; they can be read once.
Failure::Failure(cudnnStatus_t code, const char* function) : status(code), call(function) {
  if (!is_refusal(code)) return;
  char detail[512] = {};
  cudnnGetLastErrorString(detail, sizeof detail);
  reason = std::string(call) + ": " + cudnnGetErrorString(status) + (detail[0] ? ": " : "") + detail;
}

void check(cudnnStatus_t status, const char* call) {
  if (status != CUDNN_STATUS_SUCCESS) throw Failure(status, call);
}

Descriptor::Descriptor(cudnnBackendDescriptorType_t kind) {
  cudnnBackendDescriptor_t made = nullptr;
  check(cudnnBackendCreateDescriptor(kind, &made), "cudnnBackendCreateDescriptor");
  handle_.reset(made);
}

std::int64_t Descriptor::integer(cudnnBackendAttributeName_t name) const {
  std::int64_t value = 0, count = 0;
  check(cudnnBackendGetAttribute(get(), name, CUDNN_TYPE_INT64, 1, &count, &value), "cudnnBackendGetAttribute");
  return value;
}

std::vector<cudnnBackendNumericalNote_t> Descriptor::notes(cudnnBackendAttributeName_t name, std::size_t most) const {
  std::vector<cudnnBackendNumericalNote_t> values(most);
  std::int64_t count = 0;
  check(cudnnBackendGetAttribute(get(), name, CUDNN_TYPE_NUMERICAL_NOTE, static_cast<std::int64_t>(most), &count,
                                 values.data()),
        "cudnnBackendGetAttribute");
  values.resize(std::min(most, static_cast<std::size_t>(count)));
  return values;
}

std::vector<Descriptor> Descriptor::copies(cudnnBackendAttributeName_t name, cudnnBackendDescriptorType_t kind) const {
  std::int64_t count = 0;
  check(cudnnBackendGetAttribute(get(), name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count, nullptr),
        "cudnnBackendGetAttribute");
  std::vector<Descriptor> made;
  std::vector<cudnnBackendDescriptor_t> addresses;
  for (std::int64_t i = 0; i < count; ++i) addresses.push_back(made.emplace_back(kind).get());
  // It writes to the given descriptors. It may return fewer than it counted.
  check(cudnnBackendGetAttribute(get(), name, CUDNN_TYPE_BACKEND_DESCRIPTOR, count, &count, addresses.data()),
        "cudnnBackendGetAttribute");
  made.erase(made.begin() + std::min<std::ptrdiff_t>(count, std::ssize(made)), made.end());
  return made;
}

}  // namespace pipedeck::runtime::cuda::fused
