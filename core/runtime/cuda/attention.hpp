// SPDX-License-Identifier: Apache-2.0
// Attention of a layer: by cuDNN's fused kernels where it has them for 16-bit values, otherwise by own kernels
// (kernels.hpp). Both have the same arguments, results and saved sums.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>

#include "core/runtime/cuda/context.hpp"
#include "core/runtime/cuda/fused/plan.hpp"
#include "core/runtime/cuda/kernels.hpp"

namespace pipedeck::runtime::cuda {

class CudaDevice;

/// The most workspace of a plan. Backward keeps a value of 16 bits for each score there.
inline constexpr std::size_t most_attention_workspace = std::size_t{512} << 20;

/// A runner for the attention of one worker by cuDNN. It asks cuDNN once for each shape and pass, keeps the plan, and
/// warns of a refusal. All functions throw CudaError, OutOfMemory, and CaptureUnsupported if a plan would have to be
/// made during a capture.
class FusedAttention {
 public:
  explicit FusedAttention(Context& context) : context_(context) {}
  FusedAttention(const FusedAttention&) = delete;
  FusedAttention& operator=(const FusedAttention&) = delete;

  /// As attention() (kernels.hpp). Returns false if cuDNN refuses the shape; nothing is enqueued then.
  bool forward(Bf16* out, float* logsumexp, const Bf16* qkv, const AttentionShape& shape);
  /// As attention_backward(), with its scratch memory from the context's workspace.
  bool backward(Bf16* qkv_gradient, const Bf16* out_gradient, const Bf16* out, const float* logsumexp, const Bf16* qkv,
                const AttentionShape& shape);

  std::size_t plans() const;

 private:
  enum class Pass { forward, backward };
  struct Key {
    Pass pass;
    std::int64_t samples, sequence, heads, head_size;
    bool causal;
    auto operator<=>(const Key&) const = default;
  };

  const std::optional<fused::Plan>& plan(Pass pass, const AttentionShape& shape);
  std::optional<fused::Plan> ask(Pass pass, const AttentionShape& shape);

  Context& context_;
  std::map<Key, std::optional<fused::Plan>> plans_;  ///< empty: refused
};

/// Enqueues out = softmax(Q K^T / sqrt(head_size)) V on the device. T is float or Bf16. Throws CudaError, OutOfMemory.
template <class T>
void run_attention(CudaDevice& device, T* out, float* logsumexp, const T* qkv, const AttentionShape& shape);
/// Enqueues the gradient of qkv, from that of `out`.
template <class T>
void run_attention_backward(CudaDevice& device, T* qkv_gradient, const T* out_gradient, const T* out,
                            const float* logsumexp, const T* qkv, const AttentionShape& shape);

}  // namespace pipedeck::runtime::cuda
