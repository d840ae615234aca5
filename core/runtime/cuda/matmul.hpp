// SPDX-License-Identifier: Apache-2.0
// Matrix products through cublasLt. Which algorithm is asked of its heuristics once a shape and kept. Split sums are
// added in a fixed order (no reduction in place), so that the same product gives the same bits again.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>

#include "core/runtime/cuda/context.hpp"

namespace pipedeck::cuda {

/// A row-major matrix in the device's memory; `stride` values from one row to the next. `transposed`: taken as its
/// transpose. Addresses aligned to 16 bytes, and strides of multiples of 16 bytes, get the fast algorithms.
struct DeviceMatrix {
  const void* data;
  std::int64_t stride;
  Element element;
  bool transposed = false;
};

/// Where a product goes.
struct DeviceResult {
  void* data;
  std::int64_t stride;
  Element element;
};

/// What is done to a product before it is written: + bias (`columns` values of the result's element), then gelu (tanh
/// form), of whose argument a copy is kept, with `kept_stride` values from one row to the next, a multiple of 8.
struct Epilogue {
  const void* bias = nullptr;
  bool gelu = false;
  void* before_gelu = nullptr;  ///< null: no copy
  std::int64_t kept_stride = 0;
};

/// The products of one worker.
class Products {
 public:
  explicit Products(Context& context) : context_(context) {}
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;

  /// result (rows x columns) = keep * result + scale * left (rows x inner) * right (inner x columns), then the
  /// epilogue. `left` and `right` are of one element; sums are 32-bit floats, and factors are rounded to tf32 where
  /// that is the context's precision. With an epilogue `keep` is 0. Puts the work on the context's stream. Throws
  /// CudaError where cublasLt has no algorithm, OutOfMemory.
  void multiply(std::int64_t rows, std::int64_t columns, std::int64_t inner, const DeviceMatrix& left,
                const DeviceMatrix& right, const DeviceResult& result, float keep = 0, float scale = 1,
                const Epilogue& epilogue = {});

  /// Whether cublasLt has an algorithm for it: without one an epilogue is a kernel of its own.
  bool possible(std::int64_t rows, std::int64_t columns, std::int64_t inner, const DeviceMatrix& left,
                const DeviceMatrix& right, const DeviceResult& result, const Epilogue& epilogue);

  std::size_t kept_algorithms() const { return algorithms_.size(); }

 private:
  /// All that the choice depends on. Alignments are bytes, 256 at most.
  struct Shape {
    std::int64_t rows, columns, inner, left_stride, right_stride, result_stride, kept_stride;
    Element factors, result;
    bool left_transposed, right_transposed, keeps, bias, gelu, keeps_argument;
    std::uint32_t left_alignment, right_alignment, result_alignment;
    auto operator<=>(const Shape&) const = default;
  };
  struct Algorithm {
    cublasLtMatmulAlgo_t choice;
    std::size_t workspace;
  };
  struct Descriptors;

  static Shape shape_of(std::int64_t rows, std::int64_t columns, std::int64_t inner, const DeviceMatrix& left,
                        const DeviceMatrix& right, const DeviceResult& result, bool keeps, const Epilogue& epilogue);
  /// Empty where there is none.
  const std::optional<Algorithm>& algorithm(const Shape& shape, const Descriptors& descriptors);
  std::optional<Algorithm> ask(const Shape& shape, const Descriptors& descriptors) const;

  Context& context_;
  std::map<Shape, std::optional<Algorithm>> algorithms_;
};

}  // namespace pipedeck::cuda
