// SPDX-License-Identifier: Apache-2.0
// Matrix products through cublasLt. Its heuristics choose an algorithm once per shape, which is cached with its
// descriptors. Split sums are
// added in a fixed order (no reduction in place), so that equal products give equal bits.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "core/runtime/cuda/context.hpp"

namespace pipedeck::runtime::cuda {

/// A row-major matrix in device memory; `stride` values from one row to the next. If `transposed`, its transpose is
/// used. Addresses aligned to 16 bytes, and strides of multiples of 16 bytes, get the fast algorithms.
struct DeviceMatrix {
  const void* data;
  std::int64_t stride;
  Element element;
  bool transposed = false;
};

/// A destination of a product.
struct DeviceResult {
  void* data;
  std::int64_t stride;
  Element element;
};

/// An operation on a product before it is written: + bias (`columns` values of the result's element), then gelu (tanh
/// form). A copy of gelu's argument may be stored, with `aux_stride` values from one row to the next, a multiple of 8.
/// In backward passes instead: times gelu's derivative at such a copy, or the bias's gradient with the product.
struct Epilogue {
  const void* bias = nullptr;
  bool gelu = false;
  void* aux_pre_gelu = nullptr;  ///< null: no copy
  std::int64_t aux_stride = 0;
  bool gelu_derivative = false;    ///< at aux_pre_gelu
  float* bias_gradient = nullptr;  ///< becomes the sums of the right factor's columns; the result is fp32 then
};

/// A runner for the products of one worker.
class GemmRunner {
 public:
  explicit GemmRunner(Context& context);
  ~GemmRunner();
  GemmRunner(const GemmRunner&) = delete;
  GemmRunner& operator=(const GemmRunner&) = delete;

  /// result (rows x columns) = keep * result + scale * left (rows x inner) * right (inner x columns), then the
  /// epilogue. `left` and `right` have the same element. Sums are 32-bit floats; factors are rounded to tf32 if that is
  /// the context's precision. With an epilogue of the result `keep` is 0. Enqueues on the context's stream. Throws
  /// CudaError if cublasLt has no algorithm, OutOfMemory.
  void multiply(std::int64_t rows, std::int64_t columns, std::int64_t inner, const DeviceMatrix& left,
                const DeviceMatrix& right, const DeviceResult& result, float keep = 0, float scale = 1,
                const Epilogue& epilogue = {});

  /// True if cublasLt has an algorithm for the product; otherwise the epilogue needs a separate kernel.
  bool has_algorithm(std::int64_t rows, std::int64_t columns, std::int64_t inner, const DeviceMatrix& left,
                     const DeviceMatrix& right, const DeviceResult& result, const Epilogue& epilogue, float keep = 0);

  std::size_t kept_algorithms() const { return programs_.size(); }

 private:
  /// A key with everything that the choice depends on. Alignments are in bytes, 256 at most.
  struct Shape {
    std::int64_t rows, columns, inner, left_stride, right_stride, result_stride, aux_stride;
    Element factors, result;
    bool left_transposed, right_transposed, keeps;
    cublasLtEpilogue_t epilogue;
    std::uint32_t left_alignment, right_alignment, result_alignment, bias_alignment, aux_alignment;
    auto operator<=>(const Shape&) const = default;
  };
  struct Algorithm {
    cublasLtMatmulAlgo_t choice;
    std::size_t workspace;
  };
  struct Descriptors;
  /// A product's descriptors and its algorithm, if there is one.
  struct Program {
    std::unique_ptr<Descriptors> descriptors;
    std::optional<Algorithm> algorithm;
  };

  static Shape shape_of(std::int64_t rows, std::int64_t columns, std::int64_t inner, const DeviceMatrix& left,
                        const DeviceMatrix& right, const DeviceResult& result, bool keeps, const Epilogue& epilogue);
  /// Returns the cached program, with the epilogue's addresses.
  const Program& program(const Shape& shape, const Epilogue& epilogue);
  std::optional<Algorithm> ask(const Shape& shape, const Descriptors& descriptors) const;

  Context& context_;
  std::map<Shape, Program> programs_;
};

}  // namespace pipedeck::runtime::cuda
