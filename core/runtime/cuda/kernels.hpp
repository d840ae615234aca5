// SPDX-License-Identifier: Apache-2.0
// The project's own CUDA kernels: what is not a matrix product. They mean what the functions of the same name in
// core/runtime/cpu mean. Every call queues work on a stream and returns; none waits, none allocates. Pointers are the
// device's; matrices are row-major. T is float or Bf16; sums, statistics and whatever is computed are float, and
// parameters, their gradients and an optimizer's state always are. The same call gives the same bits every time: sums
// are added in an order that depends on the shape alone. Calls throw CudaError (library.hpp) where CUDA
// refuses a launch.
//
// `scratch` is memory of the device, 16-byte aligned, of as many bytes as the function of that name beside it says; its
// contents do not matter, and whatever is queued on the same stream afterwards may use it again.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include "core/runtime/layers/lstm_step.hpp"

namespace pipedeck::cuda {

using Bf16 = __nv_bfloat16;

// ---- values one by one: kernels/elementwise.cu

template <class T>
void fill(cudaStream_t stream, T* values, float value, std::int64_t count);
template <class T>
void scale(cudaStream_t stream, T* values, float factor, std::int64_t count);
/// to += from
template <class To, class From>
void add(cudaStream_t stream, To* to, const From* from, std::int64_t count);
/// to = max(to, from): kernels/largest.cu
void largest(cudaStream_t stream, float* to, const float* from, std::int64_t count);
/// to = from, rounded to the nearest (ties to even) where To holds less.
template <class To, class From>
void convert(cudaStream_t stream, To* to, const From* from, std::int64_t count);

template <class T>
void relu(cudaStream_t stream, T* out, const T* in, std::int64_t count);
/// gradient *= relu'(in)
template <class T>
void relu_backward(cudaStream_t stream, T* gradient, const T* in, std::int64_t count);
/// Tanh form (Hendrycks and Gimpel, 2016), as GPT-2 has it.
template <class T>
void gelu(cudaStream_t stream, T* out, const T* in, std::int64_t count);
template <class T>
void gelu_backward(cudaStream_t stream, T* gradient, const T* in, std::int64_t count);

// ---- rows and a bias: kernels/bias.cu

/// Every row of `values` += bias.
template <class T>
void add_bias(cudaStream_t stream, T* values, const float* bias, std::int64_t rows, std::int64_t columns);
/// out = relu(in + bias); `out` may be `in`.
template <class T>
void bias_relu(cudaStream_t stream, T* out, const T* in, const float* bias, std::int64_t rows, std::int64_t columns);
/// out = gelu(in + bias). What bias_gelu_backward needs is `in`, as it was: `out` is another matrix.
template <class T>
void bias_gelu(cudaStream_t stream, T* out, const T* in, const float* bias, std::int64_t rows, std::int64_t columns);

std::size_t column_sums_scratch(std::int64_t rows, std::int64_t columns);
/// sums += the rows of `values`: the gradient of a bias.
template <class T>
void add_column_sums(cudaStream_t stream, float* sums, const T* values, void* scratch, std::int64_t rows,
                     std::int64_t columns);
/// gradient *= relu'(of what gave `out`); bias_gradient += its columns' sums: both in one pass. Scratch as
/// add_column_sums.
template <class T>
void bias_relu_backward(cudaStream_t stream, T* gradient, float* bias_gradient, const T* out, void* scratch,
                        std::int64_t rows, std::int64_t columns);
/// gradient *= gelu'(in + bias); bias_gradient += its columns' sums before they are rounded to T: both in one pass.
/// Scratch as add_column_sums.
template <class T>
void bias_gelu_backward(cudaStream_t stream, T* gradient, float* bias_gradient, const T* in, const float* bias,
                        void* scratch, std::int64_t rows, std::int64_t columns);

// ---- layer norm: kernels/layer_norm.cu

/// out = (in - mean) / sqrt(variance + 1e-5) * gain + shift, row by row; keeps mean and 1/deviation, one a row.
template <class T>
void layer_norm(cudaStream_t stream, T* out, float* mean, float* inverse, const T* in, const float* gain,
                const float* shift, std::int64_t rows, std::int64_t columns);
/// sum = in + more (a residual connection), out = its layer norm. `sum` may be `in` or `more`.
template <class T>
void add_layer_norm(cudaStream_t stream, T* sum, T* out, float* mean, float* inverse, const T* in, const T* more,
                    const float* gain, const float* shift, std::int64_t rows, std::int64_t columns);

std::size_t layer_norm_backward_scratch(std::int64_t rows, std::int64_t columns);
/// in_gradient += the input's gradient; gain_gradient and shift_gradient += theirs. in_gradient may be null.
template <class T>
void layer_norm_backward(cudaStream_t stream, T* in_gradient, float* gain_gradient, float* shift_gradient,
                         const T* out_gradient, const T* in, const float* mean, const float* inverse, const float* gain,
                         void* scratch, std::int64_t rows, std::int64_t columns);

// ---- embedding: kernels/embedding.cu

struct EmbeddingShape {
  std::int64_t samples, sequence, width, vocabulary;
  std::int64_t rows() const { return samples * sequence; }
};

/// Row r of `out` = table[tokens[r]] + positions[r % sequence]. A token that is none of the vocabulary's gives a row of
/// NaN and adds nothing to the
/// table's gradient: whoever brings tokens to the device looks at them before.
template <class T>
void embedding(cudaStream_t stream, T* out, const float* tokens, const float* table, const float* positions,
               const EmbeddingShape& shape);

std::size_t embedding_backward_scratch(const EmbeddingShape& shape);
/// table_gradient and position_gradient += theirs. Throws std::invalid_argument for 2^31 rows or more.
template <class T>
void embedding_backward(cudaStream_t stream, float* table_gradient, float* position_gradient, const T* out_gradient,
                        const float* tokens, void* scratch, const EmbeddingShape& shape);

// ---- the loss: kernels/cross_entropy.cu

std::size_t softmax_cross_entropy_scratch(std::int64_t rows);
/// *loss_sum += -log softmax(row)[target], over the rows; each row becomes softmax(row) - onehot(target). A target that
/// is none of the columns gives NaN: whoever brings targets to the device looks at them before.
template <class T>
void softmax_cross_entropy(cudaStream_t stream, T* logits, const float* targets, double* loss_sum, void* scratch,
                           std::int64_t rows, std::int64_t columns);

// The same in parts, where the classes are cut over several devices: `columns` of them from class `first` on are here.
/// most = the largest of each row.
template <class T>
void largest_of_rows(cudaStream_t stream, float* most, const T* logits, std::int64_t rows, std::int64_t columns);
/// Given the largest over all devices: totals = each row's sum of e^(value - most), wanted = its target's value - most,
/// 0 where another device has it. `logits` stay.
template <class T>
void exponentials_of_rows(cudaStream_t stream, float* totals, float* wanted, const T* logits, const float* most,
                          const float* targets, std::int64_t first, std::int64_t rows, std::int64_t columns);
/// Given both sums over all devices: what softmax_cross_entropy does. *loss_sum is the same on each of them.
template <class T>
void finish_cross_entropy(cudaStream_t stream, T* logits, double* loss_sum, const float* most, const float* totals,
                          const float* wanted, const float* targets, std::int64_t first, std::int64_t rows,
                          std::int64_t columns);

// ---- attention: kernels/attention.cu

/// As cpu/attention.hpp has it, in row-major matrices: qkv and its gradient are (samples * sequence) x 3 hidden,
/// queries before keys before values, out is (samples * sequence) x hidden, hidden = heads * head_size; logsumexp is
/// samples x heads x sequence.
struct AttentionShape {
  std::int64_t samples, sequence, heads, head_size;
  bool causal;
  std::int64_t hidden() const { return heads * head_size; }
  std::int64_t rows() const { return samples * sequence; }
};
/// The largest head. Both functions throw std::invalid_argument above it.
inline constexpr std::int64_t largest_head = 256;

/// out = softmax(Q K^T / sqrt(head_size)) V, logsumexp = log of each softmax's sum. Never stores sequence x sequence.
template <class T>
void attention(cudaStream_t stream, T* out, float* logsumexp, const T* qkv, const AttentionShape& shape);

std::size_t attention_backward_scratch(const AttentionShape& shape);
/// qkv_gradient = the gradient of qkv, from that of `out`.
template <class T>
void attention_backward(cudaStream_t stream, T* qkv_gradient, const T* out_gradient, const T* out,
                        const float* logsumexp, const T* qkv, void* scratch, const AttentionShape& shape);

// ---- one step of an LSTM: kernels/lstm.cu

void lstm_step(cudaStream_t stream, const LstmStep& step);
void lstm_step_backward(cudaStream_t stream, const LstmStepBackward& step);

// ---- weight updates: kernels/optimizer.cu

/// learning rate / (1 - beta1^t), 1 / (1 - beta2^t)
struct AdamFactors {
  float rate, second_correction;
};
// One step down the gradient, which becomes 0. Where `rounded` is not null it becomes the new weights in bf16.
void sgd_update(cudaStream_t stream, float* weight, float* gradient, Bf16* rounded, float rate, std::int64_t count);
void momentum_update(cudaStream_t stream, float* weight, float* gradient, float* velocity, Bf16* rounded, float rate,
                     std::int64_t count);
void rmsprop_update(cudaStream_t stream, float* weight, float* gradient, float* square, Bf16* rounded, float rate,
                    std::int64_t count);
void adam_update(cudaStream_t stream, float* weight, float* gradient, float* first, float* second, Bf16* rounded,
                 AdamFactors factors, std::int64_t count);

}  // namespace pipedeck::cuda
