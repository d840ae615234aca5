// SPDX-License-Identifier: Apache-2.0
// Between layers, and within most of them, values are 32-bit floats for every precision. With bf16, products and
// convolutions take 16-bit copies of their factors. These are created here, temporarily, in the worker's memory.
#pragma once

#include "core/runtime/cuda/kernels.hpp"
#include "core/runtime/cuda/matmul.hpp"
#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::cuda {

/// Returns a tensor with room for `count` 16-bit values.
tensor::Tensor make_bf16_buffer(const std::shared_ptr<tensor::DeviceMemory>& memory, std::int64_t count);

/// Returns the distance of the rows of a product's matrix, in values: `width`, or the next multiple of 64 if rows of
/// that width would not begin at multiples of 16 bytes, at which cublasLt's fast algorithms need them.
std::int64_t row_pitch(std::int64_t width, Element element);

/// The rows of a matrix in memory: `rows` of `width` values, `stride` apart. If the stride is larger than the width,
/// the values between are 0.
struct MatrixRows {
  std::int64_t rows, width, stride;
  MatrixRows(std::int64_t rows_, std::int64_t width_, std::int64_t stride_ = 0)
      : rows(rows_), width(width_), stride(stride_ == 0 ? width_ : stride_) {}
};

/// An operand of a product. It must live until the product is enqueued.
class GemmOperand {
 public:
  /// Creates an operand from the rows of a matrix. They are copied if the device's precision is bf16, or if they do not
  /// begin at multiples of 16 bytes. A copy has the pitch of row_pitch, with zeros between the rows.
  GemmOperand(const std::shared_ptr<tensor::DeviceMemory>& memory, const float* values, const MatrixRows& of);
  GemmOperand(const std::shared_ptr<tensor::DeviceMemory>& memory, const Bf16* values, const MatrixRows& of);
  /// Creates an operand from weights, of which the device may keep a copy.
  static GemmOperand of_weights(const std::shared_ptr<tensor::DeviceMemory>& memory, const float* weights,
                                const MatrixRows& of);
  /// Creates an operand without rows, of all values of a tensor, for libraries that take no pitch.
  explicit GemmOperand(const tensor::Tensor& tensor);

  const std::shared_ptr<tensor::DeviceMemory>& memory() const { return memory_; }
  const void* data() const { return data_; }
  Element element() const { return element_; }
  /// Returns the values from one row to the next. Values beyond the width are 0.
  std::int64_t pitch() const { return pitch_; }
  /// Returns the rows from this one on, which are valid as long as this operand.
  GemmOperand from_row(std::int64_t row) const {
    const auto skipped = static_cast<std::size_t>(row * pitch_) * bytes_of(element_);
    return {memory_, static_cast<const char*>(data_) + skipped, element_, pitch_};
  }
  DeviceMatrix matrix() const { return {data_, pitch_, element_, false}; }
  DeviceMatrix transposed() const { return {data_, pitch_, element_, true}; }

 private:
  GemmOperand(const std::shared_ptr<tensor::DeviceMemory>& memory, const void* values, Element element,
              std::int64_t pitch)
      : memory_(memory), data_(values), element_(element), pitch_(pitch) {}
  template <class To, class From>
  void copy_rows(const From* values, const MatrixRows& of);

  std::shared_ptr<tensor::DeviceMemory> memory_;
  tensor::Tensor copy_;
  const void* data_;
  Element element_;
  std::int64_t pitch_;
};

/// A destination of a product, `rows` of `width` values. The product writes to `matrix`, whose rows begin at multiples
/// of 16 bytes; `finish` brings the values to where they belong.
template <class T>
class GemmResult {
 public:
  /// `adds`: the product is added to the values that are there.
  GemmResult(const std::shared_ptr<tensor::DeviceMemory>& memory, T* to, const MatrixRows& of, bool adds = false);
  DeviceResult matrix();
  /// Returns the columns that the product writes: the width, or the pitch if the values between rows are written, too.
  std::int64_t columns() const { return pitch_; }
  /// Returns the factor of the values that are in `matrix`.
  float keep() const { return adds_ && buffer_.empty() ? 1.0f : 0.0f; }
  /// Called after the product was enqueued.
  void finish();

 private:
  T* to_;
  MatrixRows of_;
  bool adds_;
  std::int64_t pitch_;
  tensor::Tensor buffer_;  ///< empty: the product writes to its place
};

/// A buffer for a library that computes in the device's element, converted to a tensor of floats.
class Bf16Copy {
 public:
  explicit Bf16Copy(tensor::Tensor& to);
  void* data();
  /// Converts the result. Called after the library's work was enqueued.
  void finish();

 private:
  tensor::Tensor& to_;
  tensor::Tensor halves_;  ///< empty: the library writes floats
};

}  // namespace pipedeck::runtime::cuda
