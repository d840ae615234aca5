// SPDX-License-Identifier: Apache-2.0
// Descriptors of cuDNN's graph interface (cudnn_graph.h): objects with attributes, fixed by finalise().
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cudnn.h>

namespace pipedeck::runtime::cuda::fused {

/// An exception for a call that failed. `reason` is empty unless cuDNN refuses the graph.
struct Failure : std::exception {
  Failure(cudnnStatus_t code, const char* function);
  const char* what() const noexcept override { return reason.empty() ? call : reason.c_str(); }
  /// True if cuDNN does not compute the graph: its pattern, sizes or types, this GPU, or an older version that lacks a
  /// part of the interface. Other failures are faults.
  bool refuses() const { return !reason.empty(); }

  cudnnStatus_t status;
  const char* call;
  std::string reason;
};

/// Throws Failure unless the status is success.
void check(cudnnStatus_t status, const char* call);

/// The attribute type of a C++ type. Addresses have two, so that they are named at the call.
template <class Value>
inline constexpr cudnnBackendAttributeType_t attribute_type = CUDNN_TYPE_INT64;
template <>
inline constexpr cudnnBackendAttributeType_t attribute_type<bool> = CUDNN_TYPE_BOOLEAN;
template <>
inline constexpr cudnnBackendAttributeType_t attribute_type<cudnnDataType_t> = CUDNN_TYPE_DATA_TYPE;
template <>
inline constexpr cudnnBackendAttributeType_t attribute_type<cudnnPointwiseMode_t> = CUDNN_TYPE_POINTWISE_MODE;
template <>
inline constexpr cudnnBackendAttributeType_t attribute_type<cudnnReduceTensorOp_t> = CUDNN_TYPE_REDUCTION_OPERATOR_TYPE;
template <>
inline constexpr cudnnBackendAttributeType_t attribute_type<cudnnBackendHeurMode_t> = CUDNN_TYPE_HEUR_MODE;
template <>
inline constexpr cudnnBackendAttributeType_t attribute_type<cudnnBackendNumericalNote_t> = CUDNN_TYPE_NUMERICAL_NOTE;
template <>
inline constexpr cudnnBackendAttributeType_t attribute_type<cudnnHandle_t> = CUDNN_TYPE_HANDLE;
template <>
inline constexpr cudnnBackendAttributeType_t attribute_type<cudnnBackendDescriptor_t> = CUDNN_TYPE_BACKEND_DESCRIPTOR;

/// An owning handle of a descriptor. Other descriptors refer to it by address, so it must outlive them. All functions
/// throw Failure.
class Descriptor {
 public:
  explicit Descriptor(cudnnBackendDescriptorType_t kind);

  cudnnBackendDescriptor_t get() const { return handle_.get(); }

  template <class Value>
  void set(cudnnBackendAttributeName_t name, std::span<const Value> values,
           cudnnBackendAttributeType_t type = attribute_type<Value>) {
    check(cudnnBackendSetAttribute(get(), name, type, static_cast<std::int64_t>(values.size()), values.data()),
          "cudnnBackendSetAttribute");
  }
  template <class Value>
  void set(cudnnBackendAttributeName_t name, const Value& value) {
    set(name, std::span<const Value>(&value, 1));
  }
  void finalise() { check(cudnnBackendFinalize(get()), "cudnnBackendFinalize"); }

  std::int64_t integer(cudnnBackendAttributeName_t name) const;
  /// Returns all values of an attribute, `most` at most.
  std::vector<cudnnBackendNumericalNote_t> notes(cudnnBackendAttributeName_t name, std::size_t most) const;
  /// Returns copies of the descriptors of this kind that an attribute holds, in its order.
  std::vector<Descriptor> copies(cudnnBackendAttributeName_t name, cudnnBackendDescriptorType_t kind) const;

 private:
  /// A cuDNN descriptor is a void*, which std::unique_ptr does not delete by itself.
  struct Destroy {
    void operator()(void* handle) const noexcept { static_cast<void>(cudnnBackendDestroyDescriptor(handle)); }
  };
  std::unique_ptr<void, Destroy> handle_;
};

}  // namespace pipedeck::runtime::cuda::fused
