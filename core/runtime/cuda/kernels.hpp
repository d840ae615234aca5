// SPDX-License-Identifier: Apache-2.0
// Pipedeck's own CUDA kernels, for everything except matrix products. They compute the same as the functions of the
// same name in core/runtime/cpu. Every call enqueues work on a stream and returns; none waits or allocates. Pointers
// are to device memory; matrices are row-major. T is float or Bf16. Sums, statistics and all arithmetic are float, and
// so are parameters, their gradients and an optimizer's state. Equal calls give equal bits: sums have an order that
// depends only on the shape. Calls throw CudaError (library.hpp) if CUDA rejects a launch.
//
// `scratch` is device memory, 16-byte aligned, with the number of bytes that the function ..._scratch returns. Its
// contents do not matter. Later work on the same stream may reuse it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include "core/runtime/layers/lstm_step.hpp"
#include "core/runtime/layers/rotary_angles.hpp"

namespace pipedeck::runtime::cuda {

using Bf16 = __nv_bfloat16;

// ---- values one by one: kernels/elementwise.cu

template <class T>
void fill(cudaStream_t stream, T* values, float value, std::int64_t count);
template <class T>
void scale(cudaStream_t stream, T* values, float factor, std::int64_t count);
/// to += from
template <class To, class From>
void add(cudaStream_t stream, To* to, const From* from, std::int64_t count);
/// to = max(to, from): kernels/elementwise_max.cu
void largest(cudaStream_t stream, float* to, const float* from, std::int64_t count);
/// *found = 1 if a value is infinite or NaN; else it keeps its value.
void find_not_finite(cudaStream_t stream, int* found, const float* values, std::int64_t count);
/// to = from, rounded to the nearest (ties to even) if To has fewer bits.
template <class To, class From>
void convert(cudaStream_t stream, To* to, const From* from, std::int64_t count);
/// The rows of `to` = those of `from`, rounded as by convert. Rows are `..._stride` values apart. The values of `to`
/// between its rows become 0: kernels/copy_rows.cu
template <class To, class From>
void convert_rows(cudaStream_t stream, To* to, std::int64_t to_stride, const From* from, std::int64_t from_stride,
                  std::int64_t rows, std::int64_t columns);
/// The rows of `to` += those of `from`. The values between the rows are not changed.
void add_rows(cudaStream_t stream, float* to, std::int64_t to_stride, const float* from, std::int64_t from_stride,
              std::int64_t rows, std::int64_t columns);

template <class T>
void relu(cudaStream_t stream, T* out, const T* in, std::int64_t count);
/// gradient *= relu'(in)
template <class T>
void relu_backward(cudaStream_t stream, T* gradient, const T* in, std::int64_t count);
/// Computes the tanh form (Hendrycks and Gimpel, 2016), as in GPT-2.
template <class T>
void gelu(cudaStream_t stream, T* out, const T* in, std::int64_t count);
template <class T>
void gelu_backward(cudaStream_t stream, T* gradient, const T* in, std::int64_t count);

// ---- rows and a bias: kernels/bias.cu

/// Every row of `values` += bias. Rows are `stride` values apart; 0: `columns`.
template <class T>
void add_bias(cudaStream_t stream, T* values, const float* bias, std::int64_t rows, std::int64_t columns,
              std::int64_t stride = 0);
/// out = relu(in + bias); `out` may be `in`.
template <class T>
void bias_relu(cudaStream_t stream, T* out, const T* in, const float* bias, std::int64_t rows, std::int64_t columns);
/// out = gelu(in + bias). bias_gelu_backward needs `in` unchanged: `out` is another matrix.
template <class T>
void bias_gelu(cudaStream_t stream, T* out, const T* in, const float* bias, std::int64_t rows, std::int64_t columns);
/// in += bias, out = gelu(in), in one pass.
template <class T>
void add_bias_gelu(cudaStream_t stream, T* out, T* in, const float* bias, std::int64_t rows, std::int64_t columns);

std::size_t column_sums_scratch(std::int64_t rows, std::int64_t columns);
/// sums += the rows of `values`: the gradient of a bias. Rows are `stride` values apart; 0: `columns`.
template <class T>
void add_column_sums(cudaStream_t stream, float* sums, const T* values, void* scratch, std::int64_t rows,
                     std::int64_t columns, std::int64_t stride = 0);
/// gradient *= relu'(input of `out`); bias_gradient += its columns' sums, both in one pass. Scratch as add_column_sums.
template <class T>
void bias_relu_backward(cudaStream_t stream, T* gradient, float* bias_gradient, const T* out, void* scratch,
                        std::int64_t rows, std::int64_t columns);
/// gradient *= gelu'(in + bias); bias_gradient += its columns' sums before rounding to T, both in one pass. Scratch as
/// add_column_sums.
template <class T>
void bias_gelu_backward(cudaStream_t stream, T* gradient, float* bias_gradient, const T* in, const float* bias,
                        void* scratch, std::int64_t rows, std::int64_t columns);

// ---- layer norm: kernels/layer_norm.cu

/// out = (in - mean) / sqrt(variance + 1e-5) * gain + shift, row by row; stores mean and 1/deviation, one per row.
/// Exists for equal types, and from float to Bf16.
template <class To, class From>
void layer_norm(cudaStream_t stream, To* out, float* mean, float* inverse, const From* in, const float* gain,
                const float* shift, std::int64_t rows, std::int64_t columns);
/// sum = in + more (a residual connection), out = its layer norm. `sum` may be `in` or `more`.
template <class To, class From>
void add_layer_norm(cudaStream_t stream, From* sum, To* out, float* mean, float* inverse, const From* in,
                    const From* more, const float* gain, const float* shift, std::int64_t rows, std::int64_t columns);

std::size_t layer_norm_backward_scratch(std::int64_t rows, std::int64_t columns);
/// in_gradient = more + the input's gradient; gain_gradient and shift_gradient += theirs. in_gradient may be null, or
/// `more`, the gradient of a residual connection. `more` may be null, for 0.
template <class T>
void layer_norm_backward(cudaStream_t stream, T* in_gradient, const T* more, float* gain_gradient,
                         float* shift_gradient, const T* out_gradient, const T* in, const float* mean,
                         const float* inverse, const float* gain, void* scratch, std::int64_t rows,
                         std::int64_t columns);

// ---- blocks of today's language models: kernels/rms_norm.cu, kernels/silu_gate.cu, kernels/heads.cu

/// out = in / sqrt(mean of in^2 + epsilon) * gain, row by row; stores the factor of each row. Exists for equal types,
/// and from float to Bf16.
template <class To, class From>
void rms_norm(cudaStream_t stream, To* out, float* inverse, const From* in, const float* gain, float epsilon,
              std::int64_t rows, std::int64_t columns);
/// in_gradient = more + the input's gradient; gain_gradient += its own. in_gradient may be null, or `more`, the
/// gradient of a residual connection. `more` may be null, for 0. Scratch as add_column_sums.
template <class T>
void rms_norm_backward(cudaStream_t stream, T* in_gradient, const T* more, float* gain_gradient, const T* out_gradient,
                       const T* in, const float* inverse, const float* gain, void* scratch, std::int64_t rows,
                       std::int64_t columns);

/// out = silu(gate) * up; each row of `in` is `columns` gates, then as many ups.
template <class T>
void silu_gate(cudaStream_t stream, T* out, const T* in, std::int64_t rows, std::int64_t columns);
/// in_gradient = the input's gradient; it may not be `in`.
template <class T>
void silu_gate_backward(cudaStream_t stream, T* in_gradient, const T* out_gradient, const T* in, std::int64_t rows,
                        std::int64_t columns);

/// Query heads that share key-value heads: heads / key_value_heads of them each. `head_size` is even.
struct GroupedHeads {
  std::int64_t samples, sequence, heads, key_value_heads, head_size;
  __host__ __device__ std::int64_t query_width() const { return heads * head_size; }
  __host__ __device__ std::int64_t key_width() const { return key_value_heads * head_size; }
};
/// Row by row, qkv = the rotated queries, then for each of their heads the rotated key, then the value that it uses.
template <class T>
void pack_heads(cudaStream_t stream, T* qkv, const T* q, const T* k, const T* v, const GroupedHeads& shape,
                const layers::RotaryAngles& angles);
/// From the gradient of pack_heads' output, those of q, k and v: keys and values add those of the heads that share
/// them.
template <class T>
void unpack_heads(cudaStream_t stream, T* q, T* k, T* v, const T* qkv, const GroupedHeads& shape,
                  const layers::RotaryAngles& angles);

// ---- embedding: kernels/embedding.cu

/// The shape of an embedding whose table has all words of the vocabulary, or `words` of them from word `first` on.
struct EmbeddingShape {
  std::int64_t samples, sequence, width, vocabulary;
  std::int64_t first = 0, words = 0;  ///< 0 words: all
  std::int64_t rows() const { return samples * sequence; }
  __host__ __device__ std::int64_t table_rows() const { return words > 0 ? words : vocabulary; }
};

/// Row r of `out` = table[tokens[r] - first] + positions[r % sequence], without positions if they are null. For a token
/// of another table the first term is 0. A token outside the vocabulary gives a row of NaN. Neither adds to the table's
/// gradient. Callers check tokens before the upload.
template <class T>
void embedding(cudaStream_t stream, T* out, const float* tokens, const float* table, const float* positions,
               const EmbeddingShape& shape);

std::size_t embedding_backward_scratch(const EmbeddingShape& shape);
/// table_gradient and position_gradient, unless that is null, += theirs. Throws std::invalid_argument for 2^31 rows or
/// more.
template <class T>
void embedding_backward(cudaStream_t stream, float* table_gradient, float* position_gradient, const T* out_gradient,
                        const float* tokens, void* scratch, const EmbeddingShape& shape);

// ---- the loss: kernels/cross_entropy.cu

std::size_t softmax_cross_entropy_scratch(std::int64_t rows);
/// The logits of a loss: `rows` of `columns` values, `stride` apart.
struct LogitRows {
  std::int64_t rows, columns, stride;
};
/// The rows of the gradient of logits, `stride` apart. The values between rows become 0. They may be the logits
/// themselves, or 16-bit values of floats elsewhere.
template <class T>
struct GradientRows {
  T* values;
  std::int64_t stride;
};
/// *loss_sum += -log softmax(row)[target], over the rows; gradient = scale * (softmax(row) - onehot(target)). A target
/// outside the columns gives NaN. Callers check targets before the upload.
template <class To, class From>
void softmax_cross_entropy(cudaStream_t stream, const GradientRows<To>& gradient, const From* logits,
                           const float* targets, double* loss_sum, float scale, void* scratch, const LogitRows& shape);
/// Does the same in place of the logits.
template <class T>
void softmax_cross_entropy(cudaStream_t stream, T* logits, const float* targets, double* loss_sum, float scale,
                           void* scratch, const LogitRows& shape) {
  softmax_cross_entropy(stream, GradientRows<T>{logits, shape.stride}, static_cast<const T*>(logits), targets, loss_sum,
                        scale, scratch, shape);
}

// The loss in parts, for classes sharded over several devices: this device has `columns` of them from class `first` on.
/// most = the maximum of each row.
template <class T>
void row_max(cudaStream_t stream, float* most, const T* logits, const LogitRows& shape);
/// Given the maximum over all devices: totals = each row's sum of e^(value - most), and wanted = its target's value -
/// most, 0 if another device has it. `logits` are not changed.
template <class T>
void row_exp_sum(cudaStream_t stream, float* totals, float* wanted, const T* logits, const float* most,
                 const float* targets, std::int64_t first, const LogitRows& shape);
/// Given both sums over all devices: completes softmax_cross_entropy. *loss_sum is equal on all devices.
template <class To, class From>
void finish_cross_entropy(cudaStream_t stream, const GradientRows<To>& gradient, const From* logits, double* loss_sum,
                          float scale, const float* most, const float* totals, const float* wanted,
                          const float* targets, std::int64_t first, const LogitRows& shape);

// ---- attention: kernels/attention.cu

/// The shape of attention as in cpu/attention.hpp, in row-major matrices. qkv and its gradient are (samples * sequence)
/// x 3 hidden, in the order queries, keys, values. out is (samples * sequence) x hidden, hidden = heads * head_size;
/// logsumexp is samples x heads x sequence.
struct AttentionShape {
  std::int64_t samples, sequence, heads, head_size;
  bool causal;
  std::int64_t hidden() const { return heads * head_size; }
  std::int64_t rows() const { return samples * sequence; }
};
/// The maximum head size. Both functions throw std::invalid_argument above it.
inline constexpr std::int64_t max_head = 256;

/// out = softmax(Q K^T / sqrt(head_size)) V, logsumexp = log of each softmax's sum. Never stores sequence x sequence.
template <class T>
void attention(cudaStream_t stream, T* out, float* logsumexp, const T* qkv, const AttentionShape& shape);

std::size_t attention_backward_scratch(const AttentionShape& shape);
/// qkv_gradient = the gradient of qkv, from that of `out`.
template <class T>
void attention_backward(cudaStream_t stream, T* qkv_gradient, const T* out_gradient, const T* out,
                        const float* logsumexp, const T* qkv, void* scratch, const AttentionShape& shape);

// ---- one step of an LSTM: kernels/lstm.cu

void lstm_step(cudaStream_t stream, const layers::LstmStep& step);
void lstm_step_backward(cudaStream_t stream, const layers::LstmStepBackward& step);

// ---- weight updates: kernels/optimizer.cu

/// learning rate / (1 - beta1^t), 1 / (1 - beta2^t)
struct AdamFactors {
  float rate, second_correction;
};
// A step along the negative gradient, which becomes 0. `rounded`, unless null, becomes the new weights in bf16.
void sgd_update(cudaStream_t stream, float* weight, float* gradient, Bf16* rounded, float rate, std::int64_t count);
void momentum_update(cudaStream_t stream, float* weight, float* gradient, float* velocity, Bf16* rounded, float rate,
                     std::int64_t count);
void rmsprop_update(cudaStream_t stream, float* weight, float* gradient, float* square, Bf16* rounded, float rate,
                    std::int64_t count);
void adam_update(cudaStream_t stream, float* weight, float* gradient, float* first, float* second, Bf16* rounded,
                 AdamFactors factors, std::int64_t count);

// ---- the transpose of a matrix, for cuDNN's layout of weights: kernels/transpose.cu

/// to (columns x rows) = the transpose of from (rows x columns), rounded if To has fewer bits. Rows are `..._stride`
/// values apart. The matrices do not overlap. Exists from float to float and to bf16.
template <class To, class From>
void transpose(cudaStream_t stream, To* to, std::int64_t to_stride, const From* from, std::int64_t from_stride,
               std::int64_t rows, std::int64_t columns);
/// to += the transpose. Exists from float and bf16 to float.
template <class To, class From>
void add_transpose(cudaStream_t stream, To* to, std::int64_t to_stride, const From* from, std::int64_t from_stride,
                   std::int64_t rows, std::int64_t columns);

}  // namespace pipedeck::runtime::cuda
