// SPDX-License-Identifier: Apache-2.0
// Plain loops in addition to the matrix products. They are compiled for several instruction sets and selected at start,
// so that one binary runs on any x86-64.
#pragma once

#include <cstdint>

namespace pipedeck::runtime::cpu {

void add(float* to, const float* from, std::int64_t count);  ///< to += from
void add_scaled(float* to, const float* from, float factor, std::int64_t count);
void scale(float* values, float factor, std::int64_t count);
float dot_product(const float* a, const float* b, std::int64_t count);

/// Every row of `values` += bias.
void add_bias(float* values, const float* bias, std::int64_t rows, std::int64_t columns);
/// sums += the rows of `values`: the gradient of a bias.
void add_column_sums(float* sums, const float* values, std::int64_t rows, std::int64_t columns);

void relu(float* out, const float* in, std::int64_t count);
void relu_in_place(float* values, std::int64_t count);
/// gradient *= relu'(in)
void relu_backward(float* gradient, const float* in, std::int64_t count);
/// Computes the tanh form (Hendrycks and Gimpel, 2016), as in GPT-2.
void gelu(float* out, const float* in, std::int64_t count);
void gelu_backward(float* gradient, const float* in, std::int64_t count);

void logistic_in_place(float* values, std::int64_t count);
/// Replaces the gradient of the output, which is `out`, by that of the input.
void logistic_backward(float* gradient, const float* out, std::int64_t count);

/// out = (in - mean) / sqrt(variance + 1e-5) * gain + shift, row by row; stores mean and 1/deviation, one per row.
void layer_norm(float* out, float* mean, float* inverse, const float* in, const float* gain, const float* shift,
                std::int64_t rows, std::int64_t columns);
/// in_gradient += the input's gradient; gain_gradient and shift_gradient += their gradients. in_gradient may be null.
void layer_norm_backward(float* in_gradient, float* gain_gradient, float* shift_gradient, const float* out_gradient,
                         const float* in, const float* mean, const float* inverse, const float* gain, std::int64_t rows,
                         std::int64_t columns);

/// out = in / sqrt(mean of squares + epsilon) * gain, row by row; stores 1 / root, one per row. `out` may be `in`.
void rms_norm(float* out, float* inverse, const float* in, const float* gain, float epsilon, std::int64_t rows,
              std::int64_t columns);
/// in_gradient += the input's gradient; gain_gradient += its gradient. in_gradient may be null.
void rms_norm_backward(float* in_gradient, float* gain_gradient, const float* out_gradient, const float* in,
                       const float* inverse, const float* gain, std::int64_t rows, std::int64_t columns);

/// out = silu(gate) * up (SwiGLU: Shazeer, arXiv 2002.05202); each row of `in` is `width` gates, then as many ups.
void silu_gate(float* out, const float* in, std::int64_t rows, std::int64_t width);
/// Computes the gradients of gates and ups from that of the output.
void silu_gate_backward(float* in_gradient, const float* out_gradient, const float* in, std::int64_t rows,
                        std::int64_t width);

/// Heads in rows: head h of row r begins at data + r * row_stride + h * head_stride.
struct RotatedHeads {
  std::int64_t rows, row_stride, heads, head_stride;
};
/// Rotates the pairs (i, i + half) of each head by the angles of its row, which is r % positions (RoFormer, arXiv
/// 2104.09864). `cosine` and `sine` have `half` values per position. `direction` -1 rotates back.
void rotate_heads(float* data, const RotatedHeads& heads, const float* cosine, const float* sine,
                  std::int64_t positions, std::int64_t half, float direction);

/// Computes the softmax over the first `count` values of a row; the rest of the `columns` become 0.
void softmax_row(float* row, std::int64_t count, std::int64_t columns);
/// Replaces `gradient` (of the row's softmax `probability`) by that of the softmax's input, times `factor`.
void softmax_row_backward(float* gradient, const float* probability, std::int64_t columns, float factor);
float largest_of_row(const float* row, std::int64_t columns);
/// Replaces each value by e^(value - most); returns their sum.
float exponentials_of_row(float* row, float most, std::int64_t columns);
/// Replaces the row by softmax(row) - onehot(target); returns -log softmax(row)[target].
double cross_entropy_row(float* row, std::int64_t target, std::int64_t columns);

/// Returns false if a value is infinite or NaN.
bool all_finite(const float* values, std::int64_t count);

}  // namespace pipedeck::runtime::cpu
